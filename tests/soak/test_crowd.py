"""Fifty clients of forty turns at once against one process: run by ``make soak``."""

from __future__ import annotations

from benchmarks import proxy


def test_fifty_clients_of_forty_turns_lose_nothing_and_cross_nothing() -> None:
    """No error, nobody without memory, every turn stored once and in its own conversation."""
    held = proxy.load()
    found = (held.errors, held.degraded, held.lost, held.crossed)
    assert (0, 0, 0, 0) == found
    assert (50, 40) == (held.clients, held.turns)
