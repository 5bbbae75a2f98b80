"""Deliberate faults in the real engine: each switches one rule off through monkeypatch.

Names are those of the rules. A mutant patches the name that the engine really calls;
``test_mutants`` holds them to that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from palimpsest.config import Config
from palimpsest.context import extraction, facts, memory_strategies, recent
from palimpsest.context.fit import Fitted, Scale
from palimpsest.conversation import Conversation
from palimpsest.language.message_text import Searched, roles
from palimpsest.store import exporting, transfer_tables
from palimpsest.store.view import StoreView
from palimpsest.types import Label, Message, Turn
from palimpsest.write import known_again, redaction

Mutate = Callable[[pytest.MonkeyPatch], None]


def without(op: str, instead: str | None) -> Mutate:
    """Labels of one kind do nothing, or something else."""
    applied = Conversation.apply

    def apply(self: Conversation, label: Label, *, turn: int) -> None:
        if label.op != op:
            applied(self, label, turn=turn)
        elif instead is not None:
            applied(self, dataclasses.replace(label, op=instead), turn=turn)  # type: ignore[arg-type]

    return lambda patch: patch.setattr(Conversation, "apply", apply)


def without_redaction(patch: pytest.MonkeyPatch) -> None:
    """Turns are stored and sent as they were said."""
    patch.setattr("palimpsest.write.forgetting.erase", lambda *_, **__: None)
    patch.setattr(StoreView, "redactions", lambda *_: ())


def without_quota(patch: pytest.MonkeyPatch) -> None:
    """Facts may take every token there is."""
    overridden = memory_strategies.overridden

    def endless(config: Config, **params: Any) -> Config:
        made = overridden(config, **params)
        return dataclasses.replace(made, facts=dataclasses.replace(made.facts, quota=100_000))

    patch.setattr(memory_strategies, "overridden", endless)


def skipping(patch: pytest.MonkeyPatch) -> None:
    """Recent turns skip what does not fit and go on, where they should stop."""

    def greedy(scale: Scale, turns: Iterator[Turn], block: Any, limit: int) -> Fitted:
        kept: tuple[Turn, ...] = ()
        stopped = None
        for turn in turns:
            if scale.weigh((turn, *kept), block) <= limit:
                kept = (turn, *kept)
            else:
                stopped = turn
        return Fitted(kept=kept, stopped=stopped)

    patch.setattr(recent, "fit", greedy)


def stopping(patch: pytest.MonkeyPatch) -> None:
    """Facts stop at the first line that does not fit, where they should skip it."""
    seat = memory_strategies.seat

    def first_only(view: Any, counter: Any, config: Config, *, current: bool) -> Any:
        impatient = dataclasses.replace(config.facts, tries=1)
        return seat(view, counter, dataclasses.replace(config, facts=impatient), current=current)

    patch.setattr(memory_strategies, "seat", first_only)


def without_consolidation(patch: pytest.MonkeyPatch) -> None:
    """What an attribute holds more than once stays."""
    patch.setattr(Conversation, "consolidate", lambda self: ())


def without_escaping(patch: pytest.MonkeyPatch) -> None:
    """Quoted lines carry their text raw."""
    for module in (facts, extraction):
        patch.setattr(module, "quoted", lambda text, markers=(): text)


def without_calls(patch: pytest.MonkeyPatch) -> None:
    """The arguments of tool calls are not searched for what is gone."""

    def words(message: Message) -> tuple[Searched, ...]:
        return tuple(map(Searched, roles(message), message.texts()))

    patch.setattr(redaction, "searched", words)


def written_back(patch: pytest.MonkeyPatch) -> None:
    """Consolidation writes back what it once saw, as a cache that outlives a forget would."""
    applied, consolidate = Conversation.apply, Conversation.consolidate
    seen: dict[str, Label] = {}

    def apply(self: Conversation, label: Label, *, turn: int) -> None:
        if label.op == "remember":
            seen[self.turns(first=turn)[0].user] = label
        applied(self, label, turn=turn)

    def mend(self: Conversation) -> Any:
        for text, label in seen.items():
            if label.attribute not in {row.attribute for row in self.current()}:
                self.remember(text, attribute=label.attribute)
        return consolidate(self)

    patch.setattr(Conversation, "apply", apply)
    patch.setattr(Conversation, "consolidate", mend)


def only_hidden(patch: pytest.MonkeyPatch) -> None:
    """A forget hides in the process what it should take out of the file."""
    applied, turns, memories = Conversation.apply, StoreView.turns, StoreView.memories
    hidden: dict[int, set[str]] = {}

    def apply(self: Conversation, label: Label, *, turn: int) -> None:
        if label.op != "forget":
            applied(self, label, turn=turn)
            return
        rows = self.history(label.attribute)
        hidden.setdefault(id(self._store), set()).update(r.value or r.text for r in rows)

    def gone(view: StoreView, text: str) -> bool:
        return any(each in text for each in hidden.get(id(view._store), ()))

    def kept_turns(self: StoreView) -> Iterator[Turn]:
        return (
            t for t in turns(self) if not any(gone(self, s) for m in t.messages for s in m.texts())
        )

    def kept_rows(self: StoreView, *, current: bool) -> Iterator[Any]:
        return (row for row in memories(self, current=current) if not gone(self, row.text))

    patch.setattr(Conversation, "apply", apply)
    patch.setattr(StoreView, "turns", kept_turns)
    patch.setattr(StoreView, "memories", kept_rows)


def not_known_again(patch: pytest.MonkeyPatch) -> None:
    """A proposal from old text is not compared with what was forgotten."""
    patch.setattr(known_again, "refused", lambda *_, **__: False)


def moved_without_records(patch: pytest.MonkeyPatch) -> None:
    """An export leaves the records of deletions behind."""
    left = ("deletions", "forgotten_values", "forgotten", "forgotten_places")
    kept = tuple(name for name in transfer_tables.EXPORTED if name not in left)
    patch.setattr(exporting, "EXPORTED", kept)


LATER: Mapping[str, Mutate] = {
    "checkpoints": without_redaction,
    "consolidated": written_back,
    "restarted": only_hidden,
    "read again": not_known_again,
    "moved": moved_without_records,
}
"""Faults that show at a later moment, by the stage that must see each."""

MUTANTS: Mapping[str, Mutate] = {
    "forget ignored": without("forget", None),
    "redaction off": without_redaction,
    "quota ignored": without_quota,
    "recent turns skip instead of stop": skipping,
    "facts stop instead of skip": stopping,
    "corrections dropped": without("correct", None),
    "corrections remembered beside the old": without("correct", "remember"),
    "consolidation off": without_consolidation,
    "escaping off": without_escaping,
    "calls not searched": without_calls,
}
