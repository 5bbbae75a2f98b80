"""The labels and checkpoints of a suite as a sheet of lines, for a person and an editor.

Invariant: ``read(write(suite), suite)`` is the suite, and a mistake names its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from palimpsest.errors import InputError
from palimpsest.language.invisible import shown

_OPS = ("remember", "correct", "forget")
_KEYS = ("question", "required", "stale", "deleted")
_WIDEST = 200
_HEAD = """\
# Labels and checkpoints of {name}. Lines that begin with # are not read.
#
#   turn N: remember|correct|forget ATTRIBUTE [= VALUE]     what perfect extraction would do there
#   turn N: none                                            no label
#   checkpoint after N                                      a question after turn N, and under it
#     question: ...
#     required: ...      words that a correct answer needs; a line each
#     stale: ...         words that a later turn replaced
#     deleted: ...       words that the user asked to forget
#
# Facts are exact words of a turn. Add and delete lines as you like; a turn that is not named has
# no label. A text with a line break is written as JSON, in quotation marks. An empty sheet
# changes nothing.
"""


def _fault(line: int, text: str) -> InputError:
    """What a line that cannot be read is told by."""
    return InputError(f"line {line}: {text}")


def write(data: Mapping[str, Any], notes: Sequence[tuple[int, str]] = ()) -> str:
    """The sheet of a suite; ``notes`` say at their turn what a person should look at."""
    return _HEAD.format(name=shown(str(data.get("name", "a suite")))) + "\n" + "\n".join(
        [*_turns(data, notes), *_points(data)]
    ) + "\n"  # fmt: skip


def _turns(data: Mapping[str, Any], notes: Sequence[tuple[int, str]]) -> Iterator[str]:
    for turn in data["turns"]:
        number, label = turn["turn"], turn.get("memory")
        for role, text in _said(turn):
            yield f"# turn {number} {role}: {shown(text)[:_WIDEST]}"
        for at, note in notes:
            if at == number:
                yield f"# turn {number} ? {shown(note)[:_WIDEST]}"
        if label is None:
            yield f"turn {number}: none"
        else:
            value = f" = {_told(label['value'])}" if label.get("value") is not None else ""
            yield f"turn {number}: {label['op']} {_told(label['attribute'])}{value}"
        yield ""


def _said(turn: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "messages" not in turn:
        yield "user", _text(turn["user"])
        return
    for message in turn["messages"]:
        if message.get("role") in ("user", "tool"):
            yield message["role"], _text(message.get("content"))


def _text(content: object) -> str:
    if isinstance(content, list):
        return " ".join(str(p.get("text", "")) for p in content if isinstance(p, Mapping))
    return content if isinstance(content, str) else ""


def _points(data: Mapping[str, Any]) -> Iterator[str]:
    for point in data["checkpoints"]:
        yield f"checkpoint after {point['after']}"
        yield f"  question: {_told(point['question'])}"
        for kind in _KEYS[1:]:
            yield from (f"  {kind}: {_told(fact)}" for fact in point.get(kind, ()))
        yield ""


def _told(text: str | None) -> str:
    if text is None:
        return "null"
    plain = text == text.strip() and "\n" not in text and " = " not in text and text != "null"
    return text if plain and text[:1] not in ('"', "") and text.isprintable() else (
        json.dumps(text, ensure_ascii=False)
    )  # fmt: skip


def read(text: str, data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """The suite with what a sheet says, and the line of each part; raises InputError."""
    sheet = _Sheet(data)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            sheet.take(number, line)
    return sheet.result(), sheet.lines


def is_empty(text: str) -> bool:
    """True where a sheet has nothing but comments: a person thought better of it."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in text.split("\n"))


