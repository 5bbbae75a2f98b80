"""Runs suites: resolves their names, settings and tokenizers, and replays each.

Settings are laid over each other here, strongest last: the defaults, the suite, the
settings file, the options of the command. A Spec's own parameters beat them all.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest import config as settings
from palimpsest.bench import builtin, suite
from palimpsest.bench.cases import CaseSet
from palimpsest.bench.forgotten_after import forgotten_after
from palimpsest.bench.replay import DEFAULT_STRATEGIES, Replayed, enter, replay
from palimpsest.bench.suite import Suite
from palimpsest.bench.sweep import BudgetSweep, SpecSweep
from palimpsest.bench.sweep_points import variants
from palimpsest.config import Config
from palimpsest.errors import InputError, NotFound
from palimpsest.settings import SweepSettings, TokenizerSettings
from palimpsest.tokens import prepared
from palimpsest.tokens.counter import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a run is asked for beyond its suites."""

    strategies: tuple[str, ...] = DEFAULT_STRATEGIES
    config: Path | None = None
    tokenizer: str | None = None
    sweep: tuple[int, ...] | None = None
    """Facts quotas in place of those of the settings."""
    sweeps: tuple[BudgetSweep | SpecSweep, ...] = ()
    look_after: bool = True
    """Look for forgotten facts at every stage that a store goes through later."""


def find(name: str) -> Suite:
    """A built-in suite by name, or a suite file by path; raises NotFound or InputError."""
    if name in builtin.known():
        return builtin.load(name)
    path = Path(name)
    if name and path.exists():
        return suite.load(path)
    if path.suffix or len(path.parts) > 1:
        raise NotFound(f"{name}: no such suite file; built in are {', '.join(builtin.known())}")
    close = difflib.get_close_matches(name, builtin.known(), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    raise NotFound(
        f"no suite is named {name!r} and no file has that path{hint} "
        f"Built in: {', '.join(builtin.known())}"
    )


def find_all(names: Sequence[str]) -> tuple[Suite, ...]:
    """The suites of a run; all built-in ones where none is named."""
    found = tuple(find(name) for name in names or builtin.names())
    seen: set[str] = set()
    for item in found:
        if item.name in seen:
            raise InputError(
                f"two suites of this run are named {item.name!r}; give one of the files another "
                '"name", or run them one by one'
            )
        seen.add(item.name)
    return found


def config_of(found: Suite | CaseSet, options: Options) -> Config:
    """The settings of one suite or case set in this run."""
    made = found.config()
    if options.config is not None:
        made = settings.load(options.config, made)
    if options.sweep is not None:
        made = dataclasses.replace(made, sweep=SweepSettings(quota=options.sweep))
    if options.tokenizer is not None:
        named = dataclasses.replace(made.tokenizer, name=options.tokenizer)
        made = dataclasses.replace(made, tokenizer=named)
    return made


def run_all(
    suites: Sequence[Suite],
    options: Options,
    step: Callable[[str, int, int], None] | None = None,
) -> tuple[Replayed, ...]:
    """Replay every suite; ``step(suite, turn, of)`` is told of every turn."""
    entrants = enter(options.strategies)
    configs = [config_of(found, options) for found in suites]
    counters: dict[TokenizerSettings, TokenCounter] = {}
    made: list[Replayed] = []
    for found, config in zip(suites, configs, strict=True):
        if config.tokenizer not in counters:
            tokenizer = prepared.resolve(config.tokenizer.name, config)
            counters[config.tokenizer] = TokenCounter(tokenizer)
        counter = counters[config.tokenizer]
        run = replay(
            found,
            entrants=entrants,
            counter=counter,
            config=config,
            step=_named(step, found.name),
            variants=variants(options.sweeps, entrants, config.budget or found.budget),
        )
        if options.look_after:
            run = dataclasses.replace(run, after=forgotten_after(run, counter))
        made.append(run)
    return tuple(made)


def _named(
    step: Callable[[str, int, int], None] | None, name: str
) -> Callable[[int, int], None] | None:
    if step is None:
        return None
    return lambda turn, of: step(name, turn, of)
