"""What the proxy adds to a turn: the same calls, straight to the upstream and through the proxy.

Both servers are processes of their own, as a user runs them; the upstream answers at once. The
calls go in blocks, back to back, so what the proxy does after an answer (storing the turn) is
in the figure of the next call. And a crowd of clients at once against one process.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from rich.table import Table

from benchmarks.histories import small_talk
from benchmarks.upstream import AGREED
from palimpsest import Memory
from palimpsest.types import Traits
from tests.support.crowd import crowd

MEMORIES, CHATS, TURNS = 300, 3, 50
"""A user with so many memories holds so many chats of so many turns; the first warms up."""
PAUSE = 0.2
"""Seconds between two turns of a person, who is fast; a program sends the next one at once."""
LIMIT_MS = 10.0
"""The issue's: p50 over calling the upstream directly, at 300 memories."""
AT_ONCE = "whole, at once"
CLIENTS, CROWD_TURNS = 50, 40
_UPSTREAM = """
import sys
sys.path.insert(0, {root!r})
from benchmarks.upstream import run
run()
"""
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, kw_only=True)
class ProxyCost:
    """One kind of call; medians and 95th percentiles in milliseconds."""

    kind: str
    direct_p50: float
    through_p50: float
    direct_p95: float
    through_p95: float

    @property
    def overhead_ms(self) -> float:
        """What the proxy adds at the median."""
        return self.through_p50 - self.direct_p50


@dataclass(frozen=True, kw_only=True)
class Load:
    """A crowd at once against one process."""

    clients: int
    turns: int
    errors: int
    degraded: int
    lost: int
    """Turns that were answered and are not stored, or stored twice."""
    crossed: int
    """Clients whose turns stand in more than one conversation, or hold words of another."""
    p50_ms: float
    p95_ms: float
    seconds: float
    start_mb: float
    """Memory of the process before the crowd."""
    peak_mb: float


def measure() -> list[ProxyCost]:
    """Whole answers and streams, in chats of 50 turns of a user with 300 memories."""
    with tempfile.TemporaryDirectory() as folder, _upstream() as upstream:
        store = Path(folder) / "m.db"
        _fill(store)
        with _served(store, upstream) as (base, _):
            return [
                _cost(kind, upstream, base, stream=kind == "streamed", pause=pause)
                for kind, pause in (("whole", PAUSE), ("streamed", PAUSE), (AT_ONCE, 0.0))
            ]


def load(clients: int = CLIENTS, turns: int = CROWD_TURNS) -> Load:
    """Many clients at once, each with a user of its own; then every turn is looked for."""
    with tempfile.TemporaryDirectory() as folder, _upstream() as upstream:
        store = Path(folder) / "m.db"
        with _served(store, upstream, "--at-once", "0") as (base, process):
            httpx.get(f"{base}/models", timeout=60)
            start, began = _megabytes(process, "VmRSS"), time.perf_counter()
            seen = asyncio.run(crowd(base, clients=clients, turns=turns))
            seconds = time.perf_counter() - began
            peak = _megabytes(process, "VmHWM")
        lost, crossed = _looked_for(store, clients, turns)
    times = sorted(1e3 * each for each in seen.seconds)
    return Load(
        clients=clients, turns=turns, errors=len(seen.errors), degraded=len(seen.degraded),
        lost=lost, crossed=crossed, p50_ms=statistics.median(times),
        p95_ms=times[int(0.95 * len(times))], seconds=seconds, start_mb=start, peak_mb=peak,
    )  # fmt: skip


def over(costs: list[ProxyCost], held: Load) -> list[str]:
    """What is over the limits of the issue."""
    found = [
        f"proxy, {cost.kind}: {cost.overhead_ms:.1f} ms over the upstream (limit {LIMIT_MS:g})"
        for cost in costs
        if cost.overhead_ms >= LIMIT_MS
    ]
    counts = {name: getattr(held, name) for name in ("errors", "degraded", "lost", "crossed")}
    wrong = (f"{count} {name}" for name, count in counts.items() if count)
    return found + [f"proxy, {held.clients} clients: {each}" for each in wrong]


