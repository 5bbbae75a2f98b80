"""Brings an answer into one shape for grading: no markup, no citations, plain signs.

Only the copy that is searched for facts is changed; the recorded text stays as it was. A
forgotten value is searched for in the text as it came. Invariant: words and numbers keep
their order, and a line of the answer stays a line.
"""

from __future__ import annotations

import re
import unicodedata

_THINKING = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_CONTROL = re.compile(
    r"(?:<\|(?:turn|im_start|start_header_id)\|?>|<start_of_turn>)"
    r"(?:\s*(?:model|assistant|user|system)\b)?"
    r"|<\|[^|<>\n]{1,40}\|?>|<[^|<>\n]{1,40}\|>|<(?:start|end)_of_(?:turn|text)>"
    r"|</?(?:s|pad|eos|bos|unk|mask)>|<unused\d+>|\[/?INST\]|<</?SYS>>",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"~~[^~\n]+~~")
_CITED = re.compile(
    r"\[\s*(?:#|turn|tour|note|memory|user|assistant)[^\]\n]{0,40}\]"
    r"|\(?\b(?:turn|tour)[ -]?#?\d+\)?|(?<![\w#])#\d+\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|__|`+|(?<!\w)[*_]|[*_](?!\w)|^\s*#{1,6}\s", re.MULTILINE)
_SIGNS = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " ", "\u202f": " ", "−": "-", "‑": "-"}
)


def cleaned(text: str) -> str:
    """The text that is searched for facts."""
    shown = unicodedata.normalize("NFC", text).translate(_SIGNS)
    shown = "".join(c for c in shown if unicodedata.category(c) != "Cf")
    for removed in (_THINKING, _CONTROL, _STRUCK, _CITED):
        shown = removed.sub(" ", shown)
    return _MARKUP.sub("", shown)


def says_something(text: str) -> bool:
    """False for blanks, signs, control tokens and thoughts without an answer."""
    rest = _CONTROL.sub(" ", _THINKING.sub(" ", text))
    return any(character.isalnum() for character in rest)
