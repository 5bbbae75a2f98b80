"""sweep: reads ranges anywhere a Spec or the budget has numbers, and refuses bad ones."""

import pytest

from palimpsest import registry
from palimpsest.bench.replay import Replayed, enter, replay
from palimpsest.bench.sweep import BudgetSweep, SpecSweep, Sweeps, parse_all
from palimpsest.bench.sweep_points import conclusions, variants
from palimpsest.errors import InputError, SpecError
from palimpsest.tokens.counter import TokenCounter
from palimpsest.types import Budget
from tests.support.suites import MEETING, Words, made, meeting, point


def specs(text: str) -> list[str]:
    (sweep,) = parse_all([text]).others
    assert isinstance(sweep, SpecSweep)
    return [registry.render(spec) for spec in sweep.specs]


def swept(*texts: str, window: int = 60) -> Replayed:
    suite = meeting(window)
    entrants = enter(["recent", "managed"])
    points = variants(parse_all(texts).others, entrants, suite.budget)
    return replay(
        suite, entrants=entrants, counter=TokenCounter(Words()), config=suite.config(),
        variants=points,
    )  # fmt: skip


def test_facts_quotas_are_read_as_before() -> None:
    """A list keeps its order and holds each value once; several options add up."""
    assert Sweeps(quotas=(120, 160, 240)) == parse_all(["quota=120,160,240,120"])
    assert (80, 120, 160, 5) == parse_all(["quota=80..160:40", "quota=5"]).quotas
    assert Sweeps() == parse_all([])


def test_a_budget_range_holds_both_ends() -> None:
    """From the first value to the last that the step meets, and lists as well."""
    assert (
        BudgetSweep(text="answer=64..160:32,500", key="answer", values=(64, 96, 128, 160, 500)),
    ) == parse_all(["answer=64..160:32,500"]).others
    assert (3, 5) == parse_all(["margin=3..6:2"]).others[0].values  # type: ignore[union-attr]


def test_a_spec_range_makes_a_spec_for_each_value() -> None:
    """Whole and broken numbers step exactly, and two ranges make every pair."""
    assert ["managed(quota=80)", "managed(quota=120)"] == specs("managed(quota=80..120:40)")
    assert ["x(m=0.1)", "x(m=0.2)", "x(m=0.3)"] == specs("x(m=0.1..0.3:0.1)")
    assert ["x(a=1, b=1)", "x(a=1, b=2)", "x(a=2, b=1)", "x(a=2, b=2)"] == specs(
        "x(a=1..2, b=1..2)"
    )


def test_a_quoted_text_is_no_range() -> None:
    """What stands in quotes is a text, dots and all."""
    assert ["x(a=1, p='1..9')", "x(a=2, p='1..9')"] == specs("x(a=1..2, p='1..9')")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("answer=256..64:32", "'256..64:32' runs backwards; write 64..256"),
        ("answer=64..256:0", "the step 0 of '64..256:0' is not above 0"),
        ("answer=1..65", "comes to 65 points, the most is 64"),
        ("managed(quota=1..9, x=1..9)", "comes to 81 points"),
        ("answer=0.5..2", "0.5 is not a whole number of tokens"),
        ("answer=-3..2", "-3 is not a whole number of tokens"),
        ("answer=", "'' is neither a whole number of tokens nor a range"),
        ("answer=many", "'many' is neither a whole number of tokens nor a range"),
        ("quota=1,x", "'x' is neither a whole number of tokens nor a range"),
        ("reserve=3", "'reserve' is not one of quota, window, answer, margin"),
        ("managed(quota=3)", "holds no range to sweep"),
        ("managed", "holds no range to sweep"),
        ("managed(quota=1..2", "is not a parameter list"),
        ("", "holds no range to sweep"),
    ],
)  # fmt: skip
def test_a_bad_range_is_told(text: str, told: str) -> None:
    """The error quotes the option and says what is wrong with it."""
    with pytest.raises(InputError) as caught:
        parse_all([text])
    assert f"--sweep {text!r}: " in str(caught.value)
    assert told in str(caught.value)


def test_an_unknown_strategy_or_parameter_is_told() -> None:
    """A sweep names what a run could name."""
    for text in ("manged(quota=1..2)", "managed(quote=1..2)"):
        with pytest.raises(SpecError):
            variants(parse_all([text]).others, (), meeting().budget)


def test_a_budget_sweep_repeats_every_strategy_under_each_budget() -> None:
    """A larger answer reserve leaves a smaller input, and requests that fit it."""
    run = swept("answer=0,20")
    assert ["answer=0", "answer=20"] == [found.variant.label for found in run.varied]
    assert [60, 40] == [found.variant.budget.input for found in run.varied if found.variant.budget]
    for found in run.varied:
        assert ["recent", "managed"] == list(found.rows)
        assert found.variant.budget is not None
        for rows in found.rows.values():
            assert all(row.tokens <= found.variant.budget.input for row in rows)
    assert run.varied[0].rows["recent"][0].request == run.rows["recent"][0].request


def test_a_spec_sweep_runs_its_own_strategy() -> None:
    """It needs no place in the run, and reads the store of its policy."""
    run = swept("append-only(quota=0..40:40)")
    assert ["append-only(quota=0)", "append-only(quota=40)"] == [
        found.variant.label for found in run.varied
    ]
    assert [["append-only"], ["append-only"]] == [list(found.rows) for found in run.varied]
    first, second = (found.rows["append-only"][1].request for found in run.varied)
    assert (0, True) == (first.ledger.parts["facts"], second.ledger.parts["facts"] > 0)


def test_a_point_without_room_says_so_and_stops_nothing() -> None:
    """Neither a budget that cannot be nor one that cannot hold the question ends the run."""
    run = swept("answer=0,58,60")
    told = [found.variant.refused for found in run.varied]
    assert "" == told[0]
    assert "the required part of the request takes" in told[1]
    assert "window 60 leaves no input space after answer 60" in told[2]
    assert [2, 0, 0] == [len(found.rows) for found in run.varied]


def test_a_sweep_is_told_in_a_sentence_for_each_strategy() -> None:
    """Up to where all is kept, what goes first, and what is left at the end."""
    suite = made(MEETING, [point(5, ["Birch & Co.", "Lunch is at noon"])], 60)
    entrants = enter(["recent"])
    points = variants(parse_all(["answer=0..40:10"]).others, entrants, suite.budget)
    run = replay(
        suite, entrants=entrants, counter=TokenCounter(Words()), config=suite.config(),
        variants=points,
    )  # fmt: skip
    (told,) = conclusions(run.varied)
    assert (
        "recent finds the same 2 required facts up to answer=20 (input 40); at answer=30 (input 30) "
        "it loses 'Birch & Co.' at turn 5, and at answer=40 (input 20) it finds 1"
    ) == told
    assert [] == list(conclusions(run.varied[:1]))


@pytest.mark.parametrize("text", ["window=10", "answer=1000..1200:100"])
def test_a_sweep_without_one_possible_point_is_refused(text: str) -> None:
    """It would measure nothing; one impossible point among others is kept and says so."""
    sweeps = parse_all([text]).others
    with pytest.raises(InputError, match=r"--sweep .* no point can be run \(budget: "):
        variants(sweeps, enter(["managed"]), Budget(window=560, answer=128, margin=32))
