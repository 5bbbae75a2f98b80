"""The breaker: closed until enough failures in a row, then open until a probe succeeds."""

from __future__ import annotations

from palimpsest.recall.breaker import Breaker


def test_it_opens_after_failures_in_a_row_and_closes_with_a_success() -> None:
    """A success in between starts the row anew."""
    breaker = Breaker(failures=2, retry=30.0)
    breaker.failed("first")
    breaker.succeeded()
    breaker.failed("second")
    assert (False, "second") == (breaker.open, breaker.why)
    breaker.failed("third")
    assert (True, "third") == (breaker.open, breaker.why)
    breaker.succeeded()
    assert (False, "") == (breaker.open, breaker.why)


def test_a_probe_is_due_once_a_while_after_the_last_failure() -> None:
    """Each failure puts the probe off; a closed breaker needs none."""
    now = [100.0]
    breaker = Breaker(failures=1, retry=30.0, clock=lambda: now[0])
    closed = breaker.until_probe()
    breaker.failed("why")
    now[0] = 110.0
    waiting = breaker.until_probe()
    now[0] = 131.0

    assert (float("inf"), 20.0, 0.0) == (closed, waiting, breaker.until_probe())
    breaker.failed("again")
    assert 30.0 == breaker.until_probe()
