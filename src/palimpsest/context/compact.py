"""Compacts one request: recent turns as they were, cited notes from the turns that go.

The same strategies build it that build the requests of an engine; here the conversation is
a list. Invariant: a pure function of its arguments, and notes are always taken from the
original turns, never from earlier notes, so compacting again changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.candidates import Columns, columns
from palimpsest.config import Config
from palimpsest.context.compaction_request import CompactionRequest
from palimpsest.context.cue_notes import Notes
from palimpsest.context.extraction import Quote, named
from palimpsest.context.prefix import digests, shared_tokens
from palimpsest.context.recent import Recent
from palimpsest.errors import RequiredContextTooLarge
from palimpsest.ledger import NoteEntry, Recall, Request
from palimpsest.proposals import Story
from palimpsest.protocols import Counter, NoteExtractor, Strategy
from palimpsest.types import Memory, Redaction, Role, Turn, spoken

DROP_OLDEST = "drop-oldest"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedNote:
    """One note: its text, and the span of the turn that it cites."""

    turn: int
    role: Role
    text: str
    message: int
    part: int
    """Which text of the message: 0 unless its content is a list of parts."""
    start: int
    end: int
    rewritten: bool = False
    """True where an extractor put words of its own for the span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """One compacted request, and what became of the turns."""

    extractor: str
    """The printed Spec, the name of the function, or ``drop-oldest`` for the baseline."""
    request: Request
    kept_turns: int
    removed_turns: int
    notes: tuple[CitedNote, ...]
    dropped_notes: tuple[CitedNote, ...]
    """Notes that were found and found no room, in the order of the conversation."""
    shared_prefix: int | None
    """Tokens of the leading messages that the request of one turn before had too; ``None``
    where the chat template does not add up."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as a chat API takes them."""
        return self.request.messages

    @property
    def input_tokens(self) -> int:
        return self.request.tokens

    @property
    def input_budget(self) -> int:
        return self.request.budget.input

    @property
    def remaining_tokens(self) -> int:
        return self.input_budget - self.input_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class _History:
    """A list of turns as a strategy sees a conversation."""

    said: Sequence[Turn]

    def turns(self) -> Iterator[Turn]:
        return reversed(self.said)

    def open_turns(self) -> Sequence[Turn]:
        return [turn for turn in self.said if turn.open]

    def first_turn(self) -> int | None:
        return self.said[0].number if self.said else None

    def redactions(self, turn: int) -> Sequence[Redaction]:
        return ()

    def withheld(self) -> Collection[int]:
        return ()

    def memories(self, *, current: bool) -> Iterator[Memory]:
        return iter(())

    def first_memory(self) -> int | None:
        return None

    def last_memory(self) -> int | None:
        return None

    def candidates(self) -> Columns:
        return columns(())

    def rows(self, ids: Sequence[int]) -> Sequence[Memory]:
        return ()

    def now(self) -> str:
        return ""

    def story(self) -> Story:
        return Story()

    def recall(self) -> Recall:
        return Recall()


def compacted(
    given: CompactionRequest, *, extractor: str | NoteExtractor, counter: Counter, config: Config
) -> Compaction:
    """Compact a request under finished settings; raises RequiredContextTooLarge."""
    strategy, view = Notes(extractor=extractor), _History(said=given.history)
    made = strategy.noted(view, given.ask(config), counter, config)
    cited = [
        (_cited(entry, quote), entry.sent)
        for entry, quote in zip(made.request.ledger.notes, made.quotes, strict=True)
    ]
    return _finished(
        given, made.request, strategy, counter, config, extractor=named(extractor), cited=cited
    )


def drop_oldest(given: CompactionRequest, *, counter: Counter, config: Config) -> Compaction:
    """The baseline: recent complete turns in the whole budget, and no notes."""
    strategy, view = Recent(), _History(said=given.history)
    request = strategy.build(view, given.ask(config), counter, config)
    return _finished(given, request, strategy, counter, config, extractor=DROP_OLDEST, cited=())


def _finished(
    given: CompactionRequest,
    request: Request,
    strategy: Strategy,
    counter: Counter,
    config: Config,
    *,
    extractor: str,
    cited: Sequence[tuple[CitedNote, bool]],
) -> Compaction:
    kept = sum(e.last - e.first + 1 for e in request.ledger.turns if e.kept)
    shared = _shared(given, request, strategy, counter, config)
    return Compaction(
        extractor=extractor,
        request=dataclasses.replace(request, shared_prefix=shared),
        kept_turns=kept,
        removed_turns=len(given.history) - kept,
        notes=tuple(note for note, sent in cited if sent),
        dropped_notes=tuple(note for note, sent in cited if not sent),
        shared_prefix=shared,
    )


def _cited(entry: NoteEntry, quote: Quote) -> CitedNote:
    return CitedNote(
        turn=entry.turn, role=entry.role, text=quote.sentence, message=entry.message,
        part=entry.text, start=entry.start, end=entry.end, rewritten=quote.rewritten,
    )  # fmt: skip


def _shared(
    given: CompactionRequest,
    request: Request,
    strategy: Strategy,
    counter: Counter,
    config: Config,
) -> int | None:
    """What the request has in common with that of one turn before, whose question its user
    words were."""
    if not given.history:
        return 0
    *earlier, newest = given.history
    asked = next(filter(spoken, newest.messages), None)
    if asked is None:
        return 0
    before = dataclasses.replace(given, history=tuple(earlier), current=asked)
    try:
        previous = strategy.build(
            _History(said=before.history), before.ask(config), counter, config
        )
    except RequiredContextTooLarge:
        return 0
    return shared_tokens(request, digests(request, ""), digests(previous, ""), counter)


def as_json(found: Compaction) -> dict[str, Any]:
    """The result under the published keys, with what was added to them."""
    return {
        "extractor": found.extractor,
        "messages": found.messages,
        "input_tokens": found.input_tokens,
        "input_budget": found.input_budget,
        "remaining_tokens": found.remaining_tokens,
        "kept_turns": found.kept_turns,
        "removed_turns": found.removed_turns,
        "notes": [dataclasses.asdict(note) for note in found.notes],
        "dropped_notes": [dataclasses.asdict(note) for note in found.dropped_notes],
        "shared_prefix_tokens": found.shared_prefix,
        "estimated": found.request.estimated,
    }
