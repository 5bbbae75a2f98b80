"""Requests to forget: which clause is one, and what it says is to go.

They are told by what opens the clause ("forget ..."), by a frame around what goes ("I'd rather
you didn't keep ...", "... kannst du löschen"), with accents or without. Invariant: a pure
function; "don't forget", a question about forgetting and an order to edit a text are none.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import regex

from palimpsest.extract.grammar import Grammar, bare
from palimpsest.language.identifiers import identifiers
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.word_list import folded, word_list

_SLOT = r"(?P<s{}>\b.{{0,120}}?|(?![\p{{L}}\p{{N}}]).{{0,120}}?)"
_MARKS = " ,.!?¿¡:;\"'“«„*•-"
_LAST_LETTER = regex.compile(r"\p{L}(?![\p{L}])")
_FORGET, _KEEP, _FIRST = "\ue000", "\ue001", 0xE100
"""Signs for the forms of a verb, out of the private use area, and the first of their numbers."""
_CUTS = tuple(",;.!–—")
_CUT = regex.compile(r"\s*[,;.!–—]")
_GAP = regex.compile(rf"(\.\.\.|[{_FORGET}{_KEEP}]|\s+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request to forget."""

    about: str
    """The words that say what goes, folded and nearly without accents; empty where it points back."""
    strong: bool
    """False where the verb is one of editing too."""
    framed: bool = False
    """True where a frame told it and not the word that opens it."""
    edits: bool = False
    """True for an order to delete a part of a text: no request, and no statement either."""
    dismisses: bool = False
    """True for "forget it", which may drop no more than the subject."""
    leaves: bool = False
    """True for "forget that, let's talk of ...": it points back and then leaves the subject."""


def forget_request(clause: str, grammar: Grammar) -> Asked | None:
    """What a clause asks to forget; ``None`` where it asks for nothing of the kind."""
    flat = _typed(clause).lstrip(_MARKS)
    if _dismisses(flat, grammar):
        opened = _opened(flat, grammar)
        return Asked(about="", strong=False, dismisses=True) if opened else None
    for polite in _politely(flat, grammar):
        if retained := _bare(grammar.retained).match(polite):
            # "Don't forget to delete my address" asks for it.
            asked = _opened(polite[retained.end() :].lstrip(_MARKS), grammar)
            return _weighed(asked, clause, grammar) if asked else None
        asked = _opened(polite, grammar) or _framed(polite, grammar)
        if asked is not None:
            return _weighed(asked, clause, grammar)
    return None


def opens_request(flat: str, grammar: Grammar) -> bool:
    """True where words open a request to forget, or the opposite one."""
    typed = _typed(flat).lstrip(_MARKS)
    return any(
        _bare(grammar.retained).match(polite) or _opened(polite, grammar)
        for polite in _politely(typed, grammar)
    )


def points_back(about: str, grammar: Grammar) -> bool:
    """True where the words name nothing by themselves: "it", "what I just said"."""
    flat = about.strip(_MARKS)
    while found := _bare((*grammar.pointers, *grammar.politeness)).match(flat):
        flat = flat[found.end() :].lstrip(_MARKS)
    return not flat


def _opened(flat: str, grammar: Grammar) -> Asked | None:
    for strong, verbs in ((True, grammar.forgets), (False, grammar.erasures)):
        if found := _opening(verbs, grammar).match(flat):
            return Asked(about=flat[found.end() :].strip(_MARKS), strong=strong)
    return None


def _framed(flat: str, grammar: Grammar) -> Asked | None:
    marked, words = _marked(flat, grammar)
    for frame in _frames(grammar):
        if all(piece in marked for piece in frame.pieces) and (
            found := _compiled(frame.shape).match(marked)
        ):
            parts = (part for part in found.groups() if part)
            said = " ".join(_unmarked(part, words) for part in parts)
            return Asked(about=said.strip(_MARKS), strong=True, framed=True)
    return None


def _marked(flat: str, grammar: Grammar) -> tuple[str, dict[str, str]]:
    """A text with one sign for every form of a verb, and the forms by their signs."""
    words: dict[str, str] = {}

    def sign(found: regex.Match[str]) -> str:
        each = (_FORGET if found.lastgroup == "f" else _KEEP) + chr(_FIRST + len(words))
        words[each] = found.group()
        return each

    return _forms(grammar).sub(sign, flat), words


def _unmarked(text: str, words: dict[str, str]) -> str:
    for each, word in words.items():
        text = text.replace(each, word)
    return text


def _weighed(asked: Asked, clause: str, grammar: Grammar) -> Asked | None:
    """A request as what it is: an edit of a text, a question about what would be, or itself."""
    if phrases_in(asked.about, grammar.edited):
        owned = bool(phrases_in(asked.about, (*grammar.possessives, *grammar.kin)))
        loose = not owned and (asked.framed or not asked.strong)
        if loose or (not asked.strong and _edits_own(asked.about, grammar)):
            return dataclasses.replace(asked, edits=True)
    asks = clause.rstrip().endswith("?")
    return None if asks and phrases_in(asked.about, grammar.conditions) else asked


