"""The report page says what became of forgotten facts later, with a sign of its own for a dash."""

from __future__ import annotations

from typing import Any

import pytest

from palimpsest.bench.report import report
from palimpsest.bench.run import Options, find_all, run_all
from palimpsest.web.forgotten_block import ForgottenBlock, forgotten_block
from palimpsest.web.marks import MARKS
from palimpsest.web.render import report_html
from palimpsest.web.report_page import suite_pages


def _found(*, managed: list[str]) -> dict[str, Any]:
    stages = ("checkpoints", "consolidated", "restarted", "read_again", "moved")
    nothing: dict[str, Any] = {stage: [] for stage in stages}
    bound = {"bound": True, **nothing, "read_again": managed}
    recent: dict[str, Any] = {"bound": False, **{stage: ["4711"] for stage in stages}}
    recent |= {"consolidated": None, "read_again": None}
    return {"facts": ["4711"], "strategies": {"recent": recent, "managed": bound}}


def test_every_moment_has_the_sign_of_its_outcome() -> None:
    """Sent, looked for and not sent, and what does not apply are three signs."""
    block = forgotten_block({"forgotten_after": _found(managed=["4711"])})
    assert block is not None
    assert [
        ("recent", False, "✖–✖–✖"), ("managed", True, "···✖·"),
    ] == [(row.strategy, row.bound, "".join(m.sign for m in row.moments)) for row in block.rows]  # fmt: skip
    assert ("4711",) == block.rows[1].moments[3].facts
    assert {"✖", "·"} == {MARKS["leaked"].sign, MARKS["clear"].sign}


def test_a_report_without_the_checks_has_no_block_and_no_zeros() -> None:
    """What was not looked for is not nothing found; a suite that forgets nothing has no rows."""
    assert forgotten_block({}) is None
    quiet = forgotten_block({"forgotten_after": {"facts": [], "strategies": {}}})
    assert quiet is not None
    assert ((), ()) == (quiet.facts, quiet.rows)


@pytest.mark.parametrize("looked", [True, False])
def test_the_page_shows_it(looked: bool, gemma: object) -> None:
    """The block stands on the page of a run; where nothing was looked for, the page says so."""
    options = Options(strategies=("recent", "managed"), look_after=looked)
    made = report(run_all(find_all(("travel-50",)), options, None)[0], sqlite="3", requests=True)
    suites = suite_pages(made, "report")
    page = report_html(
        {"title": "t", "suites": suites, "outcome": None, "answers": None, "marks": MARKS.values()}
    )
    assert looked == (suites[0].later is not None)
    assert looked == ("after the whole transcript was read again</th>" in page)
    assert looked != ("It was not looked for in this report." in page)
    if isinstance(suites[0].later, ForgottenBlock):
        told = {row.strategy: [m.outcome for m in row.moments] for row in suites[0].later.rows}
        assert ["not sent"] * 5 == told["managed"] == told["seats"]
        assert "does not apply" == told["recent"][1] == told["recent"][3]
