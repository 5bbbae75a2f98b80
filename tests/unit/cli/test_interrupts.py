"""Ctrl-C during a turn: it breaks what waits, once, and never what writes."""

from __future__ import annotations

import os
import signal

import pytest

from palimpsest.cli.interrupts import Interrupts


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_a_stop_surfaces_only_where_it_may() -> None:
    """Outside of a breaking block it is counted; inside it ends the block, the second does not."""
    before, stop, reached = signal.getsignal(signal.SIGINT), Interrupts(), []

    def answer() -> None:
        with stop.breaking():
            try:
                press()
            finally:
                press()
                reached.append("cleared up")

    with stop.held():
        with pytest.raises(KeyboardInterrupt):
            answer()
        stop.begin()
        press()
        reached.append("after")
    assert (1, ["cleared up", "after"]) == (stop.count, reached)
    assert before == signal.getsignal(signal.SIGINT)


def test_a_stop_that_came_too_early_breaks_what_waits_next() -> None:
    """Between a line and its answer nothing waits yet; a new line begins anew."""
    stop, reached = Interrupts(), []

    def answer() -> None:
        with stop.breaking():
            reached.append("answered")

    with stop.held():
        press()
        with pytest.raises(KeyboardInterrupt):
            answer()
        answer()
        press()
        stop.begin()
        answer()
    assert (0, ["answered"] * 2) == (stop.count, reached)
