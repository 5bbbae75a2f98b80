"""A conversation as plain lists, in the shape that a strategy sees."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest import messages
from palimpsest.candidates import Columns, columns
from palimpsest.ledger import Recall
from palimpsest.proposals import Story
from palimpsest.types import Ask, Budget, Memory, Redaction, Scope, Tool, Turn

SCOPE = Scope(user="u", conversation="c")


@dataclass(frozen=True)
class ListView:
    """A view over lists; ``read`` counts the turns that were really iterated."""

    said: Sequence[Turn] = ()
    rows_of: Sequence[Memory] = ()
    spans: Mapping[int, Sequence[Redaction]] = field(default_factory=dict)
    read: list[int] = field(default_factory=list)
    told: Story = field(default_factory=Story)
    scores: Recall = field(default_factory=Recall)
    asked_at: str = ""
    held: frozenset[int] = frozenset()

    def turns(self) -> Iterator[Turn]:
        for turn in reversed(self.said):
            self.read.append(turn.number)
            yield turn

    def open_turns(self) -> Sequence[Turn]:
        return [turn for turn in self.said if turn.open]

    def first_turn(self) -> int | None:
        return self.said[0].number if self.said else None

    def redactions(self, turn: int) -> Sequence[Redaction]:
        return self.spans.get(turn, ())

    def withheld(self) -> Collection[int]:
        return self.held

    def memories(self, *, current: bool) -> Iterator[Memory]:
        return (m for m in reversed(self.rows_of) if not current or m.superseded_by is None)

    def first_memory(self) -> int | None:
        return self.rows_of[0].id if self.rows_of else None

    def last_memory(self) -> int | None:
        return self.rows_of[-1].id if self.rows_of else None

    def candidates(self) -> Columns:
        return columns(self.rows_of)

    def rows(self, ids: Sequence[int]) -> Sequence[Memory]:
        wanted = set(ids)
        return [memory for memory in self.rows_of if memory.id in wanted]

    def now(self) -> str:
        return self.asked_at

    def story(self) -> Story:
        return self.told

    def recall(self) -> Recall:
        return self.scores


def talk(*pairs: tuple[str, str | None]) -> list[Turn]:
    """Turns from (user, assistant) pairs."""
    turns = []
    for number, (user, assistant) in enumerate(pairs, 1):
        found = [messages.text_message("user", user, "user")]
        if assistant is not None:
            found.append(messages.text_message("assistant", assistant, "assistant"))
        turns.append(Turn(number=number, messages=tuple(found)))
    return turns


def fact(id: int, text: str, *, by: int | None = None, source: str = "turn-1") -> Memory:
    """A memory row of the test scope."""
    return Memory(id=id, scope=SCOPE, text=text, source=source, superseded_by=by)


def ask(
    question: str | None,
    budget: int,
    *,
    instructions: str | None = "Be brief.",
    tools: tuple[Tool, ...] = (),
) -> Ask:
    """A question with ``budget`` input tokens."""
    return Ask(
        question=None if question is None else messages.text_message("user", question, "question"),
        budget=Budget(window=budget, answer=0),
        instructions=instructions
        if instructions is None
        else messages.text_message("system", instructions, "instructions"),
        tools=tools,
    )
