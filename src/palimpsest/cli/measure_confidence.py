"""``palimpsest measure confidence``: candidates by band, and what a zero count allows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from palimpsest.bench.confidence import (
    RATE,
    Band,
    Bands,
    as_json,
    of_exchanges,
    of_memories,
    of_suite,
)
from palimpsest.bench.run import find_all
from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import DEFAULT_CONVERSATION, DEFAULT_USER, opened
from palimpsest.cli.terminal import Terminal
from palimpsest.config import Config
from palimpsest.language.invisible import shown
from palimpsest.reflecting import resolved


@click.command()
@click.option(
    "--extractor", default="rules", show_default=True, metavar="SPEC",
    help="What reads; llm(model='replayed:FILE') reads recorded reflections.",
)  # fmt: skip
@click.option("--suite", metavar="SUITE|FILE", help="Read this suite, not the built-in exchanges.")
@click.option(
    "--draws", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="How often each built-in exchange is read.",
)  # fmt: skip
@click.option(
    "--store", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Count the current memories of this database, and read nothing.",
)  # fmt: skip
@click.option("--user", default=DEFAULT_USER, show_default=True, help="Whose, with --store.")
@click.option(
    "--conversation", default=DEFAULT_CONVERSATION, show_default=True, help="Which, with --store."
)
@click.option(
    "--rate", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=RATE,
    show_default=True, help="Print how likely a zero count was, had this share been true.",
)  # fmt: skip
@click.option("--json", "target", metavar="PATH|-", help="Write the counts; - is standard output.")
def confidence(
    extractor: str,
    suite: str | None,
    draws: int,
    store: Path | None,
    user: str,
    conversation: str,
    rate: float,
    target: str | None,
) -> None:
    """Count candidates by the confidence that they tell, and say what a zero count allows."""
    with json_output(target) as write:
        if store is not None:
            with opened(store) as memory:
                rows = memory.conversation(user=user, id=conversation).current()
            source, found = str(store), of_memories(row.confidence for row in rows)
        else:
            source, found = _read(extractor, suite, draws)
        write(as_json(source, found, rate))
    if target == STDOUT:
        return
    console = Terminal(highlight=False)
    for line in _lines(source, found, rate):
        console.print(shown(line), markup=False, soft_wrap=True)


def _read(spec: str, suite: str | None, draws: int) -> tuple[str, Bands]:
    made, name = resolved(spec)
    try:
        with late_progress() as step:
            if suite is None:
                found = of_exchanges(made, Config(), draws=draws, step=step)
                return f"the built-in exchanges, {draws} draws by {name}", found
            (chosen,) = find_all((suite,))
            return f"{chosen.name} by {name}", of_suite(chosen, made, Config(), step)
    finally:
        close = getattr(made, "close", None)
        if close is not None:
            close()


def _lines(source: str, found: Bands, rate: float) -> Iterator[str]:
    yield source
    for grade in found.grades:
        failed = f"   {grade.failed} failed" if grade.failed else ""
        yield f"{grade.name:<12} a candidate in {grade.candidates} of {grade.read}{failed}"
    yield "confidence   candidates"
    ends = [f"{band.least:.2f}" for band in found.bands[1:]] + ["1.00"]
    for band, end in zip(found.bands, ends, strict=True):
        yield f"{band.least:.2f} to {end} {band.count:>6}   {_allows(band, rate)}".rstrip()
    yield f"none told    {found.untold:>6}"


def _allows(band: Band, rate: float) -> str:
    bound, chance = band.bound, band.chance(rate)
    if bound is None or chance is None:
        return f"{band.count / band.of:.0%} of {band.of}" if band.of else "nothing can be said"
    return (
        f"none of {band.of}: a share up to {bound:.0%} is not refuted; "
        f"at {rate:.0%} none would be seen {chance:.0%} of the time"
    )
