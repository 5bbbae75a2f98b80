"""What a text says, as keys: every number, identifier, address, date, amount and run of words.

A value is found in a text where they share a key, and a keyed hash of a key stands for the
value where the value may not be kept. Invariant: a key never says where it stood, and no key
is a part of a longer identifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import anyascii

from palimpsest.language.surface_forms import names
from palimpsest.language.surface_forms.addresses import addresses
from palimpsest.language.surface_forms.dates import dates
from palimpsest.language.surface_forms.fold import UNSPACED, Plain, expands, foreign, plain
from palimpsest.language.surface_forms.phones import of_text
from palimpsest.language.surface_forms.quantities import amounts
from palimpsest.language.surface_forms.skeleton import consonants, skeleton
from palimpsest.language.surface_forms.spelled import one_digit
from palimpsest.language.surface_forms.tokens import Tokens, digit_runs, is_spoken, tokens

KINDS = frozenset(
    {
        "addresses",
        "dates",
        "amounts",
        "numbers",
        "identifiers",
        "spoken",
        "words",
        "unspaced",
        "raw",
    }
)
MOST_WORDS = 12
"""Words of a value; a longer one is found word for word only."""
_MOST_NAMES = 4
_MOST_SPOKEN = 20
_MOST_PIECES = 8
_MOST_UNSPACED = 12
_LOOSE = 5
"""Letters and digits from which on the parts of an identifier may have blanks between them."""
_PHONE = 8
"""Digits from which on "030/1234567" is a telephone number and no fraction."""
_RUN = re.compile(f"[{UNSPACED}]+")
ABJAD = re.compile(r"[\u0590-\u06ff]")
_RAW = re.compile(r"[^\s\"'`<>()\[\]{}|,;\u00ab\u00bb\u201c\u201d]{2,}")


class Found(NamedTuple):
    """A key and the characters of the text that say it."""

    key: str
    start: int
    end: int


def keys_in(
    text: str, *, longest: int = MOST_WORDS, kinds: frozenset[str] = KINDS
) -> Iterator[Found]:
    """Every key of a text; ``longest`` is the most words that are asked for, of some ``kinds``."""
    yield from _of(plain(text), longest, kinds)
    if expands(text):
        yield from _of(plain(text, expand=True), longest, kinds)
    if "unspaced" in kinds:
        yield from _unspaced(text)
    if "raw" in kinds:
        yield from _raw(text)


def kind_of(key: str) -> str:
    """Which of ``KINDS`` finds a key."""
    head = key.partition(":")[0]
    if head in ("date", "day", "ym", "maybe", "ofyear", "figures"):
        return "dates"
    if head in ("x>", "x<", "y>"):
        return "words"
    return _BY_HEAD[head[0]]


_BY_HEAD = {
    "e": "addresses", "q": "amounts", "d": "numbers", "t": "numbers", "i": "identifiers",
    "s": "spoken", "w": "words", "c": "unspaced", "r": "raw",
}  # fmt: skip


def _raw(text: str) -> Iterator[Found]:
    """Paths and addresses of pages."""
    for match in _RAW.finditer(text):
        written = match.group().rstrip(".!?:")
        if "/" in written or "\\" in written:
            yield Found(f"r:{written.casefold()}", match.start(), match.start() + len(written))


def _of(folded: Plain, longest: int, kinds: frozenset[str]) -> Iterator[Found]:
    if "addresses" in kinds:
        for address in addresses(folded):
            yield _placed(folded, address.key, address.start, address.end)
    if "dates" in kinds:
        for said in dates(folded):
            yield from (_placed(folded, key, said.start, said.end) for key in said.keys)
    if "amounts" in kinds:
        for amount in amounts(folded):
            yield _placed(folded, amount.key, amount.start, amount.end)
    if not kinds & _OF_TOKENS:
        return
    found = tokens(folded)
    if "numbers" in kinds:
        yield from _numbers(found)
    if "identifiers" in kinds:
        yield from _identifiers(found)
    if "spoken" in kinds:
        yield from _spoken(found)
    if "words" in kinds:
        yield from _words(found, longest)


_OF_TOKENS = frozenset({"numbers", "identifiers", "spoken", "words"})


def _placed(folded: Plain, key: str, start: int, end: int) -> Found:
    return Found(key, folded.origin[start], folded.ends[end - 1])


def _window(found: Tokens, key: str, first: int, last: int) -> Found:
    return _placed(found.plain, key, found.items[first].start, found.items[last].end)


def _numbers(found: Tokens) -> Iterator[Found]:
    for first, last, one in digit_runs(found):
        for start in range(first, last + 1):
            for end in range(start, last + 1):
                whole = start == first and end == last
                # Without its country a telephone number is the same.
                tail = end == last and start == first + 1 and found.gaps[first].endswith("+")
                if (one and not whole and not tail) or not _is_number(found, start, end):
                    continue
                digits = "".join(found.items[i].text for i in range(start, end + 1))
                yield _window(found, f"d:{digits}", start, end)
                if whole:
                    for key in of_text(found, first, last, digits):
                        yield _window(found, key, start, end)


def _is_number(found: Tokens, first: int, last: int) -> bool:
    """True where groups read as one number: 4,417 and 44-17, and not 44.17."""
    if not found.free(first, last):
        return False
    gaps = [found.gaps[i] for i in range(first + 1, last + 1)]
    if last - first == 1 and gaps[0] in (".", ",", "/"):
        parts = [found.items[i].text for i in (first, last)]
        if gaps[0] == "/":
            return parts[0].startswith("0") and len(parts[0] + parts[1]) >= _PHONE
        return len(parts[1]) == 3
    return not any("," in gap for gap in gaps) or all(
        gap == "," and len(found.items[first + 1 + i].text) == 3 for i, gap in enumerate(gaps)
    )


def _identifiers(found: Tokens) -> Iterator[Found]:
    """Letters with digits, in one piece or in a few; digits may be said as words."""
    items = found.items
    for first in range(len(items)):
        for last in range(first, min(first + _MOST_PIECES, len(items))):
            if last > first and not found.soft(last):
                break
            pieces = items[first : last + 1]
            forms = {"".join(piece.text for piece in pieces)}
            if last > first:
                forms.add("".join(one_digit(piece.text) or piece.text for piece in pieces))
            for tight in forms:
                if not tight.isalnum() or tight.isdigit() or tight.isalpha():
                    continue
                spaced = any(" " in found.gaps[i] for i in range(first + 1, last + 1))
                if (spaced and len(tight) < _LOOSE) or not found.free(first, last):
                    continue
                yield _window(found, f"i:{tight}", first, last)


def _spoken(found: Tokens) -> Iterator[Found]:
    """Runs that hold a number in words; up to three other words may stand in them."""
    items = found.items
    spoken = [is_spoken(token) for token in items]
    for first in range(len(items)):
        others = said = 0
        for last in range(first, min(first + _MOST_SPOKEN, len(items))):
            listed = spoken[last] and spoken[last - 1] and found.gaps[last] == ", "
            if last > first and not (found.soft(last) or listed):
                break
            others += not spoken[last]
            said += spoken[last]
            if others > 3:
                break
            if said and all(token.letters for token in items[first : last + 1]):
                whole = not (first and spoken[first - 1] and found.soft(first) and spoken[first])
                ends = last + 1 == len(items) or not (spoken[last + 1] and found.soft(last + 1))
                tight = "".join(token.text for token in items[first : last + 1])
                if whole and (ends or not spoken[last]):
                    yield _window(found, f"s:{tight}", first, last)


def _words(found: Tokens, longest: int) -> Iterator[Found]:
    items = found.items
    abroad = foreign(found.plain.source)
    for first in range(len(items)):
        for last in range(first, min(first + max(longest, 1), len(items))):
            if last > first and not found.soft(last):
                break
            pieces = items[first : last + 1]
            tight = "".join(token.text for token in pieces)
            if (
                not tight.isalpha()
                or not found.free(first, last)
                or names.goes_on(found, first, last)
            ):
                continue
            mark = "" if names.is_written_as_name(found, first, last) else "~"
            yield _window(found, f"w{len(pieces)}{mark}:{tight}", first, last)
            if abroad:
                yield from _abroad(found, tight, first, last)
            elif len(pieces) <= _MOST_NAMES and (sound := skeleton(tight)):
                yield _window(found, f"x<:{sound}", first, last)
    yield from _turned(found)
    yield from _by_letter(found)


def _turned(found: Tokens) -> Iterator[Found]:
    """A surname, a comma and a first name."""
    for at in range(1, len(found.items)):
        one, two = found.items[at - 1], found.items[at]
        apart = found.gaps[at] == ", " and one.capital and two.capital
        if apart and (one.text + two.text).isalpha() and found.free(at - 1, at):
            yield _window(found, f"w2:{one.text}{two.text}", at - 1, at)


def _by_letter(found: Tokens) -> Iterator[Found]:
    """A word that is spelled: s-w-o-r-d-f-i-s-h."""
    at, items = 0, found.items
    while at < len(items):
        last = at
        while (
            last + 1 < len(items) and len(items[last + 1].text) == len(items[at].text) == 1
            and found.soft(last + 1)
        ):  # fmt: skip
            last += 1
        tight = "".join(token.text for token in items[at : last + 1])
        if last - at > 1 and tight.isalpha():
            yield _window(found, f"w:{tight}", at, last)
        at = last + 1


def _abroad(found: Tokens, tight: str, first: int, last: int) -> Iterator[Found]:
    start, end = found.items[first].start, found.items[last].end
    source = found.plain.source[found.plain.origin[start] : found.plain.ends[end - 1]]
    if not foreign(source):
        if sound := skeleton(tight):
            yield _window(found, f"x<:{sound}", first, last)
    elif ABJAD.search(source):
        if sound := consonants(tight):
            yield _window(found, f"y>:{sound}", first, last)
    elif sound := skeleton(tight):
        yield _window(found, f"x>:{sound}", first, last)


def _unspaced(text: str) -> Iterator[Found]:
    """Parts of runs in scripts without blanks."""
    if text.isascii():
        return
    for run in _RUN.finditer(text):
        written = run.group()
        for start in range(len(written)):
            for end in range(start + 1, min(start + _MOST_UNSPACED, len(written)) + 1):
                part = written[start:end]
                if names.is_unspaced_dish(written, start, end):
                    continue
                at = run.start()
                yield Found(f"c:{part}", at + start, at + end)
                if end - start > 1 and (sound := skeleton(anyascii.anyascii(part).lower())):
                    yield Found(f"x>:{sound}", at + start, at + end)
