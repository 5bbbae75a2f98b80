"""Why a text is in a request, or is not, when nobody knows the number of its memory.

The text is looked for in the memories, replaced ones too, and in what was said. Invariant:
a text that is nowhere is an answer as well; what was forgotten leaves no words to find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.conversation import Conversation
from palimpsest.language.content_words import content_words
from palimpsest.language.words_of import any_of
from palimpsest.ledger import TurnEntry
from palimpsest.proposals import Verdict
from palimpsest.types import Memory, Turn
from palimpsest.why import MemoryReasons, of_memory

MOST = 5
"""The newest memories, and the newest turns, that are told about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A turn that says it, where it stood in the newest request, and what was made of it."""

    turn: int
    by: str
    """``user`` or ``assistant``."""
    text: str
    entry: TurnEntry | None
    """``None`` where the newest request was built before it, or there is none."""
    read: str
    """``done``, ``pending`` or ``failed``; empty for a turn that never waited to be read."""
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReasons:
    """Everything that a conversation knows of a text."""

    memories: tuple[MemoryReasons, ...]
    said: tuple[Said, ...]
    more: int
    """How many further memories and turns hold it."""
    forgotten: int
    """How many memories of the conversation were forgotten; their words are nowhere."""


def of_text(talk: Conversation, words: str) -> TextReasons:
    """Look for a text in the memories and in what was said, the newest first."""
    found = matching(talk.visible(), words)[::-1]
    turns = _spoken(talk.turns(), words)[::-1]
    newest = talk.requests(1)
    ledger = talk.ledger(newest[0].id) if newest else None
    read = {reading.turn: reading.status for reading in talk.reflections()}
    return TextReasons(
        memories=tuple(of_memory(talk, memory.id) for memory in found[:MOST]),
        said=tuple(
            Said(
                turn=turn, by=by, text=text, entry=ledger.turn(turn) if ledger else None,
                read=read.get(turn, ""), verdicts=talk.verdicts(turn=turn),
            )
            for turn, by, text in turns[:MOST]
        ),
        more=max(0, len(found) - MOST) + max(0, len(turns) - MOST),
        forgotten=len(talk.deletions()),
    )  # fmt: skip


def matching(memories: Sequence[Memory], words: str) -> list[Memory]:
    """The memories that hold a text in whole words, else anywhere, else all of its words.

    The name of an attribute finds the memories under it, too.
    """
    named = [memory for memory in memories if memory.attribute == words.strip()]
    if named:
        return named
    for holds in (_says, _holds, _tells):
        found = [m for m in memories if holds(f"{m.text} {m.attribute or ''}", words)]
        if found:
            return found
    return []


def _spoken(turns: Sequence[Turn], words: str) -> list[tuple[int, str, str]]:
    """Turn, speaker and text of whatever holds a text in whole words, else anywhere."""
    texts = [
        (turn.number, by, text)
        for turn in turns
        for by, text in (("user", turn.user), ("assistant", turn.assistant))
        if _holds(text, words)
    ]
    return [said for said in texts if _says(said[2], words)] or texts


def _says(text: str, words: str) -> bool:
    return bool(words.strip()) and bool(any_of([words.strip()]).search(text))


def _holds(text: str, words: str) -> bool:
    wanted = " ".join(words.casefold().split())
    return bool(wanted) and wanted in " ".join(text.casefold().split())


def _tells(text: str, words: str) -> bool:
    wanted = content_words(words)
    return bool(wanted) and wanted <= content_words(text)
