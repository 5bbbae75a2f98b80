"""The byte patterns under which a text can stand in a file.

Invariant: a file that holds the text in one of the named forms holds one of its patterns,
whatever stands before and after it; for base64 that takes one pattern for each of the three
places in which a text can begin within a group of three bytes.
"""

from __future__ import annotations

import base64
import html
import json
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

LEAST_DISTINCT = 8
"""A value of fewer different characters stands in any file by chance (see ``scannable``)."""
_LEAST_PATTERN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    """One pattern of one encoding."""

    encoding: str
    pattern: bytes


def distinct_characters(value: str) -> int:
    """How many different characters a value has, letter case apart."""
    return len(set(value.casefold()))


def scannable(value: str) -> bool:
    """True where finding the bytes of a value says that the value is there."""
    return distinct_characters(value) >= LEAST_DISTINCT


def needles(values: Iterable[str]) -> tuple[Needle, ...]:
    """Every pattern of the values, each once, longest first."""
    found: dict[bytes, str] = {}
    for value in values:
        for text in _spellings(value):
            for encoding, pattern in _encoded(text):
                if len(pattern) >= _LEAST_PATTERN:
                    found.setdefault(pattern, encoding)
    made = (Needle(encoding=encoding, pattern=pattern) for pattern, encoding in found.items())
    return tuple(sorted(made, key=lambda needle: (-len(needle.pattern), needle.pattern)))


def _spellings(value: str) -> tuple[str, ...]:
    normal = [unicodedata.normalize(form, value) for form in ("NFC", "NFD", "NFKC")]
    cased = [
        change(text) for text in (value, *normal)
        for change in (str, str.lower, str.upper, str.title, str.casefold)
    ]  # fmt: skip
    return tuple(dict.fromkeys(cased))


def _encoded(text: str) -> Iterator[tuple[str, bytes]]:
    plain = text.encode("utf-8", "surrogatepass")
    yield "UTF-8", plain
    yield "UTF-16", text.encode("utf-16-le", "surrogatepass")
    yield "UTF-16", text.encode("utf-16-be", "surrogatepass")
    escaped = json.dumps(text)[1:-1]
    yield "JSON", escaped.encode()
    # A JSON text inside a JSON text, as tool arguments are kept.
    yield "JSON", json.dumps(escaped)[1:-1].encode()
    yield "JSON", json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    yield "HTML", html.escape(text).encode("utf-8", "surrogatepass")
    yield "URL", quote(plain, safe="").encode()
    yield "URL", quote(plain, safe="").replace("%20", "+").encode()
    yield "hex", plain.hex().encode()
    yield "hex", plain.hex().upper().encode()
    for wide in (plain, text.encode("utf-16-le", "surrogatepass")):
        for pattern in _base64(wide):
            yield "base64", pattern
            yield "base64", pattern.replace(b"+", b"-").replace(b"/", b"_")


def _base64(data: bytes) -> Iterator[bytes]:
    for before in range(3):
        whole = base64.b64encode(bytes(before) + data)
        # The characters that also hold bits of a neighbour are left out at both ends.
        first = -(-before * 8 // 6)
        last = (before + len(data)) * 8 // 6
        yield whole[first:last]
