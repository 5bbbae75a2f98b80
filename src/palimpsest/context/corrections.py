"""Which earlier statement a correction replaces, and how certain that is.

Certain: the earlier sentence chooses the very value that the correction names as gone, or
states another value of one kind about one topic, and states nothing else. Anything less
keeps both: a lost fact is worse than a repetition. What the assistant alone says to be
replaced is never certain. Invariant: a correction is younger than what it replaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from palimpsest.language.reading import Reading
from palimpsest.language.replacing import (
    Replacement,
    clause,
    is_chosen,
    is_pronoun,
    is_question,
)
from palimpsest.language.topics import Value, place, topic, unit, values
from palimpsest.protocols import Note

_SAYS_MORE, _OTHER_MATTER = -1, -2
_TRIES = 64
"""How many earlier sentences a restatement is held against: a bound on work, not a rule."""


class Said(NamedTuple):
    """One sentence of the conversation, in its order."""

    note: Note
    reading: Reading
    shown: bool
    """True where the request holds its turn anyway."""


class Link(NamedTuple):
    """Sentence ``correction`` replaces sentence ``statement`` (places in the list)."""

    correction: int
    statement: int
    certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gone:
    """What a correction says is gone: a value, or the stems of a thing without one."""

    value: str
    kind: str
    stems: frozenset[str] = field(default_factory=frozenset)


def links(said: Sequence[Said]) -> list[Link]:
    """Every pair of a correction and an earlier sentence that it may replace."""
    index = _index(said)
    found: list[Link] = []
    for place_, item in enumerate(said):
        for replacement in item.reading.replacements:
            pairs = (
                _by_name(said, index, place_, replacement)
                if replacement.old
                else _by_topic(said, index, place_, replacement)
            )
            told = item.note.role == "user" or _user_agrees(said, place_, replacement)
            sure = told and not is_question(item.reading.text)
            found += [Link(place_, s, certain and sure) for s, certain in pairs]
    return found


def restated(said: Sequence[Said], marked: set[int]) -> set[int]:
    """Sentences that state another value than an earlier marked one of the same topic.

    No phrase says so, hence nothing is replaced; but the younger one must not come behind.
    """
    index = _index(said, marked)
    return {
        at
        for at, item in enumerate(said)
        if at not in marked and item.reading.exact and _restates(said, index, at)
    }


def _restates(said: Sequence[Said], index: dict[str, list[int]], at: int) -> bool:
    read = said[at].reading
    own = _topic_of(read)
    near = sorted({s for word in own for s in index.get(word, ()) if s < at}, reverse=True)
    return any(
        next(_rivals(said[s].reading, read, read.values, own), None) is not None
        for s in near[:_TRIES]
    )


def antecedent(said: Sequence[Said], place_: int) -> int | None:
    """The sentence before, where a correction's new thing is a word that points to it."""
    item = said[place_]
    before = said[place_ - 1] if place_ else None
    if before is None or _text_of(before.note) != _text_of(item.note):
        return None
    points = any(
        found.new and is_pronoun(item.reading.text[slice(*found.new)], item.reading.pack)
        for found in item.reading.replacements
    )
    return place_ - 1 if points else None


def _text_of(note: Note) -> tuple[int, int, int]:
    return note.turn, note.message, note.text


def _index(said: Sequence[Said], among: set[int] | None = None) -> dict[str, list[int]]:
    """Sentences by the lower-case words and the stems that stand in them."""
    index: dict[str, list[int]] = {}
    for number, item in enumerate(said):
        read = item.reading
        if among is not None and number not in among:
            continue
        words = {word for v in values(read.text, read.pack, bare=True) for word in _words(read, v)}
        for word in words | topic(read.text, read.pack):
            index.setdefault(word, []).append(number)
    return index


def _words(read: Reading, value: Value) -> list[str]:
    return read.text[value.start : value.end].strip('`"').lower().split()[:1]


# --- what is gone is named -------------------------------------------------------------------


def _by_name(
    said: Sequence[Said], index: dict[str, list[int]], at: int, found: Replacement
) -> list[tuple[int, bool]]:
    gone = _gone(said[at].reading, found)
    if gone is None:
        return []
    own = _own_topic(said[at].reading, found, gone)
    before = antecedent(said, at)
    around = _topic_of(said[before].reading) if before is not None else frozenset()
    keys = gone.value.lower().split()[:1] or sorted(gone.stems)[:1]
    near = [s for key in keys for s in index.get(key, ()) if s < at and not said[s].shown]
    graded = {s: _grade(said[s].reading, gone, own, around) for s in near}
    best = max((grade for grade in graded.values() if grade is not None), default=0)
    # The statement that shares most is the one meant; another matter then needs nothing.
    least = _OTHER_MATTER + (best >= 0)
    return [
        (s, grade == best >= 0)
        for s, grade in graded.items()
        if grade is not None and grade >= least
    ]


def _gone(read: Reading, found: Replacement) -> _Gone | None:
    assert found.old is not None
    text = read.text[slice(*found.old)]
    stated = values(text, read.pack, bare=True)
    if stated:
        # The value next to the phrase: the first behind it, the last before it.
        value = stated[0] if found.old[0] >= found.start else stated[-1]
        return _Gone(value=text[value.start : value.end].strip("`"), kind=value.kind)
    stems = topic(text, read.pack)
    return _Gone(value="", kind="words", stems=stems) if stems else None


