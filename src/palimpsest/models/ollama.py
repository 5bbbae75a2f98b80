"""``ollama:NAME[@DIGEST]``: a model behind Ollama's chat API, pinned by its digest.

The digest of the served model is read, and compared where one is asked for, before any
request is sent. The messages go out unchanged but for the arguments of tool calls, which
this API takes as objects.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from palimpsest.chat import ChatCall, ChatReply, ModelIdentity
from palimpsest.errors import ModelError
from palimpsest.models import pins, replies, streams
from palimpsest.models.api import ANSWER_SECONDS, Api
from palimpsest.models.schemas import Schemas
from palimpsest.types import Message

DEFAULT_BASE = "http://127.0.0.1:11434"


def ollama(name: str, base_url: str = "", timeout: float = ANSWER_SECONDS) -> Ollama:
    """The factory of the entry point; ``name`` may end in ``@DIGEST``."""
    return Ollama(name, base=base_url or _from_environment(), timeout=timeout)


class Ollama:
    """See protocols.ChatModel."""

    def __init__(self, name: str, *, base: str, timeout: float = ANSWER_SECONDS) -> None:
        """Ask the server what it serves; raises ModelError where the pin does not hold."""
        wanted = pins.split(name)
        self._schemas = Schemas()
        self._name = wanted.name
        self._title = f"ollama:{wanted.name}"
        self._api = Api(self._title, base, timeout=timeout)
        try:
            self.identity = self._identified(wanted.digest)
        except ModelError:
            self.close()
            raise

    def answer(self, call: ChatCall) -> ChatReply:
        """One call of ``/api/chat``; one more where the server knows no schema."""
        return self._schemas.answer(call, self._answered)

    def stream(self, call: ChatCall) -> Iterator[str]:
        """The same call, its text piece by piece."""
        yield from self._schemas.stream(call, self._streamed)

    def close(self) -> None:
        """Close the connections."""
        self._api.close()

    def _answered(self, call: ChatCall) -> ChatReply:
        reply = self._api.post("/api/chat", self._body(call))
        message = replies.part(reply, "message", self._title)
        return ChatReply(
            text=replies.text(message, self._title),
            tool_calls=replies.tool_calls(message, self._title),
            stop=str(reply.get("done_reason") or "unknown"),
            prompt_tokens=replies.count(reply, "prompt_eval_count"),
            answer_tokens=replies.count(reply, "eval_count"),
        )

    def _streamed(self, call: ChatCall) -> Iterator[str]:
        with self._api.streaming("/api/chat", {**self._body(call), "stream": True}) as response:
            yield from streams.lines(response, self._title)

    def _identified(self, wanted: str | None) -> ModelIdentity:
        served = self._served()
        digest = pins.bare(str(served.get("digest", ""))) or None
        return ModelIdentity(
            model=self._title,
            digest=digest,
            pinned=pins.check(self._title, wanted, digest),
            server=f"ollama {self._api.get('/api/version').get('version', 'of unknown version')}",
            details=_details(served),
        )

    def _served(self) -> Mapping[str, Any]:
        listed = self._api.get("/api/tags").get("models")
        found = {
            str(model.get("name")): model
            for model in (listed if isinstance(listed, list) else [])
            if isinstance(model, Mapping)
        }
        names = (self._name, f"{self._name}:latest")
        served = next((found[name] for name in names if name in found), None)
        if served is None:
            known = ", ".join(sorted(found)) or "none"
            raise ModelError(
                f"{self._title}: the server does not have it; it serves {known}. "
                f"Run `ollama pull {self._name}`"
            )
        return served

    def _body(self, call: ChatCall) -> dict[str, Any]:
        sampling = call.sampling
        options: dict[str, Any] = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": call.seed,
            "num_ctx": call.window,
            "num_predict": call.limit,
        }
        if sampling.top_k:
            options["top_k"] = sampling.top_k
        body: dict[str, Any] = {
            "model": self._name,
            "messages": [_message(message, self._title) for message in call.messages],
            "stream": False,
            "think": sampling.thinking,
            "options": options,
        }
        if call.schema:
            body["format"] = json.loads(call.schema)
        if call.tools:
            body["tools"] = [tool.as_dict() for tool in call.tools]
        return body


def _message(message: Message, title: str) -> dict[str, Any]:
    if message.parts:
        raise ModelError(
            f"{title}: a {message.role} message has parts that are no plain text, and this API "
            "takes a text only; use a server that speaks the OpenAI API"
        )
    data = message.as_dict()
    for call in data.get("tool_calls", ()):
        arguments = call["function"].get("arguments")
        if isinstance(arguments, str):
            try:
                call["function"]["arguments"] = json.loads(arguments)
            except ValueError:
                raise ModelError(
                    f"{title}: the arguments {arguments[:60]!r} of a tool call are not JSON, and "
                    "this API takes an object"
                ) from None
    return data


def _details(served: Mapping[str, Any]) -> dict[str, str]:
    told = served.get("details")
    keys = ("parameter_size", "quantization_level")
    return {key: str(told[key]) for key in keys if isinstance(told, Mapping) and told.get(key)}


def _from_environment() -> str:
    """``OLLAMA_HOST`` as Ollama reads it: a URL, a host, or host and port."""
    named = os.environ.get("OLLAMA_HOST", "").strip()
    if not named:
        return DEFAULT_BASE
    if "://" in named:
        return named
    host, _, port = named.rpartition(":") if ":" in named else (named, "", "")
    # A server that listens on every address is reached on this machine.
    host = "127.0.0.1" if host in ("", "0.0.0.0") else host  # noqa: S104
    return f"http://{host}:{port or 11434}"
