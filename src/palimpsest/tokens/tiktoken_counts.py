"""``tiktoken(model='gpt-4o')``: counts for OpenAI models, whose template nobody publishes.

The texts are encoded with the model's own vocabulary; around them stands the frame that
OpenAI documents for its chat models: three tokens a message, one more for a name, three
before the answer. That frame could not be measured here against the service. How the service
writes tools, calls and media is not documented, so they are a TemplateError, never a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from palimpsest.errors import TemplateError
from palimpsest.tokens import tiktoken_files
from palimpsest.types import Frame, Message, Tool

_MESSAGE, _NAME, _CLOSING = 3, 1, 3
_VERSION = "1"


@dataclass(frozen=True, kw_only=True)
class Tiktoken:
    """See protocols.AdditiveTokenizer; the vocabulary is read when it is first needed."""

    model: str
    files: str = ""
    """A folder with the library's cached files; empty for its own cache folder."""

    @cached_property
    def _encoding(self) -> Any:
        return tiktoken_files.encoding(self.model, self.files)

    @cached_property
    def frame(self) -> Frame:
        """An additive frame without a template; raises NotPrepared where files are missing."""
        return Frame(
            name=f"tiktoken {self.model}",
            fingerprint=f"tiktoken:{_VERSION}:{self._encoding.name}",
            additive=True,
            markers=tuple(sorted(self._encoding.special_tokens_set)),
        )

    def count_text(self, text: str) -> int:
        """Tokens of a text; control strings in it are ordinary text, as the service reads them."""
        return len(self._encoding.encode_ordinary(text))

    def count_request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        """Tokens of a whole request."""
        opening = self.count_opening(messages[0], tools) if messages else 0
        return opening + self.count_unit(messages) + self.count_closing()

    def count_unit(self, messages: Sequence[Message]) -> int:
        """Tokens that these messages add."""
        return sum(self._message(message) for message in messages)

    def count_opening(self, first: Message, tools: Sequence[Tool]) -> int:
        """Nothing comes on top; offered tools are refused."""
        if tools:
            raise TemplateError(
                f"tiktoken {self.model}: how the service writes tools is not documented, so the "
                f"tool {tools[0].name!r} has no exact count; count with another tokenizer"
            )
        return 0

    def count_closing(self) -> int:
        """Tokens before the answer."""
        return _CLOSING

    def _message(self, message: Message) -> int:
        if message.parts or message.tool_calls or message.role == "tool":
            what = "tool calls and results" if not message.parts else "parts that are no plain text"
            raise TemplateError(
                f"tiktoken {self.model}: how the service writes {what} is not documented, so a "
                f"{message.role} message with them has no exact count"
            )
        tokens = _MESSAGE + self.count_text(message.role) + self.count_text(message.content or "")
        return tokens + (_NAME + self.count_text(message.name) if message.name else 0)
