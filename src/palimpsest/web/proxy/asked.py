"""What a client asks, read as far as the memory needs it; everything else passes untouched.

Invariant: ``body`` is the client's, key by key; nothing is refused that the upstream might take,
but for what is no JSON object with a list of messages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from palimpsest.errors import InputError

NAME_HEADER = "x-palimpsest-conversation"
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One call of ``/v1/chat/completions``."""

    body: Mapping[str, Any]
    messages: Sequence[Any]
    """As the client gave them."""
    user: str | None
    """The ``user`` field, where it is a text."""
    conversation: str | None
    """The conversation that the header names."""
    answer: int | None
    """The tokens that the client allows the answer."""


def read(raw: bytes, name: str | None) -> Asked:
    """Read a body; raises InputError with what is wrong."""
    body = _object(raw)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InputError("messages: is not a list of at least one message")
    user = body.get("user")
    limits = (body.get("max_completion_tokens"), body.get("max_tokens"))
    answer = next((n for n in limits if type(n) is int and n > 0), None)
    return Asked(
        body=body, messages=messages, conversation=_name(name), answer=answer,
        user=user if isinstance(user, str) and user.strip() else None,
    )  # fmt: skip


def readable(messages: Sequence[Any]) -> list[Any]:
    """The messages as the store takes them: an answer that is a refusal or empty is its words."""
    return [_readable(message) for message in messages]


def body_of(asked: Asked, messages: Sequence[Any], model: str) -> bytes:
    """What is sent on: the client's body with other messages, and a model where it names none."""
    body = {**asked.body, "messages": list(messages)}
    if model and not body.get("model"):
        body["model"] = model
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _readable(message: Any) -> Any:
    if not isinstance(message, Mapping) or message.get("role") != "assistant":
        return message
    if message.get("content") is not None or message.get("tool_calls"):
        return message
    if message.get("function_call"):
        raise InputError("messages: function_call is an older shape; send tool_calls")
    refusal = message.get("refusal")
    return {**message, "content": refusal if isinstance(refusal, str) else "", "refusal": None}


def _object(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        kind = "nested too deep" if isinstance(error, RecursionError) else "not JSON in UTF-8"
        raise InputError(f"the body is {kind}") from None
    if not isinstance(body, dict):
        raise InputError("the body is not a JSON object with 'model' and 'messages'")
    if b"\\ud" in raw.lower():
        _check_pairs(body)
    return body


def _check_pairs(body: object) -> None:
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InputError("the body holds half of a surrogate pair, which is no text") from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    """A number with a point or an exponent; one beyond every float has no JSON to be sent on as."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is no number of JSON that can be sent on")
    return number


def _name(header: str | None) -> str | None:
    if header is None:
        return None
    name = unquote(header).strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError(
            f"{NAME_HEADER}: is not a name of 1 to {_LONGEST_NAME} printable characters; write "
            "others than ASCII percent-encoded"
        )
    return name
