"""Recall@k at growing sizes of a corpus: words alone, meaning alone, and both as seats use them.

Each size holds the same facts among distractors of five sets; what counts is whether a fact
that answers a question is among the first k, for that is what a request then holds.
Invariant: a run is a function of corpus, embedders and settings; five sets, each counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from palimpsest.bench import recall_corpus as corpus
from palimpsest.bench.recall_corpus import Asking, Language
from palimpsest.bench.report_schema import SCHEMA
from palimpsest.candidates import Columns, columns
from palimpsest.context.seats import select
from palimpsest.ledger import Recall
from palimpsest.memory_runs import RECALLED
from palimpsest.protocols import Embedder, Vectors
from palimpsest.settings import QuerySettings, SeatsSettings
from palimpsest.store.opening import open_store
from palimpsest.store.store import Store
from palimpsest.types import Memory, Scope

DEPTHS = (3, 8, 16, 24)
SIZES = (18, 60, 120, 234)
PREFIXES = ("query: ", "passage: ")
"""What the makers of embedding models advise to put before questions and passages."""
WORDS = "words alone"
Step = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and of how much."""
_BATCH = 64
_SCOPE = Scope(user="bench", conversation="recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One way of recalling in one language at one size, summed over sets and questions."""

    way: str
    language: Language
    asking: Asking
    size: int
    relevant: int
    found: Mapping[int, int]
    """By k, how many relevant facts were among the first k."""
    seated: int | None = None
    """How many had one of the seats; ``None`` for a way that no request uses."""


@dataclass(slots=True, kw_only=True)
class _Sum:
    relevant: int = 0
    found: dict[int, int]
    seated: int | None = None


_Key = tuple[str, Language, Asking, int]


class _Tally:
    """Adds up rankings by way, language and size."""

    def __init__(self) -> None:
        self._sums: dict[_Key, _Sum] = {}

    def add(
        self, key: _Key, query: corpus.Query, order: Sequence[int],
        seats: Iterable[int] | None = None,
    ) -> None:  # fmt: skip
        """Count one question: ``order`` and ``seats`` are ids, and a reference's id its number."""
        mine = self._sums.setdefault(key, _Sum(found=dict.fromkeys(DEPTHS, 0)))
        mine.relevant += len(query.relevant)
        for depth in DEPTHS:
            mine.found[depth] += len(set(order[:depth]) & set(query.relevant))
        if seats is not None:
            mine.seated = (mine.seated or 0) + len(set(seats) & set(query.relevant))

    def points(self) -> Iterator[Point]:
        """Everything that was added, in the order it came."""
        for (way, language, asking, size), mine in self._sums.items():
            yield Point(
                way=way, language=language, asking=asking, size=size, relevant=mine.relevant,
                found=mine.found, seated=mine.seated,
            )  # fmt: skip


def measure(
    embedders: Mapping[str, Embedder], *, sizes: Sequence[int] = SIZES,
    languages: Sequence[Language] = corpus.LANGUAGES, seats: SeatsSettings | None = None,
    step: Step = lambda name, done, of: None,
) -> tuple[Point, ...]:  # fmt: skip
    """Every way at every size: ``embedders`` by the name that they are shown under.

    Prefixes are tried at the sizes up to 234, as the document did.
    """
    tally = _Tally()
    for language in languages:
        spaces = {}
        for name, embedder in embedders.items():
            told = partial(step, f"{name}, {language}")
            spaces[name] = _Space(embedder, language, max(sizes), told)
        for which in range(corpus.SETS):
            step(f"searching, {language}", which, corpus.SETS)
            _one_set(tally, language, which, sizes, spaces, seats or SeatsSettings())
    return tuple(tally.points())


def _one_set(
    tally: _Tally, language: Language, which: int, sizes: Sequence[int],
    spaces: Mapping[str, _Space], seats: SeatsSettings,
) -> None:  # fmt: skip
    texts = _texts(language, which, max(sizes))
    with open_store(":memory:") as store:
        held = 0
        for size in sorted(sizes):
            _remember(store, texts[held:size])
            held = size
            _one_size(tally, language, store, texts[:size], spaces, seats)


def _one_size(
    tally: _Tally, language: Language, store: Store, texts: Sequence[str],
    spaces: Mapping[str, _Space], seats: SeatsSettings,
) -> None:  # fmt: skip
    candidates = columns(_memory(at, text) for at, text in enumerate(texts, start=1))
    for asking in corpus.ASKINGS:
        for query in corpus.queries(language, asking):

            def add(
                way: str, order: Sequence[int], sitting: Iterable[int] | None = None,
                *, query: corpus.Query = query, asking: Asking = asking,
            ) -> None:  # fmt: skip
                tally.add((way, language, asking, len(texts)), query, order, sitting)

            behind = f"{query.text}\n{corpus.backdrop(language)}"[: QuerySettings().characters]
            words = store.lexical.search(_SCOPE, query.text)
            _, sitting = _seats(candidates, Recall(lexical=words), seats)
            add(WORDS, list(words), sitting)
            add(f"{WORDS}, backdrop", list(store.lexical.search(_SCOPE, behind)))
            for name, space in spaces.items():
                scores = space.scores(texts, query.text)
                add(name, _order(scores))
                recall = Recall(semantic=space.near(scores), lexical=words)
                add(f"{name} and words", *_seats(candidates, recall, seats))
                add(f"{name}, backdrop", _order(space.scores(texts, behind)))
                if len(texts) <= max(SIZES):
                    prefixed = space.scores(texts, query.text, prefixed=True)
                    add(f"{name}, prefixes", _order(prefixed))


def _seats(
    candidates: Columns, recall: Recall, settings: SeatsSettings
) -> tuple[list[int], list[int]]:
    """The ids that the question brought back, and all that sit."""
    seats = select(candidates, recall, settings).seats
    return [id for id, why in seats if why in RECALLED], [id for id, _ in seats]


class _Space:
    """The vectors of one embedder for the texts of a language, each made once."""

    def __init__(
        self, embedder: Embedder, language: Language, size: int, step: Callable[[int, int], None]
    ) -> None:
        self._threshold = embedder.threshold
        self._embedder = embedder
        self._asked: dict[tuple[str, bool], Vectors] = {}
        plain = self._pool(language, size)
        prefixed = self._pool(language, min(size, max(SIZES)))
        todo = len(plain) + len(prefixed)
        self._plain = self._made(plain, "", lambda done: step(done, todo))
        self._prefixed = self._made(
            prefixed, PREFIXES[1], lambda done: step(len(plain) + done, todo)
        )

    def scores(self, texts: Sequence[str], question: str, *, prefixed: bool = False) -> Vectors:
        """The cosine of each text to the question."""
        known = self._prefixed if prefixed else self._plain
        key = (question, prefixed)
        if key not in self._asked:
            self._asked[key] = self._embedder.query((PREFIXES[0] if prefixed else "") + question)
        found: Vectors = np.array([known[text] for text in texts]) @ self._asked[key]
        return found

    def near(self, scores: Vectors) -> dict[int, float]:
        """What counts as meant, by id."""
        return {int(at) + 1: float(scores[at]) for at in np.flatnonzero(scores >= self._threshold)}

    def _pool(self, language: Language, size: int) -> list[str]:
        sets = (_texts(language, which, size) for which in range(corpus.SETS))
        return list(dict.fromkeys(text for texts in sets for text in texts))

    def _made(
        self, texts: Sequence[str], prefix: str, step: Callable[[int], None]
    ) -> dict[str, Vectors]:
        made: dict[str, Vectors] = {}
        for start in range(0, len(texts), _BATCH):
            some = texts[start : start + _BATCH]
            vectors = self._embedder.passages([prefix + text for text in some])
            made.update(zip(some, vectors, strict=True))
            step(len(made))
        return made


def _texts(language: Language, which: int, size: int) -> tuple[str, ...]:
    known = corpus.references(language)
    return (*known, *corpus.distractors(language, which, size - len(known)))[:size]


def _remember(store: Store, texts: Iterable[str]) -> None:
    with store.transaction():
        for text in texts:
            store.memories.insert(
                _SCOPE, text=text, source="api", attribute=None, value=None, turn=None
            )


def _memory(id: int, text: str) -> Memory:
    return Memory(id=id, scope=_SCOPE, text=text, source="api")


def _order(scores: Vectors) -> list[int]:
    return [int(place) + 1 for place in np.argsort(-scores, kind="stable")]


def as_json(points: Iterable[Point]) -> dict[str, Any]:
    """The points as JSON."""
    return {
        "schema": SCHEMA,
        "points": [
            {"way": p.way, "language": p.language, "asking": p.asking, "size": p.size, "relevant": p.relevant,
             "found": {str(k): n for k, n in p.found.items()}, "seated": p.seated}
            for p in points
        ],
    }  # fmt: skip
