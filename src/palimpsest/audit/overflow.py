"""Patterns that an SQLite file keeps in two pages: a long row continues on overflow pages.

An overflow page begins with the number of the next one (four bytes, big-endian), and what
continues on page N stands before the number N: at the end of a row's part in its own page,
or at the end of an overflow page that begins with N. Pages come from the database and from
the frames of its write-ahead log, where the newest ones are. (SQLite file format, sections
1.6 and 4.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from palimpsest.audit.held_files import reading
from palimpsest.audit.needles import Needle

_DATABASE = b"SQLite format 3\0"
_WAL = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_WAL_HEADER, _FRAME_HEADER = 32, 24
_POINTER = 4
_LEAST_PAGE = 512

Read = Callable[[int], bytes]
Page = tuple[int, int, bytes]
"""Its number, where it stands in its file, its bytes."""
_Wanted = dict[bytes, dict[bytes, str]]
"""The first part of a pattern, then the pages (as pointers) that hold its rest."""


def split_patterns(path: Path, patterns: Sequence[Needle]) -> Iterator[tuple[str, int]]:
    """The encoding and the offset of each pattern that begins in ``path`` and ends elsewhere."""
    sources = _sources(path)
    if not sources:
        return
    wanted = _wanted((page for source in sources for page in pages(source)), patterns)
    if not wanted:
        return
    for _, offset, data in pages(path):
        next_page = data[:_POINTER]
        for first, rests in wanted.items():
            at = data.find(first)
            while at >= 0:
                end = at + len(first)
                pointer = next_page if end == len(data) else data[end : end + _POINTER]
                if pointer in rests:
                    yield rests[pointer], offset + at
                at = data.find(first, at + 1)


def pages(path: Path) -> Iterator[Page]:
    """The pages of a database file or of a write-ahead log; none of any other file."""
    try:
        with reading(path) as file:
            head = file.read(_WAL_HEADER)
            if head.startswith(_DATABASE):
                size = int.from_bytes(head[16:18])
                yield from _stride(file.read, head, 65536 if size == 1 else size)
            elif head[:4] in _WAL:
                yield from _frames(file.read, int.from_bytes(head[8:12]))
    except FileNotFoundError:
        return


def _stride(read: Read, head: bytes, size: int) -> Iterator[Page]:
    if size < _LEAST_PAGE:
        return
    data, number = head + read(size - len(head)), 1
    while data:
        yield number, (number - 1) * size, data
        data, number = read(size), number + 1


def _frames(read: Read, size: int) -> Iterator[Page]:
    offset = _WAL_HEADER
    while size >= _LEAST_PAGE and (header := read(_FRAME_HEADER)):
        yield int.from_bytes(header[:4]), offset + _FRAME_HEADER, read(size)
        offset += _FRAME_HEADER + size


def _sources(path: Path) -> tuple[Path, ...]:
    """A database with its log: a row may begin in one of them and continue in the other."""
    database = path.with_name(path.name.removesuffix("-wal"))
    found = (database, database.with_name(f"{database.name}-wal"))
    if path in found and next(pages(path), None):
        return tuple(source for source in found if source.exists())
    return ()


def _wanted(all_pages: Iterable[Page], patterns: Sequence[Needle]) -> _Wanted:
    """The parts of patterns before each page that begins with the rest of one."""
    rests: dict[int, list[tuple[Needle, int]]] = {}
    for needle in patterns:
        for cut in range(1, len(needle.pattern)):
            rests.setdefault(needle.pattern[cut], []).append((needle, cut))
    wanted: _Wanted = {}
    for number, _, data in all_pages:
        for needle, cut in rests.get(data[_POINTER], ()):
            if data.startswith(needle.pattern[cut:], _POINTER):
                known = wanted.setdefault(needle.pattern[:cut], {})
                known[number.to_bytes(_POINTER, "big")] = needle.encoding
    return wanted
