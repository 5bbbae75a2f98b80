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
from palimpsest.write.filters.quoted import text_of, verbatim

_BLOCK = regex.compile(
    r"^<(?P<tag>[A-Za-z0-9]+)>\n(?P<lines>.{0,20000}?)^</(?P=tag)>[ \t]*$", regex.M | regex.S
)
_LINE = regex.compile(
    r"^- \[(?:#\d+, [^\]\n]+|anchor, turn \d+|summary|turn \d+, \w+)\] ", regex.MULTILINE
)


def recalled(proposal: Proposal, seen: Seen) -> str | None:
    """``recalled-text`` where a proposal rests on what was shown and not on what was said."""
    if proposal.op == "forget":
        return None
    quote = proposal.quote
    text = text_of(quote, seen.turn)
    blocks = _blocks(text, seen)
    if any(start <= quote.start and quote.end <= end for start, end in blocks):
        return "recalled-text"
    touched = any(start < quote.end and quote.start < end for start, end in blocks)
    if verbatim(proposal, seen) and not touched:
        return None
    own = folded("\n".join(_own(seen)))
    runs = [run for run in _runs(folded(proposal.text)) if run not in own]
    cited = runs and any(run in text for text in _shown(seen) for run in runs)
    return "recalled-text" if cited else None


def _shown(seen: Seen) -> Iterator[str]:
    """What the extractor was shown beside turns, folded."""
    yield from (folded(memory.text) for memory in seen.memories)
    yield folded(seen.story.summary)
    yield from (folded(anchor.text) for anchor in seen.story.anchors)
    yield from (folded(position.text) for position in seen.story.positions)


def _own(seen: Seen) -> Iterator[str]:
    """The user's words of the turn, without blocks of memories."""
    for message in seen.turn.messages:
        if message.role == "user":
            for text in message.texts():
                end = 0
                for start, after in _blocks(text, seen):
                    yield text[end:start]
                    end = after
                yield text[end:]


def _blocks(text: str, seen: Seen) -> list[tuple[int, int]]:
    """The spans of blocks in which a request quotes memories; a tag alone makes none."""
    return [
        block.span()
        for block in _BLOCK.finditer(text)
        if _LINE.search(block["lines"]) or _holds(folded(html.unescape(block["lines"])), seen)
    ]


def _holds(lines: str, seen: Seen) -> bool:
    return any(text and text in lines for text in _shown(seen))


def _runs(flat: str) -> Iterator[str]:
    """Every run of the length of a self-citation."""
    return (flat[at : at + SELF_CITATION] for at in range(len(flat) - SELF_CITATION + 1))
