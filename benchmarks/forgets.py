"""Forgets at scale: the suite's gate, a thousand random conversations, and the time of one forget.

Invariant: the conversations are those of fixed seeds, ten of them in each store.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from palimpsest import Memory
from palimpsest.bench.forget_suite import drawn, report
from palimpsest.protocols import Counter
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.estimate import Estimate
from palimpsest.tokens.prepared import load

CONVERSATIONS = 1000
SHARED = 10
MANY = 10_000
LIMIT_S = 1.0
"""Seconds of a forget among 10,000 memories and 10,000 turns (issue 6, point 8)."""
_WORDS = [
    "the",
    "garden",
    "was",
    "quiet",
    "and",
    "we",
    "talked",
    "about",
    "the",
    "river",
    "again",
    "because",
    "my",
    "sister",
    "likes",
    "it",
    "there",
]
_VALUES = (("4417", "My PIN is 4417."), ("Ana Ruiz", "My doctor is Ana Ruiz."),
           ("3 May 2031", "The deadline is 3 May 2031."))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgets:
    """Everything that was measured."""

    cases: int
    held: int
    short: tuple[str, ...]
    """Kinds that fall short of their gate."""
    conversations: int
    forgets: int
    faults: tuple[str, ...]
    seconds: dict[str, float]
    """By value: one forget among many."""


def measure(step: Callable[[int, int], None] = lambda at, of: None) -> Forgets:
    """Run everything."""
    counter = TokenCounter(load("gemma-4-e2b"))
    # Its cases hold tool calls, which the frame of that tokenizer refuses.
    outcomes = report.run(TokenCounter(Estimate()))
    figures = report.figures(outcomes)
    forgets, faults = _conversations(counter, step)
    return Forgets(
        cases=len(outcomes), held=sum(outcome.held for outcome in outcomes),
        short=tuple(f"{f.kind} ({f.split}) {f.held}/{f.cases}" for f in figures if not f.passes),
        conversations=CONVERSATIONS, forgets=forgets, faults=tuple(faults),
        seconds={value: _seconds(value, said) for value, said in _VALUES},
    )  # fmt: skip


def _conversations(counter: Counter, step: Callable[[int, int], None]) -> tuple[int, list[str]]:
    forgets, faults = 0, []
    for first in range(0, CONVERSATIONS, SHARED):
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            with Memory.open(place / "m.db", counter=counter) as memory:
                for seed in range(first, first + SHARED):
                    made = drawn.play(memory, seed, place=place)
                    forgets += made.forgets
                    faults += [f"seed {seed}: {fault}" for fault in made.faults]
                    step(seed, CONVERSATIONS)
    return forgets, faults


def _seconds(value: str, said: str) -> float:
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as name, Memory.open(Path(name) / "m.db") as memory:
        talk = memory.conversation(user="u", id="c")
        with memory._store.transaction():
            for number in range(MANY):
                user, reply = (" ".join(draw.choices(_WORDS, k=30)) for _ in range(2))
                talk.append(user=user, assistant=reply)
                talk.remember(f"{' '.join(draw.choices(_WORDS, k=8))} {number}")
        (turn,) = talk.append(user=said, assistant=f"Noted: {value}.")
        talk.remember(said, attribute="it", value=value, turn=turn.number)
        start = time.perf_counter()
        talk.forget(attribute="it")
        return time.perf_counter() - start


def table(found: Forgets) -> Table:
    """The figures side by side."""
    made = Table("forgets", title="without a model")
    made.add_column("", justify="right")
    made.add_row("cases of the forget suite that hold", f"{found.held} of {found.cases}")
    made.add_row("random conversations", f"{found.conversations:,}")
    made.add_row("forgets in them", f"{found.forgets:,}")
    made.add_row("forgotten, stale or missing values", str(len(found.faults)))
    for value, seconds in found.seconds.items():
        made.add_row(f"forget {value!r} among {MANY:,} memories and turns", f"{seconds:.2f} s")
    return made


def over(found: Forgets) -> list[str]:
    """What is over a limit of the issue."""
    return [
        *(f"forget suite: {kind}" for kind in found.short),
        *(f"random conversation, {fault}" for fault in found.faults),
        *(f"forget {value!r}: {seconds:.2f} s (limit {LIMIT_S:g})"
          for value, seconds in found.seconds.items() if seconds > LIMIT_S),
    ]  # fmt: skip
