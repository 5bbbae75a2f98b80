"""``openai:NAME``: a model behind any server that speaks the OpenAI chat API.

Such a server gives no digest, so this kind of model is never pinned. The messages go out
exactly as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from palimpsest.chat import ChatCall, ChatReply, ModelIdentity
from palimpsest.errors import ModelError
from palimpsest.models import replies, streams
from palimpsest.models.api import ANSWER_SECONDS, Api
from palimpsest.models.schemas import Schemas

BASE_VARIABLES = ("PALIMPSEST_OPENAI_BASE_URL", "OPENAI_BASE_URL")
KEY_VARIABLE = "OPENAI_API_KEY"


def openai(name: str, base_url: str = "", timeout: float = ANSWER_SECONDS) -> OpenAIModel:
    """The factory of the entry point; the key is read from ``OPENAI_API_KEY``."""
    named = (os.environ.get(variable, "").strip() for variable in BASE_VARIABLES)
    base = base_url or next(filter(None, named), "")
    if not base:
        raise ModelError(
            f"openai:{name}: no base URL; give --base-url, or set {BASE_VARIABLES[0]}, such as "
            "http://127.0.0.1:8080/v1"
        )
    return OpenAIModel(name, base=base, key=os.environ.get(KEY_VARIABLE, ""), timeout=timeout)


class OpenAIModel:
    """See protocols.ChatModel."""

    def __init__(
        self, name: str, *, base: str, key: str = "", timeout: float = ANSWER_SECONDS
    ) -> None:
        self._name = name
        self._title = f"openai:{name}"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._api = Api(self._title, base, headers=headers, timeout=timeout)
        self._schemas = Schemas()
        self.identity = ModelIdentity(
            model=self._title,
            digest=None,
            pinned=False,
            server=self._api.base,
            unsent=("thinking", "window"),
        )

    def answer(self, call: ChatCall) -> ChatReply:
        """One call of ``/chat/completions``; one more where the server knows no schema."""
        return self._schemas.answer(call, self._answered)

    def stream(self, call: ChatCall) -> Iterator[str]:
        """The same call, its text piece by piece."""
        yield from self._schemas.stream(call, self._streamed)

    def _answered(self, call: ChatCall) -> ChatReply:
        return reply_of(self._api.post("/chat/completions", body(self._name, call)), self._title)

    def _streamed(self, call: ChatCall) -> Iterator[str]:
        sent = {**body(self._name, call), "stream": True}
        with self._api.streaming("/chat/completions", sent) as response:
            yield from streams.events(response, self._title)

    def close(self) -> None:
        """Close the connections."""
        self._api.close()


def body(name: str, call: ChatCall) -> dict[str, Any]:
    """The body of a chat completion."""
    made: dict[str, Any] = {
        "model": name,
        "messages": [message.as_dict() for message in call.messages],
        "max_tokens": call.limit,
        "seed": call.seed,
        "temperature": call.sampling.temperature,
        "top_p": call.sampling.top_p,
        "stream": False,
    }
    if call.sampling.top_k:
        made["top_k"] = call.sampling.top_k
    if call.schema:
        asked = {"name": "reply", "schema": json.loads(call.schema)}
        made["response_format"] = {"type": "json_schema", "json_schema": asked}
    if call.tools:
        made["tools"] = [
            schema if "function" in (schema := tool.as_dict()) else _wrapped(schema)
            for tool in call.tools
        ]
    return made


def _wrapped(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": dict(schema)}


def reply_of(reply: Mapping[str, Any], title: str) -> ChatReply:
    """The first choice of a chat completion."""
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise ModelError(f"{title}: the reply has no choices; its keys: {', '.join(sorted(reply))}")
    message = replies.part(choices[0], "message", title)
    found = reply.get("usage")
    usage: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    return ChatReply(
        text=replies.text(message, title),
        tool_calls=replies.tool_calls(message, title),
        stop=str(choices[0].get("finish_reason") or "unknown"),
        prompt_tokens=replies.count(usage, "prompt_tokens"),
        answer_tokens=replies.count(usage, "completion_tokens"),
    )
