"""The four stages of the write path, each as one piece of work on a prepared store.

Everything is fixed, the clock too, so that two runs of a stage leave the very same rows.
"""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from palimpsest import Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.proposals import AnchorRemoval, Delta, Extraction, Position, Seen
from palimpsest.settings import StorySettings
from tests.support.proposing import Proposing

CONFIG = Config(story=StorySettings(positions=1, state=("mood: -2..2 step 1",)))
TURN = 3
"""The turn that waits to be read, in the stages that read one."""
_SAID = {
    "reflect": "My next stay is in Porto, not in Oslo, and I fly on Friday.",
    "merge": "I drink green tea in the morning, before work.",
}
_PLANS: Mapping[str, list[dict[str, Any]]] = {
    "reflect": [
        {"text": "My next stay is in Porto", "op": "correct", "attribute": "stay"},
        {"text": "I fly on Friday", "attribute": "flight"},
        {"text": "I never said this.", "attribute": "none"},
    ],
    "merge": [{}],
}
_BEFORE = Extraction(
    summary="A stay in Oslo. They drink tea.", anchors=("I drink green tea in the morning.",),
    positions=(Position(subject="tea", text="Good.", justification="green tea"),),
)  # fmt: skip
_STORY = Extraction(
    summary="Porto it is. They fly.", anchors=("I fly on Friday",),
    dropped_anchors=(AnchorRemoval(id=1, reason="said again"),),
    positions=(Position(subject="trains", text="Better than planes.", justification="I fly"),),
    deltas=(Delta(name="mood", step=1.0),),
)  # fmt: skip


class Reading(Proposing):
    """Proposes the planned memories, with a whole new story beside them."""

    story: Extraction = Extraction()

    def extract(self, seen: Seen, config: Config) -> Extraction:
        found = super().extract(seen, config)
        return dataclasses.replace(self.story, proposals=found.proposals)


def reading(stage: str) -> Reading:
    """What reads the turn of a stage."""
    made = Reading({TURN: _PLANS[stage]})
    made.story = _STORY if stage == "reflect" else Extraction()
    return made


def opened(path: Path) -> Memory:
    """The store under a clock that stands still."""
    return Memory.open(path, config=CONFIG, clock=lambda: "2026-05-04T10:00:00+00:00")


def of(memory: Memory) -> Conversation:
    """The conversation that every stage works on."""
    return memory.conversation(user="ana", id="trip")


def prepare(path: Path, stage: str) -> None:
    """A store in which ``stage`` has something to do."""
    with opened(path) as memory:
        talk = of(memory)
        talk.observe(user="My next stay is in Oslo.", assistant="Oslo, noted.")
        talk.reflect(extractor=Proposing({1: [{"attribute": "stay"}]}))
        talk.observe(user="I drink green tea in the morning.", assistant="Nice.")
        first = Reading()
        first.story = _BEFORE
        talk.reflect(extractor=first)
        if stage in _SAID:
            talk.observe(user=_SAID[stage], assistant="Noted: not Oslo.")
        if stage == "consolidate":
            for text in ("The room is 12.", "The room is 12.", "The room is 14."):
                (turn,) = talk.append(user=text, assistant="Noted.")
                talk.remember(text, attribute="room", turn=turn.number)


def _observe(talk: Conversation) -> None:
    talk.observe(user="Oslo is cold, my brother says.", assistant="My next stay is in Oslo.")


def _torn(talk: Conversation) -> None:
    """Work in two transactions, which a kill between them leaves half done."""
    for said in ("One half.", "The other half."):
        talk.observe(user=said, assistant="Noted.")


def _reflect(talk: Conversation) -> None:
    talk.reflect(extractor=reading("reflect"))


def _merge(talk: Conversation) -> None:
    talk.reflect(extractor=reading("merge"))


def _consolidate(talk: Conversation) -> None:
    talk.consolidate()


WORK: Mapping[str, Callable[[Conversation], None]] = {
    "observe": _observe, "reflect": _reflect, "merge": _merge, "consolidate": _consolidate,
    "torn": _torn,
}  # fmt: skip
STAGES = ("observe", "reflect", "merge", "consolidate")


_DRAWN = {"conversations": ("revision", "retirements"), "memory_changes": ("number", "edits")}
"""Columns whose numbers are drawn anew with every change, so that no run repeats them."""


def rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, once the file was found to be whole."""
    with closing(sqlite3.connect(path)) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        assert [] == connection.execute("PRAGMA foreign_key_check").fetchall()
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {
            name: sorted(connection.execute(_selected(connection, name)).fetchall(), key=repr)
            for (name,) in names.fetchall()
        }


def _selected(connection: sqlite3.Connection, table: str) -> str:
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info([{table}])")]
    named = ", ".join(f"[{name}]" for name in columns if name not in _DRAWN.get(table, ()))
    return f"SELECT {named} FROM [{table}]"
