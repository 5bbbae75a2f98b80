"""A real Chromium for the pages; where there is none these tests say so and do not run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from palimpsest.bench.replay import DEFAULT_STRATEGIES
from palimpsest.bench.report import report, whole
from palimpsest.bench.run import Options, find_all, run_all
from palimpsest.cli.report import page as page_of

HERE = Path(__file__).parent
SCREENSHOTS = HERE.parents[1] / "build" / "screenshots"
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"
EXECUTABLE = shutil.which("chromium") or shutil.which("chromium-browser")

# Only what is asserted is computed: no ancestry, no files of other sites.
_AXE = "resultTypes: ['violations'], preload: false, selectors: false"
MISSING = "no Chromium here: the tests of the pages did not run; 'make browser' installs it"
# One line says so, from test_chromium.py, and not one a test.
collect_ignore = ["test_live_pages.py", "test_report_page.py"] if EXECUTABLE is None else []


# Not for the session: the driver keeps an event loop running in this thread while it lives, and
# whatever test comes after in this process may want one of its own.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for the tests of a file."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # A container has no user namespaces for Chromium's own sandbox.
        browser = driver.chromium.launch(executable_path=EXECUTABLE, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages; whatever one of them complains of in its console fails the test."""
    complaints: list[str] = []
    opened: list[Any] = []

    def open_tab(
        *, allowed: str = "file:", ignore_status: Sequence[int] = (), **options: Any
    ) -> Any:
        made = chromium.new_page(**{"viewport": {"width": 1440, "height": 1000}, **options})
        expected = tuple(f"the server responded with a status of {code}" for code in ignore_status)

        def hear(said: Any) -> None:
            # Chromium itself complains of every answer that is no success.
            if not any(status in said.text for status in expected):
                complaints.append(said.text)

        made.on("console", hear)
        made.on("pageerror", lambda error: complaints.append(str(error)))
        made.on(
            "request",
            lambda asked: (
                None
                if asked.url.startswith((allowed, "data:"))
                else complaints.append(f"asked for {asked.url}")
            ),
        )
        opened.append(made)
        return made

    yield open_tab
    for made in opened:
        made.close()
    assert [] == complaints


@pytest.fixture(scope="session")
def travel_report() -> dict[str, Any]:
    """The report of travel-50 with its requests, as JSON."""
    runs = run_all(
        find_all(("travel-50",)), Options(strategies=DEFAULT_STRATEGIES, look_after=False), None
    )
    return whole({run.suite.name: report(run, sqlite="3", requests=True) for run in runs})


@pytest.fixture(scope="session")
def travel_page(travel_report: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its page, on disk."""
    path = tmp_path_factory.mktemp("report") / "travel.html"
    path.write_text(page_of(travel_report, "travel-50"), encoding="utf-8")
    return path


@pytest.fixture
def serious() -> Callable[..., list[str]]:
    """The serious accessibility faults of a page, by axe-core."""
    if not AXE.exists():
        pytest.skip("axe-core is not here: 'make browser' installs it where npm is")

    def faults(tab: Any, *only: str) -> list[str]:
        # Through the debugger, not as a script of the page, which its policy would refuse.
        if not tab.evaluate("'axe' in window"):
            tab.evaluate(AXE.read_text(encoding="utf-8"))
        rules = f", runOnly: {list(only)}" if only else ""
        found = tab.evaluate(f"axe.run(document, {{{_AXE}{rules}}})")
        return [
            f"{fault['id']}: {node['html'][:120]}"
            for fault in found["violations"]
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]

    return faults


@pytest.fixture
def sideways() -> Callable[[Any], list[str]]:
    """What of a page is wider than its place: the page itself, or a region within it."""
    code = (
        "() => [document.documentElement, ...document.querySelectorAll('.wide')]"
        ".filter(one => one.scrollWidth > one.clientWidth)"
        ".map(one => one.getAttribute('aria-label') || 'the page')"
    )
    return lambda tab: list(tab.evaluate(code))
