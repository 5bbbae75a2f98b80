"""The required part of a request: what must be there whatever the budget.

Instructions first, then open turns (a call without its final answer is never dropped),
then the tail: the question, or the turn that is to be continued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.context.block import Block, with_block
from palimpsest.errors import InputError
from palimpsest.settings import ContextSettings
from palimpsest.types import Ask, Message, Tool, Turn, calls_of, results_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """The fixed parts that optional turns and quoted lines are fitted around."""

    head: tuple[Message, ...]
    pinned: tuple[Turn, ...]
    """Open turns, oldest first, without the one that is continued."""
    tail: tuple[Message, ...]
    continued: Turn | None
    """The turn that the tail is, where no question was asked."""
    tools: tuple[Tool, ...]
    settings: ContextSettings

    def required(self) -> frozenset[int]:
        """The numbers of the turns that are in it."""
        numbers = {turn.number for turn in self.pinned}
        return frozenset(numbers | ({self.continued.number} if self.continued else set()))

    def messages(
        self, kept: Sequence[Turn] = (), block: Block | None = None
    ) -> tuple[Message, ...]:
        """The whole request: head, kept and pinned turns in their order, tail."""
        turns = sorted((*kept, *self.pinned), key=lambda turn: turn.number)
        middle = [message for turn in turns for message in turn.messages]
        return (*self.head, *middle, *with_block(self.tail, block, self.settings))


def skeleton(
    ask: Ask,
    open_turns: Sequence[Turn],
    settings: ContextSettings,
    edit: Callable[[Turn], Turn],
) -> Skeleton:
    """Lay out the required part; ``edit`` gives each turn the form in which it is sent."""
    head = (ask.instructions,) if ask.instructions else ()
    turns = [settled(edit(turn)) for turn in open_turns]
    if ask.question is not None:
        return Skeleton(
            head=head, pinned=tuple(turn for turn in turns if turn.has_calls), tail=(ask.question,),
            continued=None, tools=ask.tools, settings=settings,
        )  # fmt: skip
    continued = _continued(turns)
    pinned = tuple(turn for turn in turns if turn is not continued and turn.has_calls)
    return Skeleton(
        head=head, pinned=pinned, tail=continued.messages, continued=continued,
        tools=ask.tools, settings=settings,
    )  # fmt: skip


def _continued(open_turns: Sequence[Turn]) -> Turn:
    """The newest open turn that a model can answer: it does not wait for a tool itself."""
    for turn in reversed(open_turns):
        if not unanswered(turn):
            return turn
    raise InputError(
        "question: null continues a turn that waits for the model, and no turn does; "
        "ask a question, or append the tool result first"
    )


def unanswered(turn: Turn) -> tuple[str, ...]:
    """The calls of a turn that have no result yet, in order."""
    waiting: dict[str, None] = {}
    for message in turn.messages:
        for id in results_of(message):
            waiting.pop(id, None)
        waiting.update(dict.fromkeys(calls_of(message)))
    return tuple(waiting)


def settled(turn: Turn) -> Turn:
    """A turn in which each call has one result: the last one, where the first one stood.

    An interim result does not close its call. What the assistant said while it waited
    goes with it, since a chat API takes a result directly after its call only.
    """
    late = _late_results(turn.messages)
    if not late:
        return turn
    final = set(late.values())
    found: list[Message] = []
    for i, message in enumerate(turn.messages):
        if i in late:
            found.append(turn.messages[late[i]])
        elif i not in final and not _waiting(i, message, late):
            found.append(message)
    return Turn(number=turn.number, messages=tuple(found))


def _late_results(messages: Sequence[Message]) -> dict[int, int]:
    """Where an interim result stands, and where the final one for the same call does.

    A server may number the calls of each message anew: a result answers the newest call of
    its id, so an id that is called again is another call.
    """
    first: dict[str, int] = {}
    late: dict[int, int] = {}
    for i, message in enumerate(messages):
        for id in calls_of(message):
            first.pop(id, None)
        for id in _answered(message):
            if first.setdefault(id, i) != i:
                late[first[id]] = i
    return late


def _answered(message: Message) -> tuple[str, ...]:
    """The call that a message answers, where it does nothing else."""
    only = all(part.kind == "tool_result" for part in message.parts)
    found = results_of(message)
    return found if only and len(found) == 1 else ()


def _waiting(place: int, message: Message, late: Mapping[int, int]) -> bool:
    """Words that the assistant said between an interim result and the final one."""
    between = any(start < place < end for start, end in late.items())
    return between and message.role == "assistant" and not calls_of(message)
