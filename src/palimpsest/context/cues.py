"""The extractor ``cues``: each sentence that holds a cue word of the settings.

It cannot tell that a decision was replaced, and it loses facts that hold no cue.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.language.invisible import without_invisible
from palimpsest.language.message_text import roles
from palimpsest.language.sentences import sentence_spans
from palimpsest.protocols import Note
from palimpsest.types import Message, Role, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Whole sentences with a cue word, from the roles of the settings."""

    def __call__(
        self, removed: Sequence[Turn], shown: Sequence[Turn], config: Config
    ) -> Sequence[Note]:
        """The sentences of ``removed`` that hold a cue, in the order of the conversation."""
        cue = cue_pattern(config.notes.cues)
        if cue is None:
            return ()
        return [
            note
            for turn in removed
            for note, sentence in sentences(turn, config.notes.roles)
            if cue.search(without_invisible(sentence))
        ]


def sentences(turn: Turn, wanted: Sequence[Role]) -> list[tuple[Note, str]]:
    """The sentences that the wanted roles said in a turn, each with the note that cites it."""
    return [
        (
            Note(turn=turn.number, role=role, message=i, text=j, start=start, end=end),
            text[start:end],
        )
        for i, message in enumerate(turn.messages)
        for j, (role, text) in enumerate(spoken(message))
        if role in wanted
        for start, end in sentence_spans(text)
    ]


def spoken(message: Message) -> list[tuple[Role, str]]:
    """The texts of a message (as ``Message.texts``) with who really speaks in each.

    A tool result that travels inside a user message is the tool's, not the user's.
    """
    return list(zip(roles(message), message.texts(), strict=True))


def cue_pattern(cues: Sequence[str]) -> re.Pattern[str] | None:
    """One pattern that finds any cue as a whole word, in any case."""
    if not cues:
        return None
    # A cue may end in punctuation ("Decision:"), where \b would demand a letter after it.
    words = [
        ("(?<!\\w)" if cue[0].isalnum() else "")
        + r"\s+".join(map(re.escape, cue.split()))
        + ("(?!\\w)" if cue[-1].isalnum() else "")
        for cue in (cue.strip() for cue in cues)
    ]
    return re.compile("|".join(words), re.IGNORECASE)
