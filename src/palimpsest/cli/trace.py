"""``palimpsest trace``: the life of one fact, and where each request has it or why not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import click
from rich.text import Text

from palimpsest.bench.replay import DEFAULT_STRATEGIES
from palimpsest.bench.run import Options, find, run_all
from palimpsest.bench.sightings import Sighting
from palimpsest.bench.trace import At, Fate, Trace, as_json, subject
from palimpsest.bench.trace import trace as follow
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown

_LISTED = {
    "required": "required",
    "stale": "replaced by now",
    "deleted": "forgotten by now",
    None: "not listed",
}


@click.command()
@click.argument("suite")
@click.argument("fact")
@click.option(
    "--strategy", "strategies", multiple=True, metavar="SPEC",
    help=f"A strategy; repeat for more. Default: {', '.join(DEFAULT_STRATEGIES)}.",
)  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option("--tokenizer", metavar="NAME", help="The tokenizer to count with.")
@click.option("--json", "target", metavar="PATH|-", help="Write the trace; - is standard output.")
def trace(
    suite: str,
    fact: str,
    strategies: tuple[str, ...],
    config: Path | None,
    tokenizer: str | None,
    target: str | None,
) -> None:
    """Follow FACT through SUITE: who said it, and where every request has it or why not.

    SUITE is a built-in suite or a file. FACT is a listed fact, an attribute, or a part of
    a fact that fits one only.
    """
    found = find(suite)
    traced = subject(found, fact)
    options = Options(
        strategies=strategies or DEFAULT_STRATEGIES,
        config=config,
        tokenizer=tokenizer,
        sweep=(),
        look_after=False,
    )
    with json_output(target) as write:
        made = follow(run_all([found], options)[0], traced)
        write(as_json(made))
    if target != STDOUT:
        console = Terminal(highlight=False)
        for line in _lines(made):
            console.print(line, soft_wrap=True)
        if target is not None:
            console.print(f"trace: {shown(target)}", markup=False, soft_wrap=True)


def _lines(made: Trace) -> Iterator[Text]:
    name = f"attribute {made.attribute}" if made.attribute else "no attribute"
    yield Text(f"{shown(made.suite)}, {shown(name)}", style="bold")
    for event in made.events:
        yield Text.assemble(
            f"  turn {event.turn:>3}  ",
            (f"{event.kind:<16}", "cyan"),
            f"{event.role:<10}",
            _quoted(event.text),
        )
    for item in made.facts:
        yield Text("")
        yield Text(_quoted(item.fact), style="bold")
        for point in item.checkpoints:
            yield Text(f"  at turn {point.after}, {_LISTED[point.listed]}")
            width = max(len(fate.strategy) for fate in point.fates)
            for fate in point.fates:
                yield _fate_line(fate, point, width)


def _fate_line(fate: Fate, point: At, width: int) -> Text:
    wanted = point.listed == "required"
    good = fate.present == wanted
    sign = "+" if good else "-" if wanted else "!"
    style = "green" if good else "yellow" if wanted else "red"
    if point.listed is None:
        sign, style = " ", ""
    told = (
        "; ".join(_places(fate.sightings))
        if fate.present
        else "not sent: " + "; ".join(absent.text for absent in fate.absences)
    )
    return Text.assemble((f"    {sign} {fate.strategy:<{width}}  ", style), shown(told))


def _places(seen: Sequence[Sighting]) -> Iterator[str]:
    """The parts that hold a fact, each with its messages; a block with its line."""
    for (part, turn), found in groupby(seen, key=lambda one: (one.part, one.turn)):
        name = f"turn {turn}" if part == "turn" else part
        yield f"{name}: " + ", ".join(
            f"message {one.message} ({one.role})" + (f" {one.line}" if one.line else "")
            for one in found
        )


def _quoted(text: str) -> str:
    line = shown(text)
    return f'"{line}"' if len(line) <= _WIDEST else f'"{line[: _WIDEST - 3]}..."'


_WIDEST = 160
"""Characters of a turn that a line of the trace shows."""
