"""Numbers in words, in six languages: digit by digit, in pairs, and as one number.

Invariant: every form is letters only, folded, without blanks; a short number (fewer than
three digits) has no forms, since "two" is said too often to be anybody's.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping

import num2words

from palimpsest.language.surface_forms.fold import plain

LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "pt_BR")
_LEAST_DIGITS = 3
_LEAST_WHOLE = 4
"""A number of three digits as one word ("one hundred") is a number of things, mostly."""
_MOST_WHOLE = 9
_MOST_DIGITS = 20
_MOST_READINGS = 64
_OTHERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {"0": ("oh", "o", "nought")},
    "fr": {"1": ("une",)},
    "de": {"1": ("ein",), "2": ("zwo",)},
    "es": {"1": ("un", "una")},
    "pt": {"1": ("uma",), "2": ("duas",), "6": ("meia",)},
}
_LINKS = {"and", "und", "et", "y", "e"}
_TWICE = {
    "en": "double",
    "fr": "double",
    "de": "doppel",
    "es": "doble",
    "it": "doppio",
    "pt": "duplo",
}
_LETTERS = re.compile(r"[^a-z]+")


@functools.lru_cache(maxsize=4096)
def spelled(digits: str) -> frozenset[str]:
    """The forms of a number given as digits."""
    if not _LEAST_DIGITS <= len(digits) <= _MOST_DIGITS:
        return frozenset()
    return frozenset(form for language in LANGUAGES for form in _forms(digits, language))


def whole(digits: str, language: str) -> frozenset[str]:
    """A number as one number: with and without the words that link its parts."""
    number = int(digits)
    words = _words(number, language)
    return frozenset({"".join(words), "".join(w for w in words if w not in _LINKS)})


def _forms(digits: str, language: str) -> Iterator[str]:
    one = [_digit(d, language) for d in digits]
    yield "".join(one)
    for digit, others in _OTHERS.get(language, {}).items():
        if digit in digits:
            for other in others:
                yield "".join(other if d == digit else w for d, w in zip(digits, one, strict=True))
    if language in _TWICE:
        yield _doubled(digits, language)
    if len(digits) % 2 == 0:
        pairs = [digits[at : at + 2] for at in range(0, len(digits), 2)]
        yield from _joined(pairs, language)
    if len(digits) == _LEAST_DIGITS:
        yield from _joined([digits[0], digits[1:]], language)
    if _LEAST_WHOLE <= len(digits) <= _MOST_WHOLE and digits[0] != "0":
        yield from whole(digits, language)


def _joined(parts: list[str], language: str) -> Iterator[str]:
    """Each part as a number of its own, a leading nought said."""
    said = [
        "".join(_digit(d, language) for d in part) if part.startswith("0") and len(part) > 1
        else "".join(_words(int(part), language))
        for part in parts
    ]  # fmt: skip
    yield "".join(said)


def _doubled(digits: str, language: str) -> str:
    found = []
    for digit, run in itertools.groupby(digits):
        size, word = len(list(run)), _digit(digit, language)
        found += [_TWICE[language] + word] * (size // 2) + [word] * (size % 2)
    return "".join(found)


@functools.cache
def _digit(digit: str, language: str) -> str:
    return "".join(_words(int(digit), language))


@functools.lru_cache(maxsize=65_536)
def _words(number: int, language: str) -> tuple[str, ...]:
    said = plain(num2words.num2words(number, lang=language)).text
    return tuple(word for word in _LETTERS.split(said) if word)


@functools.lru_cache(maxsize=4096)
def digits_of(words: tuple[str, ...]) -> frozenset[str]:
    """The numbers in figures that folded words say: digit by digit, or in pairs."""
    if not 2 <= len(words) <= _MOST_DIGITS or not all(map(is_number_word, words)):
        return frozenset()
    tight, found = "".join(words), {("", 0)}
    for word in words:
        steps = ((digits, last, n) for digits, last in found for n in _small().get(word, ()))
        found = {
            step for digits, last, n in steps
            for step in ((digits + str(n), n), *_after_tens(digits, last, n))
        }  # fmt: skip
        if len(found) > _MOST_READINGS:
            return frozenset()
    return frozenset(digits for digits, _ in found if tight in spelled(digits))


def _after_tens(digits: str, last: int, n: int) -> Iterator[tuple[str, int]]:
    """ "Forty" and "four" may be 44."""
    if last >= 20 and last % 10 == 0 and 0 < n < 10:
        yield digits[: -len(str(last))] + str(last + n), last + n


@functools.cache
def _small() -> Mapping[str, tuple[int, ...]]:
    """The numbers below a hundred that are one word, in any of the languages."""
    found: dict[str, set[int]] = {}
    for language in LANGUAGES:
        for number in range(100):
            if len(words := _words(number, language)) == 1:
                found.setdefault(words[0], set()).add(number)
        for digit, others in _OTHERS.get(language, {}).items():
            for other in others:
                found.setdefault(other, set()).add(int(digit))
    return {word: tuple(sorted(numbers)) for word, numbers in found.items()}


@functools.cache
def _morphemes() -> re.Pattern[str]:
    """Matches a word that is made of number words and nothing else."""
    words = {word for language in LANGUAGES for n in _SOME for word in _words(n, language)}
    words |= {form for forms in _OTHERS.values() for many in forms.values() for form in many}
    words |= set(_TWICE.values()) | {"hundert", "tausend", "cento", "cent", "mil", "mila", "und"}
    longest = sorted(words, key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(longest)})+")


_SOME = (*range(101), *range(100, 1001, 100), 2000, 1_000_000, 2_000_000)


@functools.lru_cache(maxsize=65_536)
def is_number_word(word: str) -> bool:
    """True for a folded word that says a number, in any of the languages."""
    return word.isalpha() and bool(_morphemes().fullmatch(word))


@functools.cache
def ordinals() -> dict[str, int]:
    """How the days of a month are said, in folded words with one blank between them."""
    found: dict[str, int] = {}
    for language in LANGUAGES:
        for day in range(1, 32):
            for form in ("cardinal", "ordinal"):
                said = plain(num2words.num2words(day, lang=language, to=form)).text
                found[" ".join(w for w in _LETTERS.split(said) if w)] = day
    found |= dict.fromkeys(("premier", "primo", "primero", "primeiro", "ersten"), 1)
    for word, day in list(found.items()):
        # "am dritten Mai": the ordinals of German are declined.
        if word.endswith("te"):
            found[word + "n"] = found[word + "r"] = day
    return found


@functools.cache
def _digit_words() -> dict[str, str]:
    found = {_digit(digit, language): digit for language in LANGUAGES for digit in "0123456789"}
    for forms in _OTHERS.values():
        found |= {form: digit for digit, many in forms.items() for form in many if len(form) > 1}
    return found


def one_digit(word: str) -> str | None:
    """The digit that a folded word says, in any of the languages."""
    return _digit_words().get(word)
