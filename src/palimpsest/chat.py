"""One call of a chat model as plain records: what is sent, what came back, who answered.

A call carries the request unchanged, with the limits of its case and the sampling that is
asked for. Invariant: two calls with one ``request_hash`` send the same messages and tools.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.types import Message, Tool, canonical


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How an answer is drawn; the defaults are the published ones, thinking off."""

    temperature: float = 1.0
    top_k: int = 64
    """0 leaves it out of the request, for servers that refuse the name."""
    top_p: float = 0.95
    thinking: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCall:
    """One request to one model: ``window`` and ``limit`` are tokens of the case's budget."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    window: int
    """The context that the model gets: request, answer and margin."""
    limit: int
    """The most tokens of the answer."""
    seed: int
    sampling: Sampling = field(default_factory=Sampling)
    schema: str = ""
    """The JSON schema that the answer must fit, as canonical JSON; empty where none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a model answered; an empty text is an answer too."""

    text: str
    tool_calls: tuple[str, ...] = ()
    """Each call as canonical JSON, as the server gave it."""
    stop: str
    """Why it ended, in the server's word: ``stop``, ``length``, ``tool_calls`` ..."""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Which model answers, exactly enough to say whether two recordings are of one."""

    model: str
    """As it was named: ``ollama:gemma4:e2b``."""
    digest: str | None
    """Hex SHA-256 of what is served; ``None`` where the server gives none."""
    pinned: bool
    """True when the digest was known before and compared."""
    server: str
    """The server's name and version."""
    unsent: tuple[str, ...] = ()
    """Sampling settings that this API has no word for."""
    details: Mapping[str, str] = field(default_factory=dict)
    """Quantization, size and the like, where the server tells them."""


def request_hash(messages: Sequence[Message], tools: Sequence[Tool]) -> str:
    """``sha256:`` of the messages and tools, whatever the order of their keys."""
    return hash_of([message.as_dict() for message in messages], [tool.as_dict() for tool in tools])


CALL_SCHEMA = 2
"""Schema 1 of a call's hash left out the window and the thinking; files that say so keep it."""


def call_hash(call: ChatCall, *, schema: int = CALL_SCHEMA) -> str:
    """``sha256:`` of everything that an answer depends on but the model."""
    asked = request_hash(call.messages, call.tools)
    rest = [asked, call.seed, call.limit, call.schema, call.sampling.temperature,
            call.sampling.top_k, call.sampling.top_p]  # fmt: skip
    if schema > 1:
        rest += [call.window, call.sampling.thinking]
    return "sha256:" + hashlib.sha256(json.dumps(rest).encode()).hexdigest()


def hash_of(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> str:
    """The same hash from plain data, as a recording keeps it."""
    plain = json.loads(canonical({"messages": list(messages), "tools": list(tools)}))
    text = json.dumps(plain, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
