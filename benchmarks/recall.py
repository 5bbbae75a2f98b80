"""What a search by words and by meaning costs for 24 memories of many, beside two libraries.

The embedding of the question is not in it: that is the embedder's. Texts are made of a
vocabulary in which few words are common and most are rare, as in speech. The libraries get
the same texts and the same embedder, which needs no model.
"""

from __future__ import annotations

import itertools
import logging
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from palimpsest.embedders.hashed import Hashed
from palimpsest.protocols import Vectors
from palimpsest.store.opening import open_store
from palimpsest.store.store import Store
from palimpsest.store.vectors import Missing
from palimpsest.types import Scope

SIZES = (3_000, 100_000)
LIMIT_MS = {3_000: 5.0, 100_000: 60.0}
PEERS_AT = 3_000
SEATS = 24
QUESTIONS = 24
SCOPE = Scope(user="u", conversation="c")
TRIES = 3
_BATCH = 500


@dataclass(frozen=True, kw_only=True)
class SearchCost:
    """One way of searching at one size, in milliseconds; medians over the questions."""

    way: str
    memories: int
    search_ms: float
    words_ms: float | None = None
    meaning_ms: float | None = None
    worst_ms: float
    first_ms: float
    """The first search of a process: vectors are read from the file."""
    add_s: float
    """Writing all texts and their vectors, embedding included."""
    memory_mb: float | None = None
    """What the matrix of vectors takes in memory."""
    file_mb: float | None = None


class _Known:
    """The embedder of the run: each text is embedded once, whoever asks."""

    def __init__(self) -> None:
        self._embedder = Hashed()
        self._made: dict[str, Vectors] = {}
        self.dimensions = self._embedder.dimensions
        self.name = self._embedder.name
        self.threshold = self._embedder.threshold

    def __call__(self, text: str) -> Vectors:
        if text not in self._made:
            self._made[text] = self._embedder.query(text)
        return self._made[text]


def measure() -> list[SearchCost]:
    """Ours at every size, then each library at the size that it can be asked to hold."""
    embed = _Known()
    texts, questions = _texts(max(SIZES)), _questions()
    for question in questions:
        embed(question)
    found = [_ours(texts[:size], questions, embed) for size in SIZES]
    few = texts[:PEERS_AT]
    return [*found, _mem0(few, questions, embed), _langgraph(few, questions, embed)]


def _ours(texts: Sequence[str], questions: Sequence[str], embed: _Known) -> SearchCost:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        start = time.perf_counter()
        with open_store(path) as store:
            number = _fill(store, texts, embed)
        add_s = time.perf_counter() - start
        with open_store(path) as store:
            search = _searches(store, number, embed)
            first = _timed(lambda: search(questions[0]))[0]
            times = [_best(search, question) for question in questions]
            return SearchCost(
                way="palimpsest", memories=len(texts), first_ms=first, add_s=add_s,
                search_ms=statistics.median(total for total, _ in times),
                words_ms=statistics.median(words for _, (words, _) in times),
                meaning_ms=statistics.median(meaning for _, (_, meaning) in times),
                worst_ms=max(total for total, _ in times),
                memory_mb=store.vectors.in_memory / 1e6, file_mb=path.stat().st_size / 1e6,
            )  # fmt: skip


def _fill(store: Store, texts: Sequence[str], embed: _Known) -> int:
    number = store.vectors.enrol(embed.name, embed.dimensions)
    for start in range(0, len(texts), _BATCH):
        some = texts[start : start + _BATCH]
        with store.transaction():
            rows = [
                store.memories.insert(
                    SCOPE, text=text, source="api", attribute=None, value=None, turn=None
                )
                for text in some
            ]
            key = store.conversations.key(SCOPE)
            made = [Missing(key=key, id=row.id, text=row.text) for row in rows]
            store.vectors.put(number, made, np.array([embed(text) for text in some]))
    assert store.vectors.finish(number)
    return number


def _searches(store: Store, number: int, embed: _Known) -> Callable[[str], tuple[float, float]]:
    """A search that tells how long words and meaning took."""

    def search(question: str) -> tuple[float, float]:
        vector = embed(question)
        with store.reading():
            start = time.perf_counter()
            words = store.lexical.search(SCOPE, question)
            between = time.perf_counter()
            meant = store.vectors.search(SCOPE, number, vector, threshold=embed.threshold)
            end = time.perf_counter()
        assert words or meant, question
        return 1e3 * (between - start), 1e3 * (end - between)

    return search


def _best(
    search: Callable[[str], tuple[float, float]], question: str
) -> tuple[float, tuple[float, float]]:
    """The quickest of some tries: the others waited for somebody else's work."""
    return min(_timed(lambda: search(question)) for _ in range(TRIES))


def _timed(call: Callable[[], tuple[float, float]]) -> tuple[float, tuple[float, float]]:
    start = time.perf_counter()
    parts = call()
    return 1e3 * (time.perf_counter() - start), parts


