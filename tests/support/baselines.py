"""Small baselines as plain records, for tests of the comparison and of its renderers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from palimpsest.bench.baseline import Baseline, Case, Counted, Ran, SuiteRecord


def case(strategy: str = "managed", after: int = 5, **more: Any) -> Case:
    """A case whose request is named by one letter."""
    request = f"sha256:{more.pop('request', 'a') * 64}"
    lists = {key: tuple(more.pop(key, ())) for key in ("missing", "stale", "deleted")}
    return Case(strategy=strategy, after=after, tokens=more.pop("tokens", 100), request=request,
                **lists, **more)  # fmt: skip


def suite(*cases: Case, name: str = "meeting", **more: Any) -> SuiteRecord:
    """A suite with two strategies, one of them bound."""
    made = SuiteRecord(
        name=name, suite="sha256:s", config="sha256:c", settings={"facts": {"quota": 160}},
        tokenizer=Counted(name="words", fingerprint="words-1"),
        strategies={"recent": "recent", "managed": "managed"}, bound=("managed",),
        storage={"managed": {"stored_rows": 3, "resolutions": 0}}, cases=cases,
    )  # fmt: skip
    return dataclasses.replace(made, **more)


def baseline(*suites: SuiteRecord, **more: Any) -> Baseline:
    """A baseline of some suites."""
    made = Baseline(palimpsest="1.0", code="sha256:code", ran=Ran(), suites=suites)
    return dataclasses.replace(made, **more)


def of(*cases: Case, **more: Any) -> Baseline:
    """A baseline of one suite with these cases."""
    return baseline(suite(*cases, **more))


def kinds(found: Sequence[Any]) -> list[str]:
    """The kinds of findings, in order."""
    return [finding.kind for finding in found]
