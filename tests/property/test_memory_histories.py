"""Random histories of what is said, remembered, corrected, forgotten and consolidated.

Three scopes share one file; their names are prefixes of one another. Values are prefixes
of one another too, and statements quote the values of other attributes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import write
from palimpsest.language.occurrences import folded, needle, spans
from palimpsest.language.redact_text import redacted
from palimpsest.store import Store, open_store
from palimpsest.types import Memory, Message, Scope, Turn

SCOPES = (
    Scope(user="an", conversation="c"),
    Scope(user="ana", conversation="c"),
    Scope(user="ana", conversation="c'; --\x00é"),
)
ATTRIBUTES = ("key", "city", None)
NOW = "2026-01-01T00:00:00+00:00"
MARKER = "\x00redacted\x00"


@dataclass(frozen=True)
class Step:
    """One command in one scope."""

    command: str
    scope: int
    attribute: int = 0
    value: int = 0
    other: int = 0
    hidden: bool = False


steps = st.builds(
    Step,
    command=st.sampled_from(("say", "remember", "correct", "correct", "forget", "consolidate")),
    scope=st.sampled_from((0, 1, 1, 1, 2)),
    attribute=st.integers(0, 2),
    value=st.integers(0, 3),
    other=st.integers(0, 3),
    hidden=st.booleans(),
)


class Played:
    """A store that steps are played into; each scope has values of its own."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.watch = write.Watch()

    def value(self, step: Step, number: int) -> str:
        """V10, V100, V1000, V10000 of scope 1: each is a prefix of the next."""
        return f"{'ABC'[step.scope]}-1{'0' * (number + 1)}"

    def play(self, step: Step) -> None:
        """Say something, then do what the step commands."""
        scope = SCOPES[step.scope]
        value, other = self.value(step, step.value), self.value(step, step.other)
        shown = value[:3] + "\u200b" + value[3:] if step.hidden else value
        attribute = ATTRIBUTES[step.attribute]
        text = f"My {attribute} is {value} & not <{other}>."
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        said = {
            "say": (f"Tell me of {shown}.", f"{shown} it is, ({other}), not {value}0."),
            "forget": (f"Forget my {attribute} {shown}!", f"Gone: {value}, {other}."),
        }.get(step.command, (text, f"Noted: {escaped} {shown}"))
        turn = self.say(scope, *said)
        if step.command == "remember":
            write.remember(self.store, scope, text, attribute=attribute, value=value, turn=turn)
        elif step.command == "consolidate":
            write.consolidate(self.store, scope)
        elif step.command in ("correct", "forget"):
            self.change(step, scope, text, turn)

    def change(self, step: Step, scope: Scope, text: str, turn: int) -> None:
        """Correct or forget what is current, where anything is."""
        attribute = ATTRIBUTES[step.attribute]
        current = [m for m in write.current(self.store, scope) if m.attribute == attribute]
        if not current:
            return
        which: Any = {"id": current[-1].id} if attribute is None else {"attribute": attribute}
        if step.command == "correct":
            value = self.value(step, step.value)
            write.correct(self.store, scope, text, value=value, turn=turn, **which)
        else:
            write.forget(self.store, scope, turn=turn, **which)

    def say(self, scope: Scope, user: str, assistant: str) -> int:
        """Append a turn; its number."""
        number = self.store.turns.last(scope) + 1
        messages = (
            Message(role="user", content=user), Message(role="assistant", content=assistant),
        )  # fmt: skip
        write.append(self.store, scope, [Turn(number=number, messages=messages)], watch=self.watch)
        return number

    def rows(self, scope: Scope) -> list[Memory]:
        """Every memory of a scope, oldest first."""
        return list(self.store.visible.newest(scope, current=False))[::-1]

    def turns(self, scope: Scope) -> list[Turn]:
        """Every turn of a scope, oldest first."""
        return list(self.store.turns.newest(scope))[::-1]

    def shown(self, scope: Scope) -> list[Turn]:
        """Every turn as a managed request shows it, oldest first."""
        return [
            redacted(turn, self.store.redactions.of(scope, turn.number), MARKER)
            for turn in self.turns(scope)
        ]

    def dump(self, scope: Scope) -> list[object]:
        """All that can be read of a scope."""
        marked = [self.store.redactions.of(scope, turn.number) for turn in self.turns(scope)]
        return [
            self.turns(scope), marked, self.rows(scope), write.deletions(self.store, scope),
            write.resolutions(self.store, scope), write.storage(self.store, scope),
            self.store.revision(scope),
        ]  # fmt: skip