class _Passed:
    """The embedder of the run as mem0 asks for one."""

    def __init__(self, embed: _Known) -> None:
        self._embed = embed

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        made: list[float] = self._embed(text).tolist()
        return made

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def _mem0(texts: Sequence[str], questions: Sequence[str], embed: _Known) -> SearchCost:
    """mem0 with qdrant in a local folder, no model called: texts are added as they are."""
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ.setdefault("OPENAI_API_KEY", "not-used")
    logging.getLogger("mem0").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MEM0_DIR"] = folder
        from mem0 import Memory

        memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": f"{folder}/qdrant", "on_disk": True,
                               "embedding_model_dims": embed.dimensions},
                },
                "history_db_path": f"{folder}/history.db",
            }
        )  # fmt: skip
        memory.embedding_model = _Passed(embed)
        start = time.perf_counter()
        for text in texts:
            memory.add(text, user_id="u", infer=False)
        add_s = time.perf_counter() - start
        return _peer(
            "mem0 with qdrant", len(texts), questions, add_s,
            lambda question: memory.search(question, filters={"user_id": "u"}, top_k=SEATS),
        )  # fmt: skip


def _langgraph(texts: Sequence[str], questions: Sequence[str], embed: _Known) -> SearchCost:
    """The store of langgraph that lives in memory."""
    from langgraph.store.memory import InMemoryStore

    def many(texts: Iterable[str]) -> list[list[float]]:
        return [embed(text).tolist() for text in texts]

    store = InMemoryStore(index={"dims": embed.dimensions, "embed": many, "fields": ["text"]})
    start = time.perf_counter()
    for number, text in enumerate(texts):
        store.put(("u",), str(number), {"text": text})
    add_s = time.perf_counter() - start
    return _peer(
        "langgraph in memory", len(texts), questions, add_s,
        lambda question: store.search(("u",), query=question, limit=SEATS),
    )  # fmt: skip


def _peer(
    way: str, memories: int, questions: Sequence[str], add_s: float, search: Callable[[str], Any]
) -> SearchCost:
    times = []
    for question in (questions[0], *questions):
        tries = []
        for _ in range(TRIES):
            start = time.perf_counter()
            search(question)
            tries.append(1e3 * (time.perf_counter() - start))
        times.append(tries[0] if not times else min(tries))
    return SearchCost(
        way=way, memories=memories, search_ms=statistics.median(times[1:]),
        worst_ms=max(times[1:]), first_ms=times[0], add_s=add_s,
    )  # fmt: skip


def _texts(number: int) -> list[str]:
    draw = random.Random("texts")
    words, weights = _vocabulary()

    def some(many: int) -> str:
        return " ".join(draw.choices(words, cum_weights=weights, k=many))

    return [f"The {some(4)} of {some(5)}." for _ in range(number)]


def _questions() -> list[str]:
    draw = random.Random("questions")
    words, weights = _vocabulary()
    asked = (draw.choices(words, cum_weights=weights, k=6) for _ in range(QUESTIONS))
    return [f"What is the {' '.join(some)}?" for some in asked]


def _vocabulary() -> tuple[list[str], list[float]]:
    """Made-up words with their weights added up; the n-th weighs 1 / (n + 5)."""
    draw = random.Random("words")
    parts = [c + v for c in "bcdfghklmnprstvz" for v in "aeiou"]
    made = ("".join(draw.choices(parts, k=draw.choice((2, 3, 4)))) for _ in range(12_000))
    words = list(dict.fromkeys(made))
    return words, list(itertools.accumulate(1 / (rank + 5) for rank in range(len(words))))


def table(costs: Sequence[SearchCost]) -> Table:
    """The figures, one row a way and size."""
    made = Table(
        "search", title=f"{SEATS} memories of many for one question that is embedded already"
    )
    for name in ("memories", "ms", "limit", "words ms", "meaning ms", "worst ms", "first ms",
                 "adding s", "in memory MB", "file MB"):  # fmt: skip
        made.add_column(name, justify="right")
    for item in costs:
        limit = LIMIT_MS.get(item.memories) if item.way == "palimpsest" else None
        made.add_row(
            item.way, f"{item.memories:,}", f"{item.search_ms:.2f}", f"{limit:g}" if limit else "",
            _shown(item.words_ms), _shown(item.meaning_ms), f"{item.worst_ms:.2f}",
            f"{item.first_ms:.1f}", f"{item.add_s:.1f}", _shown(item.memory_mb), _shown(item.file_mb),
        )  # fmt: skip
    return made


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def over(costs: Sequence[SearchCost]) -> list[str]:
    """What is above its limit, in words."""
    return [
        f"recall: {item.search_ms:.2f} ms of {item.memories} memories, limit {limit:g} ms"
        for item in costs
        if item.way == "palimpsest"
        and (limit := LIMIT_MS.get(item.memories)) is not None
        and item.search_ms > limit
    ]
