"""pydantic-ai: a capability that sends the engine's request, and a history processor."""

from __future__ import annotations

from palimpsest.integrations.extra import missing

try:
    import pydantic_ai  # noqa: F401
except ImportError as error:
    raise missing(error, adapter="pydantic-ai", extra="pydantic-ai") from None

from palimpsest.integrations.pydantic_ai.memory import AgentMemory
from palimpsest.integrations.pydantic_ai.messages import from_chat, to_chat

__all__ = ["AgentMemory", "from_chat", "to_chat"]
