"""A LangGraph graph whose model reads the engine's request instead of the whole history.

The hooks read the messages of the state and write none of them back, so any checkpointer, or
none, serves; the reducer cuts the state to what the hooks need. Nodes are plain functions: in an
asynchronous run LangGraph calls them in a thread, so the event loop goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    convert_to_messages,
)
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph.message import Messages, add_messages

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.integrations.history import History
from palimpsest.integrations.langchain.messages import from_chat, to_chat
from palimpsest.ledger import Request
from palimpsest.protocols import Strategy
from palimpsest.types import Budget

KEPT = 2
"""Answered turns that the reducer leaves: one that is stored, and one that may not be yet."""


class GraphMemory:
    """The hooks of a graph over one Memory; whose turn it is stands in the run's config.

    ``configurable`` names the user (``user_id``) and the conversation (``thread_id``); a run
    without either is refused. ``instructions`` and ``tools`` are what the model is told and
    offered, so that they are counted; a ``prompt`` that an agent adds itself is not.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        budget: Budget,
        strategy: str | Strategy = "managed",
        instructions: str | None = None,
        tools: Sequence[Any] = (),
        user_key: str = "user_id",
        thread_key: str = "thread_id",
    ) -> None:
        self._history = History(
            memory=memory, budget=budget, strategy=strategy, instructions=instructions,
            tools=[convert_to_openai_tool(tool) for tool in tools], branches=True,
        )  # fmt: skip
        self._user_key, self._thread_key = user_key, thread_key

    def pre_model_hook(self, state: Any, config: RunnableConfig) -> dict[str, Any]:
        """The request under ``llm_input_messages``; for ``create_react_agent`` or a node."""
        return {"llm_input_messages": self.messages(_of(state), config)}

    def post_model_hook(self, state: Any, config: RunnableConfig) -> dict[str, Any]:
        """Stores the turn that was answered; changes nothing in the state."""
        self.observe(_of(state), config)
        return {}

    def messages(self, held: Sequence[BaseMessage], config: RunnableConfig) -> list[BaseMessage]:
        """What to send the model instead of ``held``."""
        return from_chat(self.request(held, config).messages)

    def request(self, held: Sequence[BaseMessage], config: RunnableConfig) -> Request:
        """The same as the engine's Request, with its tokens and its ledger."""
        return self._history.request(to_chat(held), self.conversation(config))

    def observe(self, held: Sequence[BaseMessage], config: RunnableConfig) -> Conversation:
        """Store what is new in ``held`` and complete; returns where: the thread, or a branch."""
        return self._history.observe(to_chat(held), self.conversation(config))

    def conversation(self, config: RunnableConfig) -> Conversation:
        """The conversation that a run's config names, not a branch of it; raises InputError."""
        given = config.get("configurable", {})
        names = (given.get(self._user_key), given.get(self._thread_key))
        if not all(names):
            missing = self._thread_key if names[0] else self._user_key
            raise InputError(
                f"config: configurable.{missing} is missing; a run names its user and its thread: "
                f"invoke(..., {{'configurable': {{'{self._user_key}': ..., "
                f"'{self._thread_key}': ...}}}})"
            )
        return self._history.conversation(*map(str, names))


def newest_turns(left: Messages, right: Messages) -> list[AnyMessage]:
    """A reducer for ``Annotated[list[AnyMessage], newest_turns]``: ``add_messages``, then a cut.

    What stays is the turn in progress and the two answered ones before it, whole, and the system
    messages at the head; the engine has the rest. It reads nothing but its arguments.
    """
    merged = cast("list[AnyMessage]", add_messages(left, _without_old(left, right)))
    head = next((i for i, m in enumerate(merged) if not isinstance(m, SystemMessage)), len(merged))
    opened = [
        i
        for i in range(head, len(merged))
        if isinstance(merged[i], HumanMessage)
        and not (i and isinstance(merged[i - 1], HumanMessage))
    ]
    answered = bool(merged) and isinstance(merged[-1], AIMessage) and not merged[-1].tool_calls
    kept = KEPT if answered else KEPT + 1
    return merged if len(opened) <= kept else [*merged[:head], *merged[opened[-kept] :]]


def _without_old(left: Messages, right: Messages) -> Messages:
    """A history that is sent again whole, without what was cut off it before."""
    if not isinstance(left, list) or not isinstance(right, list):
        return right
    said = [m for m in left if isinstance(m, BaseMessage) and not isinstance(m, SystemMessage)]
    known = {m.id for m in said}
    given = convert_to_messages(right)
    if not known or not known <= {m.id for m in given if not isinstance(m, RemoveMessage)}:
        return right
    first = next(i for i, m in enumerate(given) if m.id in known)
    kept: list[Any] = [m for m in given[:first] if isinstance(m, SystemMessage)]
    return kept + list(given[first:])


def _of(state: Any) -> Sequence[BaseMessage]:
    """The messages of a state: a dictionary, a model or a dataclass, or the list itself."""
    if isinstance(state, Mapping):
        found = state.get("messages")
    else:
        found = getattr(state, "messages", state)
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise InputError("state: holds no list under 'messages'; the hooks read that key")
    return found
