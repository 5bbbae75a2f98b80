"""Reads a conversation with an extractor and tells what its labels would be.

The turns go the way that every conversation goes: observed, read, decided. A row that is
added, repeated, replaced or erased is an event of a line of statements about one thing; a line
is what a label calls an attribute. Invariant: every event was decided by the write path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.engine import Memory
from palimpsest.language.guess import languages_of
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import word_list
from palimpsest.proposals import Reflection, Verdict
from palimpsest.protocols import Extractor
from palimpsest.types import Kind, LabelOp, Turn
from palimpsest.types import Memory as Row

_OPS: Mapping[str, LabelOp] = {
    "add": "remember", "merge": "remember", "supersede": "correct", "forget": "forget",
}  # fmt: skip
_NAME_WORDS = 2
Step = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What one turn did to one line of statements."""

    turn: int
    op: LabelOp
    line: int
    """The line, counted from 0 in the order of their first statements."""
    kind: Kind
    statement: str
    """The words that stand, as the turn has them; for a forget those that went."""
    value: str | None
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """Everything that an extractor makes of a conversation."""

    events: tuple[Event, ...]
    attributes: tuple[str, ...]
    """The name of each line, all different."""
    left: tuple[tuple[int, str], ...] = ()
    """Turns whose words were not taken, with the rule that decided or what failed."""


@dataclass(slots=True)
class _Lines:
    """The lines so far, and which one a row is on."""

    of_row: dict[int, int] = field(default_factory=dict)
    rows: dict[int, Row] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def line(self, row: Row | None, id: int, replaced: int | None) -> int:
        if id in self.of_row:
            return self.of_row[id]
        if replaced is not None and replaced in self.of_row:
            self.of_row[id] = self.of_row[replaced]
        else:
            self.of_row[id] = len(self.names)
            self.names.append(self._free(_name(row)))
        return self.of_row[id]

    def _free(self, name: str) -> str:
        taken, number = set(self.names), 2
        if name not in taken:
            return name
        while f"{name}-{number}" in taken:
            number += 1
        return f"{name}-{number}"


def propose(
    turns: Sequence[Turn], extractor: Extractor, step: Step = lambda done, of: None
) -> Proposed:
    """Observe and read every turn; raises what the extractor raises before its first call."""
    lines, events, left = _Lines(), list[Event](), list[tuple[int, str]]()
    with Memory.open(":memory:", policy="managed", tokenizer="estimate") as memory:
        talk = memory.conversation(user="label", id="talk")
        for turn in turns:
            talk.observe_turn(turn)
            readings = talk.reflect(extractor=extractor)
            lines.rows.update({row.id: row for row in talk.current()})
            for reading in readings:
                events += _events(reading, lines)
                left += _left(reading)
            step(turn.number, len(turns))
    return Proposed(events=tuple(events), attributes=tuple(lines.names), left=tuple(left))


def _events(reading: Reflection, lines: _Lines) -> list[Event]:
    return [
        _event(verdict, lines)
        for verdict in reading.verdicts
        if verdict.action in _OPS and verdict.memory is not None
    ]


def _event(verdict: Verdict, lines: _Lines) -> Event:
    id = verdict.memory or 0
    op = _OPS[verdict.action]
    row = lines.rows.get(id)
    line = lines.line(row, id, verdict.other if op == "correct" else None)
    return Event(
        turn=verdict.turn, op=op, line=line, kind=row.kind if row else "fact",
        statement=verdict.text or (row.text if row else ""), value=row.value if row else None,
        rule=verdict.rule,
    )  # fmt: skip


def _left(reading: Reflection) -> list[tuple[int, str]]:
    if reading.status == "failed":
        return [(reading.turn, f"could not be read: {reading.error}")]
    return [
        (verdict.turn, f"{verdict.action} ({verdict.rule})")
        for verdict in reading.verdicts
        if verdict.action not in _OPS or verdict.memory is None
    ]


def _name(row: Row | None) -> str:
    """A name for what a row is about: its attribute, else the first words of what it says."""
    if row is None:
        return "thing"
    if row.attribute:
        return "-".join(word_list(row.attribute)) or "thing"
    language = (languages_of(row.text) or ("en",))[0]
    dropped = stop_words(language) | set(word_list(row.value or ""))
    words = [word for word in word_list(row.text) if word not in dropped and word.isalpha()]
    return "-".join(words[:_NAME_WORDS]) or row.kind
