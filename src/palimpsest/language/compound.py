"""The clauses of a compound statement, and which of them go with a value.

"I live in Oslo and my PIN is 4417" says two things. Where the value of one is to go, the other
stays; a clause that only speaks on of the same thing ("it expires in May") goes with it.

Invariant: what goes covers every held span, and it is the whole text where less than a clause
would be left. The words are those of six languages together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.language.occurrences import Span
from palimpsest.language.sentences import sentence_spans

_JOINS = "and|but|while|et|mais|und|aber|sowie|y|pero|e|ed|ma|mas|porém|also"
_SUBJECTS = (
    "i|i'm|i've|i'll|i'd|my|we|we're|we've|our|ours|mine|the|his|her|their|your|he|she|they|there|"
    "je|j'|mon|ma|mes|nous|notre|nos|le|la|les|il|elle|ils|ich|mein|meine|wir|unser|unsere|der|die|"
    "das|er|sie|yo|mi|mis|nosotros|nuestro|nuestra|vivo|tengo|trabajo|soy|estoy|me|el|los|las|"
    "call|write|reach|text|mail|email|phone|ring|contact|send|use|please|appelle|écris|contacte|ruf|"
    "schreib|schreibe|llama|llámame|escribe|chiama|scrivi|liga|escreve|"
    "io|mio|mia|noi|nostro|abito|ho|sono|lavoro|lo|eu|meu|minha|moro|tenho|sou|estou|trabalho|o|os"
)
_CUT = re.compile(
    rf"\s*[,;]?\s+(?:{_JOINS})\s+(?=(?:{_SUBJECTS})(?:(?<=')|\b))|\s*;\s+", re.IGNORECASE
)
_SAME = re.compile(
    r"\W*(?:it|its|it's|this|that|these|those|which|both|ça|cela|celle-ci|es(?!\s+(?:gibt|gab|regnet|schneit|tut|freut|heißt)\b)|dies|diese|dieser|"
    r"eso|esto|este|esta|esso|essa|ciò|questo|questa)\b",
    re.IGNORECASE,
)
_LEAST = 3
"""Words of a clause that says something by itself."""
_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+")


def clauses(text: str) -> list[Span]:
    """The clauses of a text; each begins with the words that join it to the one before."""
    starts = [0]
    for start, end in sentence_spans(text):
        starts.append(start)
        starts += [cut.start() for cut in _CUT.finditer(text, start, end)]
    starts = sorted(set(starts))
    return [Span(a, b) for a, b in zip(starts, (*starts[1:], len(text)), strict=True) if a < b]


def going(text: str, held: Sequence[Span]) -> tuple[Span, ...]:
    """The spans of a statement that go where the ``held`` spans of it go; all where none is held."""
    whole = (Span(0, len(text)),)
    if not held:
        return whole
    parts = list(_told(text, clauses(text)))
    gone = [any(h.start < p.end and p.start < h.end for h in held) for p in parts]
    for at in range(1, len(parts)):
        gone[at] = gone[at] or (
            gone[at - 1] and bool(_SAME.match(text[_begins(text, parts[at]) :]))
        )
    left = [part for part, goes in zip(parts, gone, strict=True) if not goes]
    if not _says(text, left):
        return whole
    return tuple(_without_join(text, parts, gone))


def _told(text: str, parts: Sequence[Span]) -> Iterator[Span]:
    """The clauses, one that says nothing by itself joined to the one before in its line."""
    held: Span | None = None
    for part in parts:
        little = len(_WORD.findall(text[part.start : part.end])) < _LEAST
        if held is not None and little and not _opens_line(text, part):
            held = Span(held.start, part.end)
            continue
        if held is not None:
            yield held
        held = part
    if held is not None:
        yield held


def _says(text: str, left: Sequence[Span]) -> bool:
    """Whether what is left says something: one clause, or the lines of a list together."""
    if any(len(_WORD.findall(text[part.start : part.end])) >= _LEAST for part in left):
        return True
    lines = (text[part.start : part.end] for part in left if _opens_line(text, part))
    return sum(len(_LETTERS.findall(line)) for line in lines) >= _LEAST


def _opens_line(text: str, part: Span) -> bool:
    """Whether a clause begins a line that is not the first."""
    at = part.start
    while at and text[at - 1] in " \t":
        at -= 1
    return at > 0 and text[at - 1] in "\r\n"


def _begins(text: str, part: Span) -> int:
    """Where a clause begins behind the words that join it."""
    cut = _CUT.match(text, part.start)
    return cut.end() if cut else part.start


def _without_join(text: str, parts: Sequence[Span], gone: Sequence[bool]) -> Iterator[Span]:
    """The clauses that go, each with one joint, its full stop left to what stays before it."""
    for at, (part, goes) in enumerate(zip(parts, gone, strict=True)):
        if not goes:
            continue
        start, end = part
        if at and not gone[at - 1]:
            stop = re.search(r"[.!?\s]*$", text[start:end]) if _CUT.match(text, start) else None
            end -= len(stop.group()) if stop else 0
            if not _opens_line(text, part):
                # "2. ..." begins its own line also where "1." lost what stood behind it.
                end = start + len(text[start:end].rstrip("\r\n"))
        elif at + 1 < len(parts) and not gone[at + 1]:
            end = _begins(text, parts[at + 1])
        yield Span(start, end)
