"""The one block that carries what was remembered, inside the last user message."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.settings import ContextSettings
from palimpsest.types import Message, Part, canonical, spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Quoted lines under a header; empty when there is nothing to quote."""

    header: str
    lines: tuple[str, ...] = ()

    def text(self, settings: ContextSettings) -> str:
        """The block as text, up to and with the prefix of the question."""
        tag = settings.block
        return "\n".join(
            [self.header, f"<{tag}>", *self.lines, f"</{tag}>", "", settings.question_prefix]
        )


def with_block(
    tail: Sequence[Message], block: Block | None, settings: ContextSettings
) -> tuple[Message, ...]:
    """Put ``block`` before the words of the last user message of ``tail``."""
    if block is None or not block.lines:
        return tuple(tail)
    place = _last_words(tail)
    opened = _prefixed(tail[place], block.text(settings))
    return (*tail[:place], opened, *tail[place + 1 :])


def _last_words(tail: Sequence[Message]) -> int:
    said = [i for i, m in enumerate(tail) if spoken(m)]
    # An assistant-first tail has no user words; the block then opens the first message.
    return said[-1] if said else 0


def _prefixed(message: Message, text: str) -> Message:
    if not message.parts:
        return dataclasses.replace(message, content=text + (message.content or ""))
    part = Part(kind="text", json=canonical({"type": "text", "text": text}), text=text)
    return dataclasses.replace(message, parts=(part, *message.parts))
