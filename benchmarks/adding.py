"""What adding facts costs, one at a time and durably, and what becomes of six wordings of one.

Everybody gets the same facts in the same order and writes to the same folder. The peers get a
hashed embedder of 256 numbers, so that nothing is fetched and a model's time is nobody's.
Invariant: where a peer is stopped, the figure says after how many facts.
"""

from __future__ import annotations

import os
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.dedup import facts
from palimpsest import Memory
from palimpsest.config import Config
from palimpsest.proposals import Extraction, Proposal, Quote, Seen

FACTS = 3_000
PATIENCE_S = 120.0
"""A contender that takes longer is stopped."""
SIZE = 256
WORDINGS = (
    "I am allergic to penicillin.",
    "I'm allergic to penicillin!",
    "The user is allergic to penicillin.",
    "Please remember that I am allergic to penicillin.",
    "By the way, I'm really allergic to penicillin.",
    "Penicillin gives me an allergic reaction.",
)
"""Five that say it in the same content words, and one paraphrase."""
_ABOUT = "penicillin"


@dataclass(frozen=True, kw_only=True)
class Added:
    """One contender: how long it took, and how many rows it holds of the six wordings."""

    name: str
    facts: int
    """How many it took; fewer than all where it was stopped."""
    seconds: float
    first_half_s: float
    rows_of_six: int
    durable: str

    @property
    def milliseconds(self) -> float:
        """One fact."""
        return self.seconds * 1000 / self.facts


class Saying:
    """An extractor that proposes the user's message as it stands."""

    name = "saying"
    trusted = False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """One proposal, the whole text."""
        text = str(seen.turn.messages[0].content)
        quote = Quote(message=0, text=0, start=0, end=len(text))
        return Extraction(proposals=(Proposal(text=text, quote=quote),))


Add = Callable[[str], None]
Held = Callable[[], Sequence[str]]


def told(many: int = FACTS) -> list[str]:
    """So many facts, with the six wordings spread evenly among them."""
    found = facts(many - len(WORDINGS))
    for place, wording in enumerate(WORDINGS):
        found.insert((place + 1) * many // (len(WORDINGS) + 1), wording)
    return found


def measure(console: Console, many: int = FACTS) -> list[Added]:
    """Every contender in turn, with a progress bar each."""
    said = told(many)
    with Progress(console=console, transient=True) as progress:
        found = []
        for name, durable, opened in CONTENDERS:
            task = progress.add_task(f"adding {many:,} facts: {name}", total=many)
            with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as (add, held):
                step = lambda task=task: progress.advance(task)  # noqa: E731
                found.append(_timed(name, durable, said, add, held, step))
            progress.remove_task(task)
    return found


def _timed(
    name: str, durable: str, said: Sequence[str], add: Add, held: Held, step: Callable[[], None]
) -> Added:
    start = half = time.perf_counter()
    done = 0
    for text in said:
        add(text)
        done += 1
        if done == len(said) // 2:
            half = time.perf_counter()
        step()
        if time.perf_counter() - start > PATIENCE_S:
            break
    return Added(
        name=name, facts=done, seconds=time.perf_counter() - start, first_half_s=half - start,
        rows_of_six=sum(_ABOUT in text.lower() for text in held()), durable=durable,
    )  # fmt: skip


@contextmanager
def _palimpsest(folder: Path) -> Iterator[tuple[Add, Held]]:
    with Memory.open(folder / "memory.db") as memory:
        talk = memory.conversation(user="u", id="c")

        def add(text: str) -> None:
            talk.observe(user=text, assistant="Noted.")
            talk.reflect(extractor=Saying())

        yield add, lambda: [row.text for row in talk.current()]


@contextmanager
def _mem0(folder: Path) -> Iterator[tuple[Add, Held]]:
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder)}
    from mem0 import Memory as Mem0

    memory = Mem0.from_config({
        "history_db_path": str(folder / "history.db"),
        "vector_store": {"provider": "qdrant", "config": {
            "path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": SIZE,
            "collection_name": "facts"}},
        "embedder": {"provider": "openai", "config": {
            "api_key": "never called", "embedding_dims": SIZE}},
        "llm": {"provider": "openai", "config": {"api_key": "never called"}},
    })  # fmt: skip
    memory.embedding_model = _Hashed()

    def held() -> list[str]:
        listed = memory.get_all(filters={"user_id": "u"}, top_k=10 * FACTS)
        return [row["memory"] for row in listed["results"]]

    try:
        yield lambda text: memory.add(text, user_id="u", infer=False), held
    finally:
        memory.vector_store.client.close()
        memory.close()


@contextmanager
def _llama_index(folder: Path, *, each: bool) -> Iterator[tuple[Add, Held]]:
    from llama_index.core import Document, StorageContext, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding

    class Hashed(BaseEmbedding):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return vector(text)

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return vector(query)

    index = VectorStoreIndex.from_documents(
        [], storage_context=StorageContext.from_defaults(), embed_model=Hashed()
    )

    def add(text: str) -> None:
        index.insert(Document(text=text))
        if each:
            index.storage_context.persist(str(folder))

    yield add, lambda: [node.get_content() for node in index.docstore.docs.values()]


@contextmanager
def _kept_each(folder: Path) -> Iterator[tuple[Add, Held]]:
    with _llama_index(folder, each=True) as opened:
        yield opened


@contextmanager
def _kept_never(folder: Path) -> Iterator[tuple[Add, Held]]:
    with _llama_index(folder, each=False) as opened:
        yield opened


CONTENDERS = (
    ("palimpsest", "each fact", _palimpsest),
    ("mem0, infer=False, qdrant", "each fact", _mem0),
    ("llama-index-core", "no", _kept_never),
    ("llama-index-core, persisted", "each fact", _kept_each),
)


def vector(text: str) -> list[float]:
    """A text as hashed words, of length 1."""
    found = [0.0] * SIZE
    for word in text.lower().split():
        found[zlib.crc32(word.encode()) % SIZE] += 1.0
    length = sum(value * value for value in found) ** 0.5 or 1.0
    return [value / length for value in found]


class _Hashed:
    """The hashed embedder as mem0 calls one."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return vector(text)

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [vector(text) for text in texts]


def table(found: Sequence[Added]) -> Table:
    """The figures as a table."""
    shown = Table("contender", title=f"adding {FACTS:,} facts, one at a time")
    for name in ("durable", "facts", "s", "ms a fact", "times ours", "rows of 6 wordings"):
        shown.add_column(name, justify="right")
    ours = found[0].milliseconds
    for item in found:
        stopped = "" if item.facts == FACTS else " (stopped)"
        shown.add_row(
            item.name, item.durable, f"{item.facts:,}{stopped}", f"{item.seconds:.1f}",
            f"{item.milliseconds:.1f}", f"{item.milliseconds / ours:.1f}", str(item.rows_of_six),
        )  # fmt: skip
    shown.caption = (
        f"palimpsest stores the turn, reads it and decides; its first half took "
        f"{found[0].first_half_s:.1f} s. Five wordings share their content words, one does not."
    )
    return shown
