"""One way through a conversation as turns that can be stored, each with its time.

Invariant: pure, and a longer history of the same conversation begins with the same turns: what
a later export may still complete (a call without its answer) is left until it has it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.importers.records import Left, Node
from palimpsest.types import Message, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The turns of one way, from number 1 on."""

    turns: tuple[Turn, ...]
    times: tuple[str, ...]
    """One a turn; empty where neither it nor a neighbour is dated."""
    left: tuple[Left, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    message: Message
    node: Node


def way_of(nodes: Sequence[Node], *, began: str, tools: bool) -> Way:
    """The turns of some nodes, oldest first; without tool work where it is not wanted."""
    left: list[Left] = []
    said = [_Said(message, node) for node in nodes for message in node.messages]
    if not tools:
        said = list(_without_tools(said, left))
    kept = [each for group in _groups(said) for each in _paired(group, left)]
    # Once more: words whose unfinished answer was left go on with the user's next ones.
    groups = _groups(kept)
    return Way(
        turns=tuple(
            Turn(number=number, messages=tuple(each.message for each in group))
            for number, group in enumerate(groups, 1)
        ),
        times=tuple(_times(groups, began, left)),
        left=tuple(left),
    )


def _without_tools(said: Sequence[_Said], left: list[Left]) -> Iterator[_Said]:
    for each in said:
        if each.message.tool_calls or each.message.role == "tool":
            left.append(Left(where=each.node.where, reason="tool-left-out"))
        else:
            yield each


def _groups(said: Sequence[_Said]) -> list[list[_Said]]:
    """Each from a user's words up to the next that come behind an answer."""
    groups: list[list[_Said]] = []
    for each in said:
        speaks = each.message.role == "user"
        unanswered = bool(groups) and all(e.message.role == "user" for e in groups[-1])
        if not groups or (speaks and not unanswered):
            groups.append([])
        groups[-1].append(each)
    return groups


def _paired(group: Sequence[_Said], left: list[Left]) -> Iterator[_Said]:
    """A group without calls or results that stand alone, and without work that nobody ended."""
    answered = _answered(group)
    ended = max((i for i, each in enumerate(group) if _ends(each.message)), default=-1)
    made: set[str] = set()
    for i, each in enumerate(group):
        said, late = each.message, i > ended
        if said.role == "tool":
            known = said.tool_call_id in made
            if late or not known:
                alone = said.tool_call_id not in answered
                reason = "result-without-call" if alone else "unfinished-call"
                left.append(Left(where=each.node.where, reason=reason))
                continue
        elif said.tool_calls:
            kept = () if late else tuple(c for c in said.tool_calls if c.id in answered)
            reason = "unfinished-call" if late else "call-without-result"
            gone = len(said.tool_calls) - len(kept)
            left += [Left(where=each.node.where, reason=reason)] * gone
            if not kept and said.content is None:
                continue
            made.update(call.id for call in kept)
            yield _Said(dataclasses.replace(said, tool_calls=kept), each.node)
            continue
        yield each


def _answered(group: Sequence[_Said]) -> set[str]:
    """The calls that a later message of the group answers."""
    made: set[str] = set()
    answered: set[str] = set()
    for each in group:
        made.update(call.id for call in each.message.tool_calls)
        if each.message.tool_call_id in made:
            answered.add(each.message.tool_call_id or "")
    return answered


def _ends(message: Message) -> bool:
    """True for an answer: tool work before it is done."""
    return message.role == "assistant" and not message.tool_calls


def _times(groups: Sequence[Sequence[_Said]], began: str, left: list[Left]) -> Iterator[str]:
    last = began or next((e.node.time for g in groups for e in g if e.node.time), "")
    for group in groups:
        own = next((each.node.time for each in group if each.node.time), "")
        if not own:
            left.append(Left(where=group[0].node.where, reason="no-time"))
        last = own or last
        yield last
