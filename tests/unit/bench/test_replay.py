"""One replay builds every strategy's request at every checkpoint, and none overspends."""

import dataclasses
from typing import Any

import pytest

from palimpsest.bench.replay import enter, replay
from palimpsest.config import Config, FactsSettings, SweepSettings
from palimpsest.context.recent import Recent
from palimpsest.errors import PalimpsestError, RequiredContextTooLarge, SpecError
from palimpsest.ledger import Request
from palimpsest.protocols import Counter, View
from palimpsest.tokens.counter import TokenCounter
from palimpsest.types import Ask
from tests.support.suites import Words, made, meeting, point, run, turn


def test_every_strategy_has_a_row_at_every_checkpoint() -> None:
    """Rows stand under the strategies' names, one a checkpoint, in order."""
    rows = run(meeting()).rows
    assert ["recent", "notes", "append-only", "managed"] == list(rows)
    assert {(2, 5)} == {tuple(row.after for row in found) for found in rows.values()}


def test_baselines_replay_the_untouched_transcript() -> None:
    """A forget leaves the words in what recent, notes and append-only send; managed drops them."""
    rows = run(meeting()).rows
    assert {"recent": 2, "notes": 2, "append-only": 2, "managed": 0} == {
        key: len(found[1].grade.stale) + len(found[1].grade.deleted) for key, found in rows.items()
    }
    assert 1 == rows["managed"][1].grade.found


def test_a_request_is_built_before_what_comes_later() -> None:
    """An early checkpoint sees neither later turns nor their labels."""
    first = run(meeting()).rows["managed"][0]
    assert (2, 2) == (first.grade.found, first.grade.required)
    assert all("Birch" not in (m.content or "") for m in first.request.sent)


def test_the_managed_store_is_consolidated_at_each_checkpoint() -> None:
    """Equal statements become one row by the checkpoint, and the resolution is kept."""
    twice = [turn(n, "The room is Alder.", "remember", "room") for n in (1, 2)]
    storage = run(made(twice, [point(2, ["Alder"])])).storage
    assert (1, 1) == (storage["managed"].current_facts, storage["managed"].resolutions)
    assert (2, 0) == (storage["append-only"].current_facts, storage["append-only"].resolutions)


def test_a_sweep_builds_its_variants_from_the_same_replay() -> None:
    """Each quota has rows of the memory strategies only, and the run's own quota is its row."""
    config = Config(facts=FactsSettings(quota=160), sweep=SweepSettings(quota=(0, 160)))
    found = run(meeting(), config=config)
    assert [0, 160] == list(found.sweep)
    assert {"append-only", "managed"} == set(found.sweep[0])
    assert found.rows["managed"] == found.sweep[160]["managed"]
    assert 0 == found.sweep[0]["managed"][1].request.ledger.parts["facts"]


def test_a_quota_in_a_spec_is_not_swept() -> None:
    """A Spec beats the settings, so a sweep over the settings leaves it out."""
    config = Config(sweep=SweepSettings(quota=(0,)))
    found = run(meeting(), ["managed(quota=50)", "append-only"], config)
    assert {"append-only"} == set(found.sweep[0])


def test_keys_are_bare_names_where_those_are_unique() -> None:
    """Two variants of one strategy are told apart by their printed Specs."""
    assert ["managed"] == [e.key for e in enter(["managed(quota=120)"])]
    both = enter(["managed( quota = 120 )", "managed", "recent"])
    assert ["managed(quota=120)", "managed", "recent"] == [e.key for e in both]


def test_one_strategy_is_not_entered_twice() -> None:
    """The same Spec twice would overwrite its own rows."""
    with pytest.raises(SpecError, match="'recent' is given twice"):
        enter(["recent", "recent"])


def test_a_budget_too_small_names_suite_and_checkpoint() -> None:
    """The refusal of a request says where in the run it was."""
    with pytest.raises(RequiredContextTooLarge) as caught:
        run(meeting(window=4))
    assert str(caught.value).startswith("suite 'meeting', checkpoint after turn 2: ")
    assert 4 == caught.value.limit


@dataclasses.dataclass(frozen=True, kw_only=True)
class Faulty:
    """A strategy that changes what it says of its request, or what it sends."""

    tokens: int = 0
    memory: bool = False

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        honest = Recent().build(view, ask, counter, config)
        return dataclasses.replace(honest, tokens=honest.tokens + self.tokens)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Greedy:
    """A strategy that ignores the budget."""

    memory: bool = False

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        more = dataclasses.replace(ask, budget=dataclasses.replace(ask.budget, window=1000))
        return Recent().build(view, more, counter, config)


@pytest.mark.parametrize("strategy", [Faulty(tokens=-1), Greedy()])
def test_a_strategy_that_overspends_or_miscounts_stops_the_run(strategy: Any) -> None:
    """No strategy scores by spending more than the others, or by saying it spent less."""
    entrant = dataclasses.replace(enter(["recent"])[0], strategy=strategy)
    with pytest.raises(PalimpsestError, match="fault of the strategy"):
        replay(
            meeting(window=30), entrants=[entrant], counter=TokenCounter(Words()), config=Config()
        )


def test_a_step_is_told_of_every_turn() -> None:
    """Progress runs from the first turn to the last."""
    told: list[tuple[int, int]] = []
    replay(
        meeting(), entrants=enter(["recent"]), counter=TokenCounter(Words()), config=Config(),
        step=lambda turn, of: told.append((turn, of)),
    )  # fmt: skip
    assert [(n, 5) for n in range(1, 6)] == told


def test_what_each_store_held_is_kept_by_checkpoint() -> None:
    """A trace can name the memories as they were when the request was built."""
    facts = run(meeting()).facts
    assert ["The room is Alder.", "My pin is 4711."] == [f.text for f in facts["managed", 2]]
    assert 3 == len(facts["append-only", 5])
    assert all("4711" not in fact.text for fact in facts["managed", 5])
