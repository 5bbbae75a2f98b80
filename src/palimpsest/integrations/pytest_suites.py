"""The cases of a suite as tests: which there are, how each is judged, what a failure says.

The cases are known from the suite, the Specs and the settings alone; the replay waits for
the first test that is run, and serves all of them. Invariant: with a baseline a case fails
exactly where ``palimpsest bench check`` has a finding about it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from palimpsest.bench import builtin, life
from palimpsest.bench.baseline import Baseline, Ran, record, rows
from palimpsest.bench.compare import Comparison, Finding, compare
from palimpsest.bench.evidence import evidence
from palimpsest.bench.gate import path_from, suite_from
from palimpsest.bench.replay import DEFAULT_STRATEGIES, Replayed, Row, enter
from palimpsest.bench.run import Options, config_of, find, run_all
from palimpsest.bench.suite import Suite
from palimpsest.errors import InputError, NotFound, PalimpsestError
from palimpsest.integrations.blessed import blessed_at, renewed
from palimpsest.language.invisible import shown

_PARAMETERS = ("suite", "baseline", "strategy", "config", "tokenizer")
_RUNS: pytest.StashKey[dict[Asked, SuiteRun]] = pytest.StashKey()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One suite under one settings file, as a marker asks for it; paths are absolute."""

    suite: str
    strategies: tuple[str, ...]
    config: Path | None
    tokenizer: str | None
    baseline: Path | None


