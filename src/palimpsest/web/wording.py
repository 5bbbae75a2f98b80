"""The English words of the pages, kept in one catalogue for translation.

Templates name their texts with ``_`` or ``trans``; the closed sets of words that come from
records stand in ``TABLES``. Invariant: a record holds no sentence of ours, so a template
writes everything a reader reads, but for texts of users and of reports.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from palimpsest import reason_words
from palimpsest.bench.answers.grading import Verdict
from palimpsest.bench.case_file import Split
from palimpsest.bench.compare import Kind as Difference
from palimpsest.bench.compare import Verdict as Outcome
from palimpsest.bench.life import EventKind
from palimpsest.bench.sightings import PartKind
from palimpsest.ledger import PartName
from palimpsest.proposals import ACTIONS
from palimpsest.types import KINDS, ROLES
from palimpsest.web import budget, sweep_plots
from palimpsest.web.marks import MARKS

LOCALE = Path(__file__).parent / "locale"
"""``messages.pot`` and, one folder a language, translations of it."""
STATES = ("current", "replaced", "pinned", "hedged", "all")
"""The filters of the memories."""
LOST = ("rows", "story", "turns", "spans", "memories", "wordings", "verdicts", "notes", "requests")
"""What a forget counts."""
SETTLED = ("undone", "accepted", "dismissed")
PROVENANCE = (
    "suite", "settings", "tokenizer", "window in tokens", "answer in tokens", "margin in tokens",
    "request budget in tokens", "facts quota in tokens", "palimpsest", "python", "sqlite",
    "case set", "grader",
)  # fmt: skip


def tables() -> Iterator[str]:
    """Every word that a template takes from a record and translates."""
    yield from (mark.word for mark in MARKS.values())
    yield from reason_words.MEMORY.values()
    yield from reason_words.TURN.values()
    yield from (*ACTIONS, *SETTLED, *LOST, *KINDS, *ROLES, *STATES, *PROVENANCE)
    yield from (*budget.ORDER, budget.FREE, budget.BETWEEN, sweep_plots.QUOTA)
    for words in (Verdict, Outcome, Difference, EventKind, PartKind, PartName, Split):
        yield from get_args(words)


def translations(folder: Path, language: str) -> gettext.NullTranslations:
    """The catalogue of a language under ``folder``; English where it has none."""
    return gettext.translation("messages", folder, [language], fallback=True)
