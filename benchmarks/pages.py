"""How large the report pages get and how fast a browser opens them: 1,000 cases, 6 strategies."""

from __future__ import annotations

import copy
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

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


@dataclass(frozen=True, kw_only=True)
class PageCost:
    """One page; ``open_s`` is ``None`` where no browser is installed."""

    name: str
    made_s: float
    bytes: int
    open_s: float | None


def measure() -> list[PageCost]:
    """The page of 1,000 checkpoints, and that of 1,000 cases."""
    runs = run_all(find_all(("travel-50",)), Options(strategies=STRATEGIES), None)
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
