"""Writes ``selection-12``: twelve short conversations, six of each split.

The kinds are the published ones, and most cases hold one long log turn that the budget
cannot take: that turn is what separates the strategies. No development case holds the word
``limit``, so that one held-out fact rests on that cue alone; one held-out case asks in the
singular about what its turns say in the plural.
"""

from __future__ import annotations

from typing import Any

from palimpsest.bench.builtin.selection_keys import KEYS

INSTRUCTIONS = "Answer from the conversation alone, and say so where it does not tell."
BUDGET = {"context_limit": 384, "max_new_tokens": 96, "margin": 32}
CUES = (
    "decided", "decide", "chose", "choose", "will use", "must", "never", "always", "deadline",
    "instead", "switch", "switched", "require", "requires", "limit",
)  # fmt: skip
HELD_OUT = {
    "blind": False,
    "note": (
        "One author wrote the strategies and both splits, with the published results of all "
        "strategies in view, and shaped the cases so that the published rules meet the published "
        "failures: read the held-out figures as a second set of examples, not as an independent "
        "estimate. held-spread was written to be missed for want of stemming, so what stems gain "
        "there is a demonstration, not a measurement; held-pronoun rests on the cue word limit, "
        "which no development case holds."
    ),
}

# What each log is about, and the steps that its lines run through.
LOGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "scanner": ("ticket scanner", ("beam steady", "two adults", "one child", "lane empty")),
    "oven": ("oven", ("door shut", "fan on", "tray turned", "fan off")),
    "delivery": ("delivery", ("van seen", "ramp down", "crate in", "ramp up")),
    "boiler": ("boiler", ("valve open", "flow normal", "valve shut", "flow low")),
    "camera": ("hall camera", ("hall empty", "guard passes", "lamp on", "lamp off")),
    "phone": ("telephone", ("line free", "caller waits", "caller served", "line busy")),
    "gate": ("garden gate", ("gate open", "walker in", "walker out", "gate shut")),
    "cellar": ("cellar probe", ("air damp", "air fair", "vent on", "vent off")),
    "pump": ("pond pump", ("pump idle", "pump on", "filter rinsed", "pump off")),
    "radio": ("harbour radio", ("channel quiet", "call heard", "call answered", "wind west")),
    "mail": ("post room", ("sack in", "sorted", "sack out", "desk cleared")),
    "lift": ("goods hoist", ("doors open", "doors closed", "going up", "going down")),
}
LINES = 26


