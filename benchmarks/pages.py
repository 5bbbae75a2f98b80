"""How large the report pages get and how fast a browser opens them: 1,000 cases, 6 strategies."""

from __future__ import annotations

import copy
import shutil
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from palimpsest import Memory
from palimpsest.bench.case_report import case_report
from palimpsest.bench.case_run import CaseOptions, run_named
from palimpsest.bench.replay import DEFAULT_STRATEGIES
from palimpsest.bench.report import report, whole
from palimpsest.bench.run import Options, find_all, run_all
from palimpsest.bench.selection import DEFAULT_STRATEGIES as CASE_STRATEGIES
from palimpsest.cli.report import page

CASES = 1_000
OPEN_S, LIMIT_BYTES = 2.0, 8_000_000
STRATEGIES = (*DEFAULT_STRATEGIES, "seats", "hybrid")


TURNS, ASKED = 50_000, 15
PAGE_S, RATIO = 0.5, 3.0
"""Our own reading of "pages smoothly": no page over half a second, the oldest like the newest."""


@dataclass(frozen=True, kw_only=True)
class PagingCost:
    """One live page of a long conversation; ``page_s`` is the median of several."""

    name: str
    first_s: float
    page_s: float
    bytes: int
    ratio: float
    """Against the newest page of turns."""


@dataclass(frozen=True, kw_only=True)
class PageCost:
    """One page; ``open_s`` is ``None`` where no browser is installed."""

    name: str
    made_s: float
    bytes: int
    open_s: float | None


def measure() -> list[PageCost]:
    """The page of 1,000 checkpoints, and that of 1,000 cases."""
    runs = run_all(find_all(("travel-50",)), Options(strategies=STRATEGIES, look_after=False), None)
    suite = whole({run.suite.name: report(run, sqlite="", requests=True) for run in runs})
    cases = case_report(
        run_named(
            "selection-12", CaseOptions(run=Options(strategies=CASE_STRATEGIES)), lambda *_: None
        )
    )
    return [
        _cost("1,000 checkpoints, 6 strategies", _grown(suite, ("checkpoints", "details", "requests"))),
        _cost("1,000 cases, 6 strategies", _grown(cases, ("cases", "details"))),
    ]  # fmt: skip


def _grown(data: dict[str, Any], parts: tuple[str, ...]) -> dict[str, Any]:
    """The same report with its rows repeated up to 1,000."""
    made = copy.deepcopy(data)
    for part in parts:
        for key, rows in made[part].items():
            made[part][key] = (rows * (CASES // len(rows) + 1))[:CASES]
    return made


def _cost(name: str, data: dict[str, Any]) -> PageCost:
    began = time.perf_counter()
    text = page(data, name)
    made = time.perf_counter() - began
    return PageCost(name=name, made_s=made, bytes=len(text.encode()), open_s=_opened(text))


def _opened(text: str) -> float | None:
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        return None
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        view = browser.new_page()
        began = time.perf_counter()
        view.goto(path.as_uri())
        seconds = time.perf_counter() - began
        browser.close()
    return seconds


def table(found: list[PageCost]) -> Table:
    """The figures."""
    made = Table("page", title=f"a report page (limits {OPEN_S:g} s and {LIMIT_BYTES / 1e6:g} MB)")
    for name in ("made s", "MB", "opened s"):
        made.add_column(name, justify="right")
    for item in found:
        opened = "no browser" if item.open_s is None else f"{item.open_s:.2f}"
        made.add_row(item.name, f"{item.made_s:.2f}", f"{item.bytes / 1e6:.2f}", opened)
    return made


def over(found: list[PageCost]) -> list[str]:
    """Which limits were passed."""
    said = [f"{item.name}: {item.bytes:,} bytes" for item in found if item.bytes > LIMIT_BYTES]
    return said + [
        f"{item.name}: opened in {item.open_s:.2f} s"
        for item in found
        if item.open_s is not None and item.open_s > OPEN_S
    ]


def paging() -> list[PagingCost]:
    """The live pages of a conversation of 50,000 turns and 5,000 memories."""
    from starlette.testclient import TestClient

    from palimpsest.web.live.app import application

    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "m.db") as memory:
        _long(memory)
        with TestClient(application(memory), base_url="http://127.0.0.1") as client:
            asked = {
                "turns, newest": {"path": "/turns"},
                "turns, middle": {"path": "/turns", "first": TURNS // 2},
                "turns, oldest": {"path": "/turns", "first": 1},
                "memories, newest": {"path": "/memories"},
                "memories, oldest": {"path": "/memories", "page": 100},
                "home": {"path": "/"},
            }
            costs = {name: _asked(client, **query) for name, query in asked.items()}
    base = costs["turns, newest"][1]
    return [
        PagingCost(name=name, first_s=first, page_s=page, bytes=size, ratio=page / base)
        for name, (first, page, size) in costs.items()
    ]


def _long(memory: Memory) -> None:
    talk = memory.conversation(user="ada", id="long")
    for start in range(0, TURNS, 5_000):
        talk.append(
            messages=[
                {"role": role, "content": f"{role} says {number}, in a sentence of some length."}
                for number in range(start, start + 5_000)
                for role in ("user", "assistant")
            ]
        )
    for number in range(5_000):
        talk.remember(f"Box {number} holds tiles of pattern {number * 37}.")


def _asked(client: Any, *, path: str, **query: object) -> tuple[float, float, int]:
    times = []
    for _ in range(ASKED):
        began = time.perf_counter()
        answer = client.get(path, params={"user": "ada", "conversation": "long", **query})
        times.append(time.perf_counter() - began)
    return times[0], statistics.median(times), len(answer.content)


def paging_table(found: list[PagingCost]) -> Table:
    """The figures."""
    made = Table("page", title=f"live pages of {TURNS:,} turns ({PAGE_S:g} s, ratio {RATIO:g})")
    for name in ("first ms", "median ms", "KB", "against newest"):
        made.add_column(name, justify="right")
    for item in found:
        made.add_row(
            item.name, f"{item.first_s * 1e3:.1f}", f"{item.page_s * 1e3:.1f}",
            f"{item.bytes / 1e3:.0f}", f"{item.ratio:.2f}",
        )  # fmt: skip
    return made


def paging_over(found: list[PagingCost]) -> list[str]:
    """Which limits were passed."""
    slow = [f"{it.name}: {it.page_s:.2f} s a page" for it in found if it.page_s > PAGE_S]
    return slow + [
        f"{it.name}: {it.ratio:.1f} times the newest page"
        for it in found
        if it.name.startswith("turns") and it.ratio > RATIO
    ]
