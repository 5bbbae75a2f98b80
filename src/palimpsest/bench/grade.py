"""Grades one request by exact text: which listed facts it holds, and in which messages.

A fact is present when its text stands in a message raw, or in the form that quoted lines
give it (``&``, ``<`` and ``>`` as entities, invisible characters shown). Everything that
is sent counts: the arguments of a tool call leak a forgotten value as a sentence does, and so
do the keys that a server added to its message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.bench.suite import Checkpoint
from palimpsest.context.quote import escape, quoted
from palimpsest.types import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What one request holds of a checkpoint's facts."""

    found: int
    required: int
    missing: tuple[str, ...]
    stale: tuple[str, ...]
    deleted: tuple[str, ...]
    places: Mapping[str, tuple[int, ...]]
    """Each fact that is present, and the indexes of the messages where it stands."""


def grade(sent: Sequence[Message], point: Checkpoint, markers: Sequence[str] = ()) -> Grade:
    """Grade the messages of a request; ``markers`` are the control strings of its frame."""
    texts = [text_of(message) for message in sent]
    places = {fact: found for fact in point.facts if (found := places_of(fact, texts, markers))}
    return Grade(
        found=sum(fact in places for fact in point.required),
        required=len(point.required),
        missing=tuple(fact for fact in point.required if fact not in places),
        stale=tuple(fact for fact in point.stale if fact in places),
        deleted=tuple(fact for fact in point.deleted if fact in places),
        places=places,
    )


def places_of(fact: str, texts: Sequence[str], markers: Sequence[str] = ()) -> tuple[int, ...]:
    """The indexes of the texts in which a fact stands."""
    forms = forms_of(fact, markers)
    return tuple(i for i, text in enumerate(texts) if any(form in text for form in forms))


def forms_of(fact: str, markers: Sequence[str] = ()) -> tuple[str, ...]:
    """The ways in which a fact can be written in a request."""
    return tuple(dict.fromkeys((fact, escape(fact), quoted(fact, markers))))


def text_of(message: Message) -> str:
    """Everything that a message sends: its words, its calls, and keys we do not interpret."""
    words = "".join(message.texts())
    rest = [text for call in message.tool_calls for text in _arguments(json.loads(call.json))]
    rest += [
        leaf
        for part in message.parts
        if part.text is None and part.kind != "media"
        for leaf in _leaves(json.loads(part.json))
    ]
    if message.extra:
        rest += _leaves(json.loads(message.extra))
    return "\n".join([words, *rest])


def _arguments(call: Mapping[str, Any]) -> Iterator[str]:
    given = call.get("function", {}).get("arguments")
    if not isinstance(given, str):
        yield from _leaves(given)
        return
    yield given
    try:
        yield from _leaves(json.loads(given))
    except (ValueError, RecursionError):
        return


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
