"""The nearest memory of a text, found without comparing it with every memory.

Two texts that tell each other apart never reach the threshold, and unless the content words of
one are all in the other, but for one mistyped, they do tell each other apart. So only such memories
are compared; lists by stem find them, and the slow sequence ratio is taken only where a bound from
above says that it could matter. Invariant: the same verdicts and scores as the plain loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, KeysView
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import Indel

from palimpsest.language import similarity
from palimpsest.language.mistyped import mistyped, slip
from palimpsest.language.statement import Statement, apart, read, respelt

_ROUNDING = 1e-9
"""What the bounds are lowered by, so that no rounding of theirs can hide a memory."""

_Nested = defaultdict[str, defaultdict[str, set[int]]]

_NONE: frozenset[int] | set[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The memory that says nearly the same, and how nearly."""

    id: int
    score: float


class Index:
    """Texts by id, to find the nearest one at the threshold or above; a lower id is older."""

    def __init__(
        self, items: Iterable[tuple[int, str]] = (), *, threshold: float, ratio_from: int
    ) -> None:
        """Index some texts."""
        self._threshold, self._ratio_from = threshold, ratio_from
        self._texts: dict[int, str] = {}
        self._held: dict[int, Statement] = {}
        self._by_stem: defaultdict[str, set[int]] = defaultdict(set)
        self._by_rarest: _Nested = defaultdict(lambda: defaultdict(set))
        self._rarest: dict[int, tuple[str, str]] = {}
        """The two content words of a text that were rarest when it came; one twice where alone."""
        self._by_flat: defaultdict[str, set[int]] = defaultdict(set)
        self._by_slip: _Nested = defaultdict(lambda: defaultdict(set))
        self._silent: set[int] = set()
        """Those without content words."""
        self._long: dict[int, str] = {}
        self._asked: tuple[str, Statement] | None = None
        """What was read last: a text that is asked for is often put in next."""
        for id, text in items:
            self.put(id, text)

    def __len__(self) -> int:
        """How many texts it holds."""
        return len(self._held)

    def ids(self) -> KeysView[int]:
        """The ids of its texts."""
        return self._texts.keys()

    def put(self, id: int, text: str) -> None:
        """Take a text in; an id that is known changes its text, and a known text is not read."""
        if self._texts.get(id) == text:
            return
        held = self._read(text)
        self.remove(id)
        self._held[id] = held
        self._texts[id] = text
        self._by_flat[held.flat].add(id)
        for stem in held.content:
            self._by_stem[stem].add(id)
        for word in _content(held):
            self._by_slip[slip(word)][word].add(id)
        if held.content:
            known = sorted(held.content, key=lambda stem: (len(self._by_stem[stem]), stem))
            first, second = self._rarest[id] = known[0], known[1 if len(known) > 1 else 0]
            self._by_rarest[first][second].add(id)
        else:
            self._silent.add(id)
        if len(held.flat) >= self._ratio_from:
            self._long[id] = held.flat

    def remove(self, id: int) -> None:
        """Leave a text out; an id that is not known is no error."""
        self._asked = None
        held = self._held.pop(id, None)
        if held is None:
            return
        del self._texts[id]
        _discard(self._by_flat, held.flat, id)
        for stem in held.content:
            _discard(self._by_stem, stem, id)
        for word in _content(held):
            _discard_nested(self._by_slip, slip(word), word, id)
        if held.content:
            _discard_nested(self._by_rarest, *self._rarest.pop(id), id)
        self._silent.discard(id)
        self._long.pop(id, None)

    def sync(self, items: Iterable[tuple[int, str]]) -> None:
        """Hold exactly these texts; only what changed is read."""
        wanted = dict(items)
        for id in self._texts.keys() - wanted.keys():
            self.remove(id)
        for id, text in wanted.items():
            self.put(id, text)

    def nearest(self, text: str) -> Match | None:
        """The nearest text at the threshold or above; the oldest where several are as near."""
        mine = self._read(text)
        self._asked = text, mine
        best, reached = None, self._threshold
        for id in sorted(self._reachable(mine)):
            found = self._score(mine, self._held[id], reached)
            if found >= self._threshold and (best is None or found > best.score):
                best, reached = Match(id=id, score=found), found
                if found >= 1.0:
                    break
        return best

    def _read(self, text: str) -> Statement:
        asked = self._asked
        return asked[1] if asked is not None and asked[0] == text else read(text)

    def _score(self, mine: Statement, held: Statement, reached: float) -> float:
        """The score of the plain definition, or anything under ``reached`` where it is under."""
        held = respelt(mine, held)
        if apart(mine, held):
            return -1.0
        found = similarity.quick_score(mine, held)
        if found >= 1.0 or min(len(mine.flat), len(held.flat)) < self._ratio_from:
            return found
        if Indel.normalized_similarity(mine.flat, held.flat) < max(found, reached) - _ROUNDING:
            return found
        return max(found, similarity.ratio(mine.flat, held.flat))

    def _reachable(self, mine: Statement) -> set[int]:
        """Every id whose score can reach the threshold, and few more."""
        if not mine.content:
            return self._near_silent(mine)
        found = set(self._silent)
        found.update(self._by_flat.get(mine.flat, _NONE))
        listed = sorted((self._by_stem.get(stem, _NONE) for stem in mine.content), key=len)
        found.update(listed[0].intersection(*listed[1:]))
        for first in mine.content & self._by_rarest.keys():
            with_it = self._by_rarest[first]
            for second in mine.content & with_it.keys():
                ids = with_it[second]
                found.update(id for id in ids if self._held[id].content <= mine.content)
        found.update(self._by_slips(mine))
        return found

    def _by_slips(self, mine: Statement) -> Iterator[int]:
        """Those with one word that is one of ``mine`` mistyped."""
        for word in _content(mine):
            for other, ids in self._by_slip.get(slip(word), {}).items():
                if mistyped(word, other):
                    yield from (i for i in ids if len(self._held[i].content) == len(mine.content))

    def _near_silent(self, mine: Statement) -> set[int]:
        """For a text without content words, with which only the letters compare."""
        if self._threshold <= 0.0:
            return set(self._held)
        found = set(self._by_flat.get(mine.flat, _NONE))
        if len(mine.flat) >= self._ratio_from:
            near = process.extract(
                mine.flat, self._long, scorer=Indel.normalized_similarity,
                limit=None, score_cutoff=max(0.0, self._threshold - _ROUNDING),
            )  # fmt: skip
            found.update(id for _flat, _ratio, id in near)
        return found


def _content(held: Statement) -> frozenset[str]:
    """The content words as they are spelt."""
    return frozenset(word.text for word in held.words if word.stem is not None)


def _discard_nested(table: _Nested, first: str, second: str, id: int) -> None:
    _discard(table[first], second, id)
    if not table[first]:
        del table[first]


def _discard(table: defaultdict[str, set[int]], key: str, id: int) -> None:
    table[key].discard(id)
    if not table[key]:
        del table[key]
