"""Small suites as plain data, and a tokenizer whose counts are the words of a text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from palimpsest.bench import suite
from palimpsest.bench.replay import DEFAULT_STRATEGIES, Replayed, enter, replay
from palimpsest.bench.suite import Suite
from palimpsest.tokens.counter import TokenCounter
from palimpsest.types import Frame, Message, Tool


class Words:
    """One token a word, one a message, one to begin and one to answer."""

    frame = Frame(name="words", fingerprint="words-1", additive=True)

    def count_text(self, text: str) -> int:
        return len(text.split())

    def count_unit(self, messages: Sequence[Message]) -> int:
        return sum(1 + sum(map(self.count_text, m.texts())) for m in messages)

    def count_opening(self, first: Message, tools: Sequence[Tool]) -> int:
        return 1 + sum(self.count_text(tool.json) for tool in tools)

    def count_closing(self) -> int:
        return 1

    def count_request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        return self.count_opening(messages[0], tools) + self.count_unit(messages) + 1


def turn(
    number: int, user: Any, op: str | None = None, attribute: str = "thing", *,
    value: str | None = None, assistant: Any = "Fine.",
) -> dict[str, Any]:  # fmt: skip
    """One turn of a suite file; a label where ``op`` is given."""
    made: dict[str, Any] = {"turn": number, "user": user, "assistant": assistant}
    if op is not None:
        made["memory"] = {"op": op, "attribute": attribute}
        if value is not None:
            made["memory"]["value"] = value
    return made


def point(
    after: int, required: Sequence[str] = (), stale: Sequence[str] = (), deleted: Sequence[str] = (),
    question: str | None = "What holds now?",
) -> dict[str, Any]:  # fmt: skip
    """One checkpoint of a suite file."""
    return {
        "after": after, "question": question, "required": list(required), "stale": list(stale),
        "deleted": list(deleted),
    }  # fmt: skip


def data(
    turns: Sequence[Any], points: Sequence[Any], window: int = 400, **more: Any
) -> dict[str, Any]:
    """A suite file as data."""
    return {
        "instructions": "Be brief.", "turns": list(turns), "checkpoints": list(points),
        "budget": {"window": window, "answer": 0}, **more,
    }  # fmt: skip


def made(turns: Sequence[Any], points: Sequence[Any], window: int = 400, **more: Any) -> Suite:
    """A loaded suite."""
    return read(data(turns, points, window, **more))


def read(value: Any, name: str = "small") -> Suite:
    """Load data as if it stood in a file."""
    return suite.read(json.dumps(value), where=f"{name}.json", name=name)


def run(
    found: Suite, strategies: Sequence[str] = DEFAULT_STRATEGIES, config: Any = None
) -> Replayed:
    """Replay a suite, counted in words."""
    return replay(
        found, entrants=enter(strategies), counter=TokenCounter(Words()),
        config=config or found.config(),
    )  # fmt: skip


MEETING = (
    turn(1, "The room is Alder.", "remember", "room", assistant="Alder it is."),
    turn(2, "My pin is 4711.", "remember", "pin"),
    turn(3, "The room is Birch & Co.", "correct", "room"),
    turn(4, "Forget my pin 4711.", "forget", "pin"),
    turn(5, "Lunch is at noon."),
)
"""A room that is corrected at turn 3 and a pin that is forgotten at turn 4."""


def meeting(window: int = 400, **more: Any) -> Suite:
    """The meeting with a checkpoint before and one after its changes."""
    points = (
        point(2, ["room is Alder", "4711"]),
        point(5, ["Birch & Co."], ["room is Alder"], ["4711"]),
    )
    return made(MEETING, points, window, name="meeting", **more)
