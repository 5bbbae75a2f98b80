"""``palimpsest measure seats``: seats by reason, over a suite or over a person's store."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from palimpsest.bench.seat_reasons import COUNTED, DEFAULT_SUITE, as_json, of_store, of_suite
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.store_options import DEFAULT_CONVERSATION, DEFAULT_USER, opened
from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown


@click.command()
@click.option("--suite", default=DEFAULT_SUITE, show_default=True, help="A suite to replay.")
@click.option(
    "--strategy", "strategies", multiple=True, metavar="SPEC", default=("seats",),
    show_default=True, help="A strategy; repeat for more.",
)  # fmt: skip
@click.option(
    "--store", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Count the requests that this memory database keeps, and replay nothing.",
)  # fmt: skip
@click.option("--user", default=DEFAULT_USER, show_default=True, help="Whose, with --store.")
@click.option(
    "--conversation", default=DEFAULT_CONVERSATION, show_default=True, help="Which, with --store."
)
@click.option(
    "--newest", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
    help="How many requests of the store.",
)  # fmt: skip
@click.option("--tokenizer", metavar="NAME", help="The tokenizer to count with.")
@click.option("--json", "target", metavar="PATH|-", help="Write the counts; - is standard output.")
def seats(
    suite: str,
    strategies: tuple[str, ...],
    store: Path | None,
    user: str,
    conversation: str,
    newest: int,
    tokenizer: str | None,
    target: str | None,
) -> None:
    """Count the seats of requests by the reason for which they were given."""
    source = suite if store is None else str(store)
    with json_output(target) as write:
        if store is None:
            found = of_suite(suite, strategies, tokenizer)
        else:
            with opened(store) as memory:
                found = of_store(memory.conversation(user=user, id=conversation), newest)
        write(as_json(source, found))
    if target == STDOUT:
        return
    console = Terminal(highlight=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("seats a request", no_wrap=True)
    table.add_column("requests", justify="right")
    shown_reasons = [r for r in COUNTED if any(r in item.counts for item in found)]
    for reason in shown_reasons:
        table.add_column(reason, justify="right")
    for item in found:
        cells = [f"{item.mean(reason):.1f}" for reason in shown_reasons]
        table.add_row(Text(shown(item.name)), str(item.requests), *cells)
    console.print(Text(shown(source), style="bold"))
    console.print(table, soft_wrap=True)
    if target is not None:
        console.print(f"counts: {shown(target)}", markup=False, soft_wrap=True)
