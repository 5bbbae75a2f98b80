"""Reads the metadata of a GGUF file and nothing of its tensors.

Arrays of a quarter of a million strings are read in one pass over the mapped file:
the reader of the ``gguf`` package makes an array object per string and needs 12 s
where this needs less than one; the tests hold the two equal. Invariant: a damaged file
is an InputError with the offset, never a wrong value and never an endless loop.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection
from pathlib import Path
from typing import Any

from palimpsest.errors import InputError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _ARRAY, _BOOL = 8, 9, 7
_FIXED = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")


def read_metadata(path: Path, prefixes: Collection[str] = ("",)) -> dict[str, Any]:
    """The key-value pairs whose keys start with one of ``prefixes``, in file order."""
    try:
        with (
            path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            return _Cursor(data, path).pairs(tuple(prefixes))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as a GGUF file ({error})") from None


class _Cursor:
    """A place in the mapped file that moves forward as values are read."""

    def __init__(self, data: mmap.mmap, path: Path) -> None:
        self.data = data
        self.path = path
        self.at = 0

    def pairs(self, prefixes: tuple[str, ...]) -> dict[str, Any]:
        if self._take(4) != _MAGIC:
            raise InputError(f"{self.path}: does not begin with {_MAGIC.decode()}; not a GGUF file")
        version = self._u32()
        if version not in _VERSIONS:
            raise InputError(
                f"{self.path}: GGUF version {version} is not one of {', '.join(map(str, _VERSIONS))}"
            )
        self._u64()  # the number of tensors
        found: dict[str, Any] = {}
        for _ in range(self._u64()):
            key = self._string()
            value = self._value(self._u32())
            if key.startswith(prefixes):
                found[key] = value
        return found

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._array(self._u32(), self._u64())
        return self._fixed(kind, 1)[0]

    def _array(self, kind: int, length: int) -> list[Any]:
        if kind == _STRING:
            return self._strings(length)
        if kind == _ARRAY:
            raise self._damaged(f"an array of arrays at byte {self.at}")
        return list(self._fixed(kind, length))

    def _fixed(self, kind: int, length: int) -> tuple[Any, ...]:
        if kind not in _FIXED:
            raise self._damaged(f"value type {kind} at byte {self.at}")
        code = _FIXED[kind]
        return struct.unpack(f"<{length}{code}", self._take(length * struct.calcsize(f"<{code}")))

    def _strings(self, length: int) -> list[str]:
        data, at, read = self.data, self.at, _U64.unpack_from
        if length * _U64.size > len(data) - at:
            raise self._damaged(f"an array of {length} texts at byte {at}")
        found: list[str] = []
        for _ in range(length):
            if at + 8 > len(data):
                raise self._damaged(f"a text length at byte {at}")
            start = at + 8
            at = start + read(data, at)[0]
            if at > len(data):
                raise self._damaged(f"a text at byte {start}")
            found.append(data[start:at].decode("utf-8", "surrogateescape"))
        self.at = at
        return found

    def _string(self) -> str:
        return self._take(self._u64()).decode("utf-8", "surrogateescape")

    def _u32(self) -> int:
        return int(_U32.unpack(self._take(4))[0])

    def _u64(self) -> int:
        return int(_U64.unpack(self._take(8))[0])

    def _take(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise self._damaged(f"the file ends inside a value at byte {self.at}")
        taken = self.data[self.at : self.at + size]
        self.at += size
        return taken

    def _damaged(self, what: str) -> InputError:
        return InputError(f"{self.path}: the GGUF metadata is damaged ({what}); fetch it again")
