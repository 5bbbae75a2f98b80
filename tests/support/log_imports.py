"""What an import left in a store, in a shape that is easy to compare."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from palimpsest import Memory
from palimpsest.chat_logs import LogImport, Taken
from palimpsest.importers import Left, Source, Talk, recognised
from palimpsest.importers.trees import ways
from palimpsest.importers.turns import way_of

Words = list[list[tuple[str, str]]]


def said(memory: Memory, name: str, *, user: str = "me") -> Words:
    """The turns of a conversation, each as roles and texts."""
    return [
        [(message.role, message.content or "") for message in turn.messages]
        for turn in memory.conversation(user=user, id=name).turns()
    ]


def everything(memory: Memory, *, user: str = "me") -> dict[str, Words]:
    """All conversations of a user."""
    return {name: said(memory, name, user=user) for name in memory.conversations(user)}


def taken(memory: Memory, path: Path, **options: object) -> tuple[LogImport, list[Taken | Left]]:
    """Import a log; what became of it, in sums and one by one."""
    told: list[Taken | Left] = []
    done = memory.import_log(path, user="me", told=told.append, **options)  # type: ignore[arg-type]
    return done, told


def read(path: Path) -> tuple[str, list[Talk], list[Left]]:
    """The format of a file, its conversations, and what could not be read."""
    name, talks, left = "", [], []
    for source in Source.all_of(path):
        kind = recognised(source)
        assert kind.format is not None
        name = kind.format.name
        for found in kind.format.read(source, kind.mode, kind.key):
            if isinstance(found, Left):
                left.append(found)
            else:
                talks.append(found)
    return name, talks, left


def words(talk: Talk, *, tools: bool = True) -> list[Words]:
    """Each way through a conversation, as roles and texts."""
    found = []
    for way in ways(talk):
        assert not isinstance(way, Left)
        turns = way_of(way, began=talk.began, tools=tools).turns
        found.append([[(m.role, m.content or "") for m in turn.messages] for turn in turns])
    return found


def reasons(talk: Talk) -> Mapping[str, int]:
    """How often each reason left something."""
    counts: dict[str, int] = {}
    for left in talk.left:
        counts[left.reason] = counts.get(left.reason, 0) + 1
    return counts
