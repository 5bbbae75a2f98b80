"""Whether a copy of a statement says the contrary of it, clause by clause, in six languages.

Negations in pairs cancel, "not only" and "no problem" turn nothing round, the French "ne" of
"avant qu'il ne parte" is silent, "kein" negates a verb as "nicht" does, and "unhappy" denies what
"happy" says. A clause is compared with the one that it resembles most. Invariant: a pure function that leans
to *not flipped*: where the nearest clauses disagree, or one is unclear, nothing is said.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import regex

from palimpsest.language import lexicon, stems
from palimpsest.language.contractions import written_out
from palimpsest.language.guess import languages_of
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list

_LIKING = "<liking>"
"""Stands for every word of liking and of disliking."""
_ELLIPTIC = 3
"""Words of a piece that may lean on the piece before it: "..., not coffee"."""
_LEAST = 0.5
"""The part of a copied clause's words that a clause must hold to be what it was copied from."""
_SHORTEST = 3
"""Letters of a word that an affix can deny."""
_BREAK = regex.compile(r"(?<!\d)[,.:](?!\d)|[.,:](?=\s|$)|[;!?()¿¡\n\u2013\u2014\u2026\"“”«»]+")
_FREE = regex.compile(r"\b([\p{L}]+)-free\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    words: frozenset[str]
    """Stems of what it is about, without what negates."""
    denied: bool | None
    """``None`` where it cannot be told."""
    marks: tuple[str, ...] = ()
    """What denies it; none where two negations cancel."""


def negations(text: str) -> frozenset[str]:
    """The negating words of a text that do turn its clauses round, folded."""
    return frozenset(
        mark for code in _likely(text)[:1] for piece in _pieces(text, code) for mark in piece.marks
    )


def flipped(source: str, copy: str) -> bool:
    """True where a clause of ``copy`` says the contrary of the clause of ``source`` it resembles.

    Short texts may be in several languages: one must say so, and none may say otherwise.
    """
    if folded(source) == folded(copy):
        return False
    found = {_judged(source, copy, codes) for codes in _codes(source, copy)}
    return True in found and False not in found


def _judged(source: str, copy: str, codes: tuple[str, str]) -> bool | None:
    """Whether a copied clause contradicts; ``None`` where none resembles a clause of the source."""
    origin = [piece for piece in _pieces(source, codes[0]) if piece.words]
    found = {_contrary(piece, origin, codes) for piece in _pieces(copy, codes[1])} - {None}
    if True in found:
        return True
    # A language that knows no negation in either text has nothing to say against another.
    knows = _knows(source, codes[0]) or _knows(copy, codes[1])
    return False if found and knows else None


def _knows(text: str, code: str) -> bool:
    held = _words()[code]
    flat = written_out(folded(text)) if code == "en" else folded(text)
    kinds = ("verbal", "others", "idle", "reversals", "lacks")
    return any(phrases_in(flat, held[kind]) for kind in kinds)


def _contrary(copied: _Piece, origin: Sequence[_Piece], codes: tuple[str, str]) -> bool | None:
    if copied.denied is None or not copied.words - {_LIKING}:
        return None
    scored = [_compared(piece, copied, codes) for piece in origin]
    held = [found for found in scored if found is not None]
    if not held:
        return None
    best = max(score for score, _ in held)
    return all(contrary for score, contrary in held if score == best)


def _compared(piece: _Piece, copied: _Piece, codes: tuple[str, str]) -> tuple[float, bool] | None:
    """How alike two pieces are, and whether they contradict; ``None`` where nothing is shared."""
    mine, turned = _unaffixed(piece.words, copied.words, codes[0])
    other, turned_back = _unaffixed(copied.words, mine, codes[1])
    shared = mine & other
    if not shared - {_LIKING} or len(shared) < _LEAST * len(other):
        return None
    contrary = False
    if piece.denied is not None and copied.denied is not None:
        contrary = (piece.denied ^ turned) != (copied.denied ^ turned_back)
    return len(shared) / len(mine | other), contrary


def _unaffixed(
    words: frozenset[str], other: frozenset[str], code: str
) -> tuple[frozenset[str], bool]:
    """The words with those bare that the other text has bare; True where an odd number was."""
    held = _words()[code]
    found = {}
    for word in words - other:
        for base in other:
            if len(base) >= _SHORTEST and word != base and _denies(word, base, held):
                found[word] = base
    return frozenset(found.get(word, word) for word in words), len(found) % 2 == 1


def _denies(word: str, base: str, held: Mapping[str, tuple[str, ...]]) -> bool:
    if any(word == affix + base for affix in held["affixes"]):
        return True
    return any(word in (base + ending, base + "s" + ending) for ending in held["endings"])


# --- pieces -----------------------------------------------------------------------------


@functools.lru_cache(maxsize=4_096)
def _pieces(text: str, code: str) -> tuple[_Piece, ...]:
    """The clauses of a text, from left to right."""
    found: list[_Piece] = []
    for piece, joined in _split(_audible(text, code), code):
        made = _piece(piece, code)
        if not made.words:
            continue
        if found and joined and _leans(piece, code):
            # What denies nothing itself may go along with a denial before it.
            open_to = made.denied is False and found[-1].denied is not False
            made = _Piece(
                words=found[-1].words | made.words, denied=None if open_to else made.denied,
                marks=made.marks,
            )  # fmt: skip
        found.append(made)
    return tuple(found)


def _split(flat: str, code: str) -> Iterator[tuple[str, bool]]:
    """Pieces of a text, each with True where it goes on in a sentence."""
    held = _words()[code]
    for sentence in regex.split(r"[.!?\u2026]+(?=\s|$)|\n", flat):
        begin, first = 0, True
        cuts = [*((m.start(), m.end()) for m in _BREAK.finditer(sentence)),
                *phrases_in(sentence, held["joins"]),
                *((start, start) for start, _ in phrases_in(sentence, held["lacks"]))]  # fmt: skip
        for start, end in sorted(cuts):
            if start >= begin:
                yield sentence[begin:start], not first
                begin, first = end, first and not sentence[begin:start].strip()
        yield sentence[begin:], not first


def _piece(piece: str, code: str) -> _Piece:
    held = _words()[code]
    rest, disliked = _without(piece, _dislikes(code))
    rest, liked = _without(rest, _likes(code))
    rest, verbal = _without(rest, held["verbal"])
    rest, others = _without(rest, held["others"])
    rest, reversed_by = _without(rest, held["reversals"])
    rest, lacking = _without(rest, held["lacks"])
    core = verbal + others if len(verbal) % 2 or (others and not verbal) else []
    turns = bool(core) + len(disliked) + len(reversed_by) + len(lacking)
    stem, dropped = stems.stems(code).of, stop_words(code) | set(held["speaker"])
    words = {stem(word) for word in word_list(rest) if word not in dropped}
    if liked or disliked:
        words.add(_LIKING)
    denied = None if phrases_in(rest, held["unclear"]) else turns % 2 == 1
    return _Piece(words=frozenset(words), denied=denied, marks=tuple(core + lacking))


def _without(text: str, phrases: tuple[str, ...]) -> tuple[str, list[str]]:
    """A text without some phrases, and those that it held."""
    found = [text[start:end] for start, end in phrases_in(text, phrases)]
    return (pattern(phrases).sub(" ", text) if found else text), found


def _leans(piece: str, code: str) -> bool:
    """True for a piece that says nothing by itself: "..., not coffee"."""
    bare = _without(piece, (*_words()[code]["verbal"], *_words()[code]["others"]))[0]
    return len(word_list(bare)) <= _ELLIPTIC and not phrases_in(bare, _words()[code]["subjects"])


def _audible(text: str, code: str) -> str:
    """A text, folded, without the phrases whose negation turns nothing round."""
    flat = folded(text)
    if code == "en":
        flat = _FREE.sub(r"without \1", written_out(flat))
    flat = pattern(_words()[code]["idle"]).sub(" ", flat)
    return _NE.sub(_spoken, flat) if code == "fr" else flat


_NE = regex.compile(r"(?<![\p{L}-])(?P<ne>ne\s+|n')(?P<tail>[^.,;:!?\n]*)")
_WITH_NE = regex.compile(
    r"(?<!\p{L})(?:pas|plus|jamais|rien|personne|aucune?|guère|point|ni|nulle?)(?!\p{L})"
)
_ONLY = regex.compile(r"(?<!\p{L})qu(?:e(?!\p{L})|')")
_EXPLETIVE = regex.compile(
    r"(?<!\p{L})(?:avant|à moins|de peur|de crainte|sans|crain\p{L}*|peur|empêch\p{L}*|évit\p{L}*"
    r"|(?:plus|moins)\s+[^.,;:!?]*|mieux|pire|autre\p{L}*)\s+qu(?:e(?!\p{L})|')[^.,;:!?]*$"
)


def _spoken(found: regex.Match[str]) -> str:
    """A French "ne" and what follows it; without it where it denies nothing."""
    head, tail = found.string[: found.start()], str(found["tail"])
    sentence = regex.split(r"[.,;:!?\n]", head)[-1]
    if _WITH_NE.search(tail) or (
        _WITH_NE.search(sentence[-40:]) and not _EXPLETIVE.search(sentence)
    ):
        return found.group()
    if _ONLY.search(tail) or _EXPLETIVE.search(sentence):
        return tail
    return found.group()


# --- languages --------------------------------------------------------------------------


def _codes(source: str, copy: str) -> tuple[tuple[str, str], ...]:
    """The languages that both texts may be in: the same where they share most words."""
    one, two = set(word_list(source)), set(word_list(copy))
    if 2 * len(one & two) >= len(two):
        return tuple((code, code) for code in _likely(f"{source}\n{copy}"))
    both = [code for code in _likely(source) if code in _likely(copy)]
    if both:
        return tuple((code, code) for code in both)
    return tuple((mine, other) for mine in _likely(source)[:1] for other in _likely(copy)[:1])


def _likely(text: str) -> tuple[str, ...]:
    return tuple(code for code in languages_of(text) if code in _words())


@functools.cache
def _words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = (resources.files("palimpsest.language") / "polarity.toml").read_text(encoding="utf-8")
    return {
        code: {key: tuple(map(folded, phrases)) for key, phrases in table.items()}
        for code, table in tomllib.loads(text).items()
    }


@functools.cache
def _dislikes(code: str) -> tuple[str, ...]:
    """What says a dislike; what is a state of health is none."""
    held = _words()[code]
    listed = (phrase for phrase in lexicon.load(code).dislikes if phrase not in held["states"])
    return (*map(folded, listed), *held["dislikes"])


@functools.cache
def _likes(code: str) -> tuple[str, ...]:
    return (*map(folded, lexicon.load(code).likes), *_words()[code]["likes"])
