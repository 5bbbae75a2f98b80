"""The ledger of misses: each fact that an extractor cost or leaked, and what became of its turn.

A person reads in it why a fact is not there: the turn, the sentence, and each verdict on
what was proposed from it, or that nothing was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from palimpsest.bench import life
from palimpsest.bench.replay import Replayed
from palimpsest.bench.suite import Suite, SuiteTurn
from palimpsest.language.sentences import sentence_spans
from palimpsest.proposals import Verdict

MissKind = Literal["missing", "stale", "forgotten"]
_WIDEST = 160
"""Characters of a sentence that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """One fact of one strategy that is not as its checkpoints ask."""

    strategy: str
    fact: str
    kind: MissKind
    after: tuple[int, ...]
    """The checkpoints at which it is so."""
    turn: int | None
    """The turn that stated it, or the one that should have ended it."""
    sentence: str
    outcome: tuple[str, ...]
    """What became of each proposal of that turn; never empty."""


def misses(suite: Suite, run: Replayed) -> tuple[Miss, ...]:
    """The misses of a run that an extractor fed, in the order of their checkpoints.

    ``suite`` has its labels where there are any: they say which turn ended a fact.
    """
    found: dict[tuple[str, str, MissKind, int | None], list[int]] = {}
    for strategy, rows in run.rows.items():
        for row in rows:
            listed: Mapping[MissKind, tuple[str, ...]] = {
                "missing": row.grade.missing,
                "stale": row.grade.stale,
                "forgotten": row.grade.deleted,
            }
            for kind, facts in listed.items():
                for fact in facts:
                    turn = _turn(suite, fact, kind, row.after)
                    found.setdefault((strategy, fact, kind, turn), []).append(row.after)
    return tuple(
        Miss(
            strategy=strategy,
            fact=fact,
            kind=kind,
            after=tuple(after),
            turn=turn,
            sentence="" if turn is None else _sentence(suite.turns[turn - 1], fact),
            outcome=tuple(_outcome(run, kind, turn, after[-1])),
        )
        for (strategy, fact, kind, turn), after in found.items()
    )


def _turn(suite: Suite, fact: str, kind: MissKind, after: int) -> int | None:
    """The newest turn that states a missing fact; the one that ended a leaking one."""
    if kind != "missing":
        end = life.end_of(suite, fact, after)
        if end is not None:
            return end.turn
    said = [item.number for item in suite.turns[:after] if fact in item.turn.user]
    return said[-1] if said else None


def _sentence(item: SuiteTurn, fact: str) -> str:
    """The sentence that holds the fact, or what the user said where none does."""
    text = item.turn.user
    at = text.find(fact)
    if at >= 0:
        spans = [s for s in sentence_spans(text) if s[0] < at + len(fact) and at < s[1]]
        if spans:
            text = text[spans[0][0] : spans[-1][1]]
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else text[:_WIDEST] + "..."


def _outcome(run: Replayed, kind: MissKind, turn: int | None, after: int) -> Iterator[str]:
    reading = next((one for one in run.readings if one.turn == turn), None)
    if reading is None:
        yield "no turn of the user states it"
    elif reading.status != "done":
        yield f"the reading failed: {reading.error}"
    elif not reading.verdicts:
        yield "proposed nothing"
    else:
        yield from (
            f"{_told(verdict)}{_fate(run, kind, verdict, after)}" for verdict in reading.verdicts
        )


def _told(verdict: Verdict) -> str:
    where = f", memory {verdict.memory}" if verdict.memory is not None else ""
    text = verdict.text if len(verdict.text) <= _WIDEST else verdict.text[:_WIDEST] + "..."
    said = f" {text!r}" if text else ""
    return f"{verdict.action} ({verdict.rule}{where}){said}"


def _fate(run: Replayed, kind: MissKind, verdict: Verdict, after: int) -> str:
    """Where the memory of a verdict was when the request was built."""
    if verdict.memory is None or verdict.action == "forget":
        return ""
    if any(row.id == verdict.memory for row in run.facts["managed", after]):
        quota = ", but newer ones took the facts quota" if kind == "missing" else ""
        return f"; current at the checkpoint{quota}"
    for reading in run.readings:
        for later in reading.verdicts:
            if verdict.turn < reading.turn <= after and verdict.memory == later.other:
                return f"; {later.action} ({later.rule}) at turn {reading.turn} took its place"
    return "; gone by the checkpoint"
