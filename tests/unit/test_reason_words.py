"""Every reason code has words, in the program and on the page."""

from __future__ import annotations

import re
from typing import get_args

from palimpsest.ledger import MemoryReason, TurnReason
from palimpsest.reason_words import MEMORY, TURN
from tests.golden.made import ROOT


def test_no_reason_is_without_words() -> None:
    """A new code needs its words, and a row of docs/reasons.md."""
    assert set(get_args(MemoryReason)) == set(MEMORY)
    assert set(get_args(TurnReason)) == set(TURN)
    page = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
    assert {*MEMORY, *TURN} == set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE))
