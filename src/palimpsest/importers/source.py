"""The documents of a chat log, one at a time: lines, elements of an array, or whole values.

A file of any size is read in pieces; what is held is one document. Invariant: a fault is an
``Item`` that names its place and why, and what stood before it was given out already.
"""

from __future__ import annotations

import codecs
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from palimpsest.errors import InputError

Mode = Literal["lines", "array", "values"]
"""Each line a document, each element of one array, or one value behind another."""

Progress = Callable[[int, int], None]
"""Called with the bytes that were read and the bytes there are, of all passes."""
LARGEST = 1 << 27
"""Characters of one document."""
_PIECE = 1 << 18
_STEP = 1 << 20
_TAIL = 16
"""A fault so near the end of what was read may be a word that is cut, not a wrong one."""
_EXPORTED = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")
_DECODER = json.JSONDecoder(strict=False)
_BETWEEN = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One document and its place; ``fault`` is a reason where it could not be read."""

    where: str
    value: Any = None
    fault: str = ""
    offset: int = 0
    """Where its line begins, in bytes."""


class Source:
    """One file, or one file inside an archive."""

    def __init__(self, path: Path, *, member: str = "", size: int | None = None) -> None:
        self.path, self.member = path, member
        self.name = f"{path}:{member}" if member else str(path)
        self.size = path.stat().st_size if size is None else size
        """Bytes, unpacked."""
        self.passes = 1
        """How often its reader goes through it."""
        self._progress: Progress = lambda at, of: None
        self._at = self._told = 0

    @classmethod
    def all_of(cls, path: Path) -> tuple[Source, ...]:
        """The file, or the conversations inside an export's archive; raises InputError."""
        try:
            if not zipfile.is_zipfile(path):
                return (cls(path),)
            with zipfile.ZipFile(path) as archive:
                held = sorted(archive.infolist(), key=lambda info: info.filename)
        except (OSError, zipfile.BadZipFile) as error:
            raise InputError(f"{path}: cannot be read ({error})") from None
        wanted = [info for info in held if _EXPORTED.search(info.filename)]
        if not wanted:
            raise InputError(f"{path}: is an archive without a file named conversations.json")
        if locked := [info.filename for info in wanted if info.flag_bits & 1]:
            raise InputError(f"{path}:{locked[0]}: is encrypted; unpack it first")
        return tuple(cls(path, member=i.filename, size=i.file_size) for i in wanted)

    def tell(self, progress: Progress) -> None:
        """Call ``progress`` with what is read from here on."""
        self._progress, self._at, self._told = progress, 0, 0

    def items(self, mode: Mode, key: str = "") -> Iterator[Item]:
        """The documents; ``key`` names the array that holds them inside an outer object."""
        with self.opened() as file:
            if mode == "lines":
                yield from self._lines(file)
            else:
                yield from _Values(self, file, array=mode == "array", key=key)

    def at_offsets(self, offsets: Iterable[int]) -> Iterator[Item]:
        """The lines that begin at these bytes."""
        with self.opened() as file:
            for offset in offsets:
                file.seek(offset)
                raw = file.readline(LARGEST)
                self._read(len(raw))
                yield _line(raw, f"{self.name}@{offset}", offset)

    def opened(self) -> IO[bytes]:
        """The bytes, from the first behind a byte order mark; raises InputError."""
        try:
            file = self._file()
            first = file.read(4)
        except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise InputError(f"{self.name}: cannot be read ({error})") from None
        if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            file.close()
            raise InputError(f"{self.name}: is UTF-16; save it as UTF-8 and import that")
        file.seek(len(codecs.BOM_UTF8) if first.startswith(codecs.BOM_UTF8) else 0)
        return file

    def _file(self) -> IO[bytes]:
        if not self.member:
            return self.path.open("rb")
        return zipfile.ZipFile(self.path).open(self.member)

    def read(self, file: IO[bytes], size: int) -> bytes:
        """The next bytes; raises InputError where they cannot be had."""
        try:
            piece = file.read(size)
        except (OSError, zipfile.BadZipFile, EOFError) as error:
            raise InputError(f"{self.name}: cannot be read ({error})") from None
        self._read(len(piece))
        return piece

    def _read(self, size: int) -> None:
        """Tell of a piece that was read, a few times a second at most."""
        self._at += size
        if self._at - self._told >= _STEP or self._at >= self.size * self.passes:
            self._told = self._at
            self._progress(self._at, self.size * self.passes)

    def _lines(self, file: IO[bytes]) -> Iterator[Item]:
        number = 0
        while True:
            offset = file.tell()
            raw = file.readline(LARGEST + 1)
            if not raw:
                return
            number += 1
            self._read(len(raw))
            where = f"{self.name}:{number}"
            if len(raw) > LARGEST and not raw.endswith(b"\n"):
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(_PIECE)
                    self._read(len(raw))
                yield Item(where=where, fault="too-large")
            elif raw.strip():
                yield _line(raw, where, offset)


