"""``palimpsest measure dedup``: how scores spread around the threshold of one memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from palimpsest.bench.dedup_scores import BINS, Spread, as_json, of_pairs, of_texts
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import DEFAULT_CONVERSATION, DEFAULT_USER, opened
from palimpsest.cli.terminal import Terminal
from palimpsest.config import Config
from palimpsest.language.invisible import shown


@click.command()
@click.option(
    "--store", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Compare every two current memories of this database, not the built-in pairs.",
)  # fmt: skip
@click.option("--user", default=DEFAULT_USER, show_default=True, help="Whose, with --store.")
@click.option(
    "--conversation", default=DEFAULT_CONVERSATION, show_default=True, help="Which, with --store."
)
@click.option("--json", "target", metavar="PATH|-", help="Write the scores; - is standard output.")
def dedup(store: Path | None, user: str, conversation: str, target: str | None) -> None:
    """Show how the scores of pairs spread around the threshold of one memory."""
    settings = Config().dedup
    with json_output(target) as write:
        if store is None:
            source, spread = "the built-in pairs", of_pairs(settings)
        else:
            with opened(store) as memory:
                talk = memory.conversation(user=user, id=conversation)
                texts = [row.text for row in talk.current()]
            with late_progress() as step:
                each = partial(step, "comparing every two memories")
                source, spread = str(store), of_texts(texts, settings, each)
        write(as_json(source, spread))
    if target == STDOUT:
        return
    console = Terminal(highlight=False)
    for line in _lines(source, spread):
        console.print(shown(line), markup=False, soft_wrap=True)


def _lines(source: str, spread: Spread) -> list[str]:
    found = [f"{source}: {spread.pairs} pairs, one memory from {spread.threshold:.2f} on"]
    if spread.wrong is not None:
        found.append(f"wrongly one: {spread.wrong}   rightly one: {spread.found}")
    found += [f"{at / BINS:.2f}  {many:>6}" for at, many in enumerate(spread.bins) if many]
    gap = "no pair on one side" if spread.gap is None else f"{spread.gap:.3f}"
    found.append(f"gap at the threshold: {gap}")
    for name, nearest in (("nearest under it", spread.below), ("nearest above it", spread.above)):
        found.append(f"{name}:")
        found += [f"  {pair.score:.3f}  {pair.a} | {pair.b}" for pair in nearest]
    return found
