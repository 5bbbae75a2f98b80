"""The answer keys of ``selection-12``: how an answer may write the fact that its case asks for.

They were written before any answer was recorded. Reading the recording narrowed two: the
cellar must be the dry one, and "at least 300" is the contrary of a limit.
"""

from __future__ import annotations

from palimpsest.bench.builtin.key_patterns import words

KEYS = {
    "gala now begins at 19:30": r"(?<!\d)(?:19|7)[:.h ]?30(?!\d)|\bhalf past seven\b",
    "decided to print the programme on recycled paper": words("recycled"),
    "take birch instead of oak": words("birch"),
    "We chose oak for the stage floor": words("oak"),
    "must not run above 60 degrees": r"(?<![\d.,])60(?!\d|[.,]\d)|\bsixty\b",
    "bags must stay in the lockers": words("lockers?"),
    "umbrellas go into the stand": words("stand", "stands"),
    "students are half price": r"\bhalf(?:[ -]the)?[ -](?:full )?price\b|(?<!\d)50 ?%",
    "Ines has the archive keys": words("ines"),
    "decided to keep the winter bulbs in the dry cellar": words("dry cellar"),
    "heat the greenhouse with wood pellets": words("pellets?"),
    "decided to heat the greenhouse with gas": words("gas"),
    "limit at forty people": r"(?<![\d.,])40(?!\d|[.,]\d)|\bforty\b",
    "reach us ten days ahead": words("(?:10|ten) days?", "(?:10|ten)[- ]day"),
    "paid back after one week": words("(?:one|a|1) week", "(?:seven|7) days"),
    "must carry at most 300 kilos": r"(?<!at least )(?<![\d.,])300(?!\d|[.,]\d)|\bthree hundred\b",
}
