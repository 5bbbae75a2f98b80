"""Renders a chat template the way the hub's convention does, in a sandbox.

Templates are foreign code: they run in Jinja's immutable sandbox, see messages, tools and
named variables, and nothing else. There is no clock (``strftime_now`` stays undefined), so
equal messages render equally for ever. Whatever goes wrong inside is a TemplateError that
names the tokenizer, the message and the next step.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from palimpsest.errors import TemplateError

Chat = Sequence[Mapping[str, Any]]
_ADVICE = "change it, or count with a tokenizer whose template takes it (palimpsest tokenizer list)"


class _Generation(Extension):
    """``{% generation %}`` marks what a model wrote, for training; it renders its body."""

    tags = {"generation"}  # noqa: RUF012 - the name and type are Jinja's

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Callable[[], str]) -> str:
        return caller()


class _Refused(Exception):
    """What ``raise_exception`` raises inside a template."""


def _raise_exception(message: object) -> NoReturn:
    raise _Refused(str(message))


def _tojson(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def environment() -> ImmutableSandboxedEnvironment:
    """The sandbox that templates run in."""
    made = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[_Generation, "jinja2.ext.loopcontrols"],
    )
    made.filters["tojson"] = _tojson
    made.globals["raise_exception"] = _raise_exception
    return made


class ChatTemplate:
    """One chat template with its fixed variables (``bos_token``, ``enable_thinking``, ...)."""

    def __init__(self, *, name: str, source: str, variables: Mapping[str, Any]) -> None:
        """``name`` is the tokenizer's, for errors; raises TemplateError on bad Jinja."""
        self.name = name
        self.source = source
        self.variables = dict(variables)
        try:
            self._compiled = environment().from_string(source)
        except jinja2.TemplateSyntaxError as error:
            raise TemplateError(
                f"{name}: the chat template is not valid Jinja (line {error.lineno}: "
                f"{error.message}); give another template file"
            ) from None

    @cached_property
    def key(self) -> str:
        """Source and variables as one text, for a fingerprint."""
        return json.dumps([self.source, self.variables], sort_keys=True, default=str)

    def render(self, messages: Chat, *, tools: Chat = (), generation: bool) -> str:
        """The text that the model reads; ``generation`` adds the prefix of its answer."""
        try:
            return self._render(messages, tools, generation)
        except Exception as error:  # noqa: BLE001 - foreign code may raise anything
            raise TemplateError(self._explain(messages, tools, generation, error)) from None

    def _render(self, messages: Chat, tools: Chat, generation: bool) -> str:
        # Without tools the convention passes None; templates test it with "is not none".
        return self._compiled.render(
            **self.variables,
            messages=list(messages),
            tools=list(tools) or None,
            add_generation_prompt=generation,
        )

    def _explain(self, messages: Chat, tools: Chat, generation: bool, error: Exception) -> str:
        reason = str(error).strip() or type(error).__name__
        if isinstance(error, TemplateError):
            reason = f"it would write out {reason}"
        if not messages:
            return f"{self.name}: the chat template refuses a request without messages ({reason})"
        if tools and self._renders(messages, (), generation):
            names = ", ".join(repr(tool.get("function", {}).get("name")) for tool in tools)
            return f"{self.name}: the chat template cannot express the tools {names}: {reason}; {_ADVICE}"
        index = self._first_refused(messages, tools, generation)
        role = messages[index].get("role")
        return (
            f"{self.name}: the chat template cannot express messages[{index}] ({role}): "
            f"{reason}; {_ADVICE}"
        )

    def _first_refused(self, messages: Chat, tools: Chat, generation: bool) -> int:
        """The index of the message at which rendering begins to fail."""
        passes, fails = 0, len(messages)
        while fails - passes > 1:
            middle = (passes + fails) // 2
            if self._renders(messages[:middle], tools, generation):
                passes = middle
            else:
                fails = middle
        return fails - 1

    def _renders(self, messages: Chat, tools: Chat, generation: bool) -> bool:
        try:
            self._render(messages, tools, generation)
        except Exception:  # noqa: BLE001 - as above
            return False
        return True
