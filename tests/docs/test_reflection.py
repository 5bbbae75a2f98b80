"""The page on reflection names every rule that can decide, and no other."""

from __future__ import annotations

import inspect
import re
from typing import get_args

from palimpsest.write import decide, story
from tests.golden.made import ROOT

PAGE = (ROOT / "docs" / "reflection.md").read_text(encoding="utf-8")


def listed(heading: str) -> list[str]:
    """The rules of the table under a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)


def test_every_rule_on_memories_is_documented() -> None:
    """One row a rule of ``decide``."""
    assert sorted(get_args(decide.Rule)) == sorted(listed("The rules that decide on memories"))


def test_every_rule_on_the_story_is_documented() -> None:
    """One row a rule of ``story``, and ``no-quote`` stands in the first table."""
    told = set(re.findall(r'Told\("[a-z]+", "([a-z-]+)"', inspect.getsource(story)))
    assert told - {"no-quote"} == set(listed("The rules that decide on the story"))
