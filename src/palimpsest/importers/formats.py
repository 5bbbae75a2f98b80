"""The formats that can be imported: how each is known by its content, and what reads it.

Invariant: a file is known by the shape of its documents and never by its name, and the first
format of the table that fits is the one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.errors import InputError
from palimpsest.importers import (
    chatgpt,
    claude_ai,
    claude_code,
    claude_design,
    codex,
    datasets,
    gemini,
    grok,
    openai_messages,
    sharegpt,
)
from palimpsest.importers.records import Left, Talk
from palimpsest.importers.source import Mode, Source

Read = Callable[[Source, Mode, str], Iterator[Talk | Left]]
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format."""

    name: str
    title: str
    """As a person calls it."""
    fits: Callable[[Document], bool]
    """Whether a document is of this format."""
    read: Read


def _each(fits: Callable[[Document], bool], talk: Callable[[Document, str], Talk]) -> Read:
    """A reader of documents that are one conversation each."""

    def read(source: Source, mode: Mode, key: str) -> Iterator[Talk | Left]:
        for item in source.items(mode, key):
            if item.fault:
                yield Left(where=item.where, reason=item.fault)
            elif not isinstance(item.value, Mapping) or not fits(item.value):
                yield Left(where=item.where, reason="wrong-shape")
            else:
                yield talk(item.value, item.where)

    return read


def _plain(
    name: str, title: str, fits: Callable[[Document], bool], talk: Callable[[Document, str], Talk]
) -> Format:
    return Format(name=name, title=title, fits=fits, read=_each(fits, talk))


_TABLE = (
    _plain("chatgpt", "export of ChatGPT", chatgpt.fits, chatgpt.talk),
    _plain("claude", "export of Claude.ai", claude_ai.fits, claude_ai.talk),
    _plain("claude-design", "session of Claude Design", claude_design.fits, claude_design.talk),
    _plain("gemini-cli", "session of Gemini CLI", gemini.is_cli, gemini.cli_talk),
    Format(
        name="claude-code", title="session of Claude Code", fits=claude_code.fits,
        read=claude_code.read,
    ),
    Format(name="codex", title="rollout of Codex", fits=codex.fits, read=codex.read),
    _plain("wildchat", "lines of WildChat", datasets.is_wildchat, datasets.talk),
    _plain("lmsys", "lines of LMSYS-Chat", datasets.is_lmsys, datasets.talk),
    _plain("sharegpt", "ShareGPT conversations", sharegpt.fits, sharegpt.talk),
    _plain("aistudio", "prompt of AI Studio", gemini.is_aistudio, gemini.aistudio_talk),
    _plain("grok", "export of Grok", grok.fits, grok.talk),
    Format(
        name="openai", title="messages of OpenAI's shape", fits=openai_messages.fits,
        read=openai_messages.read,
    ),
)  # fmt: skip
FORMATS: Mapping[str, Format] = {each.name: each for each in _TABLE}
"""By name, in the order in which they are tried."""


def format_of(name: str) -> Format:
    """A format by its name; raises InputError with the names there are."""
    if name not in FORMATS:
        raise InputError(f"--format: {name!r} is not one of palimpsest, {', '.join(FORMATS)}")
    return FORMATS[name]
