"""A suite file as data, out of a masked conversation with its labels and checkpoints.

Invariant: what is made here has passed the checks that ``palimpsest bench run`` makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.bench.label.conversations import Talk
from palimpsest.bench.label.labelled import Labelled, Point
from palimpsest.types import Budget, Label, Turn

_TOKEN = 4
"""Characters of a token, about: enough to tell a budget that the conversation is larger than."""
_PART = 4
"""A window holds about this part of the conversation, so that something must be left out."""
_LEAST_WINDOW, _STEP, _ANSWER = 512, 128, 128


def suite_data(
    talk: Talk, found: Labelled, *, name: str, extractor: str, budget: Budget | None = None
) -> dict[str, Any]:
    """The data of a suite file."""
    size = budget or budget_for(talk)
    data: dict[str, Any] = {
        "name": name,
        "description": f"Made by `palimpsest bench label` of {len(talk.turns)} turns; labels "
        f"proposed by {extractor}, personal values masked.",
    }
    if talk.instructions:
        data["instructions"] = talk.instructions
    if talk.tools:
        data["tools"] = [tool.as_dict() for tool in talk.tools]
    data["budget"] = {"window": size.window, "answer": size.answer, "margin": size.margin}
    data["turns"] = [_turn(turn, found.labels.get(turn.number)) for turn in talk.turns]
    data["checkpoints"] = [_point(point) for point in found.points]
    return data


def budget_for(talk: Talk) -> Budget:
    """A window of about a quarter of the conversation, in steps of 128 tokens."""
    characters = sum(len(t) for turn in talk.turns for m in turn.messages for t in m.texts())
    wanted = max(_LEAST_WINDOW, characters // _TOKEN // _PART + _ANSWER)
    return Budget(window=-(-wanted // _STEP) * _STEP, answer=_ANSWER)


def _turn(turn: Turn, label: Label | None) -> dict[str, Any]:
    made: dict[str, Any] = {"turn": turn.number}
    said = [message.as_dict() for message in turn.messages]
    plain = [set(item) == {"role", "content"} for item in said]
    if [item["role"] for item in said] == ["user", "assistant"] and all(plain):
        made |= {"user": said[0]["content"], "assistant": said[1]["content"]}
    else:
        made["messages"] = said
    if label is not None:
        made["memory"] = label_data(label)
    return made


def label_data(label: Label) -> dict[str, str]:
    """A label as a suite file has it."""
    made: dict[str, str] = {"op": label.op, "attribute": label.attribute}
    if label.value is not None:
        made["value"] = label.value
    return made


def _point(point: Point) -> dict[str, Any]:
    return {
        "after": point.after, "question": point.question, "required": list(point.required),
        "stale": list(point.stale), "deleted": list(point.deleted),
    }  # fmt: skip


def parts_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """A suite file by its parts, each of which a person may correct by itself."""
    parts: dict[str, Any] = {
        key: value for key, value in data.items() if key not in ("turns", "checkpoints")
    }
    for turn in data.get("turns", ()):
        said = {key: value for key, value in turn.items() if key != "memory"}
        parts[f"turn {turn['turn']}"] = said
        parts[f"label {turn['turn']}"] = turn.get("memory")
    for point in data.get("checkpoints", ()):
        parts[f"checkpoint {point['after']}"] = point
    return parts


def whole_of(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The suite file of its parts; turns and checkpoints in their order."""
    data = {key: value for key, value in parts.items() if " " not in key}
    turns, points = [], []
    for key, value in sorted(
        (item for item in parts.items() if " " in item[0]), key=lambda item: _place(item[0])
    ):
        kind, _, number = key.partition(" ")
        if kind == "turn":
            label = parts.get(f"label {number}")
            turns.append({**value, "memory": label} if label is not None else dict(value))
        elif kind == "checkpoint":
            points.append(value)
    return {**data, "turns": turns, "checkpoints": points}


def _place(key: str) -> tuple[str, int]:
    kind, _, number = key.partition(" ")
    return kind, int(number)
