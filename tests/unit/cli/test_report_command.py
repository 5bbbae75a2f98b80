"""palimpsest report: one page of a kept report, and every way in which a file is none."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

from palimpsest import cli
from palimpsest.web import sweep_plots
from tests.support.cases import case
from tests.support.suites import MEETING, data, point

Run = Callable[..., tuple[int, str, str]]
POINTS = [point(2, ["room is Alder"]), point(5, ["Birch & Co."], ["room is Alder"], ["4711"])]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "meeting.json"
    path.write_text(json.dumps(data(MEETING, POINTS)))
    return path


@pytest.fixture
def kept(bench: Run, suite: Path, tmp_path: Path) -> Path:
    """A report of the meeting, with its requests."""
    path = tmp_path / "report.json"
    assert 0 == bench("run", suite, "--requests", "--json", path)[0]
    return path


def _page(path: Path, *more: object) -> str:
    target = path.with_suffix(".html")
    assert 0 == cli.run(["report", str(path), "--html", str(target), *map(str, more)])
    return target.read_text(encoding="utf-8")


def test_a_kept_report_makes_the_page_of_its_run(bench: Run, suite: Path, kept: Path) -> None:
    """Without a new run; the two pages are the same, byte for byte."""
    direct = kept.with_name("direct.html")
    bench("run", suite, "--html", direct)

    assert direct.read_text(encoding="utf-8") == _page(kept)


def test_several_suites_stand_in_one_page(bench: Run, suite: Path, tmp_path: Path) -> None:
    """Each has its own place, and no name of one is the name of another."""
    other = tmp_path / "other.json"
    other.write_text(json.dumps(data(MEETING, POINTS[:1])))
    target = tmp_path / "both.json"
    bench("run", suite, other, "--requests", "--json", target)
    text = _page(target)
    ids = re.findall(r' id="([^"]+)"', text)

    assert {"s0", "s1"} <= set(ids)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)


def test_a_strategy_with_quotes_is_named_as_it_is(bench: Run, suite: Path, tmp_path: Path) -> None:
    """A Spec holds parentheses, quotes and commas, and stands in links, labels and figures."""
    target = tmp_path / "spec.json"
    spec = "notes(extractor='statements',reserve=40)"
    status, _, err = bench("run", suite, "--strategy", "recent", "--strategy", spec,
                           "--strategy", "notes(reserve=9)", "--requests", "--json", target)  # fmt: skip
    text = _page(target)

    assert (0, "") == (status, err)
    for name in json.loads(target.read_text())["checkpoints"]:
        assert f'<th scope="colgroup" colspan="2">{escape(name)}</th>' in text
    assert "extractor=&#39;statements&#39;" in text or "extractor=&#34;statements&#34;" in text


def test_the_comparison_stands_first_and_its_regressions_before_the_rest(
    kept: Path, tmp_path: Path
) -> None:
    """What blocks is first in the list and told in bold."""
    found = [
        {"kind": kind, "blocks": blocks, "suite": "meeting", "strategy": "managed", "after": 5,
         "variant": "", "fact": "4711", "text": text, "why": why}
        for kind, blocks, text, why in (
            ("forgotten", True, "now leaks '4711'", "turn 2 says it"),
            ("gain", False, "now has 'Birch & Co.'", ""),
        )
    ]  # fmt: skip
    check = tmp_path / "check.json"
    check.write_text(json.dumps({"schema": 1, "verdict": "regression", "cases": 8,
                                 "refusals": [], "notes": ["a note"], "findings": found}))  # fmt: skip
    text = _page(kept, "--check", check)

    assert text.index("now leaks") < text.index("now has") < text.index('id="s0"')
    assert "regression: 2 differences in 8 cases" in text
    assert "turn 2 says it" in text


def test_a_real_check_is_taken(bench: Run, suite: Path, kept: Path, tmp_path: Path) -> None:
    """What `bench check --json` writes is what --check reads."""
    base, check = tmp_path / "base.json", tmp_path / "check.json"
    assert 0 == bench("bless", suite, "--baseline", base)[0]
    assert 0 == bench("check", base, "--json", check)[0]

    assert "pass: 0 differences" in _page(kept, "--check", check)


def test_recorded_answers_stand_with_their_grades(kept: Path) -> None:
    """Failures first within a group; the fact that decided is marked in its answer."""
    answers = Path(__file__).parents[3] / "benchmarks" / "answers" / "travel-50.smollm2.jsonl"
    text = _page(kept, "--answers", "travel-50", answers)
    groups = text[text.index('id="answers"') :].split('<details class="request">')[1:]
    order = [re.findall(r"seed \d+, (pass|fail|incomplete)", group) for group in groups]

    assert any(len(set(verdicts)) > 1 for verdicts in order) or order
    assert order == [sorted(verdicts, key=lambda one: one == "pass") for verdicts in order]
    assert re.search(r'<pre class="answer">[^<]*<mark class="(kept|stale|leaked)">', text)


def test_a_case_set_has_its_own_page(bench: Run, tmp_path: Path) -> None:
    """Made by `bench cases --html`, and from its kept report: the same page."""
    cases, kept = tmp_path / "glue.json", tmp_path / "kept.json"
    cases.write_text(json.dumps([case("a"), case("b", "held_out", required=["Rain"], stale=[])]))
    assert 0 == bench("cases", cases, "--json", kept, "--html", tmp_path / "direct.html")[0]
    text = _page(kept)

    assert (tmp_path / "direct.html").read_text(encoding="utf-8") == text
    assert "Cases: glue" in text
    assert "required and missing: Rain" in text


def test_a_sweep_is_drawn_where_the_extra_is_and_told_where_it_is_not(
    bench: Run, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the extra the figures stand with the line that installs it."""
    target = tmp_path / "sweep.json"
    bench("run", suite, "--sweep", "quota=20,40", "--requests", "--json", target)
    drawn = _page(target)
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    told = _page(target)

    assert 'src="data:image/svg+xml;base64,' in drawn
    assert sweep_plots.INSTALL not in drawn
    assert 'src="data:image' not in told
    assert sweep_plots.INSTALL.replace("'", "&#39;") in told
    assert drawn.count('<th scope="row">40</th>') == told.count('<th scope="row">40</th>') > 0


