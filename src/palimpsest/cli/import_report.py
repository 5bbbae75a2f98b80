"""What an import says: what is in, what was left, where and why.

Invariant: places and names, never a word of a conversation.
"""

from __future__ import annotations

from pathlib import Path

import click

from palimpsest.chat_logs import Fate, LogImport, Taken
from palimpsest.importers import Left
from palimpsest.importers.reasons import REASONS
from palimpsest.importers.reasons import Fate as Kind
from palimpsest.language.invisible import shown
from palimpsest.store.importing import Imported

_FATES: dict[Fate, str] = {
    "added": "added", "branch": "added as a branch", "grown": "grew", "known": "was here",
}  # fmt: skip
_KINDS: dict[Kind, str] = {
    "damaged": "could not be read", "left": "not taken", "changed": "taken with a change",
}  # fmt: skip


class Listing:
    """Hears of every outcome; prints each one where all are wanted."""

    def __init__(self, *, all: bool, dry_run: bool) -> None:
        self._all, self._dry_run = all, dry_run

    def __call__(self, found: Taken | Left) -> None:
        """Count one outcome, and print it."""
        if isinstance(found, Taken):
            if self._all:
                told = f"conversation {shown(found.name)!r}, {_many(found.turns, 'turn')}"
                click.echo(f"{_fate(found.fate, dry_run=self._dry_run)}: {told}")
        elif self._all:
            kind = _KINDS[REASONS[found.reason].fate]
            click.echo(f"{kind}: {shown(found.where)}: {REASONS[found.reason].words}")

    def interrupted(self, held: int) -> None:
        """Say what is in, for somebody who stopped in the middle: ``held`` of the user's."""
        if not self._dry_run:
            told = (
                f"{_many(held, 'conversation')} in the store, each whole; the same command goes on"
            )
            click.echo(told, err=True)


def report(done: LogImport, file: Path, *, user: str, dry_run: bool) -> None:
    """The sums of one file, and the first places of what was left, by reason."""
    click.echo(f"{file}: {done.title}")
    for fate in _FATES:
        if done.fates[fate]:
            told = _fate(fate, dry_run=dry_run)
            click.echo(f"{told}: {_many(done.fates[fate], 'conversation')}")
    for kind, words in _KINDS.items():
        found = {r: n for r, n in done.left.items() if REASONS[r].fate == kind}
        for reason, count in sorted(found.items(), key=lambda item: (-item[1], item[0])):
            click.echo(f"{words}: {count:,} x {reason} ({REASONS[reason].words})")
            for place in done.examples[reason]:
                click.echo(f"    {shown(place.removeprefix(str(file)).lstrip())}")
            if count > len(done.examples[reason]):
                click.echo(f"    ... and {count - len(done.examples[reason]):,} more (--all)")
    if dry_run:
        click.echo(f"{_many(done.turns, 'turn')} would be added; nothing was written")
    elif done.turns:
        click.echo(
            f"{_many(done.turns, 'turn')} in the store, to be read by 'palimpsest reflect --all "
            f"--user {shown(user)}'"
        )
    else:
        click.echo("nothing changed")


def own_report(done: Imported, *, dry_run: bool) -> None:
    """What an own export brought."""
    for user, name in done.added:
        click.echo(f"{_fate('added', dry_run=dry_run)}: conversation {name!r} of user {user!r}")
    for user, name in done.known:
        click.echo(f"was here: conversation {name!r} of user {user!r}")
    told = "would be added; nothing was written" if dry_run else "were added"
    click.echo(f"{done.rows:,} rows {told}")


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _fate(fate: Fate, *, dry_run: bool) -> str:
    words = _FATES[fate]
    if not dry_run or fate == "known":
        return words
    return "would grow" if fate == "grown" else f"would be {words}"
