"""The live pages in a real browser, against the real server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from palimpsest.protocols import Tokenizer
from tests.browser.conftest import SCREENSHOTS
from tests.browser.live_store import HOSTILE, HOSTILE_TALK, PLACES, SECRET, fill


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, gemma: Tokenizer) -> Path:
    """A store with a long conversation and something of everything."""
    path = tmp_path_factory.mktemp("live") / "m.db"
    fill(path, gemma)
    return path


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    """The command as a user starts it; yields where it listens."""
    command = [sys.executable, "-m", "palimpsest.cli", "serve", "--port", "0", "--store", store]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0]
        server.terminate()


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_every_page_opens(
    tab: Callable[..., Any], address: str, serious: Callable[..., list[str]],
    sideways: Callable[[Any], list[str]], width: int, scheme: str,
) -> None:  # fmt: skip
    """Each page by its link, readable at both widths and in both schemes, without a fault."""
    view = tab(viewport={"width": width, "height": 900}, allowed=address, color_scheme=scheme)
    view.goto(address)
    faults: list[str] = []

    def seen(name: str) -> None:
        faults.extend(f"{name}: {fault}" for fault in serious(view))
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        file = f"live-{name.strip('?').replace(' ', '-')}-{width}-{scheme}.png"
        view.screenshot(path=SCREENSHOTS / file)
        # Colours are the same at every width; the other scheme is looked at for them alone.
        view.emulate_media(color_scheme="light" if scheme == "dark" else "dark")
        faults.extend(f"{name}: {fault}" for fault in serious(view, "color-contrast"))
        view.emulate_media(color_scheme=scheme)
        faults.extend(f"{name}: {wide} scrolls sideways" for wide in sideways(view))

    seen("Conversations")
    view.get_by_role("link", name="trip / <b>", exact=True).click()
    for place in PLACES:
        view.get_by_role("link", name=place, exact=True).click()
        view.get_by_role("heading", level=1, name=place).wait_for()
        seen(place)
    view.get_by_label("Value").fill(SECRET)
    view.get_by_role("button", name="Audit").click()
    view.get_by_role("heading", level=2).wait_for()
    seen("Audit result")
    for place, one in (("Memories", "Memory #"), ("Requests", "Request ")):
        view.get_by_role("link", name=place, exact=True).click()
        view.get_by_role("heading", level=1, name=place).wait_for()
        view.locator("tbody th a").first.click()
        view.get_by_role("heading", level=1, name=one).wait_for()
        seen(one.strip(" #"))
    view.get_by_role("link", name="Memories", exact=True).click()
    view.get_by_role("heading", level=1, name="Memories").wait_for()
    view.locator("tbody th a").first.click()
    view.get_by_role("link", name="what a forget would take").click()
    view.get_by_role("heading", level=1, name="Forget memory").wait_for()
    seen("Forget plan")
    view.get_by_role("link", name="Why is it missing?", exact=True).click()
    view.get_by_label("Words of a memory").fill("tiles")
    view.keyboard.press("Enter")
    view.locator("ul.answers li").first.wait_for()
    seen("Why answered")
    view.goto(
        f"{address}verdicts?{urlencode({'user': HOSTILE_TALK['user'], 'conversation': HOSTILE_TALK['id']})}"
    )
    view.get_by_role("link", name="choose").click()
    view.get_by_role("heading", level=1, name="which memory").wait_for()
    seen("Choice")

    assert [] == faults


def test_an_error_page_has_no_fault(
    tab: Callable[..., Any], address: str, serious: Callable[..., list[str]]
) -> None:
    """What is not there is told on a page with a way back."""
    view = tab(allowed=address, ignore_status=(404, 422))
    for path in ("nowhere", "memory?user=ada&conversation=trip&id=99", "turns"):
        view.goto(address + path)

        assert [] == serious(view)
        assert "That did not work" == view.locator("h1").inner_text()
        assert 1 == view.get_by_role("link", name="To the list of conversations").count()


def test_a_missing_memory_is_followed_to_its_reason(tab: Callable[..., Any], address: str) -> None:
    """From the search to the request that left it out, its seats, and the reason in words."""
    view = tab(allowed=address)
    view.goto(f"{address}why?user=ada&conversation=trip+%2F+%3Cb%3E&q=%2310")
    told = view.locator("ul.answers li").first.inner_text()
    view.locator("main p a").first.click()
    view.get_by_role("heading", name="Left out").wait_for()
    left = view.get_by_role("region", name="Left out").inner_text()
    pages = view.get_by_role("navigation", name="Pages of this list").get_by_role("link")

    assert "is not there" in told
    assert "all seats went to others" in told or "does not fit" in told or "nothing was" in told
    assert "no-seat" in left or "no-room" in left
    assert pages.count() in (0, 2)


def _tab_to(view: Any, name: str) -> None:
    """Press Tab until what has the focus says ``name``."""
    told = "(e => e.getAttribute('aria-label') || e.innerText || e.name || e.value)"
    for _ in range(90):
        view.keyboard.press("Tab")
        if name == view.evaluate(f"{told}(document.activeElement)").strip():
            return
    raise AssertionError(f"Tab never reaches {name!r}")


def test_the_keyboard_alone_is_enough(tab: Callable[..., Any], address: str) -> None:
    """A memory is found, pinned and corrected without a mouse; the first stop skips the links."""
    view = tab(allowed=address)
    view.goto(address)
    view.keyboard.press("Tab")
    skip = view.evaluate("document.activeElement.innerText")
    _tab_to(view, "trip / <b>")
    view.keyboard.press("Enter")
    view.get_by_role("heading", level=1, name="Memories").wait_for()
    _tab_to(view, "q")
    view.keyboard.type("tiles of pattern 37.")
    view.keyboard.press("Enter")
    view.wait_for_url("**q=tiles*")
    _tab_to(view, next(iter(view.locator("tbody th a").all_inner_texts())))
    view.keyboard.press("Enter")
    view.get_by_role("heading", level=2, name="Pin").wait_for()
    _tab_to(view, "pin")
    view.keyboard.press("Enter")
    view.get_by_role("button", name="unpin").wait_for()
    _tab_to(view, "text")
    view.keyboard.press("Control+A")
    view.keyboard.type("Box 1 holds slates.")
    _tab_to(view, "Correct")
    view.keyboard.press("Enter")
    view.get_by_role("heading", level=2, name="What it replaced").wait_for()

    assert "To the content" == skip
    assert "Box 1 holds slates." in view.locator("blockquote").inner_text()


def test_hostile_texts_show_as_text_on_every_page(tab: Callable[..., Any], address: str) -> None:
    """In turns, memories, attributes, verdicts, receipts, reasons, requests and errors."""
    view = tab(allowed=address, ignore_status=(404, 422))
    place = {"user": HOSTILE_TALK["user"], "conversation": HOSTILE_TALK["id"]}
    query = urlencode(place)
    rows = {
        name: view.request.get(f"{address}{name}.json?{query}").json()
        for name in ("memories", "requests", "verdicts", "forgotten")
    }
    known = {row["text"]: row["id"] for row in rows["memories"]["memories"]["rows"]}
    waiting = [row for row in rows["verdicts"]["waiting"] if row["rule"] == "ambiguous-forget"]
    paths = [
        *(f"{name}?{query}" for name in ("turns", "memories", "requests", "verdicts", "story",
                                         "corners", "forgotten", "health", "audit")),
        *(f"{name}?{query}&id={known[text]}" for name in ("memory", "forget") for text in HOSTILE),
        *(f"request?{query}&id={row['id']}" for row in rows["requests"]["requests"]["rows"]),
        *(f"choose?{query}&id={row['id']}" for row in waiting),
        f"why?{query}&q=a",
        f"memory?{query}&{urlencode({'id': HOSTILE[1]})}",
        *(f"why?{urlencode({**place, 'q': text})}" for text in HOSTILE[:3]),
    ]  # fmt: skip
    for path in paths:
        view.goto(address + path)
        _nothing_ran(view, path)

    assert {*HOSTILE} <= {row["reason"] for row in rows["forgotten"]["deletions"]["rows"]}
    assert waiting


def test_hostile_names_show_as_text(tab: Callable[..., Any], address: str) -> None:
    """Of users and of conversations, in the list and above the pages of each."""
    view = tab(allowed=address)
    view.goto(address)
    _nothing_ran(view, "the list")
    links = view.locator("tbody th a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    hostile = [link for link in links if "talk+" in link or "talk%20" in link]
    for link in hostile:
        view.goto(address + link.lstrip("/"))
        _nothing_ran(view, link)

    assert len(HOSTILE) == len(hostile)


def _nothing_ran(view: Any, path: str) -> None:
    found = view.evaluate(
        "() => [document.title, ...['h1', 'script', 'main img, main svg, main b[onmouseover]']"
        ".map(one => document.querySelectorAll(one).length)]"
    )

    assert "owned" != found[0], path
    assert [1, 1, 0] == found[1:], path


def test_a_megabyte_is_shown_as_text(tab: Callable[..., Any], address: str) -> None:
    """One turn of a megabyte and a memory of ninety thousand characters open, and fit the page."""
    view = tab(allowed=address)
    for path in ("turns", "memories"):
        view.goto(f"{address}{path}?user=mallory&conversation=large")

        assert 1440 == view.evaluate("document.documentElement.scrollWidth")
        assert 0 == view.locator("main i, main pre b + b").count()


def test_a_memory_is_forgotten_and_gone(tab: Callable[..., Any], address: str) -> None:
    """From the list to the memory to the forget, with the keyboard where it matters; then gone."""
    view = tab(allowed=address)
    view.goto(address)
    view.get_by_role("link", name="trip / <b>", exact=True).click()
    view.get_by_label("Words").fill("locker")
    view.keyboard.press("Enter")
    view.locator("tbody th a").first.click()
    view.get_by_role("link", name="what a forget would take").press("Enter")
    view.get_by_role("heading", level=1, name="Forget memory").wait_for()
    planned = view.locator("main").inner_text()
    view.get_by_role("button", name="for ever").press("Enter")
    view.get_by_role("heading", level=1, name="Receipt").wait_for()
    receipt = view.locator("main").text_content()
    view.get_by_role("link", name="Back to the memories").click()
    view.get_by_role("heading", name="Memories").wait_for()
    listed = view.locator("main").inner_text()
    view.get_by_role("link", name="Audit", exact=True).click()
    view.get_by_label("Value").fill(SECRET)
    view.keyboard.press("Enter")
    view.get_by_role("heading", name="Gone").wait_for()
    audited = view.locator("main").inner_text()

    assert planned.count(SECRET) >= 2
    assert "1 row" in receipt
    assert "palimpsest receipt" in receipt
    assert SECRET not in receipt
    assert SECRET not in listed
    assert "Gone" in audited


def test_a_long_conversation_pages(tab: Callable[..., Any], address: str) -> None:
    """Fifty turns a page, from the newest back, or from a number."""
    view = tab(allowed=address)
    view.goto(address)
    view.locator("tbody td a").first.click()
    newest = view.locator("article").count()
    view.get_by_role("link", name="earlier").first.click()
    view.get_by_label("From turn").fill("1")
    view.keyboard.press("Enter")
    view.wait_for_url("**first=1")
    first = view.locator("article").first.inner_text()

    assert 50 == newest
    assert first.startswith("turn 1\n")


def test_a_request_to_forget_is_settled_by_the_keyboard_on_a_phone(
    tab: Callable[..., Any], address: str
) -> None:
    """From what waits to the choice, the plan and the receipt, among hostile texts."""
    view = tab(viewport={"width": 390, "height": 900}, allowed=address, color_scheme="dark")
    place = {"user": HOSTILE_TALK["user"], "conversation": HOSTILE_TALK["id"]}
    view.goto(f"{address}verdicts?{urlencode(place)}")
    choose = view.get_by_role("link", name="choose").first.inner_text()
    _tab_to(view, choose.strip())
    view.keyboard.press("Enter")
    view.get_by_role("heading", level=1, name="which memory").wait_for()
    first = view.locator("tbody td.words").first.inner_text()
    _tab_to(view, view.get_by_role("link", name="this one").first.inner_text().strip())
    view.keyboard.press("Enter")
    view.get_by_role("heading", level=1, name="Forget memory").wait_for()
    _tab_to(view, view.get_by_role("button", name="for ever").inner_text().strip())
    view.keyboard.press("Enter")
    view.get_by_role("heading", level=1, name="Receipt").wait_for()
    view.goto(f"{address}verdicts?{urlencode(place)}")

    assert "phone number is" in first
    assert 0 == view.get_by_role("link", name="choose").count()
    view.goto(f"{address}memories?{urlencode({**place, 'q': 'phone number is'})}")
    assert 1 == view.locator("tbody td.words").count()
