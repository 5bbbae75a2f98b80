"""Writes ``travel-50``: fifty turns about one trip, with thirteen labelled memory events.

The events stand at the same turns as in the published conversation and carry the same
values; every fourth filler turn pastes a long list, which pushes older turns out. The
wordings are chosen so that, under the default settings, the totals are the published ones.
"""

from __future__ import annotations

from typing import Any

from palimpsest.bench.builtin.travel_keys import KEYS

EVENTS: dict[int, tuple[str, str, str, str]] = {
    3: ("My diet is vegetarian.", "Good to know.", "remember", "diet"),
    5: ("Please stay under 150 euros a night.", "Will do.", "remember", "budget"),
    8: ("Our offsite takes place in Porto.", "A fine choice.", "remember", "city"),
    12: (
        "My passport has the number P1234567.",
        "Kept for the booking.",
        "remember",
        "passport",
    ),
    15: (
        "Our dates are 3 to 6 November.",
        "They are in the plan.",
        "remember",
        "dates",
    ),
    18: (
        "A room beside the river would be lovely.",
        "I can picture it.",
        "remember",
        "hotel-area",
    ),
    22: (
        "We can go up to 180 euros a night.",
        "That opens some doors.",
        "correct",
        "budget",
    ),
    27: ("I would rather fly out in the morning.", "Understood.", "remember", "flight"),
    31: ("I have started eating fish, but no meat.", "Updated.", "correct", "diet"),
    35: ("Kindly forget my passport number.", "It is gone.", "forget", "passport"),
    40: (
        "Our new dates are 10 to 13 November.",
        "The plan has moved.",
        "correct",
        "dates",
    ),
    44: (
        "Bob comes along from the second day.",
        "The more the merrier.",
        "remember",
        "attendee",
    ),
    47: (
        "A room beside the river would be lovely.",
        "Still on my list.",
        "remember",
        "hotel-area",
    ),
}

TOPICS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "packing list",
        ("adapters", "badges", "cables", "chargers", "flip charts", "folders", "lanyards",
         "markers", "notebooks", "pens", "posters", "printouts", "speakers", "stickers"),
    ),
    (
        "workshop plan",
        ("welcome", "warm-up", "team stories", "wins", "open questions", "deep dive",
         "pair work", "demos", "feedback", "priorities", "owners", "next steps", "photos",
         "goodbye"),
    ),
    (
        "slide outline",
        ("cover", "contents", "mission", "customers", "product", "quality", "hiring", "roadmap",
         "risks", "partners", "learning", "culture", "thanks", "appendix"),
    ),
    (
        "room plan",
        ("entrance", "cloakroom", "stage", "front rows", "back rows", "side tables", "screen",
         "projector", "coffee corner", "quiet corner", "printer", "first-aid box", "exits",
         "terrace"),
    ),
    (
        "supplier sheet",
        ("caterer", "bakery", "florist", "printer", "sound team", "photographer", "coach company",
         "translator", "venue office", "cleaning crew", "courier", "designer", "print shop",
         "insurer"),
    ),
    (
        "reading pack",
        ("foreword", "survey", "interviews", "market notes", "support notes", "usage charts",
         "retrospective", "glossary", "letters", "case study", "comparison", "reviews",
         "footnotes", "index"),
    ),
    (
        "task board",
        ("invitations", "name cards", "seating", "menus", "playlist", "signs", "group photo",
         "thank-you notes", "survey form", "shared folder", "contact sheet", "backup laptop",
         "gift bags", "clean-up"),
    ),
    (
        "ideas wall",
        ("treasure hunt", "quiz", "cooking class", "city walk", "karaoke", "board games",
         "film evening", "book swap", "photo contest", "language corner", "sketching",
         "table tennis", "choir", "picnic"),
    ),
)  # fmt: skip

_SORTED = (
    "From the {name}: {a}, {b} and {c} are sorted, so only small details are left for the next "
    "call with the team."
)
_WAITING = (
    "A quick word on the {name}: {a} and {b} are with the office, and {c} will come back to us "
    "after the weekend."
)
_SEEN = (
    "I went through the {name} again: {a}, {b} and {c} look fine to me, and somebody from the "
    "office will have another look."
)
SHORT = (_SORTED, _WAITING, _SEEN)
LONG_OPENING = "Here is everything on the {name} as it stands today."
LONG_LINE = "{number}. {item}: talked through with the team, all set."
REPLIES = (
    "Thanks, I have read it.",
    "Received, that is all clear.",
    "Read and filed with the rest.",
    "Looks complete to me.",
)
QUESTION = "What does the trip plan look like right now?"


def filler(turn: int) -> tuple[str, str]:
    """The user's paste and the reply of a turn without a memory event."""
    name, items = TOPICS[turn % len(TOPICS)]
    reply = REPLIES[turn // 2 % len(REPLIES)]
    # Every fourth turn pastes the whole list, which pushes older turns out of the budget.
    if turn % 4 == 0:
        lines = [LONG_LINE.format(number=i + 1, item=item) for i, item in enumerate(items)]
        return " ".join([LONG_OPENING.format(name=name), *lines]), reply
    start = turn * 5 % (len(items) - 2)
    a, b, c = items[start : start + 3]
    return SHORT[turn % len(SHORT)].format(name=name, a=a, b=b, c=c), reply


def _checkpoints() -> list[dict[str, Any]]:
    first = ["diet is vegetarian", "150 euros a night", "in Porto"]
    second = [*first, "3 to 6 November", "beside the river"]
    third = ["180 euros a night", "in Porto", "3 to 6 November", "beside the river",
             "fly out in the morning"]  # fmt: skip
    fourth = ["eating fish", "180 euros a night", "in Porto", "10 to 13 November",
              "beside the river", "fly out in the morning"]  # fmt: skip
    replaced = ["diet is vegetarian", "150 euros a night", "3 to 6 November"]
    return [
        _point(10, first),
        _point(20, second),
        _point(30, third, stale=["150 euros a night"]),
        _point(40, fourth, stale=replaced, deleted=["P1234567"]),
        _point(50, [*fourth, "Bob comes along"], stale=replaced, deleted=["P1234567"]),
    ]


def _point(
    after: int, required: list[str], stale: list[str] | None = None,
    deleted: list[str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    return {
        "after": after,
        "question": QUESTION,
        "required": required,
        "stale": stale or [],
        "deleted": deleted or [],
    }


def suite() -> dict[str, Any]:
    """The whole suite as JSON data."""
    turns: list[dict[str, Any]] = []
    for number in range(1, 51):
        if number in EVENTS:
            user, assistant, op, attribute = EVENTS[number]
            label = {"op": op, "attribute": attribute}
            turns.append({"turn": number, "user": user, "assistant": assistant, "memory": label})
        else:
            user, assistant = filler(number)
            turns.append({"turn": number, "user": user, "assistant": assistant})
    return {
        "name": "travel-50",
        "description": "One trip over fifty turns: facts stated early, corrected, forgotten.",
        "instructions": "Use the conversation and the quoted memories. Name what you do not know.",
        "turns": turns,
        "checkpoints": _checkpoints(),
        "budget": {"context_limit": 512, "max_new_tokens": 128, "margin": 32},
        "settings": {
            "facts": {"quota": 160},
            "notes": {"reserve": 96},
            "sweep": {"quota": [120, 160, 240]},
        },
        "keys": {"languages": ["en"], "facts": KEYS},
    }
