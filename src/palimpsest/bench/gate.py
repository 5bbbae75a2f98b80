"""The gate: runs the suites of a baseline again and compares. It prints and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.bench import builtin
from palimpsest.bench.baseline import Baseline, Case, Ran, record
from palimpsest.bench.compare import Comparison, compare
from palimpsest.bench.evidence import evidence
from palimpsest.bench.replay import DEFAULT_STRATEGIES, Replayed
from palimpsest.bench.run import Options, find_all, run_all

DEFAULT_PATH = Path("palimpsest-baseline.json")
Step = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a command line asks of a run; ``None`` and empty leave it to the baseline."""

    suites: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    config: Path | None = None
    tokenizer: str | None = None


def bless(asked: Asked, place: Path, step: Step | None = None) -> Baseline:
    """Run the suites and make the baseline that belongs at ``place``."""
    folder = place.resolve().parent
    ran = Ran(
        suites=tuple(suite_from(folder, name) for name in asked.suites),
        strategies=asked.strategies,
        config=path_from(folder, asked.config) if asked.config is not None else None,
        tokenizer=asked.tokenizer,
    )
    return record(_run(asked, step, look_after=False), ran)


def check(
    blessed: Baseline, place: Path, asked: Asked | None = None, step: Step | None = None
) -> Comparison:
    """Run what a baseline that lies at ``place`` was made of, and compare.

    Settings, tokenizer and strategies that are asked for take the place of the blessed
    ones, and are refused where they differ.
    """
    given, folder, ran = asked or Asked(), place.resolve().parent, blessed.ran
    config = given.config or (folder / ran.config if ran.config is not None else None)
    again = Asked(
        suites=tuple(_suite_at(folder, name) for name in ran.suites),
        strategies=given.strategies or ran.strategies,
        config=config,
        tokenizer=given.tokenizer or ran.tokenizer,
    )
    runs = _run(again, step)
    by_name = {run.suite.name: run for run in runs}

    def tell(suite: str, case: Case, fact: str) -> str:
        return evidence(
            by_name[suite], strategy=case.strategy, after=case.after, variant=case.variant,
            fact=fact,
        )  # fmt: skip

    after = {run.suite.name: run.after for run in runs if run.after is not None}
    return compare(blessed, record(runs, ran), tell, after)


def _run(asked: Asked, step: Step | None, *, look_after: bool = True) -> Sequence[Replayed]:
    options = Options(
        strategies=asked.strategies or DEFAULT_STRATEGIES, config=asked.config,
        tokenizer=asked.tokenizer, look_after=look_after,
    )  # fmt: skip
    return run_all(find_all(asked.suites), options, step)


def suite_from(folder: Path, name: str) -> str:
    """A suite as a baseline in ``folder`` names it."""
    return name if name in builtin.known() else path_from(folder, Path(name))


def _suite_at(folder: Path, name: str) -> str:
    return name if name in builtin.known() else str(folder / name)


def path_from(folder: Path, path: Path) -> str:
    """A path as seen from the baseline, so that both can move together."""
    try:
        return Path(os.path.relpath(path.resolve(), folder)).as_posix()
    except ValueError:
        return path.resolve().as_posix()  # on another drive
