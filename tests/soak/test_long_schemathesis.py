"""The same as in the unit tests, with many more calls."""

from __future__ import annotations

from tests.unit.web.test_schemathesis import base, sent

__all__ = ["base"]


def test_schemathesis_finds_nothing_in_a_long_run(base: str) -> None:
    """Two hundred calls of each kind and operation."""
    sent(base, 200)