@dataclass(slots=True, kw_only=True)
class SuiteRun:
    """The replay that the cases of one marker share; made once, when the first is judged."""

    asked: Asked
    found: Suite
    bless: bool
    _made: Replayed | None = field(default=None, repr=False)
    _outcome: Comparison | None = field(default=None, repr=False)
    _error: PalimpsestError | None = field(default=None, repr=False)

    @property
    def options(self) -> Options:
        """What the replay is asked for."""
        asked = self.asked
        return Options(strategies=asked.strategies, config=asked.config, tokenizer=asked.tokenizer)

    @property
    def replayed(self) -> Replayed:
        """The replay; an error of it is that of every case."""
        if self._error is not None:
            raise self._error
        if self._made is None:
            try:
                self._made = run_all([self.found], self.options)[0]
            except PalimpsestError as error:
                self._error = error
                raise
        return self._made

    def outcome(self, place: Path) -> Comparison:
        """The comparison with the blessed run, which is renewed first where that is asked."""
        if self._outcome is None:
            fresh = self._record(place)
            if self.bless:
                renewed(place, fresh)
            blessed = blessed_at(place, self.found.name)
            self._outcome = compare(blessed, fresh, self._tell)
        return self._outcome

    def _record(self, place: Path) -> Baseline:
        asked, folder = self.asked, place.parent
        return record(
            [self.replayed],
            Ran(
                suites=(suite_from(folder, asked.suite),),
                strategies=() if asked.strategies == DEFAULT_STRATEGIES else asked.strategies,
                config=path_from(folder, asked.config) if asked.config else None,
                tokenizer=asked.tokenizer,
            ),
        )

    def _tell(self, suite: str, case: Any, fact: str) -> str:
        return evidence(
            self.replayed, strategy=case.strategy, after=case.after, variant=case.variant,
            fact=fact,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCase:
    """One strategy at one checkpoint; ``after`` is ``None`` for what its store ends with."""

    run: SuiteRun
    strategy: str
    after: int | None
    variant: str = ""
    label: str = ""
    """Tells the settings file, where a marker names several."""

    @property
    def id(self) -> str:
        """The name of the test, as ``-k`` and ``--lf`` know it."""
        place = "storage" if self.after is None else f"turn{self.after}"
        parts = (self.run.found.name, self.label, self.strategy, place, self.variant)
        return "-".join(part for part in parts if part)

    @property
    def suite(self) -> Suite:
        """The suite of the case."""
        return self.run.found

    @property
    def row(self) -> Row:
        """The request of the case and its grade; raises InputError for one about storage."""
        for variant, key, row in rows(self.run.replayed):
            if (variant, key, row.after) == (self.variant, self.strategy, self.after):
                return row
        raise InputError(f"{self.id}: has no request; it is about what the store ends with")

    def judged(self) -> str:
        """What is wrong with it, in lines; empty where nothing is."""
        place = self.run.asked.baseline
        if place is None:
            return "\n".join(self._graded())
        outcome = self.run.outcome(place)
        if outcome.verdict == "error":
            told = [f"{self.id}: cannot be compared with {place.name}", *outcome.refusals]
            return "\n  ".join([*told, _BLESS])
        own = [one for one in outcome.findings if self._is_about(one)]
        return "\n".join(line for one in own for line in self._found(one))

    def _is_about(self, one: Finding) -> bool:
        return (one.strategy, one.after, one.variant) == (self.strategy, self.after, self.variant)

    def _found(self, one: Finding) -> Iterator[str]:
        yield shown(f"{one.case}: {one.text}")
        if one.fact is not None:
            yield from self._explained(one.fact, one.why)
        if not one.blocks:
            yield f"  {_BLESS}"

    def _graded(self) -> Iterator[str]:
        grade, where = self.row.grade, f"{self.suite.name} {self.strategy} turn {self.after}"
        for facts, text in (
            (grade.deleted, "sends the forgotten"),
            (grade.stale, "sends the replaced"),
            (grade.missing, "misses the required"),
        ):
            for fact in facts:
                why = evidence(
                    self.run.replayed, strategy=self.strategy, after=self.after or 0,
                    variant=self.variant, fact=fact,
                )  # fmt: skip
                yield shown(f"{where}: {text} {fact!r}")
                yield from self._explained(fact, why)

    def _explained(self, fact: str, why: str) -> Iterator[str]:
        """The reason from the ledger, the life of the fact, and the command that tells more."""
        yield f"  {shown(why)}"
        attribute = life.attribute_of(self.suite, fact)
        events = life.events(self.suite, attribute, (fact,))
        if events:
            yield f"  life of {shown(attribute or fact)!r}:"
        for event in events:
            yield f"    turn {event.turn:<4} {event.kind:<15} {event.role}: {shown(event.text)[:120]!r}"
        yield (
            f"  more: palimpsest trace {shlex.quote(self.run.asked.suite)} {shlex.quote(fact)} "
            f"--strategy {shlex.quote(self.strategy)}"
        )


_BLESS = "if that is meant: review it, then `pytest --palimpsest-bless` on this test"


def cases_of(
    args: Sequence[Any], kwargs: Mapping[str, Any], folder: Path, settings: pytest.Config
) -> list[SuiteCase]:
    """The cases that one marker asks for; raises InputError, NotFound, SpecError, ConfigError."""
    bless = bool(settings.getoption("--palimpsest-bless"))
    runs = settings.stash.setdefault(_RUNS, {})
    made: list[SuiteCase] = []
    for label, asked in _asked(args, kwargs, folder):
        run = runs.get(asked)
        if run is None:
            _check_shared(asked, runs)
            run = runs[asked] = SuiteRun(asked=asked, found=find(asked.suite), bless=bless)
        made += _cases(run, label)
    return made


def _cases(run: SuiteRun, label: str) -> Iterator[SuiteCase]:
    entrants, config = enter(run.asked.strategies), config_of(run.found, run.options)
    for entrant in entrants:
        for point in run.found.checkpoints:
            yield SuiteCase(run=run, strategy=entrant.key, after=point.after, label=label)
            for quota in config.sweep.quota if run.asked.baseline and entrant.sweeps else ():
                if quota != config.facts.quota:
                    yield SuiteCase(
                        run=run, strategy=entrant.key, after=point.after,
                        variant=f"quota={quota}", label=label,
                    )  # fmt: skip
        if run.asked.baseline and entrant.strategy.memory:
            yield SuiteCase(run=run, strategy=entrant.key, after=None, label=label)


def _asked(
    args: Sequence[Any], kwargs: Mapping[str, Any], folder: Path
) -> Iterator[tuple[str, Asked]]:
    given = dict(zip(_PARAMETERS, args, strict=False)) | dict(kwargs)
    unknown = [name for name in given if name not in _PARAMETERS]
    if unknown or len(args) > len(_PARAMETERS):
        raise InputError(f"{unknown or args!r}: not taken; it takes {', '.join(_PARAMETERS)}")
    if not isinstance(given.get("suite"), str | Path) or not str(given["suite"]):
        raise InputError("suite: is needed; name a built-in suite or a file")
    suite = str(given["suite"])
    if suite not in builtin.known() and (folder / suite).exists():
        suite = str(folder / suite)
    configs: list[str | None] = [*_several(given.get("config"), "config")]
    for config in configs or [None]:
        baseline = _baseline(given.get("baseline"), folder, config, several=len(configs) > 1)
        ran = _ran(baseline)
        named = tuple(_several(given.get("strategy"), "strategy"))
        yield (
            (Path(config).stem if config and len(configs) > 1 else ""),
            Asked(
                suite=suite,
                strategies=named or ran.strategies or DEFAULT_STRATEGIES,
                config=folder / config if config else _from(ran.config, baseline),
                tokenizer=given.get("tokenizer") or ran.tokenizer,
                baseline=baseline,
            ),
        )


def _several(value: object, name: str) -> list[str]:
    listed = [value] if isinstance(value, str | Path) else list(value or ())  # type: ignore[call-overload]
    for item in listed:
        if not isinstance(item, str | Path) or not str(item):
            raise InputError(f"{name}: {item!r} is neither a text nor a path")
    return [str(item) for item in listed]


def _baseline(value: object, folder: Path, config: str | None, *, several: bool) -> Path | None:
    if value is None:
        return None
    text = str(value)
    if several and "{config}" not in text:
        raise InputError(
            f"baseline: {text!r} would hold the runs of several settings files; write {{config}} "
            "in its name, for the name of each"
        )
    return folder / text.replace("{config}", Path(config).stem if config else "")


def _ran(baseline: Path | None) -> Ran:
    """How a baseline was blessed; what the marker leaves open is taken from there."""
    if baseline is None or not baseline.exists():
        return Ran()
    from palimpsest.bench.baseline import load

    try:
        return load(baseline).ran
    except (InputError, NotFound):
        return Ran()  # told when a case is judged, where --palimpsest-bless can renew it


def _from(config: str | None, baseline: Path | None) -> Path | None:
    return baseline.parent / config if config and baseline else None


def _check_shared(asked: Asked, runs: Mapping[Asked, SuiteRun]) -> None:
    """One baseline holds one run of a suite, or blessing one would undo the other."""
    for other in runs:
        same = (other.baseline, other.suite) == (asked.baseline, asked.suite)
        if asked.baseline and same:
            raise InputError(
                f"baseline: {asked.baseline.name!r} is named for two runs of {asked.suite!r} with "
                "other strategies or settings; give each a file of its own"
            )
