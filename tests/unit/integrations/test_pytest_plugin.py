"""The marker ``palimpsest``: cases as tests, their failures, baselines, and what it costs."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from palimpsest.bench import baseline
from tests.support.suites import MEETING, data, point

pytest_plugins = ["pytester"]

SUITE = data(
    MEETING,
    [
        point(2, ["room is Alder", "4711"]),
        point(5, ["Birch & Co."], ["room is Alder"], ["4711"]),
    ],
    window=400, name="meeting", settings={"sweep": {"quota": []}, "tokenizer": {"name": "estimate"}},
)  # fmt: skip
ONE = """
    import pytest

    @pytest.mark.palimpsest({arguments})
    def test_memory():
        pass
"""


@pytest.fixture(autouse=True)
def _suite_file(pytester: pytest.Pytester) -> None:
    (pytester.path / "meeting.json").write_text(json.dumps(SUITE), encoding="utf-8")


def marked(pytester: pytest.Pytester, arguments: str) -> None:
    pytester.makepyfile(ONE.format(arguments=arguments))


def run(pytester: pytest.Pytester, *arguments: str) -> Any:
    return pytester.runpytest_inprocess("--strict-markers", "-p", "no:cacheprovider", *arguments)


def test_each_strategy_at_each_checkpoint_is_a_test(pytester: pytest.Pytester) -> None:
    """The names of the tests are suite, strategy and turn; -k finds them."""
    marked(pytester, "suite='meeting.json', strategy=['managed', 'recent']")
    listed = run(pytester, "--collect-only", "-q")
    listed.stdout.fnmatch_lines(
        [
            "*test_memory?meeting-managed-turn2?", "*test_memory?meeting-managed-turn5?",
            "*test_memory?meeting-recent-turn2?", "*test_memory?meeting-recent-turn5?",
        ]
    )  # fmt: skip
    run(pytester, "-k", "managed").assert_outcomes(passed=2, deselected=2)


def test_a_failure_tells_the_fact_its_life_and_the_reason(pytester: pytest.Pytester) -> None:
    """recent replays the transcript, so it sends what was replaced and forgotten."""
    marked(pytester, "suite='meeting.json', strategy='recent'")
    told = run(pytester)
    told.assert_outcomes(passed=1, failed=1)
    told.stdout.fnmatch_lines(
        [
            "meeting recent turn 5: sends the forgotten '4711'",
            "*forgotten at turn 4, sent in turn 2 (user) 'My pin is 4711.'*",
            "*life of 'pin':",
            "*turn 2 * stated * 'My pin is 4711.'",
            "*turn 4 * asked to forget * 'Forget my pin 4711.'",
            "*more: palimpsest trace *meeting.json 4711 --strategy recent",
            "meeting recent turn 5: sends the replaced 'room is Alder'",
        ]
    )
    assert "Traceback" not in told.stdout.str()
    assert "pytest_suites.py" not in told.stdout.str()


def test_a_case_is_at_hand_in_the_test(pytester: pytest.Pytester) -> None:
    """The words of the test run after the case was judged, with its request."""
    pytester.makepyfile(
        """
        import pytest
        from palimpsest.testing import assert_request

        @pytest.mark.palimpsest(suite="meeting.json", strategy="managed")
        def test_memory(palimpsest_case):
            assert_request(palimpsest_case.row.request).within().retains("What holds now?")
            assert palimpsest_case.after in (2, 5)
        """
    )
    run(pytester).assert_outcomes(passed=2)


def test_a_baseline_is_blessed_then_held_then_fails(pytester: pytest.Pytester) -> None:
    """Nothing but --palimpsest-bless writes it; afterwards it is what bench check reads."""
    marked(pytester, "suite='meeting.json', baseline='b.json', strategy=['managed', 'recent']")
    missing = run(pytester)
    missing.assert_outcomes(failed=5)
    missing.stdout.fnmatch_lines(["*b.json: there is no baseline; write it with `pytest*"])
    run(pytester, "--palimpsest-bless", "-k", "managed-turn2").assert_outcomes(
        passed=1, deselected=4
    )
    run(pytester).assert_outcomes(passed=5)
    held = baseline.load(pytester.path / "b.json")
    assert ("meeting.json",) == held.ran.suites
    changed = {**SUITE, "turns": [*SUITE["turns"]]}
    changed["turns"][4] = {**changed["turns"][4], "user": "Lunch is at one."}
    (pytester.path / "meeting.json").write_text(json.dumps(changed), encoding="utf-8")
    told = run(pytester)
    told.assert_outcomes(failed=5)
    told.stdout.fnmatch_lines(["*cannot be compared with b.json", "*the suite differs*"])


def test_a_changed_case_fails_alone(pytester: pytest.Pytester) -> None:
    """What the baseline holds of one case fails the test of that case and no other."""
    marked(pytester, "suite='meeting.json', baseline='b.json', strategy='recent'")
    run(pytester, "--palimpsest-bless")
    place = pytester.path / "b.json"
    held = baseline.load(place)
    suite = held.suites[0]
    cases = (suite.cases[0], dataclasses.replace(suite.cases[1], stale=()))
    other = dataclasses.replace(held, suites=(dataclasses.replace(suite, cases=cases),))
    place.write_text(baseline.dumps(other), encoding="utf-8")
    told = run(pytester)
    told.assert_outcomes(passed=1, failed=1)
    told.stdout.fnmatch_lines(["meeting recent turn 5: now sends the replaced 'room is Alder'"])


def test_two_suites_share_a_baseline_and_two_runs_of_one_do_not(
    pytester: pytest.Pytester,
) -> None:
    """Blessing one suite leaves the other in the file; one run must not undo another."""
    (pytester.path / "other.json").write_text(json.dumps({**SUITE, "name": "other"}), "utf-8")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.palimpsest(suite="meeting.json", baseline="b.json", strategy="managed")
        @pytest.mark.palimpsest(suite="other.json", baseline="b.json", strategy="managed")
        def test_memory():
            pass
        """
    )
    run(pytester, "--palimpsest-bless", "-k", "other").assert_outcomes(passed=3, deselected=3)
    run(pytester, "--palimpsest-bless", "-k", "meeting").assert_outcomes(passed=3, deselected=3)
    run(pytester).assert_outcomes(passed=6)
    names = {suite.name for suite in baseline.load(pytester.path / "b.json").suites}
    assert {"meeting", "other"} == names
    pytester.makepyfile(
        test_twice="""
        import pytest

        @pytest.mark.palimpsest(suite="meeting.json", baseline="b.json", strategy="managed")
        def test_one():
            pass

        @pytest.mark.palimpsest(suite="meeting.json", baseline="b.json", strategy="recent")
        def test_two():
            pass
        """
    )
    run(pytester, "test_twice.py").stdout.fnmatch_lines(["*named for two runs of*"])


