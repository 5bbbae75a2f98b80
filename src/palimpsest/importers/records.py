"""What a reader yields: a conversation as a tree of nodes, and what was left of it.

A node is one record of the source; it holds the messages that were made of it, or none, and
then it only keeps the place between its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.types import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Something of a source that was not taken, or not as it stood."""

    where: str
    """File, conversation and message, as the source numbers or names them; never its words."""
    reason: str
    """One of ``reasons.REASONS``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One record of a source."""

    id: str
    """Unique within its conversation."""
    parent: str | None
    messages: tuple[Message, ...] = ()
    time: str = ""
    """ISO 8601, UTC; empty where the source tells none."""
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation of a source, with all its branches."""

    id: str
    """As the source names it; empty where it names none."""
    title: str = ""
    where: str
    nodes: tuple[Node, ...]
    """In the order of the source."""
    tip: str | None = None
    """The node that the conversation stands at; ``None`` for the last one."""
    began: str = ""
    """ISO 8601, UTC; empty where the source tells none."""
    left: tuple[Left, ...] = ()
