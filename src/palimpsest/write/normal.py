"""What a message says, however a client writes it down: a pure form to compare and to hash.

Clients send a history again with their own habits: blanks trimmed, empty keys added, calls
written with other spaces, thoughts left out. Invariant: messages with one form say the same
words, make the same calls and answer the same call.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from palimpsest.types import Message, Redaction, ToolCall, canonical
from palimpsest.write.gaps import around, fills

_LEFT_OUT = frozenset({"thinking", "gone"})


def normal(message: Message) -> Message:
    """The message without what does not tell it from another one."""
    parts = tuple(
        dataclasses.replace(part, json=_sorted(json.loads(part.json)))
        for part in message.parts
        if part.kind not in _LEFT_OUT
    )
    content = message.content or ""
    if all(part.kind == "text" for part in parts):
        content, parts = content or "".join(part.text or "" for part in parts), ()
    return Message(
        role=message.role, content=None if parts else content.strip(), parts=parts,
        tool_calls=tuple(map(_call, message.tool_calls)), tool_call_id=message.tool_call_id,
    )  # fmt: skip


def said(message: Message) -> str:
    """The same as one text."""
    if not message.parts and not message.tool_calls:
        # Most messages by far, and a history has them all each time.
        words = (message.content or "").strip()
        return canonical([message.role, words, [], [], message.tool_call_id or ""])
    form = normal(message)
    calls = [call.json for call in form.tool_calls]
    parts = [part.json for part in form.parts]
    return canonical([form.role, form.content or "", parts, calls, form.tool_call_id or ""])


def same(stored: Message, given: Message, gaps: Sequence[Redaction], *, lost: bool) -> bool:
    """Whether a client means a stored message; ``gaps`` are where it lost something.

    Where its turn ``lost`` something, ids may have other names and calls pass on less.
    """
    return normal(stored) == normal(given) or (lost and _fits(stored, given, gaps))


def _fits(stored: Message, given: Message, gaps: Sequence[Redaction]) -> bool:
    """The same message with anything in place of the gaps of its words."""
    mine, theirs = stored.texts(), given.texts()
    return (
        _around(stored) == _around(given)
        and (_silent(stored) == _silent(given) or any(p.kind == "gone" for p in stored.parts))
        and len(mine) == len(theirs)
        and all(
            _fills(text, [gap for gap in gaps if gap.text == i], theirs[i])
            for i, text in enumerate(mine)
        )
    )


def _around(message: Message) -> tuple[Any, ...]:
    """Who speaks, which functions are called, and whether a call is answered."""
    called = tuple(call.name for call in message.tool_calls)
    return message.role, called, bool(message.tool_call_id)


def _silent(message: Message) -> list[str]:
    """The kinds of the parts that hold no words."""
    left = (part.kind for part in message.parts if part.text is None)
    return [kind for kind in left if kind not in _LEFT_OUT]


def _fills(text: str, gaps: Sequence[Redaction], given: str) -> bool:
    """The same text with anything in place of each gap, outer blanks apart."""
    first, *rest = around(text, gaps)
    *middle, last = (first.lstrip(), *rest)
    return fills((*middle, last.rstrip()), given.strip())


def _call(call: ToolCall) -> ToolCall:
    data = json.loads(call.json)
    arguments: Any = data.get("function", {}).get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = arguments.strip()
    return ToolCall(id=call.id, name=call.name, json=_sorted([call.id, call.name, arguments]))


def _sorted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
