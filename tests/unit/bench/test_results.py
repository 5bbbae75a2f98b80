"""Results are shared only where everything that they depend on is the same."""

from __future__ import annotations

import dataclasses

import pytest

from palimpsest.bench.results import Key, Results
from palimpsest.types import Budget

KEY = Key(
    strategy="recent", version="1", config="c", budget=Budget(window=200, answer=0), tokenizer="t",
    case="c1", grader="g",
)  # fmt: skip


def always(value: object) -> bool:
    return True


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Key)])
def test_every_part_of_the_key_counts(name: str) -> None:
    """A result of another strategy, version, setting, budget, tokenizer, case or grader is none."""
    results = Results[int]()
    changed = Budget(window=400, answer=0) if name == "budget" else "other"
    results.get(KEY, lambda: 1, keep=always)
    found = results.get(dataclasses.replace(KEY, **{name: changed}), lambda: 2, keep=always)
    assert (2, False) == (found.value, found.kept)


def test_an_equal_key_is_a_hit_and_is_not_worked_out_again() -> None:
    """The second run says that it was kept."""
    results = Results[int]()
    results.get(KEY, lambda: 1, keep=always)
    found = results.get(KEY, lambda: pytest.fail("worked out twice"), keep=always)
    assert (1, True, 1, 1) == (found.value, found.kept, results.executions, results.hits)


def test_a_failure_and_an_empty_result_are_not_kept() -> None:
    """The next run tries again."""
    results = Results[int]()
    with pytest.raises(ZeroDivisionError):
        results.get(KEY, lambda: 1 // 0, keep=always)
    assert not results.get(KEY, lambda: 0, keep=bool).kept
    found = results.get(KEY, lambda: 5, keep=bool)
    assert (5, False, 3, 0) == (found.value, found.kept, results.executions, results.hits)