def test_several_settings_files_are_several_cases(pytester: pytest.Pytester) -> None:
    """Each settings file has its name in the test, and a baseline of its own."""
    for name, quota in (("small", 40), ("large", 200)):
        text = f"[facts]\nquota = {quota}\n"
        (pytester.path / f"{name}.toml").write_text(text, encoding="utf-8")
    marked(
        pytester,
        "suite='meeting.json', strategy='managed', config=['small.toml', 'large.toml'], "
        "baseline='{config}.json'",
    )
    run(pytester, "--palimpsest-bless").assert_outcomes(passed=6)
    run(pytester, "-k", "meeting-small-managed-turn2").assert_outcomes(passed=1, deselected=5)
    assert {"small.json", "large.json"} <= {place.name for place in pytester.path.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("suite='meetign.json'", "no such suite file"),
        ("suite='travel-5O'", "did you mean 'travel-50'?"),
        ("", "suite: is needed"),
        ("suite='meeting.json', strategy='recnt'", "did you mean 'recent'?"),
        ("suite='meeting.json', basline='b.json'", "not taken; it takes suite, baseline"),
        ("suite='broken.json'", "turns is missing"),
        ("suite='meeting.json', config=['a.toml', 'b.toml'], baseline='b.json'", "{config}"),
    ],
)
def test_a_suite_that_cannot_be_read_is_one_test_that_fails(
    pytester: pytest.Pytester, arguments: str, told: str
) -> None:
    """The words of the fault and no lines of ours above them; what else is there is run."""
    (pytester.path / "broken.json").write_text('{"checkpoints": [], "budget": {}}', "utf-8")
    pytester.makepyfile(test_one=ONE.replace("{arguments}", arguments))
    pytester.makepyfile(test_other="def test_other():\n    pass\n")
    found = run(pytester)
    found.assert_outcomes(failed=1, passed=1)
    text = found.stdout.str()
    assert "@pytest.mark.palimpsest: " in text
    assert told in text or told.replace("turns is missing", "is missing") in text
    assert "Traceback" not in text