def _line(raw: bytes, where: str, offset: int) -> Item:
    try:
        value = _DECODER.decode(raw.decode("utf-8", "surrogateescape").strip())
    except (ValueError, RecursionError):
        whole = raw.endswith((b"\n", b"}"))
        return Item(where=where, fault="not-json" if whole else "truncated", offset=offset)
    return Item(where=where, value=value, offset=offset)


class _Values:
    """Walks through values that stand behind one another, reading no more than it must."""

    def __init__(self, source: Source, file: IO[bytes], *, array: bool, key: str) -> None:
        self._source, self._file = source, file
        self._array, self._key = array, key
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text, self._at, self._ended = "", 0, False

    def __iter__(self) -> Iterator[Item]:
        number = 0
        if self._array:
            self._enter()
        while self._next():
            where = f"{self._source.name}[{number}]" if self._array else self._source.name
            found = self._value(where if self._array or not number else f"{where}#{number}")
            yield found
            if found.fault:
                return
            number += 1

    def _enter(self) -> None:
        opening = re.compile(rf'"{re.escape(self._key)}"\s*:\s*\[' if self._key else r"\[")
        while not (found := opening.search(self._text)) and self._more():
            continue
        self._at = found.end() if found else len(self._text)

    def _next(self) -> bool:
        """Go to the next value; False behind the last one."""
        while True:
            between = _BETWEEN.match(self._text, self._at)
            self._at = between.end() if between else self._at
            if self._at < len(self._text):
                return not (self._array and self._text[self._at] == "]")
            if not self._more():
                # The end of an array that was never closed.
                return False

    def _value(self, where: str) -> Item:
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._cut(error):
                    return Item(where=_rest(where, self._array), fault="not-json")
            except (ValueError, RecursionError):
                return Item(where=_rest(where, self._array), fault="not-json")
            else:
                # A number that ends where the reading does may go on.
                if end < len(self._text) or self._ended:
                    self._at = end
                    return Item(where=where, value=value)
            if len(self._text) - self._at > LARGEST:
                return Item(where=_rest(where, self._array), fault="too-large")
            if not self._more():
                return Item(where=where, fault="truncated")

    def _cut(self, error: json.JSONDecodeError) -> bool:
        """True where what is wrong may only be that the rest was not read yet."""
        left = self._text[error.pos : error.pos + 2 * _PIECE]
        return error.msg.startswith("Unterminated string") or len(left.strip()) <= _TAIL

    def _more(self) -> bool:
        """Read on, as much again as is held: so one value is tried a few times only."""
        if self._ended:
            return False
        self._text, self._at = self._text[self._at :], 0
        piece = self._source.read(self._file, max(_PIECE, len(self._text)))
        self._ended = not piece
        self._text += self._decoder.decode(piece, final=self._ended)
        return True


def _rest(where: str, array: bool) -> str:
    return f"{where} and all behind it" if array else where