class _Sheet:
    """What the lines so far said."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._labels: dict[int, dict[str, str] | None] = {}
        self._points: list[dict[str, Any]] = []
        self.lines: dict[str, int] = {}

    def take(self, number: int, line: str) -> None:
        """Read one line; raises InputError."""
        if match := re.fullmatch(r"\s*turn\s+(\d+)\s*:\s*(.*?)\s*", line):
            self._label(number, int(match[1]), match[2])
        elif match := re.fullmatch(r"\s*checkpoint\s+after\s+(\d+)\s*", line):
            after = int(match[1])
            self.lines[f"checkpoints[{len(self._points)}].after"] = number
            self._points.append({"after": after, "question": None, **{k: [] for k in _KEYS[1:]}})
        elif match := re.fullmatch(r"\s*(\w+)\s*:\s*(.*?)\s*", line):
            self._fact(number, match[1], match[2])
        else:
            raise _fault(
                number, f"{line.strip()!r:.60} is no line that is known; write 'turn N: ...', "
                "'checkpoint after N', or one of question, required, stale, deleted",
            )  # fmt: skip

    def _label(self, number: int, turn: int, told: str) -> None:
        last = len(self._data["turns"])
        if not 1 <= turn <= last:
            raise _fault(number, f"there is no turn {turn}; turns go from 1 to {last}")
        if turn in self._labels:
            raise _fault(number, f"turn {turn} has a label already; a turn has one")
        self.lines[f"turns[{turn - 1}]"] = number
        op, _, rest = told.partition(" ")
        if told == "none":
            self._labels[turn] = None
            return
        if op not in _OPS:
            raise _fault(number, f"{op!r} is not one of none, {', '.join(_OPS)}")
        attribute, equals, value = _parted(rest.strip())
        if not attribute:
            raise _fault(number, f"{op} needs an attribute: turn {turn}: {op} city = Porto")
        label = {"op": op, "attribute": _meant(number, attribute)}
        if equals:
            label["value"] = _meant(number, value)
            if not label["value"]:
                raise _fault(number, "nothing stands behind =; leave it out, or give the value")
        self._labels[turn] = label

    def _fact(self, number: int, key: str, told: str) -> None:
        if key not in _KEYS:
            raise _fault(number, f"{key!r} is not one of {', '.join(_KEYS)}")
        if not self._points:
            raise _fault(number, f"{key} stands before any 'checkpoint after N'")
        point, place = self._points[-1], len(self._points) - 1
        if key == "question":
            point["question"] = None if told == "null" else _meant(number, told)
            self.lines[f"checkpoints[{place}].question"] = number
            return
        self.lines[f"checkpoints[{place}].{key}[{len(point[key])}]"] = number
        point[key].append(_meant(number, told))

    def result(self) -> dict[str, Any]:
        """The suite; a turn that no line named has no label."""
        turns = []
        for turn in self._data["turns"]:
            label = self._labels.get(turn["turn"])
            bare = {key: value for key, value in turn.items() if key != "memory"}
            turns.append(bare if label is None else {**bare, "memory": label})
        return {**self._data, "turns": turns, "checkpoints": self._points}


def _parted(told: str) -> tuple[str, str, str]:
    """An attribute and a value; a quoted attribute may hold the sign itself."""
    if match := re.match(r'("(?:[^"\\]|\\.)*")\s*(=?)\s*(.*)', told):
        return match[1], match[2], match[3]
    attribute, equals, value = told.partition(" = ")
    if not equals and told.endswith(" ="):
        return told[:-2].strip(), "=", ""
    return attribute.strip(), equals.strip(), value.strip()


def _meant(number: int, told: str) -> str:
    if not told.startswith('"'):
        return told
    try:
        text = json.loads(told)
    except ValueError as error:
        raise _fault(
            number, f"{told!r:.60} begins with a quotation mark and is no JSON text ({error})"
        ) from None
    return str(text)


def line_of(message: str, lines: Mapping[str, int]) -> int | None:
    """The line that the fault of a check is about: the longest path that its message begins with."""
    held = [path for path in lines if path in message]
    return lines[max(held, key=len)] if held else None
