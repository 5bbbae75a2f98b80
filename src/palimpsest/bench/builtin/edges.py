"""Writes ``edges``: the hard cases of correcting and forgetting, close to their checkpoints.

Each checkpoint stands one turn after a correction or a forget request, while the old words
are still in the recent turns. The values are chosen to trip a careless matcher: ``& < >``,
one value that begins another, a value quoted by the very request to forget it, repeated by
the assistant, stated again later, and a correction that returns to the first value.
"""

from __future__ import annotations

from typing import Any

KEYS = {
    "ticket is TKT-100.": r"\bTKT[- ]?100(?!\d)",
    "ticket is TKT-1000.": r"\bTKT[- ]?1000(?!\d)",
    "R&D <core>": r"\bR ?(?:&(?:amp;)?|and) ?D\b\W{0,6}(?:lt;)?core\b",
    "Q&A <beta>": r"\bQ ?(?:&(?:amp;)?|and) ?A\b\W{0,6}(?:lt;)?beta\b",
    "review is on Tuesday": r"\btue(?:s(?:day)?)?\b",
    "review is on Thursday": r"\bthu(?:rs?(?:day)?)?\b",
    "4471-B": r"(?<!\d)4471[\W_]{0,2}B(?![^\W_])",
    "220 555 014": r"(?<!\d)220[\W_]{0,2}555[\W_]{0,2}014(?!\d)",
}
QUESTION = "What do we know for the handover?"

# user, assistant, and (op, attribute) where the turn is a memory event
TURNS: tuple[tuple[str, str, tuple[str, str] | None], ...] = (
    ("Let us prepare the support handover.", "Gladly. What comes first?", None),
    ("The open ticket is TKT-100.", "Understood.", ("remember", "ticket")),
    (
        "The cost centre must be R&D <core>.",
        "Written down.",
        ("remember", "cost-centre"),
    ),
    ("The review is on Tuesday.", "I have it.", ("remember", "review")),
    ("I misread it, the open ticket is TKT-1000.", "Changed.", ("correct", "ticket")),
    ("The handover file has three chapters.", "I will read them in order.", None),
    (
        "The gate code is 4471-B.",
        "The gate code 4471-B is noted.",
        ("remember", "gate-code"),
    ),
    (
        "Please forget the gate code 4471-B.",
        "I no longer hold 4471-B.",
        ("forget", "gate-code"),
    ),
    ("The second chapter needs a new title.", "How about 'First week'?", None),
    ("The review is on Thursday.", "Moved.", ("correct", "review")),
    ("The title is good.", "Then I leave it there.", None),
    ("My phone number is 220 555 014.", "Thank you.", ("remember", "phone")),
    ("On second thought, forget my phone number.", "Gone.", ("forget", "phone")),
    ("The third chapter is nearly done.", "It reads well.", None),
    ("The cost centre becomes Q&A <beta>.", "Updated.", ("correct", "cost-centre")),
    ("The review is on Tuesday.", "Back to where it was.", ("correct", "review")),
    ("The file goes to the new team soon.", "They will be glad.", None),
    ("Do use my phone number: 220 555 014.", "Very well.", ("remember", "phone")),
    ("The handover is almost complete.", "Only the farewell is left.", None),
)


def _checkpoints() -> list[dict[str, Any]]:
    old, new = "ticket is TKT-100.", "ticket is TKT-1000."
    tuesday, thursday = "review is on Tuesday", "review is on Thursday"
    gate, phone = "4471-B", "220 555 014"
    return [
        _point(6, [new, "R&D <core>", tuesday], [old], []),
        _point(9, [new, "R&D <core>", tuesday], [old], [gate]),
        _point(11, [new, "R&D <core>", thursday], [old, tuesday], [gate]),
        _point(14, [new, "R&D <core>", thursday], [old, tuesday], [gate, phone]),
        _point(
            17,
            [new, "Q&A <beta>", tuesday],
            [old, "R&D <core>", thursday],
            [gate, phone],
        ),
        _point(
            19,
            [new, "Q&A <beta>", tuesday, phone],
            [old, "R&D <core>", thursday],
            [gate],
        ),
    ]


def _point(after: int, required: list[str], stale: list[str], deleted: list[str]) -> dict[str, Any]:
    return {
        "after": after,
        "question": QUESTION,
        "required": required,
        "stale": stale,
        "deleted": deleted,
    }


def suite() -> dict[str, Any]:
    """The whole suite as JSON data."""
    turns: list[dict[str, Any]] = []
    for number, (user, assistant, event) in enumerate(TURNS, start=1):
        turn: dict[str, Any] = {"turn": number, "user": user, "assistant": assistant}
        if event is not None:
            turn["memory"] = {"op": event[0], "attribute": event[1]}
        turns.append(turn)
    return {
        "name": "edges",
        "description": "Corrections and forget requests one turn before their checkpoints.",
        "instructions": "Use the conversation and the quoted memories. Name what you do not know.",
        "turns": turns,
        "checkpoints": _checkpoints(),
        "budget": {"window": 560, "answer": 128, "margin": 32},
        "keys": {"languages": ["en"], "facts": KEYS},
    }
