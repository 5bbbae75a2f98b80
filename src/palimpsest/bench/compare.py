"""Compares a run with the blessed one, case by case: a pure function of two records.

A forgotten fact that a bound strategy sends blocks even where the baseline had it. A stale
or lost fact blocks where the baseline did not have it; nothing is averaged, so a gain pays
for no loss. Whatever else differs is a finding too, until it is blessed.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from palimpsest.bench.baseline import Baseline, Case, SuiteRecord, settings_of
from palimpsest.bench.forgotten_stages import WORDS, ForgottenAfter
from palimpsest.config import Config

Kind = Literal["forgotten", "stale", "lost", "gain", "changed", "storage"]
KINDS: tuple[Kind, ...] = ("forgotten", "stale", "lost", "gain", "changed", "storage")
"""From the worst to the mildest; findings are listed in this order."""
BLOCKING: frozenset[Kind] = frozenset({"forgotten", "stale", "lost"})
Verdict = Literal["pass", "regression", "error"]
STATUS: Mapping[Verdict, int] = {"pass": 0, "regression": 1, "error": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One difference, in one case or in the storage of one strategy."""

    kind: Kind
    suite: str
    strategy: str
    after: int | None = None
    """The checkpoint; ``None`` for storage and for what is sent later, see ``forgotten_after``."""
    variant: str = ""
    fact: str | None = None
    text: str
    """What happened, without the case."""
    why: str = ""
    """The turn and the sentence behind it."""

    @property
    def blocks(self) -> bool:
        """True for what got worse."""
        return self.kind in BLOCKING

    @property
    def case(self) -> str:
        """Suite, strategy and checkpoint as one text."""
        place = f" turn {self.after}" if self.after is not None else ""
        variant = f" ({self.variant})" if self.variant else ""
        return f"{self.suite} {self.strategy}{place}{variant}"


Tell = Callable[[str, Case, str], str]
"""Suite name, case of the new run and fact to the turn and sentence that explain it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The outcome of a check."""

    verdict: Verdict
    refusals: tuple[str, ...] = ()
    """Why there is nothing to compare; each names what differs and both hashes."""
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    cases: tuple[tuple[str, Case], ...] = ()
    """Every case that was compared, with its suite."""

    @property
    def exit_status(self) -> int:
        """0 pass, 1 regression, 2 error."""
        return STATUS[self.verdict]


def failed(reason: str) -> Comparison:
    """The outcome of a check that could not run."""
    return Comparison(verdict="error", refusals=(reason,))


def compare(
    blessed: Baseline,
    fresh: Baseline,
    tell: Tell = lambda *_: "",
    after: Mapping[str, ForgottenAfter] = MappingProxyType({}),
) -> Comparison:
    """Compare ``fresh`` with ``blessed``; ``tell`` explains a fact of a finding.

    ``after`` is what became of the forgotten facts of each suite; no baseline is asked there.
    """
    notes = tuple(_notes(blessed, fresh))
    refusals = tuple(_refusals(blessed, fresh))
    if refusals:
        return Comparison(verdict="error", refusals=refusals, notes=notes)
    earlier = {suite.name: suite for suite in blessed.suites}
    found = [f for suite in fresh.suites for f in _suite(earlier[suite.name], suite, tell)]
    seen = {(one.suite, one.strategy, one.fact) for one in found if one.kind == "forgotten"}
    found += [one for name, sent in after.items() for one in _later(name, sent, seen)]
    found.sort(key=lambda finding: KINDS.index(finding.kind))
    return Comparison(
        verdict="regression" if found else "pass",
        notes=notes,
        findings=tuple(found),
        cases=tuple((suite.name, case) for suite in fresh.suites for case in suite.cases),
    )


def _notes(blessed: Baseline, fresh: Baseline) -> Iterator[str]:
    if (blessed.palimpsest, blessed.code) != (fresh.palimpsest, fresh.code):
        yield (
            f"other code: blessed with palimpsest {blessed.palimpsest} {blessed.code}, "
            f"compared with {fresh.palimpsest} {fresh.code}"
        )


def _refusals(blessed: Baseline, fresh: Baseline) -> Iterator[str]:
    """What makes the two runs different questions."""
    old, new = ({s.name: s for s in run.suites} for run in (blessed, fresh))
    for name in old.keys() - new.keys():
        yield f"suite {name!r} ({old[name].suite}) is in the baseline and was not run"
    for name in (name for name in new if name not in old):
        yield f"suite {name!r} ({new[name].suite}) was run and is not in the baseline"
    for name in (name for name in new if name in old):
        yield from _unlike(old[name], new[name])


