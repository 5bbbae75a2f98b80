"""The texts that a message carries beside its words.

A model passes a value on in a call as it does in a sentence; it thinks about it, refuses
it, and a server sends it back under keys of its own. All of that is one list of texts:
the arguments of calls, then what the parts hold beside their words, the name, and the
unknown keys.

Some are whole: a thought is signed, an image and a name cannot be cut, so an edit takes
the thing as a whole. What is taken leaves a part of the kind ``gone`` or an empty key, which
is never sent, so that the texts behind it keep their places. An id is whole too: it gets
another name in its turn (see ``call_ids``). Names of functions and types are no texts: they
are the program's own.

Invariant: an edit changes the text that it names and keeps the number of texts.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from palimpsest.language.call_ids import ids_of, renamed
from palimpsest.language.json_texts import (
    Edit,
    Path,
    Reach,
    Rule,
    edited,
    edited_text,
    parsed,
    texts,
)
from palimpsest.types import Message, Part, canonical

_SEALS = frozenset({"signature", "thought_signature", "encrypted_content"})
_WHOLE = frozenset({"thinking", "media", "gone"})


class Carried(NamedTuple):
    """One text; a ``whole`` one goes altogether or not at all."""

    text: str
    whole: bool = False
    id: bool = False


class _Holder(NamedTuple):
    """Texts that stand together, and how one of them is edited."""

    texts: Sequence[Carried]
    edited: Callable[[int, Edit], Message]


def carried_texts(message: Message) -> tuple[Carried, ...]:
    """The texts that a message carries beside those of ``Message.texts``."""
    beside = (message.tool_calls, message.parts, message.extra, message.tool_call_id)
    if not any(beside) and message.name is None:
        return ()
    return tuple(text for holder in _holders(message) for text in holder.texts)


def with_carried_text(message: Message, index: int, edit: Edit) -> Message:
    """The message with text ``index`` of ``carried_texts`` edited, or gone where it is whole."""
    for holder in _holders(message):
        if index < len(holder.texts):
            return holder.edited(index, edit)
        index -= len(holder.texts)
    raise AssertionError(f"{index} texts too few are carried by this message")


def _holders(message: Message) -> Iterator[_Holder]:
    for place in range(len(message.tool_calls)):
        yield _arguments(message, place)
        yield _call(message, place)
    for place, part in enumerate(message.parts):
        yield _whole_part(message, place) if part.kind in _WHOLE else _part(message, place)
    if message.name is not None:
        # An empty name is never sent.
        yield _Holder(
            [Carried(message.name, whole=True)], lambda *_: dataclasses.replace(message, name="")
        )
    if message.extra:
        extra = json.loads(message.extra)
        yield from (_key(message, extra, key) for key in extra)
    for id in ids_of(message):
        yield _id(message, id)


def _id(message: Message, id: str) -> _Holder:
    return _Holder(
        [Carried(id, whole=True, id=True)],
        lambda _, edit: renamed(message, {id: edit(id)}),
    )


def _plain(found: Iterator[str]) -> tuple[Carried, ...]:
    return tuple(map(Carried, found))


# --- calls ------------------------------------------------------------------------------


def _arguments(message: Message, place: int) -> _Holder:
    data = json.loads(message.tool_calls[place].json)
    value = data["function"].get("arguments")

    def put(index: int, edit: Edit) -> Message:
        data["function"]["arguments"] = edited_text(value, index, edit)
        return _with_call(message, place, data)

    return _Holder(_plain(texts(parsed(value))), put)


def _call(message: Message, place: int) -> _Holder:
    """What a server adds to a call."""
    data = json.loads(message.tool_calls[place].json)

    def put(index: int, edit: Edit) -> Message:
        return _with_call(message, place, edited(data, index, edit, _beside_call))

    return _Holder(_plain(texts(data, _beside_call)), put)


def _beside_call(path: Path) -> Reach:
    if path in {("id",), ("type",), ("function", "name"), ("function", "arguments")}:
        return "none"
    own = len(path) == 1 or (len(path) == 2 and path[0] == "function")
    return "none" if path[-1] in _SEALS else "value" if own else "all"


def _with_call(message: Message, place: int, data: Mapping[str, Any]) -> Message:
    calls = list(message.tool_calls)
    calls[place] = dataclasses.replace(calls[place], json=canonical(data))
    return dataclasses.replace(message, tool_calls=tuple(calls))


# --- parts ------------------------------------------------------------------------------


def _whole_part(message: Message, place: int) -> _Holder:
    part = message.parts[place]
    data = json.loads(part.json) if part.kind != "gone" else {}
    gone = part if part.kind == "gone" else Part(kind="gone", json=canonical({"type": part.kind}))
    text = "\n".join(texts(data, _unsealed))
    return _Holder([Carried(text, whole=True)], lambda *_: _with_part(message, place, gone))


def _unsealed(path: Path) -> Reach:
    sealed = path[-1] in _SEALS or path[-1] == "type" or path == ("data",)
    return "none" if sealed else "value"


def _part(message: Message, place: int) -> _Holder:
    """What a part holds beside its words."""
    part = message.parts[place]
    data = json.loads(part.json)
    rule = _beside_words(part, data)

    def put(index: int, edit: Edit) -> Message:
        changed = canonical(edited(data, index, edit, rule))
        return _with_part(message, place, dataclasses.replace(part, json=changed))

    return _Holder(_plain(texts(data, rule)), put)


def _beside_words(part: Part, data: Mapping[str, Any]) -> Rule:
    own: set[Path] = {("type",), ("id",), ("tool_use_id",)}
    if part.kind in ("text", "tool_use"):
        own.add(("text",) if part.kind == "text" else ("name",))
    content = data.get("content") if part.kind == "tool_result" else None
    if isinstance(content, str):
        own.add(("content",))
    elif isinstance(content, list):
        for i, item in enumerate(content):
            if isinstance(item, Mapping):
                own |= {("content", i, key) for key in ("text", "type") if key in item}

    def rule(path: Path) -> Reach:
        if path in own:
            return "none"
        return "value" if len(path) == 1 else "all"

    return rule


def _with_part(message: Message, place: int, part: Part) -> Message:
    parts = list(message.parts)
    parts[place] = part
    return dataclasses.replace(message, parts=tuple(parts))


# --- unknown keys -----------------------------------------------------------------------


def _key(message: Message, extra: Mapping[str, Any], key: str) -> _Holder:
    """A key that we do not interpret; one with a signature in it is whole."""
    held = {key: extra[key]}
    if extra[key] is None or _is_signed(extra[key]):
        text = "\n".join(texts(extra[key], _unsealed))
        return _Holder(
            [Carried(text, whole=True)], lambda *_: _with_extra(message, {**extra, key: None})
        )

    def put(index: int, edit: Edit) -> Message:
        ((name, value),) = edited(held, index, edit).items()
        while name != key and name in extra:
            name += "_"
        items = ((name, value) if k == key else (k, v) for k, v in extra.items())
        return _with_extra(message, dict(items))

    return _Holder(_plain(texts(held)), put)


def _is_signed(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(_SEALS & value.keys()) or any(map(_is_signed, value.values()))
    return isinstance(value, list) and any(map(_is_signed, value))


def _with_extra(message: Message, extra: Mapping[str, Any]) -> Message:
    return dataclasses.replace(message, extra=canonical(extra))