def test_a_tokenizer_that_is_not_prepared_fails_with_the_command(
    pytester: pytest.Pytester,
) -> None:
    """The error of the run is the failure of each of its cases, and no stack."""
    marked(pytester, "suite='meeting.json', strategy='recent', tokenizer='no-such'")
    told = run(pytester)
    told.assert_outcomes(failed=2)
    assert "no-such" in told.stdout.str()
    assert "Traceback" not in told.stdout.str()


def test_a_marker_that_would_judge_nothing_fails(pytester: pytest.Pytester) -> None:
    """A method of unittest.TestCase takes no cases; to pass there would be a check that cannot fail."""
    pytester.makepyfile(
        """
        import unittest
        import pytest

        class TestMemory(unittest.TestCase):
            @pytest.mark.palimpsest(suite="meeting.json", strategy="recent")
            def test_memory(self):
                pass
        """
    )
    told = run(pytester)
    told.assert_outcomes(errors=1)
    told.stdout.fnmatch_lines(["*nothing was judged; write `def test_...`*"])


def test_the_fixture_without_the_marker_says_so(pytester: pytest.Pytester) -> None:
    """A person who forgot the marker is told of it."""
    pytester.makepyfile("def test_memory(palimpsest_case):\n    pass\n")
    run(pytester).stdout.fnmatch_lines(["*belongs to a test with @pytest.mark.palimpsest*"])


def test_the_last_failures_run_again(pytester: pytest.Pytester) -> None:
    """The names are stable, so --lf knows them."""
    marked(pytester, "suite='meeting.json', strategy='recent'")
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)
    pytester.runpytest_inprocess("--lf").assert_outcomes(failed=1)


def test_it_works_in_an_empty_directory_and_side_by_side(tmp_path: Path) -> None:
    """Installed is enough: a real process, strict markers, two workers, one baseline."""
    (tmp_path / "meeting.json").write_text(json.dumps(SUITE), encoding="utf-8")
    text = ONE.format(arguments="suite='meeting.json', baseline='b.json', strategy='managed'")
    (tmp_path / "test_it.py").write_text("\n".join(x[4:] for x in text.split("\n")), "utf-8")
    others = [
        f"no:{name}" for name in ("schemathesis", "langsmith_plugin", "anyio", "hypothesispytest")
    ]
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers"]
    found = [word for name in others for word in ("-p", name)]
    # The workers load what they are told to, not the plugins of every package of this checkout.
    named = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
             "PYTEST_PLUGINS": "xdist.plugin,palimpsest.integrations.pytest_plugin"}  # fmt: skip
    for more, env in ((["-n", "2", "--palimpsest-bless"], named), (found, None)):
        done = subprocess.run(
            [*command, *more], cwd=tmp_path, capture_output=True, text=True, check=False, env=env
        )
        assert "3 passed" in done.stdout, done.stdout + done.stderr
    left = {place.name for place in tmp_path.iterdir()}
    assert {"meeting.json", "test_it.py", "b.json"} == left - {"__pycache__", ".pytest_cache"}


def test_a_run_without_the_marker_imports_nothing_of_it(tmp_path: Path) -> None:
    """The plugin is loaded by every run of pytest, so it must cost nothing."""
    (tmp_path / "test_it.py").write_text(
        "import sys\n\ndef test_light():\n"
        "    ours = {m for m in sys.modules if m.split('.')[0] == 'palimpsest'}\n"
        "    assert ours == {'palimpsest', 'palimpsest.integrations', "
        "'palimpsest.integrations.pytest_plugin'}\n"
        "    assert not {'pydantic', 'tokenizers', 'numpy', 'httpx'} & set(sys.modules)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cov", "-p", "no:xdist"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS":
             "palimpsest.integrations.pytest_plugin"},
    )  # fmt: skip
    assert "1 passed" in done.stdout, done.stdout + done.stderr
