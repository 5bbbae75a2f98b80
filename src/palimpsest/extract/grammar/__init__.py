"""Grammars: how one language states, wishes, plans, corrects and asks to forget.

A grammar is a TOML file in this folder, named by its language code; every list holds phrases
that are found as whole words in folded text, typed with their accents or without. ``first`` are
the words of the speaker, ``possessives`` those of them before what is theirs, ``own_verbs`` verb forms that name the speaker by their ending and are
none behind one of the ``articles``, ``shared_verbs`` those that may name others too, ``kin`` people who need no "my" ("Grandma"), ``subjects``
open a statement about something else, ``verbs`` follow a name or a thing, ``name_articles`` may
stand before a name, ``wishes``, ``plans``, ``standing`` and ``past`` tell the kind, ``orders``
open an instruction that settles something, ``tasks`` one that is only for now, ``corrections``
announce that something changed, ``ceased`` say so in two words apart ("keinen ... mehr"), ``openers`` may stand before a statement and say nothing ("just
so you know"), ``notings`` ask to keep what follows, in a question too ("could you remember that"), ``tags`` end a statement with a
question mark ("okay?"), ``addressed`` open what is said of the assistant, ``questions`` open a question,
``reports`` tell what others say, ``pastes`` announce a text of somebody else, ``empty`` are
first-person words that say nothing, ``lapses`` those of them in two parts, ``copulas`` end a subject, ``value_ends`` begin what is
no longer of the value ("instead of"), ``before_names`` stand right before a name where every
noun has a capital, ``joins`` may begin another statement, ``conditions`` open what is supposed or on the word of another, ``abbreviations`` end in a point that ends no
sentence, and ``domains`` are words of one field of life. ``topics`` are words by which people come
back to one thing of such a field ("summer trip", "vacances"): they tell a target and no statement.

Of what holds nothing to ask for later: ``fillers`` are about the talk itself,
``moments`` about the hour ("tired", "my coffee is getting cold"), ``mistakes`` own to
an error beside a statement, ``refusals`` open one that turns down what was said, ``assents`` tell
that somebody agrees, ``sayings`` that somebody says, ``minutes`` number the parts of a document,
``undecided`` is what minutes say. ``impersonals`` state what anybody does ("you get in with ...")
and ``asides`` are conditions in two parts that condition nothing ("if ... asks").

Of forget requests: ``forgets`` ask for one where they open a clause behind ``politeness``, and
so do ``erasures``, which are said of texts and files too;
``forget_forms`` and ``keep_forms`` are the other forms of the verbs, which ``frames`` hold as
``{f}`` and ``{k}`` with ``...`` for what goes, and ``clitics`` may hang on any of them.
``retained`` ask for the opposite ("don't forget"), ``dismissals`` drop a subject and no fact
("never mind"), ``pointers`` name nothing by themselves ("it"), ``pronouns`` are those that take up what was named, ``generalities`` name
nothing in particular ("things"), ``reminders`` ask to be reminded of what they name, ``waits``
open a correction and are no part of it ("no wait"), and ``edited`` are parts of a
text or of a program, which "delete" means there.
Invariant: an unknown or missing key is refused.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields

from palimpsest.errors import ConfigError
from palimpsest.language import word_file
from palimpsest.language.word_list import folded


# Compared by identity: patterns are kept by it.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grammar:
    """One language; see the module for what each list is for."""

    language: str
    first: tuple[str, ...]
    possessives: tuple[str, ...]
    own_verbs: tuple[str, ...]
    shared_verbs: tuple[str, ...]
    articles: tuple[str, ...]
    kin: tuple[str, ...]
    name_articles: tuple[str, ...]
    subjects: tuple[str, ...]
    verbs: tuple[str, ...]
    wishes: tuple[str, ...]
    plans: tuple[str, ...]
    standing: tuple[str, ...]
    past: tuple[str, ...]
    orders: tuple[str, ...]
    tasks: tuple[str, ...]
    corrections: tuple[str, ...]
    ceased: tuple[str, ...]
    forgets: tuple[str, ...]
    erasures: tuple[str, ...]
    forget_forms: tuple[str, ...]
    keep_forms: tuple[str, ...]
    frames: tuple[str, ...]
    clitics: tuple[str, ...]
    retained: tuple[str, ...]
    dismissals: tuple[str, ...]
    pointers: tuple[str, ...]
    pronouns: tuple[str, ...]
    generalities: tuple[str, ...]
    reminders: tuple[str, ...]
    waits: tuple[str, ...]
    edited: tuple[str, ...]
    openers: tuple[str, ...]
    notings: tuple[str, ...]
    tags: tuple[str, ...]
    addressed: tuple[str, ...]
    abbreviations: tuple[str, ...]
    politeness: tuple[str, ...]
    questions: tuple[str, ...]
    reports: tuple[str, ...]
    pastes: tuple[str, ...]
    empty: tuple[str, ...]
    fillers: tuple[str, ...]
    moments: tuple[str, ...]
    mistakes: tuple[str, ...]
    refusals: tuple[str, ...]
    assents: tuple[str, ...]
    sayings: tuple[str, ...]
    minutes: tuple[str, ...]
    undecided: tuple[str, ...]
    impersonals: tuple[str, ...]
    asides: tuple[str, ...]
    lapses: tuple[str, ...]
    copulas: tuple[str, ...]
    value_ends: tuple[str, ...]
    before_names: tuple[str, ...]
    joins: tuple[str, ...]
    conditions: tuple[str, ...]
    domains: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, tuple[str, ...]]


@functools.cache
def names() -> tuple[str, ...]:
    """The languages that have a grammar, sorted."""
    return word_file.languages(__name__)


@functools.cache
def load(language: str) -> Grammar:
    """The grammar of a language code; raises SpecError with the known codes."""
    text = word_file.text_of(__name__, language, "grammar")
    return read(text, where=f"the grammar {language}")


def read(text: str, *, where: str) -> Grammar:
    """Read the text of a grammar; raises ConfigError with the key at fault."""
    data = word_file.parsed(text, where)
    word_file.check_keys(data, {field.name for field in fields(Grammar)}, where)
    language = word_file.word(data.pop("language"), f"{where}: language")
    domains, topics = (_table(data.pop(key), f"{where}: {key}") for key in ("domains", "topics"))
    return Grammar(
        language=language,
        domains=domains,
        topics=topics,
        **{key: _list(value, f"{where}: {key}") for key, value in data.items()},
    )


def _table(value: object, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} is not a table")
    return {key: _list(listed, f"{where}.{key}") for key, listed in value.items()}


@functools.cache
def words_of(phrases: tuple[str, ...]) -> frozenset[str]:
    """A list of single words, to look one up in."""
    return frozenset(map(folded, phrases))


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_FEWEST_LETTERS = 4
"""A shorter word without its accent is another word: "si" is no "sí"."""
_OTHERS_UNACCENTED = frozenset({"como", "esta", "estas", "estan", "cuando", "porque", "musste",
                                "fur", "hatte", "konnen", "konnten", "konntest"})  # fmt: skip
"""Words that are no way of typing the accented one."""


def bare(text: str) -> str:
    """A text without its accents, as many type it."""
    split = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in split if not unicodedata.combining(c)))


def _list(value: object, where: str) -> tuple[str, ...]:
    """The phrases of a list, each with the other ways in which it is typed."""
    found = word_file.words(value, where)
    return tuple(dict.fromkeys(typed for phrase in found for typed in _typed(phrase)))


def _typed(phrase: str) -> tuple[str, ...]:
    plain, umlauts = bare(phrase), phrase.translate(_UMLAUTS)
    if plain == phrase or len(phrase) < _FEWEST_LETTERS or plain in _OTHERS_UNACCENTED:
        return (phrase,)
    return (phrase, plain, umlauts)
