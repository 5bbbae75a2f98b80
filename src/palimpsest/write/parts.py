"""What the write path needs of a store, part by part.

Every method takes the scope first and touches nothing outside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from palimpsest.proposals import (
    Action,
    Position,
    Reflection,
    ReflectionStatus,
    Story,
    Usage,
    Verdict,
)
from palimpsest.types import (
    PLAIN,
    AskedBy,
    Deletion,
    ForgottenMatch,
    KnownBy,
    Memory,
    Policy,
    Reach,
    Redaction,
    RedactionReason,
    Resolution,
    ResolutionRule,
    Scope,
    Sought,
    Traits,
    Turn,
)


class TurnPart(Protocol):
    """The turns."""

    def add(self, scope: Scope, turns: Sequence[Turn], *, times: Sequence[str] = ()) -> None: ...

    def replace(self, scope: Scope, turn: Turn) -> None: ...
    def erase(self, scope: Scope, turn: Turn) -> None: ...

    def remove(self, scope: Scope, number: int) -> None: ...

    def get(self, scope: Scope, number: int) -> Turn | None: ...

    def newest(self, scope: Scope) -> Iterator[Turn]: ...

    def holding(
        self, scope: Scope, needles: Sequence[str], *, any_case: bool = False
    ) -> Iterator[Turn]:
        """Turns, oldest first, whose stored text may hold one of the needles."""
        ...

    def passing(self, scope: Scope, keep: Callable[[str], bool]) -> Iterator[Turn]:
        """Turns, oldest first, whose stored text passes ``keep``."""
        ...

    def last(self, scope: Scope) -> int: ...

    def said_at(self, scope: Scope, number: int) -> str: ...


class MemoryPart(Protocol):
    """The memories."""

    def insert(
        self,
        scope: Scope,
        *,
        text: str,
        source: str,
        attribute: str | None,
        value: str | None,
        turn: int | None,
        traits: Traits = PLAIN,
    ) -> Memory: ...

    def supersede(self, scope: Scope, retired: int, by: int) -> None: ...

    def restore(self, scope: Scope, id: int) -> None: ...

    def pin(self, scope: Scope, id: int, *, pinned: bool) -> None: ...

    def see(self, scope: Scope, id: int, times: int = 1) -> None: ...

    def rewrite(self, scope: Scope, id: int, *, text: str, value: str | None) -> None: ...

    def delete(self, scope: Scope, ids: Sequence[int]) -> None: ...

    def get(self, scope: Scope, id: int) -> Memory | None: ...

    def current(self, scope: Scope, attribute: str | None = None) -> tuple[Memory, ...]: ...

    def visible(self, scope: Scope, attribute: str | None = None) -> tuple[Memory, ...]:
        """The current rows that a conversation can see: its own and its user's global ones."""
        ...

    def reachable(self, scope: Scope, id: int) -> Memory | None:
        """One row of those, or a replaced one."""
        ...

    def replaced(self, scope: Scope) -> tuple[Memory, ...]:
        """The replaced rows of the conversation and the replaced global ones of its user."""
        ...

    def labelled(self, scope: Scope) -> tuple[Memory, ...]: ...

    def superseded(self, scope: Scope) -> tuple[Memory, ...]: ...

    def of(self, scope: Scope, attribute: str) -> tuple[Memory, ...]: ...

    def chain(self, scope: Scope, id: int) -> tuple[Memory, ...]: ...

    def count(self, scope: Scope, *, current: bool) -> int: ...

    def attributes(self, scope: Scope, limit: int = 20) -> tuple[str, ...]: ...


class RedactionPart(Protocol):
    """The redacted spans."""

    def of(self, scope: Scope, turn: int) -> tuple[Redaction, ...]: ...

    def put(self, scope: Scope, turn: int, spans: Sequence[Redaction]) -> None: ...

    def clear(self, scope: Scope, reason: RedactionReason) -> None: ...


class DeletionPart(Protocol):
    """The records of forgets."""

    def add(
        self, scope: Scope, *, attribute: str | None, reason: str, rows: int,
        asked_by: AskedBy = "application", turn: int | None = None,
        reach: Reach = "conversation",
    ) -> Deletion: ...  # fmt: skip

    def count(self, scope: Scope, id: int, counts: Mapping[str, int]) -> None: ...

    def of(self, scope: Scope) -> tuple[Deletion, ...]: ...


class ForgottenPart(Protocol):
    """The keyed hashes of what was forgotten."""

    def add(
        self, deletion: Deletion, home: Scope, values: Sequence[KnownBy],
        places: Mapping[Scope, int],
    ) -> None: ...  # fmt: skip

    def sought(self, place: Scope) -> Sought: ...

    def sought_of(self, user: str) -> Sought: ...

    def matching(self, place: Scope, keys: Iterable[str]) -> tuple[ForgottenMatch, ...]: ...

    def matching_of(self, user: str, keys: Iterable[str]) -> tuple[ForgottenMatch, ...]: ...

    def lift(self, matches: Iterable[ForgottenMatch], *, turn: int | None) -> None: ...

    def reach(self, place: Scope, records: Iterable[tuple[int, int]], *, until: int) -> None: ...


class ResolutionPart(Protocol):
    """The records of consolidation."""

    def add(self, scope: Scope, *, kept: int, retired: int, rule: ResolutionRule) -> Resolution: ...

    def of(self, scope: Scope) -> tuple[Resolution, ...]: ...


