"""``palimpsest audit``: is a value still anywhere in what the program wrote?"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from palimpsest.audit.needles import LEAST_DISTINCT
from palimpsest.auditing import Audit
from palimpsest.cli.json_output import json_output
from palimpsest.cli.late_progress import late_progress
from palimpsest.cli.store_options import opened, store_only
from palimpsest.cli.terminal import Terminal
from palimpsest.errors import InputError
from palimpsest.receipts import Checked

_FOUND = 1


@click.command()
@click.argument("value", metavar="[VALUE]", required=False)
@click.option(
    "--receipt", type=click.Path(path_type=Path), metavar="FILE",
    help="Check the forget of a receipt instead, by its hashes.",
)  # fmt: skip
@click.option(
    "--paths", multiple=True, type=click.Path(path_type=Path), metavar="PATH",
    help="Scan this file or folder too (reports, logs, recordings); may be given again.",
)  # fmt: skip
@click.option("--json", "json_path", metavar="FILE", help="Write JSON; - is standard output.")
@store_only
def audit(
    value: str | None, receipt: Path | None, paths: tuple[Path, ...], json_path: str | None,
    store: Path,
) -> None:  # fmt: skip
    """Look for VALUE in every row of the store and in every byte of its files.

    The database with its log, exports and backups that were made from it, the caches, and
    --paths: as UTF-8, UTF-16, JSON, HTML, URL, base64 and hex. VALUE `-` is read from
    standard input, which keeps it out of the shell's history. The exit status is 1 where
    something holds it.
    """
    if (value is None) == (receipt is None):
        raise InputError("give a VALUE to look for, or --receipt FILE to check")
    if receipt is not None:
        _check(receipt, paths, json_path, store)
        return
    text = sys.stdin.readline().strip() if value == "-" else value
    if not text:
        raise InputError("VALUE: is blank; give the text that must be gone")
    with opened(store) as held, late_progress() as late:
        found = held.audit(text, paths=paths, progress=lambda at, of: late("bytes", at, of))
    with json_output(json_path) as write:
        write(_plain(found))
    if json_path != "-":
        _show(found)
    if not found.clean:
        raise click.exceptions.Exit(_FOUND)


def _check(receipt: Path, paths: tuple[Path, ...], json_path: str | None, store: Path) -> None:
    if paths:
        raise InputError("--paths: a receipt has no value to scan for; give VALUE instead")
    with opened(store) as held, json_output(json_path) as write:
        found = held.check_receipt(receipt)
        write({"schema": 1, "clean": found.clean, **dataclasses.asdict(found)})
    if json_path != "-":
        _show_check(found)
    if not found.clean:
        raise click.exceptions.Exit(_FOUND)


def _show_check(found: Checked) -> None:
    out = Terminal()
    out.print("the seal is whole" if found.sealed else "the receipt was CHANGED since it was made")
    if not found.recorded:
        out.print("the store does NOT have every deletion that the receipt names")
    if found.lifted:
        out.print(f"{found.lifted} of its values were said again since, and are known again")
    for holding in found.rows:
        out.print(f"table {holding.table}: {holding.rows} rows say it", markup=False)
    for file in found.files:
        out.print(f"{file.kind} {file.path}: {file.state}", markup=False, soft_wrap=True)
    if not found.scrubbed:
        out.print("not yet scrubbed: a reader keeps an older state of the database in its log")
    out.print("it holds: what was forgotten is gone" if found.clean else "it does NOT hold")


def _plain(found: Audit) -> dict[str, Any]:
    return {"schema": 1, "clean": found.clean, **dataclasses.asdict(found)}


def _show(found: Audit) -> None:
    out = Terminal()
    table = Table("where", "as", "count", "first at byte")
    for holding in found.rows:
        table.add_row(f"table {holding.table}", "rows", str(holding.rows), "")
    for finding in found.findings:
        table.add_row(finding.path, finding.encoding, str(finding.count), str(finding.offset))
    if table.row_count:
        out.print(table)
    for unread in found.unread:
        out.print(f"not read: {unread}")
    if not found.scrubbed:
        out.print(
            "not yet scrubbed: a reader keeps an older state of the database in its log; end "
            "that process and run the audit again"
        )
    out.print(_sum(found))


def _sum(found: Audit) -> str:
    if not found.by_bytes:
        searched = (
            f"rows only: a value of fewer than {LEAST_DISTINCT} different characters stands in "
            "any file by chance, so bytes were not scanned"
        )
    else:
        searched = (
            f"all rows, and {found.bytes:,} bytes in {found.files} files, by a scan that found "
            f"all {found.canary} forms of a planted canary"
        )
    return f"{'gone' if found.clean else 'FOUND'}: {searched}"
