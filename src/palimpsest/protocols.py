"""What a plug-in must offer: one or two methods each.

An instance can be passed wherever a name can. Nothing here imports a concrete
class, so a plug-in needs this module, ``types`` and ``errors`` only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from palimpsest.candidates import Columns
from palimpsest.chat import ChatCall, ChatReply, ModelIdentity
from palimpsest.ledger import Recall, Request
from palimpsest.proposals import Extraction, Seen, Story
from palimpsest.types import Ask, Frame, Memory, Message, Redaction, Role, Tool, Turn

if TYPE_CHECKING:
    from palimpsest.config import Config


@runtime_checkable
class Tokenizer(Protocol):
    """Counts texts and whole requests, exactly, for one model family.

    ``count_request`` counts the rendered chat template with its generation prefix. It
    raises ``TemplateError`` for what the template cannot express, and never guesses.
    """

    @property
    def frame(self) -> Frame: ...

    def count_text(self, text: str) -> int: ...

    def count_request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int: ...


@runtime_checkable
class AdditiveTokenizer(Tokenizer, Protocol):
    """A tokenizer whose requests count as opening + units + closing.

    For any split of the messages into units ``u1 .. un`` (whole turns at the finest),
    ``count_request(m, tools) == count_opening(m[0], tools) + sum(count_unit(ui)) +
    count_closing()``.
    """

    def count_unit(self, messages: Sequence[Message]) -> int:
        """Tokens that these messages add to a request, wherever they stand in it."""
        ...

    def count_opening(self, first: Message, tools: Sequence[Tool]) -> int:
        """Tokens that come on top when ``first`` is the first message (begin, tools)."""
        ...

    def count_closing(self) -> int:
        """Tokens of the generation prefix."""
        ...


class Counter(Protocol):
    """What a strategy counts with: a tokenizer behind a cache (see tokens/counter.py)."""

    @property
    def frame(self) -> Frame: ...

    def text(self, text: str) -> int: ...

    def request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int: ...

    def unit(self, messages: Sequence[Message]) -> int: ...

    def opening(self, first: Message, tools: Sequence[Tool]) -> int: ...

    def closing(self) -> int: ...

    def whole(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        """The count of one whole render: the proof of ``request`` where it is a sum."""
        ...


class View(Protocol):
    """What a strategy sees of a conversation: no labels, no expectations, newest first.

    Iteration is lazy: what a strategy does not ask for is not read. Its memories are those
    of the conversation and the global ones of its user.
    """

    def turns(self) -> Iterator[Turn]:
        """Turns from the newest to the oldest, as they were said."""
        ...

    def open_turns(self) -> Sequence[Turn]:
        """The turns that still wait for an answer, oldest first."""
        ...

    def first_turn(self) -> int | None:
        """The number of the oldest turn; ``None`` in an empty conversation."""
        ...

    def redactions(self, turn: int) -> Sequence[Redaction]:
        """The spans of a turn that the managed policy removed, in order."""
        ...

    def withheld(self) -> Collection[int]:
        """The ids of memories that a request to forget which waits for an answer may mean."""
        ...

    def memories(self, *, current: bool) -> Iterator[Memory]:
        """Memories from the highest id to the lowest; only current ones where asked."""
        ...

    def first_memory(self) -> int | None:
        """The lowest id of any memory of the scope; ``None`` where there is none."""
        ...

    def last_memory(self) -> int | None:
        """The highest id of any memory of the scope; ``None`` where there is none."""
        ...

    def candidates(self) -> Columns:
        """Every memory that the conversation can see, replaced ones too, without its texts."""
        ...

    def rows(self, ids: Sequence[int]) -> Sequence[Memory]:
        """The memories of these ids; one that the conversation cannot see is left out."""
        ...

    def now(self) -> str:
        """When the question was asked, ISO 8601, UTC; empty where nothing ends by time."""
        ...

    def story(self) -> Story:
        """The summary, anchors, positions and state that reflection keeps."""
        ...

    def recall(self) -> Recall:
        """The scores that were made for the question before the build began."""
        ...


@runtime_checkable
class Strategy(Protocol):
    """Builds one request from a view: a pure function of its arguments."""

    @property
    def memory(self) -> bool:
        """True when it sends memories (the benchmark then reports its store)."""
        ...

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What an extractor found in a turn: the sentence at ``start`` to ``end`` of a text.

    ``text`` is the index of the text in message ``message`` (see ``Message.texts``).
    """

    turn: int
    role: Role
    message: int
    text: int
    start: int
    end: int
    words: str | None = None
    """What is shown instead of the span, by an extractor that rewrites; else ``None``."""
    rank: int = 0
    """Lower ranks find their room first; within a rank the newest comes first."""
    unit: int | None = None
    """Notes of one unit are sent together or not at all."""


@runtime_checkable
class NoteExtractor(Protocol):
    """Finds what is worth quoting in turns that a request leaves out; any function may be one.

    ``removed`` are those turns, oldest first; ``shown`` are the turns that the request
    holds, the question last, where a correction may stand. The notes come back in the order
    of the conversation, each citing a removed turn. A pure function of its arguments.
    """

    def __call__(
        self, removed: Sequence[Turn], shown: Sequence[Turn], config: Config
    ) -> Sequence[Note]: ...


@runtime_checkable
class ChatModel(Protocol):
    """Answers one call at a time; raises ModelError where there is no answer to keep."""

    @property
    def identity(self) -> ModelIdentity:
        """Who answers; known before the first call."""
        ...

    def answer(self, call: ChatCall) -> ChatReply: ...


@runtime_checkable
class Extractor(Protocol):
    """Reads one turn that was answered and proposes what to remember of it.

    It decides nothing: the code gives every proposal a verdict. It may call a model, and
    raises ModelError where the model gave nothing to keep; then no row changes.
    """

    @property
    def trusted(self) -> bool:
        """True when its attributes are given and not guessed (labels)."""
        ...

    def extract(self, seen: Seen, config: Config) -> Extraction: ...


@runtime_checkable
class StreamingChatModel(ChatModel, Protocol):
    """A chat model that can be read while it answers."""

    def stream(self, call: ChatCall) -> Iterator[str]:
        """The pieces of the answer's text; ends when it is whole, raises ModelError if not."""
        ...


Vectors = NDArray[np.float32]
"""Rows of unit length."""


@runtime_checkable
class Embedder(Protocol):
    """Maps texts to vectors whose cosine says how near two meanings are.

    Equal texts have equal vectors, whatever else stands in the call. It may raise anything;
    whoever calls it on a turn goes on without it.
    """

    @property
    def name(self) -> str:
        """Its identity: vectors of one name are compared with each other and no others."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def threshold(self) -> float:
        """The cosine from which on a memory counts as what the question meant."""
        ...

    def query(self, text: str) -> Vectors:
        """The vector of a question, shape (dimensions,), float32, of unit length."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row a text, shape (len(texts), dimensions), float32, each of unit length."""
        ...
