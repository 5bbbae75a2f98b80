"""The reports of a check: lines, Markdown, JUnit, annotations; no text can break out of one."""

import re
from xml.etree import ElementTree as ET

from palimpsest.bench.compare import Comparison, compare, failed
from palimpsest.bench.gate_github import commands
from palimpsest.bench.gate_junit import junit
from palimpsest.bench.gate_lines import counts, lines, verdict
from palimpsest.bench.gate_markdown import LONGEST, MARK, code, markdown
from tests.support.baselines import baseline, case, of, suite

NASTY = "`|</code><script>@team %0A::error::\n\x1b[31m\x00\u202e</failure>]]>&"


def worse() -> Comparison:
    """A leak, a loss, a gain, three changed requests and a storage figure."""
    old = of(case(after=5), case(after=7, missing=["b"]), case("recent", 5))
    new = of(
        case(after=5, deleted=["4711"], request="b"), case(after=7, missing=["a"], request="b"),
        case("recent", 5, request="b"), storage={"managed": {"stored_rows": 4, "resolutions": 0}},
    )  # fmt: skip
    return compare(old, new, lambda *_: "turn 2 'My pin is 4711.'")


def nasty() -> Comparison:
    """Texts of a suite that try to leave their place."""
    old, new = (
        baseline(suite(case("recent", missing=missing), name="s\n" + NASTY))
        for missing in ((), (NASTY,))
    )
    return compare(old, new, lambda *_: NASTY)


def test_changed_requests_of_one_strategy_are_one_line() -> None:
    """A new header changes them all, and would hide what got worse."""
    assert [
        ("forgotten", "meeting managed turn 5"),
        ("lost", "meeting managed turn 7"),
        ("gain", "meeting managed turn 7"),
        ("changed", "meeting managed turns 5, 7"),
        ("changed", "meeting recent turn 5"),
        ("storage", "meeting managed"),
    ] == [(line.kind, line.case) for line in lines(worse())]


def test_the_verdict_is_the_exit_status_and_says_what_to_do() -> None:
    """Word, status and the counts of what differs; where nothing is worse, the command."""
    assert (
        "verdict: regression (1), 1 forgotten fact sent, 1 required fact lost, 1 gain, "
        "3 changed requests, 1 changed storage figure"
    ) == verdict(worse())
    assert "verdict: pass (0), 1 cases are as blessed" == verdict(compare(of(case()), of(case())))
    assert "verdict: error (2), nothing was compared" == verdict(failed("no"))
    changed = compare(of(case()), of(case(request="b")))
    assert verdict(changed).endswith("nothing got worse: review it, then `palimpsest bench bless`")
    assert "1 changed request" == counts(changed)


def test_markdown_opens_with_the_regressions() -> None:
    """A reader of the pull request sees first what blocks it, with turn and sentence."""
    text = markdown(worse())
    assert text.startswith(f"{MARK}\n### palimpsest: differs from the baseline\n")
    at = [text.index(part) for part in ("#### Worse", "4711", "#### Different", "**gain**")]
    assert sorted(at) == at
    assert "- **lost** `meeting managed turn 7`: `lost the required 'a'`" in text
    assert "`turn 2 'My pin is 4711.'`" in text


def test_markdown_quotes_every_text_as_code() -> None:
    """No text of a suite is read as Markdown, HTML or a mention, and none starts a line."""
    text = markdown(nasty())
    assert "``" == code("`")[:2]
    assert code("a`b") == "``a`b``"
    for line in text.splitlines()[1:]:
        assert line == "" or line.startswith(("#", "- ", "**", "  `", "Note: ")), line
    outside = text.replace(MARK, "")
    for span in sorted(set(_spans(outside)), key=len, reverse=True):
        outside = outside.replace(span, "")
    assert "script" not in outside
    assert "@team" not in outside


def _spans(text: str) -> list[str]:
    return [found.group() for found in re.finditer(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", text)]


def test_markdown_stays_within_the_length_of_a_comment() -> None:
    """What is cut is the end, and it says how much."""
    cases = [case("recent", n, missing=[f"fact {n} " + "x" * 200]) for n in range(1, 400)]
    old = of(*(case("recent", n) for n in range(1, 400)))
    text = markdown(compare(old, of(*cases)))
    assert len(text) < LONGEST + 100
    assert "more; `palimpsest bench check` prints them all" in text


def test_markdown_of_an_error_says_why() -> None:
    """A refused baseline is no silent pass."""
    text = markdown(failed("b.json: the suite differs"))
    assert "could not be compared" in text
    assert "- `b.json: the suite differs`" in text


def test_junit_has_a_test_for_each_case_and_a_failure_for_each_that_differs() -> None:
    """Suites, classes and names are those of the run; the worst finding types the failure."""
    root = ET.fromstring(junit(worse()))
    (made,) = root.findall("testsuite")
    assert ("meeting", "4", "4", "0") == tuple(
        made.get(key) for key in ("name", "tests", "failures", "errors")
    )
    found = [
        (test.get("classname"), test.get("name"), failure.get("type"))
        for test in made
        for failure in test.findall("failure")
    ]
    assert [
        ("meeting.managed", "turn 5", "forgotten"),
        ("meeting.managed", "turn 7", "lost"),
        ("meeting.recent", "turn 5", "changed"),
        ("meeting.managed", "storage", "storage"),
    ] == found
    text = made[1].findtext("failure") or ""
    kinds = [line.partition(":")[0] for line in text.splitlines()]
    assert ["lost", "gain", "changed"] == kinds


def test_junit_of_a_pass_and_of_an_error() -> None:
    """A pass has no failure; an error is an error and not a failure."""
    passed = ET.fromstring(junit(compare(of(case()), of(case()))))
    assert ("1", "0") == (passed[0].get("tests"), passed[0].get("failures"))
    refused = ET.fromstring(junit(failed("no such baseline")))
    error = refused.find("testsuite/testcase/error")
    assert error is not None
    assert "no such baseline" == error.get("message")


def test_junit_is_xml_whatever_the_texts_hold() -> None:
    """Control characters and markup of a suite cannot break it."""
    root = ET.fromstring(junit(nasty()))
    (failure,) = root.iter("failure")
    assert "</failure>]]>&" in (failure.text or "")
    assert "\x1b" not in (failure.text or "")


def test_annotations_are_one_line_each_and_escaped() -> None:
    """Errors for what got worse, warnings for the rest, a notice for a pass."""
    found = list(commands(worse(), "b.json"))
    assert ["::error", "::error", "::warning", "::warning", "::warning", "::warning"] == [
        line.split()[0] for line in found
    ]
    assert found[0].startswith("::error file=b.json,title=forgotten%3A meeting managed turn 5::")
    for line in commands(nasty(), "a,b:c.json"):
        assert "\n" not in line
        assert line.startswith("::error file=a%2Cb%3Ac.json,title=")
        assert "%250A" in line
    (notice,) = commands(compare(of(case()), of(case())), "b.json")
    assert notice.startswith("::notice file=b.json,")
    (refused,) = commands(failed("no"), "b.json")
    assert "::error file=b.json,title=not compared::no" == refused
