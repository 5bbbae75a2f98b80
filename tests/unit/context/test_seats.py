"""Seats: the passes, the two measured faults, and the strategy that sends the lines."""

from __future__ import annotations

import dataclasses

import pytest

from palimpsest.candidates import columns
from palimpsest.config import Config, FactsSettings
from palimpsest.context import ledger_json
from palimpsest.context.memory_strategies import Managed, Seats
from palimpsest.context.seats import Selection, select
from palimpsest.errors import RequiredContextTooLarge, SpecError
from palimpsest.ledger import Recall, Request
from palimpsest.settings import SeatsSettings
from palimpsest.types import Memory
from tests.support.counters import Letters
from tests.support.views import ListView, ask, fact, talk

ROOMY = Config(facts=FactsSettings(quota=100_000))


def memory(id: int, **traits: object) -> Memory:
    return dataclasses.replace(fact(id, f"text {id}"), **traits)  # type: ignore[arg-type]


def many(first: int, number: int, **traits: object) -> list[Memory]:
    return [memory(id, **traits) for id in range(first, first + number)]


def selected(rows: list[Memory], *back: int, **given: object) -> Selection:
    recall = Recall(semantic={id: 1 - place / 100 for place, id in enumerate(back)})
    return select(columns(rows), recall, SeatsSettings(**given))  # type: ignore[arg-type]


def by(selection: Selection, reason: str) -> list[int]:
    return [id for id, why in selection.seats if why == reason]


def built(
    rows: list[Memory], config: Config = ROOMY, budget: int = 10_000, **more: object
) -> Request:
    view = ListView(talk(("a", "b")), rows, **more)  # type: ignore[arg-type]
    return Seats().build(view, ask("q", budget), Letters(), config)


def fates(request: Request) -> dict[int, str]:
    return {
        id: entry.reason
        for entry in request.ledger.memories
        for id in range(entry.first, entry.last + 1)
    }


def lines(request: Request) -> list[str]:
    return [x for x in str(request.sent[-1].content).split("\n") if x.startswith("- ")]


def test_26_pinned_memories_do_not_crowd_out_10_relevant_global_ones() -> None:
    """The first measured fault gave 24 pinned, 0 global, 0 by meaning."""
    rows = many(1, 26, pinned=True) + many(27, 10, reach="global") + many(37, 40)
    found = selected(rows, *range(27, 37))
    assert (18, 6, 0) == tuple(len(by(found, why)) for why in ("pinned", "global", "semantic"))
    found = selected(rows, *range(37, 47))
    assert (18, 6) == (len(by(found, "pinned")), len(by(found, "global")))
    found = selected([*many(1, 26, pinned=True), *many(37, 40)], *range(37, 47))
    assert (18, 6) == (len(by(found, "pinned")), len(by(found, "semantic")))


def test_19_rules_leave_all_24_seats_to_recall() -> None:
    """The second measured fault: rules took 19 of the 24 seats and nothing else moved."""
    rest = many(100, 60)
    rules = many(1, 19, kind="rule")
    with_rules, without = selected(rest + rules, 110, 111), selected(rest, 110, 111)
    assert without.seats == with_rules.seats
    assert (24, 19) == (len(with_rules.seats), len(with_rules.rules))
    assert [110, 111] == by(with_rules, "semantic")


def test_the_reserve_freezes_no_seat_that_nobody_could_take() -> None:
    """With two global memories, two seats are held and not six."""
    rows = many(1, 30, pinned=True) + many(31, 2, reach="global")
    assert (22, 2) == tuple(len(by(selected(rows), why)) for why in ("pinned", "global"))
    assert 24 == len(by(selected(many(1, 30, pinned=True)), "pinned"))


def test_what_the_question_brings_back_sits_nearest_first_up_to_16() -> None:
    """Score decides, then rank."""
    found = selected(many(1, 60), *range(20, 1, -1))
    assert list(range(20, 4, -1)) == by(found, "semantic")


