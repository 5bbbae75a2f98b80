"""Buckets and places: counted by a clock that the test turns."""

from __future__ import annotations

import pytest

from palimpsest.errors import TooLarge, TooMany
from palimpsest.web import limits
from palimpsest.web.limits import Allowance, AtOnce, Size


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _taken(allowance: Allowance, name: str, times: int) -> int:
    done = 0
    for _ in range(times):
        try:
            allowance.take(name, "x")
        except TooMany:
            return done
        done += 1
    return done


def test_a_bucket_holds_its_reserve_and_fills_at_its_rate() -> None:
    """Ten at once, then two a second, and never more than ten again."""
    clock = Clock()
    allowance = Allowance(2.0, 10.0, clock)
    seen = [_taken(allowance, "a", 50)]
    for seconds in (0.4, 0.1, 1.0, 1_000.0):
        clock.now += seconds
        seen.append(_taken(allowance, "a", 50))

    assert [10, 0, 1, 2, 10] == seen


def test_a_refusal_says_when_the_next_may_come() -> None:
    """Waiting that long is enough, and a refusal costs nothing."""
    clock = Clock()
    allowance = Allowance(0.5, 1.0, clock)
    allowance.take("a", "x")
    for _ in range(3):
        with pytest.raises(TooMany) as told:
            allowance.take("a", "x")
    clock.now += told.value.seconds

    assert 2.0 == told.value.seconds
    assert 1 == _taken(allowance, "a", 5)


def test_looking_counts_nothing() -> None:
    """A name that only looked has its whole reserve."""
    allowance = Allowance(1.0, 2.0, Clock())
    for _ in range(9):
        allowance.check("a", "x")

    assert 2 == _taken(allowance, "a", 5)
    with pytest.raises(TooMany):
        allowance.check("a", "x")


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asked longest ago is dropped first."""
    monkeypatch.setattr(limits, "_KEPT", 3)
    allowance = Allowance(0.001, 1.0, Clock())
    for name in "abcd":
        allowance.take(name, "x")

    assert [0, 0, 0, 1] == [_taken(allowance, name, 1) for name in "dcba"]


def test_places_are_given_back_whatever_happens() -> None:
    """Also by what ends in an error."""
    places = AtOnce(1)
    for _ in range(3):
        with pytest.raises(ValueError), places.one("a"):  # noqa: PT011
            raise ValueError
    with places.one("a"), places.one("b"), pytest.raises(TooMany), places.one("a"):
        pass
    with places.one("a"):
        pass


def test_no_limit_is_none() -> None:
    """0 switches each off."""
    places = AtOnce(0)
    with places.one("a"), places.one("a"):
        assert 1_000 == _taken(Allowance(0.0, 0.0), "a", 1_000)
        Size(0).add(1 << 40)


@pytest.mark.parametrize("length", ["101", "9" * 40])
def test_an_announced_length_is_believed_where_it_is_too_large(length: str) -> None:
    """What is no number is left to the bytes that come."""
    with pytest.raises(TooLarge):
        Size(100).announced(length)
    for harmless in (None, "", "100", "-5", "x", "\u0661\u0662\u0663"):
        Size(100).announced(harmless)
