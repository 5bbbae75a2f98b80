"""The table of faults names tests that exist, and every kind that it is about has some."""

from __future__ import annotations

import re

import pytest

from tests.golden.made import ROOT

PAGE = (ROOT / "docs" / "field-kinds.md").read_text(encoding="utf-8")
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in PAGE.splitlines()
    if re.match(r"\| [a-z]", line) and not line.startswith("| kind")
]
KINDS = {"updates lost", "duplicates", "wrong merges", "negation", "invented facts", "slow", "cost",
         "non-English", "deletes leave traces", "resurrection", "isolation", "injection",
         "migration"}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2])
def test_every_row_names_a_test_that_exists(row: tuple[str, ...]) -> None:
    """A path and a function of it."""
    path, _, name = row[3].strip("`").partition("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)


def test_every_kind_has_a_row() -> None:
    """And the page lists no test of the file of kinds twice, nor leaves one out."""
    assert {row[0] for row in ROWS} >= KINDS
    file = "tests/cases/test_field_kinds.py"
    defined = re.findall(
        r"^def (test_\w+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE
    )
    named = [row[3].strip("`").partition("::")[2] for row in ROWS if file in row[3]]
    assert sorted(defined) == sorted(named)