def _edits_own(about: str, grammar: Grammar) -> bool:
    """True for "my second paragraph": what is the speaker's is still a text."""
    return bool(_bare(grammar.edited).search(" ".join(word_list(about)[:4])))


def _dismisses(flat: str, grammar: Grammar) -> bool:
    found = _bare(grammar.dismissals).match(flat)
    if found is None:
        return False
    rest = flat[found.end() :]
    return len(word_list(rest)) <= _AFTERTHOUGHT or _leaves(rest, grammar)


def _leaves(rest: str, grammar: Grammar) -> bool:
    """True where a mark follows, and behind it nothing that could be meant to go."""
    cut = rest.lstrip()
    named = phrases_in(cut, (*grammar.possessives, *grammar.kin)) or identifiers(cut)
    return cut[:1] in _CUTS and len(cut) > 1 and not named and not opens_request(cut[1:], grammar)


def pointed(asked: Asked, grammar: Grammar) -> Asked:
    """A request whose first words point back, and whose others are of another subject."""
    found = _CUT.search(asked.about)
    if found is None or not asked.about[: found.start()].strip():
        return asked
    head, rest = asked.about[: found.start()], asked.about[found.start() :]
    if not points_back(head, grammar) or not _leaves(rest, grammar):
        return asked
    return dataclasses.replace(asked, about=head, leaves=True)


_AFTERTHOUGHT = 3
"""Words behind "never mind" that name nothing."""


def _politely(flat: str, grammar: Grammar) -> Iterator[str]:
    """A clause as it is, then without each polite word before it."""
    yield flat
    while found := _bare((*grammar.politeness, *grammar.openers)).match(flat):
        flat = flat[found.end() :].lstrip(_MARKS)
        yield flat


def _typed(text: str) -> str:
    """Folded text without its accents but those that end a word: "olvidé" is no "olvide"."""
    flat = folded(text)
    kept = {found.start() for found in _LAST_LETTER.finditer(flat)}
    return "".join(c if at in kept else bare(c) for at, c in enumerate(flat))


def _bare(phrases: tuple[str, ...]) -> regex.Pattern[str]:
    return pattern(_unaccented(phrases))


@functools.cache
def _unaccented(phrases: tuple[str, ...]) -> tuple[str, ...]:
    both = ((_typed(phrase), bare(folded(phrase))) for phrase in phrases)
    return tuple(dict.fromkeys(typed for pair in both for typed in pair))


@functools.cache
def _opening(verbs: tuple[str, ...], grammar: Grammar) -> regex.Pattern[str]:
    return regex.compile(rf"(?:{_any(verbs)})(?:{_hung(grammar)})(?![\p{{L}}\p{{N}}])")


class _Frame(NamedTuple):
    pieces: tuple[str, ...]
    """Words that a text must hold to fit; looked at first, since most texts fit no frame."""
    shape: str


@functools.cache
def _frames(grammar: Grammar) -> tuple[_Frame, ...]:
    return tuple(_frame(frame, grammar) for frame in grammar.frames)


def _frame(frame: str, grammar: Grammar) -> _Frame:
    """A frame over the whole clause; what stands behind it is of what goes."""
    shape, slots, pieces = "", 0, []
    for piece in _GAP.split(_framing(frame, grammar)):
        if piece == "...":
            shape, slots = shape + _SLOT.format(slots), slots + 1
        elif piece.isspace():
            shape += r"[\s,]*"
        elif piece and piece[0] in _FORGET + _KEEP:
            shape += rf"{piece[0]}."
            pieces.append(piece[0])
        elif piece:
            shape += rf"(?<![\p{{L}}\p{{N}}]){regex.escape(piece)}"
            shape += "" if piece.endswith("'") else r"(?![\p{L}\p{N}])"
            pieces.append(piece)
    return _Frame(tuple(pieces), rf"{shape}(?P<behind>.*)")


def _framing(frame: str, grammar: Grammar) -> str:
    """A frame with the signs that a text has for its forms."""
    signed = frame.replace("{f}", _FORGET).replace("{k}", _KEEP)
    return _forms(grammar).sub(
        lambda found: _FORGET if found.lastgroup == "f" else _KEEP, _typed(signed)
    )


@functools.cache
def _compiled(shape: str) -> regex.Pattern[str]:
    return regex.compile(shape)


@functools.cache
def _forms(grammar: Grammar) -> regex.Pattern[str]:
    forget, keep = _any(grammar.forget_forms), _any(grammar.keep_forms)
    return regex.compile(
        rf"(?<![\p{{L}}\p{{N}}])(?:(?P<f>(?:{forget})(?:{_hung(grammar)}))"
        rf"|(?P<k>(?:{keep})(?:{_hung(grammar)})))(?![\p{{L}}\p{{N}}])"
    )


def _any(phrases: tuple[str, ...]) -> str:
    listed = sorted(set(_unaccented(phrases)), key=lambda p: (-len(p), p))
    return "|".join(regex.escape(phrase, special_only=True) for phrase in listed) or "(?!)"


def _hung(grammar: Grammar) -> str:
    """What may hang on a verb: "borra-lo", "cancellalo"."""
    return "|".join([*(regex.escape(one) for one in _unaccented(grammar.clitics)), ""])
