"""The words and numbers of a folded text, and which neighbours belong to one thing.

Invariant: a token is a run of letters and digits of the folded text; a hyphen, a dot or an
at-sign without blanks makes one longer thing of its neighbours, where people read it so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.language.surface_forms.fold import Plain
from palimpsest.language.surface_forms.spelled import is_number_word

_TOKEN = re.compile(r"[a-z0-9]+")
_SOFT = re.compile(r"[\s\-_.,/:;'()\[\]#*+|~\u2014\u2022\u00ba\u00aa\u20ac$\u00a3]{0,4}")
_STOP = re.compile(r"[.!?;:]\s|,\s|\n\s*\n|\t")
_BETWEEN_DIGITS = re.compile(r"[\s]?[\-./()*_\u2014|]?[()]?[\s]?|,")
_HANGS = frozenset({"based", "born", "bound", "style", "wide", "like", "area"})
"""They hang on a name with a hyphen and leave it the same name."""
_IBAN = re.compile(r"[a-z]{2}\d{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One token at ``start`` to ``end`` of the folded text."""

    text: str
    start: int
    end: int
    capital: bool
    """It is written with a capital, or in a script that has none."""

    @property
    def digits(self) -> bool:
        return self.text.isdigit()

    @property
    def letters(self) -> bool:
        return self.text.isalpha()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The tokens of one folded text and what stands between them."""

    plain: Plain
    items: Sequence[Token]
    gaps: Sequence[str]
    """``gaps[i]`` stands before token ``i``; one more stands after the last."""

    def soft(self, at: int) -> bool:
        """True where token ``at`` may go on with the thing of the token before it."""
        gap = self.gaps[at]
        return bool(_SOFT.fullmatch(gap)) and not _STOP.search(gap)

    def joins_digits(self, at: int) -> bool:
        """The same between groups of digits: a comma and a blank part two numbers."""
        return bool(_BETWEEN_DIGITS.fullmatch(self.gaps[at])) and "\n\n" not in self.gaps[at]

    def free(self, first: int, last: int) -> bool:
        """True where tokens ``first`` to ``last`` are no part of a longer thing."""
        return not (self._hard(first, left=True) or self._hard(last + 1, left=False))

    def _hard(self, at: int, *, left: bool) -> bool:
        """True where gap ``at`` makes one thing of its neighbours; ``left`` of the window."""
        if not 0 < at < len(self.items):
            return False
        gap, before, after = self.gaps[at], self.items[at - 1], self.items[at]
        inner, outer = (after, before) if left else (before, after)
        if gap == "":
            return True
        if len(gap) != 1 or gap.isspace():
            return False
        digits = before.text[-1].isdigit() and after.text[0].isdigit()
        if gap in ",:/":
            return digits and not (gap == "," and not left and after.text == "00")
        if gap == ".":
            if digits:
                return not (not left and after.text == "00")
            return not (inner.digits and outer.letters) and not self._opens(at)
        if gap == "-" and inner.letters and outer.letters:
            return outer.capital or not (inner.capital or outer.text in _HANGS)
        return gap in "-_@+\\"

    def _opens(self, at: int) -> bool:
        """True where token ``at`` opens a sentence that begins without a blank."""
        text = self.plain.source
        start = self.plain.origin[self.items[at].start]
        return text[start].isupper() and text[start + 1 : start + 2].islower()


def tokens(text: Plain) -> Tokens:
    """The tokens of a folded text."""
    items, gaps, at = [], [], 0
    for match in _TOKEN.finditer(text.text):
        gaps.append(text.text[at : match.start()])
        at = match.end()
        written = text.source[text.origin[match.start()]]
        items.append(
            Token(
                text=match.group(), start=match.start(), end=match.end(),
                capital=written.isupper() or written.lower() == written.upper(),
            )
        )  # fmt: skip
    gaps.append(text.text[at:])
    return Tokens(plain=text, items=items, gaps=gaps)


def digit_runs(found: Tokens) -> list[tuple[int, int, bool]]:
    """Runs of digit groups ``first`` to ``last``, and whether one is a single number as a whole.

    A card number in fours, an account, an international telephone number and digits one by
    one are: none of their groups stands for itself.
    """
    runs, at, items = [], 0, found.items
    while at < len(items):
        if not items[at].digits:
            at += 1
            continue
        last = at
        while last + 1 < len(items) and items[last + 1].digits and found.joins_digits(last + 1):
            last += 1
        runs.append((at, last, _is_one(found, at, last)))
        at = last + 1
    return runs


def _is_one(found: Tokens, first: int, last: int) -> bool:
    sizes = [len(found.items[i].text) for i in range(first, last + 1)]
    if len(sizes) < 2:
        return False
    if sizes in ([4, 4, 4, 4], [4, 6, 5], [4, 4, 4, 4, 3]) or set(sizes) == {1}:
        return True
    before = found.items[first - 1].text if first else ""
    if _IBAN.fullmatch(before) and found.gaps[first] in (" ", "-"):
        return True
    return found.gaps[first].endswith(("+", "+ ", "(+"))


def is_spoken(token: Token) -> bool:
    """True for a number said in a word."""
    return is_number_word(token.text)
