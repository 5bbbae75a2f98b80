"""Whether the pages can be tried in a real browser here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import EXECUTABLE, MISSING


def test_chromium_is_here() -> None:
    """Where it is not, one line of the summary says that the tests of the pages did not run."""
    if EXECUTABLE is None:
        pytest.skip(MISSING)
    assert Path(EXECUTABLE).exists()
