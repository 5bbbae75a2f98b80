"""A tokenizer behind a cache: what a strategy counts with.

Counts are kept by the frozen messages they belong to, so a build costs the text that was
not counted before and never the history. For an additive frame a request is opening +
units + closing, where a turn with tool calls is one unit and otherwise each message is;
for any other frame whole renders are kept. Invariant: a cached count equals a fresh one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import cast

from palimpsest.protocols import AdditiveTokenizer, Tokenizer
from palimpsest.types import Frame, Message, Tool, calls_of, results_of

Key = tuple[str, Hashable]


class TokenCounter:
    """The Counter protocol over any tokenizer; safe to share between threads."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        entries: int = 200_000,
        characters: int = 64_000_000,
    ) -> None:
        """The cache holds at most ``entries`` counts of texts of ``characters`` together."""
        self.tokenizer = tokenizer
        self._limits = (entries, characters)
        self._counts: OrderedDict[Key, tuple[int, int]] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()
        self._closing: int | None = None
        self.encoded_texts = 0
        """How many counts were really made (cache misses)."""
        self.encoded_tokens = 0
        """The tokens that those counts came to."""
        self.encoded_chars = 0
        """The characters of message text that they read."""

    @property
    def frame(self) -> Frame:
        """The tokenizer's frame."""
        return self.tokenizer.frame

    def text(self, text: str) -> int:
        """Tokens of a text by itself."""
        return self._count(
            ("text", text), lambda: len(text), lambda: self.tokenizer.count_text(text)
        )

    def request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        """Tokens of the whole request."""
        if self.frame.additive and messages:
            return self.opening(messages[0], tools) + self.unit(messages) + self.closing()
        return self.whole(messages, tools)

    def whole(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        """Tokens of the whole request, from one render: the proof of ``request``."""
        sent, offered = tuple(messages), tuple(tools)
        return self._count(
            ("request", (sent, offered)),
            lambda: _size(sent) + sum(len(tool.json) for tool in offered),
            lambda: self.tokenizer.count_request(sent, offered),
        )

    def unit(self, messages: Sequence[Message]) -> int:
        """Tokens that these messages add to a request; additive frames only."""
        return sum(self._unit(piece) for piece in _pieces(messages))

    def opening(self, first: Message, tools: Sequence[Tool]) -> int:
        """Tokens that come on top when ``first`` is the first message."""
        offered = tuple(tools)
        return self._count(
            ("opening", (first, offered)),
            lambda: _size((first,)) + sum(len(tool.json) for tool in offered),
            lambda: self._additive.count_opening(first, offered),
        )

    def closing(self) -> int:
        """Tokens of the generation prefix."""
        if self._closing is None:
            self._closing = self._additive.count_closing()
        return self._closing

    @property
    def _additive(self) -> AdditiveTokenizer:
        assert self.frame.additive, "only an additive frame is counted in parts"
        return cast(AdditiveTokenizer, self.tokenizer)

    def _unit(self, piece: tuple[Message, ...]) -> int:
        return self._count(
            ("unit", piece), lambda: _size(piece), lambda: self._additive.count_unit(piece)
        )

    def _count(self, key: Key, size: Callable[[], int], count: Callable[[], int]) -> int:
        with self._lock:
            found = self._counts.get(key)
            if found is not None:
                self._counts.move_to_end(key)
                return found[0]
        tokens, characters = count(), size()
        with self._lock:
            self.encoded_texts += 1
            self.encoded_tokens += tokens
            self.encoded_chars += characters
            self._keep(key, tokens, characters)
        return tokens

    def _keep(self, key: Key, tokens: int, characters: int) -> None:
        if key not in self._counts:
            self._counts[key] = (tokens, characters)
            self._characters += characters
        while len(self._counts) > self._limits[0] or self._characters > self._limits[1]:
            _, (_, dropped) = self._counts.popitem(last=False)
            self._characters -= dropped


def _pieces(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """The parts that are counted alone: a turn with tool calls whole, else each message."""
    turn: list[Message] = []
    for message in messages:
        if turn and message.role == "user" and not _is_of_tools(message):
            yield from _turn_pieces(turn)
            turn = []
        turn.append(message)
    yield from _turn_pieces(turn)


def _turn_pieces(turn: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    if any(map(_is_of_tools, turn)):
        # A system message belongs to no turn and is cached by itself.
        if turn[0].role == "system":
            yield (turn[0],)
            turn = turn[1:]
        yield tuple(turn)
    else:
        for message in turn:
            yield (message,)


def _is_of_tools(message: Message) -> bool:
    if message.role != "tool" and not message.tool_calls and not message.parts:
        return False
    return bool(calls_of(message) or results_of(message))


def _size(messages: Sequence[Message]) -> int:
    return sum(
        len(message.content or "")
        + sum(len(part.json) for part in message.parts)
        + sum(len(call.json) for call in message.tool_calls)
        for message in messages
    )
