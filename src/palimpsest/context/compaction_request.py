"""Reads a compaction request: the conversation, the question, and the reserves.

The contract is checked whole before anything is counted. Every error begins with the path
to the fault and says what would be right. Turns come as ``{"user", "assistant"}``, as
``{"messages": [...]}``, or as one flat list of messages.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest import messages as reading
from palimpsest.config import Config
from palimpsest.errors import InputError
from palimpsest.settings import CompactionSettings
from palimpsest.types import Ask, Budget, Message, Turn

WINDOW, ANSWER, MARGIN = 8192, 1024, 64
"""The published defaults of what neither a request nor the settings name, in tokens."""
_KEYS = (
    "instructions", "current", "history", "context_limit", "max_new_tokens", "margin",
    "notes_reserve",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRequest:
    """What is to be sent, and within which budget."""

    instructions: Message
    current: Message
    history: tuple[Turn, ...] = ()
    context_limit: int | None = None
    """``None``, here and below, leaves it to the settings."""
    max_new_tokens: int | None = None
    margin: int | None = None
    notes_reserve: int | None = None

    def settings(self, base: Config, *, where: str = "request") -> Config:
        """``base`` with what the request names laid over it, field by field.

        What neither names has the published defaults. Raises InputError where the budget in
        force and a reserve that the request names leave no room for the input.
        """
        notes = base.notes
        if self.notes_reserve is not None:
            notes = dataclasses.replace(notes, reserve=self.notes_reserve)
        return dataclasses.replace(base, budget=self._budget(base, where), notes=notes)

    def _budget(self, base: Config, where: str) -> Budget:
        rest = base.budget or Budget(window=WINDOW, answer=ANSWER, margin=MARGIN)
        window = rest.window if self.context_limit is None else self.context_limit
        answer = rest.answer if self.max_new_tokens is None else self.max_new_tokens
        margin = rest.margin if self.margin is None else self.margin
        reserve = self.notes_reserve or 0
        if answer + margin + reserve >= window:
            raise InputError(
                f"{where}: max_new_tokens {answer}, margin {margin} and notes_reserve {reserve} "
                f"leave no input space in context_limit {window}; raise it or lower one of them"
            )
        return Budget(window=window, answer=answer, margin=margin)

    def ask(self, config: Config) -> Ask:
        """The required part, under the budget of finished settings."""
        assert config.budget is not None, "settings() names a budget"
        return Ask(question=self.current, budget=config.budget, instructions=self.instructions)


def read(
    data: object, *, where: str = "request", limits: CompactionSettings | None = None
) -> CompactionRequest:
    """Read a request given as JSON data; raises InputError with the path to the fault.

    Whether its reserves leave room is told by ``CompactionRequest.settings``, which knows the
    budget in force.
    """
    if isinstance(data, CompactionRequest):
        return data
    limits = limits or CompactionSettings()
    if not isinstance(data, Mapping):
        raise InputError(
            f"{where}: {_kind(data)} is not an object; a request holds {', '.join(_KEYS)}"
        )
    unknown = [key for key in data if key not in _KEYS]
    if unknown:
        raise InputError(
            f"{where}: unknown {', '.join(map(repr, unknown))}; known keys: {', '.join(_KEYS)}"
        )
    for key in ("instructions", "current"):
        if key not in data:
            raise InputError(f"{where}.{key}: is missing; a request needs instructions and current")
    return CompactionRequest(
        instructions=_message(data["instructions"], "system", f"{where}.instructions", limits),
        current=_message(data["current"], "user", f"{where}.current", limits),
        history=_history(data.get("history", []), f"{where}.history", limits),
        **_numbers(data, where, limits),
    )


def _numbers(data: Mapping[str, Any], where: str, limits: CompactionSettings) -> dict[str, int]:
    least = {"context_limit": 1, "max_new_tokens": 1, "margin": 0, "notes_reserve": 0}
    found: dict[str, int] = {}
    for key, low in least.items():
        if key not in data:
            continue
        value = data[key]
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"{where}.{key}: {_kind(value)} is not a whole number of tokens")
        if not low <= value <= limits.window:
            raise InputError(
                f"{where}.{key}: {value} is not from {low} to {limits.window} tokens; the upper "
                "limit is the setting [compaction] window"
            )
        found[key] = value
    return found


def _history(value: object, path: str, limits: CompactionSettings) -> tuple[Turn, ...]:
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise InputError(f"{path}: {_kind(value)} is not a list of turns")
    if value and all(isinstance(item, Mapping) and "role" in item for item in value):
        turns = reading.group(reading.messages(value, path), 1, path)
    else:
        turns = tuple(_turn(item, i, f"{path}[{i}]") for i, item in enumerate(value))
    if len(turns) > limits.turns:
        raise InputError(
            f"{path}: {len(turns)} turns; at most {limits.turns} are read (the setting "
            "[compaction] turns)"
        )
    for turn in turns:
        for message in turn.messages:
            _check_length(message, f"{path}[{turn.number - 1}].{message.role}", limits)
    return turns


def _turn(value: object, place: int, path: str) -> Turn:
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: {_kind(value)} is not a turn object")
    if set(value) == {"user", "assistant"}:
        said = [
            _spoken(reading.text_message(role, value[role], f"{path}.{role}"), f"{path}.{role}")
            for role in ("user", "assistant")
        ]
        return Turn(number=place + 1, messages=tuple(said))
    if set(value) != {"messages"}:
        given = ", ".join(map(repr, value)) or "nothing"
        raise InputError(
            f"{path}: holds {given}; a turn has exactly 'user' and 'assistant', or 'messages'"
        )
    here = f"{path}.messages"
    turns = reading.group(reading.messages(value["messages"], here), place + 1, here)
    if len(turns) != 1:
        raise InputError(
            f"{here}: makes {len(turns)} turns; each turn is opened by a user's words, so give "
            "every exchange its own entry, or the messages as one flat list"
        )
    return turns[0]


def _message(value: object, role: str, path: str, limits: CompactionSettings) -> Message:
    found = reading.message({"role": role, "content": value}, path) if value is not None else None
    if found is None:
        raise InputError(f"{path}: null is not a text")
    _check_length(found, path, limits)
    return _spoken(found, path)


def _spoken(message: Message, path: str) -> Message:
    """Refuse a message that says nothing; a picture alone does say something."""
    media = any(part.kind == "media" for part in message.parts)
    if not media and not any(text.strip() for text in message.texts()):
        raise InputError(f"{path}: is blank; write its text")
    return message


def _check_length(message: Message, path: str, limits: CompactionSettings) -> None:
    longest = max(map(len, message.texts()), default=0)
    if longest > limits.characters:
        raise InputError(
            f"{path}: {longest} characters; at most {limits.characters} are read (the setting "
            "[compaction] characters)"
        )


def _kind(value: object) -> str:
    return "null" if value is None else f"{value!r:.60} ({type(value).__name__})"
