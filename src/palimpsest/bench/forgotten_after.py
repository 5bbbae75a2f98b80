"""Looks for what a suite forgets in every request that its bound strategies could send later.

A replay of its own, in files: at every checkpoint from the forget on, after consolidation,
after the store was closed and opened, after the whole transcript was read again (by the rules,
and by an extractor that proposes what each turn said before the forget), and after an export
was imported into another store and read again there. Requests are built with room for all that
a store could send. The baselines replay the untouched transcript, for the contrast.
Invariant: the suite's own words decide what is looked for; what does not apply is not a zero.
"""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from palimpsest.bench.forgotten_stages import STAGES, ForgottenAfter, Kept, Sent, Stage
from palimpsest.bench.grade import places_of, text_of
from palimpsest.bench.life import end_of
from palimpsest.bench.replay import Entrant, Replayed, enter
from palimpsest.bench.suite import Checkpoint, Suite
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.tokens.counter import TokenCounter
from palimpsest.types import Budget, Label, Policy

BOUND = ("managed", "seats")
"""The strategies of our own that law 11 binds."""
_ROOM = 4_000_000
_QUESTION = "What holds?"
_SPEAKING = 100
"""In a longer suite about so many turns speak for others: each costs a whole reading."""
_USER, _NAME = "bench", "suite"


def forgotten_after(run: Replayed, counter: TokenCounter) -> ForgottenAfter:
    """Look for the forgotten facts of a replayed suite; needs no label to be right."""
    facts = tuple(dict.fromkeys(f for point in run.suite.checkpoints for f in point.deleted))
    if not facts:
        return ForgottenAfter()
    entrants = (*run.entrants, *_missing(run.entrants))
    due = functools.cache(functools.partial(_due, run.suite, _own_words(run.suite)))
    found: dict[str, list[Sent]] = {entrant.key: [] for entrant in entrants}
    for key, rows in run.rows.items():
        for row in rows:
            question = next(p.question for p in run.suite.checkpoints if p.after == row.after)
            texts = [text_of(message) for message in row.request.sent]
            found[key] += [
                Sent(fact=fact, stage="checkpoints", after=row.after)
                for fact in due(row.after)
                if fact not in (question or "") and places_of(fact, texts, counter.frame.markers)
            ]
    looked: dict[str, tuple[Stage, ...]] = {}
    for policy in sorted({entrant.policy for entrant in entrants}):
        mine = [entrant for entrant in entrants if entrant.policy == policy]
        stages = _Stages(run, counter, mine, policy, due)
        with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
            stages.play(Path(folder))
        for entrant in mine:
            found[entrant.key] += stages.found[entrant.key]
            looked[entrant.key] = tuple(s for s in STAGES if s in stages.looked)
    return ForgottenAfter(
        facts=facts,
        strategies=tuple(
            Kept(
                key=entrant.key, bound=entrant.policy == "managed", looked=looked[entrant.key],
                sent=tuple(dict.fromkeys(found[entrant.key])),
            )
            for entrant in entrants
        ),
    )  # fmt: skip


