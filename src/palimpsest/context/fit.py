"""Fits turns into a budget: newest complete turns first, stop at the first that does not.

Where counts add up, each turn costs one addition and nothing older than the first turn
that does not fit is read. Where they do not, the cut is found by doubling and bisection
over whole renders.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.context.block import Block, with_block
from palimpsest.context.shape import shape, shapes
from palimpsest.context.skeleton import Skeleton
from palimpsest.errors import RequiredContextTooLarge
from palimpsest.protocols import Counter
from palimpsest.types import Message, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The turns that fit, and how the walk ended."""

    kept: tuple[Turn, ...]
    """Oldest first; a suffix of the conversation without the required turns."""
    stopped: Turn | None
    """The newest turn that did not fit; ``None`` when all fit."""
    passed: tuple[Turn, ...] = ()
    """Turns that were read and not kept, newest first; ``stopped`` is one of them."""
    unusable: tuple[Turn, ...] = ()
    """Turns that the template cannot take (see ``_usable``)."""
    stepped: tuple[Turn, ...] = ()
    """Turns that would fit and went with their block (see ``in_blocks``), oldest first."""


class Scale:
    """Weighs a request around one skeleton; ``whole`` weighs by whole renders only."""

    def __init__(self, skeleton: Skeleton, counter: Counter, *, whole: bool) -> None:
        self.skeleton = skeleton
        self.counter = counter
        self.whole = whole or not counter.frame.additive or shapes(counter.frame)

    def sent(self, kept: Sequence[Turn] = (), block: Block | None = None) -> tuple[Message, ...]:
        """The messages in the form that the template takes."""
        return shape(self.skeleton.messages(kept, block), self.counter.frame)

    def weigh(self, kept: Sequence[Turn] = (), block: Block | None = None) -> int:
        """The tokens of the request with these turns and lines."""
        messages = self.sent(kept, block)
        if self.whole:
            return self.counter.whole(messages, self.skeleton.tools)
        return self.counter.request(messages, self.skeleton.tools)

    def tail(self, block: Block | None) -> int:
        """The tokens of the tail alone; only where counts add up."""
        return self.counter.unit(with_block(self.skeleton.tail, block, self.skeleton.settings))

    def opening(self, first: Message) -> int:
        """The tokens before a first message; only where counts add up."""
        return self.counter.opening(first, self.skeleton.tools)


def require(scale: Scale, limit: int) -> int:
    """The tokens of the required part; raises RequiredContextTooLarge over ``limit``."""
    needed = scale.weigh()
    if needed > limit:
        raise RequiredContextTooLarge(parts=required_parts(scale), required=needed, limit=limit)
    return needed


def required_parts(scale: Scale) -> dict[str, int]:
    """The size of each required part, in tokens; they add up to the required count."""
    bones, count = scale.skeleton, scale.counter
    messages = scale.sent()
    if scale.whole:
        return _parts_by_renders(scale, messages)
    bare = count.opening(messages[0], ())
    return {
        "frame": bare + count.closing(),
        "instructions": count.unit(bones.head),
        "tools": count.opening(messages[0], bones.tools) - bare,
        "open_turns": sum(count.unit(turn.messages) for turn in bones.pinned),
        "question": count.unit(bones.tail),
    }


def _parts_by_renders(scale: Scale, messages: tuple[Message, ...]) -> dict[str, int]:
    """Sizes as differences of renders; what the template itself adds goes to the question."""
    bones, count = scale.skeleton, scale.counter
    headless = dataclasses.replace(bones, head=())
    total, without_tools = count.whole(messages, bones.tools), count.whole(messages, ())
    without_head = count.whole(shape(headless.messages(), count.frame), ())
    asked = count.whole(shape(bones.tail, count.frame), ())
    found = {
        "tools": total - without_tools,
        # A template may put words of its own where there are no instructions.
        "instructions": max(0, without_tools - without_head),
        "open_turns": without_head - asked,
    }
    return {**found, "question": total - sum(found.values())}


def fit(scale: Scale, turns: Iterator[Turn], block: Block | None, limit: int) -> Fitted:
    """Keep the newest turns (``turns`` runs from the newest) within ``limit`` tokens."""
    if scale.whole:
        return _fit_whole(scale, turns, block, limit)
    total = scale.weigh((), block)
    kept: list[Turn] = []
    opens = not scale.skeleton.head
    now = scale.opening(first_of(scale)) if opens else 0
    for turn in turns:
        # Without instructions the oldest message opens the request.
        opening = scale.opening(first_of(scale, turn)) if opens else 0
        cost = scale.counter.unit(turn.messages) + opening - now
        if total + cost > limit:
            return Fitted(kept=tuple(reversed(kept)), stopped=turn, passed=(turn,))
        total, now = total + cost, opening
        kept.append(turn)
    return Fitted(kept=tuple(reversed(kept)), stopped=None)


def first_of(scale: Scale, *oldest: Turn) -> Message:
    """The first message of a request without head whose oldest optional turn is given."""
    opening = sorted((*oldest, *scale.skeleton.pinned[:1]), key=lambda turn: turn.number)
    return opening[0].messages[0] if opening else scale.skeleton.tail[0]


def _fit_whole(scale: Scale, turns: Iterator[Turn], block: Block | None, limit: int) -> Fitted:
    """Find the largest run that fits, with a number of renders logarithmic in its length."""
    read: list[Turn] = []
    usable, unusable = _usable(scale, turns)

    def fits(number: int) -> bool:
        read.extend(itertools.islice(usable, max(0, number - len(read))))
        run = read[: min(number, len(read))]
        return scale.weigh(tuple(reversed(run)), block) <= limit

    low, high = 0, 1
    while fits(high) and len(read) >= high:
        low, high = high, high * 2
    if not read or fits(high):
        return Fitted(kept=tuple(reversed(read)), stopped=None, unusable=tuple(unusable))
    high = min(high, len(read))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return Fitted(
        kept=tuple(reversed(read[:low])), stopped=read[low], passed=tuple(read[low:]),
        unusable=tuple(unusable),
    )  # fmt: skip


def takes(scale: Scale, turn: Turn) -> bool:
    """False for a turn that the template refuses: it opens with the assistant."""
    return not (scale.counter.frame.alternates and turn.messages[0].role != "user")


def _usable(scale: Scale, turns: Iterator[Turn]) -> tuple[Iterator[Turn], list[Turn]]:
    """Leave out turns that open with the assistant where the template wants a user first."""
    unusable: list[Turn] = []

    def walk() -> Iterator[Turn]:
        for turn in turns:
            if takes(scale, turn):
                yield turn
            else:
                unusable.append(turn)

    return walk(), unusable


def in_blocks(fitted: Fitted, step: int) -> Fitted:
    """Move the cut to the end of its block of ``step`` turns.

    Successive requests then begin with the same turns until the next block must go. A turn
    that fits is kept even so where the end of the block lies behind the newest turn.
    """
    if fitted.stopped is None:
        return fitted
    kept = tuple(itertools.dropwhile(lambda turn: (turn.number - 1) % step, fitted.kept))
    if not kept:
        return fitted
    stepped = fitted.kept[: len(fitted.kept) - len(kept)]
    return dataclasses.replace(fitted, kept=kept, stepped=stepped)
