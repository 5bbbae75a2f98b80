"""What one request costs against the length of its conversation, cold and warm.

Cold: a fresh cache, as after a restart. Warm: one more turn was said since the last
request. Rows are measured in steps of SQLite's virtual machine, which no cache hides.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.histories import INSTRUCTIONS, QUESTION, fill, small_talk
from palimpsest import Budget, Memory, Request
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer

SIZES = (50, 500, 5_000, 50_000)
STRATEGIES = ("recent", "managed")
BUDGET = Budget(window=512, answer=128, margin=32)
ROUNDS = 31


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The cost of one request at one length."""

    strategy: str
    turns: int
    tokens: int
    cold_ms: float
    cold_encoded: int
    """Tokens that were really encoded for the cold request."""
    cold_needed: int
    """Tokens of the parts that a cold build may encode at most."""
    warm_ms: float
    """With its ledger kept in the file, as an application has it: one durable write."""
    build_ms: float
    """The same without keeping the ledger."""
    warm_encoded: int
    steps: int
    """Steps of SQLite's virtual machine for the warm request."""


def measure(tokenizer: LocalTokenizer) -> list[Cost]:
    """One Cost a strategy and length."""
    found = []
    for turns in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory.db"
            fill(path, turns, TokenCounter(tokenizer), facts=40).close()
            found += [_cost(path, turns, strategy, tokenizer) for strategy in STRATEGIES]
    return found


def _request(memory: Memory, strategy: str, *, record: bool = True) -> Request:
    return memory.conversation(user="u", id="c").request(
        QUESTION, budget=BUDGET, strategy=strategy, instructions=INSTRUCTIONS, record=record
    )


def _cost(path: Path, turns: int, strategy: str, tokenizer: LocalTokenizer) -> Cost:
    cold = []
    for _ in range(5):
        counter = TokenCounter(tokenizer)
        with Memory.open(path, counter=counter) as memory:
            start = time.perf_counter()
            request = _request(memory, strategy)
            cold.append(time.perf_counter() - start)
            encoded, needed = counter.encoded_tokens, _needed(memory, request, tokenizer)
    with Memory.open(path, counter=counter) as memory:
        warm, warm_encoded = _warm(memory, strategy, counter, record=True)
        build, _ = _warm(memory, strategy, counter, record=False)
        steps = _steps(memory, strategy)
    return Cost(
        strategy=strategy, turns=turns, tokens=request.tokens, cold_ms=1e3 * statistics.median(cold),
        cold_encoded=encoded, cold_needed=needed, warm_ms=1e3 * warm, build_ms=1e3 * build,
        warm_encoded=warm_encoded,
        steps=steps,
    )  # fmt: skip


def _warm(
    memory: Memory, strategy: str, counter: TokenCounter, *, record: bool
) -> tuple[float, int]:
    talk = memory.conversation(user="u", id="c")
    times, encoded = [], []
    for round in range(ROUNDS):
        user, assistant = small_talk(-round)
        talk.append(user=user, assistant=assistant)
        before, start = counter.encoded_tokens, time.perf_counter()
        _request(memory, strategy, record=record)
        times.append(time.perf_counter() - start)
        encoded.append(counter.encoded_tokens - before)
    return statistics.median(times), int(statistics.median(encoded))


def _steps(memory: Memory, strategy: str) -> int:
    connection = memory._store._db._connection
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    connection.set_progress_handler(step, 1)
    _request(memory, strategy)
    connection.set_progress_handler(None, 0)
    return steps


def _needed(memory: Memory, request: Request, tokenizer: LocalTokenizer) -> int:
    """The request, the first turn that did not fit, and the lines that were looked at."""
    entries = request.ledger
    refused = [e.first for e in entries.turns if e.reason == "no-room"]
    turns = {t.number: t for t in memory.conversation(user="u", id="c").turns()}
    refused_tokens = sum(tokenizer.count_unit(turns[number].messages) for number in refused)
    lines = sum(entry.tokens or 0 for entry in entries.memories)
    # Three things are counted on top of the request itself: the bare question, the frame of
    # an empty line, and what opens and closes a request.
    extra = sum(tokenizer.count_text(text) for text in (QUESTION, "- [#00, turn-00000] ")) + 16
    return refused_tokens + lines + tokenizer.count_request(request.sent, ()) + extra
