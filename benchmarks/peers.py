"""The same trimming by two well-known libraries, with the same tokenizer, in the same run."""

from __future__ import annotations

import signal
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    trim_messages,
)
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import ChatMemoryBuffer

from benchmarks.cost import BUDGET, SIZES
from benchmarks.histories import INSTRUCTIONS, QUESTION, small_talk
from palimpsest.messages import message
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer

PATIENCE_S = 60
"""A peer that takes longer is stopped, and not asked for a longer history."""


@dataclass(frozen=True, kw_only=True)
class PeerCost:
    """One peer at one length; ``None`` where it was stopped or not asked any more."""

    peer: str
    turns: int
    cold_ms: float | None
    warm_ms: float | None


class _Impatient(Exception):
    """A peer took longer than PATIENCE_S."""


def measure(tokenizer: LocalTokenizer) -> list[PeerCost]:
    """One PeerCost a peer and length."""
    found = []
    for name, made in (("trim_messages", _trim), ("ChatMemoryBuffer", _buffer)):
        patient = True
        for turns in SIZES:
            cost = _patiently(name, turns, made(tokenizer, turns)) if patient else None
            patient = cost is not None
            found.append(cost or PeerCost(peer=name, turns=turns, cold_ms=None, warm_ms=None))
    return found


def _patiently(name: str, turns: int, run: Callable[[], object]) -> PeerCost | None:
    def stop(signal: int, frame: object) -> None:
        raise _Impatient

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE_S)
    try:
        return _timed(name, turns, run)
    except _Impatient:
        return None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _timed(name: str, turns: int, run: Callable[[], object]) -> PeerCost:
    start = time.perf_counter()
    run()
    cold = time.perf_counter() - start
    times = []
    for _ in range(5 if cold < 1 else 1):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return PeerCost(
        peer=name, turns=turns, cold_ms=1e3 * cold, warm_ms=1e3 * statistics.median(times)
    )


def _trim(tokenizer: LocalTokenizer, turns: int) -> Callable[[], object]:
    history: list[BaseMessage] = [SystemMessage(INSTRUCTIONS)]
    for back in range(turns, 0, -1):
        user, assistant = small_talk(back)
        history += [HumanMessage(user), AIMessage(assistant)]
    history.append(HumanMessage(QUESTION))
    counter = TokenCounter(tokenizer)
    roles = {"system": "system", "human": "user", "ai": "assistant"}

    def count(messages: list[BaseMessage]) -> int:
        read = [message({"role": roles[m.type], "content": m.content}) for m in messages]
        return counter.request(read, ())

    return lambda: trim_messages(
        history, max_tokens=BUDGET.input, token_counter=count, strategy="last",
        include_system=True, start_on="human",
    )  # fmt: skip


def _buffer(tokenizer: LocalTokenizer, turns: int) -> Callable[[], object]:
    history = []
    for back in range(turns, 0, -1):
        user, assistant = small_talk(back)
        history.append(ChatMessage(role=MessageRole.USER, content=user))
        history.append(ChatMessage(role=MessageRole.ASSISTANT, content=assistant))

    def encode(text: str) -> list[int]:
        return list(tokenizer.encoder.encode(text, add_special_tokens=False).ids)

    buffer = ChatMemoryBuffer.from_defaults(
        chat_history=history, token_limit=BUDGET.input, tokenizer_fn=encode
    )
    return lambda: buffer.get(initial_token_count=len(encode(INSTRUCTIONS + QUESTION)))
