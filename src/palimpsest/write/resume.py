"""What is new in a history that a client hands over whole: a pure comparison.

Each message is recognised by its place and its words. A late tool result, and the answer
after it, stand in the turn of their call, so a turn with calls may wait for its next message
while later turns go on. Where words of a stored message were corrected or forgotten, whatever the
client still has in their place is that message: a forgotten text never comes back this way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.errors import InputError
from palimpsest.language.message_text import Edit, Searched, edited, searched
from palimpsest.types import Message, Redaction, Turn
from palimpsest.write.gaps import around, fills

Redactions = Callable[[int], Sequence[Redaction]]


def unsaid(
    stored: Sequence[Turn], given: Sequence[Message], redactions: Redactions
) -> Sequence[Message]:
    """The messages of ``given`` that come after everything that is stored.

    ``stored`` is oldest first. Raises InputError at the first message that is neither
    stored nor behind all that is.
    """
    for i, message in enumerate(given):
        if message.role == "system":
            raise InputError(
                f"messages[{i}].role: a system message inside a conversation; "
                "pass it as instructions= when you build the request"
            )
    walk = Walk(stored, redactions)
    for i, message in enumerate(given):
        if not walk.takes(message):
            walk.refuse_unless_finished(i)
            return given[i:]
    return ()


@dataclass(slots=True)
class _Reading:
    """A stored turn and how many of its messages were recognised."""

    turn: Turn
    seen: int = 0

    @property
    def finished(self) -> bool:
        return self.seen == len(self.turn.messages)


class Walk:
    """Follows a client's messages through the stored turns."""

    def __init__(self, stored: Sequence[Turn], redactions: Redactions) -> None:
        self.stored = stored
        self.redactions = redactions
        self.opened = 0
        self.waiting: list[_Reading] = []
        """Turns that were begun and not finished, the latest first."""

    def takes(self, message: Message) -> bool:
        """Recognise a message as the next one of a turn that was begun, or of the next turn."""
        for reading in self.waiting:
            if self._is_next(reading, message):
                return True
        blocked = bool(self.waiting) and not self.waiting[0].turn.has_calls
        if blocked or self.opened == len(self.stored):
            return False
        reading = _Reading(turn=self.stored[self.opened])
        if not self._is_next(reading, message):
            return False
        self.opened += 1
        if not reading.finished:
            self.waiting.insert(0, reading)
        return True

    def _is_next(self, reading: _Reading, message: Message) -> bool:
        if not is_said(reading.turn, reading.seen, message, self.redactions):
            return False
        reading.seen += 1
        if reading.finished and reading in self.waiting:
            self.waiting.remove(reading)
        return True

    @property
    def finished(self) -> bool:
        """True when every stored message was recognised."""
        return self._unread() is None

    def _unread(self) -> Turn | None:
        unread = next((reading.turn for reading in self.waiting), None)
        if unread is None and self.opened < len(self.stored):
            unread = self.stored[self.opened]
        return unread

    def refuse_unless_finished(self, place: int) -> None:
        """A message that is not stored may only come behind everything that is."""
        unread = self._unread()
        if unread is not None:
            raise InputError(
                f"messages[{place}]: differs from what turn {unread.number} holds at this place; "
                "hand over the whole history from its first message, or append() what is new"
            )


def is_said(turn: Turn, index: int, given: Message, redactions: Redactions) -> bool:
    """True where a stored message is the given one, whatever a forget took out of it."""
    stored = turn.messages[index]
    if stored == given:
        return True
    gaps = [span for span in redactions(turn.number) if span.message == index]
    return bool(gaps) and _around(stored) == _around(given) and _fits(stored, given, gaps)


def _around(message: Message) -> tuple[object, ...]:
    """Everything of a message but its texts, those that it carries beside its words too."""
    for i, said in enumerate(searched(message)):
        message = edited(message, i, [Edit(0, len(said.text), "")])
    silent = tuple(part.json for part in message.parts if part.text is None)
    calls = tuple(call.json for call in message.tool_calls)
    return (
        message.role, silent, calls, message.tool_call_id, message.name, message.extra,
        message.content is None,
    )  # fmt: skip


def _fits(stored: Message, given: Message, gaps: Sequence[Redaction]) -> bool:
    ours, theirs = searched(stored), searched(given)
    return len(ours) == len(theirs) and all(
        _matches(said, [gap for gap in gaps if gap.text == i], other.text)
        for i, (said, other) in enumerate(zip(ours, theirs, strict=True))
    )


def _matches(said: Searched, gaps: Sequence[Redaction], given: str) -> bool:
    """Whether ``given`` is the stored text with anything in place of each gap."""
    return bool(said.whole and gaps) or fills(around(said.text, gaps), given)
