"""What is new in the messages that a framework holds of a conversation: a pure comparison.

A framework cuts its history, drops messages out of its middle, or keeps one whose answer failed,
so what it holds is read from its end: it is known up to the last message that stands at the end
of what is stored, where all before that is stored in the same order. Where words of a message
were corrected or forgotten, whatever the framework still has in their place is that message; in
doubt it is, since a forgotten text must not be stored again and a repetition may be lost.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence

from palimpsest.errors import InputError
from palimpsest.types import (
    Message,
    Redaction,
    ToolCall,
    Turn,
    calls_of,
    canonical,
    results_of,
    spoken,
)
from palimpsest.write.resume import Redactions, Walk, is_said


def unstored(
    newest: Callable[[], Iterator[Turn]],
    held: Sequence[Message],
    redactions: Redactions,
    *,
    fresh: bool = False,
    follows: bool = False,
) -> Sequence[Message]:
    """The messages of ``held`` that come after what is stored.

    ``newest`` gives the stored turns from the newest on, and is read as far as it must be.
    ``fresh`` says that the newest turn was answered just now, so the same words again are new;
    ``follows``, that what is nowhere stored follows what is. Raises InputError for a history that
    does not lead up to the stored end.
    """
    told = [_told(message) for message in held]
    at = newest_begins(held)
    known = _known_to_end(newest, told, at, redactions, fresh=fresh)
    last = next(newest(), None)
    if known or last is None or not held:
        return held[known:]
    asked = not at and (fresh or spoken(held[-1]) or _waits_again(newest(), told))
    if asked or ((follows or not at) and not _is_stored(newest(), told, redactions)):
        return held
    if follows:
        return ()
    walk = Walk([_told_turn(turn) for turn in newest()][::-1], redactions)
    known = next((i for i, message in enumerate(told) if not walk.takes(message)), len(told))
    if walk.finished:
        return held[known:]
    raise InputError(
        f"messages: they do not lead up to turn {last.number}, the newest that is stored; a "
        "history that was edited or branched is a conversation of its own, so give it another "
        "id, and where answers are left out hand each one over once it is there"
    )


def known(
    newest: Callable[[], Iterator[Turn]], held: Sequence[Message], redactions: Redactions
) -> int:
    """How many messages of ``held`` lead up to the stored end; 0 where none do."""
    told = [_told(message) for message in held]
    return _known_to_end(newest, told, newest_begins(held), redactions, fresh=False)


def _known_to_end(
    newest: Callable[[], Iterator[Turn]],
    held: Sequence[Message],
    at: int,
    redactions: Redactions,
    *,
    fresh: bool,
) -> int:
    """How many messages lead up to the stored end; 0 where none do. ``at`` begins the newest turn."""
    if fresh and at and _ends_with(newest(), held[:at], redactions, held[at:]):
        return at
    if _comes_late(held):
        return 0
    # What was answered just now cannot be stored whole; only a history shows that it is.
    most = len(held) if at or not fresh else len(held) - 1
    ends = (n for n in range(most, 0, -1) if _leads_to_end(newest(), held[:n], redactions))
    return next(ends, 0)


def _is_stored(newest: Iterator[Turn], held: Sequence[Message], redactions: Redactions) -> bool:
    """Whether ``held`` stands anywhere in the stored turns, in this order."""
    return _leads_to_end(newest, held, redactions, anywhere=True)


def _waits_again(newest: Iterator[Turn], held: Sequence[Message]) -> bool:
    """Whether the model is asked to go on after calls and results that are stored word for word,
    as where a run repeats an earlier one; in words that a forget changed it is not known."""
    return bool(results_of(held[-1])) and _is_stored(newest, held, _no_gaps)


def _comes_late(held: Sequence[Message]) -> bool:
    """Whether a result answers a call of an earlier turn: then it is stored there, out of order."""
    made: set[str] = set()
    for i, message in enumerate(held):
        if spoken(message) and not (i and spoken(held[i - 1])):
            made = set()
        if any(answered not in made for answered in results_of(message)):
            return True
        made.update(calls_of(message))
    return False


def _ends_with(
    newest: Iterator[Turn],
    held: Sequence[Message],
    redactions: Redactions,
    asked: Sequence[Message],
) -> bool:
    """Whether ``held`` are whole stored turns in this order, the newest last; some may be missing.

    By equal words alone where the newest stored turn may be ``asked``: where a forget took some
    of its words, what is asked may be what is stored.
    """
    left, last = len(held), True
    gaps: Redactions = redactions
    for turn in newest:
        told = _told_turn(turn)
        if last and _repeats(told, asked, redactions):
            gaps = _no_gaps
        last = False
        size = len(told.messages)
        if left >= size and _repeats(told, held[left - size : left], gaps):
            left -= size
            if not left:
                return True
        elif left == len(held):
            return False
    return False


def _repeats(turn: Turn, held: Sequence[Message], redactions: Redactions) -> bool:
    """Whether ``held`` are the messages of a turn."""
    return len(held) == len(turn.messages) and all(
        is_said(turn, i, message, redactions) for i, message in enumerate(held)
    )


def _no_gaps(number: int) -> Sequence[Redaction]:
    return ()


def newest_begins(held: Sequence[Message]) -> int:
    """Where the newest turn begins: at the user's last words, with those right before them."""
    at = len(held)
    while at and not spoken(held[at - 1]):
        at -= 1
    while at and spoken(held[at - 1]):
        at -= 1
    return at


def _leads_to_end(
    newest: Iterator[Turn],
    held: Sequence[Message],
    redactions: Redactions,
    *,
    anywhere: bool = False,
) -> bool:
    """Whether ``held`` stands in the stored turns in this order and ends where they end.

    They also end before a turn that never got its answer: the framework may have dropped it.
    """
    left = len(held)
    ended = anywhere
    for turn in newest:
        told = _told_turn(turn)
        for index in reversed(range(len(turn.messages))):
            if is_said(told, index, held[left - 1], redactions):
                left -= 1
                ended = True
                if not left:
                    return True
            elif not ended and not turn.open:
                return False
    return False


def _told_turn(turn: Turn) -> Turn:
    return dataclasses.replace(turn, messages=tuple(map(_told, turn.messages)))


def _told(message: Message) -> Message:
    """The message with its calls in one spelling: a framework reads arguments and writes its own."""
    if not message.tool_calls:
        return message
    return dataclasses.replace(message, tool_calls=tuple(map(_told_call, message.tool_calls)))


def _told_call(call: ToolCall) -> ToolCall:
    data = json.loads(call.json)
    try:
        arguments = canonical(json.loads(data["function"]["arguments"]))
    except (KeyError, TypeError, ValueError):
        return call
    data["function"] = {**data["function"], "arguments": arguments}
    return dataclasses.replace(call, json=canonical(data))
