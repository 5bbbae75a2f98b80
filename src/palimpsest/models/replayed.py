"""``replayed:FILE``: calls and answers one line each, recorded as they are asked.

Unlike a recording of answers it knows no suite: an answer belongs to everything that its call
says (messages, schema, seed, limits). Invariant: an answer is given only to the very call that
it was an answer to, and the file holds no text of a call.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from palimpsest.chat import CALL_SCHEMA, ChatCall, ChatReply, ModelIdentity, call_hash
from palimpsest.errors import InputError, ModelError
from palimpsest.protocols import ChatModel


def replayed(name: str) -> Replayed:
    """The factory of the entry point; ``name`` is the path of a file that ``Recorder`` wrote."""
    return Replayed(Path(name).expanduser())


class Replayed:
    """See protocols.ChatModel; its identity is that of the model that was recorded."""

    def __init__(self, path: Path) -> None:
        """Read the file; raises InputError where it is none."""
        self._path = path
        self._schema, self.identity, self._answers = _read(path)

    def answer(self, call: ChatCall) -> ChatReply:
        """The recorded answer; raises ModelError where this call was not recorded."""
        wanted = call_hash(call, schema=self._schema)
        if wanted not in self._answers:
            raise ModelError(
                f"{self._path}: holds no answer to the call {wanted[:19]}...; the calls have "
                "changed since: record again with the model itself"
            )
        return ChatReply(**self._answers[wanted])


class Recorder:
    """A chat model that keeps every answer of another one in a file; a second run goes on."""

    def __init__(self, model: ChatModel, path: Path) -> None:
        self._model = model
        self._path = path
        self.identity = model.identity
        self._schema, self._answers = CALL_SCHEMA, dict[str, dict[str, Any]]()
        if path.exists():
            self._schema, recorded, self._answers = _read(path)
            if recorded != self.identity:
                raise InputError(f"{path}: was recorded with {recorded.model}; name another file")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write({"schema": CALL_SCHEMA, "model": dataclasses.asdict(self.identity)})

    def answer(self, call: ChatCall) -> ChatReply:
        """The answer that is kept, or the model's, which is kept then."""
        key = call_hash(call, schema=self._schema)
        if key not in self._answers:
            reply = dataclasses.asdict(self._model.answer(call))
            self._write({"call": key, "reply": reply})
            self._answers[key] = reply
        return ChatReply(**self._answers[key])

    def _write(self, data: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(data, ensure_ascii=False) + "\n")


def _read(path: Path) -> tuple[int, ModelIdentity, dict[str, dict[str, Any]]]:
    """The schema that the calls were hashed by, who answered, and the answers by call."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        schema, head = lines[0]["schema"], lines[0]["model"]
        answers = {line["call"]: line["reply"] for line in lines[1:]}
        for reply in answers.values():
            reply["tool_calls"] = tuple(reply["tool_calls"])
        identity = ModelIdentity(**{**head, "unsent": tuple(head["unsent"])})
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InputError(f"{path}: is no recording of calls ({type(error).__name__})") from None
    if schema not in range(1, CALL_SCHEMA + 1):
        raise InputError(
            f"{path}: is a recording of schema {schema!r}; this version reads 1 to {CALL_SCHEMA}"
        )
    return schema, identity, answers
