"""Recalled text is no evidence: a memory that was shown must not be read as said again.

A model may copy a shown memory into its proposal, and an application may store a turn with the
block that a request had put before the question. A run of 30 characters that a shown memory or
the story holds, and the user's own words do not, is the memory quoting itself. Invariant: a user
may repeat a sentence, so what the user's own words hold is exempt.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

import regex

from palimpsest.language.shared_run import SELF_CITATION
from palimpsest.language.word_list import folded
from palimpsest.proposals import Proposal, Seen
from palimpsest.write.filters.quoted import words_of

_BLOCK = regex.compile(
    r"^<(?P<tag>[A-Za-z0-9]+)>\n(?P<lines>.*?)^</(?P=tag)>[ \t]*$", regex.M | regex.S
)
_LINE = regex.compile(
    r"^- \[(?:#\d+, [^\]\n]+|anchor, turn \d+|summary|turn \d+, \w+)\] ", regex.MULTILINE
)


def recalled(proposal: Proposal, seen: Seen) -> str | None:
    """``recalled-text`` where a proposal rests on what was shown and not on what was said."""
    if proposal.op == "forget":
        return None
    shown = [folded(text) for text in _shown(seen)]
    quote, turn = proposal.quote, seen.turn
    if words_of(quote, turn):
        text = turn.messages[quote.message].texts()[quote.text]
        if any(a <= quote.start and quote.end <= b for a, b in _blocks(text, shown)):
            return "recalled-text"
    own = folded("\n".join(_own(seen, shown)))
    runs = [run for run in _runs(folded(proposal.text)) if run not in own]
    return "recalled-text" if any(run in text for run in runs for text in shown) else None


def _shown(seen: Seen) -> Iterator[str]:
    yield from (memory.text for memory in seen.memories)
    yield seen.story.summary
    yield from (anchor.text for anchor in seen.story.anchors)
    yield from (position.text for position in seen.story.positions)


def _own(seen: Seen, shown: list[str]) -> Iterator[str]:
    """The user's words of the turn, without blocks of memories."""
    for message in seen.turn.messages:
        if message.role == "user":
            for text in message.texts():
                end = 0
                for start, after in _blocks(text, shown):
                    yield text[end:start]
                    end = after
                yield text[end:]


def _blocks(text: str, shown: list[str]) -> list[tuple[int, int]]:
    """The spans of blocks in which a request quotes memories; a tag alone makes none."""
    found = []
    for block in _BLOCK.finditer(text):
        lines = folded(html.unescape(block["lines"]))
        if _LINE.search(block["lines"]) or any(text and text in lines for text in shown):
            found.append(block.span())
    return found


def _runs(flat: str) -> Iterator[str]:
    """Every run of the length of a self-citation."""
    return (flat[at : at + SELF_CITATION] for at in range(len(flat) - SELF_CITATION + 1))