class WordingPart(Protocol):
    """How memories were said again."""

    def add(self, memory: Memory, said_in: Scope, *, turn: int, text: str) -> None: ...

    def of(self, memories: Sequence[Memory], said_in: Scope) -> tuple[Memory, ...]: ...

    def said(self, said_in: Scope) -> tuple[tuple[Memory, int, str], ...]: ...

    def reword(self, memory: Memory, said_in: Scope, *, turn: int, old: str, new: str) -> None: ...

    def drop(self, memory: Memory, said_in: Scope, *, turn: int) -> None: ...

    def places(self, memories: Sequence[Memory]) -> tuple[Scope, ...]: ...

    def delete(self, memories: Sequence[Memory]) -> None: ...


class StoryPart(Protocol):
    """The summary, the anchors, the positions and the state."""

    def of(self, scope: Scope) -> Story: ...

    def summarize(self, scope: Scope, text: str) -> None: ...

    def anchor(self, scope: Scope, text: str, turn: int) -> int: ...

    def release(self, scope: Scope, id: int, reason: str) -> None: ...

    def hold_anchor(self, scope: Scope, id: int) -> None: ...

    def reword(self, scope: Scope, id: int, text: str) -> None: ...

    def hold(self, scope: Scope, position: Position) -> None: ...

    def drop(self, scope: Scope, subject: str) -> None: ...

    def set_state(self, scope: Scope, name: str, value: float | None) -> None: ...


class ReflectionPart(Protocol):
    """Which turns wait to be read."""

    def expect(self, scope: Scope, turn: int, *, messages: int) -> None: ...

    def shorten(self, scope: Scope, turn: int, *, messages: int) -> None: ...

    def pending(self, scope: Scope, *, failed: bool = False) -> tuple[int, ...]: ...

    def get(self, scope: Scope, turn: int) -> Reflection | None: ...

    def of(self, scope: Scope) -> tuple[Reflection, ...]: ...

    def finish(
        self, scope: Scope, turn: int, *, status: ReflectionStatus, extractor: str,
        usage: Usage,
        read: int = 0, error: str = "",
    ) -> bool: ...  # fmt: skip


class VerdictPart(Protocol):
    """What became of proposals."""

    def add(
        self, scope: Scope, *, turn: int, action: Action, rule: str, text: str, extractor: str,
        memory: int | None = None, other: int | None = None, score: float | None = None,
        undo: str = "",
    ) -> Verdict: ...  # fmt: skip

    def of(self, scope: Scope, *, turn: int | None = None) -> tuple[Verdict, ...]: ...

    def get(self, scope: Scope, id: int) -> Verdict | None: ...

    def undo_of(self, scope: Scope, id: int) -> str: ...

    def undos(self, scope: Scope) -> Mapping[int, str]: ...

    def settle(self, scope: Scope, id: int, how: str | None) -> None: ...

    def rewrite(self, scope: Scope, texts: Sequence[tuple[int, str, str]]) -> None: ...


class WithheldPart(Protocol):
    """What requests to forget that wait may mean, and where it stands."""

    def hold(self, scope: Scope, verdict: int, memories: Iterable[int]) -> None: ...

    def memories(self, user: str) -> frozenset[int]: ...

    def waiting(self, user: str) -> tuple[tuple[Scope, int, int, tuple[int, ...]], ...]: ...

    def places(self, user: str) -> tuple[Scope, ...]: ...

    def spans(self, scope: Scope) -> Mapping[int, tuple[Redaction, ...]]: ...

    def story(self, scope: Scope) -> frozenset[int]: ...

    def put(self, scope: Scope, spans: Sequence[Redaction], story: Collection[int]) -> None: ...


class RequestPart(Protocol):
    """What is kept of requests."""

    def clear_prefix(self, scope: Scope) -> None: ...


class ConversationPart(Protocol):
    """The conversations."""

    def key(self, scope: Scope) -> int:
        """The number of a conversation, as records of forgets name it."""
        ...

    def retirements(self, scope: Scope) -> int:
        """A number that changes whenever a memory is superseded, deleted or rewritten."""
        ...

    def retire(self, scope: Scope) -> None: ...

    def of(self, user: str) -> tuple[str, ...]: ...


class BranchPart(Protocol):
    """The branches of conversations."""

    def family(self, scope: Scope) -> tuple[Scope, ...]:
        """A conversation, then all that share turns with it."""
        ...

    def make(self, scope: Scope, parent: Scope, fork: int) -> None: ...


class OriginPart(Protocol):
    """Where imported conversations came from."""

    def of(self, scope: Scope) -> object | None:
        """``None`` for a conversation that was not imported."""
        ...


class WriteStore(Protocol):
    """A store with its parts; its transactions nest."""

    @property
    def policy(self) -> Policy: ...

    @property
    def turns(self) -> TurnPart: ...

    @property
    def memories(self) -> MemoryPart: ...

    @property
    def redactions(self) -> RedactionPart: ...

    @property
    def deletions(self) -> DeletionPart: ...

    @property
    def forgotten(self) -> ForgottenPart: ...

    @property
    def resolutions(self) -> ResolutionPart: ...

    @property
    def wordings(self) -> WordingPart: ...

    @property
    def stories(self) -> StoryPart: ...

    @property
    def reflections(self) -> ReflectionPart: ...

    @property
    def verdicts(self) -> VerdictPart: ...

    @property
    def withheld(self) -> WithheldPart: ...

    @property
    def requests(self) -> RequestPart: ...

    @property
    def conversations(self) -> ConversationPart: ...

    @property
    def branches(self) -> BranchPart: ...

    @property
    def origins(self) -> OriginPart: ...

    @property
    def kept_indexes(self) -> dict[Any, Any]:
        """A place for what is made of current memories, for as long as the store is open."""
        ...

    def transaction(self) -> AbstractContextManager[None]: ...

    def reading(self) -> AbstractContextManager[None]: ...

    def erase_log(self, traces: Iterable[str] = ()) -> None:
        """Empty the write-ahead log once the transaction is committed, and look for traces."""
        ...
