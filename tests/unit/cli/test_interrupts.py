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
        press()
        with pytest.raises(KeyboardInterrupt):
            answer()
        press()
        reached.append("after")
    assert (4, ["cleared up", "after"]) == (stop.count, reached)
    assert before == signal.getsignal(signal.SIGINT)
