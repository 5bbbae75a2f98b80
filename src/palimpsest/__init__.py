"""palimpsest: a memory engine for long LLM conversations that proves what each request holds.

The public names load on first use, so a command that needs none of them starts at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palimpsest.compaction import compact
    from palimpsest.config import Config
    from palimpsest.context.compact import Compaction
    from palimpsest.context.compaction_request import CompactionRequest
    from palimpsest.conversation import Conversation
    from palimpsest.engine import Memory
    from palimpsest.errors import PalimpsestError
    from palimpsest.ledger import Ledger, Request
    from palimpsest.types import Budget, Label, Turn

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "Compaction",
    "CompactionRequest",
    "Config",
    "Conversation",
    "Label",
    "Ledger",
    "Memory",
    "PalimpsestError",
    "Request",
    "Turn",
    "__version__",
    "compact",
]

_HOMES = {
    "Budget": "types",
    "Compaction": "context.compact",
    "CompactionRequest": "context.compaction_request",
    "Config": "config",
    "Conversation": "conversation",
    "Label": "types",
    "Ledger": "ledger",
    "Memory": "engine",
    "PalimpsestError": "errors",
    "Request": "ledger",
    "Turn": "types",
    "compact": "compaction",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
