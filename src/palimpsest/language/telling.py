"""Of whom a clause speaks, and by which words a statement without a value is known later.

What others say of the user is told by who is spoken to ("since you are diabetic"), by a role
("as a diabetic, ...") or by saying nothing else ("noted: diabetic"), in six languages: recipes
for diabetics are nobody's illness. Invariant: pure functions; a statement of everyday words
alone ("I am happy", "I moved") has none by which it is known.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import NamedTuple

from palimpsest.language import stems
from palimpsest.language.compound import clauses
from palimpsest.language.content_words import content_in
from palimpsest.language.contractions import written_out
from palimpsest.language.guess import languages_of
from palimpsest.language.linked import Beside, Lists, is_denied, is_linked
from palimpsest.language.phrases import pattern
from palimpsest.language.polarity import negations
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, unaccented, word_list

UNKNOWN = "und"
"""The code of a language that is not known."""
_SPEAKS = re.compile(
    r"\b(?:i|je|ich|yo|io|eu|soy|estoy|tengo|sono|ho|sou|estou|tenho)\b|\bj'", re.IGNORECASE
)
"""Words of six languages by which somebody speaks of themselves."""
_POLITE = re.compile(r"\bSie\b(?!\s+(?:ist|war|hat|wird|kann)\b)|\bIhnen\b|\bIhr(?:e[nmrs]?)?\b")
"""The German "you" that a small letter makes a "she"."""
_WORD = re.compile(r"[^\W_]+")
_BEHIND = 2
"""Words behind a role within which it is named."""
_ALONE = re.compile(r"\s*(?:[^\w\s'-]|$)")
_TELLING = 3
"""Letters of a word by which something is known."""


class Told(NamedTuple):
    """A statement by the stems of its content words, in the language that it is read in."""

    language: str
    words: frozenset[str]
    mine: bool
    """It speaks of the user: what a clause says with these words of nobody is not it."""

    def of(self, text: str) -> frozenset[str]:
        """The words of another text as they compare with these."""
        return words_in(text, self.language)

    def holds(self, word: str) -> bool:
        """Whether a word is one of these."""
        return not self.words.isdisjoint(_word_in(word, self.language))


def told(statement: str) -> Told:
    """What there is to know a statement by; that it is of "the user" is no part of it."""
    language = next(iter(languages_of(statement)), UNKNOWN)
    words = words_in(statement, language)
    held = _words().get(language)
    if held is None:
        return Told(language=language, words=words, mine=False)
    flat = folded(statement)
    of_user = pattern((*held["second"], *held["user"])).search(flat) is not None
    left = words - _stems(" ".join(held["user"]), language)
    # Who it is of would be a word more: one word alone is said of the user.
    mine = of_user or speaks(statement) or len(words) == 1
    return Told(language=language, words=left or words, mine=mine)


def told_in(statement: str) -> dict[Told, str]:
    """A statement by its clauses, each with its words: any of them tells a part of it.

    As a whole too where a clause is of everyday words, which tell nothing alone.
    """
    whole, spans = told(statement), clauses(statement)
    if len(spans) < 2:
        return {whole: statement}
    parts = [statement[span.start : span.end] for span in spans]
    read = {told(part)._replace(mine=whole.mine): part for part in parts}
    known = {one: part for one, part in read.items() if is_known_later(one)}
    return known if len(known) == len(parts) else {whole: statement, **known}


def words_in(text: str, language: str) -> frozenset[str]:
    """The stems of the content words of a text in a language."""
    # A newer version may know more languages: its statements are read as of none here.
    if language not in _words():
        return frozenset(content_in(text, None))
    stem, dropped = stems.stems(language).of, _dropped(language)
    words = word_list(written_out(folded(text)))
    # "gravida" is "grávida" to who writes it, and their stems are not the same.
    return frozenset(stem(unaccented(word)) for word in words if word not in dropped)


@functools.lru_cache(maxsize=4_096)
def _word_in(word: str, language: str) -> frozenset[str]:
    return words_in(word, language)


def is_known_later(statement: Told) -> bool:
    """False for what is said to everybody: it would be refused in every answer ever after."""
    if statement.language == UNKNOWN:
        return len(statement.words) > 1
    rare = statement.words - _common(statement.language)
    return any(len(word) >= _TELLING and not word.isnumeric() for word in rare)


def speaks(clause: str) -> bool:
    """True where somebody speaks of themselves."""
    return _SPEAKS.search(clause) is not None


def is_of_speaker(clause: str, statement: Told) -> bool:
    """True for a clause that says it of who speaks, or of somebody else as the statement does."""
    return speaks(clause) or (not statement.mine and statement.language != UNKNOWN)


def denies(clause: str, statement: Told) -> bool:
    """True where a clause denies it, by a negation that is no part of it: "I am not ..."."""
    marks, held = negations(clause), _words().get(statement.language)
    if not marks or held is None or not statement.words.isdisjoint(statement.of(" ".join(marks))):
        return False
    flat = written_out(folded(clause))
    return any(
        is_denied(Beside.of(flat, *mark.span()), statement.language, held, statement.holds)
        for mark in pattern(tuple(sorted(marks))).finditer(flat)
    )


def asks(clause: str, statement: Told) -> bool:
    """True where a clause asks to forget."""
    held = _words().get(statement.language)
    return held is not None and pattern(held["asks"]).search(folded(clause)) is not None


def is_of_reader(clause: str, statement: Told) -> bool:
    """True for a clause that says its words, those of the statement among them, of the user."""
    held = _words().get(statement.language)
    if held is None or not statement.mine:
        return True
    flat = folded(clause)
    named = _named(clause, flat, statement.language, held)
    return (
        any(is_linked(part, statement.language, held, statement.holds) for part in named)
        or _in_a_role(flat, statement, held)
        or _only_heard(flat, statement, held)
    )


def _named(clause: str, flat: str, language: str, held: Lists) -> Iterator[Beside]:
    """Where a clause names its reader, or the user."""
    # "Your sister is diabetic" is said to the user, and of somebody else.
    alone = _kin(language).sub(" ", flat)
    plain = written_out(alone)
    for who in pattern((*held["second"], *held["user"])).finditer(plain):
        yield Beside.of(plain, *who.span())
    if language == "de" and alone == flat:
        for you in _POLITE.finditer(clause):
            yield Beside(*map(folded, Beside.of(clause, *you.span())))


def _in_a_role(flat: str, statement: Told, held: Lists) -> bool:
    """ "As a diabetic, ..."; and not "as a diabetic dish it ..."."""
    for role in pattern(held["roles"]).finditer(flat):
        for found in list(_WORD.finditer(flat, role.end()))[:_BEHIND]:
            named = words_in(found.group(), statement.language) & statement.words
            at = found.end()
            if named and (_ALONE.match(flat, at) or _spoken_to(flat, at, statement, held)):
                return True
    return False


def _spoken_to(flat: str, at: int, statement: Told, held: Lists) -> bool:
    """ "As a diabetic you should ..." and "als Schwangere solltest du ..."."""
    who = pattern(held["second"]).search(flat, at)
    between = 1 if statement.language == "de" else 0
    return who is not None and len(_WORD.findall(flat[at : who.start()])) <= between


def _only_heard(flat: str, statement: Told, held: Lists) -> bool:
    """ "Noted: diabetic.", "diabetic?"; and not the word alone, which may answer anything."""
    beside = statement.of(flat) - statement.words
    if not beside <= _stems(" ".join(held["heard"]), statement.language):
        return False
    return flat.rstrip().endswith("?") or pattern(held["heard"]).search(flat) is not None


@functools.cache
def _kin(language: str) -> re.Pattern[str]:
    """Somebody of the user's, with a word between at most: "your little sister"."""
    held = _words()[language]
    yours, kin = ("|".join(map(re.escape, held[key])) for key in ("yours", "kin"))
    return re.compile(rf"\b(?:{yours})\s+(?:[^\W_]+\s+)?(?:{kin})(?:'s)?\b")


@functools.cache
def _dropped(language: str) -> frozenset[str]:
    held = stop_words(language)
    return frozenset((*held, *map(unaccented, held)))


@functools.cache
def _common(language: str) -> frozenset[str]:
    return _stems(" ".join(_words()[language]["common"]), language)


@functools.cache
def _stems(words: str, language: str) -> frozenset[str]:
    return words_in(words, language)


@functools.cache
def _words() -> Mapping[str, Lists]:
    text = (resources.files("palimpsest.language") / "telling.toml").read_text(encoding="utf-8")
    return {
        code: {
            key: tuple(_spelt(held.split() if isinstance(held, str) else held))
            for key, held in table.items()
        }
        for code, table in tomllib.loads(text).items()
    }


def _spelt(held: Iterable[str]) -> Iterator[str]:
    """Words of a list, also without their accents where they stay words of three letters."""
    for word in map(folded, held):
        yield word
        plain = unaccented(word)
        if plain != word and len(plain) >= _TELLING:
            yield plain
