"""How a name sounds, roughly: what two spellings of one name in two scripts have in common.

It is only ever compared across scripts: within one, a name is its letters. Invariant: letters
only; empty for what is too short to tell names apart.
"""

from __future__ import annotations

import re

_ALIKE = (
    ("shch", "s"), ("sch", "s"), ("tch", "c"), ("sh", "s"), ("zh", "s"), ("kh", "h"), ("gh", "g"),
    ("ph", "f"), ("th", "t"), ("ck", "k"), ("ch", "c"), ("ts", "s"), ("tz", "s"), ("dz", "s"),
    ("x", "ks"), ("q", "k"), ("w", "v"), ("y", "i"), ("j", "i"), ("z", "s"), ("ou", "u"),
    ("oo", "u"), ("ee", "i"), ("ii", "i"), ("iu", "u"), ("ia", "a"), ("ie", "e"), ("io", "o"),
)  # fmt: skip
_TWICE = re.compile(r"(.)\1+")
_LEAST = 4


def skeleton(letters: str) -> str:
    """The skeleton of folded letters."""
    if len(letters) < _LEAST and "x" not in letters:
        return ""  # Nothing but an x gets longer: most words of a text end here.
    found = letters
    for many, one in _ALIKE:
        found = found.replace(many, one)
    found = re.sub(r"c(?=[eis])", "s", found).replace("c", "k").replace("g", "k")
    found = re.sub(r"er(?![aeiou])", "r", _TWICE.sub(r"\1", found))
    return found if len(found) >= _LEAST else ""


def core(sound: str) -> str:
    """What of a skeleton stands in the skeleton of every text that holds the name."""
    inner = sound[1:-2]
    return inner if len(inner) >= _LEAST - 1 else ""


def consonants(letters: str) -> str:
    """The same without vowels, for scripts that write none."""
    found = re.sub(r"[aeiou']", "", skeleton(letters))
    return found if len(found) >= _LEAST - 1 else ""
