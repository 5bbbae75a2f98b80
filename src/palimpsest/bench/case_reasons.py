"""Why a fact of a case is missing from a request, or why a replaced one is in it.

Read from the ledgers alone: the turns that state the fact, and what became of each. Where
a note quotes the sentence, the note decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.bench.selection import CaseRow
from palimpsest.ledger import NoteEntry, TurnReason
from palimpsest.types import Turn

Fate = Literal["missing", "stale"]
_TOLD: Mapping[TurnReason, str] = {
    "kept": "turn {turn} is sent",
    "open": "turn {turn} waits for an answer, so it is sent",
    "no-room": "turn {turn} does not fit",
    "behind-no-room": "turn {turn} lies behind one that does not fit",
    "template": "the chat template cannot take turn {turn}",
    "no-match": "turn {turn} shares no word with the question",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One fact, one turn that states it, and what became of it."""

    fact: str
    fate: Fate
    turn: int
    """1, 2, 3 ... within the case."""
    reason: str
    text: str
    """The reason as a clause."""


def takes_notes(rows: Sequence[CaseRow]) -> bool:
    """True where the strategy that made these rows quotes sentences of removed turns."""
    return any(row.request.ledger.notes for row in rows)


def reasons(row: CaseRow, *, notes: bool) -> tuple[Reason, ...]:
    """A reason for each missing fact and each stale one, by the turns that state it.

    ``notes`` says whether the strategy quotes sentences at all (``takes_notes``).
    """
    wanted: list[tuple[str, Fate]] = [(fact, "missing") for fact in row.grade.missing]
    wanted += [(fact, "stale") for fact in row.grade.stale]
    return tuple(found for fact, fate in wanted for found in _of(row, fact, fate, notes))


def _of(row: CaseRow, fact: str, fate: Fate, noting: bool) -> Iterator[Reason]:
    for turn in row.case.turns:
        if not _states(turn, fact):
            continue
        entry = row.request.ledger.turn(turn.number)
        assert entry is not None, "every turn has its entry"
        reason: str = entry.reason
        text = _TOLD[entry.reason].format(turn=turn.number)
        notes = [note for note in row.request.ledger.notes if _quotes(note, turn, fact)]
        if any(note.sent for note in notes):
            reason, text = "noted", f"a note quotes turn {turn.number}"
        elif notes:
            reason, text = "note-no-room", f"{text}, nor does the note of it"
        elif fate == "stale" and not entry.kept:
            continue
        elif noting and not entry.kept:
            text = f"{text}, and no note quotes it"
        yield Reason(fact=fact, fate=fate, turn=turn.number, reason=reason, text=text)


def _states(turn: Turn, fact: str) -> bool:
    return any(fact in text for item in turn.messages for text in item.texts())


def _quotes(note: NoteEntry, turn: Turn, fact: str) -> bool:
    if note.turn != turn.number:
        return False
    text = turn.messages[note.message].texts()[note.text]
    return fact in text[note.start : note.end]
