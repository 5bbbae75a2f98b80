"""Operations on conversations and their turns."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from palimpsest.web.api import answers
from palimpsest.web.api.operation import HERE, Body, Call, Number, Operation, Scoped, Whose
from palimpsest.web.live import contexts, writing

Content = str | list[dict[str, Any]]
"""A text, or the parts of a message."""


class WhoseTalks(Whose):
    """Whose conversations, and which page of them."""

    page: int = Field(default=1, ge=1, le=(1 << 63) - 1, description="Fifty rows a page, from 1.")


class FromTurn(Scoped):
    """From which turn on."""

    first: Number | None = Field(
        default=None, examples=[1], description="The first of up to fifty; else the newest fifty."
    )


class SaidBody(Body):
    """One exchange (user, assistant), or a list of messages in the OpenAI shape."""

    user: Content | None = Field(default=None, description="What the user said.")
    assistant: Content | None = Field(default=None, description="What the model answered.")
    messages: list[dict[str, Any]] | None = Field(
        default=None, description="Messages instead, with tool calls and their results."
    )


class ReadBody(Body):
    """Which turns to read."""

    retry: bool = Field(default=False, description="Those too whose reading failed before.")


def _talks(call: Call) -> object:
    whose = call.params.user
    user = None if whose is None else call.user
    made = contexts.home(
        call.memory, call.params.page,
        lambda stored: call.access.holds(stored) and user in (None, stored),
    )  # fmt: skip
    return answers.Talks(talks=made.talks)


def _turns(call: Call) -> object:
    page = contexts.turns(call.talk, call.params.first)
    return answers.TurnsPage(
        turns=[answers.said(turn) for turn in page.turns], total=page.total,
        earlier=page.earlier, later=page.later,
    )  # fmt: skip


def _append(call: Call) -> object:
    said = call.body
    turns = call.talk.append(user=said.user, assistant=said.assistant, messages=said.messages)
    return answers.SaidTurns(turns=[answers.said(turn) for turn in turns])


def _observe(call: Call) -> object:
    said = call.body
    turns = call.talk.observe(user=said.user, assistant=said.assistant, messages=said.messages)
    return answers.SaidTurns(turns=[answers.said(turn) for turn in turns])


def _readings(call: Call) -> object:
    talk = call.talk
    return answers.Readings(reflections=talk.reflections(), today=talk.day_tokens())


def _read(call: Call) -> object:
    talk = call.talk
    read = talk.reflect(retry=call.body.retry)
    return answers.Readings(reflections=read, today=talk.day_tokens())


def _status(call: Call) -> object:
    talk = call.talk
    health = writing.health(call.memory, talk)
    return answers.Status(
        turnout=health.turnout, degraded=[answers.kept(one) for one in health.degraded],
        pending=health.pending, failed=health.failed, tokens=health.tokens, today=health.today,
    )  # fmt: skip


OPERATIONS = (
    Operation(
        id="append_turns", method="POST", path="/turns", tag="conversations",
        summary="Store what was said, without reading it for memories.",
        run=_append, params=Scoped, body=SaidBody, answer=answers.SaidTurns, asks=HERE,
        says={"user": "Hello.", "assistant": "Hello, Ana."},
    ),
    Operation(
        id="observe_turns", method="POST", path="/turns/observe", tag="conversations",
        summary="Store what was said and let it be read for memories.",
        run=_observe, params=Scoped, body=SaidBody, answer=answers.SaidTurns, asks=HERE,
        says={"messages": [
            {"role": "user", "content": "My locker code is RR-12345. My diet is vegan."},
            {"role": "assistant", "content": "Noted."},
            {"role": "user", "content": "My room is 12. My diet is vegetarian."},
            {"role": "assistant", "content": "Good."},
            {"role": "user", "content": "My room is 14."},
            {"role": "assistant", "content": "Good."},
        ]},
    ),
    Operation(
        id="reflect", method="POST", path="/reflections", tag="conversations",
        summary="Read the turns that wait, now, and decide what to remember.",
        run=_read, params=Scoped, body=ReadBody, answer=answers.Readings, asks=HERE, says={},
    ),
    Operation(
        id="list_conversations", method="GET", path="/conversations", tag="conversations",
        summary="The conversations that the key reaches.",
        run=_talks, params=WhoseTalks, answer=answers.Talks, asks={"user": "ana"},
    ),
    Operation(
        id="list_turns", method="GET", path="/turns", tag="conversations",
        summary="Turns as they are stored, oldest first.",
        run=_turns, params=FromTurn, answer=answers.TurnsPage, asks={**HERE, "first": 1},
    ),
    Operation(
        id="list_reflections", method="GET", path="/reflections", tag="conversations",
        summary="How the reading of each turn stands.",
        run=_readings, params=Scoped, answer=answers.Readings, asks=HERE,
    ),
    Operation(
        id="show_story", method="GET", path="/story", tag="conversations",
        summary="Summary, anchors, positions and state.",
        run=lambda call: writing.story(call.talk), params=Scoped, answer=writing.ToldStory,
        asks=HERE,
    ),
    Operation(
        id="show_status", method="GET", path="/status", tag="conversations",
        summary="What waits to be read, what failed, and which requests were degraded.",
        run=_status, params=Scoped, answer=answers.Status, asks=HERE,
    ),
)  # fmt: skip