def test_quotas_by_kind_then_whoever_ranks_next() -> None:
    """6 facts, 5 preferences, 4 promises, 5 episodes; four seats are caught up."""
    rows = [
        row
        for place, kind in enumerate(("fact", "preference", "promise", "episode"))
        for row in many(1 + 20 * place, 20, kind=kind)
    ]
    found = selected(rows)
    quota = by(found, "quota")
    assert [6, 5, 4, 5] == [sum(20 * k < id <= 20 * k + 20 for id in quota) for k in range(4)]
    assert [20, 19, 18, 17, 16, 15] == quota[:6]
    assert [14, 13, 12, 11] == by(found, "catch-up")


def test_rank_is_pinned_own_kind_confidence_then_recency() -> None:
    """Each key decides only where all before it are equal."""
    rows = [
        memory(1, kind="episode", pinned=True), memory(2, reach="global"),
        memory(3, kind="preference"), memory(4, confidence=0.5), memory(5, confidence=0.9),
        memory(6, confidence=0.9), memory(7),
    ]  # fmt: skip
    found = selected(rows, limit=7, share=0.0, facts=0, preferences=0, promises=0, episodes=0)
    assert [1, 2, 7, 6, 5, 4, 3] == [id for id, _ in found.seats]


def test_words_and_meaning_bring_back_together() -> None:
    """What is found by words only says so; where meaning is silent, words alone give the order."""
    rows = columns(many(1, 60))
    lexical = {3: 1.0, 4: 2.0}
    alone = select(rows, Recall(lexical=lexical, degraded="timeout"), SeatsSettings())
    beside = select(rows, Recall(lexical=lexical, semantic={9: 0.5}), SeatsSettings())
    assert [4, 3] == by(alone, "lexical")
    assert ([4, 3], [9]) == (by(beside, "lexical"), by(beside, "semantic"))


def test_what_is_near_by_meaning_and_by_words_comes_first() -> None:
    """Ranks count and scores do not, for a cosine and a sum over words have no common scale."""
    recall = Recall(semantic={1: 0.9, 2: 0.8, 3: 0.7}, lexical={3: 9.0, 4: 8.0})
    found = select(columns(many(1, 60)), recall, SeatsSettings())
    seats = [id for id, why in found.seats if why in ("semantic", "lexical")]
    # Place 3 is third and first, 1 is first, 4 and 2 are second each: the newer comes first.
    assert [3, 1, 4, 2] == seats


def test_scores_of_memories_that_are_gone_give_no_seat() -> None:
    """An index that lags behind the store seats nobody who is not there."""
    rows = [memory(1, superseded_by=2), memory(2)]
    assert ((2, "semantic"),) == selected(rows, 99, 1, 2).seats
    assert () == selected([], 1, 2).seats


@pytest.mark.parametrize("strategy", [Seats(), Managed()])
def test_what_has_ended_is_left_out_and_what_ends_later_is_not(strategy: Seats) -> None:
    """The end is exclusive, and only the time given with the question counts."""
    rows = [memory(1, valid_until="2026-06-01T00:00:00+00:00"), memory(2, valid_until="2026-07-01")]
    for now, expected in (
        ("2026-06-01T00:00:00+00:00", ["ended", True]), ("2026-05-31T23:59:59+00:00", [True, True]),
        ("", [True, True]),
    ):  # fmt: skip
        view = ListView([], rows, asked_at=now)
        request = strategy.build(view, ask("q", 9000), Letters(), ROOMY)
        entries = [request.ledger.memory(id) for id in (1, 2)]
        assert expected == [e.seated or e.reason for e in entries if e]


def test_a_seat_that_does_not_fit_the_quota_is_listed_and_the_next_is_tried() -> None:
    """Seats skip; they do not stop."""
    rows = [memory(1), memory(2, text="x" * 200), memory(3)]
    request = built(rows, Config(facts=FactsSettings(quota=70)))
    assert {1: "quota", 2: "no-room", 3: "quota"} == fates(request)
    assert ["- [#3, turn-1] text 3", "- [#1, turn-1] text 1"] == lines(request)


def sent(rows: list[Memory], recall: Recall, quota: int) -> dict[str, int]:
    """How many lines each pass has in a request of that quota."""
    view = ListView([], rows, scores=recall)
    config = Config(facts=FactsSettings(quota=quota))
    request = Seats().build(view, ask("q", 9000), Letters(), config)
    reasons = [fate for fate in fates(request).values() if fate not in ("no-room", "no-seat")]
    return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}


