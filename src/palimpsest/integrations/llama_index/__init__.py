"""LlamaIndex: a memory for chat engines and agents, and a block of its own ``Memory``."""

from __future__ import annotations

from palimpsest.integrations.extra import missing

try:
    import llama_index.core  # noqa: F401
except ImportError as error:
    raise missing(error, adapter="LlamaIndex", extra="llama-index") from None

from palimpsest.integrations.llama_index.block import RememberedBlock
from palimpsest.integrations.llama_index.chat import ChatMemory
from palimpsest.integrations.llama_index.messages import from_chat, to_chat

__all__ = ["ChatMemory", "RememberedBlock", "from_chat", "to_chat"]
