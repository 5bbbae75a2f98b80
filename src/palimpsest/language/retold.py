"""Where a statement that names no value is told again in other words: "so you are diabetic".

"I am diabetic" has no number, name or day to look for, and what an assistant makes of it has
none of its words in their order. It is told again where one clause, or one sentence, holds all
its content words. Invariant: a clause that holds the words of a statement which stays, and so
may speak of that one ("your sister is diabetic"), is none; of the user's own words only what
they say of themselves is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from palimpsest.language.compound import clauses, going
from palimpsest.language.content_words import content_in
from palimpsest.language.guess import languages_of
from palimpsest.language.occurrences import Span
from palimpsest.language.sentences import sentence_spans
from palimpsest.language.surface_forms.fold import squeezed

_SPEAKS = re.compile(
    r"\b(?:i|je|ich|yo|io|eu|soy|estoy|tengo|sono|ho|sou|estou|tenho)\b|\bj'", re.IGNORECASE
)
"""Words of six languages by which somebody speaks of themselves."""
_BESIDE = 1
"""Content words that the user may say beside a statement: with more it is another thing."""
_TELLING = 4
"""Letters of a stem by which a text is ruled out without being read."""


class _Told(NamedTuple):
    """A statement, and the language that it and what tells it again are read in."""

    text: str
    language: str | None

    @property
    def words(self) -> frozenset[str]:
        """Its content words."""
        return _words(self.text, self.language)


def _words(text: str, language: str | None) -> frozenset[str]:
    return frozenset(content_in(text, language))


class Retold:
    """Statements without a value, looked for together."""

    def __init__(self, statements: Iterable[str], current: Iterable[str] = ()) -> None:
        told = (_Told(text, next(iter(languages_of(text)), None)) for text in statements)
        self._told = tuple(dict.fromkeys(one for one in told if one.words))
        self._stems = [
            [squeezed(w[:-1]) for w in one.words if len(w) >= _TELLING] for one in self._told
        ]
        # A quick look first: there may be many thousand, and few that hold these words.
        texts = tuple(text for text in current if self.may_hold(text))
        self._kept = {
            language: [_words(text, language) for text in texts]
            for language in {one.language for one in self._told}
        }

    def may_hold(self, stored: str) -> bool:
        """False where a quick look shows that none of them is told."""
        if not self._told:
            return False
        looked = squeezed(stored)
        return any(all(stem in looked for stem in stems) for stems in self._stems)

    def spans(self, text: str, *, own: bool = False, asking: bool = False) -> tuple[Span, ...]:
        """The clauses that tell one of them; ``own`` words are the user's, who may be ``asking``.

        Who asks that it be forgotten says it of themselves, with or without an "I".
        """
        if not self.may_hold(text):
            return ()
        parts = [part for part in clauses(text) if self._tells(text, part, own and not asking)]
        held = parts or [
            whole for whole in _sentences(text) if self._tells(text, whole, own and not asking)
        ]
        return going(text, held) if held else ()

    def _tells(self, text: str, part: Span, own: bool) -> bool:
        said = text[part.start : part.end]
        if own and not _SPEAKS.search(said):
            return False
        return any(self._is_told(one, _words(said, one.language), own) for one in self._told)

    def _is_told(self, one: _Told, said: frozenset[str], own: bool) -> bool:
        if not one.words <= said or (own and len(said - one.words) > _BESIDE):
            return False
        return not any(one.words <= kept <= said for kept in self._kept[one.language])


def _sentences(text: str) -> Iterator[Span]:
    return (Span(start, end) for start, end in sentence_spans(text))
