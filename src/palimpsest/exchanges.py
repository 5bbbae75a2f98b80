"""One exchange of a client that sends its whole history each time: found, asked, observed.

The history is recognised and not stored twice; one that was changed branches off; whole turns
that are new are taken over. The newest turn is stored with its answer and not before.

Invariant: the store never holds a question without what answered it; what was forgotten comes
back with no history, only in words that the user says now.
"""

from __future__ import annotations

import dataclasses
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from palimpsest import held_branches, requesting, write
from palimpsest import messages as reading
from palimpsest.config import Config
from palimpsest.errors import InputError
from palimpsest.ledger import Request
from palimpsest.protocols import Counter, Strategy
from palimpsest.recall.recallers import Recallers
from palimpsest.recognising import Known, Recogniser
from palimpsest.store.store import Store
from palimpsest.types import Ask, Budget, Message, Scope, Tool, Turn, calls_of, spoken
from palimpsest.write import normal
from palimpsest.write.forgetting import taken_back

_BRANCH = re.compile(r"~[0-9a-f]{8}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Where the newest turn of a client belongs; nothing of it is stored yet."""

    scope: Scope
    turns: int
    """The turns of the conversation that stand before it, its own included where it has one."""
    held: int
    """The messages that turn ``turns`` holds of it already; 0 where it opens a turn."""
    new: tuple[Message, ...]
    """Its messages that are not stored."""
    instructions: Message | None = None


class Exchanges:
    """Made by ``Memory``; threads may share it."""

    def __init__(
        self, store: Store, *, counter: Callable[[], Counter], config: Config,
        watch: write.Watch, recallers: Recallers, observed: Callable[[], None],
    ) -> None:  # fmt: skip
        self._store, self._counter, self._config = store, counter, config
        self._watch, self._recallers, self._observed = watch, recallers, observed
        self._recogniser = Recogniser(store)

    # --- before the model is asked ------------------------------------------------------

    def open(
        self, *, user: str, messages: Sequence[Mapping[str, Any] | Message],
        conversation: str | None = None,
    ) -> Exchange:  # fmt: skip
        """Find where the newest turn of ``messages`` belongs, and take over what is before it.

        ``conversation`` names it; a history of one message then goes on after all that the
        conversation holds. Without a name it is found by its words among the user's own, or
        begins. Raises InputError for messages that no model waits to answer.
        """
        instructions, said = _apart(reading.messages(messages))
        _check_waits(said)
        known, exact = self._known(user, said, conversation)
        pieces = _pieces(said, known)
        scope = Scope(user=user, conversation=known.conversation)
        if (known.goes_on or exact) and not pieces.lead and not pieces.whole:
            return self._exchange(scope, known.last, pieces, instructions)
        with self._store.transaction():
            if not known.goes_on:
                parent, scope = scope, self._branch_of(scope)
                write.branch(self._store, scope, parent, known.turns)
            self._take_over(scope, known.turns, pieces)
            return self._exchange(scope, self._store.turns.last(scope), pieces, instructions)

    def _known(self, user: str, said: Sequence[Message], name: str | None) -> tuple[Known, bool]:
        """The place of a history, and whether it is the end of a named one by itself."""
        if name is None:
            found = self._recogniser.find(user, said)
            return found or _begun(f"chat-{secrets.token_hex(6)}"), False
        scope = Scope(user=user, conversation=name)
        last = self._store.turns.last(scope)
        if last and len(said) == 1 and not self._is_first(scope, said[0], last):
            return Known(conversation=name, turns=last, messages=0, last=last), True
        family = [place.conversation for place in self._store.branches.family(scope)]
        found = self._recogniser.find(user, said, family) if last or len(family) > 1 else None
        return found or Known(conversation=name, turns=0, messages=0, last=last), False

    def _is_first(self, scope: Scope, message: Message, last: int) -> bool:
        """True for the opening words of a conversation of one turn: they are asked again."""
        if last > 1:
            return False
        first = self._store.turns.get(scope, 1)
        return first is not None and normal.said(first.messages[0]) == normal.said(message)

    def branch_of(
        self, scope: Scope, held: Sequence[Mapping[str, Any] | Message], *, fresh: bool = False
    ) -> Scope | None:
        """Where a history goes on that parts from its conversation; see ``held_branches``."""
        return held_branches.branch_of(self._store, scope, held, self._branch_of, fresh=fresh)

    def _branch_of(self, scope: Scope) -> Scope:
        stem = _BRANCH.sub("", scope.conversation)
        return dataclasses.replace(scope, conversation=f"{stem}~{secrets.token_hex(4)}")

    def _take_over(self, scope: Scope, turns: int, pieces: _Pieces) -> None:
        """Store what is whole and not stored, as old words; inside a transaction."""
        old = (*pieces.lead, *(m for turn in pieces.whole for m in turn.messages))
        if not old:
            return
        write.guard(self._store, scope, old, until=turns + len(pieces.whole))
        numbers = []
        if pieces.lead:
            write.extend(self._store, scope, turns, pieces.lead, watch=self._watch)
            numbers.append(turns)
        renumbered = [
            dataclasses.replace(turn, number=turns + place)
            for place, turn in enumerate(pieces.whole, 1)
        ]
        stored = write.append(self._store, scope, renumbered, watch=self._watch)
        for number in (*numbers, *(turn.number for turn in stored)):
            self._expect(scope, number)

    def _exchange(
        self, scope: Scope, turns: int, pieces: _Pieces, instructions: Message | None
    ) -> Exchange:
        held = 0
        if pieces.joins:
            turn = self._store.turns.get(scope, turns)
            held = len(turn.messages) if turn else 0
        return Exchange(
            scope=scope, turns=turns, held=held, new=pieces.new, instructions=instructions
        )

    # --- the request --------------------------------------------------------------------

    def request(
        self, exchange: Exchange, *, budget: Budget, strategy: Strategy,
        tools: Sequence[Mapping[str, Any] | Tool] | None = None,
    ) -> Request:  # fmt: skip
        """Build the request, with an id; ``observe`` or ``broke_off`` keep its ledger.

        Raises what a strategy raises, RequiredContextTooLarge for instance.
        """
        ask = Ask(
            question=None, budget=budget, instructions=exchange.instructions,
            tools=reading.tools(tools),
        )  # fmt: skip
        (*before, last) = exchange.new or (None,)
        alone = not before and last is not None and spoken(last) and not exchange.held
        if alone:
            ask = dataclasses.replace(ask, question=last)
        words = self._words(exchange, strategy, ask)
        asked = requesting.asked(self._recallers, words, strategy, self._config)
        with nullcontext() if alone else taken_back(self._store):
            if not alone:
                self._store_new(exchange, ())
            built = requesting.build(
                self._store, exchange.scope, ask, strategy, self._counter(), self._config, asked
            )
        return dataclasses.replace(built, id=requesting.new_id())

    def _words(self, exchange: Exchange, strategy: Strategy, ask: Ask) -> str | None:
        """What recall looks for: the user's words of the turn that is answered."""
        if ask.question is not None:
            return requesting.words(self._store, exchange.scope, ask, strategy, self._config)
        if not requesting.recalls(strategy):
            return None
        turn = self._store.turns.get(exchange.scope, exchange.turns) if exchange.held else None
        said = (*(turn.messages if turn else ()), *exchange.new)
        words = "\n".join(t for m in said if m.role == "user" for t in m.texts())
        return words[: self._config.query.characters]

    def forgets(self, user: str) -> bool:
        """Whether anything that a user said is forgotten; raises StoreError."""
        return self._store.forgotten.forgets(user)

    def says_forgotten(self, user: str, texts: Sequence[str]) -> bool:
        """Whether one of the texts says what is forgotten in any conversation of a user."""
        return any(write.names_forgotten(self._store, user, text) for text in texts)

    # --- after the model answered -------------------------------------------------------

    def observe(
        self, exchange: Exchange, reply: Mapping[str, Any] | Message,
        request: Request | None = None, *, counted: bool = True,
    ) -> Turn:  # fmt: skip
        """Store the newest turn with its answer, and let it wait to be read.

        Where the conversation went on meanwhile, the turn begins a branch. The ledger of
        ``request`` is kept with it.
        """
        answer = reading.message(reply, "reply")
        if answer.role != "assistant":
            raise InputError(f"reply.role: {answer.role!r} is not 'assistant'")
        with self._store.transaction():
            place = self._still(exchange)
            turn = self._store_new(place, (answer,))
            self._expect(place.scope, turn.number)
            self._recogniser.extend(place.scope)
            if request is not None:
                self._record(place.scope, request, counted=counted)
        self._observed()
        return turn

    def broke_off(self, exchange: Exchange, request: Request, *, counted: bool = True) -> None:
        """Keep the ledger of a request that was not answered, where its conversation began."""
        with self._store.transaction():
            if self._store.turns.last(exchange.scope):
                self._record(exchange.scope, request, counted=counted)

    def _record(self, scope: Scope, request: Request, *, counted: bool) -> None:
        requesting.recorded(self._store, scope, request, self._counter(), counted=counted)

    def _still(self, exchange: Exchange) -> Exchange:
        """The place of an exchange now; inside a transaction."""
        last = self._store.turns.last(exchange.scope)
        turn = self._store.turns.get(exchange.scope, exchange.turns) if exchange.held else None
        held = len(turn.messages) if turn else 0
        if last == exchange.turns and held == exchange.held:
            return exchange
        scope = self._branch_of(exchange.scope)
        if not exchange.held:
            write.branch(self._store, scope, exchange.scope, exchange.turns)
            return dataclasses.replace(exchange, scope=scope)
        begun = turn.messages[: exchange.held] if turn else ()
        write.branch(self._store, scope, exchange.scope, exchange.turns - 1)
        return dataclasses.replace(
            exchange, scope=scope, turns=exchange.turns - 1, held=0, new=(*begun, *exchange.new)
        )

    def _store_new(self, exchange: Exchange, answer: tuple[Message, ...]) -> Turn:
        said = (*exchange.new, *answer)
        if exchange.held:
            return write.extend(
                self._store, exchange.scope, exchange.turns, said, watch=self._watch
            )
        turn = Turn(number=exchange.turns + 1, messages=said)
        reading.check_pairs(turn, "messages")
        # Only the last message is said now, and only in the user's own words.
        now = len(exchange.new) - bool(exchange.new and spoken(exchange.new[-1]))
        return write.append_newest(self._store, exchange.scope, turn, old=now, watch=self._watch)

    def _expect(self, scope: Scope, number: int) -> None:
        turn = self._store.turns.get(scope, number)
        assert turn is not None
        self._store.reflections.expect(scope, number, messages=len(turn.messages))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pieces:
    """A history behind what is known of it."""

    lead: tuple[Message, ...]
    """What goes on the last known turn, and is whole."""
    whole: tuple[Turn, ...]
    """Turns that are whole."""
    new: tuple[Message, ...]
    """What is to be answered."""
    joins: bool
    """It goes on the last known turn."""


def _pieces(said: Sequence[Message], known: Known) -> _Pieces:
    rest = tuple(said[known.messages :])
    lead: tuple[Message, ...] = ()
    if known.turns and known.messages:
        lead = tuple(takewhile(lambda message: not spoken(message), rest))
    if known.messages and len(lead) == len(rest):
        return _Pieces(lead=(), whole=(), new=rest, joins=True)
    *whole, newest = reading.group(rest[len(lead) :], 1)
    return _Pieces(lead=lead, whole=tuple(whole), new=newest.messages, joins=False)


def _begun(name: str) -> Known:
    return Known(conversation=name, turns=0, messages=0, last=0)


def _apart(given: Sequence[Message]) -> tuple[Message | None, tuple[Message, ...]]:
    """The instructions, all of them as one message, and what was said."""
    system = [message for message in given if message.role == "system"]
    said = tuple(message for message in given if message.role != "system")
    if len(system) < 2:
        return (system[0] if system else None), said
    texts = (text for message in system for text in message.texts())
    return Message(role="system", content="\n\n".join(texts)), said


def _check_waits(said: Sequence[Message]) -> None:
    if not said:
        raise InputError("messages: there is no message of a user among them")
    if said[-1].role == "assistant":
        called = "whose calls have no result" if calls_of(said[-1]) else "which is answered by none"
        raise InputError(f"messages[-1]: is of the assistant, {called}; end with the user's words")
