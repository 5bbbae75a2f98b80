"""Whether a run of words is a name by itself, or part of a longer name or of a dish.

"Porto" is no part of "Porto Alegre", "York" none of "New York", "Vienna" none of a sausage.
Invariant: it depends on the words and their capitals alone.
"""

from __future__ import annotations

from palimpsest.language.surface_forms.tokens import Token, Tokens
from palimpsest.language.surface_forms.words import name_words

_BLANKS = frozenset({" ", "  ", "\n", "-"})


def is_written_as_name(found: Tokens, first: int, last: int) -> bool:
    """True where every word has its capital, or the small letters can be nothing but the name."""
    common = name_words().common
    pieces = found.items[first : last + 1]
    if all(token.capital for token in pieces):
        return True
    return len(pieces) > 1 or pieces[0].text not in common


def goes_on(found: Tokens, first: int, last: int) -> bool:
    """True where the words are a part of a longer name, or of the name of a dish."""
    words, items = name_words(), found.items
    if not items[first].capital:
        return False
    after = items[last + 1] if last + 1 < len(items) and found.gaps[last + 1] in _BLANKS else None
    if after is not None:
        if after.text in words.dishes:
            return True
        if _names(found, last + 1) and after.text not in words.calendar:
            return True
        third = last + 2
        if (
            after.text in words.particles and not after.capital and third < len(items)
            and found.gaps[third] == " " and _names(found, third)
            and items[third].text not in words.calendar
        ):  # fmt: skip
            return True
    if first == 0 or found.gaps[first] not in _BLANKS:
        return False
    before = items[first - 1]
    if before.text in words.before_dishes:
        return True
    if before.text in words.parts and before.capital:
        return True
    return _names(found, first - 1) and not _opens(found, first - 1) and _is_of_name(before)


def _is_of_name(before: Token) -> bool:
    words = name_words()
    return before.text not in words.titles and before.text not in words.calendar


def _names(found: Tokens, at: int) -> bool:
    """True for a word with a capital and small letters behind it, in a script that has both."""
    token, folded = found.items[at], found.plain
    start, end = folded.origin[token.start], folded.ends[token.end - 1]
    written = folded.source[start:end]
    return written[:1].isupper() and written[1:].islower()


def _opens(found: Tokens, at: int) -> bool:
    """True where a word opens a sentence, so that its capital says nothing."""
    gap = found.gaps[at]
    return at == 0 or any(mark in gap for mark in ".!?:;\n\"'(\u2014") or gap.endswith(" - ")


def is_unspaced_dish(run: str, start: int, end: int) -> bool:
    """True where a part of an unspaced run goes on as a dish, or another name holds it."""
    words = name_words()
    if any(run.startswith(dish, end) for dish in words.unspaced_dishes):
        return end - start <= _LONGEST_CITY and run[start:end] not in words.unspaced_dishes
    before = words.unspaced_before.get(run[start:end])
    return bool(before) and start > 0 and run[start - 1] in (before or "")


_LONGEST_CITY = 4
"""Characters of a city's name in such a script, where it may name a dish."""