@contextmanager
def fresh() -> Iterator[Played]:
    """A new store in memory."""
    with open_store(":memory:", clock=lambda: NOW) as store:
        yield Played(store)


@contextmanager
def on_disk() -> Iterator[tuple[Path, Played]]:
    """A new store in a file, in a directory of its own."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "m.db"
        with open_store(path, clock=lambda: NOW) as store:
            yield path, Played(store)


def texts(turns: list[Turn]) -> list[str]:
    """Every text of the turns."""
    return [text for turn in turns for item in turn.messages for text in item.texts()]


def occurrences(what: str, text: str) -> list[tuple[int, int]]:
    """Where a value or a statement stands."""
    looked_for = needle(what)
    assert looked_for is not None
    return [(start, end) for start, end in spans(looked_for, folded(text))]


def unprotected(what: str, text: str, current: list[Memory]) -> list[tuple[int, int]]:
    """Where it stands outside every current statement."""
    kept = [place for memory in current for place in occurrences(memory.text, text)]
    return [
        (start, end)
        for start, end in occurrences(what, text)
        if not any(start < e and s < end for s, e in kept)
    ]


histories = st.lists(steps, max_size=25)
quick = settings(deadline=None, max_examples=60)


@quick
@given(histories)
def test_every_row_is_current_or_superseded_by_a_row_that_exists(history: list[Step]) -> None:
    """Ids grow and are never given twice to one user; chains end in a current row."""
    with fresh() as played:
        given_ids: dict[str, set[int]] = {"an": set(), "ana": set()}
        for step in history:
            before = {m.id for scope in SCOPES for m in played.rows(scope) if scope.user == "ana"}
            played.play(step)
            for scope in SCOPES:
                by = {row.id: row.superseded_by for row in played.rows(scope)}
                for first in by:
                    following: int | None = first
                    while following is not None:
                        following = by[following]
            now = [m.id for scope in SCOPES for m in played.rows(scope) if scope.user == "ana"]
            assert len(now) == len(set(now))
            new = set(now) - before
            assert all(id > max(given_ids["ana"], default=0) for id in new)
            given_ids["ana"] |= new


@quick
@given(histories)
def test_a_step_in_one_scope_changes_no_other(history: list[Step]) -> None:
    """Whatever happens to one conversation, the others read the same."""
    with fresh() as played:
        for step in history:
            others = [scope for i, scope in enumerate(SCOPES) if i != step.scope]
            before = [played.dump(scope) for scope in others]
            played.play(step)
            assert before == [played.dump(scope) for scope in others]


@quick
@given(histories)
def test_after_a_forget_the_value_stands_nowhere(history: list[Step]) -> None:
    """Neither the value nor the statement is in a turn or a row, current statements excepted.

    What the store shows and what the file holds are both searched.
    """
    with on_disk() as (path, played):
        for step in history:
            scope = SCOPES[step.scope]
            before = {row.id: row for row in played.rows(scope)}
            played.play(step)
            if step.command != "forget":
                continue
            left = played.rows(scope)
            current = [row for row in left if row.superseded_by is None]
            gone = [row for id, row in before.items() if id not in {row.id for row in left}]
            held = [*texts(played.turns(scope)), *(row.text for row in left)]
            for row in gone:
                values = {m.value for m in current if m.attribute == row.attribute is not None}
                for what in {row.text, row.value or row.text} - values:
                    assert [] == [t for t in held if unprotected(what, t, current)]
                if not any(row.text in m.text for m in current):
                    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
                    assert row.text.encode() not in stored


@quick
@given(histories)
def test_after_a_correction_no_shown_turn_states_the_old_fact(history: list[Step]) -> None:
    """Up to the correction nobody, and after it nobody but the user, says the old value."""
    with fresh() as played:
        corrected: dict[tuple[int, str | None], list[tuple[str, int]]] = {}
        for step in history:
            scope, attribute = SCOPES[step.scope], ATTRIBUTES[step.attribute]
            old = [
                m for m in write.current(played.store, scope)
                if m.attribute == attribute is not None
            ]  # fmt: skip
            played.play(step)
            current = list(write.current(played.store, scope))
            key = (step.scope, attribute)
            if step.command == "forget":
                corrected.pop(key, None)
            elif step.command == "correct" and old:
                last = played.store.turns.last(scope)
                corrected.setdefault(key, []).extend(
                    # A forget took a strong value out of this memory, too.
                    (m.value, last)
                    for m in old
                    if m.value is not None
                )
            values = {m.value for m in current if m.attribute == attribute}
            for value, until in corrected.get(key, ()):
                if value in values:
                    continue
                for turn in played.turns(scope):
                    spans_of = played.store.redactions.of(scope, turn.number)
                    for place, item in enumerate(turn.messages):
                        if turn.number > until and item.role == "user":
                            continue
                        (text,) = item.texts()
                        marked = [(s.start, s.end) for s in spans_of if s.message == place]
                        for start, end in unprotected(value, text, current):
                            assert any(s <= start and end <= e for s, e in marked)


@quick
@given(histories)
def test_redaction_never_hides_a_current_statement(history: list[Step]) -> None:
    """A command hides no occurrence of a statement that is current after it."""
    with fresh() as played:
        for step in history:
            scope = SCOPES[step.scope]
            before = texts(played.shown(scope))
            played.play(step)
            after = texts(played.shown(scope))
            for memory in write.current(played.store, scope):
                for old, new in zip(before, after, strict=False):
                    assert len(occurrences(memory.text, old)) <= len(occurrences(memory.text, new))


@quick
@given(histories)
def test_spans_lie_in_their_texts_and_apart(history: list[Step]) -> None:
    """No two spans of a text overlap or touch, and a forgotten one has no length."""
    with fresh() as played:
        for step in history:
            played.play(step)
        for scope in SCOPES:
            for turn in played.turns(scope):
                at: dict[tuple[int, int], int] = {}
                for span in played.store.redactions.of(scope, turn.number):
                    place = (span.message, span.text)
                    assert at.get(place, -1) < span.start <= span.end
                    assert span.end <= len(turn.messages[span.message].texts()[span.text])
                    assert (span.reason == "forgotten") == (span.start == span.end)
                    at[place] = span.end


@quick
@given(histories)
def test_consolidation_settles_and_a_second_one_does_nothing(history: list[Step]) -> None:
    """After consolidation an attribute has one current row: the last thing said of it."""
    with fresh() as played:
        for step in history:
            played.play(step)
        for scope in SCOPES:
            before = write.current(played.store, scope)
            write.consolidate(played.store, scope)
            settled = played.dump(scope)
            named = {m.attribute: m for m in write.current(played.store, scope) if m.attribute}
            newest = {m.attribute: m.text for m in before if m.attribute}
            assert newest == {name: row.text for name, row in named.items()}
            assert () == write.consolidate(played.store, scope)
            assert settled == played.dump(scope)


@quick
@given(histories)
def test_a_store_reads_the_same_after_it_is_opened_again(history: list[Step]) -> None:
    """SQLite is the only truth: nothing that is answered lived in the process."""
    with on_disk() as (path, played):
        for step in history:
            played.play(step)
        before = [played.dump(scope) for scope in SCOPES]
        played.store.close()
        with open_store(path) as again:
            assert before == [Played(again).dump(scope) for scope in SCOPES]
