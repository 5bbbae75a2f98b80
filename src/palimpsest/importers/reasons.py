"""Why something of a chat log was not taken, or was taken with a change: one table.

Invariant: a reader gives no reason that is not here, and each says what it means for the
words of the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Fate = Literal["left", "changed", "damaged"]
"""``left`` by rule; ``changed`` and taken; ``damaged`` could not be read, which is a finding."""


class Reason(NamedTuple):
    """What became of it, and why."""

    fate: Fate
    words: str


REASONS: Mapping[str, Reason] = {
    "system": Reason("left", "a system message: instructions belong to a request"),
    "hidden": Reason("left", "hidden in the source, or without weight there"),
    "program-words": Reason("left", "words that a program put in the user's place"),
    "not-a-message": Reason("left", "a record of the program's own work"),
    "thinking": Reason("left", "what the model thought"),
    "summary": Reason("left", "a summary that a compaction made: not what anybody said"),
    "sidechain": Reason("left", "the work of a sub-agent: the user took no part"),
    "media": Reason("left", "an image, a sound, a video or a file inside a message"),
    "attachment": Reason("left", "a file that was attached; its text is not the user's words"),
    "tool": Reason("left", "work of a tool that the source does not tie to a call by an id"),
    "tool-left-out": Reason("left", "a tool call or its result; --no-tools leaves them out"),
    "call-without-result": Reason("left", "a tool call that nothing answered"),
    "result-without-call": Reason("left", "a result whose call is not in the same turn"),
    "unfinished-call": Reason("left", "tool work that ended without an answer to the user"),
    "empty": Reason("left", "no words in it"),
    "unknown-role": Reason("left", "a speaker that this format is not known to have"),
    "unknown-content": Reason("left", "a kind of content that this format is not known to have"),
    "duplicate-id": Reason("left", "a second record with an id that was there; the first stays"),
    "do-not-remember": Reason("left", "the user had switched memory off for this conversation"),
    "too-many-branches": Reason("left", "one branch more than an import takes of a conversation"),
    "branch-left-out": Reason("left", "another branch than the main one; --no-branches"),
    "no-time": Reason("changed", "dated by its neighbour, or by the import where none is dated"),
    "half-character": Reason("changed", "half a character or broken bytes, shown as U+FFFD"),
    "cycle": Reason("changed", "its parents run in a circle: the way ends there"),
    "missing-parent": Reason("changed", "its parent is not in the file"),
    "not-json": Reason("damaged", "is not JSON"),
    "wrong-shape": Reason("damaged", "is not a conversation of this format"),
    "truncated": Reason("damaged", "the file ends in the middle of it"),
    "too-large": Reason("damaged", "is larger than one conversation may be"),
}
"""By code."""
