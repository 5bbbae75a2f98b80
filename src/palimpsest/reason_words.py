"""The reason codes of a ledger in words, for people who do not know them.

Invariant: every code has its words; ``docs/reasons.md`` says the same at more length.
"""

from __future__ import annotations

from collections.abc import Mapping

from palimpsest.ledger import MemoryReason, TurnReason

MEMORY: Mapping[MemoryReason, str] = {
    "seated": "its line fits",
    "rule": "rules are always there",
    "pinned": "a person pinned it",
    "global": "it has a seat kept for what holds everywhere",
    "semantic": "the question is near it in meaning",
    "lexical": "the question shares words with it",
    "quota": "it has one of the seats of its kind",
    "catch-up": "a seat was left, and it ranked next",
    "no-seat": "all seats went to others",
    "ended": "its time was over",
    "forget-pending": "a request to forget may mean it, and waits for an answer: palimpsest review",
    "no-room": "its line does not fit into what was left for facts",
    "behind-no-room": "nothing was left for more facts",
    "superseded": "a newer statement replaced it",
    "not-a-memory-strategy": "the strategy sends no memories",
}

TURN: Mapping[TurnReason, str] = {
    "kept": "it fits",
    "open": "it waits for an answer",
    "no-room": "it does not fit",
    "behind-no-room": "it is older than a turn that does not fit",
    "template": "the chat template cannot take it",
    "no-match": "it shares no word with the question",
    "step": "it went with its block of turns",
}
