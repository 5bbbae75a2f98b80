"""The built-in case set tells its story, and a run of any set is accounted for row by row."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from palimpsest import config as settings
from palimpsest.bench import cases
from palimpsest.bench.builtin import case_sets
from palimpsest.bench.case_checks import Recorded
from palimpsest.bench.case_reasons import reasons, takes_notes
from palimpsest.bench.case_report import case_report
from palimpsest.bench.cases import CaseSet
from palimpsest.bench.replay import Entrant, enter
from palimpsest.bench.results import Results
from palimpsest.bench.selection import DEFAULT_STRATEGIES, CaseRow, CaseRun, run_cases
from palimpsest.bench.strategy_source import strategies_sha256
from palimpsest.config import Config
from palimpsest.errors import PalimpsestError, RequiredContextTooLarge
from palimpsest.ledger import Request
from palimpsest.protocols import Counter, View
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Ask, Budget, Spec
from tests.support.cases import case, read
from tests.support.suites import Words

PUBLISHED = ("recent", "relevant", "notes", "hybrid")


@pytest.fixture(scope="module")
def counter(gemma: LocalTokenizer) -> TokenCounter:
    return TokenCounter(gemma)


def ran(
    found: CaseSet, counter: TokenCounter, config: Config | None = None,
    strategies: Sequence[str] = DEFAULT_STRATEGIES, **more: Any,
) -> CaseRun:  # fmt: skip
    made = config or found.config()
    return run_cases(found, entrants=enter(strategies), counter=counter, config=made, **more)


@pytest.fixture(scope="module")
def run(counter: TokenCounter) -> CaseRun:
    return ran(case_sets.load("selection-12"), counter)


@pytest.fixture(scope="module")
def theirs(published: Path) -> Mapping[str, Any]:
    text = (published / "context-selection" / "result.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


# --- the built-in set --------------------------------------------------------------------


def test_the_stored_set_equals_its_generator() -> None:
    """A case is changed in its generator, and `make goldens` stores it."""
    assert case_sets.generated("selection-12") == case_sets.stored("selection-12")


def test_the_set_has_six_cases_of_each_split_under_the_published_budget() -> None:
    """384 tokens, of which 96 for the answer and 32 as margin; 64 are kept for notes."""
    found = case_sets.load("selection-12")
    assert [6, 6] == [len(found.split(split)) for split in ("dev", "held_out")]
    assert {Budget(window=384, answer=96, margin=32)} == {c.budget for c in found.cases}
    assert 64 == found.config().notes.reserve
    assert 7 == sum(len(c.required) for c in found.split("dev"))
    assert 7 == sum(len(c.required) for c in found.split("held_out"))


def test_the_kinds_are_the_published_ones() -> None:
    """Seven kinds, five of them in both splits."""
    found = case_sets.load("selection-12")
    both = {"newest turn", "behind a long turn", "corrected", "pronoun", "spread"}
    assert [both | {"no shared words"}, both | {"inside a long turn"}] == [
        {c.kind for c in found.split(split)} for split in ("dev", "held_out")
    ]


def test_every_case_has_one_turn_that_cannot_fit(counter: TokenCounter) -> None:
    """That turn is what separates the strategies."""
    for item in case_sets.load("selection-12").cases:
        sizes = [counter.unit(turn.messages) for turn in item.turns]
        assert 1 == sum(size > item.budget.input for size in sizes), item.id
        assert sum(sizes) - max(sizes) < item.budget.input


def test_the_set_says_that_its_held_out_split_is_not_blind() -> None:
    """One author wrote strategies and cases, so it must say so."""
    said = case_sets.load("selection-12").held_out
    assert said is not None
    assert not said.blind
    assert "not as an independent estimate" in said.note


def test_the_set_is_written_in_our_own_sentences(published: Path) -> None:
    """Kinds and budget carry over from the published cases, sentences do not."""
    folder = published / "context-selection"
    theirs = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.json"))
    said = [
        sentence
        for item in case_sets.load("selection-12").cases
        for text in (
            item.question, item.instructions or "", *item.required, *item.stale,
            *(text for turn in item.turns for m in turn.messages for text in m.texts()),
        )
        for sentence in re.split(r"(?<=[.!?]) ", text)
    ]  # fmt: skip
    assert [] == [sentence for sentence in said if len(sentence) > 9 and sentence in theirs]


# --- what the strategies find ------------------------------------------------------------


def test_the_published_strategies_find_what_they_found_in_the_published_cases(
    run: CaseRun, theirs: Mapping[str, Any]
) -> None:
    """Facts, complete cases and stale cases by split; tokens are those of our own sentences."""
    ours = case_report(run)["summary"]
    for key in PUBLISHED:
        for split in ("dev", "held_out"):
            wanted = {k: v for k, v in theirs["summary"][key][split].items() if "tokens" not in k}
            found = {k: v for k, v in ours[key][split].items() if "tokens" not in k}
            assert wanted == found, (key, split)


def test_each_case_meets_the_published_failure(run: CaseRun, theirs: Mapping[str, Any]) -> None:
    """Case by case, as many facts are found, missed and stale as in the published case."""

    def facts(row: Mapping[str, Any]) -> tuple[Any, ...]:
        return (
            row["case"], row["required_found"], row["required_total"], len(row["stale_included"]),
        )  # fmt: skip

    ours = case_report(run)["cases"]
    for key in PUBLISHED:
        assert list(map(facts, theirs["cases"][key])) == list(map(facts, ours[key])), key


def test_stems_find_both_facts_that_the_published_rule_misses(run: CaseRun) -> None:
    """A question in the singular, turns in the plural; nothing else changes."""
    for plain, stemmed in (("relevant", "relevant(stem=true)"), ("hybrid", "hybrid(stem=true)")):
        changed = [
            (one.case.id, one.grade.found, other.grade.found)
            for one, other in zip(run.rows[plain], run.rows[stemmed], strict=True)
            if one.request.sent != other.request.sent
        ]
        assert [("held-spread", 0, 2)] == changed


def test_held_out_notes_depend_on_the_limit_cue(counter: TokenCounter) -> None:
    """Without that one word a held-out fact is lost, and no development case holds it."""
    found = case_sets.load("selection-12")
    config = found.config()
    without = tuple(cue for cue in config.notes.cues if cue != "limit")
    assert len(without) + 1 == len(config.notes.cues)
    ablated = dataclasses.replace(config, notes=dataclasses.replace(config.notes, cues=without))

    def missing(made: Config, split: str) -> list[tuple[str, tuple[str, ...]]]:
        rows = ran(found, counter, made, ["notes"]).rows["notes"]
        return [(r.case.id, r.grade.missing) for r in rows if r.case.split == split]

    lost = set(missing(ablated, "held_out")) - set(missing(config, "held_out"))
    assert {("held-pronoun", ("limit at forty people",))} == lost
    assert missing(config, "dev") == missing(ablated, "dev")
    words = " ".join(str(item) for item in found.split("dev"))
    assert not re.search(r"\blimit\b", words, re.IGNORECASE)


def test_every_request_fits_and_counts_as_its_whole_render(
    run: CaseRun, gemma: LocalTokenizer
) -> None:
    """No strategy scores by overspending or by a wrong count."""
    for rows in run.rows.values():
        for row in rows:
            assert gemma.count_request(row.request.sent, ()) == row.tokens
            assert row.within_budget


def test_a_run_changes_neither_the_cases_nor_a_second_run(
    run: CaseRun, counter: TokenCounter
) -> None:
    """The run is deterministic, so one trial is enough."""
    assert case_sets.load("selection-12") == run.cases
    again = case_report(ran(run.cases, counter))
    assert case_report(run) == again


def test_whole_renders_choose_the_same_turns(run: CaseRun, gemma: LocalTokenizer) -> None:
    """A template whose parts do not add up gives the same rows."""

    class WholeOnly:
        frame = dataclasses.replace(gemma.frame, additive=False)
        count_text = gemma.count_text
        count_request = gemma.count_request

    whole = case_report(ran(run.cases, TokenCounter(WholeOnly())))
    assert case_report(run)["cases"] == whole["cases"]


# --- the published case ------------------------------------------------------------------


LONG = " ".join(f"{9 + i // 60:02}:{i % 60:02} migrate: retry, then a timeout." for i in range(60))


def test_the_published_case_gives_the_published_rows(
    published: Path, counter: TokenCounter, theirs: Mapping[str, Any]
) -> None:
    """Turns, notes, tokens and facts of its four rows, with a log of ours that cannot fit.

    The log turn was printed cut short, so only what does not depend on its words can be
    compared: no row sends it, and a sentence of it would be a note only with a cue word.
    """
    folder = published / "context-selection"
    data = json.loads((folder / "case-dev-correction.json").read_text(encoding="utf-8"))
    data["history"][2]["user"] += " " + LONG
    found = cases.read(json.dumps([data]), where="x", name="x")
    config = settings.load(folder / "profile.toml")
    report = case_report(ran(found, counter, config, PUBLISHED))
    for key in PUBLISHED:
        wanted = next(row for row in theirs["cases"][key] if row["case"] == "dev-correction")
        assert [wanted] == report["cases"][key], key


def test_the_case_as_printed_has_a_log_that_fits(published: Path, counter: TokenCounter) -> None:
    """Which is why its rows need a longer one: the printed text ends after its second line."""
    data = json.loads((published / "context-selection" / "case-dev-correction.json").read_text())
    found = cases.read(json.dumps([data]), where="x", name="x")
    assert counter.unit(found.cases[0].turns[2].messages) < found.cases[0].budget.input


def test_the_report_has_the_published_keys(run: CaseRun, theirs: Mapping[str, Any]) -> None:
    """A reader of the published report reads ours."""
    ours = case_report(run)
    assert set(theirs) <= set(ours)
    assert set(theirs["cases"]["notes"][0]) == set(ours["cases"]["notes"][0])
    assert set(theirs["summary"]["notes"]["dev"]) == set(ours["summary"]["notes"]["dev"])
    assert set(theirs["environment"]) == set(ours["environment"])


# --- rows, splits, hashes ----------------------------------------------------------------


def test_every_strategy_has_a_row_for_every_case_and_a_summary_for_every_split(
    run: CaseRun,
) -> None:
    """Never only totals, and no figure over two splits."""
    report = case_report(run)
    ids = [item.id for item in run.cases.cases]
    assert dict.fromkeys(run.rows, ids) == {
        key: [row["case"] for row in rows] for key, rows in report["cases"].items()
    }
    assert all(set(found) == {"dev", "held_out"} for found in report["summary"].values())


def test_one_split_can_be_run_alone(counter: TokenCounter) -> None:
    """The held-out cases stay unseen while strategies are written."""
    found = case_sets.load("selection-12")
    report = case_report(ran(found, counter, splits=["dev"]))
    assert {"dev"} == {row["split"] for rows in report["cases"].values() for row in rows}
    assert all(["dev"] == list(summary) for summary in report["summary"].values())
    assert 12 == len(report["splits"])


def test_the_report_records_what_a_later_change_must_show(run: CaseRun) -> None:
    """Hashes of cases, strategies and pins, versions, the counter and the trials."""
    report = case_report(run)
    for key in ("case_set_sha256", "strategies_sha256", "tokenizer_manifest_sha256"):
        assert re.fullmatch("[0-9a-f]{64}", report[key]), key
    assert run.cases.sha256 == report["case_set_sha256"]
    assert (1, run.frame.fingerprint) == (report["trials"], report["counter"]["fingerprint"])
    assert report["palimpsest"]


def test_a_changed_case_changes_the_hash_of_the_set() -> None:
    """One character is enough."""
    assert read([case()]).sha256 != read([case(kind="other")]).sha256


def test_a_changed_source_changes_the_hash_of_the_strategies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plug-in's hash is that of the files of its package, wherever they lie."""
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "pinned_plugin"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rule.py").write_text("class Rule:\n    pass\n")
    (package / "words.py").write_text("WORDS = 1\n")
    from pinned_plugin.rule import Rule

    first = strategies_sha256([Rule()])
    (package / "words.py").write_text("WORDS = 2\n")
    assert first != strategies_sha256([Rule()])
    (package / "words.py").write_text("WORDS = 1\n")
    assert first == strategies_sha256([Rule()])


