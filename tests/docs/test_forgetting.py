"""The page on forgetting gives the figures of the suite as it is."""

from __future__ import annotations

import re

from palimpsest.bench.forget_suite.case import KINDS, SPLITS
from palimpsest.bench.forget_suite.made import cases
from tests.golden.made import ROOT

PAGE = (ROOT / "docs" / "forgetting.md").read_text(encoding="utf-8")
NUMBERS = {13: "thirteen", 2: "two"}


def test_the_page_counts_the_cases_of_the_suite() -> None:
    """How many there are, in how many kinds and splits."""
    told = re.findall(r"plays (\d+) cases of our own in (\w+) kinds and (\w+) splits", PAGE)
    assert [(str(len(cases())), NUMBERS[len(KINDS)], NUMBERS[len(SPLITS)])] == told
