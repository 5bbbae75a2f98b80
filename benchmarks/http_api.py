"""What the HTTP API adds to the core, and what a large transfer takes of a server's memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx
from rich.table import Table

from palimpsest import Budget, Memory

MEMORIES, CALLS = 300, 200
ROOM = {"window": 4_096, "answer": 512}
QUESTION = "Which hotel did I book, and what may I not eat?"
FILE_BYTES, TURN_BYTES = 200_000_000, 100_000
HERE = {"user": "ana", "conversation": "trip"}


@dataclass(frozen=True, kw_only=True)
class CallCost:
    """One operation over a kept connection, with a key, beside the same call of the core."""

    name: str
    core_ms: float
    http_ms: float
    p95_ms: float


@dataclass(frozen=True, kw_only=True)
class TransferCost:
    """One transfer of a file; ``grown`` is how far the server's largest size rose, in bytes."""

    name: str
    bytes: int
    seconds: float
    grown: int


def measure() -> tuple[list[CallCost], list[TransferCost]]:
    """Calls at 300 memories, then an export of 200 MB and its import into a new store."""
    with tempfile.TemporaryDirectory() as folder:
        return _calls(Path(folder) / "calls.db"), _transfers(Path(folder))


class _Server:
    """A server of its own process, as a user starts it."""

    def __init__(self, store: Path) -> None:
        command = [sys.executable, "-m", "palimpsest.cli", "serve", "--port", "0", "--rate", "0",
                   "--store", str(store)]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.base = f"{self._process.stdout.readline().split(' ')[0]}api/v1"

    def peak(self) -> int:
        """Its largest size so far, in bytes; 0 where the system does not tell."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
        except OSError:
            return 0
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.communicate()


def _calls(store: Path) -> list[CallCost]:
    with Memory.open(store) as memory:
        talk = memory.conversation(user="ana", id="trip")
        for number in range(MEMORIES):
            talk.remember(f"Note number {number} is about place {number * 7 % 311}.")
        for number in range(20):
            talk.append(user=f"I went to place {number}.", assistant="Good.")
        _, secret = memory.keys.add("bench", users=["ana"])
        with (
            _Server(store) as server,
            httpx.Client(headers={"authorization": f"Bearer {secret}"}, timeout=60) as client,
        ):

            def get(path: str) -> Callable[[], Any]:
                return lambda: client.get(f"{server.base}{path}", params=HERE).raise_for_status()

            def post(path: str, body: Any) -> Callable[[], Any]:
                url = f"{server.base}{path}"
                return lambda: client.post(url, params=HERE, json=body).raise_for_status()

            return [
                _cost("build a request", lambda: talk.request(QUESTION, budget=Budget(**ROOM)),
                      post("/requests", {"question": QUESTION, "budget": ROOM})),
                _cost("list counters", talk.counts, get("/counters")),
                _cost("read one turn", lambda: talk.turns(first=20), get("/turns?first=20")),
                _cost("observe a turn", lambda: talk.observe(user="Hello.", assistant="Hi."),
                      post("/turns/observe", {"user": "Hello.", "assistant": "Hi."})),
            ]  # fmt: skip


def _cost(name: str, core: Callable[[], Any], http: Callable[[], Any]) -> CallCost:
    inside, outside = _times(core), _times(http)
    return CallCost(
        name=name, core_ms=statistics.median(inside), http_ms=statistics.median(outside),
        p95_ms=statistics.quantiles(outside, n=20)[-1],
    )  # fmt: skip


def _times(call: Callable[[], Any]) -> list[float]:
    call()
    found = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        call()
        found.append((time.perf_counter() - begun) * 1000)
    return found


def _transfers(folder: Path) -> list[TransferCost]:
    file = folder / "all.jsonl"
    with Memory.open(folder / "large.db") as memory:
        talk = memory.conversation(user="ana", id="trip")
        for number in range(FILE_BYTES // TURN_BYTES):
            talk.append(user=f"{number} " + "word " * (TURN_BYTES // 5), assistant="Ok.")
    with _Server(folder / "large.db") as server:
        before, begun = server.peak(), time.perf_counter()
        with (
            httpx.stream(
                "GET", f"{server.base}/export", params={"user": "ana"}, timeout=600
            ) as got,
            file.open("wb") as to,
        ):
            for piece in got.iter_bytes():
                to.write(piece)
        out = TransferCost(name="export", bytes=file.stat().st_size,
                           seconds=time.perf_counter() - begun, grown=server.peak() - before)  # fmt: skip
    with _Server(folder / "new.db") as server, file.open("rb") as body:
        before, begun = server.peak(), time.perf_counter()
        httpx.post(f"{server.base}/import", content=body, timeout=600).raise_for_status()
        back = TransferCost(name="import", bytes=file.stat().st_size,
                            seconds=time.perf_counter() - begun, grown=server.peak() - before)  # fmt: skip
    return [out, back]


def table(measured: tuple[list[CallCost], list[TransferCost]]) -> Table:
    """Both as one table."""
    calls, transfers = measured
    made = Table(title=f"The HTTP API at {MEMORIES} memories, and transfers")
    for column in ("what", "core ms", "http ms (median)", "http ms (p95)"):
        made.add_column(column, justify="left" if column == "what" else "right")
    for one in calls:
        made.add_row(one.name, f"{one.core_ms:.2f}", f"{one.http_ms:.2f}", f"{one.p95_ms:.2f}")
    for each in transfers:
        made.add_row(
            f"{each.name} of {each.bytes / 1e6:,.0f} MB",
            "", f"{each.seconds:.1f} s", f"{each.grown / 1e6:+,.0f} MB",
        )  # fmt: skip
    return made
