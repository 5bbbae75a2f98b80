"""``palimpsest measure recall``: recall@k at growing sizes, and the threshold of each embedder."""

from __future__ import annotations

import click
from rich.table import Table
from rich.text import Text

from palimpsest import registry
from palimpsest.bench import cosines, recall_scores
from palimpsest.bench.recall_corpus import LANGUAGES, Asking, Language
from palimpsest.bench.recall_scores import SIZES, Point
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.terminal import Terminal
from palimpsest.errors import NotPrepared
from palimpsest.protocols import Embedder

_LARGEST = 3_000
_SHOWN = (3, 16)
_ASKED: dict[Asking, str] = {
    "meant": "questions that share few words with their answer",
    "named": "questions that name their answer",
}


@click.command()
@click.option(
    "--embedder", "specs", multiple=True, metavar="SPEC",
    help="An embedder; repeat for more. Default: every one that is ready.",
)  # fmt: skip
@click.option("--words", is_flag=True, help="Words alone, no embedder.")
@click.option(
    "--size", "sizes", multiple=True, type=click.IntRange(18, _LARGEST), metavar="N",
    default=SIZES, show_default=True, help="How many memories; repeat for more, up to 3,000.",
)  # fmt: skip
@click.option(
    "--language", "languages", multiple=True, type=click.Choice(LANGUAGES), default=LANGUAGES,
    show_default=True, help="Which half of the corpus.",
)  # fmt: skip
@click.option("--json", "target", metavar="PATH|-", help="Write the counts; - is standard output.")
def recall(
    specs: tuple[str, ...],
    words: bool,
    sizes: tuple[int, ...],
    languages: tuple[Language, ...],
    target: str | None,
) -> None:
    """Measure what recall finds among more and more memories, and read thresholds.

    18 facts, six questions, ten answers, five sets of distractors; relevance is told fact by
    fact. Words alone, each embedder alone, both as seats use them, with a backdrop and with
    prefixes.
    """
    if words and specs:
        raise click.UsageError("--words is without an embedder; leave it out, or --embedder")
    embedders = {} if words else _embedders(specs)
    sizes = tuple(sorted(set(sizes)))
    with json_output(target) as write, late_progress() as step:
        points = recall_scores.measure(embedders, sizes=sizes, languages=languages, step=step)
        spreads = [
            spread
            for name, embedder in embedders.items()
            for spread in cosines.measure(name, embedder, languages)
        ]
        write({**recall_scores.as_json(points), **cosines.as_json(spreads)})
    if target == STDOUT:
        return
    console = Terminal(highlight=False)
    for language in languages:
        for asking, title in _ASKED.items():
            mine = [p for p in points if (p.language, p.asking) == (language, asking)]
            console.print(Text(f"{language}: {title}, {mine[0].relevant} answers", style="bold"))
            console.print(_table(mine, sizes), soft_wrap=True)
    for spread in spreads:
        console.print(_line(spread), markup=False, soft_wrap=True)
    if target is not None:
        console.print(f"counts: {target}", markup=False, soft_wrap=True)


def _embedders(specs: tuple[str, ...]) -> dict[str, Embedder]:
    """Those that were named, or all that can be used here."""
    if specs:
        return {spec: registry.load("embedders", registry.parse(spec)) for spec in specs}
    found: dict[str, Embedder] = {}
    for name in registry.names("embedders"):
        try:
            found[name] = registry.load("embedders", registry.parse(name))
        except NotPrepared as error:
            click.echo(f"{name}: left out: {error}", err=True)
    return found


def _table(points: list[Point], sizes: tuple[int, ...]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(f"among the first {_SHOWN[0]} / {_SHOWN[1]}", no_wrap=True)
    for size in sizes:
        table.add_column(f"{size:,}", justify="right", no_wrap=True)
    for way in dict.fromkeys(point.way for point in points):
        mine = {point.size: point for point in points if point.way == way}
        cells = [
            " / ".join(str(mine[n].found[k]) for k in _SHOWN) if n in mine else "" for n in sizes
        ]
        table.add_row(way, *cells)
        if any(point.seated is not None for point in mine.values()):
            table.add_row(f"  with a seat, {way}", *(str(mine[n].seated) for n in sizes))
    return table


def _line(spread: cosines.Cosines) -> str:
    answers, others = spread.answer_parts, spread.other_parts
    return (
        f"{spread.embedder}, {'+'.join(spread.languages)}: others {others[0.5]:.2f} (median), "
        f"{others[0.95]:.2f} (95 %), {others[1.0]:.2f} (highest); answers {answers[0.0]:.2f} "
        f"(lowest), {answers[0.05]:.2f} (5 %), {answers[0.5]:.2f} (median); gap {spread.gap:+.2f}; "
        f"threshold {spread.held:.2f} reaches {spread.reached[spread.held]:.0%} of the answers and "
        f"{spread.passed[spread.held]:.1%} of the others; read {spread.read:.2f}: "
        f"{spread.reached[spread.read]:.0%} and {spread.passed[spread.read]:.1%}"
    )
