"""Gathers one conversation while a reader walks through it.

Invariant: a text that it gives back can be stored, ids are unique, and whatever was dropped
or changed is on the list with its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palimpsest.importers.reasons import REASONS
from palimpsest.importers.records import Left, Node, Talk
from palimpsest.types import Message, Role

LONGEST = 64_000_000
"""Characters that one conversation may have: what is held at a time."""


class Gathering:
    """The nodes of one conversation, and what is left of it."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.characters = 0
        self._nodes: dict[str, Node] = {}
        self._left: list[Left] = []

    def leave(self, where: str, reason: str) -> None:
        """Something is not taken, or not as it stood."""
        assert reason in REASONS, reason
        self._left.append(Left(where=where, reason=reason))

    def text(self, value: object, where: str) -> str:
        """A text that can be stored; empty for anything that has no words."""
        if not isinstance(value, str) or not value.strip() or self.characters > LONGEST:
            return ""
        whole = whole_text(value)
        if whole != value:
            self.leave(where, "half-character")
        self.characters += len(whole)
        return whole

    def words(self, role: Role, value: object, where: str) -> tuple[Message, ...]:
        """The message of a text; none for one without words."""
        said = self.text(value, where)
        return (Message(role=role, content=said),) if said else ()

    @property
    def taken(self) -> bool:
        """True where anything came in, or was left."""
        return bool(self._nodes or self._left)

    def holds(self, id: str) -> bool:
        """True where a node has this id."""
        return id in self._nodes

    def add(
        self, id: object, parent: object, messages: Iterable[Message] = (), *, time: str = "",
        where: str,
    ) -> str:  # fmt: skip
        """Add a node and return its id; a second one with an id that is there is left."""
        known = name_of(id) or self._unnamed()
        if known in self._nodes:
            self.leave(where, "duplicate-id")
            return known
        self._nodes[known] = Node(
            id=known, parent=name_of(parent) or None, messages=tuple(messages), time=time,
            where=where,
        )  # fmt: skip
        return known

    def follow(self, messages: Sequence[Message], *, time: str = "", where: str) -> None:
        """Add a node behind the last one: for a source that is a plain list."""
        last = next(reversed(self._nodes), None)
        self.add(None, last, messages, time=time, where=where)

    def _unnamed(self) -> str:
        name = f"#{len(self._nodes)}"
        while name in self._nodes:
            name += "'"
        return name

    def talk(
        self, id: object, *, title: object = "", tip: object = None, began: object = ""
    ) -> Talk:
        """The conversation."""
        nodes = tuple(self._nodes.values())
        if not any(node.messages for node in nodes) and not self._left:
            self.leave(self.where, "empty")
        if self.characters > LONGEST:
            self._left, nodes = [Left(where=self.where, reason="too-large")], ()
        return Talk(
            id=name_of(id), title=whole_text(title) if isinstance(title, str) else "",
            where=self.where, nodes=nodes, tip=name_of(tip) or None,
            began=began if isinstance(began, str) else "", left=tuple(self._left),
        )  # fmt: skip


def whole_text(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, which is no character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # Halves that stand side by side are one character that was written in two.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def name_of(value: object) -> str:
    """An id as a text; empty for what is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return whole_text(str(value)).strip()
