"""Many clients at once against one process; the larger crowd is in the soak tests."""

from __future__ import annotations

import asyncio

from palimpsest import Memory
from tests.support.crowd import crowd, echo
from tests.support.proxied import settled
from tests.support.upstream import Scripted


def test_ten_clients_at_once_lose_no_turn_and_cross_nothing(
    memory: Memory, up: Scripted, base: str
) -> None:
    """Ten by eight: every answer is its own, every turn is stored once, in one conversation."""
    up.answer = echo
    seen = asyncio.run(crowd(base, clients=10, turns=8))
    settled(base)
    assert [] == seen.errors
    assert [] == seen.degraded
    assert 80 == len(seen.seconds)
    for number in range(10):
        (name,) = memory.conversations(f"client-{number}")
        assert {name} == seen.places[number]
        turns = memory.conversation(user=f"client-{number}", id=name).turns()
        said = [f"I am client {number}, this is turn {turn}." for turn in range(8)]
        assert said == [turn.user for turn in turns]
        assert [f"Heard: {text}" for text in said] == [turn.assistant.strip() for turn in turns]
