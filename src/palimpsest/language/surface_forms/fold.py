"""A text as it is compared: folded to plain lower-case letters and digits, origins kept.

Full-width and other forms, accents, other digits and other scripts become the letters that
they stand for; escapes of HTML, JSON and URLs become what they escape; what nobody sees goes.
Scripts without blanks between words (Chinese, say) stay as they are: their reading is not
their spelling.

Invariant: character ``i`` of ``text`` came from ``origin[i]`` to ``ends[i]`` of the given text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import anyascii

from palimpsest.language.invisible import without_invisible

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3005\u3040-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""The inside of a character class: scripts that write no blanks, or hang particles on words."""
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z\u00aa-\u02af\u1e00-\u1eff\uff21-\uff5a]")
_ESCAPE = re.compile(
    r"\\+u[0-9a-fA-F]{4}|\\+[nrt]|&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,5});"
    r"|%(?:[2-7][0-9A-Fa-f])"
)
_EXPANDED = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae", "ß": "ss"}
_EXPANDS = re.compile(r"[äöüøåæÄÖÜØÅÆ]|[aouAOU]\u0308|[aA]\u030a")
_SILENT = str.maketrans("", "", "".join(chr(c) for c in range(128) if not chr(c).isalnum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """A folded text and where each of its characters came from."""

    text: str
    origin: Sequence[int]
    ends: Sequence[int]
    source: str


def plain(text: str, *, expand: bool = False) -> Plain:
    """Fold a text; with ``expand`` an umlaut is written with an e, as in Mueller."""
    if text.isascii() and not _ESCAPE.search(text) and text.isprintable():
        return Plain(text=text.lower(), origin=range(len(text)), ends=range(1, len(text) + 1),
                     source=text)  # fmt: skip
    letters: list[str] = []
    origin: list[int] = []
    ends: list[int] = []
    for start, end, written in _characters(text):
        for letter in _folded(written, expand):
            letters.append(letter)
            origin.append(start)
            ends.append(end)
    return Plain(text="".join(letters), origin=origin, ends=ends, source=text)


def expands(text: str) -> bool:
    """True where folding with ``expand`` gives another text."""
    return not text.isascii() and bool(_EXPANDS.search(text))


def foreign(text: str) -> bool:
    """True where a text holds letters of another script than the Latin one."""
    return not text.isascii() and bool(_FOREIGN.search(text))


@lru_cache(maxsize=64)
def squeezed(text: str) -> str:
    """Only the letters and digits of a folded text: what a quick look searches."""
    if _ESCAPE.search(text):
        text = _ESCAPE.sub(lambda found: _unescaped(found.group()), text)
    if text.isascii():
        return text.lower().translate(_SILENT)
    composed = unicodedata.normalize("NFC", text)
    found = composed.translate(_SQUEEZED)
    return f"{found} {composed.translate(_SQUEEZED_WIDE)}" if expands(text) else found


class _Letters(dict[int, str]):
    """A table for ``str.translate`` that fills itself: the letters and digits of each character."""

    def __init__(self, *, expand: bool) -> None:
        super().__init__()
        self._expand = expand

    def __missing__(self, code: int) -> str:
        found = "".join(c for c in _folded(chr(code), self._expand) if c.isalnum())
        self[code] = found
        return found


def is_unspaced(character: str) -> bool:
    """True for a character of a script that writes no blanks between words."""
    return bool(_IS_UNSPACED.match(character))


def _characters(text: str) -> list[tuple[int, int, str]]:
    """The characters with their places, an escape as the character that it stands for."""
    found: list[tuple[int, int, str]] = []
    at = 0
    for escape in _ESCAPE.finditer(text):
        found += ((i, i + 1, text[i]) for i in range(at, escape.start()))
        found.append((escape.start(), escape.end(), _unescaped(escape.group())))
        at = escape.end()
    found += ((i, i + 1, text[i]) for i in range(at, len(text)))
    return _composed(found)


def _composed(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """A letter and the marks that stand on it are one character."""
    made: list[tuple[int, int, str]] = []
    for start, end, written in found:
        if made and written and unicodedata.combining(written[0]):
            first, _, base = made[-1]
            made[-1] = (first, end, unicodedata.normalize("NFC", base + written))
        else:
            made.append((start, end, written))
    return made


def _unescaped(escape: str) -> str:
    if escape.startswith("&"):
        return html.unescape(escape)
    if escape.startswith("%"):
        return chr(int(escape[1:], 16))
    code = escape.lstrip("\\")
    return chr(int(code[1:], 16)) if code.startswith("u") else " "


@lru_cache(maxsize=65_536)
def _folded(written: str, expand: bool) -> str:
    if written.isascii() and written.isprintable():
        return written.lower()
    if written.isspace():
        return " "
    seen = without_invisible(written)
    if not seen:
        return ""
    if expand and seen.lower() in _EXPANDED:
        return _EXPANDED[seen.lower()]
    compatible = unicodedata.normalize("NFKC", seen)
    if is_unspaced(compatible[0]):
        return compatible
    if compatible.isascii():
        return compatible.lower()
    if unicodedata.category(compatible[0])[0] in "PSZ":
        return _MARKS.get(compatible, " " if compatible.isspace() else compatible)
    return str(anyascii.anyascii(compatible)).lower()


_SQUEEZED, _SQUEEZED_WIDE = _Letters(expand=False), _Letters(expand=True)
_MARKS = {
    "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "\u2014", "\u2212": "-",
    "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u00b7": ".", "\u2024": ".", "\u3002": ". ",
    "\u3001": ", ", "\u2044": "/", "\u2215": "/",
}  # fmt: skip
"""Marks that look alike are one."""
