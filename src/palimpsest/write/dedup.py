"""The nearest memory of a text, found without comparing it with every memory.

Only a memory that shares a content word, folds to the same text, or is long enough for the
sequence ratio can reach the threshold; a bound from above is taken first, and the full score
only where the bound reaches. Invariant: the same verdicts as the plain loop over the memories.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import Indel

from palimpsest.language.similarity import CAP, contained, score
from palimpsest.language.statement import Statement, apart, read
from palimpsest.settings import DedupSettings
from palimpsest.types import Memory, Scope

_ROUNDING = 1e-9
"""What the bounds are lowered by, so that no rounding of theirs can hide a memory."""
_READ = 16_384
"""How many statements are kept as read."""

_NONE: frozenset[int] | set[int] = frozenset()

_statement = functools.lru_cache(maxsize=_READ)(read)


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
        self._by_word: defaultdict[str, set[int]] = defaultdict(set)
        self._by_longest: defaultdict[str, set[int]] = defaultdict(set)
        self._by_flat: defaultdict[str, set[int]] = defaultdict(set)
        self._long: dict[int, str] = {}
        for id, text in items:
            self.add(id, text)

    def __len__(self) -> int:
        """How many texts it holds."""
        return len(self._held)

    def add(self, id: int, text: str) -> None:
        """Take a text in; an id that is known changes its text."""
        self.remove(id)
        held = self._held[id] = _statement(text)
        self._texts[id] = text
        for table, key in self._keys(held):
            table[key].add(id)
        if len(held.flat) >= self._ratio_from:
            self._long[id] = held.flat

    def remove(self, id: int) -> None:
        """Leave a text out; an id that is not known is no error."""
        held = self._held.pop(id, None)
        if held is None:
            return
        del self._texts[id]
        for table, key in self._keys(held):
            table[key].discard(id)
            if not table[key]:
                del table[key]
        self._long.pop(id, None)

    def sync(self, items: Iterable[tuple[int, str]]) -> None:
        """Hold exactly these texts; only what changed is read."""
        wanted = dict(items)
        for id in self._texts.keys() - wanted.keys():
            self.remove(id)
        for id, text in wanted.items():
            if self._texts.get(id) != text:
                self.add(id, text)

    def nearest(self, text: str) -> Match | None:
        """The nearest text at the threshold or above; the oldest where several are as near."""
        mine, best = _statement(text), None
        for id in sorted(self._reachable(mine)):
            held = self._held[id]
            # A pair that something tells apart is capped under the threshold.
            if self._threshold > CAP and apart(mine, held):
                continue
            found = score(mine, held, threshold=self._threshold, ratio_from=self._ratio_from)
            if found >= self._threshold and (best is None or found > best.score):
                best = Match(id=id, score=found)
        return best

    def _keys(self, held: Statement) -> Iterator[tuple[defaultdict[str, set[int]], str]]:
        yield self._by_flat, held.flat
        for stem in held.content:
            yield self._by_stem, stem
        for word in held.spelt:
            yield self._by_word, word
        if held.spelt:
            yield self._by_longest, _longest(held)

    def _reachable(self, mine: Statement) -> set[int]:
        """Every id whose score can reach the threshold, and few more."""
        if self._threshold <= CAP:
            return set(self._held)
        found = set(self._by_flat.get(mine.flat, ()))
        found.update(self._by_stems(mine))
        found.update(self._by_text(mine))
        found.update(self._by_letters(mine))
        return found

    def _by_stems(self, mine: Statement) -> Iterator[int]:
        """Those whose content words in common, or a run of them, reach the threshold."""
        shared: Counter[int] = Counter()
        for stem in mine.content:
            shared.update(self._by_stem.get(stem, ()))
        size, least = len(mine.content), self._threshold - _ROUNDING
        for id, common in shared.items():
            other = self._held[id]
            many = len(other.content)
            if common >= least * (size + many - common) or (
                common >= min(size, many) and contained(mine, other)
            ):
                yield id

    def _by_text(self, mine: Statement) -> Iterator[int]:
        """Those of which one stands word for word in the other; stems may differ by language."""
        if not mine.spelt:
            return
        rarest = min((self._by_word.get(word, _NONE) for word in mine.spelt), key=len)
        within = (self._by_longest.get(word, _NONE) for word in mine.spelt)
        for id in rarest.union(*within):
            if contained(mine, self._held[id]):
                yield id

    def _by_letters(self, mine: Statement) -> list[int]:
        """Those whose longest common subsequence allows a sequence ratio that high."""
        if len(mine.flat) < self._ratio_from:
            return []
        near = process.extract_iter(
            mine.flat, self._long, scorer=Indel.normalized_similarity,
            score_cutoff=max(0.0, self._threshold - _ROUNDING),
        )  # fmt: skip
        return [id for _flat, _ratio, id in near]


def _longest(held: Statement) -> str:
    return max(held.spelt, key=lambda word: (len(word), word))


_indexes: dict[tuple[Scope, DedupSettings], Index] = {}
_KEPT = 8
"""The scopes whose index is kept from one turn to the next."""


@contextmanager
def index_of(scope: Scope, known: Sequence[Memory], settings: DedupSettings) -> Iterator[Index]:
    """The index of a conversation's current memories, for the time of one reading.

    It is taken out of where it is kept while it is used, so that no two threads share one;
    and it is brought up to ``known`` first, so that it never answers from another store.
    """
    key = (scope, settings)
    index = _indexes.pop(key, None)
    if index is None:
        index = Index(threshold=settings.threshold, ratio_from=settings.ratio_from)
    index.sync((memory.id, memory.text) for memory in known)
    yield index
    _indexes[key] = index
    while len(_indexes) > _KEPT:
        _indexes.pop(next(iter(_indexes)), None)
