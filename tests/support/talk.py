"""Reads the turns of tests/data/rules/talk; see the README there for what a line says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import regex

from palimpsest.proposals import Proposal

DATA = Path(__file__).parents[1] / "data" / "rules" / "talk"
LANGUAGES = ("de", "en", "es", "fr", "it", "pt")
KINDS = {"fact": "fact", "pref": "preference", "plan": "promise", "episode": "episode",
         "rule": "rule"}  # fmt: skip
_WANTED = regex.compile(r"(?P<what>\w+)(?:#(?P<ids>[\d,]+))?(?:=(?P<value>.+))?")


class Said(NamedTuple):
    """One turn and what is expected of it."""

    group: str
    wanted: tuple[str, ...]
    text: str
    known: tuple[str, ...]


def turns(language: str) -> tuple[Said, ...]:
    """The turns of a language, in their order."""
    found: list[Said] = []
    group = ""
    for line in (DATA / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("##"):
            group = line.lstrip("# ")
        elif line.strip():
            wanted, text, *known = (field.strip() for field in line.split(" | "))
            each = () if wanted == "-" else tuple(one.strip() for one in wanted.split(" + "))
            found.append(Said(group, each, text, tuple(known)))
    return tuple(found)


def counts(language: str) -> Counter[str]:
    """How many turns of each group a language has."""
    return Counter(said.group for said in turns(language))


def told(wanted: str, made: Proposal) -> str:
    """A proposal in the words of the expectation, as far as that looks."""
    match = _WANTED.fullmatch(wanted)
    assert match is not None, wanted
    what = {"remember": "stmt", "correct": "fix", "forget": "forget"}[made.op]
    # A correction of nothing is a statement: see write/decide.py.
    states = made.op == "remember" or (made.op == "correct" and not made.targets)
    if states and match["what"] == "stmt":
        what = "stmt"
    if match["what"] in KINDS and states:
        what = next(name for name, kind in KINDS.items() if kind == made.kind)
    ids = f"#{','.join(map(str, made.targets)) or 0}" if match["ids"] else ""
    return what + ids + (f"={made.value}" if match["value"] else "")


def line(wanted: Sequence[str], made: Sequence[Proposal]) -> tuple[str, ...]:
    """What was proposed, one text a proposal."""
    pairs = zip((*wanted, *["stmt"] * len(made)), made, strict=False)
    return tuple(told(one, proposal) for one, proposal in pairs)
