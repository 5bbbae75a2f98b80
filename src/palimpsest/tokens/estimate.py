"""An estimate of token counts by script, under its own name and marked as one.

For a model whose tokenizer cannot be had. Every class of characters has a price that was
set above what the Gemma vocabulary takes for it (tests/unit/tokens/test_estimate.py holds
that on realistic texts of many languages), and sums are rounded up. It is no exact count:
its frame says ``estimated``, and a report that used it says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.tokens.expression import media_cost
from palimpsest.types import Frame, Message, Tool

_VERSION = "1"
_PIECES = re.compile(
    r"(?P<word>[A-Z]+(?![a-z])|[A-Z]?[a-z]+)"
    r"|(?P<digit>[0-9]|[ ](?=[0-9]))"
    r"|(?P<space>\s+)"
    r"|(?P<mark>[!-/:-@\[-`{-~])"
    r"|(?P<wide>[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef])"
    # Latin, Greek, Cyrillic, Hebrew, Arabic; the scripts of India; Thai to Georgian.
    r"|(?P<letters>[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u08ff\u0900-\u0dff\u0e00-\u10ff\u1e00-\u1fff]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_MESSAGE, _OPENING, _CLOSING = 8, 4, 6
_WORD_CHARACTERS = 3.5
"""Characters of an ASCII word for each token that it takes, a begun one included."""
_LONGEST_WORD = 40
_SPELT = 0.8
"""Tokens of a letter in a run that no language would pronounce: identifiers, base64."""
_DIGIT = 1.05
"""Tokens of a digit: one, and now and then one for the letters between two of them."""
_LETTER = 0.75
"""Tokens of a letter of another alphabet."""
_WIDE = 1.2
"""Tokens of a Chinese, Japanese or Korean character."""
_SPACES = 8
"""Blanks of a longer run for each token that it takes."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The tokenizer named ``estimate``; see protocols.AdditiveTokenizer."""

    media_tokens: int | None = None
    """Tokens of a media part; ``None`` makes one an error."""

    @property
    def frame(self) -> Frame:
        """An additive frame that takes anything, marked as estimated."""
        return Frame(
            name="estimate",
            fingerprint=f"estimate:{_VERSION}:{self.media_tokens}",
            additive=True,
            estimated=True,
        )

    def count_text(self, text: str) -> int:
        """An estimate of a text's tokens, rounded up."""
        return math.ceil(
            sum(_price(str(found.lastgroup), found[0]) for found in _PIECES.finditer(text))
        )

    def count_request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        """An estimate of a whole request."""
        opening = self.count_opening(messages[0], tools) if messages else _OPENING
        return opening + self.count_unit(messages) + self.count_closing()

    def count_unit(self, messages: Sequence[Message]) -> int:
        """An estimate of what these messages add."""
        return sum(self._message(message) for message in messages)

    def count_opening(self, first: Message, tools: Sequence[Tool]) -> int:
        """An estimate of the beginning and the tool schemas."""
        return _OPENING + sum(_MESSAGE + self.count_text(tool.json) for tool in tools)

    def count_closing(self) -> int:
        """An estimate of the generation prefix."""
        return _CLOSING

    def _message(self, message: Message) -> int:
        written = [message.content or "", message.name or "", message.tool_call_id or ""]
        written += [part.json for part in message.parts if part.kind != "media"]
        written += [call.json for call in message.tool_calls]
        written.append(message.extra)
        texts = sum(self.count_text(text) for text in written if text)
        return _MESSAGE + texts + media_cost(message, self.media_tokens, "estimate")


def _price(kind: str, text: str) -> float:
    if kind == "word":
        vowels = sum(text.lower().count(vowel) for vowel in "aeiouy")
        pronounced = 10 * vowels >= 3 * len(text) and len(text) <= _LONGEST_WORD
        return math.ceil(len(text) / _WORD_CHARACTERS if pronounced else len(text) * _SPELT)
    if kind == "digit":
        return _DIGIT
    if kind == "mark":
        return 1
    if kind == "space":
        # One blank belongs to the word behind it; a longer run is a piece of its own.
        return 0 if text == " " else math.ceil(1 + len(text) / _SPACES)
    if kind == "wide":
        return _WIDE
    if kind == "letters":
        return max(1, len(text) * _LETTER)
    return len(text.encode())  # byte by byte: emoji, signs, rare scripts
