"""The table shows found, stale, forgotten and tokens at a glance, with and without colour."""

import dataclasses

from rich.console import Console

from palimpsest.bench.replay import Replayed
from palimpsest.cli.bench_table import heading, lines, long_names, tables
from palimpsest.config import Config, SweepSettings
from tests.support.suites import made, meeting, point, run, turn


def printed(found: Replayed, width: int = 100, *, terminal: bool = False) -> str:
    console = Console(width=width, force_terminal=terminal, highlight=False)
    with console.capture() as captured:
        console.print(heading(found), soft_wrap=True)
        console.print(tables(found, width))
        for name in long_names(found, width):
            console.print(name, soft_wrap=True)
        for line in lines(found):
            console.print(line, soft_wrap=True)
    return captured.get()


def test_signs_carry_leaks_without_colour() -> None:
    """A stale and a forgotten fact are marked beside found/required, the tokens below."""
    found = run(meeting())
    out = printed(found).splitlines()
    recent = next(line for line in out if line.startswith("recent"))
    assert ["recent", "2/2", "1/1", "~1", "!1", "3/3", "~1", "!1"] == recent.split()
    below = out[out.index(recent) + 1].split()
    assert [str(row.tokens) for row in found.rows["recent"]] == below
    assert "\x1b" not in "".join(out)


def test_colour_stands_on_a_terminal_only() -> None:
    """The same table has colour codes where a terminal reads it."""
    assert "\x1b[" in printed(run(meeting()), terminal=True)


def test_the_findings_stand_below() -> None:
    """Each finding is one line with its sign."""
    out = printed(run(meeting()))
    assert " ! recent still sends '4711' at turn 5: forgotten at turn 4" in out
    assert " + managed sends all 3 required facts and nothing replaced or forgotten" in out


def test_a_sweep_has_a_table_of_its_own() -> None:
    """Quotas stand across, the memory strategies down."""
    config = Config(sweep=SweepSettings(quota=(0, 160)))
    out = printed(run(meeting(), config=config))
    assert ["facts", "quota", "0", "160"] in [line.split() for line in out.splitlines()]


def test_many_checkpoints_are_cut_into_tables_that_fit() -> None:
    """A narrow terminal gets several tables, the total stands once, and no line is cut."""
    turns = [turn(n, f"Word{n}.") for n in range(1, 21)]
    found = run(made(turns, [point(n, [f"Word{n}"]) for n in range(1, 21)]))
    out = printed(found, 80)
    assert max(map(len, out.splitlines())) <= 80
    assert 1 == out.count("total")
    assert all(f"turn {n}" in out for n in range(1, 21))


def test_a_long_spec_leaves_the_figures_in_sight() -> None:
    """A name of more than a third of the width is told below the table, where it is whole."""
    found = run(meeting())
    long = {f"managed(quota={n}, order='newest', path='{'x' * 90}')": 1 for n in (1, 2)}
    rows = dict.fromkeys(long, found.rows["managed"]) | {"recent": found.rows["recent"]}
    out = printed(dataclasses.replace(found, rows=rows, sweep={}), 80)
    assert 2 == sum("3/3" in line for line in out.splitlines() if line.startswith("managed ["))
    assert max(map(len, out.splitlines()[2:8])) <= 80
    assert all(f"managed [{n}]: {key}" in out.splitlines() for n, key in enumerate(long, 1))


def test_texts_of_a_suite_cannot_steer_the_terminal() -> None:
    """Escape codes and markup in a name or a fact are shown, not obeyed."""
    turns = [turn(1, "[red]x[/red] \x1b[2Jy"), turn(2, "z " * 99)]
    suite = made(turns, [point(2, ["[red]x[/red] \x1b[2Jy"])], 50, name="\x1b[31mn")
    out = printed(run(suite, ["recent"]))
    assert "\x1b" not in out
    assert "\\x1b[31mn" in out
    assert "[red]x[/red]" in out


def test_an_estimate_is_named_as_one() -> None:
    """Counts of an estimator are never shown as exact."""
    found = run(meeting())
    guessed = dataclasses.replace(
        found, frame=dataclasses.replace(found.frame, name="estimate", estimated=True)
    )
    assert "counted by words" in printed(found)
    assert "ESTIMATED by estimate" in printed(guessed)
