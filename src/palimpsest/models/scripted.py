"""A model that gives prepared answers in turn: for tests and for trying a harness.

It keeps every call that it was sent, so what reached "the model" can be looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from palimpsest.chat import ChatCall, ChatReply, ModelIdentity
from palimpsest.errors import ModelError


class Scripted:
    """See protocols.ChatModel; an exception among the answers is raised when its turn comes."""

    def __init__(
        self,
        answers: Iterable[str | ChatReply | Exception],
        *,
        model: str = "scripted",
        digest: str | None = None,
        pinned: bool = True,
    ) -> None:
        self._answers = iter(answers)
        self.calls: list[ChatCall] = []
        """What was sent, in order."""
        self.identity = ModelIdentity(model=model, digest=digest, pinned=pinned, server="none")

    def answer(self, call: ChatCall) -> ChatReply:
        """The next prepared answer."""
        self.calls.append(call)
        try:
            given = next(self._answers)
        except StopIteration:
            raise ModelError(
                f"{self.identity.model}: the script ended after {len(self.calls) - 1} answers; "
                "give it one for every call"
            ) from None
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, ChatReply) else ChatReply(text=given, stop="stop")

    def stream(self, call: ChatCall) -> Iterator[str]:
        """The next prepared answer, word by word."""
        yield from re.findall(r"\S+\s*|\s+", self.answer(call).text)
