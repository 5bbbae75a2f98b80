"""palimpsest: a memory engine for long LLM conversations that proves what each request holds."""

from palimpsest.compaction import compact
from palimpsest.config import Config
from palimpsest.context.compact import Compaction
from palimpsest.context.compaction_request import CompactionRequest
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import PalimpsestError
from palimpsest.types import Budget, Label, Ledger, Request, Turn

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
