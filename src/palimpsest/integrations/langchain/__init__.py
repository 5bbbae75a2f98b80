"""LangChain and LangGraph: hooks of a graph, a reducer for its state, and a store of items."""

from __future__ import annotations

from palimpsest.integrations.extra import missing

try:
    import langchain_core  # noqa: F401
    import langgraph.graph  # noqa: F401
except ImportError as error:
    raise missing(error, adapter="LangChain and LangGraph", extra="langchain") from None

from palimpsest.integrations.langchain.graph import GraphMemory, newest_turns
from palimpsest.integrations.langchain.messages import from_chat, to_chat
from palimpsest.integrations.langchain.store import MemoryStore

__all__ = ["GraphMemory", "MemoryStore", "from_chat", "newest_turns", "to_chat"]
