"""The anchors and the summary as quoted lines of a request, within their own quota.

Anchors come first: they are what the summary must not lose, and a repetition between the two
is accepted. Invariant: a line is sent whole or not at all, and none that holds a marker raw.
"""

from __future__ import annotations

from palimpsest.config import Config
from palimpsest.context.quote import quoted
from palimpsest.protocols import Counter, View


def story_lines(view: View, counter: Counter, config: Config) -> tuple[str, ...]:
    """The lines that fit ``[story] quota``; none where reflection keeps no story."""
    story, markers = view.story(), counter.frame.markers
    lines = [
        config.context.anchor_line.format(turn=anchor.turn or 0, text=quoted(anchor.text, markers))
        for anchor in story.anchors
    ]
    if story.summary:
        text = quoted(story.summary, markers)
        lines.append(config.context.summary_line.format(text=text))
    left, found = config.story.quota, []
    for line in lines:
        tokens = counter.text(line)
        if tokens <= left:
            left -= tokens
            found.append(line)
    return tuple(found)
