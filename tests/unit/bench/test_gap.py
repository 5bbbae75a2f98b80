"""The gap: what extractors cost, measured without showing them a label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palimpsest.bench import builtin, gap, suite
from palimpsest.bench.gap import Fed, Gap, measure
from palimpsest.bench.gap_report import gap_report
from palimpsest.bench.generated import LANGUAGES
from palimpsest.bench.replay import replay
from palimpsest.bench.report import totals
from palimpsest.bench.run import Options
from palimpsest.config import Config
from palimpsest.errors import InputError, ModelError, SpecError
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from tests.support.suites import Words, made, point, turn

MANAGED = Options(strategies=("managed",))
ROOM = [
    turn(1, "The room is Alder.", "remember", "room"),
    turn(2, "Nice weather today."),
    turn(3, "The room is Birch now.", "correct", "room"),
    turn(4, "My code is 4711.", "remember", "code"),
    turn(5, "Forget my code.", "forget", "code"),
]
POINTS = [point(2, ["Alder"]), point(5, ["Birch"], ["Alder"], ["4711"])]


class Stub:
    """Proposes every turn's words as a fact, notes what it saw, or fails where it is told to."""

    name = "stub"
    trusted = False
    written_on = "nothing at all"

    def __init__(self, fails: int = 0, silent: bool = False) -> None:
        self.seen: list[Seen] = []
        self.fails = fails
        self.silent = silent

    def extract(self, seen: Seen, config: Config) -> Extraction:
        self.seen.append(seen)
        if seen.turn.number == self.fails:
            raise ModelError("the model said nothing")
        if self.silent:
            return Extraction()
        text = seen.turn.user
        quote = Quote(message=0, text=0, start=0, end=len(text))
        return Extraction(proposals=(Proposal(text=text, quote=quote),))


@pytest.fixture
def stubbed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Measure the room suite with a stub in the place of an extractor that is named."""

    def run(stub: Stub) -> Fed:
        found = made(ROOM, POINTS)
        monkeypatch.setattr(gap, "extractor_of", lambda text, of: (text, stub))
        monkeypatch.setattr(gap, "_counter", lambda config: TokenCounter(Words()))
        (only,) = measure([found], ["stub"], MANAGED)
        return only.fed[0]

    return run


def test_an_extractor_reads_each_turn_once_and_no_label(stubbed: Any) -> None:
    """What it is shown are turns and what was remembered before, and nothing of the suite."""
    stub = Stub()
    fed = stubbed(stub)
    assert [1, 2, 3, 4, 5] == [seen.turn.number for seen in stub.seen]
    assert all(item.label is None for item in fed.replayed.suite.turns)
    assert {None} == {memory.attribute for seen in stub.seen for memory in seen.memories}


def test_a_fact_nobody_proposed_is_a_miss_with_its_turn_and_sentence(stubbed: Any) -> None:
    """The ledger says where it was said, and that nothing was proposed."""
    fed = stubbed(Stub(silent=True))
    found = {(m.kind, m.fact, m.turn, m.sentence, m.outcome) for m in fed.misses}
    # The recent turns hold every fact here, so what is left are the leaks that nobody ended.
    assert found == {
        ("stale", "Alder", 3, "The room is Birch now.", ("proposed nothing",)),
        ("forgotten", "4711", 5, "Forget my code.", ("proposed nothing",)),
    }


def test_a_failed_reading_is_told_and_changes_nothing(stubbed: Any) -> None:
    """The turn has no memory, and its miss names the error without any text of the turn."""
    fed = stubbed(Stub(fails=3))
    failed = [r for r in fed.replayed.readings if r.status == "failed"]
    assert [3] == [reading.turn for reading in failed]
    (miss,) = [m for m in fed.misses if m.fact == "Alder"]
    assert ("the reading failed: model: the model said nothing",) == miss.outcome


def test_rows_that_no_label_asked_for_are_counted(stubbed: Any) -> None:
    """Small talk and a forget request that became memories are what an extractor made up."""
    fed = stubbed(Stub())
    assert ["Nice weather today.", "Forget my code."] == [row.text for row in fed.extra or ()]


def test_the_report_says_what_an_extractor_was_written_on(stubbed: Any) -> None:
    """Every figure stands beside what its extractor had seen before."""
    fed = stubbed(Stub(fails=2))
    report = gap_report([Gap(suite=made(ROOM, POINTS), fed=(fed,))], ledger=True)
    told = report["suites"][fed.replayed.suite.name]["extractors"]["stub"]
    assert ("nothing at all", 5, 1) == (
        told["written_on"], told["readings"]["turns"], told["readings"]["failed"],
    )  # fmt: skip
    assert {"fact", "kind", "after", "turn", "sentence", "outcome", "strategy"} == set(
        told["misses"][0]
    )


def test_only_what_a_managed_store_feeds_is_measured() -> None:
    """No extractor changes what a baseline sends, so it has no gap."""
    with pytest.raises(InputError, match="none is built from a managed store"):
        measure([made(ROOM, POINTS)], ["labels"], Options(strategies=("recent", "append-only")))


def test_an_extractor_is_named_once() -> None:
    """Two rows of one name could not be told apart."""
    with pytest.raises(SpecError, match="given twice"):
        measure([made(ROOM, POINTS)], ["labels", "labels"], MANAGED)


def test_labels_take_no_parameters() -> None:
    """The suite has its labels; there is nothing to choose."""
    with pytest.raises(SpecError, match="takes no parameters"):
        measure([made(ROOM, POINTS)], ["labels(best=1)"], MANAGED)


def test_a_replay_without_an_extractor_reads_nothing() -> None:
    """The figures that were there before are made as before."""
    run = replay(
        made(ROOM, POINTS), entrants=gap.enter(["managed"]), counter=TokenCounter(Words()),
        config=Config(),
    )  # fmt: skip
    assert () == run.readings


def test_rules_read_the_published_conversation_without_its_labels(
    published: Path, gemma: LocalTokenizer
) -> None:
    """At least 20 of 26 facts, at most 2 replaced ones and no forgotten one."""
    found = gap.without_labels(suite.load(published / "compaction-50" / "conversation.json"))
    (only,) = measure([found], ["rules"], MANAGED)
    reached = totals(only.fed[0].replayed.rows["managed"])
    assert 26 == reached["required"]
    assert reached["found"] >= 20
    assert reached["stale"] <= 2
    assert reached["deleted"] == 0


def test_five_wordings_of_one_fact_end_as_one_memory(gemma: LocalTokenizer) -> None:
    """Repeated over a whole block of chat, in each of six languages, it is one current row."""
    found = builtin.load("generated-6")
    (only,) = measure([found], ["labels"], MANAGED)
    assert {f"{code}.home": 1 for code in LANGUAGES} == only.fed[0].repeated
