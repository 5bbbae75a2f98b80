"""``recorded:FILE``: answers out of a recording, found by the request's hash and the seed.

Nothing is asked of anybody, so a run with it is as repeatable as the file. Invariant: an
answer is given only to the very request it was an answer to.
"""

from __future__ import annotations

from pathlib import Path

from palimpsest.chat import ChatCall, ChatReply, ModelIdentity, request_hash
from palimpsest.errors import ModelError
from palimpsest.models import recordings
from palimpsest.models.recordings import GivenAnswer


def recorded(name: str) -> Recorded:
    """The factory of the entry point; ``name`` is the path of a recording."""
    return Recorded(Path(name).expanduser())


class Recorded:
    """See protocols.ChatModel; its identity is that of the model that was recorded."""

    def __init__(self, path: Path) -> None:
        """Read the recording; raises InputError where it is none."""
        found = recordings.read(path)
        assert found.head is not None, "the reader refuses a file without a head"
        self._path = path
        self.identity: ModelIdentity = found.head.model
        hashes = {key: asked.hash for key, asked in found.requests.items()}
        self._answers: dict[tuple[str, int], list[GivenAnswer]] = {}
        for given in found.answers:
            asked = hashes.get((given.strategy, given.case))
            if asked is not None:
                self._answers.setdefault((asked, given.seed), []).append(given)

    def answer(self, call: ChatCall) -> ChatReply:
        """The recorded answer; raises ModelError where this request was not recorded."""
        wanted = request_hash(call.messages, call.tools)
        answers = self._answers.get((wanted, call.seed))
        if not answers:
            raise ModelError(
                f"{self._path}: holds no answer with seed {call.seed} to the request "
                f"{wanted[:19]}...; the requests have changed since, or were never asked: record "
                "again with the model itself"
            )
        # Two strategies may have built one request; their answers are given in turn.
        given = answers.pop(0) if len(answers) > 1 else answers[0]
        return ChatReply(
            text=given.answer,
            tool_calls=given.tool_calls,
            stop=given.stop,
            prompt_tokens=given.prompt_tokens,
            answer_tokens=given.answer_tokens,
        )
