"""Assertions about a request, for the tests of an application; they need no test framework.

A fact stands in a request as it was written, as a quoted line shows it, or in another of its
surface forms: "P1234567" is also "p 123 4567", and never a part of a longer identifier. Invariant: an assertion that fails says what,
where, and what the ledger tells of it; one that holds returns itself, so they can be chained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from palimpsest import messages
from palimpsest.bench.grade import forms_of, text_of
from palimpsest.config import Config
from palimpsest.errors import InputError
from palimpsest.language.invisible import shown
from palimpsest.language.occurrences import folded, needle, spans
from palimpsest.language.sentences import sentence_spans
from palimpsest.language.surface_forms import find
from palimpsest.ledger import Request
from palimpsest.tokens import prepared
from palimpsest.types import Budget, Message, Tool

if TYPE_CHECKING:
    from palimpsest.conversation import Conversation

Sent = Request | Sequence[Mapping[str, Any] | Message] | Mapping[str, Any] | str
_WIDEST = 160
"""Characters of a sentence that a failure shows."""
_RUNS = 4
"""Runs of turns that a failure lists."""


def assert_request(request: Sent, conversation: Conversation | None = None) -> RequestAssertion:
    """Begin assertions about what is sent: a Request, OpenAI-style messages or the body that
    has them, or a text.

    With the ``conversation`` that built it, a failure also says which turn or memory states
    the fact and what became of it. Raises InputError for anything else.
    """
    if isinstance(request, str):
        places: tuple[Place, ...] = (Place(name="the text", text=request),)
        return RequestAssertion(places=places, sent=request, conversation=conversation)
    sent: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    if isinstance(request, Request):
        sent, tools = request.sent, request.tools
    elif isinstance(request, Mapping):
        sent = messages.messages(request.get("messages"), "request.messages")
        tools = messages.tools(request.get("tools"), "request.tools")
    else:
        sent = messages.messages(request, "request")
    places = tuple(
        Place(name=f"message {number} ({item.role})", text=text_of(item))
        for number, item in enumerate(sent, start=1)
    )
    return RequestAssertion(
        places=(
            *places,
            *(Place(name=f"the schema of the tool {t.name!r}", text=t.json) for t in tools),
        ),
        sent=request if isinstance(request, Request) else sent,
        conversation=conversation,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One text of a request, and what it is called in a failure."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAssertion:
    """What is asserted about one request; every method returns it again."""

    places: tuple[Place, ...]
    sent: Request | tuple[Message, ...] | str
    conversation: Conversation | None = None

    def retains(self, *facts: str) -> Self:
        """Assert that each fact stands in the request; raises AssertionError."""
        __tracebackhide__ = True
        missing = [fact for fact in _asked(facts, "retains") if not self._where(fact)]
        if missing:
            raise AssertionError("\n".join(line for f in missing for line in self._missing(f)))
        return self

    def omits(self, *values: str) -> Self:
        """Assert that no value stands in the request, in any form; raises AssertionError."""
        __tracebackhide__ = True
        found = [(value, self._where(value)) for value in _asked(values, "omits")]
        told = [line for v, where in found if where for line in self._present(v, where)]
        if told:
            raise AssertionError("\n".join(told))
        return self

    def within(self, budget: int | Budget | None = None, *, tokenizer: str = "") -> Self:
        """Assert the size in tokens: at most ``budget``, or the input part of a Budget.

        A Request has its exact count, and its own budget stands in where none is given.
        Messages and texts are counted by ``tokenizer``, or by the default one.
        """
        __tracebackhide__ = True
        if budget is None and not isinstance(self.sent, Request):
            raise InputError("within(): messages carry no budget; give the tokens or a Budget")
        if budget is None and isinstance(self.sent, Request):
            budget = self.sent.budget
        if isinstance(budget, bool) or not isinstance(budget, int | Budget):
            raise InputError(f"within({budget!r}): is neither a number of tokens nor a Budget")
        limit = budget.input if isinstance(budget, Budget) else budget
        tokens = self._tokens(tokenizer)
        if tokens > limit:
            parts = self._parts()
            raise AssertionError(
                f"the request takes {tokens} tokens and {limit} are allowed, {tokens - limit} too "
                f"many{parts}"
            )
        return self

    def _where(self, value: str) -> tuple[tuple[Place, int, int], ...]:
        return tuple(
            (place, *span) for place in self.places for span in _spans(value, place.text)[:1]
        )

    def _missing(self, fact: str) -> Iterator[str]:
        yield f"the request does not retain {shown(fact)!r}"
        yield f"  looked in: {self._looked()}"
        yield from self._ledger(fact)

    def _present(self, value: str, where: Sequence[tuple[Place, int, int]]) -> Iterator[str]:
        yield f"the request does not omit {shown(value)!r}"
        for place, start, end in where:
            written = place.text[start:end]
            form = "" if written == value else f", written {shown(written)!r}"
            yield f"  in {place.name}{form}: {_sentence(place.text, start, end)!r}"
        yield from self._ledger(value)

    def _looked(self) -> str:
        count = len(self.places)
        if isinstance(self.sent, str):
            return f"a text of {len(self.sent)} characters"
        texts = f"{count} text{'s' * (count != 1)}"
        if not isinstance(self.sent, Request):
            return texts
        size = f"{self.sent.tokens} of {self.sent.budget.input} tokens"
        return f"{texts}, {size}, strategy {self.sent.strategy}"

    def _ledger(self, fact: str) -> Iterator[str]:
        if not isinstance(self.sent, Request):
            return
        if self.conversation is not None:
            told = list(_told_by(self.conversation, self.sent, fact))
            yield from told or ["  neither a turn nor a memory of the conversation says it"]
            return
        out = [entry for entry in self.sent.ledger.turns if not entry.kept]
        for entry in out[-_RUNS:]:
            run = f"{entry.first}" if entry.first == entry.last else f"{entry.first}-{entry.last}"
            yield f"  ledger: turn {run} not sent ({entry.reason})"
        unseated = [entry for entry in self.sent.ledger.memories if not entry.seated]
        for memory in unseated[-_RUNS:]:
            run = (
                f"{memory.first}"
                if memory.first == memory.last
                else f"{memory.first}-{memory.last}"
            )
            yield f"  ledger: memory {run} not sent ({memory.reason})"
        if not out and not unseated:
            yield "  ledger: every turn and memory of the conversation is sent"

    def _parts(self) -> str:
        if not isinstance(self.sent, Request):
            return ""
        parts = self.sent.ledger.parts.items()
        return f" ({', '.join(f'{name} {size}' for name, size in parts if size)})"

    def _tokens(self, tokenizer: str) -> int:
        if isinstance(self.sent, Request):
            return self.sent.tokens
        config = Config()
        counter = prepared.resolve(tokenizer or config.tokenizer.name, config)
        if isinstance(self.sent, str):
            return counter.count_text(self.sent)
        return counter.count_request(self.sent, ())


def _asked(values: Sequence[str], name: str) -> Sequence[str]:
    if not values:
        raise InputError(f"{name}(): nothing was named; give the texts to look for")
    for value in values:
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{name}({value!r}): is blank or no text, and would say nothing")
    return values


def _spans(value: str, text: str) -> list[tuple[int, int]]:
    """Where a text holds a value: as it is written or quoted, else in another form."""
    shown_folded = folded(text)
    exact = [
        (span.start, span.end)
        for form in forms_of(value)
        if (wanted := needle(form)) is not None
        for span in spans(wanted, shown_folded)
    ]
    return sorted(exact) or [(span.start, span.end) for span in find(value, text)]


def _sentence(text: str, start: int, end: int) -> str:
    """The sentences around a span, cut where they are long."""
    around = [(a, b) for a, b in sentence_spans(text) if a < end and start < b]
    first, last = (around[0][0], around[-1][1]) if around else (start, end)
    if last - first > _WIDEST:
        first, last = max(first, start - 40), min(last, max(end, start - 40 + _WIDEST))
    return shown(text[first:last].strip())


def _told_by(talk: Conversation, request: Request, fact: str) -> Iterator[str]:
    """What the ledger of the request says of each turn and memory that states the fact."""
    for turn in talk.turns():
        if any(_spans(fact, text_of(message)) for message in turn.messages):
            entry = request.ledger.turn(turn.number)
            if entry is None:
                told = "came after this request"
            else:
                redacted = f", {entry.redacted} spans redacted" if entry.redacted else ""
                told = f"{'sent' if entry.kept else 'not sent'} ({entry.reason}{redacted})"
            yield f"  turn {turn.number} says it: {told}"
    for memory in talk.visible():
        if _spans(fact, memory.text):
            held = request.ledger.memory(memory.id)
            seat = "came after this request" if held is None else (
                f"{'sent' if held.seated else 'not sent'} ({held.reason})"
            )  # fmt: skip
            newer = f", replaced by #{memory.superseded_by}" if memory.superseded_by else ""
            yield f"  memory #{memory.id} from {memory.source} states it{newer}: {seat}"
