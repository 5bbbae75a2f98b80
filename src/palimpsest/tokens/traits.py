"""Finds what a chat template can do by rendering a fixed set of probe conversations.

A template is additive when requests count as opening + units + closing. Probes can refute
that and never prove it, so an unproven frame is used with a whole render beside it; what
they look for is what breaks additivity in practice: folded system texts, trimmed blanks,
state that looks ahead, merged neighbours, units that do not begin with a control token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tokenizers import Tokenizer as Encoder

from palimpsest.errors import TemplateError
from palimpsest.types import Message, Role, Tool, ToolCall, canonical

_PLACEHOLDER = re.compile("unused|reserved", re.IGNORECASE)
_TEXTS = (
    "Plain words.", "", " ", "  blanks around\t", "\n\nlines\n\nbetween\n", "trailing line\n\n\n",
    "<", "<|", "|>", ">", "\u4f60\u597d\uff0c\u4e16\u754c\u3002", "\U0001f389\U0001f525\ufe0f",
    "\u2581under\u2581", "12345678901234567890", "a\u0301\u200d\u00a0b", "<think>\nhm\n</think>\n\nSo.",
)  # fmt: skip
_TEXTS_OF_TOOLS = 6


class Probed(Protocol):
    """What the probes need of a tokenizer."""

    @property
    def encoder(self) -> Encoder: ...

    @property
    def closing_text(self) -> str: ...

    def unit_text(self, messages: Sequence[Message]) -> str: ...

    def count_request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int: ...

    def count_unit(self, messages: Sequence[Message]) -> int: ...

    def count_opening(self, first: Message, tools: Sequence[Tool]) -> int: ...

    def count_closing(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What the probes found."""

    additive: bool
    system_role: bool
    alternates: bool


def probe(tokenizer: Probed, *, proven: bool) -> Traits:
    """Render every probe; the same tokenizer always gives the same answer.

    ``proven`` says that the template is additive, so that this need not be probed.
    """
    alternates = not (
        _accepts(tokenizer, _chat("uu", "x")) and _accepts(tokenizer, _chat("uaau", "x"))
    )
    return Traits(
        additive=not alternates and (proven or _is_additive(tokenizer)),
        system_role=_accepts(tokenizer, [_say("system", "Some rules."), _say("user", "x")]),
        alternates=alternates,
    )


def markers(encoder: Encoder) -> tuple[str, ...]:
    """The control tokens that a text could imitate; unused placeholders are left out."""
    tokens = encoder.get_added_tokens_decoder().values()
    return tuple(
        sorted(t.content for t in tokens if t.special and not _PLACEHOLDER.search(t.content))
    )


def _is_additive(tokenizer: Probed) -> bool:
    controls = tuple(
        t.content
        for t in tokenizer.encoder.get_added_tokens_decoder().values()
        if t.special and not t.lstrip and not t.normalized and not _PLACEHOLDER.search(t.content)
    )
    try:
        if tokenizer.closing_text and not tokenizer.closing_text.startswith(controls):
            return False
        return all(_adds_up(tokenizer, p, controls) for p in _probes(markers(tokenizer.encoder)))
    except TemplateError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probe:
    units: tuple[tuple[Message, ...], ...]
    tools: tuple[Tool, ...] = ()


def _adds_up(tokenizer: Probed, probe: _Probe, controls: tuple[str, ...]) -> bool:
    messages = [message for unit in probe.units for message in unit]
    try:
        whole = tokenizer.count_request(messages, probe.tools)
    except TemplateError:
        return True  # what the template refuses is never counted
    if not all(tokenizer.unit_text(unit).startswith(controls) for unit in probe.units):
        return False
    total = tokenizer.count_opening(messages[0], probe.tools) + tokenizer.count_closing()
    return whole == total + sum(tokenizer.count_unit(unit) for unit in probe.units)


def _probes(marks: Sequence[str]) -> Iterator[_Probe]:
    inside = [f"x{mark}y" for mark in marks[:8]] + [f"{mark}" for mark in marks[:8]]
    for text in (*_TEXTS, *inside):
        for roles in ("u", "su", "uau", "suauau", "uua", "uaau", "au"):
            yield _Probe(units=tuple((m,) for m in _chat(roles, text)))
    for text in _TEXTS[:_TEXTS_OF_TOOLS]:
        for tools in ((), (_TOOL,)):
            yield from _tool_probes(text, tools)


def _tool_probes(text: str, tools: tuple[Tool, ...]) -> Iterator[_Probe]:
    one = (
        _say("user", text),
        _call("c1"),
        _result("c1", text),
        _say("assistant", text),
    )
    two = (
        _say("user", text),
        _call("c1", "c2"),
        _result("c1", text),
        _result("c2", text),
    )
    again = (*one[:3], _call("c2"), _result("c2", text))
    start, end = (_say("system", text),), (_say("user", text),)
    for units in (
        (one, end),
        (start, one, one, end),
        (start, two),
        (one, again),
        (two, one, end),
    ):
        yield _Probe(units=units, tools=tools)
    yield _Probe(units=(start, end), tools=tools)
    yield _Probe(units=(end,), tools=tools)


_ROLES: dict[str, Role] = {"s": "system", "u": "user", "a": "assistant"}
_TOOL = Tool(
    name="probe_tool",
    json=canonical(
        {
            "type": "function",
            "function": {
                "name": "probe_tool",
                "description": "Probes.",
                "parameters": {
                    "type": "object",
                    "properties": {"x": {"type": "string"}},
                },
            },
        }
    ),
)


def _chat(roles: str, text: str) -> tuple[Message, ...]:
    return tuple(_say(_ROLES[role], text) for role in roles)


def _say(role: Role, text: str) -> Message:
    return Message(role=role, content=text)


def _call(*ids: str) -> Message:
    function = {"name": "probe_tool", "arguments": '{"x": "y"}'}
    return Message(
        role="assistant",
        tool_calls=tuple(
            ToolCall(
                id=id, name="probe_tool",
                json=canonical({"id": id, "type": "function", "function": function}),
            )
            for id in ids
        ),
    )  # fmt: skip


def _result(id: str, text: str) -> Message:
    return Message(role="tool", content=text, tool_call_id=id, name="probe_tool")


def _accepts(tokenizer: Probed, messages: Sequence[Message]) -> bool:
    try:
        tokenizer.count_request(messages, ())
    except TemplateError:
        return False
    return True