def _own_topic(read: Reading, found: Replacement, gone: _Gone) -> frozenset[str]:
    """What a correction is about, its values aside."""
    start, end = clause(read.text, found, read.pack)
    part = read.text[start:end]
    stated = [v[:2] for v in values(part, read.pack, bare=True)]
    return topic(part, read.pack, without=stated) - gone.stems


def _topic_of(read: Reading) -> frozenset[str]:
    return topic(read.text, read.pack, without=[value[:2] for value in read.values])


def _grade(read: Reading, gone: _Gone, own: frozenset[str], around: frozenset[str]) -> int | None:
    """How much a statement speaks of what a correction speaks of, in shared topic words.

    ``None`` where it says nothing of it; below nought where it says more than that, or may
    be about another matter.
    ``around`` is the topic of the sentence that a correction's pronoun points to: it can
    speak for a statement, and does not speak against one.
    """
    span = place(gone.value, read.text) if gone.value else _span_of(read, gone.stems)
    if span is None or read.asks or _goes_itself(read, span):
        return None
    theirs = topic(read.text, read.pack, without=[span])
    other_matter = not (own <= theirs or theirs <= own)
    shared = len((own | around) & theirs)
    if other_matter:
        return _OTHER_MATTER
    names_it = gone.kind in ("identifier", "name", "words") or shared
    chosen = is_chosen(read.text, span[0], read.pack) and not _states_more(read, span)
    return shared if chosen and names_it else _SAYS_MORE


def _span_of(read: Reading, stems: frozenset[str]) -> tuple[int, int] | None:
    """Where all stems stand in a sentence; the span of the last of them."""
    if not stems <= topic(read.text, read.pack):
        return None
    spans = [
        (start, start + len(word))
        for word in read.text.split()
        if topic(word, read.pack) & stems
        for start in (read.text.find(word),)
    ]
    return spans[-1] if spans else None


def _goes_itself(read: Reading, span: tuple[int, int]) -> bool:
    """True where the sentence itself says that the thing is gone."""
    return any(r.old and r.old[0] <= span[0] < r.old[1] for r in read.replacements)


def _states_more(read: Reading, span: tuple[int, int]) -> bool:
    """True where a sentence states an exact value besides the one at ``span``."""
    old = [r.old for r in read.replacements if r.old]
    return any(
        value.kind != "name"
        and not (value.start <= span[1] + 1 and span[0] - 1 <= value.end)
        and not any(start <= value.start < end for start, end in old)
        for value in read.values
    )


# --- only what comes is named ----------------------------------------------------------------


def _by_topic(
    said: Sequence[Said], index: dict[str, list[int]], at: int, found: Replacement
) -> list[tuple[int, bool]]:
    read = said[at].reading
    if found.new is None:
        return []
    offset = found.new[0]
    comes = [
        Value(v.start + offset, v.end + offset, v.kind)
        for v in values(read.text[slice(*found.new)], read.pack)
    ]
    start, end = clause(read.text, found, read.pack)
    inside = [(v.start - start, v.end - start) for v in comes]
    own = topic(read.text[start:end], read.pack, without=inside)
    near = sorted({s for word in own for s in index.get(word, ()) if s < at})
    pairs = [
        (s, theirs, exact)
        for s in near
        if not said[s].shown and not said[s].reading.asks
        for theirs, exact in _rivals(said[s].reading, read, comes, own)
    ]
    one_topic = len({theirs for _, theirs, _ in pairs}) == 1
    return [
        (s, exact and (own == theirs or (found.kind == "new" and own < theirs and one_topic)))
        for s, theirs, exact in pairs
    ]


def _rivals(
    read: Reading, newer: Reading, comes: Sequence[Value], own: frozenset[str]
) -> Iterator[tuple[frozenset[str], bool]]:
    """The topic of an older sentence for each other value of one kind that it states."""
    for value in read.values:
        text = read.text[value.start : value.end]
        theirs = topic(read.text, read.pack, without=[value[:2]])
        if not own & theirs:
            continue
        for new in comes:
            text_new = newer.text[new.start : new.end]
            if _comparable(value, new, text, text_new) and text.lower() != text_new.lower():
                chosen = is_chosen(read.text, value.start, read.pack)
                more = _states_more(read, value[:2]) or len(comes) > 1
                yield theirs, chosen and not more


def _comparable(old: Value, new: Value, old_text: str, new_text: str) -> bool:
    things = ("identifier", "name")
    if old.kind in things and new.kind in things:
        return True
    if old.kind != new.kind:
        return False
    return old.kind == "date" or unit(old_text) == unit(new_text)


def _user_agrees(said: Sequence[Said], at: int, found: Replacement) -> bool:
    """True where the user, in the same turn, names what comes or what goes."""
    item = said[at]
    slots = [item.reading.text[slice(*slot)] for slot in (found.old, found.new) if slot]
    named = [
        slot[v.start : v.end] for slot in slots for v in values(slot, item.reading.pack, bare=True)
    ]
    same = [s for s in said if s.note.turn == item.note.turn and s.note.role == "user"]
    return any(place(value, s.reading.text) for value in named for s in same)
