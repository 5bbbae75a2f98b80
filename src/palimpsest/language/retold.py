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

from palimpsest.language.compound import clauses, going
from palimpsest.language.content_words import content_words
from palimpsest.language.occurrences import Span
from palimpsest.language.sentences import sentence_spans
from palimpsest.language.word_list import folded

_SPEAKS = re.compile(
    r"\b(?:i|je|ich|yo|io|eu|soy|estoy|tengo|sono|ho|sou|estou|tenho)\b|\bj'", re.IGNORECASE
)
"""Words of six languages by which somebody speaks of themselves."""
_TELLING = 4
"""Letters of a stem by which a text is ruled out without being read."""


class Retold:
    """Statements without a value, looked for together."""

    def __init__(self, statements: Iterable[str], current: Iterable[str] = ()) -> None:
        self._told = frozenset(filter(None, map(content_words, statements)))
        words = map(content_words, current) if self._told else ()
        self._kept = frozenset(
            kept for kept in words if any(told <= kept for told in self._told)
        )  # fmt: skip
        self._stems = [[w[:-1] for w in told if len(w) >= _TELLING] for told in self._told]

    def may_hold(self, stored: str) -> bool:
        """False where a quick look shows that none of them is told."""
        if not self._told:
            return False
        looked = folded(stored)
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
        words = content_words(said)
        return any(told <= words for told in self._told) and not any(
            kept <= words for kept in self._kept
        )


def _sentences(text: str) -> Iterator[Span]:
    return (Span(start, end) for start, end in sentence_spans(text))
