"""Where a statement that names no value is told again in other words: "so you are diabetic".

"I am diabetic" has no number, name or day to look for, and what an assistant makes of it has
none of its words in their order. It is told again where one clause, or one sentence, holds all
its content words. Invariant: a clause that holds the words of a statement which stays, and so
may speak of that one ("your sister is diabetic"), is none; of the user's own words only what
they say of themselves is.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from palimpsest.language.compound import clauses, going
from palimpsest.language.occurrences import Span
from palimpsest.language.polarity import flipped
from palimpsest.language.sentences import sentence_spans
from palimpsest.language.surface_forms.fold import squeezed
from palimpsest.language.telling import (
    Told,
    asks,
    denies,
    is_known_later,
    is_of_reader,
    is_of_speaker,
    told_in,
    words_in,
)

By = Literal["anybody", "user", "now", "again", "others", "either"]
"""Whose words a text is, and so which of its clauses tell a statement of the user.

``anybody``: every one, as in the program's own texts. ``user``: what the user said of themselves
or asked to forget, and little else. ``now``: what the user, or the application, says of the user.
``again``: of that, what says little else and so states it again.
``others``: what speaks of its reader. ``either``: what is the user's or the others'.
"""
_BESIDE = 1
"""Content words that the user may say beside a statement: with more it is another thing."""
_TELLING = 4
"""Letters of a stem by which a text is ruled out without being read."""
_FEW = 16
"""Statements that are looked for one by one; of more, those that begin like a part of the text."""
_START = 3
_PIECES = re.compile(r"[,;:.!?\u2013\u2014]+")
_PLAIN = re.compile(r"[a-z]+")


class Retold:
    """Statements without a value, looked for together."""

    def __init__(
        self, statements: Iterable[str | Told], current: Iterable[str] = (), *,
        beside: Iterable[str] = (), replaced: bool = False,
    ) -> None:  # fmt: skip
        """``current`` statements stay. ``beside`` are clauses that say more, of somebody else;

        of ``replaced`` statements the contrary is not told again: it is what holds now.
        """
        self._texts: dict[Told, str] = {}
        for each in statements:
            self._texts |= told_in(each) if isinstance(each, str) else {each: ""}
        self.told = tuple(one for one in self._texts if one.words)
        """What the statements are known by."""
        self._replaced = replaced
        self._stems = [
            [stem for w in one.words if len(w) >= _TELLING if (stem := squeezed(w[:-1]))]
            for one in self.told
        ]
        self._starts = _by_start(self._stems)
        self._languages = {one.language for one in self.told}
        self._kept = self._staying(current)
        other = tuple(beside) if self.told else ()
        self._beside = {code: [words_in(t, code) for t in other] for code in self._languages}

    def among(self, current: Iterable[str]) -> Retold:
        """The same beside other statements that stay."""
        made = copy.copy(self)
        made._kept = made._staying(current)
        return made

    def _staying(self, current: Iterable[str]) -> dict[str, list[frozenset[str]]]:
        # A quick look first: there may be many thousand, and few that hold these words.
        texts = tuple(text for text in current if self.may_hold(text))
        kept = dict.fromkeys((*texts, *(part for text in texts for part in _clauses(text))))
        return {code: [words_in(text, code) for text in kept] for code in self._languages}

    def may_hold(self, stored: str) -> bool:
        """False where a quick look shows that none of them is told."""
        if not self.told:
            return False
        looked = squeezed(stored)
        if len(self._stems) <= _FEW:
            return any(all(stem in looked for stem in stems) for stems in self._stems)
        starts = {looked[at : at + _START] for at in range(len(looked) - _START + 1)} | {""}
        return any(
            all(stem in looked for stem in stems)
            for start in starts & self._starts.keys()
            for stems in self._starts[start]
        )

    @property
    def anchors(self) -> tuple[str, ...] | None:
        """Small letters of which one stands in each text that may hold one; ``None``: anywhere."""
        # The stemmers of other languages take accents away: their stems stand in no text.
        found = [
            max(map(_plain, one.words), key=len) if one.language == "en" else ""
            for one in self.told
        ]
        return tuple(found) if all(len(piece) >= _START for piece in found) else None

    def spans(self, text: str, by: By = "anybody") -> tuple[Span, ...]:
        """The clauses that tell one of them."""
        if not self.may_hold(text):
            return ()
        parts = [part for part in clauses(text) if self._tells(text, part, by)]
        held = parts or [whole for whole in _sentences(text) if self._tells(text, whole, by)]
        return going(text, held) if held else ()

    def _tells(self, text: str, part: Span, by: By) -> bool:
        said, words = text[part.start : part.end], dict[str, frozenset[str]]()
        for one in self.told:
            if one.language not in words:
                words[one.language] = one.of(said)
            if self._is_told(one, said, words[one.language], by):
                return True
        return False

    def _is_told(self, one: Told, said: str, words: frozenset[str], by: By) -> bool:
        if not one.words <= words or not _of_user(one, said, words, by):
            return False
        if any(one.words <= kept <= words for kept in self._kept[one.language]):
            return False
        if any(one.words < kept <= words for kept in self._beside[one.language]):
            return False
        return not (self._replaced and _denied(one, self._texts[one], said))


def _denied(one: Told, statement: str, said: str) -> bool:
    """Whether the piece of a clause that says a statement denies it: "no ham" beside does not."""
    pieces = [piece for piece in _PIECES.split(said) if one.words <= one.of(piece)]
    return bool(pieces) and all(flipped(statement, piece) for piece in pieces)


def _of_user(one: Told, said: str, words: frozenset[str], by: By) -> bool:
    """Whether the words are said of the user."""
    if by == "anybody":
        return True
    few = len(words - one.words) <= _BESIDE
    if by in ("user", "either") and few and (is_of_speaker(said, one) or asks(said, one)):
        return True
    if by == "again" and not few:
        return False
    if by in ("now", "again") and (words == one.words or is_of_speaker(said, one)):
        return not denies(said, one)
    if by == "user" or not is_of_reader(said, one):
        return False
    # "You are happy to hear" is not "I am happy", and nor is most of what is said to everybody.
    return words == one.words or is_known_later(one)


def _by_start(all_stems: list[list[str]]) -> dict[str, list[list[str]]]:
    """The stems of each statement under how its longest one begins."""
    found: dict[str, list[list[str]]] = {}
    for stems in all_stems:
        longest = max(stems, key=len, default="")
        found.setdefault(longest[:_START] if len(longest) >= _START else "", []).append(stems)
    return found


def _plain(stem: str) -> str:
    """The longest piece of a stem that is spelt in one way, its last letter apart."""
    # What is folded to "ss" may be written in another letter, and so may what is no ASCII.
    return max(_PLAIN.findall(stem[:-1].replace("ss", " ")), key=len, default="")


def _clauses(text: str) -> Iterator[str]:
    return (text[part.start : part.end] for part in clauses(text))


def _sentences(text: str) -> Iterator[Span]:
    return (Span(start, end) for start, end in sentence_spans(text))
