"""Whether the words of a statement stand with the word for the user: "you are still diabetic".

"If you see a cat" speaks to the user and of a cat, and does not say that they have one: between
"you" and the statement stand words of grammar only, or what is said of the user beside it ("you
are tall and diabetic", "your severe peanut allergy"). Invariant: a pure function; what is not in
the lists is a word that says something of its own, and parts the two.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from palimpsest.language.stop_words import stop_words

Lists = Mapping[str, tuple[str, ...]]
_TOKEN = re.compile(r"[^\W_]+|[,:;.!?]")
_ADVERB = re.compile(r".{3,}(?:ly|mente|amment|emment)")
_NEAR = 120
"""Characters before and behind within which a statement is said of somebody."""
_MODIFIERS = 4
"""Words of its own between who it is said of and the statement: "a 30 year old diabetic"."""


class Beside(NamedTuple):
    """Where a clause names somebody, and what stands before and behind."""

    before: str
    who: str
    behind: str

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Beside:
        """Who is named at a place, and as much around it as is read: a long text has many."""
        return cls(text[max(0, start - _NEAR) : start], text[start:end], text[end : end + _NEAR])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """What was read from the word for the user on."""

    is_said: bool
    """A form of "be" or "have", a "your" or a "you told me" came by: what follows is of them."""
    labels: bool
    """A colon may follow: "user profile: diabetic", "your diet: diabetic"."""
    room: int = _MODIFIERS
    """How many words of its own may still stand between."""
    own: bool = False
    loose: bool = False
    """A word of its own and then one of grammar: "using a single ..."."""
    last: str = ""


def is_linked(beside: Beside, language: str, held: Lists, of: Callable[[str], bool]) -> bool:
    """True where words that ``of`` knows are said of whom a clause names there."""
    who, tokens = beside.who, _TOKEN.findall(beside.behind)
    being = {*held["being"], *held["reports"]}
    # German says the verb last.
    last = language == "de" and not being.isdisjoint(tokens)
    yours = who in held["yours"]
    way = _Way(is_said=who in being or yours or last, labels=yours or who in held["user"])
    return _reaches(way, tokens, language, held, of) or _comes_back(
        _TOKEN.findall(beside.before), tokens, held, of
    )


def is_denied(beside: Beside, language: str, held: Lists, of: Callable[[str], bool]) -> bool:
    """True where a negation turns words that ``of`` knows round, and not what stands beside them.

    "I am not diabetic" and "ich rauche nicht mehr"; not "I am diabetic and not overweight".
    """
    before, behind = _TOKEN.findall(beside.before), _piece(_TOKEN.findall(beside.behind))
    # With no room for words of its own: "not overweight but diabetic" denies the first of them.
    way = _Way(is_said=True, labels=False, room=0)
    if _reaches(way, behind, language, held, of):
        return True
    return bool(before) and of(before[-1]) and {*behind} <= {*held["light"]}


def _reaches(
    way: _Way, tokens: Sequence[str], language: str, held: Lists, of: Callable[[str], bool]
) -> bool:
    """Whether a statement follows."""
    light = stop_words(language)
    for at, token in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token not in held["light"] and of(token):
            # "You have a diabetic friend": it is the friend's.
            return not way.loose and following not in held["kin"]
        step = _step(way, token, following, light, held)
        if step is None:
            return False
        way = dataclasses.replace(step, last=token)
    return False


def _step(way: _Way, token: str, following: str, light: frozenset[str], held: Lists) -> _Way | None:
    """The way behind one word more; ``None`` where it ends."""
    if not token[0].isalnum():
        return _over_a_mark(way, token, following, held)
    if token in held["third"]:
        return None
    if token in held["being"] or token in held["reports"]:
        return dataclasses.replace(way, is_said=True, loose=way.own)
    if token in held["joins"]:
        return dataclasses.replace(way, loose=False)
    if not way.is_said and token in held["parts"] and following not in held["being"]:
        return None
    if token in held["light"] or token in light or _ADVERB.fullmatch(token):
        return dataclasses.replace(way, loose=way.own)
    # "User profile: ...", "you happen to be ...".
    if (way.labels and following == ":") or following == "to":
        return way
    if not way.is_said or not way.room:
        return None
    return dataclasses.replace(way, own=True, room=way.room - 1)


def _over_a_mark(way: _Way, mark: str, following: str, held: Lists) -> _Way | None:
    """ "You are, after all, ..." and "for you, a ..."; not "as you said, ..." or "you are right, "."""
    if mark == ":" and way.labels:
        return dataclasses.replace(way, loose=False, is_said=True)
    if mark != ",":
        return None
    if not way.is_said:
        return way if following in held["articles"] else None
    if way.last in held["reports"] or way.last in held["common"]:
        return None
    return dataclasses.replace(way, loose=False)


def _comes_back(
    before: Sequence[str], behind: Sequence[str], held: Lists, of: Callable[[str], bool]
) -> bool:
    """ "Diabetic as you are", "schwanger bist du also", "diabetics like you"."""
    back = {*held["likes"], *held["backs"], *held["being"]}
    at = len(before)
    while at and before[at - 1] in {*back, *held["light"]}:
        at -= 1
    if not at or not back & set(before[at:]) or not of(before[at - 1]):
        return False
    if before[-1] in held["likes"]:
        return True
    return {*_piece(behind)} <= {*back, *held["light"]}


def _piece(tokens: Sequence[str]) -> Sequence[str]:
    """What stands before the first mark."""
    ends = next((n for n, token in enumerate(tokens) if not token[0].isalnum()), len(tokens))
    return tokens[:ends]
