"""Counts with a tokenizer that runs here: its vocabulary and its chat template.

The exact count of a request is the number of tokens of the rendered template; nothing is
added and nothing is assumed. Where the template is additive, a unit is what the messages
add to the output when they follow an ordinary exchange. Invariant: a count is exact or a
TemplateError.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tokenizers import Tokenizer as Encoder

from palimpsest.errors import TemplateError
from palimpsest.tokens import traits
from palimpsest.tokens.expression import (
    MediaTokens,
    check_carried,
    media_cost,
    template_message,
    template_tool,
)
from palimpsest.tokens.template import ChatTemplate
from palimpsest.types import Frame, Message, Tool

_BEFORE: tuple[dict[str, Any], ...] = (
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": "b"},
)
"""The exchange that a unit is rendered behind."""


class LocalTokenizer:
    """A ``tokenizers`` vocabulary with a chat template; see protocols.AdditiveTokenizer."""

    def __init__(
        self,
        *,
        name: str,
        encoder: Encoder,
        template: ChatTemplate,
        fingerprint: str,
        media_tokens: MediaTokens = None,
        proven: bool = False,
    ) -> None:
        """``fingerprint`` names the vocabulary's bytes; ``proven`` says that a property test
        holds the additive count of this very template equal to the whole render."""
        self.name = name
        self._encoder = encoder
        self._template = template
        self._vocabulary = fingerprint
        self._media_tokens = media_tokens
        self._proven = proven

    @cached_property
    def frame(self) -> Frame:
        """What the template can do, found by rendering a fixed set of probes."""
        found = traits.probe(self, proven=self._proven)
        return Frame(
            name=self.name,
            fingerprint=self._fingerprint(),
            additive=found.additive,
            proven=self._proven,
            system_role=found.system_role,
            alternates=found.alternates,
            markers=traits.markers(self._encoder),
        )

    @property
    def encoder(self) -> Encoder:
        """The vocabulary, as ``tokenizers`` runs it."""
        return self._encoder

    def count_text(self, text: str) -> int:
        """Tokens of a text by itself."""
        return len(self._encoder.encode(text, add_special_tokens=False))

    def count_request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        """Tokens of the whole rendered request with its generation prefix."""
        rendered = self.render(messages, tools)
        check_carried(rendered, messages, tools, self.name)
        return self.count_text(rendered) + self._media(messages)

    def render(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> str:
        """The text of a request as the model reads it."""
        return self._template.render(
            [template_message(message) for message in messages],
            tools=[template_tool(tool) for tool in tools],
            generation=True,
        )

    def count_unit(self, messages: Sequence[Message]) -> int:
        """Tokens that these messages add to a request."""
        text = self.unit_text(messages)
        check_carried(text, messages, (), self.name)
        return self.count_text(text) + self._media(messages)

    def count_opening(self, first: Message, tools: Sequence[Tool]) -> int:
        """Tokens that come on top when ``first`` comes first."""
        whole = self._head(first, tools)
        check_carried(whole, (), tools, self.name)
        unit = self.unit_text([first])
        if whole.endswith(unit):
            return self.count_text(whole[: len(whole) - len(unit)])
        return self.count_text(whole) - self.count_text(unit)

    def count_closing(self) -> int:
        """Tokens of the generation prefix."""
        return self.count_text(self.closing_text)

    def unit_text(self, messages: Sequence[Message]) -> str:
        """What the messages add to the output of the template behind an exchange."""
        if messages and messages[0].role == "system":
            alone = self._head(messages[0], ()).removeprefix(self._begin)
            return alone + (self.unit_text(messages[1:]) if len(messages) > 1 else "")
        chat = [*_BEFORE, *(template_message(message) for message in messages)]
        return self._added(self._template.render(chat, generation=False))

    def _head(self, first: Message, tools: Sequence[Tool]) -> str:
        """The output up to the end of ``first`` when it comes first."""
        # A system message often may not stand alone, so the user's word follows it.
        follows = _BEFORE[:1] if first.role == "system" else ()
        whole = self._template.render(
            [template_message(first), *follows],
            tools=[template_tool(tool) for tool in tools],
            generation=False,
        )
        if follows and not whole.endswith(self._first_word):
            raise TemplateError(
                f"{self.name}: the chat template writes a user message differently behind a "
                "system message, so they cannot be counted one by one"
            )
        return whole.removesuffix(self._first_word) if follows else whole

    @cached_property
    def closing_text(self) -> str:
        """The generation prefix."""
        return self._added(self._template.render(_BEFORE, generation=True))

    @cached_property
    def _first_word(self) -> str:
        return self._added(self._template.render([*_BEFORE, _BEFORE[0]], generation=False))

    @property
    def _begin(self) -> str:
        return str(self._template.variables.get("bos_token") or "")

    @cached_property
    def _before(self) -> str:
        return self._template.render(_BEFORE, generation=False)

    def _added(self, rendered: str) -> str:
        if not rendered.startswith(self._before):
            raise TemplateError(
                f"{self.name}: the chat template writes earlier messages differently when more "
                "follow, so they cannot be counted one by one"
            )
        return rendered[len(self._before) :]

    def _media(self, messages: Sequence[Message]) -> int:
        return sum(media_cost(m, self._media_tokens, self.name) for m in messages if m.parts)

    def _fingerprint(self) -> str:
        cost = self._media_tokens
        shown = getattr(cost, "__qualname__", type(cost).__name__) if callable(cost) else str(cost)
        text = f"{self._vocabulary}\n{self._template.key}\n{shown}"
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
