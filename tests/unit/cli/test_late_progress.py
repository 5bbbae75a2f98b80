"""The bar of long runs."""

import pytest

from palimpsest.cli import late_progress


def test_a_log_gets_no_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a run takes, a standard error that is no terminal stays empty."""
    monkeypatch.setattr(late_progress, "QUIET_SECONDS", 0.0)
    with late_progress.late_progress() as step:
        step("travel-50", 1, 2)
        step("travel-50", 2, 2)
    assert ("", "") == capsys.readouterr()
