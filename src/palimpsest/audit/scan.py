"""Reads files byte by byte and says which patterns stand in them, and where.

Invariant: memory is bounded by a block, not by the file; a pattern that lies across two
blocks is found, and so is one that an SQLite file keeps in two pages (see ``overflow``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.audit.held_files import reading
from palimpsest.audit.needles import Needle
from palimpsest.audit.overflow import split_patterns

BLOCK_BYTES = 1 << 22

Progress = Callable[[int, int], None]
"""Called with the bytes that were read and the bytes there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One encoding of a value in one file."""

    path: str
    encoding: str
    count: int
    offset: int
    """Of the first, in bytes from the start of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What a scan read and what it found."""

    findings: tuple[Finding, ...]
    files: int
    bytes: int
    unread: tuple[str, ...] = ()
    """Files that are there and could not be read, each with the reason."""


def scan(
    paths: Sequence[Path], patterns: Sequence[Needle], progress: Progress | None = None
) -> Scan:
    """Look for every pattern in every file; a file that is gone by then holds nothing."""
    findings: list[Finding] = []
    unread: list[str] = []
    files = done = 0
    total = sum(_size(path) for path in paths)
    for path in paths:
        try:
            found, size = _file(path, patterns)
        except FileNotFoundError:
            continue
        except OSError as error:
            unread.append(f"{path}: {error.strerror}")
            continue
        findings += found
        files, done = files + 1, done + size
        if progress:
            progress(done, total)
    return Scan(findings=tuple(findings), files=files, bytes=done, unread=tuple(unread))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _file(path: Path, patterns: Sequence[Needle]) -> tuple[list[Finding], int]:
    places: dict[str, list[int]] = {}
    size = 0
    longest = max((len(needle.pattern) for needle in patterns), default=1)
    for start, block, fresh in _blocks(path, longest - 1):
        size = start + len(block)
        for needle in patterns:
            for at in _occurrences(block, needle.pattern):
                # What ends within the repeated bytes was counted with the block before.
                if at + len(needle.pattern) > fresh:
                    places.setdefault(needle.encoding, []).append(start + at)
    for encoding, at in split_patterns(path, patterns):
        places.setdefault(encoding, []).append(at)
    found = [
        Finding(path=str(path), encoding=encoding, count=len(set(at)), offset=min(at))
        for encoding, at in places.items()
    ]
    return found, size


def _blocks(path: Path, overlap: int) -> Iterator[tuple[int, bytes, int]]:
    """Where a block starts, its bytes, and how many of them the block before had too."""
    tail, start = b"", 0
    with reading(path) as file:
        while piece := file.read(BLOCK_BYTES):
            block = tail + piece
            yield start - len(tail), block, len(tail)
            start += len(piece)
            tail = block[max(0, len(block) - overlap) :] if overlap else b""


def _occurrences(block: bytes, pattern: bytes) -> Iterator[int]:
    at = block.find(pattern)
    while at >= 0:
        yield at
        at = block.find(pattern, at + 1)
