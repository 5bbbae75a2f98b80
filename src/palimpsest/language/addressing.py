"""What a sentence is as speech: an order to the assistant, a remark about it, fiction, a question.

Told by the words that open it, in six languages. Invariant: pure functions of one sentence; one
that speaks of its own speaker ("I", "my") is a statement about the user, whatever opens it, but
an order to ignore what the assistant was told stays one.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib import resources

import regex

from palimpsest.language.guess import languages_of
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.sentences import sentence_spans
from palimpsest.language.word_list import folded, word_list

_NEAR = 20
"""Characters within which an attitude follows who has it."""
_WITHIN = 40
"""Characters within which an override names what it overrides."""
_OF_TEXT = regex.compile(r"the character (?:limit|count|set|encoding)s?\b")
_OPENING = " \t\"'“”«»„*#>-–•:,.;!?¿¡[]()"


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def is_override(sentence: str, *, above: bool = True) -> bool:
    """True for an order to ignore or to show what the assistant was told, in any language.

    ``above`` takes "forget everything above" for one too, which may be a wish for privacy.
    """
    return any(_overrides(_opened(sentence, held), held, above=above) for held in _words().values())


def is_order(sentence: str) -> bool:
    """True for a task of the moment; a standing one ("always ...") is a rule."""
    for held in _of(sentence):
        flat = _opened(sentence, held)
        told = _holds(flat, held["first"]) or _holds(flat, held["standing"])
        if pattern(held["orders"]).match(flat) and not told:
            return True
    return False


def is_of_assistant(sentence: str) -> bool:
    """True for what the assistant thinks, feels or does, or what is supposed of a "you"."""
    for held in _of(sentence):
        flat = _opened(sentence, held)
        if pattern(held["guesses"]).match(flat):
            return True
        if _holds(flat, held["first"]) or _holds(flat, held["standing"]):
            continue
        if (found := pattern(held["you"]).match(flat)) and not pattern(held["may"]).match(flat):
            near = flat[found.end() : found.end() + _NEAR]
            if found.group() in held["attitudes"] or _holds(near, held["attitudes"]):
                return True
        if _speaks_of(flat, held):
            return True
    return False


def is_fiction(sentence: str) -> bool:
    """True for a sentence about a story and not about its teller."""
    return any(
        pattern(held["stories"]).match(flat)
        and not _holds(flat, held["first"])
        and not _OF_TEXT.match(flat)
        for held in _of(sentence)
        for flat in (_opened(sentence, held),)
    )


def is_plain_question(sentence: str) -> bool:
    """True for a question that only asks: "What is the capital of Peru?"."""
    if not sentence.rstrip(" \"'”»)").endswith(("?", "？", "؟")):
        return False
    return any(
        pattern(held["asks"]).match(flat) and not _holds(flat, held["first"])
        for held in _of(sentence)
        for flat in (_opened(sentence, held),)
    )


def _overrides(flat: str, held: Mapping[str, tuple[str, ...]], *, above: bool) -> bool:
    if pattern(held["masks"]).match(flat):
        return True
    opened = pattern(held["overrides"]).match(flat)
    if opened is None:
        return False
    targets = (*held["instructions"], *(held["above"] if above else ()))
    named = pattern(targets).search(flat, opened.end(), opened.end() + _WITHIN)
    # "Ignore the previous instructions of my doctor": somebody else's.
    behind = flat[named.end() :].lstrip() if named else ""
    return named is not None and not pattern(held["people"]).match(behind)


def _speaks_of(flat: str, held: Mapping[str, tuple[str, ...]]) -> bool:
    if opened := pattern(held["assistant"]).match(flat):
        behind = flat[opened.end() :].lstrip()
        return bool(word_list(behind)) and not pattern(held["people"]).match(behind)
    if opened := pattern(held["machines"]).match(flat):
        return _holds(flat[opened.end() : opened.end() + _NEAR], held["feels"])
    return False


def _holds(flat: str, phrases: tuple[str, ...]) -> bool:
    return bool(phrases_in(flat, phrases))


def _opened(sentence: str, held: Mapping[str, tuple[str, ...]]) -> str:
    """A folded sentence without marks and polite words before it."""
    flat = folded(sentence).lstrip(_OPENING)
    while found := pattern(held["polite"]).match(flat):
        flat = flat[found.end() :].lstrip(_OPENING)
    return flat


def _of(sentence: str) -> list[Mapping[str, tuple[str, ...]]]:
    return [_words()[code] for code in languages_of(sentence) if code in _words()]


@functools.cache
def _words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = (resources.files("palimpsest.language") / "addressing.toml").read_text(encoding="utf-8")
    return {
        code: {key: tuple(map(folded, phrases)) for key, phrases in table.items()}
        for code, table in tomllib.loads(text).items()
    }