def test_estimates_are_called_estimates(bench: Run, suite: Path, tmp_path: Path) -> None:
    """A page never shows an estimate as a count."""
    target = tmp_path / "estimated.json"
    bench("run", suite, "--tokenizer", "estimate", "--requests", "--json", target, count=False)

    assert "These tokens are estimates, not counts." in _page(target)


def test_counts_are_not_called_estimates(kept: Path) -> None:
    """Nor a count as an estimate."""
    assert "estimates, not counts" not in _page(kept)


def test_standard_output_holds_the_page_alone(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --html - nothing but the page is written."""
    capsys.readouterr()
    assert 0 == cli.run(["report", str(kept), "--html", "-"])
    out = capsys.readouterr().out

    assert out.lstrip().startswith("<!doctype html>")
    assert out.rstrip().endswith("</html>")


def _without_requests(report: dict[str, Any]) -> Any:
    return {key: value for key, value in report.items() if key != "requests"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda r: "{", "is not JSON"),
        (lambda r: [], "is not a JSON object"),
        (lambda r: {**r, "schema": 2}, "is not a report"),
        (lambda r: {}, "is not a report"),
        (_without_requests, "has no 'requests'"),
        (lambda r: {**r, "checkpoints": {}, "totals": 7}, "is no report"),
        (lambda r: {**r, "texts": []}, "is no report"),
        (lambda r: {**r, "facts": [{"fact": "x"}]}, "is no report"),
        (lambda r: {**r, "suite": "meeting"}, "is no report"),
        (lambda r: {"schema": 1, "case_set": "x"}, "is no report of 'palimpsest bench cases'"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_report_is_told(
    kept: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Any], Any], told: str
) -> None:
    """Exit status 2 with the file's name; no page is left half made."""
    made = change(json.loads(kept.read_text()))
    bad = kept.with_name("bad.json")
    bad.write_text(made if isinstance(made, str) else json.dumps(made))
    target = kept.with_name("never.html")

    assert 2 == cli.run(["report", str(bad), "--html", str(target)])
    err = capsys.readouterr().err
    assert str(bad) in err
    assert told in err
    assert not target.exists()


def test_places_that_cannot_be_read_or_written_are_told(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder in place of either file, a missing file, and a folder that is not there."""
    for arguments in (
        (tmp_path, "out.html"), (tmp_path / "none.json", "out.html"), (kept, tmp_path),
        (kept, tmp_path / "none" / "out.html"),
        (kept, tmp_path / "o.html", "--check", tmp_path / "none.json"),
        (kept, tmp_path / "o.html", "--check", kept),
    ):  # fmt: skip
        source, target, *more = map(str, arguments)
        assert 2 == cli.run(["report", source, "--html", target, *more])
        assert capsys.readouterr().err.startswith("error: ")
    assert not (tmp_path / "o.html").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_file_without_the_right_to_write_is_told(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page that is there stays as it is."""
    target = tmp_path / "mine.html"
    target.write_text("mine")
    target.chmod(0o400)

    assert 2 == cli.run(["report", str(kept), "--html", str(target)])
    assert "cannot be written" in capsys.readouterr().err
    assert "mine" == target.read_text()
