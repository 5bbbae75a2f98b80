"""The English words of the pages, kept in one catalogue for translation.

Templates name their texts with ``_`` or ``trans``; the closed sets of words that come from
records stand in ``TABLES``. Invariant: a record holds no sentence of ours, so a template
writes everything a reader reads, but for texts of users and of reports.
"""

from __future__ import annotations

import gettext
import os
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from palimpsest import reason_words
from palimpsest.bench.answers.grading import Verdict
from palimpsest.bench.case_file import Split
from palimpsest.bench.compare import Kind as Difference
from palimpsest.bench.compare import Verdict as Outcome
from palimpsest.bench.forgotten_stages import WORDS as MOMENTS
from palimpsest.bench.life import EventKind
from palimpsest.bench.sightings import PartKind
from palimpsest.errors import InputError
from palimpsest.ledger import PartName
from palimpsest.proposals import ACTIONS
from palimpsest.types import KINDS, ROLES
from palimpsest.web import budget, sweep_plots
from palimpsest.web.forgotten_block import SIGNS
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
    yield from (*MOMENTS.values(), *SIGNS)
    yield from (*budget.ORDER, budget.FREE, budget.BETWEEN, sweep_plots.QUOTA)
    for words in (Verdict, Outcome, Difference, EventKind, PartKind, PartName, Split):
        yield from get_args(words)


def translations(folder: Path, language: str) -> gettext.NullTranslations:
    """The catalogue of a language under ``folder``; English where it has none."""
    return gettext.translation("messages", folder, [language], fallback=True)


def spoken(folders: Sequence[Path], language: str | None) -> gettext.NullTranslations:
    """The catalogue of ``language``, else of the environment's first language that has one.

    English needs none. Raises InputError where ``language`` has none, or a file is damaged.
    """
    for name in [language] if language else _environment():
        tag = name.partition(".")[0].partition("@")[0].replace("-", "_")
        if tag.partition("_")[0].casefold() in ("en", "c", "posix"):
            break
        for folder in folders if re.fullmatch(r"\w+", tag) else ():
            if path := gettext.find("messages", folder, [tag]):
                return _read(Path(path))
    else:
        if language:
            known = ", ".join(sorted({"en", *_installed(folders)}))
            raise InputError(
                f"--language {language!r}: no catalogue; there are: {known}. One is a file "
                f"{folders[-1]}/LANGUAGE/LC_MESSAGES/messages.mo"
            )
    return gettext.NullTranslations()


def _environment() -> Sequence[str]:
    """The languages that the reader prefers, as gettext reads them."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if told := os.environ.get(name):
            return [one for one in told.split(":") if one]
    return ()


def _installed(folders: Sequence[Path]) -> Iterator[str]:
    for folder in folders:
        for path in folder.glob("*/LC_MESSAGES/messages.mo"):
            yield path.parts[-3]


def _read(path: Path) -> gettext.NullTranslations:
    try:
        with path.open("rb") as file:
            return gettext.GNUTranslations(file)
    except (OSError, ValueError, LookupError, struct.error) as error:
        raise InputError(f"{path}: is not a catalogue that can be read ({error})") from None
