"""The report in a real browser: from disk, without a network, with and without a script."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palimpsest.cli.report import page as page_of
from tests.browser.conftest import SCREENSHOTS


def test_a_leak_is_followed_to_its_request(tab: Callable[..., Any], travel_page: Path) -> None:
    """From the matrix to the request that leaks the passport number, and to the reason."""
    view = tab()
    view.goto(travel_page.as_uri())
    cell = view.locator(".cell.leaked a").first
    cell.focus()
    told = view.locator("[data-why]").inner_text()
    cell.click()
    request = view.locator("details.request:target")
    view.locator("details.request:target[open]").wait_for()

    assert told.startswith(
        "append-only after turn 40: forgotten and still there, in message 6, facts"
    )
    assert request.get_attribute("open") is not None
    assert "P1234567" == request.locator("mark.leaked").first.inner_text().split()[0]


def test_what_is_missing_says_why(tab: Callable[..., Any], travel_page: Path) -> None:
    """A required fact that did not reach the request names the turn and the reason."""
    view = tab()
    view.goto(travel_page.as_uri())
    label = view.locator(".cell.missing a").first.get_attribute("aria-label")

    assert "recent after turn 10: required and missing, turn 3 is behind turn 4" in label


def test_the_page_says_everything_without_a_script(chromium: Any, travel_page: Path) -> None:
    """Scripts add nothing but interaction."""
    context = chromium.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto(travel_page.as_uri())
    view.locator(".cell.leaked a").first.click()
    shown = view.locator("details.request:target .message pre").last.text_content()
    labels = view.locator(".cell a").count()
    context.close()

    assert "P1234567" in shown
    assert labels > 100


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_and_accessible(
    tab: Callable[..., Any], travel_page: Path, serious: Callable[[Any], list[str]],
    sideways: Callable[[Any], list[str]], width: int, scheme: str,
) -> None:  # fmt: skip
    """No sideways scrolling of the page, no serious fault, in both widths and schemes."""
    view = tab(viewport={"width": width, "height": 1000}, color_scheme=scheme)
    view.goto(travel_page.as_uri())
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    view.screenshot(path=SCREENSHOTS / f"report-{width}-{scheme}.png")
    view.locator(".cell.leaked a").first.click()
    view.locator("details.request:target mark.leaked").first.wait_for()
    view.screenshot(path=SCREENSHOTS / f"request-{width}-{scheme}.png")

    assert [] == sideways(view)
    assert [] == serious(view)


def test_the_keyboard_reaches_every_sign(tab: Callable[..., Any], travel_page: Path) -> None:
    """Tab moves from sign to sign, Enter opens the request."""
    view = tab()
    view.goto(travel_page.as_uri())
    view.locator(".cell a").first.focus()
    view.keyboard.press("Tab")
    second = view.evaluate("document.activeElement.getAttribute('aria-label')")
    view.keyboard.press("Enter")
    view.locator("details.request:target[open]").wait_for()

    assert "recent after turn 20" in second
    assert 1 == view.locator("details.request:target[open]").count()


HOSTILE = (
    "<script>document.title='owned'</script>", "<img src=x onerror=document.title='owned'>",
    "\"><svg onload=document.title='owned'>", "{{ 7 * 7 }}{% raw %}", "</pre></details><h1>x",
    "a\u202eb\u200bc", "nul\x00bell\x07", "javascript:document.title='owned'",
    "&lt;b&gt; &amp; ']]>", "x" * 1_000_000,
)  # fmt: skip


def _poisoned(report: dict[str, Any], text: str) -> dict[str, Any]:
    """A report with a hostile text in every field that holds a text of a user's."""
    made = copy.deepcopy(report)
    made["texts"] = [text + one for one in made["texts"]]
    for cuts in made["requests"].values():
        for request in cuts:
            request["spans"] = [[["turn", 0, len(text) + 5]] for _ in request["spans"]]
    for fact in made["facts"]:
        fact["fact"], fact["attribute"] = text + fact["fact"], text
    made["description"] = made["suite"]["name"] = text
    for rows in made["checkpoints"].values():
        for row in rows:
            for key in ("missing", "stale", "deleted"):
                row[key] = [text + one for one in row[key]]
    return json.loads(json.dumps(made))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_hostile_texts_show_as_text(
    tab: Callable[..., Any], travel_report: dict[str, Any], tmp_path: Path, text: str
) -> None:
    """Whatever a user wrote is text in every field: nothing runs, nothing loads."""
    poisoned = _poisoned(travel_report, text)
    if len(text) > 1000:
        # One turn of a megabyte, not two hundred.
        poisoned = copy.deepcopy(travel_report)
        poisoned["texts"][-1] = text
    path = tmp_path / "hostile.html"
    path.write_text(page_of(poisoned, "hostile"), encoding="utf-8")
    view = tab()
    view.goto(path.as_uri())
    view.wait_for_selector("footer")

    assert "owned" != view.title()
    assert 1 == view.locator("h1").count()
    assert 1 == view.locator("script").count()
