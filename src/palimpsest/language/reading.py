"""Reads one sentence: its language, its values, and what it says to be replaced.

Invariant: a pure function of the sentence and the packs, so that readings may be kept.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.language.invisible import without_invisible
from palimpsest.language.packs import Pack
from palimpsest.language.replacing import (
    Replacement,
    is_question,
    is_request,
    replacements,
)
from palimpsest.language.topics import (
    Span,
    Value,
    Word,
    commonness,
    numbers,
    topic,
    topic_words,
    values,
)
from palimpsest.language.values import LONGEST
from palimpsest.language.words_of import any_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one sentence says, as its language pack sees it."""

    text: str
    """The sentence without invisible characters; the offsets below are into it."""
    pack: Pack
    values: tuple[Value, ...]
    numbers: tuple[Value, ...]
    """Numbers that stand alone: values only where a correction names them."""
    words: tuple[Word, ...]
    """The words that say what it is about, those of its values too."""
    replacements: tuple[Replacement, ...]
    asks: bool
    """True for a question that orders nothing."""
    marked: bool
    """True where a word marks a decision or gives a name."""

    @property
    def pasted(self) -> bool:
        """True for a line that is too long to be somebody's sentence."""
        return len(self.text) > LONGEST

    @property
    def exact(self) -> bool:
        """True where it states an identifier, a quantity or a date."""
        return any(value.kind != "name" for value in self.values)

    @property
    def stated(self) -> tuple[Value, ...]:
        """Every value and bare number, in order."""
        return tuple(sorted((*self.values, *self.numbers)))

    def topic(self, without: Sequence[Span] = (), within: Span | None = None) -> frozenset[str]:
        """What it is about, outside some spans and inside one."""
        start, end = within or (0, len(self.text))
        return topic([w for w in self.words if start <= w.start < end], without)

    def at(self, span: Span) -> str:
        """The characters of a span."""
        return self.text[span[0] : span[1]]


@functools.lru_cache(maxsize=65_536)
def read(sentence: str, packs: tuple[Pack, ...]) -> Reading:
    """Read a sentence under the pack that knows most of its words.

    One of more than ``values.LONGEST`` characters is a pasted document and states nothing.
    """
    text = without_invisible(sentence)
    if len(text) > LONGEST:
        return Reading(
            text=text, pack=packs[0], values=(), numbers=(), words=(), replacements=(), asks=False,
            marked=False,
        )  # fmt: skip
    pack = max(packs, key=lambda one: commonness(text, one))
    stated = values(text, pack)
    return Reading(
        text=text, pack=pack, values=stated, numbers=numbers(text, stated),
        words=topic_words(text, pack), replacements=replacements(text, pack),
        asks=is_question(text) and not is_request(text, pack),
        marked=bool(_marks(pack).search(text)),
    )  # fmt: skip


@functools.cache
def _marks(pack: Pack) -> re.Pattern[str]:
    return any_of((*pack.cues, *pack.naming))
