"""Replays a suite turn by turn and builds every strategy's request at each checkpoint.

One replay serves all: each policy that is needed has one in-memory store, and a sweep
builds its variants from the same stores. Baselines read the store that applies nothing,
so they see the transcript as it was said. Every request is counted again here, and one
over the budget stops the run: no strategy scores by overspending.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from palimpsest import registry
from palimpsest.bench.forgotten_stages import ForgottenAfter
from palimpsest.bench.grade import Grade, grade
from palimpsest.bench.suite import Checkpoint, Suite, SuiteTurn
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import PalimpsestError, RequiredContextTooLarge, SpecError, TemplateError
from palimpsest.ledger import Request
from palimpsest.proposals import Reflection
from palimpsest.protocols import Extractor, Strategy
from palimpsest.tokens.counter import TokenCounter
from palimpsest.types import POLICIES, Budget, Frame, Policy, Spec, Storage
from palimpsest.types import Memory as Fact

DEFAULT_STRATEGIES = ("recent", "notes", "append-only", "managed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A strategy in a run: its Spec, its key in the report, and the store it reads."""

    key: str
    spec: Spec
    strategy: Strategy
    policy: Policy

    @property
    def sweeps(self) -> bool:
        """True where a facts quota of the settings reaches it."""
        return self.strategy.memory and not any(name == "quota" for name, _ in self.spec.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One point of a sweep: other strategies or another budget over the same stores."""

    sweep: str
    """The text of the sweep that it belongs to."""
    label: str
    """What it is at, such as ``answer=192`` or ``managed(quota=80)``."""
    entrants: tuple[Entrant, ...]
    budget: Budget | None = None
    """``None`` where its budget leaves no room for a request."""
    refused: str = ""
    """Why it could not be built at every checkpoint; empty where it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Varied:
    """What a variant showed: its rows by strategy key, none where it was refused."""

    variant: Variant
    rows: Mapping[str, tuple[Row, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One strategy at one checkpoint: its request and what the grader found in it."""

    after: int
    grade: Grade
    tokens: int
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """Everything that one replay of a suite showed."""

    suite: Suite
    config: Config
    budget: Budget
    frame: Frame
    entrants: tuple[Entrant, ...]
    rows: Mapping[str, tuple[Row, ...]]
    """By strategy key, one row a checkpoint."""
    sweep: Mapping[int, Mapping[str, tuple[Row, ...]]]
    """By facts quota, then by strategy key."""
    storage: Mapping[Policy, Storage]
    facts: Mapping[tuple[Policy, int], tuple[Fact, ...]] = field(default_factory=dict)
    """What each store held when the requests after a turn were built, oldest first."""
    readings: tuple[Reflection, ...] = ()
    """What the extractor made of each turn, where one fed the managed store."""
    varied: tuple[Varied, ...] = ()
    """The points of the sweeps that were asked for, in their order."""
    after: ForgottenAfter | None = None
    """What became of the forgotten facts later; ``None`` where nobody looked."""


def enter(texts: Sequence[str]) -> tuple[Entrant, ...]:
    """Resolve Spec texts; the key is the bare name where only one strategy has it."""
    specs = [registry.parse(text) for text in texts]
    found: dict[str, Entrant] = {}
    for spec in specs:
        strategy = registry.load("strategies", spec)
        printed = registry.spec_of(spec.name, strategy)
        shared = sum(other.name == spec.name for other in specs) > 1
        key = registry.render(printed) if shared else spec.name
        if key in found:
            raise SpecError(f"the strategy {key!r} is given twice; name each once")
        found[key] = Entrant(
            key=key,
            spec=printed,
            strategy=strategy,
            policy=_policy(spec.name, strategy),
        )
    return tuple(found.values())


def _policy(name: str, strategy: Strategy) -> Policy:
    """The store that a strategy reads: what it declares, or what its kind implies."""
    declared = getattr(strategy, "policy", None)
    for policy in POLICIES:
        if declared == policy:
            return policy
    return "managed" if strategy.memory and name != "append-only" else "append-only"


def replay(
    suite: Suite,
    *,
    entrants: Sequence[Entrant],
    counter: TokenCounter,
    config: Config,
    step: Callable[[int, int], None] | None = None,
    variants: Sequence[Variant] = (),
    extractor: Extractor | None = None,
) -> Replayed:
    """Replay ``suite`` under ``config``; ``step(turn, of)`` is told of every turn.

    With an ``extractor`` the managed store is fed by reading each turn with it, and no label
    is looked at there; without one the labels are applied.

    Raises RequiredContextTooLarge with suite and checkpoint where a budget cannot hold
    the question, and PalimpsestError where a strategy overspends or miscounts. A variant
    whose budget cannot hold it is refused by itself.
    """
    with ExitStack() as stack:
        run = _Run(suite, tuple(entrants), config, stack, counter, variants, extractor)
        points = {point.after: point for point in suite.checkpoints}
        for item in suite.turns:
            run.say(item)
            if item.number in points:
                run.check(points[item.number])
            if step:
                step(item.number, len(suite.turns))
        return run.result()


class _Run:
    """The stores of one replay and the rows that were built so far."""

    def __init__(
        self,
        suite: Suite,
        entrants: tuple[Entrant, ...],
        config: Config,
        stack: ExitStack,
        counter: TokenCounter,
        variants: Sequence[Variant],
        extractor: Extractor | None,
    ) -> None:
        self.suite = suite
        self.extractor = extractor
        self.entrants = entrants
        self.config = config
        self.budget = config.budget or suite.budget
        self.talks: dict[Policy, Conversation] = {}
        self.variants = list(variants)
        self.varied: list[dict[str, list[Row]]] = [
            {entrant.key: [] for entrant in variant.entrants} for variant in variants
        ]
        swept = [entrant for variant in variants for entrant in variant.entrants]
        for policy in sorted({entrant.policy for entrant in (*entrants, *swept)}):
            memory = Memory.open(
                ":memory:", policy=policy, tokenizer=counter.tokenizer, config=config,
                counter=counter, indexing="inline",
            )  # fmt: skip
            stack.enter_context(memory)
            self.talks[policy] = memory.conversation(user="bench", id="suite")
        self.counter = counter
        self.rows: dict[str, list[Row]] = {entrant.key: [] for entrant in entrants}
        self.sweep: dict[int, dict[str, list[Row]]] = {
            quota: {entrant.key: [] for entrant in entrants if entrant.sweeps}
            for quota in config.sweep.quota
        }
        self.facts: dict[tuple[Policy, int], tuple[Fact, ...]] = {}
        self.readings: list[Reflection] = []

    def say(self, item: SuiteTurn) -> None:
        """Append a turn to every store and apply its label under each store's policy."""
        for policy, talk in self.talks.items():
            if self.extractor is not None and policy == "managed":
                talk.observe_turn(item.turn)
                self.readings += talk.reflect(extractor=self.extractor)
                continue
            talk.append_turn(item.turn)
            if item.label is not None:
                talk.apply(item.label, turn=item.number)

    def check(self, point: Checkpoint) -> None:
        """Consolidate as published, then build and grade every request of a checkpoint."""
        if "managed" in self.talks:
            self.talks["managed"].consolidate()
        for policy, talk in self.talks.items():
            self.facts[policy, point.after] = tuple(self._held(talk))
        for entrant in self.entrants:
            row = self._row(entrant, point, self.config)
            self.rows[entrant.key].append(row)
            for quota, rows in self.sweep.items():
                if entrant.key in rows:
                    same = quota == self.config.facts.quota
                    swept = (
                        row if same else self._row(entrant, point, _with_quota(self.config, quota))
                    )
                    rows[entrant.key].append(swept)
        for place, variant in enumerate(self.variants):
            if not variant.refused:
                self._vary(place, variant, point)

    def _vary(self, place: int, variant: Variant, point: Checkpoint) -> None:
        """Build a variant's requests; the first that its budget cannot hold refuses it."""
        for entrant in variant.entrants:
            try:
                row = self._row(entrant, point, self.config, variant.budget)
            except RequiredContextTooLarge as error:
                self.variants[place] = dataclasses.replace(variant, refused=str(error))
                return
            self.varied[place][entrant.key].append(row)

    def _held(self, talk: Conversation) -> Iterator[Fact]:
        """Every row of a store, current or superseded, oldest first."""
        found = {fact.id: fact for fact in talk.current()}
        names = {item.label.attribute for item in self.suite.turns if item.label is not None}
        for name in names:
            found.update((fact.id, fact) for fact in talk.history(name))
        return (found[id] for id in sorted(found))

    def _row(
        self, entrant: Entrant, point: Checkpoint, config: Config, budget: Budget | None = None
    ) -> Row:
        budget = budget or self.budget
        where = f"suite {self.suite.name!r}, checkpoint after turn {point.after}"
        try:
            request = self.talks[entrant.policy].request(
                point.question,
                budget=budget,
                strategy=entrant.strategy,
                instructions=self.suite.instructions,
                tools=self.suite.tools,
                config=config,
                record=False,
            )
        except RequiredContextTooLarge as error:
            raise RequiredContextTooLarge(
                parts=error.parts,
                required=error.required,
                limit=error.limit,
                where=where,
            ) from None
        except TemplateError as error:
            raise TemplateError(f"{where}: {error}") from None
        tokens = self.counter.request(request.sent, request.tools)
        if tokens != request.tokens or tokens > budget.input:
            raise PalimpsestError(
                f"{where}: {entrant.key!r} built a request of {tokens} tokens and gave "
                f"{request.tokens}; the input budget is {budget.input}. This is a fault of "
                "the strategy, so the run has no result"
            )
        return Row(
            after=point.after,
            grade=grade(request.sent, point, self.counter.frame.markers),
            tokens=tokens,
            request=request,
        )

    def result(self) -> Replayed:
        """The finished rows with what the stores hold at the end."""
        return Replayed(
            suite=self.suite,
            config=self.config,
            budget=self.budget,
            frame=self.counter.frame,
            entrants=self.entrants,
            rows={key: tuple(rows) for key, rows in self.rows.items()},
            sweep={
                quota: {key: tuple(found) for key, found in rows.items()}
                for quota, rows in self.sweep.items()
            },
            storage={policy: talk.storage() for policy, talk in self.talks.items()},
            facts=self.facts,
            readings=tuple(self.readings),
            varied=tuple(
                Varied(
                    variant=variant,
                    rows={} if variant.refused else {k: tuple(v) for k, v in rows.items()},
                )
                for variant, rows in zip(self.variants, self.varied, strict=True)
            ),
        )


def _with_quota(config: Config, quota: int) -> Config:
    return dataclasses.replace(config, facts=dataclasses.replace(config.facts, quota=quota))
