"""What is sent where the memory cannot build the request: the client's own messages.

The chat goes on, and a forget wins over that. Where the user forgot nothing the messages go as
they are. Where something was forgotten, or where that cannot be asked, no earlier turn goes: the
instructions and the newest turn do, which is what is said now. A newest turn that brings
what was forgotten in older words of its own (a tool's, say) is refused.

Invariant: no message but the instructions and the last words of the user can carry a
forgotten value, whenever the store can be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.engine import Memory
from palimpsest.errors import InputError, PalimpsestError

_INSTRUCTIONS = ("system", "developer")


def without_memory(
    memory: Memory, user: str, messages: Sequence[Any], *, readable: bool
) -> list[Any]:
    """The messages that go; raises InputError for a turn that cannot be sent without memory."""
    try:
        forgets = memory.exchanges.forgets(user) if readable else None
    except PalimpsestError:
        forgets = None
    if forgets is False:
        return list(messages)
    newest = _newest(messages)
    if forgets and len(newest) > 1:
        texts = [json.dumps(message, ensure_ascii=False) for message in newest]
        if memory.exchanges.says_forgotten(user, [text for each in texts for text in _plain(each)]):
            raise InputError(
                "messages: the newest turn holds what was forgotten, and the memory cannot take "
                "it out of this request; ask again in new words"
            )
    return [m for m in messages if _role(m) in _INSTRUCTIONS] + newest


def _newest(messages: Sequence[Any]) -> list[Any]:
    """From the last words of the user on."""
    for place in range(len(messages) - 1, -1, -1):
        if _role(messages[place]) == "user":
            return [m for m in messages[place:] if _role(m) not in _INSTRUCTIONS]
    raise InputError("messages: there is no message of a user among them")


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, Mapping) else None


def _plain(text: str) -> tuple[str, str]:
    """JSON as it is, and with the marks that may part a value from its neighbours left out."""
    return text, text.replace("\\n", " ").replace("\\t", " ").replace('\\"', " ")
