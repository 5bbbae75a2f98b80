"""How confident candidates say they are, by band, and what a band without any allows to conclude.

Candidates are counted before any filter. A zero count refutes little by itself: the share that it
leaves possible follows from how many candidates there were. Invariant: every candidate is counted
in one band, those without a confidence in one of their own, which no share is taken of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from palimpsest.bench.report_schema import SCHEMA
from palimpsest.bench.suite import Suite
from palimpsest.config import Config
from palimpsest.engine import Memory
from palimpsest.proposals import Extraction, Seen
from palimpsest.protocols import Extractor
from palimpsest.types import Turn

EDGES = (0.0, 0.60, 0.85)
"""Where bands begin; 0.85 was the limit that was measured to filter nothing."""
UNLIKELY = 0.05
"""A share is taken as refuted where what was seen had this chance under it."""
RATE = 0.15
"""The share whose chance to show nothing is printed beside the bound."""

Graded = tuple[str, str, str]
Step = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Candidates whose confidence is ``least`` or more and under the next band's."""

    least: float
    count: int
    of: int
    """All candidates that told a confidence."""

    @property
    def bound(self) -> float | None:
        """The largest true share that a count of zero does not refute; ``None`` with any."""
        if self.count or not self.of:
            return None
        return float(1.0 - UNLIKELY ** (1.0 / self.of))

    def chance(self, rate: float) -> float | None:
        """How likely a zero count was, had the true share been ``rate``; ``None`` with any."""
        return None if self.count or not self.of else float((1.0 - rate) ** self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """Exchanges of one grade, and how many of them brought a candidate."""

    name: str
    read: int
    candidates: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands:
    """The candidates of one source."""

    bands: tuple[Band, ...]
    untold: int
    """Candidates without a confidence."""
    grades: tuple[Grade, ...] = ()


class _Listening:
    """An extractor that keeps the confidences of what another one proposes."""

    def __init__(self, inner: Extractor) -> None:
        self._inner = inner
        self.trusted = inner.trusted
        self.heard: list[float | None] = []

    def extract(self, seen: Seen, config: Config) -> Extraction:
        found = self._inner.extract(seen, config)
        self.heard += [proposal.confidence for proposal in found.proposals]
        return found

    def __getattr__(self, name: str) -> Any:
        # What else an extractor may offer (the most tokens of a call, say) is that of the inner.
        return getattr(self._inner, name)


def exchanges() -> tuple[Graded, ...]:
    """The built-in exchanges: grade, what the user says, what is answered."""
    text = (resources.files(__package__) / "graded_exchanges.tsv").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        grade, user, assistant = line.split("\t")
        found.append((grade, user, assistant))
    return tuple(found)


def of_exchanges(
    extractor: Extractor, config: Config, *, draws: int, step: Step | None = None
) -> Bands:
    """Read every built-in exchange by itself, ``draws`` times."""
    heard: list[float | None] = []
    told: dict[str, list[tuple[int, bool]]] = {}
    todo = [(draw, *one) for draw in range(draws) for one in exchanges()]
    for at, (_draw, grade, user, assistant) in enumerate(todo, 1):
        ear = _Listening(extractor)
        with Memory.open(":memory:", config=config) as memory:
            talk = memory.conversation(user="measure", id="exchange")
            talk.observe(user=user, assistant=assistant)
            (reading,) = talk.reflect(extractor=ear)
        told.setdefault(grade, []).append((len(ear.heard), reading.status == "failed"))
        heard += ear.heard
        if step is not None:
            step("exchanges", at, len(todo))
    grades = tuple(
        Grade(
            name=name, read=len(seen), candidates=sum(many > 0 for many, _ in seen),
            failed=sum(failed for _, failed in seen),
        )
        for name, seen in told.items()
    )  # fmt: skip
    return _banded(heard, grades)


def of_suite(suite: Suite, extractor: Extractor, config: Config, step: Step | None = None) -> Bands:
    """Read the turns of a suite one after the other, as a conversation is read."""
    ear, failed = _Listening(extractor), 0
    with Memory.open(":memory:", config=config) as memory:
        talk = memory.conversation(user="bench", id=suite.name)
        many = 0
        for at, item in enumerate(suite.turns, 1):
            before = len(ear.heard)
            failed += _read(talk.observe_turn, talk.reflect, item.turn, ear)
            many += len(ear.heard) > before
            if step is not None:
                step(suite.name, at, len(suite.turns))
    grade = Grade(name="turns", read=len(suite.turns), candidates=many, failed=failed)
    return _banded(ear.heard, (grade,))


def _read(
    observe: Callable[[Turn], Turn], reflect: Callable[..., Sequence[Any]], turn: Turn,
    ear: _Listening,
) -> int:  # fmt: skip
    observe(turn)
    return sum(reading.status == "failed" for reading in reflect(extractor=ear))


def of_memories(confidences: Iterable[float | None]) -> Bands:
    """Over the memories of a store: only what passed the filters is there to be counted."""
    return _banded(confidences, ())


def _banded(heard: Iterable[float | None], grades: tuple[Grade, ...]) -> Bands:
    listed = list(heard)
    told = [value for value in listed if value is not None]
    ends = (*EDGES[1:], float("inf"))
    return Bands(
        bands=tuple(
            Band(least=least, count=sum(least <= v < end for v in told), of=len(told))
            for least, end in zip(EDGES, ends, strict=True)
        ),
        untold=len(listed) - len(told), grades=grades,
    )  # fmt: skip


def as_json(source: str, found: Bands, rate: float) -> dict[str, Any]:
    """The bands as JSON."""
    return {
        "schema": SCHEMA, "source": source, "untold": found.untold, "rate": rate,
        "bands": [
            {"from": band.least, "count": band.count, "of": band.of, "bound": band.bound,
             "chance": band.chance(rate)}
            for band in found.bands
        ],
        "grades": [
            {"name": grade.name, "read": grade.read, "candidates": grade.candidates,
             "failed": grade.failed}
            for grade in found.grades
        ],
    }  # fmt: skip
