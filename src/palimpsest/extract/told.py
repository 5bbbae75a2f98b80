"""The exact value that a statement tells, in the language of its grammar.

Days, months, hours and sums are told by the words of the language; what else stands out by its
letters and digits is told as in any. Invariant: a value is a span of the text that was given.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import regex

from palimpsest.extract.grammar import Grammar, bare
from palimpsest.language import lexicon
from palimpsest.language.calendar_words import names_of, short_names_of
from palimpsest.language.carriers import carriers
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list

_LINK = r"(?:\s+(?:de|del|di|do|da|of|den|the))?\s+"
_TITLED = regex.compile(r"\.\s+\p{Lu}\p{L}+")
"""What a shortened title stands before: "Dr. Hale"."""
Span = tuple[int, int]
_HOUR = r"\d{1,2}\s?h(?:\s?\d{2})?(?![\p{L}\p{N}])|\d{1,2}:\d{2}(?::\d{2})?|\d{1,2}(?:[.:]\d{2})?\s?uhr\b"


def value_in(text: str, grammar: Grammar, *, behind: int = 0) -> str | None:
    """The shortest span that holds all that a text tells ``behind`` a place; ``None`` without."""
    own = [span for span in _own(text, grammar) if span[0] >= behind]
    spans = _kept(text, [*own, *_others(text, own, behind, grammar)], grammar)
    if not spans:
        return None
    begin, end = min(start for start, _ in spans), max(end for _, end in spans)
    if titled := _TITLED.match(text, end):
        last = word_list(text[begin:end])[-1]
        end = titled.end() if last in grammar.abbreviations else end
    return text[begin:end].removesuffix(".")


def _kept(text: str, spans: list[Span], grammar: Grammar) -> list[Span]:
    """The spans before "instead of", "since" and the like, where there are any.

    Of nouns alone German keeps one: what follows "in" or "bei" without an article, else the last.
    """
    cuts = [found.start() for found in _word(grammar.value_ends).finditer(text)]
    before = [span for span in spans if cuts and span[1] <= cuts[0]]
    kept = before or spans
    if grammar.language != "de" or any(any(map(str.isdigit, text[s:e])) for s, e in kept):
        return kept
    named = [span for span in kept if _ends_in(text[: span[0]], grammar.before_names)]
    return named[:1] or sorted(kept)[-1:]


def _ends_in(text: str, words: tuple[str, ...]) -> bool:
    return bool(text.split()) and text.rsplit(maxsplit=1)[-1].casefold() in words


@functools.cache
def _word(phrases: tuple[str, ...]) -> regex.Pattern[str]:
    """Any of some phrases as whole words, in a text as it was written."""
    listed = "|".join(map(regex.escape, sorted(phrases, key=len, reverse=True))) or "(?!)"
    return regex.compile(
        rf"(?<![\p{{L}}\p{{N}}])(?:{listed})(?![\p{{L}}\p{{N}}])", regex.IGNORECASE
    )


def _own(text: str, grammar: Grammar) -> Iterator[Span]:
    for found in _dates(grammar.language).finditer(text):
        yield found.span()


def _others(text: str, own: list[Span], behind: int, grammar: Grammar) -> Iterator[Span]:
    """The carriers beside the dates; a name gives way where German writes every noun so."""
    found = [
        c for c in carriers(text)
        if c.start >= behind and c.kind != "relative-day" and (behind or not c.opening)
        and (c.kind == "identifier" or all(c.end <= s or e <= c.start for s, e in own))
    ]  # fmt: skip
    exact = bool(own) or any(c.kind != "name" for c in found)
    for carrier in found:
        said = text[carrier.start : carrier.end]
        if carrier.kind == "name" and _is_plain(said, exact, grammar):
            continue
        yield carrier.start, carrier.end


def _is_plain(said: str, exact: bool, grammar: Grammar) -> bool:
    """True for a word that only its language, or its place, writes with a capital."""
    if exact and grammar.language == "de":
        return True
    dropped = stop_words(grammar.language) | set(lexicon.load(grammar.language).units)
    return all(word in dropped for word in word_list(said))


@functools.cache
def _dates(language: str) -> regex.Pattern[str]:
    """Days, months with their numbers, hours, and sums with their units."""
    wide, short = names_of(language), short_names_of(language)
    named, beside = _any(wide), _any(wide | short)
    ordinal = r"\d{1,2}(?:st|nd|rd|th|er|º|ª|°|\.)?"
    year = r"(?:(?:,|\s+de|\s+del)?\s+\d{4}(?!\p{N}))?"
    units = _any(frozenset(lexicon.load(language).units))
    return regex.compile(
        rf"(?<![\p{{L}}\p{{N}}])(?:{ordinal}{_LINK}(?:{beside})\.?{year}(?!\p{{L}})"
        rf"|(?:{beside})\.?\s+{ordinal}(?![\p{{N}}:]){year}|(?:{named}){year}(?![\p{{L}}-])|{_HOUR}"
        rf"|\d+(?:[.,\s]\d{{3}})*(?:[.,]\d+)?\s?(?:{units})(?![\p{{L}}\p{{N}}]))",
        regex.IGNORECASE,
    )


def _any(words: frozenset[str]) -> str:
    listed = {typed for word in words for typed in (folded(word), bare(folded(word)))}
    return "|".join(map(regex.escape, sorted(listed, key=lambda w: (-len(w), w)))) or "(?!)"
