"""``palimpsest bench forget``: the forget suite, its figures, its misses and its gate."""

from __future__ import annotations

import click
from rich import box
from rich.table import Table
from rich.text import Text

from palimpsest.bench.forget_suite import report
from palimpsest.bench.forget_suite.case import SPLITS, Split
from palimpsest.bench.forget_suite.play import Outcome
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.terminal import Terminal
from palimpsest.config import Config
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.prepared import resolve


@click.command(name="forget")
@click.option("--split", type=click.Choice(SPLITS), help="One split; both without it.")
@click.option(
    "--tokenizer", default="estimate", show_default=True, metavar="NAME",
    help="What counts; every request of this suite has room for everything.",
)  # fmt: skip
@click.option("--json", "target", metavar="PATH|-", help="Write the report; - is standard output.")
@click.pass_context
def forget_command(
    ctx: click.Context, split: Split | None, tokenizer: str, target: str | None
) -> None:
    """Forget in thirteen ways and look for what is left; exit 1 where a kind falls short."""
    counter = TokenCounter(resolve(tokenizer, Config()))
    with json_output(target) as write:
        with late_progress() as step:
            found = report.run(counter, splits=(split,) if split else SPLITS, step=step)
        told = report.as_json(found)
        write(told)
    if target != STDOUT:
        _show(found)
    if not told["passes"]:
        ctx.exit(1)


def _show(found: tuple[Outcome, ...]) -> None:
    terminal = Terminal(highlight=False)
    table = Table(box=box.SIMPLE, pad_edge=False)
    for name in ("kind", "split", "held", "leaking", "harmed", "gate"):
        table.add_column(name, justify="left" if name in ("kind", "split") else "right")
    for figure in report.figures(found):
        style = "green" if figure.passes else "bold red"
        table.add_row(
            figure.kind, figure.split, f"{figure.held}/{figure.cases}", str(figure.leaking),
            str(figure.harmed), Text("passes" if figure.passes else "falls short", style=style),
        )  # fmt: skip
    terminal.print(table)
    for outcome in report.misses(found):
        told = [
            *(f"leaks into {place}" for place in sorted(set(outcome.leaks))),
            *(f"lost {text!r}" for text in outcome.lost), *outcome.faults,
        ]  # fmt: skip
        case = outcome.case
        line = f"miss: {case.kind}, {case.split}, {case.name}: {'; '.join(told)}"
        terminal.print(line, markup=False, soft_wrap=True)
