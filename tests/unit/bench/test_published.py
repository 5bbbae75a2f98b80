"""The published benchmark is reproduced, figure by figure, and travel-50 tells its story."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from palimpsest import cli
from palimpsest.bench import builtin
from palimpsest.bench.replay import Replayed
from palimpsest.bench.report import totals
from palimpsest.bench.run import Options, run_all
from palimpsest.bench.suite import parse
from palimpsest.tokens.local import LocalTokenizer

STRATEGIES = ("recent", "notes", "append-only", "managed")


@pytest.fixture(scope="module")
def travel(gemma: LocalTokenizer) -> Replayed:
    return run_all([builtin.load("travel-50")], Options())[0]


@pytest.fixture(scope="module")
def edges(gemma: LocalTokenizer) -> Replayed:
    return run_all([builtin.load("edges")], Options())[0]


@pytest.fixture(scope="module")
def atelier(gemma: LocalTokenizer) -> Replayed:
    return run_all([builtin.load("atelier-60")], Options())[0]


def counts(rows: Any) -> tuple[int, int, int, int]:
    found = totals(rows)
    return found["found"], found["required"], found["stale"], found["deleted"]


def test_the_published_report_is_reproduced(
    published: Path, gemma: LocalTokenizer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every figure of the published result comes out of the command line."""
    place = published / "compaction-50"
    status = cli.run(
        ["bench", "run", str(place / "conversation.json"),
         "--config", str(place / "profile.toml"), "--json", "-"]
    )  # fmt: skip
    ours = json.loads(capsys.readouterr().out)
    theirs = json.loads((place / "result.json").read_text(encoding="utf-8"))
    assert 0 == status
    for key in (
        "budget", "input_budget", "facts_quota", "checkpoints", "totals", "storage", "quota_sweep",
    ):  # fmt: skip
        assert theirs[key] == ours[key], key
    assert set(theirs) <= set(ours)


def test_a_fact_forgotten_one_turn_earlier_leaks_from_the_baselines_only(
    published: Path, gemma: LocalTokenizer
) -> None:
    """The document's own case: a forget request right before the checkpoint."""
    data = json.loads((published / "compaction-50" / "conversation.json").read_text())
    turns = [*data["turns"][:12], {
        "turn": 13, "user": "Please forget my passport number.", "assistant": "Noted.",
        "memory": {"op": "forget", "attribute": "passport"},
    }]  # fmt: skip
    point = {"after": 13, "question": "And now?", "required": [], "deleted": ["P1234567"]}
    suite = parse({**data, "turns": turns, "checkpoints": [point]}, where="x", name="x")
    (run,) = run_all([suite], Options())
    assert {"recent": 1, "notes": 1, "append-only": 1, "managed": 0} == {
        key: len(rows[0].grade.deleted) for key, rows in run.rows.items()
    }


def test_travel_has_the_published_totals(travel: Replayed) -> None:
    """4, 2, 25 with 3 stale and 1 forgotten, 26 with none."""
    assert {
        "recent": (4, 26, 0, 0),
        "notes": (2, 26, 0, 0),
        "append-only": (25, 26, 3, 1),
        "managed": (26, 26, 0, 0),
    } == {key: counts(rows) for key, rows in travel.rows.items()}


def test_travel_has_the_published_sweep(travel: Replayed) -> None:
    """A larger quota finds more, and makes append-only leak more."""
    assert {
        120: {"append-only": (24, 26, 1, 0), "managed": (25, 26, 0, 0)},
        160: {"append-only": (25, 26, 3, 1), "managed": (26, 26, 0, 0)},
        240: {"append-only": (26, 26, 7, 2), "managed": (26, 26, 0, 0)},
    } == {
        q: {key: counts(rows) for key, rows in found.items()} for q, found in travel.sweep.items()
    }


def test_travel_has_the_published_storage(travel: Replayed) -> None:
    """The stores end with the published rows, deletions and resolutions."""
    assert {"append-only": (12, 12, 0, 0), "managed": (11, 7, 1, 1)} == {
        policy: dataclasses.astuple(stored) for policy, stored in travel.storage.items()
    }


def test_edges_leaks_from_every_strategy_but_managed(edges: Replayed) -> None:
    """Managed finds all and leaks none; each other strategy leaks stale and forgotten facts."""
    found = {key: counts(rows) for key, rows in edges.rows.items()}
    assert (19, 19, 0, 0) == found["managed"]
    for key in STRATEGIES[:3]:
        assert found[key][2] > 0, key
        assert found[key][3] > 0, key


def test_edges_has_a_leak_in_every_baseline_right_after_each_first_change(edges: Replayed) -> None:
    """One turn after a correction and one after a forget, all three still send the old words."""
    for key in STRATEGIES[:3]:
        corrected, forgotten = edges.rows[key][0].grade, edges.rows[key][1].grade
        assert ("ticket is TKT-100.",) == corrected.stale
        assert ("4471-B",) == forgotten.deleted


def test_atelier_is_remembered_by_managed_alone(atelier: Replayed) -> None:
    """All 40 with nothing replaced or forgotten; the baselines lose and leak."""
    assert {
        "recent": (14, 40, 0, 2),
        "notes": (21, 40, 7, 2),
        "append-only": (37, 40, 9, 6),
        "managed": (40, 40, 0, 0),
    } == {key: counts(rows) for key, rows in atelier.rows.items()}


def test_atelier_keeps_the_calls_that_passed_a_forgotten_value_on(atelier: Replayed) -> None:
    """One turn after each forget the call is still sent, without the value in its arguments."""
    for place, id in ((1, "c21"), (3, "c48")):
        sent = atelier.rows["managed"][place].request.sent
        (call,) = (call for message in sent for call in message.tool_calls if call.id == id)
        assert atelier.config.context.redaction_marker in call.json


def test_atelier_counts_as_its_whole_render(atelier: Replayed, tool_text: LocalTokenizer) -> None:
    """Tools, calls, results and the declared cost of the photograph: exact for its frame."""
    photographs = 0
    for rows in atelier.rows.values():
        for row in rows:
            request = row.request
            assert tool_text.count_request(request.sent, request.tools) == row.tokens
            assert row.tokens <= atelier.budget.input
            media = any(part.kind == "media" for m in request.sent for part in m.parts)
            rendered = tool_text.count_text(tool_text.render(request.sent, request.tools))
            assert rendered + (256 if media else 0) == row.tokens
            photographs += media
    assert photographs > 0


def test_every_request_fits_and_counts_as_its_whole_render(
    travel: Replayed, edges: Replayed, gemma: LocalTokenizer
) -> None:
    """The tokens of every request are those of the rendered template, within the budget."""
    for run in (travel, edges):
        for rows in run.rows.values():
            for row in rows:
                assert gemma.count_request(row.request.sent, ()) == row.tokens
                assert row.tokens <= run.budget.input