def _unlike(old: SuiteRecord, new: SuiteRecord) -> Iterator[str]:
    if old.suite != new.suite:
        yield f"{new.name}: the suite differs: blessed {old.suite}, now {new.suite}"
    then = _with_later(old.settings, new.settings, settings_of(Config()))
    if old.config != new.config and then != new.settings:
        changed = "; ".join(_changed(then, new.settings)) or "other defaults"
        yield f"{new.name}: the settings differ: blessed {old.config}, now {new.config} ({changed})"
    if old.tokenizer != new.tokenizer:
        yield (
            f"{new.name}: the tokenizer differs: blessed {old.tokenizer.name} "
            f"{old.tokenizer.fingerprint}, now {new.tokenizer.name} {new.tokenizer.fingerprint}"
        )
    if (old.strategies, old.bound) != (new.strategies, new.bound):
        yield (
            f"{new.name}: the strategies differ: blessed {', '.join(old.strategies.values())}, "
            f"now {', '.join(new.strategies.values())}"
        )
    elif [case.key for case in old.cases] != [case.key for case in new.cases]:
        yield f"{new.name}: the cases differ: blessed {len(old.cases)}, now {len(new.cases)}"


def _with_later(
    old: Mapping[str, Any], new: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Old settings with those that came later, each at its default: what that run had."""
    found = dict(old)
    for key, now in new.items():
        default = defaults.get(key)
        if key not in old and default is not None:
            found[key] = default
        elif isinstance(default, Mapping) and isinstance(now, Mapping) and key in old:
            found[key] = _with_later(old[key], now, default)
    return found


def _changed(old: Mapping[str, Any], new: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for key in dict.fromkeys((*old, *new)):
        before, now = old.get(key), new.get(key)
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            yield from _changed(before, now, f"{path}{key}.")
        elif before != now:
            yield f"{path}{key} {before!r:.60} -> {now!r:.60}"


def _suite(old: SuiteRecord, new: SuiteRecord, tell: Tell) -> Iterator[Finding]:
    earlier = {case.key: case for case in old.cases}
    for case in new.cases:
        bound = case.strategy in new.bound
        yield from _case(new.name, earlier[case.key], case, bound=bound, tell=tell)
    for strategy, stored in new.storage.items():
        yield from _storage(new.name, strategy, old.storage[strategy], stored)


def _case(suite: str, old: Case, new: Case, *, bound: bool, tell: Tell) -> Iterator[Finding]:
    for kind, fact, text in (*_worse(old, new, bound=bound), *_better(old, new)):
        yield Finding(
            kind=kind, suite=suite, strategy=new.strategy, after=new.after, variant=new.variant,
            fact=fact, text=text.format(repr(fact)), why=tell(suite, new, fact),
        )  # fmt: skip
    if new.request != old.request:
        size = f"{old.tokens} to {new.tokens}" if new.tokens != old.tokens else f"{new.tokens}"
        yield Finding(
            kind="changed", suite=suite, strategy=new.strategy, after=new.after,
            variant=new.variant,
            text=f"sends another request: {short(old.request)} to {short(new.request)}, "
            f"{size} tokens",
        )  # fmt: skip


Told = tuple[Kind, str, str]
"""Kind, fact, and what happened with ``{}`` for the fact."""


def _worse(old: Case, new: Case, *, bound: bool) -> Iterator[Told]:
    for fact in new.deleted:
        if fact not in old.deleted:
            yield "forgotten", fact, "now sends the forgotten {}"
        elif bound:
            yield "forgotten", fact, "sends the forgotten {}, which no baseline can allow"
    yield from (("stale", f, "now sends the replaced {}") for f in _new(old.stale, new.stale))
    yield from (("lost", f, "lost the required {}") for f in _new(old.missing, new.missing))


def _better(old: Case, new: Case) -> Iterator[Told]:
    for before, now, text in (
        (old.missing, new.missing, "now finds the required {}"),
        (old.stale, new.stale, "no longer sends the replaced {}"),
        (old.deleted, new.deleted, "no longer sends the forgotten {}"),
    ):
        yield from (("gain", fact, text) for fact in _new(now, before))


def _new(before: Sequence[str], now: Sequence[str]) -> list[str]:
    return [fact for fact in now if fact not in before]


def short(tagged: str) -> str:
    """A tagged hash cut for reading."""
    tag, _, digits = tagged.partition(":")
    return f"{tag}:{digits[:12]}"


def _later(
    suite: str, after: ForgottenAfter, seen: Container[tuple[str, str, str | None]]
) -> Iterator[Finding]:
    """What a bound strategy sends again; a checkpoint that was graded has told its own."""
    told = {(one.key, sent.stage, sent.fact): None for one, sent in after.leaks}
    for strategy, stage, fact in told:
        if stage == "checkpoints" and (suite, strategy, fact) in seen:
            continue
        text = f"sends the forgotten {fact!r} {WORDS[stage]}"
        yield Finding(
            kind="forgotten", suite=suite, strategy=strategy, variant=stage, fact=fact, text=text
        )


def _storage(
    suite: str, strategy: str, old: Mapping[str, int], new: Mapping[str, int]
) -> Iterator[Finding]:
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            text = f"its store ends with {name} {new.get(name)}, blessed {old.get(name)}"
            yield Finding(kind="storage", suite=suite, strategy=strategy, text=text)
