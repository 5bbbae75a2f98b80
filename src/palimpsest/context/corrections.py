"""Which earlier statement a correction replaces, and how certain that is.

Certain: the earlier sentence chooses the very value that the correction names as gone, or
states another value of one kind about one topic, and states nothing else. Anything less
keeps both: a lost fact is worse than a repetition. What the assistant alone says to be
replaced is never certain. Invariant: a correction is younger than what it replaces, and a
statement has one certain correction: the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from palimpsest.context.rivals import TRIES, by_topic, states_more
from palimpsest.context.said import Index, Said, antecedent, first_word, same_turn
from palimpsest.language.doubts import is_doubtful
from palimpsest.language.reading import Reading
from palimpsest.language.replacing import Replacement, clause, is_chosen, is_head, is_question
from palimpsest.language.topics import Span, numbers, place, topic, topic_words, values

_SAYS_MORE, _OTHER_MATTER = -1, -2


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

    @property
    def keys(self) -> list[str]:
        return first_word(self.value) or sorted(self.stems)[:1]


def links(said: Sequence[Said]) -> list[Link]:
    """Every pair of a correction and an earlier removed sentence that it may replace."""
    index = Index()
    found: list[Link] = []
    for at, item in enumerate(said):
        for replacement in item.reading.replacements:
            by = _by_name if replacement.old else by_topic
            sure = _is_sure(said, at, replacement)
            made = [
                Link(at, s, certain and sure) for s, certain in by(said, index, at, replacement)
            ]
            # What is certainly gone need not be replaced again.
            for link in made:
                if link.certain:
                    index.remove(link.statement, said[link.statement].reading)
            found += made
        if not item.shown:
            index.add(at, item.reading)
    return found


def _is_sure(said: Sequence[Said], at: int, found: Replacement) -> bool:
    """True where the user says it, or names what comes or what goes in the same turn.

    Never where the sentence may not speak for the conversation's own decision.
    """
    item = said[at]
    if is_question(item.reading.text) or is_doubtful(item.reading.text, found, item.reading.pack):
        return False
    if item.note.role == "user":
        return True
    named = [
        text[value.start : value.end]
        for slot in (found.old, found.new)
        if slot
        for text in (item.reading.at(slot),)
        for value in values(text, item.reading.pack)
    ]
    own = [other for other in same_turn(said, at) if other.note.role == "user"]
    return any(place(value, other.reading.text) for value in named for other in own)


def _by_name(
    said: Sequence[Said], index: Index, at: int, found: Replacement
) -> list[tuple[int, bool]]:
    read = said[at].reading
    gone = _gone(read, found)
    if gone is None:
        return []
    own = _own_topic(read, found, gone)
    before = antecedent(said, at)
    around = _topic_of(said[before].reading) if before is not None else frozenset()
    if gone.kind == "words" and found.new:
        around |= read.topic(within=found.new)
    graded = {s: _grade(said[s].reading, gone, own, around) for s in index.near(gone.keys, TRIES)}
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
    text = read.at(found.old)
    known = values(text, read.pack)
    stated = sorted((*known, *numbers(text, known)))
    if stated:
        # The value next to the phrase: the first behind it, the last before it.
        value = stated[0] if found.old[0] >= found.start else stated[-1]
        return _Gone(value=text[value.start : value.end].strip("`"), kind=value.kind)
    stems = topic(topic_words(text, read.pack))
    return _Gone(value="", kind="words", stems=stems) if stems else None


def _own_topic(read: Reading, found: Replacement, gone: _Gone) -> frozenset[str]:
    """What a correction is about, its values aside."""
    spans = [value.span for value in read.stated]
    own = read.topic(spans, within=clause(read.text, found, read.pack)) - gone.stems
    if gone.kind == "words" and found.new:
        # What comes has no value either: its words are what differs, not what it is about.
        own -= read.topic(within=found.new)
    return own


def _topic_of(read: Reading) -> frozenset[str]:
    return read.topic([value.span for value in read.values])


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
    theirs = read.topic([span])
    if not (own <= theirs or theirs <= own):
        return _OTHER_MATTER
    shared = len((own | around) & theirs)
    names_it = gone.kind in ("identifier", "name", "words") or shared
    chosen = is_chosen(read.text, span[0], read.pack) and not states_more(read, span)
    if gone.kind == "words" and not is_head(read.text, span[1], read.pack):
        return _SAYS_MORE
    return shared if chosen and names_it else _SAYS_MORE


def _span_of(read: Reading, stems: frozenset[str]) -> Span | None:
    """The last place of any of some stems, in a sentence that has all of them."""
    spans = [(word.start, word.end) for word in read.words if word.stem in stems]
    return spans[-1] if stems <= read.topic() else None


def _goes_itself(read: Reading, span: Span) -> bool:
    """True where the sentence itself says that the thing is gone."""
    return any(r.old and r.old[0] <= span[0] < r.old[1] for r in read.replacements)
