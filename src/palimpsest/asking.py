"""What an application asks with, read into the records that a strategy takes.

Invariant: pure but for the loading of a strategy by its Spec; what is wrong is an InputError
or SpecError that names it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from palimpsest import messages as reading
from palimpsest import registry
from palimpsest.errors import InputError
from palimpsest.protocols import Strategy, View
from palimpsest.settings import QuerySettings
from palimpsest.types import Ask, Budget, Message, Tool, spoken

Content = str | Sequence[Mapping[str, Any]] | None


def said(
    user: Content, assistant: Content, messages: Sequence[Mapping[str, Any] | Message] | None
) -> tuple[Message, ...]:
    """The messages of an append, from either way of giving them."""
    if messages is not None:
        if user is not None or assistant is not None:
            raise InputError("messages: give either messages= or user= and assistant=, not both")
        return reading.messages(messages)
    found = []
    if user is not None:
        found.append(reading.text_message("user", user, "user"))
    if assistant is not None:
        found.append(reading.text_message("assistant", assistant, "assistant"))
    if not found:
        raise InputError("append: nothing was said; give user=, assistant= or messages=")
    return tuple(found)


def ask(
    question: Content,
    budget: Budget,
    instructions: Content,
    tools: Sequence[Mapping[str, Any] | Tool] | None,
) -> Ask:
    """The required part of a request, checked."""
    if not isinstance(budget, Budget):
        raise InputError(
            f"budget: {budget!r} is not a Budget; write Budget(window=..., answer=...)"
        )
    return Ask(
        question=None if question is None else reading.text_message("user", question, "question"),
        budget=budget,
        instructions=None
        if instructions is None
        else reading.text_message("system", instructions, "instructions"),
        tools=reading.tools(tools),
    )


def once(ask: Ask, view: View) -> Ask:
    """The same without a question that is the newest stored message already."""
    waiting = view.open_turns()
    if ask.question is None or not waiting:
        return ask
    turn, asked = waiting[-1], ask.question
    last = turn.messages[-1]
    if not spoken(last) or (last.content, last.parts) != (asked.content, asked.parts):
        return ask
    if next(view.turns()).number != turn.number or view.redactions(turn.number):
        return ask
    return dataclasses.replace(ask, question=None)


def query(ask: Ask, view: View, settings: QuerySettings) -> str:
    """What recall looks for: the words of the question, and nothing else by default.

    A request without a question continues the turn that waits, so its words are the query.
    """
    waiting = view.open_turns()
    if ask.question is not None:
        words = "\n".join(ask.question.texts())
    else:
        words = waiting[-1].user if waiting else ""
    if settings.backdrop:
        asked = waiting[-1].number if ask.question is None and waiting else None
        earlier = (turn.user for turn in view.turns() if turn.number != asked)
        words = "\n".join((words, *islice(earlier, settings.backdrop)))
    return words[: settings.characters]


def strategy(given: str | Strategy) -> Strategy:
    """A strategy by its Spec text, or the instance itself."""
    if isinstance(given, str):
        loaded: Strategy = registry.load("strategies", registry.parse(given))
        return loaded
    if not isinstance(given, Strategy):
        raise InputError(f"strategy: {given!r} is neither a Spec text nor a Strategy")
    return given
