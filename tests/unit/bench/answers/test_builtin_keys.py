"""The keys of the built-in suites find their own facts, and nothing that belongs to another."""

from __future__ import annotations

import pytest

from palimpsest.bench import builtin
from palimpsest.bench.answers import keys
from palimpsest.bench.answers.matching import said
from palimpsest.bench.answers.subjects import cases_of, find, keys_of
from palimpsest.bench.builtin import case_sets

NAMES = ("travel-50", "edges", *case_sets.names())


@pytest.mark.parametrize("name", NAMES)
def test_every_fact_has_a_key_that_finds_it(name: str) -> None:
    """A key that does not match its own fact could never be met."""
    subject = find(name)
    made, cases = keys_of(subject), cases_of(subject)
    assert made is not None
    keys.check(made, cases, cases)
    for case in cases.values():
        assert [] == [f for f in case.facts if not made.pattern(case.id, f).search(f)]


@pytest.mark.parametrize("name", NAMES)
def test_the_old_and_the_new_fact_are_told_apart(name: str) -> None:
    """Quoting the current fact states nothing old, quoting the old one does: TKT-100, TKT-1000."""
    subject = find(name)
    made = keys_of(subject)
    assert made is not None
    for case in cases_of(subject).values():
        for old, new in case.replaced_by.items():
            assert (new,) == said(case, f"{new}.", made).found
            assert () == said(case, f"{new}.", made).stale, (old, new)
            assert ((), (old,)) == (
                said(case, f"{old}.", made).found,
                said(case, f"{old}.", made).stale,
            )


def test_the_replaced_and_the_current_fact_are_paired_by_their_attribute() -> None:
    """What replaced what is read from the labels, so a change can be followed in an answer."""
    found = cases_of(find("travel-50"))["turn 40"].replaced_by
    assert {
        "diet is vegetarian": "eating fish", "150 euros a night": "180 euros a night",
        "3 to 6 November": "10 to 13 November",
    } == found  # fmt: skip


def test_keys_do_not_change_the_hash_of_a_suite() -> None:
    """Keys grade answers and make no request, so a recording outlives a better key."""
    suite, text = builtin.load("travel-50"), builtin.stored("travel-50")
    other = builtin.suites.read(text.replace("porto(?", "PORTO(?"), where="x", name="travel-50")
    assert suite.keys != other.keys
    assert suite.fingerprint == other.fingerprint
