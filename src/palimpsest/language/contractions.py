"""Contractions written out, so that "don't" and "do not" are one way of saying it.

Invariant: a pure function of folded text; a possessive stays what it is.
"""

from __future__ import annotations

import regex

_WHOLE = {"won't": "will not", "can't": "can not", "cannot": "can not", "shan't": "shall not",
          "let's": "let us", "gonna": "going to", "wanna": "want to"}  # fmt: skip
_ENDS = (
    (r"n't\b", " not"), (r"\bi'm\b", "i am"), (r"'re\b", " are"), (r"'ve\b", " have"),
    (r"'ll\b", " will"), (r"\b(i|he|she|we|they|you)'d\b", r"\1 would"),
    (r"\b(it|that|there|he|she|what|who|where)'s\b", r"\1 is"),
)  # fmt: skip
_WORDS = regex.compile(r"\b(?:" + "|".join(map(regex.escape, _WHOLE)) + r")\b")
_PATTERNS = tuple((regex.compile(pattern), into) for pattern, into in _ENDS)


def written_out(flat: str) -> str:
    """Folded English text without contractions; other texts as they are."""
    if "'" not in flat and "cannot" not in flat and "nna" not in flat:
        return flat
    found = _WORDS.sub(lambda match: _WHOLE[match.group()], flat)
    for pattern, into in _PATTERNS:
        found = pattern.sub(into, found)
    return found
