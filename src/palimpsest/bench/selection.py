"""Runs every strategy on every case of a set and grades which facts reach the request.

Each case is played into a real engine, a conversation of its own in one in-memory store a
policy; a strategy sees neither the facts nor the other cases. Every request is counted
again here: one that is over its budget is a result that the summary counts, one whose
strategy gave another count is a fault, and the run has no result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from palimpsest import __version__, registry
from palimpsest.bench.case_file import Split
from palimpsest.bench.cases import Case, CaseSet
from palimpsest.bench.grade import Grade, grade
from palimpsest.bench.replay import Entrant
from palimpsest.bench.results import Key, Results
from palimpsest.bench.strategy_source import strategies_sha256
from palimpsest.bench.suite import Checkpoint
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import PalimpsestError, RequiredContextTooLarge
from palimpsest.ledger import Request
from palimpsest.tokens.counter import TokenCounter
from palimpsest.types import Budget, Frame, Policy

DEFAULT_STRATEGIES = (
    "recent", "relevant", "notes", "hybrid", "relevant(stem=true)", "hybrid(stem=true)",
)  # fmt: skip
GRADER = (
    "exact text of each required and stale fact in the messages of the request, as said or as "
    "quoted lines show it"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """One strategy on one case: its request and what the grader found in it."""

    case: Case
    budget: Budget
    grade: Grade
    tokens: int
    request: Request
    kept: bool = False
    """True where an equal run had worked it out before."""

    @property
    def within_budget(self) -> bool:
        """Whether the request, the answer and the margin fit the window together."""
        return self.tokens <= self.budget.input

    @property
    def complete(self) -> bool:
        """Whether every required fact was found."""
        return self.grade.found == self.grade.required


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """Everything that one run of a case set showed."""

    cases: CaseSet
    config: Config
    frame: Frame
    entrants: tuple[Entrant, ...]
    rows: Mapping[str, tuple[CaseRow, ...]]
    """By strategy key, one row a case."""
    strategies_sha256: str | None
    splits: tuple[Split, ...]
    """The splits that were run."""

    def of(self, key: str, split: Split) -> tuple[CaseRow, ...]:
        """The rows of one strategy in one split."""
        return tuple(row for row in self.rows[key] if row.case.split == split)


Step = Callable[[int, int], None]


def run_cases(
    found: CaseSet,
    *,
    entrants: Sequence[Entrant],
    counter: TokenCounter,
    config: Config,
    splits: Sequence[Split] | None = None,
    results: Results[CaseRow] | None = None,
    step: Step | None = None,
) -> CaseRun:
    """Run a case set under ``config``; ``step(case, of)`` is told of every case.

    ``results`` is shared between runs that may repeat each other. Raises
    RequiredContextTooLarge with set and case where a budget cannot hold the question, and
    PalimpsestError where a strategy miscounts.
    """
    wanted = tuple(splits) if splits else found.splits
    chosen = [case for case in found.cases if case.split in wanted]
    rows: dict[str, list[CaseRow]] = {entrant.key: [] for entrant in entrants}
    with ExitStack() as stack:
        runner = _Runner(found.name, tuple(entrants), config, stack, counter, results or Results())
        for i, case in enumerate(chosen):
            for entrant in entrants:
                rows[entrant.key].append(runner.row(entrant, case))
            if step is not None:
                step(i + 1, len(chosen))
    return CaseRun(
        cases=found,
        config=config,
        frame=counter.frame,
        entrants=tuple(entrants),
        rows={key: tuple(made) for key, made in rows.items()},
        strategies_sha256=strategies_sha256(entrant.strategy for entrant in entrants),
        splits=wanted,
    )


class _Runner:
    """The stores of a run and what they are counted with."""

    def __init__(
        self, name: str, entrants: tuple[Entrant, ...], config: Config, stack: ExitStack,
        counter: TokenCounter, results: Results[CaseRow],
    ) -> None:  # fmt: skip
        self.name = name
        self.config = config
        self.counter = counter
        self.results = results
        self.sources = {
            entrant.key: strategies_sha256([entrant.strategy]) or "" for entrant in entrants
        }
        self.memories: dict[Policy, Memory] = {
            policy: stack.enter_context(
                Memory.open(
                    ":memory:", policy=policy, tokenizer=counter.tokenizer, config=config,
                    counter=counter, indexing="inline",
                )
            )
            for policy in sorted({entrant.policy for entrant in entrants})
        }  # fmt: skip
        self.told: set[tuple[Policy, str]] = set()

    def row(self, entrant: Entrant, case: Case) -> CaseRow:
        """One strategy on one case, from an equal run where there was one."""
        budget = self.config.budget or case.budget
        key = Key(
            strategy=registry.render(entrant.spec),
            version=f"{__version__} {self.sources[entrant.key]}",
            config=self.config.fingerprint,
            budget=budget,
            tokenizer=self.counter.frame.fingerprint,
            case=case.digest,
            grader=GRADER,
        )
        found = self.results.get(
            key, lambda: self._fresh(entrant, case, budget), keep=lambda row: bool(row.request.sent)
        )
        row = found.value
        return CaseRow(
            case=case, budget=budget, grade=row.grade, tokens=row.tokens, request=row.request,
            kept=found.kept,
        )  # fmt: skip

    def _fresh(self, entrant: Entrant, case: Case, budget: Budget) -> CaseRow:
        where = f"case set {self.name!r}, case {case.id!r}"
        try:
            request = self._talk(entrant.policy, case).request(
                case.question, budget=budget, strategy=entrant.strategy,
                instructions=case.instructions, config=self.config, record=False,
            )  # fmt: skip
        except RequiredContextTooLarge as error:
            raise RequiredContextTooLarge(
                parts=error.parts, required=error.required, limit=error.limit, where=where
            ) from None
        tokens = self.counter.request(request.sent, request.tools)
        if tokens != request.tokens:
            raise PalimpsestError(
                f"{where}: {entrant.key!r} built a request of {tokens} tokens and gave "
                f"{request.tokens}. This is a fault of the strategy, so the run has no result"
            )
        point = Checkpoint(
            after=len(case.turns), question=case.question, required=case.required, stale=case.stale
        )
        found = grade(request.sent, point, self.counter.frame.markers)
        return CaseRow(case=case, budget=budget, grade=found, tokens=tokens, request=request)

    def _talk(self, policy: Policy, case: Case) -> Conversation:
        """The conversation of a case, told once."""
        talk = self.memories[policy].conversation(user="bench", id=case.id)
        if (policy, case.id) not in self.told:
            self.told.add((policy, case.id))
            for turn in case.turns:
                talk.append_turn(turn)
        return talk