def table(costs: list[ProxyCost], held: Load) -> Table:
    """The figures."""
    made = Table(
        "call", title=f"a turn through the proxy, {MEMORIES} memories (limit {LIMIT_MS:g} ms over)"
    )
    for name in ("direct p50", "through p50", "over", "direct p95", "through p95"):
        made.add_column(name, justify="right")
    for cost in costs:
        made.add_row(
            cost.kind, *(f"{ms:.1f}" for ms in (
                cost.direct_p50, cost.through_p50, cost.overhead_ms, cost.direct_p95,
                cost.through_p95,
            ))
        )  # fmt: skip
    made.add_row(
        f"{held.clients} clients x {held.turns} turns", "", f"{held.p50_ms:.0f}", "", "",
        f"{held.p95_ms:.0f}",
    )  # fmt: skip
    made.caption = (
        f"the crowd took {held.seconds:.0f} s, {held.start_mb:.0f} MB before it and "
        f"{held.peak_mb:.0f} MB at most; errors {held.errors}, degraded {held.degraded}, lost "
        f"{held.lost}, crossed {held.crossed}"
    )
    return made


def _cost(kind: str, upstream: str, base: str, *, stream: bool, pause: float) -> ProxyCost:
    times: dict[str, list[float]] = {upstream: [], base: []}
    with httpx.Client(timeout=60) as client:
        for chat in range(CHATS):
            for to in (upstream, base):
                times[to] += _chat(client, to, f"{kind} chat {chat}", stream=stream, pause=pause)
    direct, through = (sorted(times[to][TURNS:]) for to in (upstream, base))
    return ProxyCost(
        kind=kind, direct_p50=statistics.median(direct), through_p50=statistics.median(through),
        direct_p95=direct[int(0.95 * len(direct))], through_p95=through[int(0.95 * len(through))],
    )  # fmt: skip


def _chat(client: httpx.Client, to: str, name: str, *, stream: bool, pause: float) -> list[float]:
    """A client that sends its whole history with every turn: milliseconds a turn."""
    talk, times = [_user(f"This is {name}.")], []
    for back in range(TURNS):
        talk[-1] = _user(f"{talk[-1]['content']} {small_talk(back)[0]}")
        body: dict[str, Any] = {"model": "toy", "messages": talk, "stream": stream}
        began = time.perf_counter()
        answer = client.post(f"{to}/chat/completions", json=body)
        times.append(1e3 * (time.perf_counter() - began))
        assert answer.status_code == 200, answer.text
        assert "x-palimpsest-degraded" not in answer.headers
        time.sleep(pause)
        talk += [{"role": "assistant", "content": AGREED}, _user(f"Turn {back} of {name}.")]
    return times


def _fill(store: Path) -> None:
    """A user with memories that every chat sees."""
    with Memory.open(store) as memory:
        rows = memory._store.memories
        scope = memory.conversation(user="default", id="earlier").scope
        with memory._store.transaction():
            for number in range(MEMORIES):
                text = f"For item {number} of the plan option A-{number:06d} was agreed."
                rows.insert(
                    scope, text=text, source="api", attribute=None, value=f"A-{number:06d}",
                    turn=None, traits=Traits(reach="global"),
                )  # fmt: skip


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


@contextmanager
def _upstream() -> Iterator[str]:
    """A server of its own that answers at once."""
    code = _UPSTREAM.format(root=str(ROOT))
    with _process([sys.executable, "-c", code]) as (process, line):
        assert process.poll() is None
        yield line.strip()


@contextmanager
def _served(store: Path, upstream: str, *more: str) -> Iterator[tuple[str, int]]:
    """``palimpsest serve`` in front of it: its base URL and its process."""
    command = [sys.executable, "-m", "palimpsest.cli", "serve", "--port", "0", "--store",
               str(store), "--upstream", upstream, *more]  # fmt: skip
    with _process(command) as (process, _):
        assert process.stdout is not None
        yield process.stdout.readline().split()[0], process.pid


@contextmanager
def _process(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline()
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def _megabytes(process: int, name: str) -> float:
    status = Path(f"/proc/{process}/status")
    found = re.search(rf"{name}:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1e3 if found else float("nan")


def _looked_for(store: Path, clients: int, turns: int) -> tuple[int, int]:
    lost = crossed = 0
    with Memory.open(store) as memory:
        for number in range(clients):
            names = memory.conversations(f"client-{number}")
            said = [
                turn.user for name in names
                for turn in memory.conversation(user=f"client-{number}", id=name).turns()
            ]  # fmt: skip
            wanted = [f"I am client {number}, this is turn {turn}." for turn in range(turns)]
            lost += len(set(wanted) - set(said)) + len(said) - len(set(said))
            crossed += len(names) != 1 or any(f"client {number}," not in text for text in said)
    return lost, crossed
