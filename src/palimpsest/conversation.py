"""One user's conversation: what was said, what is remembered of it, and its requests.

Every call that writes is one transaction: it happens whole or not at all. Building a
request reads one state of the store; its ledger is kept after it, without texts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palimpsest import asking, forgetting, placing, recalling, reflecting, requesting, write
from palimpsest import messages as reading
from palimpsest.asking import Content
from palimpsest.config import Config
from palimpsest.errors import InputError
from palimpsest.forgetting import ForgetPlan
from palimpsest.ledger import Ledger, Request
from palimpsest.proposals import DayTokens, Reflection, Story, Verdict
from palimpsest.protocols import Counter, Extractor, Strategy
from palimpsest.recall.recallers import Recallers
from palimpsest.recalling import Recalled
from palimpsest.store.counting import Count, Turnout
from palimpsest.store.requests import StoredRequest
from palimpsest.store.store import Store
from palimpsest.types import (
    Budget,
    Deletion,
    Label,
    Memory,
    Message,
    Resolution,
    Scope,
    Storage,
    Tool,
    Turn,
)


class Conversation:
    """Made by ``Memory.conversation``; holds no state of its own but a cache."""

    def __init__(
        self, store: Store, scope: Scope, *, counter: Callable[[], Counter], config: Config,
        watch: write.Watch, recallers: Recallers, observed: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._store = store
        self._counter = counter
        self._watch = watch
        self._recallers = recallers
        self._observed = observed
        self.scope = scope
        self.config = config

    # --- what is said -------------------------------------------------------------------

    def append(
        self,
        *,
        user: Content = None,
        assistant: Content = None,
        messages: Sequence[Mapping[str, Any] | Message] | None = None,
    ) -> tuple[Turn, ...]:
        """Store what was said; returns the turns it went into, oldest first.

        Give one exchange (``user``, ``assistant``) or a list of OpenAI-style ``messages``.
        A tool result joins the turn that made its call, an answer joins the turn that waits
        for it, and a user's words open a turn. Raises InputError with the path to a fault.
        """
        said = asking.said(user, assistant, messages)
        with self._store.transaction():
            joined, rest = placing.joined(self._store, self.scope, said, self._watch)
            first = self._store.turns.last(self.scope) + 1
            turns = reading.group(rest, first) if rest else ()
            return (*joined, *write.append(self._store, self.scope, turns, watch=self._watch))

    def observe(
        self,
        *,
        user: Content = None,
        assistant: Content = None,
        messages: Sequence[Mapping[str, Any] | Message] | None = None,
    ) -> tuple[Turn, ...]:
        """Store what was said, as ``append`` does, and let it wait to be read.

        Returns at once; ``reflect`` or a background worker reads it for what to remember.
        """
        with self._store.transaction():
            turns = self.append(user=user, assistant=assistant, messages=messages)
            for turn in turns:
                self._store.reflections.expect(self.scope, turn.number, messages=len(turn.messages))
        self._observed()
        return turns

    def resume(self, messages: Sequence[Mapping[str, Any] | Message]) -> tuple[Turn, ...]:
        """Take over a history that a client hands over whole, from its first message.

        What is stored is recognised by its place and its words, so a second call changes
        nothing, and what was forgotten stays forgotten; returns the turns that what is new
        went into. Raises InputError at a message that differs from what is stored.
        """
        with self._store.transaction():
            new = placing.unsaid(self._store, self.scope, messages)
            return self.append(messages=new) if new else ()

    def observe_held(
        self, messages: placing.Given, *, fresh: bool = False, follows: bool = False
    ) -> tuple[Turn, ...]:
        """Store what is new in the messages that a framework holds, and let it wait to be read.

        See ``write.unstored``; raises InputError where they part from what is stored.
        """
        with self._store.transaction():
            new = placing.unstored(self._store, self.scope, messages, fresh, follows)
            turns = self.observe(messages=new) if new else ()
        self._observed()
        return turns

    def append_turn(self, turn: Turn) -> Turn:
        """Store messages as one new turn, whatever their roles; its number is assigned."""
        reading.check_pairs(turn, "turn")
        with self._store.transaction():
            number = self._store.turns.last(self.scope) + 1
            numbered = dataclasses.replace(turn, number=number)
            (stored,) = write.append(self._store, self.scope, [numbered], watch=self._watch)
            return stored

    def observe_turn(self, turn: Turn) -> Turn:
        """Store messages as one new turn, as ``append_turn`` does, and let it wait to be read."""
        with self._store.transaction():
            stored = self.append_turn(turn)
            self._store.reflections.expect(self.scope, stored.number, messages=len(stored.messages))
        self._observed()
        return stored

    def take_back(
        self, messages: int | None = 1, *, leaves: write.Leaves = lambda gone: None
    ) -> tuple[Message, ...]:
        """Take the newest messages away (``None``: all), with what was read of the user's words.

        Returns them, the newest first. It is no forget, and what was remembered without a
        reading stays. ``leaves`` gives what is left of a message. Raises InputError.
        """
        return write.take_back(self._store, self.scope, messages, leaves=leaves)

    def turns(self, *, first: int = 1, last: int | None = None) -> tuple[Turn, ...]:
        """Turns ``first`` to ``last`` inclusive as they are stored, oldest first; all by default."""
        return self._store.turns.between(
            self.scope, first, self.last_turn() if last is None else last
        )

    def last_turn(self) -> int:
        """The number of the newest turn; 0 before the first."""
        return self._store.turns.last(self.scope)

    def turns_saying(self, words: str, *, limit: int = 20) -> tuple[int, ...]:
        """The numbers of the newest turns whose texts hold ``words``, letter case apart."""
        return placing.turns_saying(self._store, self.scope, words, limit=limit)

    # --- what is remembered -------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        attribute: str | None = None,
        value: str | None = None,
        turn: int | None = None,
        source: str | None = None,
    ) -> Memory:
        """Keep a statement; under an attribute it can be corrected and forgotten by name."""
        return write.remember(
            self._store, self.scope, text, attribute=attribute, value=value, turn=turn,
            source=source,
        )  # fmt: skip

    def correct(
        self,
        text: str,
        *,
        attribute: str | None = None,
        id: int | None = None,
        value: str | None = None,
        turn: int | None = None,
        source: str | None = None,
        words: str | None = None,
    ) -> Memory:
        """Replace what is current under an attribute (or one memory) by a newer statement.

        ``words`` describe it instead ("user residence city"). ``turn`` is the turn that says
        so, by default the newest. Raises NotFound, and Ambiguous for words that may mean several.
        """
        attribute, id = forgetting.corrected(self._store, self.scope, words, attribute, id)
        return write.correct(
            self._store, self.scope, text, attribute=attribute, id=id, value=value, turn=turn,
            source=source,
        )  # fmt: skip

    def forget(
        self,
        *,
        attribute: str | None = None,
        id: int | None = None,
        value: str | None = None,
        words: str | None = None,
        turn: int | None = None,
        reason: str | None = None,
        forms: Sequence[str] = (),
        everything: bool = False,
        seal: str | None = None,
    ) -> tuple[Deletion, ...]:
        """Delete memories with all they replaced, and take their words out of the turns.

        Name an attribute, an id, a ``value``, ``words`` or ``everything``; ``forms`` are further
        writings, ``turn`` (the newest) asks for it. Raises NotFound, and Ambiguous for words, or
        where it would take anything else than the plan of which ``seal`` is the seal.
        """
        return forgetting.carry_out(
            self._store, self.scope, attribute=attribute, id=id, value=value, words=words,
            turn=turn, reason=reason, forms=forms, everything=everything, seal=seal,
        )  # fmt: skip

    def plan_forget(
        self, words: str | None = None, *, attribute: str | None = None, id: int | None = None,
        value: str | None = None, turn: int | None = None, forms: Sequence[str] = (),
    ) -> ForgetPlan:  # fmt: skip
        """What ``forget`` would take, with a score for every memory; nothing is changed."""
        return forgetting.plan(
            self._store, self.scope, words=words, attribute=attribute, id=id, value=value,
            turn=turn, forms=forms,
        )  # fmt: skip

    def apply(self, label: Label, *, turn: int) -> None:
        """Do what perfect extraction does with a labelled turn, under the store's policy."""
        write.apply(self._store, self.scope, label, turn=turn)

    def reflect(
        self,
        *,
        extractor: str | Extractor | None = None,
        retry: bool = False,
        step: Callable[[int, int], None] = lambda at, of: None,
    ) -> tuple[Reflection, ...]:
        """Read the turns that wait and decide on what is proposed; raises SpecError only.

        ``extractor`` is a Spec text or an instance, by default that of the settings. A turn
        whose reading fails changes nothing, says why, and is read again with ``retry``.
        ``step(turn, of)`` is told of every turn that was read.
        """
        return reflecting.reflect(
            self._store, self.scope, config=self.config, extractor=extractor, retry=retry, step=step
        )

    def verdicts(self, *, turn: int | None = None) -> tuple[Verdict, ...]:
        """What became of every proposal, oldest first."""
        return self._store.verdicts.of(self.scope, turn=turn)

    def undo(self, verdict: int) -> Verdict:
        """Take back what a verdict added, merged or replaced; raises NotFound, InputError."""
        return write.undo(self._store, self.scope, verdict)

    def review(self) -> tuple[Verdict, ...]:
        """The verdicts that wait for a person, oldest first."""
        return write.waiting(self._store, self.scope)

    def accept(self, verdict: int, *, memory: int | None = None) -> Verdict:
        """Do what a waiting verdict proposes; raises Ambiguous where ``memory`` must say which."""
        return write.accept(self._store, self.scope, verdict, memory=memory)

    def dismiss(self, verdict: int) -> Verdict:
        """Leave things as they are; raises NotFound, InputError."""
        return write.dismiss(self._store, self.scope, verdict)

    def pin(self, id: int, *, pinned: bool = True) -> Memory:
        """Mark a memory as coming before others, or take the mark away; raises NotFound."""
        return write.pin(self._store, self.scope, id, pinned=pinned)

    def reflections(self) -> tuple[Reflection, ...]:
        """How the reading of each turn stands, by turn; without its verdicts."""
        return self._store.reflections.of(self.scope)

    def day_tokens(self) -> DayTokens:
        """The tokens that the user's readings took today, and how many they may take."""
        return reflecting.day_tokens(self._store, self.scope, self.config)

    def story(self) -> Story:
        """The summary, anchors, positions and state that reflection keeps."""
        return self._store.stories.of(self.scope)

    def consolidate(self) -> tuple[Resolution, ...]:
        """Settle repetitions and contradictions under one attribute; returns what it did."""
        return write.consolidate(self._store, self.scope)

    def current(self, attribute: str | None = None) -> tuple[Memory, ...]:
        """The current memories, oldest first."""
        return write.current(self._store, self.scope, attribute=attribute)

    def history(self, attribute: str) -> tuple[Memory, ...]:
        """Every statement under an attribute, oldest first, replaced ones included."""
        return write.history(self._store, self.scope, attribute=attribute)

    def deletions(self) -> tuple[Deletion, ...]:
        """The records of what was forgotten, oldest first."""
        return write.deletions(self._store, self.scope)

    def forgotten(self, text: str) -> tuple[Deletion, ...]:
        """The records of the forgets whose value a text says; those of it that nobody said again.

        Nothing is lifted. Raises InputError, and StoreError where their key is missing.
        """
        return write.said_forgotten(self._store, self.scope, text)

    def resolutions(self) -> tuple[Resolution, ...]:
        """What consolidation decided, oldest first."""
        return write.resolutions(self._store, self.scope)

    def storage(self) -> Storage:
        """How many rows of each kind the store holds for this conversation."""
        return write.storage(self._store, self.scope)

    # --- requests -----------------------------------------------------------------------

    def request(
        self,
        question: Content,
        *,
        budget: Budget,
        strategy: str | Strategy = "managed",
        instructions: Content = None,
        tools: Sequence[Mapping[str, Any] | Tool] | None = None,
        config: Config | None = None,
        record: bool = True,
    ) -> Request:
        """Build the request for ``question`` within ``budget``, with its ledger.

        ``None`` continues the turn that waits for the model, after a tool result say; so does
        a question that was appended already and is the newest message, which is sent once.
        ``strategy`` is a Spec text or an instance. The ledger is kept under the request's id
        unless ``record`` is False. Raises RequiredContextTooLarge, TemplateError, SpecError.
        """
        ask = asking.ask(question, budget, instructions, tools)
        chosen = asking.strategy(strategy)
        settings = self.config if config is None else config
        if not isinstance(settings, Config):
            raise InputError(f"config: {settings!r} is not a Config; see palimpsest.config.load")
        words = requesting.words(self._store, self.scope, ask, chosen, settings)
        asked = requesting.asked(self._recallers, words, chosen, settings)
        built = requesting.build(
            self._store, self.scope, ask, chosen, self._counter(), settings, asked
        )
        if not record:
            return built
        return requesting.recorded(
            self._store, self.scope, built, self._counter(), counted=chosen.memory
        )

    def recall(self, question: str, *, limit: int = 24) -> Recalled:
        """What a question brings back, by the path of ``seats`` but without a request; InputError."""
        return recalling.recalled(
            self._store, self.scope, self._recallers, question, self.config, limit=limit
        )

    def requests(self, limit: int = 20) -> tuple[StoredRequest, ...]:
        """What is kept of the newest requests, newest first."""
        found = map(self.kept_request, self._store.requests.newest(self.scope, limit))
        return tuple(request for request in found if request is not None)

    def kept_request(self, id: str) -> StoredRequest | None:
        """What is kept of one request, or ``None``."""
        return self._store.requests.get(self.scope, id)

    def visible(self, ids: Sequence[int] | None = None) -> tuple[Memory, ...]:
        """The memories that this conversation sees, global ones too, oldest first."""
        if ids is not None:
            return self._store.visible.rows(self.scope, ids)
        return tuple(self._store.visible.newest(self.scope, current=False))[::-1]

    def home_of(self, id: int) -> tuple[str | None, int]:
        """The conversation that a memory of this user belongs to, and the last id given."""
        return self._store.visible.home(self.scope, id)

    def counts(self) -> tuple[Count, ...]:
        """How often each current memory was a candidate and was served; statistics only."""
        return self._store.counting.current(self.scope)

    def count(self, id: int) -> Count | None:
        """The same for one memory; ``None`` for one that is not current or not seen here."""
        return self._store.counting.of(self.scope, id)

    def turnout(self) -> Turnout:
        """How many requests were counted, and how many were degraded and count nothing."""
        return self._store.counting.turnout(self.scope)

    def ledger(self, id: str) -> Ledger:
        """The ledger of a request that this conversation built; raises NotFound."""
        return requesting.kept_ledger(self._store, self.scope, id)
