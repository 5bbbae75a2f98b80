"""The anchors and the summary as quoted lines of a request, within their own quota.

Anchors come first: they are what the summary must not lose, and a repetition between the two
is accepted. Invariant: an anchor is sent whole or not at all, a summary down to whole sentences
from its beginning, and no line holds a marker raw.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.config import Config
from palimpsest.context.quote import quoted
from palimpsest.language.whole_sentences import whole_sentences
from palimpsest.protocols import Counter, View


def story_lines(view: View, counter: Counter, config: Config) -> tuple[str, ...]:
    """The lines that fit ``[story] quota``; none where reflection keeps no story."""
    story, markers = view.story(), counter.frame.markers
    left, found = config.story.quota, []
    for anchor in story.anchors:
        text = quoted(anchor.text, markers)
        line = config.context.anchor_line.format(turn=anchor.turn or 0, text=text)
        if (tokens := counter.text(line)) <= left:
            left -= tokens
            found.append(line)
    for text in _beginnings(story.summary):
        line = config.context.summary_line.format(text=quoted(text, markers))
        if counter.text(line) <= left:
            found.append(line)
            break
    return tuple(found)


def _beginnings(summary: str) -> Iterator[str]:
    """The summary, and what is left of it when sentences are taken from its end."""
    for _, end in reversed(whole_sentences(summary)):
        yield summary[:end]
