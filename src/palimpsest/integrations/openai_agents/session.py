"""A ``Session`` of the OpenAI Agents SDK over one conversation of the engine.

The runner stores what is said through the session, before and after each call of the model; the
filter sends what the engine builds of it. Invariant: a call that is not one of this session's is
refused, since it would send a history past the budget and past every forget.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from agents.items import TResponseInputItem
from agents.memory import SessionSettings
from agents.run_config import CallModelData, ModelInputData

from palimpsest import messages as reading
from palimpsest.asking import Content
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.integrations.history import conversation_of
from palimpsest.integrations.openai_agents.items import from_chat, schemas, to_chat
from palimpsest.ledger import Request
from palimpsest.protocols import Strategy
from palimpsest.types import Budget, Message, Tool, calls_of, results_of

Items = list[TResponseInputItem]


class AgentSession:
    """``Runner.run(agent, text, session=s, run_config=RunConfig(call_model_input_filter=s.model_input))``.

    Without the filter it is a session like another: the runner sends all that it holds. ``tools``
    are what is counted beside the words, by default the functions and handoffs of the agent.
    """

    _ignore_ids_for_matching = True
    """For the runner, which compares what it stored with what it reads: ids are not kept."""

    def __init__(
        self,
        memory: Memory,
        *,
        user: str,
        session_id: str,
        budget: Budget,
        strategy: str | Strategy = "managed",
        tools: Sequence[Mapping[str, Any] | Tool] | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self.conversation: Conversation = conversation_of(memory, user, session_id)
        self._budget, self._strategy, self._tools = budget, strategy, tools

    # --- the protocol of a session ------------------------------------------------------

    async def get_items(self, limit: int | None = None) -> Items:
        """What was said, oldest first; the newest ``limit`` items where one is given."""
        settings = self.session_settings
        most = settings.limit if limit is None and settings is not None else limit
        items = await asyncio.to_thread(self._items)
        return items if most is None else items[-most:] if most > 0 else []

    async def add_items(self, items: Items) -> None:
        """Store what was said; it waits to be read for what to remember."""
        said = [message for message in to_chat(items) if message["role"] != "system"]
        if said:
            await asyncio.to_thread(self.conversation.observe, messages=said)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item back, with what was read of it; ``None`` where there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Take everything back; what was remembered without a reading stays."""
        await asyncio.to_thread(self.conversation.take_back, None)

    # --- the request --------------------------------------------------------------------

    async def model_input(self, data: CallModelData[Any]) -> ModelInputData:
        """The engine's request in the place of the history; a ``call_model_input_filter``.

        Raises InputError for a call of another session, and RequiredContextTooLarge.
        """
        return await asyncio.to_thread(self._sent, data)

    def request(
        self,
        question: Content,
        instructions: str | None,
        tools: Sequence[Mapping[str, Any] | Tool] | None = None,
    ) -> Request:
        """The request for a question, or for what waits where it is ``None``, with its ledger."""
        return self.conversation.request(
            question, budget=self._budget, strategy=self._strategy, instructions=instructions,
            tools=self._tools if self._tools is not None else tools,
        )  # fmt: skip

    def _items(self) -> Items:
        chat = [m.as_dict() for turn in self.conversation.turns() for m in turn.messages]
        return from_chat(chat)

    def _pop(self) -> TResponseInputItem | None:
        taken: Items = []

        def leaves(gone: Message) -> Message | None:
            *rest, last = from_chat([gone.as_dict()])
            taken.append(last)
            return reading.messages(to_chat(rest))[0] if rest else None

        self.conversation.take_back(leaves=leaves)
        return taken[0] if taken else None

    def _sent(self, data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data.input
        chat = to_chat(given)
        told = [message["content"] for message in chat if message["role"] == "system"]
        question = self._question([message for message in chat if message["role"] != "system"])
        built = self.request(
            question, "\n\n".join(filter(None, (data.model_data.instructions, *told))) or None,
            schemas(data.agent),
        )  # fmt: skip
        messages = built.messages
        head = messages.pop(0)["content"] if messages[0]["role"] == "system" else None
        return ModelInputData(input=_with_own(from_chat(messages), given), instructions=head)

    def _question(self, held: Sequence[Mapping[str, Any]]) -> Content:
        """What a call asks: ``None`` for what is stored and waits. A streamed run stores its
        input after the first call, so new words may come behind what is stored."""
        stored = [message for turn in self.conversation.turns() for message in turn.messages]
        given = reading.messages(held[-2:])
        # One message alone is where a run begins: of this session only where it began as well.
        if given and len(given) == min(2, len(stored)) and _ends(given, stored):
            return None
        if given and given[-1].role == "user" and _ends(given[:-1], stored):
            content: Content = held[-1]["content"]
            return content
        raise InputError(
            f"input: it does not follow what is stored in session {self.session_id!r}; give the "
            "run session= and this filter together, one new message where it is streamed, and an "
            "agent that is a tool a run_config of its own: agent.as_tool(..., "
            "run_config=RunConfig())"
        )


def _ends(given: Sequence[Message], stored: Sequence[Message]) -> bool:
    """Whether what is stored ends with these messages; with none only where it is empty."""
    pairs = zip(reversed(given), reversed(stored), strict=False)
    return bool(given) == bool(stored) and all(_same(*pair) for pair in pairs)


def _same(given: Message, stored: Message) -> bool:
    """A user's words are the same words; of an answer or a result the store may have taken out
    what was forgotten, and they have their calls in common."""
    return (
        (given.role, calls_of(given), results_of(given))
        == (stored.role, calls_of(stored), results_of(stored))
    ) and (given.role != "user" or given.content == stored.content)


def _with_own(built: Items, given: Items) -> Items:
    """The request with the steps of this run as they were given: some servers ask for their
    thoughts and ids again. Only where the engine left those steps as they were."""
    at, own = _begun(built), _begun(given)
    if to_chat(built[at:]) == to_chat(given[own:]):
        return [*built[:at], *given[own:]]
    return built


def _begun(items: Items) -> int:
    """Where the steps after the user's last words begin."""
    return max((i + 1 for i, item in enumerate(items) if item.get("role") == "user"), default=0)
