"""OpenAI Agents SDK: a ``Session`` over a conversation, and the engine's request for each call."""

from __future__ import annotations

from palimpsest.integrations.extra import missing

try:
    import agents  # noqa: F401
except ImportError as error:
    raise missing(error, adapter="OpenAI Agents", extra="openai-agents") from None

from palimpsest.integrations.openai_agents.items import from_chat, to_chat
from palimpsest.integrations.openai_agents.session import AgentSession

__all__ = ["AgentSession", "from_chat", "to_chat"]
