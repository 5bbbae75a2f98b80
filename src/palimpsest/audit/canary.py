"""Proof that the scan can see: a made-up value is planted, and must be found everywhere.

A scan that finds nothing says something only where the same scan, over the same kinds of
file, finds what is there. Nothing is planted in a file of the user's.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from palimpsest.audit.needles import needles
from palimpsest.audit.scan import BLOCK_BYTES, scan

PAGE = 512
"""Bytes of a page of the planted database: the smallest, so that many rows are split."""
ROWS = 64
"""Its rows: of one length, each with the value eight bytes further, over one whole page."""

Plant = Callable[[Path, tuple[str, ...]], tuple[Path, ...]]
"""Makes a database at a path with one row a text, and says which files it consists of."""


def blind_spots(directory: Path, plant: Plant) -> tuple[str, ...]:
    """What the scan failed to see of a canary planted in ``directory``; empty where it sees."""
    value = f"Kanarienv\u00f6gel {secrets.token_hex(8)}"
    missed = []
    for number, needle in enumerate(needles([value])):
        path = directory / f"canary-{number}"
        # Across two blocks, where a scan that reads piece by piece could lose it.
        before = BLOCK_BYTES - len(needle.pattern) // 2 if number == 0 else 977
        path.write_bytes(b"\x01" * before + needle.pattern + b"\x01" * 311)
        if not scan([path], [needle]).findings:
            missed.append(f"{needle.encoding} in a plain file")
    rows = tuple("x" * (900 + 8 * row) + value + "y" * (1500 - 8 * row) for row in range(ROWS))
    found = scan(plant(directory / "canary.db", rows), needles([value]))
    seen = sum(finding.count for finding in found.findings if finding.encoding == "UTF-8")
    if seen < ROWS:
        missed.append(f"{ROWS - seen} of {ROWS} rows of a database")
    return tuple(missed)
