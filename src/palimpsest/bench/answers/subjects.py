"""What answers are recorded for: a suite with checkpoints, or a set of cases.

Both come to the same: named requests to send, cases to grade by, and one hash that says
whether two recordings are of the same. Invariant: the hash covers everything that makes a
request, and no key that only grades it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.bench import builtin, run
from palimpsest.bench.answers import cases, keys
from palimpsest.bench.answers.asked import Ask, ask, of_run
from palimpsest.bench.answers.cases import AnswerCase
from palimpsest.bench.answers.keys import Keys
from palimpsest.bench.builtin import case_sets
from palimpsest.bench.case_file import Split
from palimpsest.bench.case_run import find_cases
from palimpsest.bench.cases import CaseSet
from palimpsest.bench.replay import DEFAULT_STRATEGIES, Replayed, enter
from palimpsest.bench.run import Options
from palimpsest.bench.selection import DEFAULT_STRATEGIES as CASE_STRATEGIES
from palimpsest.bench.selection import CaseRun, run_cases
from palimpsest.bench.suite import Suite
from palimpsest.config import Config
from palimpsest.errors import InputError, NotFound
from palimpsest.tokens import prepared
from palimpsest.tokens.counter import TokenCounter
from palimpsest.types import Frame

Subject = Suite | CaseSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The requests of a subject, and what they were built and counted with."""

    name: str
    hash: str
    config: Config
    frame: Frame
    asks: tuple[Ask, ...]


def find(name: str) -> Subject:
    """A built-in suite or case set by name, or a file of either; raises NotFound, InputError."""
    if name in case_sets.names():
        return find_cases(name)
    if name in builtin.known() or not Path(name).exists():
        try:
            return run.find(name)
        except NotFound as error:
            raise NotFound(f"{error}; case sets: {', '.join(case_sets.names())}") from None
    return run.find(name) if _is_suite(Path(name)) else find_cases(name)


def _is_suite(path: Path) -> bool:
    """True unless a file is readable JSON without turns: then it is a set of cases."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return True  # the reader of suites says what is wrong with it
    return isinstance(data, Mapping) and "cases" not in data


def hash_of(subject: Subject) -> str:
    """``sha256:`` of what makes the requests of a subject."""
    if isinstance(subject, Suite):
        return subject.fingerprint
    made = [[case.id, case.split, case.kind, case.digest] for case in subject.cases]
    text = json.dumps([made, dict(subject.settings)], sort_keys=True, ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def cases_of(subject: Subject) -> dict[str, AnswerCase]:
    """The cases to grade by, by name."""
    return cases.of_suite(subject) if isinstance(subject, Suite) else cases.of_set(subject)


def keys_of(subject: Subject) -> Keys | None:
    """The keys that the subject itself carries."""
    return keys.of(subject.keys, f"{subject.name}: keys")


def build(
    subject: Subject,
    options: Options | None = None,
    *,
    strategies: Sequence[str] = (),
    checkpoints: Sequence[int] = (),
    splits: Sequence[Split] = (),
) -> Built:
    """Build every request that is to be sent; raises InputError for an option that is not its."""
    options = options or Options()
    if isinstance(subject, Suite):
        if splits:
            raise InputError(f"--split: {subject.name!r} is a suite and has checkpoints, no splits")
        named = Options(
            strategies=tuple(strategies) or DEFAULT_STRATEGIES, config=options.config,
            tokenizer=options.tokenizer, sweep=(), look_after=False,
        )  # fmt: skip
        return of_replay(run.run_all([subject], named)[0], checkpoints)
    if checkpoints:
        raise InputError(
            f"--checkpoint: {subject.name!r} is a set of cases and has splits, no turns"
        )
    return of_cases(_run_set(subject, options, tuple(strategies) or CASE_STRATEGIES, splits))


def of_replay(made: Replayed, checkpoints: Sequence[int] = ()) -> Built:
    """The requests of a replayed suite."""
    return Built(
        name=made.suite.name, hash=hash_of(made.suite), config=made.config, frame=made.frame,
        asks=of_run(made, checkpoints),
    )  # fmt: skip


def of_cases(made: CaseRun) -> Built:
    """The requests of a case set, case by case."""
    asks = [
        (row.case.id, ask(row.request, strategy=key, case=row.case.id))
        for key, rows in made.rows.items()
        for row in rows
    ]
    order = {case.id: place for place, case in enumerate(made.cases.cases)}
    return Built(
        name=made.cases.name, hash=hash_of(made.cases), config=made.config, frame=made.frame,
        asks=tuple(found for _, found in sorted(asks, key=lambda pair: order[pair[0]])),
    )  # fmt: skip


def _run_set(
    found: CaseSet, options: Options, strategies: Sequence[str], splits: Sequence[Split]
) -> CaseRun:
    missing = next((split for split in splits if split not in found.splits), None)
    if missing is not None:
        raise InputError(f"--split {missing}: {found.name!r} has no such cases")
    # The development cases shaped the strategies, so answers to them would say less.
    held: tuple[Split, ...] = ("held_out",) if "held_out" in found.splits else ()
    config = run.config_of(found, options)
    counter = TokenCounter(prepared.resolve(config.tokenizer.name, config))
    return run_cases(
        found, entrants=enter(strategies), counter=counter, config=config, splits=splits or held
    )
