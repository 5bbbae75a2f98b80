"""One turn of a chat: build, answer piece by piece, store whole, then remember.

Invariant: what was shown of an answer is what is stored of it, and the mark of a broken one
with it; a turn without any answer is not stored, and its words go back to the person.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass

from palimpsest.chat import ChatCall, Sampling
from palimpsest.cli.chat_screen import Screen, brief, whole_characters
from palimpsest.cli.interrupts import Interrupts
from palimpsest.conversation import Conversation
from palimpsest.errors import ModelError
from palimpsest.language.invisible import shown
from palimpsest.ledger import Request
from palimpsest.proposals import Reflection, Verdict
from palimpsest.protocols import ChatModel, Counter, Extractor, Strategy, StreamingChatModel
from palimpsest.types import Budget

STOPPED = "[stopped here]"
BROKEN = "[broken off here]"
_DONE = {
    "add": "remembered", "merge": "knew already", "supersede": "corrected", "forget": "forgot",
    "review": "waits for you",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a chat asks its model."""

    model: ChatModel
    budget: Budget
    strategy: Strategy
    extractor: Extractor
    instructions: str | None
    temperature: float
    counter: Counter


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of an answer, with the mark of a broken one; ``fault`` says why it broke."""

    text: str
    fault: str = ""


class Turns:
    """Says one thing after the other to one model in one conversation."""

    def __init__(self, talk: Conversation, setup: Setup, screen: Screen, stop: Interrupts) -> None:
        self.talk = talk
        self.setup = setup
        self.forgot = False
        """True once something was forgotten since this was last set."""
        self._screen = screen
        self._stop = stop

    def say(self, text: str) -> bool:
        """Answer, keep and read what the person said; False where nothing was stored.

        Raises RequiredContextTooLarge and StoreError; then nothing was stored either.
        """
        setup = self.setup
        request = self.talk.request(
            text, budget=setup.budget, strategy=setup.strategy, instructions=setup.instructions
        )
        if request.degraded:
            self._screen.note(f"without recall by meaning: {shown(request.degraded)}")
        answer = self._answered(request)
        if answer.text:
            self.talk.observe(user=text, assistant=answer.text)
        if answer.fault:
            kept = "what came of the answer is kept" if answer.text else "the turn was not stored"
            self._screen.note(f"{answer.fault}; {kept}", style="yellow")
        if answer.text:
            self.remember()
        return bool(answer.text)

    def remember(self) -> None:
        """Read what waits to be read; whatever goes wrong there, the turns are stored."""
        try:
            with self._stop.breaking(), self._screen.waiting("reading what was said"):
                done = self.talk.reflect(extractor=self.setup.extractor)
        except KeyboardInterrupt:
            self._screen.note("not read for what to remember yet; the next turn does that too")
            return
        except Exception as error:  # noqa: BLE001 - a reading must never end a conversation
            self._screen.note(f"could not read what was said: {type(error).__name__}")
            return
        self._learned(done)

    def _answered(self, request: Request) -> Answer:
        """Show the answer while it comes; whatever ends it, what was shown comes back."""
        pieces: list[str] = []
        mark = fault = ""
        try:
            with (
                self._stop.breaking(),
                closing(_pieces(self.setup.model, self._call(request))) as coming,
                self._screen.waiting() as arrived,
            ):
                for piece in whole_characters(coming):
                    arrived()
                    pieces.append(piece)
                    self._screen.piece(piece)
        except KeyboardInterrupt:
            mark, fault = STOPPED, "stopped"
        except ModelError as error:
            mark, fault = BROKEN, shown(str(error))
        text = "".join(pieces)
        if not text.strip():
            return Answer(text="", fault=fault or "the model answered nothing")
        if mark:
            mark = mark if text[-1].isspace() else f" {mark}"
            self._screen.piece(mark)
        self._screen.piece("\n")
        return Answer(text=text + mark, fault=fault or self._cut(text))

    def _cut(self, text: str) -> str:
        """Says that an answer took all the room that it has, where it did."""
        room = self.setup.budget.answer
        if self.setup.counter.text(text) < room - 1:
            return ""
        return f"the answer is as long as it may be ({room} tokens; --answer allows more)"

    def _call(self, request: Request) -> ChatCall:
        return ChatCall(
            messages=request.sent, tools=request.tools, window=self.setup.budget.window,
            limit=self.setup.budget.answer, seed=secrets.randbits(31),
            sampling=Sampling(temperature=self.setup.temperature, top_k=0),
        )  # fmt: skip

    def _learned(self, done: Iterable[Reflection]) -> None:
        """One line about what was decided, and one for every turn that could not be read."""
        verdicts = [verdict for reading in done for verdict in reading.verdicts]
        told = [text for text in map(_told, verdicts) if text]
        if told:
            self._screen.note("  " + "; ".join(told))
        self.forgot = self.forgot or any(verdict.action == "forget" for verdict in verdicts)
        for reading in done:
            if reading.status == "failed":
                self._screen.note(
                    f"  turn {reading.turn} could not be read ({shown(reading.error)}); it is kept, "
                    "and 'palimpsest reflect --retry' reads it again"
                )


def _told(verdict: Verdict) -> str:
    """A verdict in a few words; nothing for one that changed no memory."""
    if verdict.action not in _DONE or not (verdict.memory or verdict.action == "review"):
        return ""
    place = f" #{verdict.memory}" if verdict.memory else ""
    instead = f" (was #{verdict.other})" if verdict.action == "supersede" and verdict.other else ""
    words = f": {brief(verdict.text)}" if verdict.text else ""
    return f"{_DONE[verdict.action]}{place}{instead}{words}"


def _pieces(model: ChatModel, call: ChatCall) -> Generator[str, None, None]:
    """The answer piece by piece; whole from a model that cannot stream."""
    if isinstance(model, StreamingChatModel):
        yield from model.stream(call)
    else:
        yield model.answer(call).text
