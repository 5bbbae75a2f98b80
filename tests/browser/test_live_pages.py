"""The live pages in a real browser, against the real server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Memory
from palimpsest.protocols import Tokenizer
from tests.browser.conftest import SCREENSHOTS

SECRET = "Kestrel-90417-Quay"
PLACES = (
    "Turns", "Memories", "Requests", "Why is it missing?", "Verdicts", "Story",
    "Forgotten corners", "Forgotten", "Health", "Audit",
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, gemma: Tokenizer) -> Path:
    """A store with a long conversation and something of everything."""
    path = tmp_path_factory.mktemp("live") / "m.db"
    with Memory.open(path, tokenizer=gemma) as memory:
        talk = memory.conversation(user="ada", id="trip / <b>")
        said = [{"role": role, "content": f"{role} {n}"} for n in range(3000)
                for role in ("user", "assistant")]  # fmt: skip
        talk.append(messages=said)
        for text in (f"My locker code is {SECRET}.", "My diet is vegetarian."):
            talk.observe(user=text, assistant="Noted.")
        talk.reflect()
        talk.request("What do I eat?", budget=Budget(window=1024, answer=64, margin=16))
    return path


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    """The command as a user starts it; yields where it listens."""
    command = [sys.executable, "-m", "palimpsest.cli", "serve", "--port", "0", "--store", store]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0]
        server.terminate()


@pytest.mark.parametrize("width", [390, 1440])
def test_every_page_opens(
    tab: Callable[..., Any], address: str, serious: Callable[[Any], list[str]], width: int
) -> None:
    """Each page by its link, readable at both widths, without a complaint or a serious fault."""
    view = tab(viewport={"width": width, "height": 900}, allowed=address)
    view.goto(address)
    faults = serious(view)
    view.locator("tbody a").first.click()
    for place in PLACES:
        view.get_by_role("link", name=place, exact=True).click()
        faults += serious(view)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        view.screenshot(path=SCREENSHOTS / f"live-{place.strip('?').replace(' ', '-')}-{width}.png")
        assert width == view.evaluate("document.documentElement.scrollWidth"), place

    assert [] == faults


def test_a_memory_is_forgotten_and_gone(tab: Callable[..., Any], address: str) -> None:
    """From the list to the memory to the forget, with the keyboard where it matters; then gone."""
    view = tab(allowed=address)
    view.goto(address)
    view.locator("tbody a").first.click()
    view.get_by_label("Words").fill("locker")
    view.keyboard.press("Enter")
    view.locator("tbody th a").first.click()
    view.locator("summary", has_text="Forget it").press("Enter")
    view.get_by_role("button", name="for ever").press("Enter")
    view.wait_for_url("**/forgotten?*")
    receipt = view.locator("main").inner_text()
    view.get_by_role("link", name="Back to the memories").click()
    view.get_by_role("heading", name="Memories").wait_for()
    listed = view.locator("main").inner_text()
    view.get_by_role("link", name="Audit", exact=True).click()
    view.get_by_label("Value").fill(SECRET)
    view.keyboard.press("Enter")
    view.get_by_role("heading", name="Gone").wait_for()
    audited = view.locator("main").inner_text()

    assert "1 row" in receipt
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
