"""Every form of a value is found in a file, wherever it stands."""

from __future__ import annotations

import base64
import html
import json
import unicodedata
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.audit import needles, scan, scannable

VALUE = "Zoë O'Brien & 4417-8823"
FORMS = {
    "plain": VALUE.encode(),
    "decomposed": unicodedata.normalize("NFD", VALUE).encode(),
    "capitals": VALUE.upper().encode(),
    "UTF-16, little": VALUE.encode("utf-16-le"),
    "UTF-16, big": VALUE.encode("utf-16-be"),
    "JSON": json.dumps({"a": VALUE}).encode(),
    "JSON in JSON": json.dumps({"a": json.dumps({"b": VALUE})}).encode(),
    "HTML": html.escape(VALUE).encode(),
    "URL": quote(VALUE).encode(),
    "a form": quote(VALUE, safe="").replace("%20", "+").encode(),
    "hex": VALUE.encode().hex().encode(),
    "hex, capitals": VALUE.encode().hex().upper().encode(),
    "base64": base64.b64encode(VALUE.encode()),
    "base64 of more": base64.b64encode(f"x{VALUE} and on".encode()),
    "base64 of still more": base64.urlsafe_b64encode(f"xy{VALUE} and on".encode()),
    "base64 of UTF-16": base64.b64encode(VALUE.encode("utf-16-le")),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_found_in_every_form(form: str, tmp_path: Path) -> None:
    """A scan finds each way in which the program, or a tool beside it, could write a value."""
    path = tmp_path / "log"
    path.write_bytes(b"before " + FORMS[form] + b" after")

    assert 1 <= len(scan([path], needles([VALUE])).findings)


@given(before=st.binary(max_size=9), after=st.binary(max_size=9))
def test_base64_is_found_whatever_stands_around_it(before: bytes, after: bytes) -> None:
    """Base64 mixes a text with its neighbours; the bits in between are enough."""
    whole = base64.b64encode(before + VALUE.encode() + after)

    assert any(needle.pattern in whole for needle in needles([VALUE]))


def test_another_value_is_not_found(tmp_path: Path) -> None:
    """A scan that finds everything would be as worthless as one that finds nothing."""
    path = tmp_path / "log"
    path.write_bytes(b"\n".join(form[:-4] for form in FORMS.values()))

    assert () == scan([path], needles(["Zoe O'Brien & 9917-0000"])).findings


@pytest.mark.parametrize(
    ("value", "expected"),
    [("P1234567", True), ("4417", False), ("aaaaaaaaaaaaaaaa", False), ("abcdefgH", True)],
)
def test_a_short_value_is_not_scanned_for(value: str, expected: bool) -> None:
    """Eight different characters at least: fewer stand in any large file by chance."""
    assert expected == scannable(value)
