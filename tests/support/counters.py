"""Counters whose arithmetic a reader can do in the head: one token a character."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.errors import TemplateError
from palimpsest.types import Frame, Message, Tool


@dataclass
class Letters:
    """One token a character, three a message, one to begin, two to answer.

    ``whole_extra`` makes the whole render differ from the sum, as a template that does
    not add up would; ``alternates`` and ``system_role`` make it as strict as some models.
    """

    additive: bool = True
    proven: bool = True
    alternates: bool = False
    system_role: bool = True
    whole_extra: int = 0
    markers: tuple[str, ...] = ()
    texts: list[str] = field(default_factory=list)

    @property
    def frame(self) -> Frame:
        return Frame(
            name="letters", fingerprint="1", additive=self.additive, proven=self.proven,
            alternates=self.alternates, system_role=self.system_role, markers=self.markers,
        )  # fmt: skip

    def text(self, text: str) -> int:
        self.texts.append(text)
        return len(text)

    def unit(self, messages: Sequence[Message]) -> int:
        return sum(3 + sum(map(self.text, _texts(message))) for message in messages)

    def opening(self, first: Message, tools: Sequence[Tool]) -> int:
        return 1 + sum(len(tool.json) for tool in tools)

    def closing(self) -> int:
        return 2

    def request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        return self.opening(messages[0], tools) + self.unit(messages) + self.closing()

    def whole(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        self._refuse(messages)
        return self.request(messages, tools) + self.whole_extra * len(messages)

    def _refuse(self, messages: Sequence[Message]) -> None:
        roles = [message.role for message in messages if message.role in ("user", "assistant")]
        if not self.system_role and any(message.role == "system" for message in messages):
            raise TemplateError("no system role")
        if self.alternates and (roles[0] != "user" or any(a == b for a, b in _pairs(roles))):
            raise TemplateError("roles must alternate")


def _pairs(roles: Sequence[str]) -> list[tuple[str, str]]:
    return list(itertools.pairwise(roles))


def _texts(message: Message) -> list[str]:
    texts = list(message.texts())
    texts += [call.json for call in message.tool_calls]
    texts += [part.json for part in message.parts if part.text is None]
    return texts


def tool(name: str, **schema: object) -> Tool:
    """A bare tool schema."""
    return Tool(name=name, json=json.dumps({"name": name, **schema}))
