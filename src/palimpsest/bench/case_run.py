"""Runs a case set that is named: resolves the name, its settings and its tokenizer."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.bench.builtin import case_sets
from palimpsest.bench.case_checks import Recorded
from palimpsest.bench.case_file import Split
from palimpsest.bench.cases import CaseSet, load_cases, load_recorded
from palimpsest.bench.replay import enter
from palimpsest.bench.run import Options, config_of
from palimpsest.bench.selection import CaseRun, Step, run_cases
from palimpsest.errors import InputError, NotFound
from palimpsest.tokens import prepared
from palimpsest.tokens.counter import TokenCounter

BUILT_IN = "selection-12"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOptions:
    """What a run of a case set is asked for."""

    run: Options
    splits: tuple[Split, ...] = ()
    """The splits to run; all that the set has where none is named."""
    baseline: Path | None = None
    """A recorded report: a case that changed its split since is refused."""


def find_cases(name: str, recorded: Recorded | None = None) -> CaseSet:
    """A built-in case set by name, or a file by path; raises NotFound or InputError."""
    if name in case_sets.names():
        return case_sets.load(name, recorded)
    path = Path(name)
    if name and path.exists():
        return load_cases(path, recorded)
    known = ", ".join(case_sets.names())
    if path.suffix or len(path.parts) > 1:
        raise NotFound(f"{name}: no such case-set file; built in: {known}")
    close = difflib.get_close_matches(name, case_sets.names(), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    raise NotFound(
        f"no case set is named {name!r} and no file has that path{hint} Built in: {known}"
    )


def run_named(name: str, options: CaseOptions, step: Step | None = None) -> CaseRun:
    """Load a case set and run it; ``step(case, of)`` is told of every case."""
    entrants = enter(options.run.strategies)
    recorded = load_recorded(options.baseline) if options.baseline is not None else None
    found = find_cases(name, recorded)
    _check_splits(found, options.splits)
    config = config_of(found, options.run)
    counter = TokenCounter(prepared.resolve(config.tokenizer.name, config))
    return run_cases(
        found, entrants=entrants, counter=counter, config=config, splits=options.splits, step=step
    )


def _check_splits(found: CaseSet, splits: Sequence[Split]) -> None:
    for split in splits:
        if split not in found.splits:
            has = ", ".join(repr(other) for other in found.splits)
            raise InputError(f"--split {split}: {found.name} has no such cases; it has {has}")
