"""The report has the published keys, ours beside them, and every text once."""

import json

from palimpsest.bench.report import report, whole
from palimpsest.config import Config, SweepSettings
from tests.support.suites import meeting, run

PUBLISHED = {
    "budget", "input_budget", "facts_quota", "checkpoints", "totals", "storage", "counter",
    "trials", "environment",
}  # fmt: skip
ROW = {"after", "found", "required", "missing", "stale", "deleted", "input_tokens"}


def test_the_published_keys_hold_what_the_published_report_holds() -> None:
    """Rows, totals and storage have the published keys and no other."""
    made = report(run(meeting()), sqlite="3")
    assert set(made) >= PUBLISHED
    assert "quota_sweep" not in made
    assert {"context_limit": 400, "max_new_tokens": 0, "margin": 0} == made["budget"]
    assert {frozenset(ROW)} == {frozenset(r) for rows in made["checkpoints"].values() for r in rows}
    assert {"append-only", "managed"} == set(made["storage"])
    assert {"python", "sqlite"} == set(made["environment"])


def test_totals_add_up_the_rows() -> None:
    """Totals are sums over the checkpoints, lists by their length."""
    made = report(run(meeting()), sqlite="3")
    assert {"found": 3, "required": 3, "stale": 1, "deleted": 1} == made["totals"]["recent"]
    assert {"found": 3, "required": 3, "stale": 0, "deleted": 0} == made["totals"]["managed"]


def test_a_sweep_stands_in_the_report_where_it_was_asked_for() -> None:
    """Quotas are texts, as JSON keys are, and hold totals."""
    config = Config(sweep=SweepSettings(quota=(0, 160)))
    made = report(run(meeting(), config=config), sqlite="3")
    assert ["0", "160"] == list(made["quota_sweep"])
    assert made["totals"]["managed"] == made["quota_sweep"]["160"]["managed"]


def test_the_additions_say_what_was_run() -> None:
    """Suite, settings and tokenizer are named with their hashes."""
    found = run(meeting())
    made = report(found, sqlite="3")
    assert {"name": "meeting", "fingerprint": found.suite.fingerprint} == made["suite"]
    assert found.config.fingerprint == made["config"]
    assert {"name": "words", "fingerprint": "words-1", "estimated": False} == made["tokenizer"]


def test_requests_are_there_when_asked_for_and_hold_each_text_once() -> None:
    """Messages point into a table of texts; put together they are what was sent."""
    found = run(meeting())
    assert "requests" not in report(found, sqlite="3")
    made = report(found, sqlite="3", requests=True)
    assert len(set(made["texts"])) == len(made["texts"])
    told = made["requests"]["managed"][1]
    sent = [{**m, "content": made["texts"][m["content"]["text"]]} for m in told["messages"]]
    assert found.rows["managed"][1].request.messages == sent
    assert {"turns", "memories", "notes", "parts"} == set(told["ledger"])


def test_one_suite_stands_at_the_top_and_several_under_their_names() -> None:
    """The shape depends on the number of suites only."""
    assert {"schema": 1, "a": 1} == whole({"one": {"a": 1}})
    assert {"schema": 1, "suites": {"one": {"a": 1}, "two": {"a": 2}}} == whole(
        {"one": {"a": 1}, "two": {"a": 2}}
    )


def test_two_runs_make_the_same_report() -> None:
    """Nothing in a report is random or timed."""
    first, second = (
        json.dumps(report(run(meeting()), sqlite="3", requests=True)) for _ in range(2)
    )
    assert first == second