def test_a_short_quota_is_shared_as_the_seats_are() -> None:
    """The reserve holds in tokens: pinned lines do not take what the question brought back.

    24 seats want some 600 tokens here; a quota of 240 holds nine or ten lines.
    """
    rows = [*many(10, 26, pinned=True), *many(40, 10, reach="global")]
    found = sent(rows, Recall(), 240)
    assert {"pinned", "global"} == set(found)
    assert found["pinned"] > found["global"] >= 2


def test_global_lines_do_not_take_the_tokens_of_what_the_question_brought_back() -> None:
    """Six global seats come first and would fill a short quota alone."""
    rows = [*many(10, 30), *many(40, 10, reach="global")]
    recall = Recall(lexical={id: float(id) for id in range(10, 30)})
    found = sent(rows, recall, 240)
    assert found["lexical"] >= 2 * found["global"] > 0


def test_tokens_that_a_pass_leaves_go_to_what_the_question_brought_back_first() -> None:
    """A share is a bound and nothing is left unused for it."""
    recall = Recall(lexical={id: float(id) for id in range(10, 30)})
    lines = sum(sent(many(10, 30), Recall(), 240).values())
    assert {"lexical": lines} == sent(many(10, 30), recall, 240)


def test_rules_stand_first_outside_the_quota_and_are_counted_apart() -> None:
    """No quota drops a rule; the ledger counts them as a required part."""
    rows = [*many(1, 3, kind="rule"), *many(4, 3)]
    request = built(rows, Config(facts=FactsSettings(quota=0)))
    assert ["#1", "#2", "#3"] == [line[3:5] for line in lines(request)]
    assert {"rule", "no-room"} == set(fates(request).values())
    parts = request.ledger.parts
    assert (True, 0) == (parts["rules"] > 0, parts["facts"])
    assert request.tokens == sum(parts.values())


def test_rules_that_do_not_fit_refuse_the_request_by_name() -> None:
    """The required part is never cut."""
    with pytest.raises(RequiredContextTooLarge, match="rules") as refused:
        built(many(1, 9, kind="rule"), budget=200)
    assert refused.value.required == sum(refused.value.parts.values()) > 200


def test_facts_give_way_before_the_rules_do() -> None:
    """Where the budget is short, seats are listed as no-room and the rules stay."""
    rows = [*many(1, 2, kind="rule"), *many(3, 20)]
    roomy = built(rows)
    tight = built(rows, budget=roomy.tokens - 30)
    assert {"rule"} == {fates(tight)[id] for id in (1, 2)}
    assert "no-room" in fates(tight).values()
    assert tight.tokens <= roomy.tokens - 30


def test_a_ledger_over_many_memories_is_its_runs_and_comes_back_whole() -> None:
    """Columns in, columns out; equal to plain entries, and found by id."""
    request = built([memory(id, superseded_by=9 if id % 7 == 0 else None) for id in range(1, 900)])
    ledger = request.ledger
    again = ledger_json.loads(ledger_json.dumps(ledger))
    assert ledger == again
    assert tuple(ledger.memories) == tuple(again.memories)
    assert ledger.memories[-1] == tuple(ledger.memories)[-1]
    assert [1] * 899 == [
        sum(e.first <= id <= e.last for e in again.memories) for id in range(1, 900)
    ]
    assert "superseded" == again.memory(7).reason  # type: ignore[union-attr]
    assert ledger.memory(900) is None


def test_parameters_of_the_spec_beat_the_settings() -> None:
    """limit, quota, semantic and share; a wrong one is named."""
    view = ListView([], many(1, 40))
    request = Seats(limit=3, quota=9000).build(view, ask("q", 9000), Letters(), Config())
    assert (3, "seats(limit=3, quota=9000)") == (len(lines(request)), request.strategy)
    for wrong in (Seats(limit=-1), Seats(share=1.5), Seats(semantic=-2)):
        with pytest.raises(SpecError):
            wrong.build(view, ask("q", 9000), Letters(), Config())