def test_a_recorded_report_holds_every_split(run: CaseRun) -> None:
    """What was recorded loads again, and a move is refused."""
    known = cases.recorded_splits(case_report(run), "report.json")
    assert isinstance(known, Recorded)
    assert run.cases == case_sets.load("selection-12", known)


def test_no_case_of_the_built_in_set_moved_since_its_recorded_report() -> None:
    """The golden report is the recording; its splits hold for the stored set."""
    golden = Path(__file__).resolve().parents[2] / "golden" / "selection-12.report.json"
    known = cases.load_recorded(golden)
    assert 12 == len(known.splits)
    assert case_sets.load("selection-12", known)


# --- reasons -----------------------------------------------------------------------------


def why(run: CaseRun, key: str, id: str) -> list[tuple[str, str, str]]:
    rows = run.rows[key]
    row = next(row for row in rows if row.case.id == id)
    return [(r.fate, r.reason, r.text) for r in reasons(row, notes=takes_notes(rows))]


@pytest.mark.parametrize(
    ("key", "id", "expected"),
    [
        ("recent", "dev-old-decision",
         [("missing", "behind-no-room", "turn 1 lies behind one that does not fit")]),
        ("recent", "held-buried", [("missing", "no-room", "turn 1 does not fit")]),
        ("relevant", "dev-no-overlap",
         [("missing", "no-match", "turn 1 shares no word with the question")]),
        ("notes", "held-correction", [
            ("missing", "behind-no-room",
             "turn 2 lies behind one that does not fit, and no note quotes it"),
            ("stale", "noted", "a note quotes turn 1"),
        ]),
        ("hybrid", "held-correction", [("stale", "kept", "turn 1 is sent")]),
        ("hybrid", "dev-latest", []),
    ],
)  # fmt: skip
def test_every_missed_and_stale_fact_is_explained(
    run: CaseRun, key: str, id: str, expected: list[tuple[str, str, str]]
) -> None:
    """The turn that states it, and what became of that turn."""
    assert expected == why(run, key, id)