def log(name: str, buried: str = "") -> tuple[str, str]:
    """A turn that pastes a log, with a sentence in its middle where one is ``buried``."""
    what, steps = LOGS[name]
    lines = [
        f"{8 + i // 6:02}:{i % 6 * 10 + 3:02} {what}: {steps[i % len(steps)]}, reading {41 + 7 * i}."
        for i in range(LINES)
    ]
    if buried:
        lines.insert(LINES // 2, buried)
    return " ".join([f"I am pasting the {what} log.", *lines]), "Thanks, nothing odd in that log."


Exchange = tuple[str, str]
Case = tuple[str, str, str, tuple[Exchange, ...], tuple[str, ...], tuple[str, ...]]
"""id, kind, question, history, required facts, stale facts."""

DEV: tuple[Case, ...] = (
    (
        "dev-latest", "newest turn", "When does the spring gala start?",
        (
            log("scanner"),
            ("The spring gala now begins at 19:30.", "Half past seven for the gala, then."),
        ),
        ("gala now begins at 19:30",), (),
    ),
    (
        "dev-old-decision", "behind a long turn", "Which paper is the programme printed on?",
        (
            ("We decided to print the programme on recycled paper.", "Recycled paper it is."),
            log("oven"),
            ("The posters came back from the framer.", "I am curious to see them."),
        ),
        ("decided to print the programme on recycled paper",), (),
    ),
    (
        "dev-correction", "corrected", "Which wood goes on the stage floor?",
        (
            ("We chose oak for the stage floor.", "Oak, I have it."),
            ("The joiner has none left: take birch instead of oak.", "Birch then."),
            log("delivery"),
        ),
        ("take birch instead of oak",), ("We chose oak for the stage floor",),
    ),
    (
        "dev-pronoun", "pronoun", "How hot may the costume dryer run?",
        (
            ("A costume dryer arrived last week.", "That will help on rainy nights."),
            ("It must not run above 60 degrees.", "Sixty at most."),
            log("boiler"),
        ),
        ("must not run above 60 degrees",), (),
    ),
    (
        "dev-spread", "spread", "What holds for bags and umbrellas at the museum?",
        (
            ("Large bags must stay in the lockers downstairs.", "Downstairs, good."),
            log("camera"),
            ("Wet umbrellas go into the stand by the door.", "By the door, good."),
            ("The new signs look lovely.", "They do indeed."),
        ),
        ("bags must stay in the lockers", "umbrellas go into the stand"), (),
    ),
    (
        "dev-no-overlap", "no shared words", "How much do pupils pay?",
        (
            ("Tickets for students are half price.", "Half price, noted."),
            log("phone"),
        ),
        ("students are half price",), (),
    ),
)  # fmt: skip

HELD: tuple[Case, ...] = (
    (
        "held-latest", "newest turn", "Who has the archive keys this month?",
        (
            log("gate"),
            ("Ines has the archive keys this month.", "Ines, until the thirtieth."),
        ),
        ("Ines has the archive keys",), (),
    ),
    (
        "held-old-decision", "behind a long turn", "Where do we keep the winter bulbs?",
        (
            ("After a vote we decided to keep the winter bulbs in the dry cellar.", "Fine."),
            log("cellar"),
            ("A window cleaner comes by later.", "I expect him after lunch."),
        ),
        ("decided to keep the winter bulbs in the dry cellar",), (),
    ),
    (
        "held-correction", "corrected", "What do we heat the greenhouse with?",
        (
            ("We decided to heat the greenhouse with gas.", "Gas for the greenhouse."),
            ("Actually, heat the greenhouse with wood pellets.", "Wood pellets, all right."),
            log("pump"),
        ),
        ("heat the greenhouse with wood pellets",),
        ("decided to heat the greenhouse with gas",),
    ),
    (
        "held-pronoun", "pronoun", "How many people may stand on the upper deck?",
        (
            ("The ferry crew asked about the upper deck.", "What about it?"),
            ("They put its limit at forty people.", "Forty, understood."),
            log("radio"),
        ),
        ("limit at forty people",), (),
    ),
    (
        "held-spread", "spread", "Which booking and deposit rules apply?",
        (
            ("Bookings must reach us ten days ahead.", "Ten days, noted."),
            log("mail"),
            ("Deposits are paid back after one week.", "One week, noted."),
            ("A box of brochures arrived this morning.", "I will unpack it."),
        ),
        ("reach us ten days ahead", "paid back after one week"), (),
    ),
    (
        "held-buried", "inside a long turn", "How heavy may a load on the goods hoist be?",
        (
            log("lift", buried="The inspector wrote that the hoist must carry at most 300 kilos."),
            ("Someone swept the courtyard today.", "It looks tidy."),
        ),
        ("must carry at most 300 kilos",), (),
    ),
)  # fmt: skip


def case_set() -> dict[str, Any]:
    """The whole case set as JSON data."""
    return {
        "name": "selection-12",
        "description": "Twelve short conversations that separate rules for selecting turns.",
        "held_out": HELD_OUT,
        "settings": {
            "notes": {
                "reserve": 64, "roles": ["user", "assistant"], "unique": "line",
                "cues": list(CUES),
            }
        },
        "keys": {"languages": ["en"], "facts": KEYS},
        "cases": [
            *(_case("dev", *case) for case in DEV),
            *(_case("held_out", *case) for case in HELD),
        ],
    }  # fmt: skip


def _case(
    split: str, id: str, kind: str, current: str, history: tuple[Exchange, ...],
    required: tuple[str, ...], stale: tuple[str, ...],
) -> dict[str, Any]:  # fmt: skip
    return {
        "id": id,
        "split": split,
        "kind": kind,
        "instructions": INSTRUCTIONS,
        "current": current,
        "history": [{"user": user, "assistant": assistant} for user, assistant in history],
        "budget": BUDGET,
        "required": list(required),
        "stale": list(stale),
    }
