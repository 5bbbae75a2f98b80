"""Carriers are told apart by kind, in order, and never overlap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.language.carriers import carriers


def test_each_carrier_has_its_kind() -> None:
    """An identifier with digits is one identifier and no number; a date is no number."""
    text = "Ana pays 150 euros for TKT-100 on 3 November, not tomorrow."
    found = [(text[c.start : c.end], c.kind) for c in carriers(text)]
    assert [
        ("Ana", "name"),
        ("150 euros", "number"),
        ("TKT-100", "identifier"),
        ("3 November", "date"),
        ("tomorrow", "relative-day"),
    ] == found


@given(
    st.text(alphabet=st.sampled_from("aB3 .-/@_:,€'\nMay 5"), max_size=60) | st.text(max_size=40)
)
def test_carriers_lie_in_order_and_apart(text: str) -> None:
    """Whatever the text, carriers are non-empty spans of it that do not overlap."""
    found = carriers(text)
    at = 0
    for carrier in found:
        assert at <= carrier.start < carrier.end <= len(text)
        at = carrier.end