def test_a_note_that_found_no_room_is_the_reason(counter: TokenCounter) -> None:
    """Its turn was removed, and the sentence was left out for want of space."""
    long = "We decided that the " + "very " * 90 + "long bench is green."
    item = case(
        history=[{"user": long, "assistant": "ok"}], required=["bench is green"], stale=[],
        budget={"window": 100, "answer": 10},
    )  # fmt: skip
    made = ran(read([item]), counter, strategies=["notes(reserve=30)"])
    assert [("missing", "note-no-room", "turn 1 does not fit, nor does the note of it")] == why(
        made, "notes", "one"
    )


# --- faults ------------------------------------------------------------------------------


class Over:
    """Sends everything, whatever the budget, and counts it as it pleases."""

    memory = False

    def __init__(self, miscount: int = 0) -> None:
        self.miscount = miscount

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        roomy = dataclasses.replace(ask, budget=Budget(window=100_000, answer=0))
        built = enter(["recent"])[0].strategy.build(view, roomy, counter, config)
        return dataclasses.replace(built, tokens=built.tokens + self.miscount, budget=ask.budget)


def entrant(strategy: Any) -> Entrant:
    return Entrant(key="over", spec=Spec(name="over"), strategy=strategy, policy="append-only")


def test_a_request_over_its_budget_is_counted_and_shown() -> None:
    """It is a result: the summary says so, and its facts count for what they are."""
    found = read([case(budget={"context_limit": 12, "max_new_tokens": 1, "margin": 1})])
    made = run_cases(
        found, entrants=[entrant(Over())], counter=TokenCounter(Words()), config=Config()
    )
    report = case_report(made)
    assert 1 == report["summary"]["over"]["dev"]["over_budget"]
    assert [False] == [row["within_budget"] for row in report["cases"]["over"]]


