"""``palimpsest reflect``: reads the turns that wait and decides what to remember."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.memory_tables import day_line, verdict_table
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown
from palimpsest.proposals import DayTokens, Reflection
from palimpsest.protocols import Extractor
from palimpsest.reflecting import resolved


@click.command()
@click.option("--extractor", metavar="SPEC", help="What proposes. Default: that of the settings.")
@click.option("--retry", is_flag=True, help="Read turns again that could not be read.")
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option(
    "--all", "all_", is_flag=True, help="Every conversation of the user in which turns wait."
)
@store_options
def reflect(
    extractor: str | None, retry: bool, config: Path | None, all_: bool, store: Path, user: str,
    conversation: str,
) -> None:  # fmt: skip
    """Read what was observed; every proposal gets a verdict."""
    with opened(store, config=config) as held:
        names = held.waiting(user) if all_ else (conversation,)
        turns = 0
        with _extractor(extractor or held.config.reflection.extractor, once=all_) as chosen:
            for name in names:
                talk = held.conversation(user=user, id=name)
                before = talk.day_tokens().used
                with late_progress() as step:
                    done = talk.reflect(
                        extractor=chosen, retry=retry, step=partial(step, f"reading {name}")
                    )
                turns += sum(reading.status == "done" for reading in done)
                if not all_ or any(r.verdicts or r.status != "done" for r in done):
                    _show(done, talk.day_tokens(), before, name if all_ else "")
                if any(reading.status == "pending" for reading in done):
                    # The tokens of a day are the user's: no other conversation has any left.
                    break
        if all_:
            told = f"{turns:,} turns read of {len(names):,} conversations that waited"
            Terminal().print(told if names else f"nothing waits of user {user!r}", markup=False)


@contextmanager
def _extractor(spec: str, *, once: bool) -> Iterator[str | Extractor]:
    """The extractor itself where many conversations share it: a model is loaded once."""
    if not once:
        yield spec
        return
    made, _ = resolved(spec)
    try:
        yield made
    finally:
        if (close := getattr(made, "close", None)) is not None:
            close()


def _show(done: Sequence[Reflection], day: DayTokens, before: int, name: str) -> None:
    """What a conversation's readings decided."""
    terminal = Terminal()
    if name:
        terminal.print(f"conversation {shown(name)!r}:", markup=False)
    found = [verdict for reading in done for verdict in reading.verdicts]
    terminal.print(verdict_table(found) if found else f"{len(done)} turns read, nothing proposed")
    waits = [reading.turn for reading in done if reading.status == "pending"]
    if day.used > before:
        terminal.print(f"{day.used - before} tokens; {day_line(day)}", style="dim", markup=False)
    if waits:
        text = f"{len(waits)} turns wait: one more reading could go over; {day_line(day)}"
        terminal.print(text, style="yellow", markup=False, soft_wrap=True)
    for reading in done:
        if reading.status == "failed":
            text = f"turn {reading.turn} could not be read: {shown(reading.error)}"
            terminal.print(text, style="red", markup=False)
