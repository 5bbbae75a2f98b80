"""Asks with a schema, and once more without where a server knows none.

Not every server that speaks a chat API can hold a reply to a schema; one that cannot says so
with a refusal that names the field. Invariant: a schema is left out only after the same call
was answered without it, and then for as long as the model is open, so nothing is asked twice
for every turn. The reader of a reply checks it either way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import regex

from palimpsest.chat import ChatCall, ChatReply
from palimpsest.errors import ModelError

_REFUSALS = (400, 422, 501)
"""What servers answer to a field that they do not know."""
_NAMES = regex.compile(
    r"response_?format|json_?schema|\bformat\b|\bgrammar\b|structured.?output|guided", regex.I
)


class Schemas:
    """Whether one open model takes schemas; asked until it refuses one."""

    def __init__(self) -> None:
        self.refused = False

    def answer(self, call: ChatCall, send: Callable[[ChatCall], ChatReply]) -> ChatReply:
        """The reply to a call; raises ModelError."""
        if not call.schema or self.refused:
            return send(without(call))
        try:
            return send(call)
        except ModelError as error:
            if not names_schema(error):
                raise
        reply = send(without(call))
        self.refused = True
        return reply

    def stream(self, call: ChatCall, send: Callable[[ChatCall], Iterator[str]]) -> Iterator[str]:
        """The pieces of the reply; a refusal comes before the first of them."""
        if not call.schema or self.refused:
            yield from send(without(call))
            return
        begun = False
        try:
            for piece in send(call):
                begun = True
                yield piece
            return
        except ModelError as error:
            if begun or not names_schema(error):
                raise
        yield from send(without(call))
        self.refused = True


def names_schema(error: ModelError) -> bool:
    """True where a server refused a call and named the field of the schema."""
    return error.status in _REFUSALS and _NAMES.search(error.told) is not None


def without(call: ChatCall) -> ChatCall:
    """The same call, its reply held to no schema."""
    return dataclasses.replace(call, schema="") if call.schema else call
