"""Where a value or a statement stands in a text, as a person reads the text.

A needle matches at word boundaries only: never inside a longer identifier, name or
number. It matches whatever the blanks between its words, raw or with ``& < >`` escaped,
composed or decomposed, and with invisible characters inside. Case matters.

Invariant: ``spans`` yields offsets into the text as it was given, in order and apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from palimpsest.language.invisible import INVISIBLE, without_invisible

_JOINERS = "\u200c\u200d"
_ESCAPED = {"&": "(?:&amp;|&)", "<": "(?:&lt;|<)", ">": "(?:&gt;|>)"}
_HYPHENS = "-\u2010\u2011"
# Scripts that write no blanks between words, or hang particles on them.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3040-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)


_PIECE = 64
_HEAD = 1024
"""Characters, about: what a pattern is compiled for; the rest is walked."""
_OUTER = 48
"""Characters: how far the word on the other side of a hyphen is looked at."""
_BLANKS = re.compile(r"\s+")
_RUN = re.compile(r"[A-Za-z0-9]+")
_SEPARATOR = re.compile(r"[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")


class Span(NamedTuple):
    """Characters ``start`` to ``end`` of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A text without what nobody sees, and where each of its characters came from."""

    text: str
    origin: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    """What to look for; made by ``needle``."""

    words: tuple[str, ...]
    loose_end: bool
    anchor: str
    """Letters and digits that stand in every text with an occurrence; may be empty."""
    whole: bool
    """True when the anchor stands there as a whole run of ASCII letters and digits."""


def needle(text: str, *, loose_end: bool = False) -> Needle | None:
    """The needle for a value, or ``None`` where it has no character to look for.

    ``loose_end`` lets the last full stop be absent.
    """
    words = _seen(text).split()
    if loose_end and words:
        words[-1] = words[-1].rstrip(".!?") or words[-1]
    if not words:
        return None
    runs = [run for word in words if word.isascii() for run in _RUN.findall(word)]
    anchor = max(runs, key=len, default="") or _stable(" ".join(words))
    return Needle(words=tuple(words), loose_end=loose_end, anchor=anchor, whole=bool(runs))


def folded(text: str) -> Folded:
    """Prepare a text for ``spans``; do it once for many needles."""
    if not INVISIBLE.search(text) and not any(joiner in text for joiner in _JOINERS):
        return Folded(text=text, origin=range(len(text)))
    kept = [(i, _seen(c)) for i, c in enumerate(text)]
    return Folded(
        text="".join(c for _, c in kept), origin=[i for i, c in kept if c],
    )  # fmt: skip


def spans(found: Needle, text: Folded) -> Iterator[Span]:
    """Yield where a needle stands, from left to right."""
    if found.anchor not in text.text:
        return
    shape, at = _shape(found), 0
    while match := shape.head.search(text.text, at):
        start, end = match.start(), _walked(text.text, match.end(), shape)
        if end is None or any(
            _inside(text.text, edge, shape, left=edge == start) for edge in (start, end)
        ):
            at = start + 1
            continue
        yield Span(text.origin[start], text.origin[end - 1] + 1)
        at = end


class Needles:
    """Many needles, asked at the cost of the text and not of their number."""

    def __init__(self, needles: Iterable[Needle]) -> None:
        self._by_run: dict[str, list[Needle]] = {}
        self._others: list[Needle] = []
        for item in needles:
            if item.whole:
                self._by_run.setdefault(item.anchor, []).append(item)
            else:
                self._others.append(item)

    def spans(self, text: Folded) -> list[Span]:
        """Where any of them stands; spans may overlap."""
        runs = set(_RUN.findall(text.text)) if self._by_run else set()
        near = [item for run in runs for item in self._by_run.get(run, ())]
        return [span for item in (*near, *self._others) for span in spans(item, text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    head: re.Pattern[str]
    tail: tuple[tuple[bool, str], ...]
    """What follows the head: whether a blank comes before it, and the piece of a word."""
    loose_end: bool
    name: bool
    """A capitalised name: a lower-case word may hang on it with a hyphen (Porto-based)."""
    joins: str
    """The characters that make a longer thing of it, between letters or digits."""


@lru_cache(maxsize=4096)
def _shape(found: Needle) -> _Shape:
    plain = " ".join(found.words)
    pieces = tuple(_pieces(found.words))
    cut = next((i for i in range(1, len(pieces)) if i * _PIECE >= _HEAD), len(pieces))
    head, tail = pieces[:cut], pieces[cut:]
    text = "".join(" " * blank + piece for blank, piece in head)
    forms = dict.fromkeys((text, *(unicodedata.normalize(f, text) for f in ("NFC", "NFD"))))
    pattern = "|".join(
        "".join(r"\s+" if c == " " else _ESCAPED.get(c, re.escape(c)) for c in form)
        for form in forms
    )
    paths = "/\\" if re.search(r"[/\\]", plain) else ""
    mail = "+" if "@" in plain else ""
    return _Shape(
        head=re.compile(pattern), tail=tail, loose_end=found.loose_end,
        name=any(c.isupper() for c in plain) and all(c.isalpha() or c == " " for c in plain),
        joins=f"{_HYPHENS}.,:@–{paths}{mail}",
    )  # fmt: skip


def _pieces(words: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """The words, long ones in pieces: a pasted document is walked, never compiled."""
    for i, word in enumerate(words):
        for at in range(0, len(word), _PIECE):
            yield i > 0 and at == 0, word[at : at + _PIECE]


def _walked(text: str, at: int, shape: _Shape) -> int | None:
    """Where an occurrence ends whose head ends at ``at``; ``None`` where it goes on otherwise."""
    for blank, piece in shape.tail:
        if blank:
            gap = _BLANKS.match(text, at)
            if gap is None:
                return None
            at = gap.end()
        form = next((form for form in _forms(piece) if text.startswith(form, at)), None)
        if form is None:
            return None
        at += len(form)
    while shape.loose_end and text[at : at + 1] in (".", "!", "?"):
        at += 1
    return at


def _forms(piece: str) -> Sequence[str]:
    """How a piece may be written; the longest first, so that an escape is taken whole."""
    if piece.isascii() and not any(c in piece for c in _ESCAPED):
        return (piece,)
    raw = {piece, *(unicodedata.normalize(f, piece) for f in ("NFC", "NFD"))}
    escaped = {f.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for f in raw}
    return sorted(raw | escaped, key=len, reverse=True)


def _seen(text: str) -> str:
    """A line separator that nobody sees still parts two words."""
    return without_invisible(_SEPARATOR.sub(" ", text))


def _stable(text: str) -> str:
    """The longest run of letters that composing and decomposing leave alone."""
    kept = (
        c if c.isalnum() and unicodedata.normalize("NFD", c) == c else " "
        for c in unicodedata.normalize("NFC", text)
    )
    return max("".join(kept).split(), key=len, default="")


def _inside(text: str, at: int, shape: _Shape, *, left: bool) -> bool:
    """True when the edge ``at`` of a match lies inside one longer thing."""
    if not 0 < at < len(text):
        return False
    if _word(text[at - 1]) and _word(text[at]):
        return True
    return any(
        text[joint] in shape.joins and _links(text, joint, shape, left=left)
        for joint in (at - 1, at)
    )


def _links(text: str, joint: int, shape: _Shape, *, left: bool) -> bool:
    """True when the joining character at ``joint`` makes one thing of its neighbours."""
    if not 0 < joint < len(text) - 1:
        return False
    joiner, before, after = text[joint], text[joint - 1], text[joint + 1]
    if not (_word(before) and _word(after)):
        return False
    digits = before.isdigit() and after.isdigit()
    if joiner in ",:–":
        return digits
    if joiner == "." and not digits:
        # "to Porto.We leave": a sentence that begins without a blank.
        return not (after.isupper() and text[joint + 2 : joint + 3].islower())
    if joiner in _HYPHENS and shape.name:
        outer = (
            re.search(r"\w+$", text[max(0, joint - _OUTER) : joint])
            if left
            else re.match(r"\w+", text[joint + 1 : joint + 1 + _OUTER])
        )
        return not (outer and outer.group().isalpha() and outer.group().islower())
    return True


def _word(character: str) -> bool:
    if _UNSPACED.match(character):
        return False
    return (
        character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")
    )
