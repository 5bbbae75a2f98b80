"""One turn of a chat: build, answer piece by piece, store, then remember.

Invariant: what was shown of an answer is what is stored of it; a turn of which no answer was
shown is not stored, and the person is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import cast

from palimpsest.chat import ChatCall, Sampling
from palimpsest.cli.terminal import Terminal
from palimpsest.conversation import Conversation
from palimpsest.errors import ModelError
from palimpsest.language.invisible import shown
from palimpsest.ledger import Request
from palimpsest.proposals import Verdict
from palimpsest.protocols import ChatModel, StreamingChatModel
from palimpsest.types import Budget

_SAMPLING = Sampling(temperature=0.6, top_k=0)
_DONE = {
    "add": "remembered", "merge": "known already", "supersede": "corrected",
    "forget": "forgotten", "review": "waits for you (palimpsest review)",
}  # fmt: skip


class Chat:
    """A conversation with its model; ``request`` is the one that was sent last."""

    def __init__(
        self,
        talk: Conversation,
        model: ChatModel,
        *,
        budget: Budget,
        strategy: str,
        extractor: str | None,
        instructions: str | None,
        terminal: Terminal,
    ) -> None:
        self.talk = talk
        self.model = model
        self.budget = budget
        self.strategy = strategy
        self.extractor = extractor
        self.instructions = instructions
        self.terminal = terminal
        self.request: Request | None = None

    def say(self, text: str) -> None:
        """Answer what the person said, and keep it; raises RequiredContextTooLarge."""
        self.request = self.talk.request(
            text, budget=self.budget, strategy=self.strategy, instructions=self.instructions
        )
        if self.request.degraded:
            self._note(f"without semantic recall: {self.request.degraded}")
        said = self._answered(self.request)
        if not said.strip():
            self._note("no answer, so this turn was not kept; say it again")
            return
        self.talk.observe(user=text, assistant=said)
        self._remember()

    def _answered(self, request: Request) -> str:
        """Show the answer while it comes; whatever ends it, what was shown comes back."""
        pieces: list[str] = []
        try:
            with closing(_pieces(self.model, self._call(request))) as coming:
                for piece in coming:
                    pieces.append(piece)
                    self.terminal.print(_visible(piece), end="", markup=False)
        except KeyboardInterrupt:
            self._note("\nstopped; the turn is kept as far as it went")
        except ModelError as error:
            self._note(f"\n{shown(str(error))}")
        self.terminal.print()
        return "".join(pieces)

    def _call(self, request: Request) -> ChatCall:
        return ChatCall(
            messages=request.sent, tools=request.tools, window=self.budget.window,
            limit=self.budget.answer, seed=len(request.sent), sampling=_SAMPLING,
        )  # fmt: skip

    def _remember(self) -> None:
        """Read what was said; Ctrl-C leaves that for the next time."""
        try:
            for reflection in self.talk.reflect(extractor=self.extractor):
                if reflection.error:
                    self._note(f"could not read turn {reflection.turn}: {shown(reflection.error)}")
                for verdict in reflection.verdicts:
                    self._decided(verdict)
        except KeyboardInterrupt:
            self._note("not read yet; the next turn or 'palimpsest reflect' does it")

    def _decided(self, verdict: Verdict) -> None:
        if verdict.action in _DONE:
            place = f" #{verdict.memory}" if verdict.memory else ""
            words = "" if verdict.action == "forget" else f": {shown(verdict.text)}"
            self._note(f"  {_DONE[verdict.action]}{place}{words}")

    def _note(self, text: str) -> None:
        self.terminal.print(text, style="dim", markup=False)


def _pieces(model: ChatModel, call: ChatCall) -> Iterator[str]:
    """The answer piece by piece; whole from a model that cannot stream."""
    if isinstance(model, StreamingChatModel):
        yield from model.stream(call)
    else:
        yield cast(ChatModel, model).answer(call).text


def _visible(piece: str) -> str:
    """A piece with its control characters shown, but for the line breaks."""
    return "\n".join(shown(line) for line in piece.split("\n"))
