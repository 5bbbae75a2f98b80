"""Makes the labels and checkpoints of a suite out of what an extractor proposed.

A turn has one label, so of several statements in one turn the one that changes later is
labelled; a line whose change cannot be labelled is listed no further, because a wrong label
costs more than a missing one. Invariant: what is listed at a checkpoint rests on labels alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.bench.label.conversations import Talk
from palimpsest.bench.label.proposing import Event, Proposed
from palimpsest.language.guess import languages_of
from palimpsest.types import Label, LabelOp

_LONG_AGO = 10
"""Turns since a statement from which on it is worth a checkpoint of its own."""
_MOST_POINTS = 12
_MOST_NAMED = 6
_LEAST_VALUE = 3
_QUESTIONS = {
    "en": ("What holds now about {names}?", "What do you know about me?"),
    "de": ("Was gilt jetzt zu {names}?", "Was weißt du über mich?"),
    "fr": ("Qu'est-ce qui vaut maintenant pour {names} ?", "Que sais-tu de moi ?"),
    "es": ("¿Qué vale ahora sobre {names}?", "¿Qué sabes de mí?"),
    "it": ("Che cosa vale adesso per {names}?", "Che cosa sai di me?"),
    "pt": ("O que vale agora sobre {names}?", "O que sabes de mim?"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One checkpoint, and why it stands there."""

    after: int
    question: str
    required: tuple[str, ...]
    stale: tuple[str, ...]
    deleted: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The labels by turn, the checkpoints, and what a person should look at."""

    labels: dict[int, Label]
    events: dict[int, Event]
    """The event behind each label."""
    points: tuple[Point, ...]
    notes: tuple[tuple[int, str], ...]
    """A turn and what was not labelled there."""


@dataclass(slots=True)
class _Line:
    """One attribute while the turns go by."""

    current: Event | None = None
    stale: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    sure: bool = True


def labelled(talk: Talk, proposed: Proposed) -> Labelled:
    """The labels and checkpoints of one conversation."""
    chosen, notes = _chosen(proposed)
    labels = {turn: _label(event, proposed, talk) for turn, event in chosen.items()}
    points = tuple(_points(talk, proposed, chosen))
    told = [*((turn, text) for turn, text in notes), *proposed.left]
    return Labelled(labels=labels, events=chosen, points=points, notes=tuple(sorted(told)))


def _chosen(proposed: Proposed) -> tuple[dict[int, Event], list[tuple[int, str]]]:
    """One event a turn: lines that change come first, then the earlier ones."""
    by_line: dict[int, list[Event]] = {}
    for event in proposed.events:
        by_line.setdefault(event.line, []).append(event)
    order = sorted(by_line, key=lambda line: (-_changes(by_line[line]), line))
    chosen: dict[int, Event] = {}
    notes: list[tuple[int, str]] = []
    for line in order:
        live = False
        for event in by_line[line]:
            taken = event.turn in chosen
            if taken and chosen[event.turn].line == line:
                continue
            if not live and event.op == "forget":
                continue
            if taken:
                notes.append((event.turn, _untold(event, proposed)))
                if live and event.op != "remember":
                    break  # from here on nobody knows what is current
                continue
            op: LabelOp = event.op if live else "remember"
            chosen[event.turn] = dataclasses.replace(event, op=op)
            live = op != "forget"
    return dict(sorted(chosen.items())), notes


def _changes(events: Sequence[Event]) -> int:
    return sum(event.op != "remember" for event in events)


def _untold(event: Event, proposed: Proposed) -> str:
    return (
        f"also {event.op} {proposed.attributes[event.line]!r}: {event.statement!r}; a turn has one "
        "label, so split the turn to label both"
    )


def _label(event: Event, proposed: Proposed, talk: Talk) -> Label:
    said = "\n".join(t.user for t in talk.turns if t.number <= event.turn)
    here = talk.turns[event.turn - 1].user
    words = said if event.op == "forget" else here
    value = event.value if event.value and event.value in words else None
    return Label(op=event.op, attribute=proposed.attributes[event.line], value=value)


def _points(talk: Talk, proposed: Proposed, chosen: dict[int, Event]) -> Iterator[Point]:
    """Checkpoints where something changed, where something was said long ago, and at the end."""
    last = talk.turns[-1].number
    wanted: dict[int, str] = {}
    for number, event in chosen.items():
        if event.op != "remember":
            wanted[number] = "corrected" if event.op == "correct" else "forgotten"
        elif number + _LONG_AGO <= last:
            wanted.setdefault(number + _LONG_AGO, "said long ago")
    wanted[last] = "the end"
    lines = [_Line() for _ in proposed.attributes]
    doubtful = _doubtful(proposed, chosen)
    kept = _spread(wanted)
    for turn in talk.turns:
        if turn.number in chosen:
            _go_on(lines[chosen[turn.number].line], chosen[turn.number])
        for line in doubtful.get(turn.number, ()):
            lines[line].sure = False
        if turn.number in kept and (
            made := _point(talk, turn.number, lines, proposed, kept[turn.number])
        ):
            yield made


def _spread(wanted: dict[int, str]) -> dict[int, str]:
    """The checkpoints that are kept: changes before what is only old, and always the end."""
    rank = {"forgotten": 0, "corrected": 1, "said long ago": 2}
    best = sorted(wanted, key=lambda turn: (rank.get(wanted[turn], -1), turn))
    return {turn: wanted[turn] for turn in best[:_MOST_POINTS]}


def _doubtful(proposed: Proposed, chosen: dict[int, Event]) -> dict[int, list[int]]:
    """By turn, the lines that change there without a label."""
    found: dict[int, list[int]] = {}
    for event in proposed.events:
        label = chosen.get(event.turn)
        if event.op != "remember" and (label is None or label.line != event.line):
            found.setdefault(event.turn, []).append(event.line)
    return found


def _go_on(line: _Line, event: Event) -> None:
    old = line.current
    if event.op == "forget":
        gone = (*line.stale, *((old.statement,) if old else ()))
        value = (old.value if old else None) or ""
        line.deleted = (*line.deleted, value if len(value) >= _LEAST_VALUE else gone[-1])
        line.current, line.stale = None, ()
        return
    if event.op == "correct" and old is not None:
        line.stale = (*line.stale, old.statement)
    line.current = event


def _point(
    talk: Talk, after: int, lines: Sequence[_Line], proposed: Proposed, why: str
) -> Point | None:
    """What holds after a turn, without what cannot be graded by its exact text."""
    said = "\n".join(t.user for t in talk.turns[:after])
    framed = talk.instructions or ""
    named = [
        (proposed.attributes[i], line.current.statement)
        for i, line in enumerate(lines)
        if line.sure and line.current and line.current.statement in said
        and line.current.statement not in framed
    ]  # fmt: skip
    required = tuple(dict.fromkeys(fact for _, fact in named))
    stale = _listed((f for ln in lines if ln.sure for f in ln.stale), said, framed, required)
    deleted = _listed((f for ln in lines if ln.sure for f in ln.deleted), said, framed, required)
    deleted = tuple(fact for fact in deleted if fact not in stale)
    if not (required or stale or deleted):
        return None
    facts = (*required, *stale, *deleted)
    return Point(
        after=after, question=_question(talk, [name for name, _ in named], facts),
        required=required, stale=stale, deleted=deleted, why=why,
    )  # fmt: skip


def _listed(
    facts: Iterable[str], said: str, framed: str, required: Sequence[str]
) -> tuple[str, ...]:
    """Replaced or forgotten texts that no current one holds."""
    return tuple(
        fact
        for fact in dict.fromkeys(facts)
        if fact in said and fact not in framed and not any(fact in other for other in required)
    )


def _question(talk: Talk, names: Sequence[str], facts: Sequence[str]) -> str:
    said = "\n".join(turn.user for turn in talk.turns[-20:])
    likely = [code for code in languages_of(said) if code in _QUESTIONS]
    about, plain = _QUESTIONS[likely[0] if likely else "en"]
    listed = ", ".join(name.replace("-", " ") for name in names[:_MOST_NAMED])
    asked = about.format(names=listed) if listed else plain
    return plain if any(fact in asked for fact in facts) else asked
