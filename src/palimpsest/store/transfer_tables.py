"""What an export holds: which tables, and how their rows name a conversation.

Invariant: every table of the schema is exported or derived; a test reads the schema and
refuses a third kind. Keys of conversations are numbers of one file, so rows carry names.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CONVERSATION_COLUMNS = ("last_turn", "revision", "retirements", "created_at")

REFERENCES: Mapping[str, str] = MappingProxyType(
    {"wordings": "turn_of", "forgotten_places": "place", "branches": "parent"}
)
"""A further column of a table that names a conversation of the same user."""

EXPORTED = (
    "turns", "request_counts", "memories", "memory_counts", "wordings", "redactions",
    "deletions", "forgotten_values", "forgotten", "forgotten_places",
    "resolutions", "requests", "prefixes", "reflections", "verdicts", "stories",
    "anchors", "positions", "states", "branches", "origins", "withheld", "withheld_spans",
    "withheld_story",
)  # fmt: skip
"""Rows of a conversation, in the order in which they can be written again."""

OWNED = ("counters",)
"""Rows of a user."""

NUMBERED = MappingProxyType({"requests": "number"})
"""A column that only orders the rows of one file; it is drawn anew."""

DERIVED = (
    "meta", "migrations", "conversations", "written_files", "api_keys", "trails", "global_memories", "memory_changes",
    "lexical", "lexical_users", "lexical_data", "lexical_idx", "lexical_content",
    "lexical_docsize", "lexical_config", "embedders", "vectors", "vector_changes",
)  # fmt: skip
"""What follows from the rest, describes the file itself or who may ask for it, or is written in
another shape."""
