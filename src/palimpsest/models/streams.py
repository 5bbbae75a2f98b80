"""An answer while it is being written: the pieces of its text out of the two usual streams.

Server-sent events (the OpenAI API) and lines of JSON (Ollama). Invariant: a stream that ends
before the server said that it is done, or that says anything but an answer, is a ModelError,
so pieces that were all read are the whole answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
from httpx_sse import EventSource, SSEError

from palimpsest.errors import ModelError
from palimpsest.models import replies


def events(response: httpx.Response, title: str) -> Iterator[str]:
    """The pieces of a streamed chat completion; raises ModelError."""
    ended = False
    try:
        for event in EventSource(response).iter_sse():
            if event.data.strip() == "[DONE]":
                ended = True
                break
            piece, last = _of_choice(_object(event.data, title), title)
            ended = ended or last
            if piece:
                yield piece
    except SSEError as error:
        raise ModelError(f"{title}: the answer is no stream of events ({error})") from None
    if not ended:
        raise _broken(title)


def lines(response: httpx.Response, title: str) -> Iterator[str]:
    """The pieces of an answer that comes as lines of JSON; raises ModelError."""
    for line in response.iter_lines():
        if not line.strip():
            continue
        data = _object(line, title)
        piece = replies.text(replies.part(data, "message", title), title)
        if piece:
            yield piece
        if data.get("done") is True:
            return
    raise _broken(title)


def _of_choice(data: Mapping[str, Any], title: str) -> tuple[str, bool]:
    """The text of an event, and whether it is the last one of the answer."""
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices:
        return "", False  # a report of usage, for instance
    if not isinstance(choices[0], Mapping):
        raise ModelError(f"{title}: a choice of the stream is {choices[0]!r:.60}, not an object")
    delta = choices[0].get("delta")
    piece = replies.text(delta, title) if isinstance(delta, Mapping) else ""
    return piece, choices[0].get("finish_reason") is not None


def _object(text: str, title: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        raise ModelError(f"{title}: the stream holds {text[:60]!r}, which is not JSON") from None
    if not isinstance(found, dict):
        raise ModelError(f"{title}: the stream holds {text[:60]!r}, not an object")
    if (error := found.get("error")) is not None:
        told = error.get("message") if isinstance(error, dict) else error
        raise ModelError(f"{title}: the server broke off its answer: {str(told)[:300]}")
    return found


def _broken(title: str) -> ModelError:
    return ModelError(
        f"{title}: the stream ended before the answer did; look at the server's log and ask again"
    )
