"""Two sentences that state different values of one kind about one topic.

This is what tells a replaced statement where a correction names only what comes.
Invariant: the older sentence shares a topic word with the younger one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from palimpsest.context.said import Index, Said
from palimpsest.language.reading import Reading
from palimpsest.language.replacing import Replacement, clause, is_chosen
from palimpsest.language.topics import Span, Value, topic, topic_words, unit, values

_RUN, _ABOUT, _END = 3, 2, 4
"""A frame is at least so many words in a row, so many of them topic words, and its end at
most so many words."""
TRIES = 64
"""How many earlier sentences under one word are looked at: a bound on work, not a rule."""


def by_topic(
    said: Sequence[Said], index: Index, at: int, found: Replacement
) -> list[tuple[int, bool]]:
    """The earlier sentences that a correction's new value may replace, and how certainly."""
    read = said[at].reading
    if found.new is None:
        return []
    comes = _moved(values(read.at(found.new), read.pack), found.new[0])
    spans = [value.span for value in comes]
    own = read.topic(spans, within=clause(read.text, found, read.pack))
    pairs = [
        (s, theirs, exact)
        for s in index.near(own, TRIES)
        if not said[s].reading.asks
        for theirs, exact in rivals(said[s].reading, read, comes, own)
    ]
    if not comes:
        return [
            (s, True) for s in index.near(own, TRIES) if same_frame(said[s].reading, read, found)
        ]
    one_topic = len({theirs for _, theirs, _ in pairs}) == 1
    return [
        (s, exact and (own == theirs or (found.kind == "new" and own < theirs and one_topic)))
        for s, theirs, exact in pairs
    ]


def same_frame(read: Reading, newer: Reading, found: Replacement) -> bool:
    """True where an older sentence says the same words and only ends otherwise.

    "heat it with gas", "actually, heat it with pellets": neither end has a value to compare.
    """
    assert found.new is not None
    ours, theirs = _tokens(newer.at(found.new)), _tokens(read.text)
    if read.asks or not ours or states_more(read, (len(read.text), len(read.text))):
        return False
    for at, token in enumerate(theirs):
        run = sum(1 for _ in itertools.takewhile(_equal, zip(ours, theirs[at:], strict=False)))
        ends = theirs[at + run :], ours[run:]
        about = topic(topic_words(" ".join(ours[:run]), read.pack))
        short = all(0 < len(end) <= _END for end in ends)
        if token == ours[0] and run >= _RUN and len(about) >= _ABOUT and short:
            return True
    return False


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+|[,;:]", text.lower())


def _equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _moved(stated: Sequence[Value], by: int) -> list[Value]:
    return [Value(value.start + by, value.end + by, value.kind) for value in stated]


def rivals(
    read: Reading, newer: Reading, comes: Sequence[Value], own: frozenset[str]
) -> Iterator[tuple[frozenset[str], bool]]:
    """The topic of an older sentence for each other value of one kind that it states.

    With it, whether the sentence chooses that value and states nothing else.
    """
    for value in read.values:
        text = read.at(value.span)
        theirs = read.topic([value.span])
        if not own & theirs:
            continue
        for new in comes:
            other = newer.at(new.span)
            if _comparable(value, new, text, other) and text.lower() != other.lower():
                chosen = is_chosen(read.text, value.start, read.pack)
                yield theirs, chosen and len(comes) == 1 and not states_more(read, value.span)


def _comparable(old: Value, new: Value, old_text: str, new_text: str) -> bool:
    things = ("identifier", "name")
    if old.kind in things and new.kind in things:
        return True
    if old.kind != new.kind:
        return False
    return old.kind == "date" or unit(old_text) == unit(new_text)


def states_more(read: Reading, span: Span) -> bool:
    """True where a sentence states an exact value besides the one at ``span``."""
    old = [r.old for r in read.replacements if r.old]
    return any(
        value.kind != "name"
        and not (value.start <= span[1] + 1 and span[0] - 1 <= value.end)
        and not any(start <= value.start < end for start, end in old)
        for value in read.values
    )


def restated(said: Sequence[Said], marked: set[int]) -> set[int]:
    """Sentences that state another value than an earlier marked one of the same topic.

    No phrase says so, hence nothing is replaced; but the younger one must not come behind.
    """
    index = Index()
    found: set[int] = set()
    for at, item in enumerate(said):
        if at in marked:
            index.add(at, item.reading)
        elif item.reading.exact and _restates(said, index, item.reading):
            found.add(at)
    return found


def _restates(said: Sequence[Said], index: Index, read: Reading) -> bool:
    own = read.topic([value.span for value in read.values])
    return any(
        next(rivals(said[s].reading, read, read.values, own), None) is not None
        for s in index.near(own, TRIES)
    )
