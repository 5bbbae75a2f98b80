"""The extractor ``llm``: one call to a chat model a turn, with a schema for its reply.

The model proposes; nothing here decides. Invariant: one call and one repair at most, never
over the tokens that the settings allow, and a reply that cannot be read proposes nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import regex

from palimpsest.chat import ChatCall, ChatReply, Sampling
from palimpsest.config import Config
from palimpsest.errors import InputError, SpecError
from palimpsest.extract import prompt
from palimpsest.extract.reply import Reply, SaidMemory, read, schema
from palimpsest.language.hedging import hedged
from palimpsest.language.validity import validity
from palimpsest.models import resolve
from palimpsest.models.replayed import Recorder
from palimpsest.proposals import (
    AnchorRemoval,
    Delta,
    Extraction,
    Position,
    Proposal,
    Quote,
    Seen,
    Usage,
)
from palimpsest.protocols import ChatModel
from palimpsest.types import Message
from palimpsest.write.story import fields, starting

_NOWHERE = Quote(message=-1, text=0, start=0, end=0)
"""The place of words that the user never said: the filter rejects it, visibly."""


@dataclass(kw_only=True)
class Llm:
    """Asks ``model`` (a name as ``answers record`` takes it, or a ChatModel) about each turn."""

    model: str | ChatModel = "smollm2"
    seed: int = 1
    answer: int = 200
    """The most tokens of a reply."""
    version: str = prompt.VERSIONS[-1]
    temperature: float = 0.0
    record: str = ""
    """A file that keeps every answer, for ``replayed:FILE``; empty keeps none."""
    spent: Usage = field(default_factory=Usage, init=False, repr=False, compare=False)
    """What the last reading took, also where nothing came of it."""
    _open: contextlib.ExitStack = field(
        default_factory=contextlib.ExitStack, init=False, repr=False
    )
    _model: ChatModel | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        prompt.wording(self.version)
        if self.answer < 1:
            raise SpecError(f"answer={self.answer} is below 1 token")
        if isinstance(self.model, str):
            resolve.spec_of(self.model)

    @property
    def name(self) -> str:
        return "llm"

    @property
    def trusted(self) -> bool:
        return False

    @property
    def written_on(self) -> str:
        return (
            f"the wording {self.version}; no figure of a suite was looked at while it was written"
        )

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """See protocols.Extractor; raises ModelError where there is nothing to read."""
        self.spent = Usage()
        sent = self._fitted(seen, config)
        model = self._opened()
        # Charged before it is known: a server that fails or tells no usage has cost it all.
        most = Usage(calls=1, prompt_tokens=prompt.bound(sent), answer_tokens=self.answer)
        self.spent = most
        reply = model.answer(
            ChatCall(
                messages=sent, window=config.reflection.call_tokens, limit=self.answer,
                seed=self.seed, sampling=Sampling(temperature=self.temperature, top_k=0),
                schema=schema(tuple(fields(config.story.state))),
            )
        )  # fmt: skip
        self.spent = _usage(reply, most)
        strict = prompt.wording(self.version).strict
        found = read(reply.text, model.identity.model, strict=strict)
        return _extraction(found, seen, self.spent)

    def close(self) -> None:
        """Close a model that was opened by its name."""
        self._open.close()
        self._model = None

    def most_tokens(self, config: Config) -> int:
        """The most tokens that one reading can take."""
        return config.reflection.call_tokens

    def _opened(self) -> ChatModel:
        if not isinstance(self.model, str):
            return self.model
        if self._model is None:
            opened = self._open.enter_context(resolve.open_model(self.model, unpinned=True))
            self._model = Recorder(opened, Path(self.record)) if self.record else opened
        return self._model

    def _fitted(self, seen: Seen, config: Config) -> tuple[Message, ...]:
        """The messages within the call's tokens: earlier turns go first, then old memories."""
        words, most = prompt.wording(self.version), config.reflection.call_tokens
        state = tuple(_state_lines(seen, config))
        for memories, before in _smaller(len(seen.memories), len(seen.before)):
            sent = prompt.call_messages(seen, words, memories=memories, before=before, state=state)
            if prompt.bound(sent) + self.answer <= most:
                return sent
        raise InputError(
            f"turn {seen.turn.number} may take more than the {most} tokens of "
            "[reflection] call_tokens; raise it, or leave the turn unread"
        )


def _state_lines(seen: Seen, config: Config) -> Iterator[str]:
    """Each state field with its range, its largest step and where it stands."""
    for named in fields(config.story.state).values():
        at = starting(named, seen.story.state.get(named.name))
        yield (
            f"{named.name}: from {named.least:g} to {named.most:g}, at most {named.step:g} a step, "
            f"now {at:g}"
        )


def _smaller(memories: int, before: int) -> Iterator[tuple[int, int]]:
    for turns in range(before, -1, -1):
        yield memories, turns
    while memories:
        memories //= 2
        yield memories, 0


def _usage(reply: ChatReply, most: Usage) -> Usage:
    """What a reply took; what the server does not tell counts as the most that it can be."""
    told, answered = reply.prompt_tokens, reply.answer_tokens
    return Usage(
        calls=1,
        prompt_tokens=most.prompt_tokens if told is None else told,
        answer_tokens=most.answer_tokens if answered is None else answered,
    )


def _extraction(found: Reply, seen: Seen, usage: Usage) -> Extraction:
    return Extraction(
        proposals=tuple(_proposal(said, seen) for said in found.found if said.quote.strip()),
        summary=(found.summary or "").strip() or None,
        anchors=tuple(text for text in found.keep if text.strip()),
        dropped_anchors=tuple(
            AnchorRemoval(id=said.id, reason=said.reason) for said in found.release
        ),
        positions=tuple(
            Position(subject=p.subject, text=p.stance, justification=p.evidence)
            for p in found.positions
        ),
        deltas=tuple(Delta(name=said.name, step=said.step) for said in found.state),
        usage=usage,
    )


def _proposal(said: SaidMemory, seen: Seen) -> Proposal:
    quote = located(said.quote, seen)
    text = said.quote if quote is _NOWHERE else _words(quote, seen)
    holds = validity(text, seen.said_at)
    known = {memory.id for memory in seen.memories}
    return Proposal(
        text=text, quote=quote, op=said.op, kind=said.kind, reach=said.scope,
        attribute=said.attribute.strip() or None, hedged=hedged(text), confidence=said.confidence,
        valid_from=holds.valid_from, valid_until=holds.valid_until,
        targets=tuple(id for id in said.targets if id in known) if said.op != "remember" else (),
    )  # fmt: skip


def located(quote: str, seen: Seen) -> Quote:
    """Where the user said a quote: word for word, else whatever the blanks and the case."""
    wanted = regex.compile(
        r"\s+".join(map(regex.escape, quote.strip().strip("\"“”'").split())), regex.IGNORECASE
    )
    for place, message in enumerate(seen.turn.messages):
        if place < seen.unread or message.role != "user":
            continue
        for index, text in enumerate(message.texts()):
            found = wanted.search(text)
            if found and found.group().strip():
                return Quote(message=place, text=index, start=found.start(), end=found.end())
    return _NOWHERE


def _words(quote: Quote, seen: Seen) -> str:
    return seen.turn.messages[quote.message].texts()[quote.text][quote.start : quote.end]
