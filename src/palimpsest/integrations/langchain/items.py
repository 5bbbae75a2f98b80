"""An item of LangGraph's store as a memory: its value is the text, as JSON; its key the attribute.

Invariant: what is read is what was put, for every JSON value, every key and every namespace that
LangGraph allows; two keys are never one attribute.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import json_repair
from langgraph.store.base import InvalidNamespaceError

from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.types import Memory

Namespace = tuple[str, ...]
Times = tuple[datetime, datetime]
"""When an item was made, and when its value was last changed."""

VALUE = "stored item"
"""What a forget of an item knows again. The words of its JSON are not the item's alone: a delete
takes the item, and nothing out of the items beside it."""
MOST = 1_000
"""How many memories a query may bring back in one namespace."""
_PREFIX, _DIVIDER = "store:", "."
"""LangGraph allows no period inside a label, so a joined namespace can be taken apart again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A current item."""

    key: str
    memory: Memory

    @property
    def id(self) -> int:
        """The id of the memory."""
        return self.memory.id

    @property
    def value(self) -> dict[str, Any]:
        """A fresh copy of what was put, or what a forget of a value left of it."""
        text = self.memory.text
        try:
            found = json.loads(text)
        except ValueError:
            found = json_repair.loads(text)
        return dict(found) if isinstance(found, Mapping) else {}


def check(space: Namespace) -> None:
    """Refuse what LangGraph refuses; a batch comes here without having been checked."""
    for label in space:
        if not isinstance(label, str) or not label or _DIVIDER in label or "\x00" in label:
            raise InvalidNamespaceError(
                f"namespace: {label!r} in {space!r} is not a label; a label is a text that is not "
                "empty, without a period and without NUL"
            )


def conversation_of(space: Namespace) -> str:
    """The name of the conversation that holds a namespace."""
    return _PREFIX + _DIVIDER.join(space)


def namespace_of(conversation: str) -> Namespace:
    """The namespace of a conversation; empty for one that is not a store's."""
    if not conversation.startswith(_PREFIX):
        return ()
    return tuple(conversation.removeprefix(_PREFIX).split(_DIVIDER))


def attribute_of(key: str) -> str:
    """The attribute of a key: the key, or its JSON where attributes have one form for many."""
    plain = key.strip() and not key.startswith('"') and key.isprintable()
    return key if plain and unicodedata.normalize("NFC", key) == key else json.dumps(key)


def text_of(value: Mapping[str, Any]) -> str:
    """The text of a value; raises InputError for what JSON cannot give back."""
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError) as error:
        raise InputError(f"value: cannot be written as JSON ({error})") from None
    if any(not isinstance(key, str) for key in value):
        raise InputError("value: its keys are not all texts, and JSON has no others")
    return text


def rows_of(talk: Conversation) -> Iterator[Row]:
    """The current items of a namespace, one a key: the newest, where two processes put at once."""
    found: dict[str, Memory] = {}
    for memory in talk.current():
        if memory.scope == talk.scope and memory.attribute is not None:
            found[memory.attribute] = memory
    for attribute, memory in found.items():
        if memory.source == "store":
            key = json.loads(attribute) if attribute.startswith('"') else attribute
            yield Row(key=key, memory=memory)


def times(history: Sequence[Memory], row: Row) -> Times:
    """When an item was first put, and when what it says now was."""
    first = history[0].created_at if history else row.memory.created_at
    return datetime.fromisoformat(first), datetime.fromisoformat(row.memory.created_at)
