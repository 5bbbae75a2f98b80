"""Where one request holds a fact, or why it does not: read from its messages and ledger.

Every answer comes from what was built. A fact that is absent has one reason for each copy
that the conversation or the store has of it, so "why is it missing?" is never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.bench.grade import forms_of, places_of, text_of
from palimpsest.bench.life import end_of
from palimpsest.bench.replay import Entrant, Replayed, Row
from palimpsest.ledger import TurnEntry
from palimpsest.types import Memory, Role, Turn, spoken

PartKind = Literal["instructions", "turn", "facts", "notes", "question"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One message of a request that holds the fact."""

    message: int
    """Its index in the request."""
    role: Role
    part: PartKind
    turn: int | None = None
    """The turn that the message belongs to, where it is one of a turn."""
    line: str | None = None
    """The quoted line, where it stands in the block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """Why one copy of the fact is not in a request."""

    code: str
    text: str
    turn: int | None = None
    memory: int | None = None


def sightings(run: Replayed, row: Row, fact: str) -> tuple[Sighting, ...]:
    """Every message of a request that holds a fact."""
    sent = row.request.sent
    places = places_of(fact, [text_of(message) for message in sent], run.frame.markers)
    return tuple(found for i in places for found in _parts(run, row, fact, i))


def absences(run: Replayed, entrant: Entrant, row: Row, fact: str) -> tuple[Absence, ...]:
    """Why a fact is in no message: first its turns, then its memories or notes."""
    said = [item.turn for item in run.suite.turns[: row.after] if says(item.turn, fact)]
    found = list(_turn_absences(row, said))
    if entrant.strategy.memory:
        found += _memory_absences(run, entrant, row, fact)
    elif entrant.spec.name == "notes":
        found += _note_absences(row, said)
    return tuple(found)


def says(turn: Turn, fact: str) -> bool:
    """True where any text of a turn holds the fact as it is written."""
    return any(fact in text_of(message) for message in turn.messages)


def _parts(run: Replayed, row: Row, fact: str, place: int) -> Iterator[Sighting]:
    message = row.request.sent[place]
    if message.role == "system":
        yield Sighting(message=place, role="system", part="instructions")
        return
    text = text_of(message)
    if place == _last_words(row):
        before, lines, text = _block(run, text)
        kind: PartKind = "notes" if row.request.ledger.parts.get("notes") else "facts"
        for line in lines:
            if _holds(run, line, fact):
                yield Sighting(message=place, role=message.role, part=kind, line=line)
        if lines and not _holds(run, before + "\n" + text, fact):
            return
    number = _turn_at(run, row, place, fact)
    part: PartKind = "question" if number is None else "turn"
    yield Sighting(message=place, role=message.role, part=part, turn=number)


def _holds(run: Replayed, text: str, fact: str) -> bool:
    return any(form in text for form in forms_of(fact, run.frame.markers))


def _last_words(row: Row) -> int:
    said = [i for i, m in enumerate(row.request.sent) if spoken(m)]
    return said[-1] if said else -1


def _block(run: Replayed, text: str) -> tuple[str, list[str], str]:
    """What stands before the quoted lines, the lines, and what stands behind them."""
    settings = run.config.context
    for header in (settings.memory_header, settings.notes_header):
        before, opening, rest = text.partition(f"{header}\n<{settings.block}>\n")
        lines, closing, behind = rest.partition(f"\n</{settings.block}>\n")
        if opening and closing:
            return before, lines.split("\n"), behind
    return "", [], text


def _turn_at(run: Replayed, row: Row, place: int, fact: str) -> int | None:
    """The turn of a message: by position, or by its words where a template reshaped them."""
    kept = [
        run.suite.turns[number - 1].turn
        for entry in row.request.ledger.turns
        if entry.kept
        for number in range(entry.first, entry.last + 1)
    ]
    asked = next(p.question for p in run.suite.checkpoints if p.after == row.after)
    head = 1 if row.request.sent[0].role == "system" else 0
    owners = [turn.number for turn in kept for _ in turn.messages]
    if head + len(owners) + (asked is not None) == len(row.request.sent):
        return owners[place - head] if place - head < len(owners) else None
    return next((turn.number for turn in kept if says(turn, fact)), None)


def _turn_absences(row: Row, said: Sequence[Turn]) -> Iterator[Absence]:
    first_out = next(
        (e.first for e in reversed(row.request.ledger.turns) if e.reason == "no-room"),
        None,
    )
    for turn in said:
        entry = row.request.ledger.turn(turn.number)
        if entry is not None:
            yield _turn_absence(turn.number, entry, first_out)


def _turn_absence(number: int, entry: TurnEntry, first_out: int | None) -> Absence:
    if entry.kept and entry.redacted:
        text = f"turn {number} is sent with its words redacted"
        return Absence(code="turn:redacted", text=text, turn=number)
    if entry.kept:
        # An interim tool result, for instance, gives way to the final one.
        text = f"turn {number} is sent without the message that says it"
        return Absence(code="turn:other-message", text=text, turn=number)
    text = {
        "no-room": f"turn {number} is the first that did not fit",
        "behind-no-room": f"turn {number} is behind turn {first_out}, which did not fit",
        "template": f"turn {number} cannot be sent through this chat template",
        "no-match": f"turn {number} shares no word with the question",
        "step": f"turn {number} went with its block of turns",
    }[entry.reason]
    return Absence(code=f"turn:{entry.reason}", text=text, turn=number)


def _memory_absences(run: Replayed, entrant: Entrant, row: Row, fact: str) -> Iterator[Absence]:
    stored = [m for m in run.facts[entrant.policy, row.after] if fact in m.text]
    for memory in stored:
        yield _memory_absence(run, row, memory)
    if stored:
        return
    end = end_of(run.suite, fact, row.after)
    if entrant.policy == "managed" and end is not None and end.kind == "forgotten":
        yield Absence(code="memory:deleted", text=f"its memory was deleted at turn {end.turn}")
    else:
        yield Absence(code="memory:none", text="no memory states it")


def _memory_absence(run: Replayed, row: Row, memory: Memory) -> Absence:
    entry = row.request.ledger.memory(memory.id)
    reason = entry.reason if entry is not None else "superseded"
    tokens = entry.tokens if entry is not None else None
    size = f" ({tokens} tokens)" if tokens is not None else ""
    if entry is not None and entry.seated:
        text = f"memory #{memory.id} is seated ({reason})"
        return Absence(code=f"memory:{reason}", text=text, turn=memory.turn, memory=memory.id)
    text = {
        "no-room": f"memory #{memory.id}{size} found no room in the facts quota",
        "behind-no-room": f"memory #{memory.id} is behind the end of the facts quota",
        "no-seat": f"memory #{memory.id} found every seat taken",
        "ended": f"memory #{memory.id} had ended: its validity was over",
        "forget-pending": f"memory #{memory.id} may be meant by a request to forget that waits",
        "superseded": f"memory #{memory.id} was superseded by #{memory.superseded_by}",
        "not-a-memory-strategy": f"memory #{memory.id} is not read by this strategy",
    }.get(reason, f"memory #{memory.id} was not sent ({reason})")
    return Absence(code=f"memory:{reason}", text=text, turn=memory.turn, memory=memory.id)


def _note_absences(row: Row, said: Sequence[Turn]) -> Iterator[Absence]:
    for turn in said:
        entry = row.request.ledger.turn(turn.number)
        if entry is not None and entry.kept:
            continue
        notes = [note for note in row.request.ledger.notes if note.turn == turn.number]
        if not notes:
            text = f"no cue word makes a note of turn {turn.number}"
            yield Absence(code="note:no-cue", text=text, turn=turn.number)
        elif not any(note.sent for note in notes):
            text = f"the note of turn {turn.number} found no room"
            yield Absence(code="note:no-room", text=text, turn=turn.number)
        else:
            text = f"the note of turn {turn.number} quotes another sentence"
            yield Absence(code="note:other-sentence", text=text, turn=turn.number)
