"""``palimpsest import``: takes over files of ``palimpsest export`` and logs of other programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from palimpsest.cli.import_report import Listing, own_report, report
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import DEFAULT_USER, opened, store_only
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.importers import FORMATS, OWN, Source, recognised
from palimpsest.language.invisible import shown

_FORMATS = (OWN, *FORMATS)
_FINDING, _NOTHING = 1, 2


@click.command("import")
@click.argument(
    "files", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE...",
    nargs=-1, required=True,
)  # fmt: skip
@click.option("--user", metavar="NAME", help="Whose a chat log is.  [default: me]")
@click.option(
    "--format", "format_", type=click.Choice(_FORMATS), metavar="NAME",
    help=f"What FILE is, instead of looking: {', '.join(_FORMATS)}.",
)  # fmt: skip
@click.option("--as-user", metavar="NAME", help="Give the one user of an own export another name.")
@click.option("--dry-run", is_flag=True, help="Say what would be taken; write nothing.")
@click.option("--no-tools", is_flag=True, help="Leave tool calls and their results out.")
@click.option("--no-branches", is_flag=True, help="Take the main branch of each conversation.")
@click.option("--all", "all_", is_flag=True, help="List every conversation and every place.")
@store_only
@click.pass_context
def import_(
    ctx: click.Context, files: tuple[Path, ...], user: str | None, format_: str | None,
    as_user: str | None, dry_run: bool, no_tools: bool, no_branches: bool, all_: bool,
    store: Path,
) -> None:  # fmt: skip
    """Take over FILE: an own export, or a chat log of another program.

    What FILE is shows in what stands in it. An export of palimpsest is taken wholly or not
    at all. Of a chat log each conversation is: one that is here changes nothing, one that grew
    adds its new turns, one that was edited makes a branch. What was forgotten stays so.

    Exit status 1: a part of a chat log was damaged, or one of several files could not be read;
    the rest is in.
    """
    damaged, failed = 0, 0
    for file in files:
        try:
            damaged += _file(
                store, file, user=user, format=format_ or "", as_user=as_user, dry_run=dry_run,
                tools=not no_tools, branches=not no_branches, all=all_,
            )  # fmt: skip
        except InputError as error:
            if len(files) == 1:
                raise
            failed += 1
            click.echo(f"error: {shown(str(error))}", err=True)
    if failed == len(files):
        ctx.exit(_NOTHING)
    if damaged or failed:
        ctx.exit(_FINDING)


def _file(
    store: Path, file: Path, *, user: str | None, format: str, as_user: str | None,
    dry_run: bool, tools: bool, branches: bool, all: bool,
) -> int:  # fmt: skip
    """Take one file over; how many parts of it were damaged."""
    kind = recognised(Source.all_of(file)[0], forced=format).format
    if kind is None:
        if user is not None:
            raise InputError(
                f"--user {user!r}: {file} is an own export and names its users; --as-user "
                "NAME gives its one user another name"
            )
        _own(store, file, as_user, dry_run=dry_run)
        return 0
    if as_user is not None:
        raise InputError(
            f"--as-user {as_user!r}: is for an own export; {file}: {kind.title}, so --user NAME "
            "says whose it is"
        )
    return _log(store, file, user or DEFAULT_USER, kind.name, tools=tools, branches=branches,
                dry_run=dry_run, all=all)  # fmt: skip


def _log(
    store: Path,
    file: Path,
    user: str,
    format: str,
    *,
    tools: bool,
    branches: bool,
    dry_run: bool,
    all: bool,
) -> int:
    """Take a chat log over; how many parts of it were damaged."""
    listing = Listing(all=all, dry_run=dry_run)
    with _held(store, dry_run=dry_run) as held:
        try:
            with late_progress() as late:
                done = held.import_log(
                    file, user=user, format=format, tools=tools, branches=branches,
                    dry_run=dry_run, told=listing,
                    progress=lambda at, of: late("bytes", at, of),
                )  # fmt: skip
        except KeyboardInterrupt:
            # Asked of the store: the one that was committed last may not be counted yet.
            listing.interrupted(len(held.conversations(user)))
            raise
    report(done, file, user=user, dry_run=dry_run)
    return done.damaged


def _own(store: Path, file: Path, as_user: str | None, *, dry_run: bool) -> None:
    with _held(store, dry_run=dry_run) as held, late_progress() as late:
        done = held.import_file(
            file, as_user=as_user, dry_run=dry_run, progress=lambda at: late("records", at, 0)
        )
    own_report(done, dry_run=dry_run)


@contextmanager
def _held(store: Path, *, dry_run: bool) -> Iterator[Memory]:
    """The store, made where there is none; a dry run makes none and compares with nothing."""
    if dry_run and not store.exists():
        with Memory.open(":memory:") as nothing:
            yield nothing
    else:
        with opened(store, make=True) as held:
            yield held
