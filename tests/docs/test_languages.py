"""The page on languages counts the turns that the grammars were tried on."""

from __future__ import annotations

from tests.golden.made import ROOT
from tests.support import talk

PAGE = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")


def table() -> str:
    """The counts by group and language."""
    counts = {language: talk.counts(language) for language in talk.LANGUAGES}
    rows = ["| | " + " | ".join(talk.LANGUAGES) + " |", "| --- " * (len(counts) + 1) + "|"]
    for group in counts["en"]:
        cells = " | ".join(str(count[group]) for count in counts.values())
        rows.append(f"| {group} | {cells} |")
    totals = " | ".join(str(count.total()) for count in counts.values())
    return "\n".join([*rows, f"| in all | {totals} |"])


def test_the_table_is_true() -> None:
    """It is what the files hold."""
    begun = PAGE.split("<!-- generated: talk -->\n")[1]
    assert table() == begun.split("\n<!-- end -->")[0]