def _missing(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Those of our own bound strategies that do not run: they are looked at all the same."""
    names = {entrant.spec.name for entrant in entrants}
    return enter([name for name in BOUND if name not in names])


def _due(suite: Suite, said: Sequence[str], after: int) -> tuple[str, ...]:
    """What must be gone after a turn: forgotten by then, and not said by the user since."""
    due: dict[str, None] = {}
    for point in suite.checkpoints:
        if point.after <= after:
            listed = [fact for fact in point.deleted if not _again(suite, said, fact, point, after)]
            due |= dict.fromkeys(listed)
    now = next((p for p in suite.checkpoints if p.after == after), None)
    held = (*now.required, *now.stale) if now else ()
    return tuple(fact for fact in due if not any(fact in text for text in held))


def _again(
    suite: Suite, said: Sequence[str], fact: str, point: Checkpoint, after: int
) -> bool:  # fmt: skip
    end = end_of(suite, fact, point.after)
    since = end.turn if end is not None else point.after
    return any(fact in own for own in said[since:after])


def _own_words(suite: Suite) -> tuple[str, ...]:
    """What the user says in each turn."""
    return tuple(
        "\n".join(
            text for message in item.turn.messages if message.role == "user"
            for text in message.texts()
        )
        for item in suite.turns
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _AsSaid:
    """An extractor that proposes what was said before any forget, and what was forgotten.

    A turn whose words are all gone can be quoted no more, so the others speak for it.
    """

    suite: Suite
    name: str = "as-said"
    trusted: bool = False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """See protocols.Extractor."""
        told = list(self._told(seen.turn.number)) if seen.turn.user else []
        quote = Quote(message=0, text=0, start=0, end=max(1, len(seen.turn.user)))
        return Extraction(
            proposals=tuple(
                Proposal(text=said, quote=quote, attribute=label.attribute, value=label.value)
                for said, label in told
            ),
            summary=told[-1][0] if told else None,
            anchors=tuple(said for said, _ in told[-1:]),
        )

    def _told(self, number: int) -> Iterator[tuple[str, Label]]:
        """What a turn said, and one of the statements that were forgotten, in their order."""
        stated = [(item, item.label) for item in self.suite.turns if item.label is not None]
        ends = {label.attribute for _, label in stated if label.op == "forget"}
        said = [(item, label) for item, label in stated if label.op != "forget" and item.turn.user]
        gone = [pair for pair in said if pair[1].attribute in ends]
        own = [pair for pair in said if pair[0].number == number]
        # Each turn speaks for one of those that can be quoted no more: all of them are, in time.
        every = -(-len(self.suite.turns) // _SPEAKING)
        speaks = gone and number % every == 0
        for item, label in (*own, gone[number // every % len(gone)]) if speaks else own:
            yield item.turn.user, label


@dataclass(slots=True)
class _Stages:
    """The stages of one store, and what its strategies sent in them."""

    run: Replayed
    counter: TokenCounter
    entrants: Sequence[Entrant]
    policy: Policy
    due: Callable[[int], tuple[str, ...]]
    """What must be gone after a turn."""
    found: dict[str, list[Sent]] = field(default_factory=dict)
    looked: set[Stage] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.found = {entrant.key: [] for entrant in self.entrants}

    @property
    def _last(self) -> int:
        return len(self.run.suite.turns)

    def play(self, folder: Path) -> None:
        """Say the suite, and take its store through every stage that applies to it."""
        config = self._config(folder)
        place = folder / "store.db"
        managed = self.policy == "managed"
        with self._open(place, config) as memory:
            talk = memory.conversation(user=_USER, id=_NAME)
            self._say(talk)
            if managed:
                talk.consolidate()
                self._look(talk, "consolidated")
        with self._open(place, config) as memory:
            self._look(memory.conversation(user=_USER, id=_NAME), "restarted")
            memory.export(folder / "moved.jsonl")
            memory.backup(folder / "copy.db")
        with self._open(folder / "moved.db", config) as other:
            other.import_file(folder / "moved.jsonl")
            talk = other.conversation(user=_USER, id=_NAME)
            self._look(talk, "moved")
            if managed:
                self._read(talk, _AsSaid(suite=self.run.suite), "moved")
        if managed:
            for file, extractor in (("copy.db", _AsSaid(suite=self.run.suite)), (place, "rules")):
                with self._open(folder / file, config) as memory:
                    talk = memory.conversation(user=_USER, id=_NAME)
                    self._read(talk, extractor, "read again")

    def _say(self, talk: Conversation) -> None:
        points = {point.after for point in self.run.suite.checkpoints}
        managed = self.policy == "managed"
        for item in self.run.suite.turns:
            # A turn that waits is read in the last stage: the whole transcript is, then.
            (talk.observe_turn if managed else talk.append_turn)(item.turn)
            if item.label is not None:
                talk.apply(item.label, turn=item.number)
            if item.number in points and self.due(item.number):
                self._look(talk, "checkpoints", item.number)

    def _read(self, talk: Conversation, extractor: _AsSaid | str, stage: Stage) -> None:
        talk.reflect(extractor=extractor)
        talk.consolidate()
        self._look(talk, stage)

    def _look(self, talk: Conversation, stage: Stage, after: int | None = None) -> None:
        after = self._last if after is None else after
        due = self.due(after)
        self.looked.add(stage)
        markers = self.counter.frame.markers
        for entrant in self.entrants if due else ():
            request = talk.request(
                None if _waits(talk) else _QUESTION, budget=Budget(window=_ROOM, answer=0),
                strategy=entrant.strategy, instructions=self.run.suite.instructions,
                tools=self.run.suite.tools, record=False,
            )  # fmt: skip
            texts = [text_of(message) for message in request.sent]
            self.found[entrant.key] += [
                Sent(fact=fact, stage=stage, after=after)
                for fact in due
                if places_of(fact, texts, markers)
            ]

    def _config(self, folder: Path) -> Config:
        config = self.run.config
        return dataclasses.replace(
            config,
            facts=dataclasses.replace(config.facts, quota=_ROOM),
            # One key for the store and its copies; no filter, so that one rule stands alone.
            forget=dataclasses.replace(config.forget, key_file=str(folder / "key")),
            reflection=dataclasses.replace(config.reflection, filters=()),
        )

    def _open(self, place: Path, config: Config) -> Memory:
        return Memory.open(
            place, policy=self.policy, tokenizer=self.counter.tokenizer, config=config,
            counter=self.counter, indexing="inline",
        )  # fmt: skip


def _waits(talk: Conversation) -> bool:
    """True where the newest turn waits for the model, so that no question can be asked."""
    turns = talk.turns(first=max(1, talk.last_turn()))
    last = turns[-1].messages[-1] if turns else None
    return last is not None and (last.role != "assistant" or bool(last.tool_calls))