def test_a_strategy_that_miscounts_has_no_result() -> None:
    """The fault is named with set, case and both counts."""
    with pytest.raises(
        PalimpsestError, match=r"case set 'set', case 'one': 'over' built a request"
    ):
        run_cases(
            read([case()]), entrants=[entrant(Over(miscount=1))], counter=TokenCounter(Words()),
            config=Config(),
        )  # fmt: skip


def test_a_budget_below_the_question_is_told_with_its_case() -> None:
    """The sizes and the case stand in the error."""
    tight = case(budget={"context_limit": 6, "max_new_tokens": 1, "margin": 1})
    with pytest.raises(RequiredContextTooLarge, match="case set 'set', case 'one': the required"):
        run_cases(
            read([tight]), entrants=enter(["recent"]), counter=TokenCounter(Words()),
            config=Config(),
        )  # fmt: skip


def test_a_budget_of_the_settings_is_laid_over_every_case() -> None:
    """The precedence of a suite holds for a case set."""
    config = dataclasses.replace(Config(), budget=Budget(window=300, answer=10))
    made = ran(read([case()]), TokenCounter(Words()), config, ["recent"])
    assert [290] == [row.budget.input for row in made.rows["recent"]]


def test_managed_and_plug_ins_take_part() -> None:
    """Any strategy can be entered; without labels a memory strategy has no memories."""
    made = ran(read([case()]), TokenCounter(Words()), Config(), ["managed", "append-only"])
    assert ["managed", "append-only"] == list(made.rows)


# --- equal runs --------------------------------------------------------------------------


def test_a_shared_result_gives_the_same_report_and_says_that_it_was_kept() -> None:
    """A hit is shown as such, and is a fresh result in everything else."""
    found, counter, results = read([case()]), TokenCounter(Words()), Results[CaseRow]()
    first = case_report(ran(found, counter, Config(), results=results))
    second = case_report(ran(found, counter, Config(), results=results))
    assert first["cases"] == second["cases"]
    kept = [
        [detail["kept_from_an_equal_run"] for rows in report["details"].values() for detail in rows]
        for report in (first, second)
    ]
    assert [[False] * 6, [True] * 6] == kept
    assert (6, 6) == (results.executions, results.hits)
