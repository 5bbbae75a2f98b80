"""Selection over random memories, scores and settings: what holds whatever came in."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.candidates import columns, ended
from palimpsest.context.seats import Selection, select
from palimpsest.ledger import Recall
from palimpsest.memory_runs import SEATED
from palimpsest.settings import SeatsSettings
from palimpsest.types import KINDS, Memory
from tests.support.views import SCOPE

NOW = "2026-06-01T00:00:00+00:00"
moments = st.sampled_from((None, "2026-05-31T23:59:59+00:00", NOW, "2026-06-02"))


@st.composite
def memories(draw: st.DrawFn) -> list[Memory]:
    """Up to 60 memories of any kind, with gaps between their ids."""
    return draw(
        st.lists(
            st.builds(
                Memory, id=st.integers(1, 200), scope=st.just(SCOPE), text=st.just("x"),
                source=st.just("api"), kind=st.sampled_from(KINDS),
                superseded_by=st.sampled_from((None, None, None, 999)),
                reach=st.sampled_from(("conversation", "global")), pinned=st.booleans(),
                confidence=st.one_of(st.none(), st.floats(0, 1)), valid_until=moments,
            ),
            max_size=60, unique_by=lambda memory: memory.id,
        )
    )  # fmt: skip


scores = st.dictionaries(st.integers(1, 210), st.floats(0.3, 1), max_size=40)
recalls = st.builds(Recall, semantic=scores, lexical=scores)
limits = st.builds(
    SeatsSettings, limit=st.integers(0, 30), share=st.sampled_from((0.0, 0.25, 0.5, 1.0)),
    semantic=st.integers(0, 20), facts=st.integers(0, 8),
)  # fmt: skip
many = settings(deadline=None, max_examples=100)


def chosen(rows: list[Memory], recall: Recall, given: SeatsSettings) -> Selection:
    return select(columns(rows), recall, given, NOW)


@many
@given(rows=memories(), recall=recalls, given=limits)
def test_no_more_seats_than_the_limit_and_each_memory_has_one_fate(
    rows: list[Memory], recall: Recall, given: SeatsSettings
) -> None:
    """Seats are filled while anyone is left, and every memory has exactly one reason."""
    found = chosen(rows, recall, given)
    seated = [id for id, _ in found.seats]
    standing = [m for m in rows if m.superseded_by is None and not ended(m, NOW)]
    competing = {m.id for m in standing if m.kind != "rule"}
    assert min(given.limit, len(competing)) == len(seated) == len(set(seated))
    assert set(seated) <= competing
    assert sorted(m.id for m in rows) == found.ids.tolist()
    for memory in rows:
        reason = found.reason(memory.id)
        expected = (
            "superseded" if memory.superseded_by is not None
            else "ended" if ended(memory, NOW)
            else "rule" if memory.kind == "rule"
            else dict(found.seats).get(memory.id, "no-seat")
        )  # fmt: skip
        assert expected == reason
    assert (len(seated) + len(found.rules)) == sum(
        n for reason, n in found.counts().items() if reason in SEATED
    )


@many
@given(rows=memories(), recall=recalls, given=limits)
def test_rules_are_always_present_and_take_no_seat(
    rows: list[Memory], recall: Recall, given: SeatsSettings
) -> None:
    """Adding rules changes no other seat."""
    found = chosen(rows, recall, given)
    rules = [m for m in rows if m.kind == "rule" and m.superseded_by is None]
    assert sorted(m.id for m in rules if not ended(m, NOW)) == list(found.rules)
    without = chosen([m for m in rows if m.kind != "rule"], recall, given)
    assert without.seats == found.seats


@many
@given(rows=memories(), recall=recalls, limit=st.integers(0, 30))
def test_the_reserve_is_honoured(rows: list[Memory], recall: Recall, limit: int) -> None:
    """A quarter of the seats goes to what is global or recalled, where there is so much."""
    given = SeatsSettings(limit=limit)
    found = chosen(rows, recall, given)
    back = {*recall.semantic, *recall.lexical}
    real = {
        m.id
        for m in rows
        if not m.pinned and m.superseded_by is None and not ended(m, NOW)
        and m.kind != "rule" and (m.reach == "global" or m.id in back)
    }  # fmt: skip
    reserve = min(max(1, round(limit / 4)), len(real), limit)
    assert reserve <= sum(id in real for id, _ in found.seats)


@many
@given(rows=memories(), recall=recalls, given=limits, seed=st.randoms())
def test_the_order_of_the_input_changes_nothing(
    rows: list[Memory], recall: Recall, given: SeatsSettings, seed: object
) -> None:
    """Neither the order of the memories nor that of the scores matters."""
    expected = chosen(rows, recall, given)
    shuffled = Recall(
        semantic=dict(reversed(recall.semantic.items())),
        lexical=dict(sorted(recall.lexical.items())),
    )
    seed.shuffle(rows)  # type: ignore[attr-defined]
    actual = chosen(rows, shuffled, given)
    assert (expected.seats, expected.rules) == (actual.seats, actual.rules)
    assert expected.codes.tolist() == actual.codes.tolist()
