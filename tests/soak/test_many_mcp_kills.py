"""An MCP server that is killed in the middle of calls: what it answered holds, the store is whole."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path

from palimpsest import Memory
from tests.support.mcp_clients import Raw, raw

ROUNDS, CALLS = 20, 120


def test_what_was_answered_holds_after_every_kill(tmp_path: Path) -> None:
    """Statements that were acknowledged are there once, and forgets that were are in no byte."""
    store, chance = tmp_path / "m.db", random.Random(8)
    kept: dict[int, str] = {}
    gone: list[str] = []
    for round in range(ROUNDS):
        with raw(store) as server:
            server.begin()
            _play(server, round, chance.uniform(0.0, 0.6), kept, gone)
        with Memory.open(store) as memory:
            talk = memory.conversation(user="ada", id="default")
            rows = {row.id: row.text for row in talk.visible()}
            assert all(each.ok for each in memory.verify_indexes())
            assert kept.items() <= rows.items()
            assert len(set(rows.values())) == len(rows)
            for value in gone:
                assert memory.audit(value).clean, round
    # The control: it was killed in the middle, after something and before the last of it.
    assert ROUNDS == len(gone)
    assert 0 < len(kept) < ROUNDS * CALLS


def _play(server: Raw, round: int, seconds: float, kept: dict[int, str], gone: list[str]) -> None:
    """One forget, then statements until the server is killed; what is answered is noted."""
    value = f"Q{round:03d}-90417-XJ"
    server.call("remember", text=f"My code of round {round} is {value}.")
    id = _data(server)["memory"]["id"]
    server.call("plan_forget", id=id)
    server.call("forget", token=_data(server)["token"])
    if _data(server)["records"]:
        gone.append(value)
    threading.Timer(seconds, server.process.kill).start()
    try:
        for number in range(CALLS):
            server.call("remember", text=f"Fact {number} of round {round} holds.")
        while True:
            made = _data(server)["memory"]
            kept[made["id"]] = made["text"]
    except (BrokenPipeError, json.JSONDecodeError):
        server.process.wait()


def _data(server: Raw) -> dict[str, dict[str, int]]:
    found = server.line()["result"]
    assert not found["isError"], found
    return dict(found["structuredContent"])
