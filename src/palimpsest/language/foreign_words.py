"""The parts of a text that are somebody else's words: code, quoted lines, tables, stage directions.

Invariant: spans of the text, in order and apart; a quotation inside a sentence is the speaker's.
"""

from __future__ import annotations

import functools

import regex

_FOREIGN = regex.compile(
    r"""
      (?:```|~~~).*?(?:```|~~~|\Z)                                     # code
    | ^[ \t]*[>|][^\n]*$                                                   # quoted lines, tables
    | ^[ \t]*["\u201c\u00ab\u201e][^"\u201d\u00bb\u201c\n]{1,2000}["\u201d\u00bb\u201c][ \t]*[.!]?[ \t]*$
    | (?<![\w*])\*(?![\s*])[^*\n]{1,400}(?<![\s*])\*(?![\w*])         # *she opens the door*
    """,
    regex.VERBOSE | regex.MULTILINE | regex.DOTALL,
)
_EMPHASIS = 2
"""Words between asterisks that are stressed and not acted."""


@functools.lru_cache(maxsize=64)
def foreign_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of a text that are not its speaker's own words."""
    return tuple(
        found.span() for found in _FOREIGN.finditer(text)
        if found.group()[0] != "*" or len(found.group().split()) > _EMPHASIS
    )  # fmt: skip


def is_foreign(text: str, start: int, end: int) -> bool:
    """True where what stands at ``start`` to ``end``, blanks aside, is no word of the speaker."""
    left = list(text[start:end])
    for first, last in foreign_spans(text):
        for place in range(max(first, start), min(last, end)):
            left[place - start] = " "
    return not regex.search(r"[\p{L}\p{N}]", "".join(left))
