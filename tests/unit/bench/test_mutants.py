"""A broken engine shows in a report: each rule that is switched off changes a built-in suite.

The published document names five such faults and which checks saw them. Here every fault is
put into the real engine, and the figures that it spoils are named.
"""

from collections.abc import Callable
from typing import Any

import pytest

from palimpsest.bench import builtin
from palimpsest.bench.report import report
from palimpsest.bench.run import Options, run_all
from palimpsest.context import extraction, facts, memory_strategies, recent
from palimpsest.context.fit import fit
from palimpsest.context.quote import quoted
from palimpsest.tokens.local import LocalTokenizer
from tests.support.mutants import (
    skipping,
    without,
    without_consolidation,
    without_quota,
    without_redaction,
)

Report = dict[str, Any]
Figures = Callable[[str], Report]


@pytest.fixture(scope="module")
def figures(gemma: LocalTokenizer) -> Figures:
    def made(name: str) -> Report:
        (run,) = run_all([builtin.load(name)], Options(look_after=False))
        return report(run, sqlite="3")

    return made


@pytest.fixture(scope="module")
def sound(figures: Figures) -> Report:
    return every(figures)


def every(figures: Figures) -> Report:
    return {name: figures(name) for name in builtin.names()}


def managed(found: Report, name: str) -> Any:
    return found[name]["totals"]["managed"]


def test_the_unbroken_engine_is_what_the_mutants_are_compared_with(
    sound: Report, figures: Figures
) -> None:
    """Two runs of the sound engine agree, so a difference is the mutant's."""
    assert sound == every(figures)


def test_ignoring_forget_requests_shows(
    sound: Report, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Managed then keeps the row and leaks the forgotten values."""
    without("forget", None)(monkeypatch)
    found = every(figures)
    assert managed(found, "travel-50")["deleted"] > 0
    assert managed(found, "edges")["deleted"] > 0
    assert 0 == found["travel-50"]["storage"]["managed"]["deletion_records"]


def test_sending_turns_without_redaction_shows(
    sound: Report, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Managed then leaks from its recent turns, right after each change."""
    without_redaction(monkeypatch)
    found = every(figures)
    assert managed(found, "edges")["deleted"] > 0
    assert managed(found, "edges")["stale"] > 0


def test_ignoring_the_quota_shows(
    sound: Report, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Append-only then leaks at the small quota what it leaks at the large one."""
    without_quota(monkeypatch)
    found = figures("travel-50")
    assert found["quota_sweep"]["120"] == found["quota_sweep"]["240"]
    assert found["totals"]["append-only"] != sound["travel-50"]["totals"]["append-only"]


def test_skipping_instead_of_stopping_shows(
    sound: Report, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recent then finds early facts behind a long turn."""
    skipping(monkeypatch)
    found = figures("travel-50")
    assert found["totals"]["recent"]["found"] > sound["travel-50"]["totals"]["recent"]["found"]


def test_ignoring_corrections_shows(
    sound: Report, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Consolidation retires the old row all the same, and the storage figures tell it."""
    without("correct", "remember")(monkeypatch)
    found = every(figures)
    ours, theirs = (r["travel-50"]["storage"]["managed"]["resolutions"] for r in (sound, found))
    assert theirs > ours


def test_dropping_corrections_shows(
    sound: Report, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A correction that does nothing at all leaves the old fact current."""
    without("correct", None)(monkeypatch)
    found = every(figures)
    for name in builtin.names():
        assert managed(found, name)["found"] < managed(sound, name)["found"]
        assert managed(found, name)["stale"] > 0


def test_letting_nothing_be_consolidated_shows(
    sound: Report, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repeated wish then stays two rows, and the request differs."""
    without_consolidation(monkeypatch)
    found = figures("travel-50")
    assert 0 == found["storage"]["managed"]["resolutions"]
    assert found["checkpoints"]["managed"] != sound["travel-50"]["checkpoints"]["managed"]


def test_the_mutants_replace_what_is_really_called() -> None:
    """Each patched name is the function of the engine, in the module that calls it."""
    assert recent.fit is fit
    assert memory_strategies.seat is facts.seat
    assert (quoted, quoted) == (facts.quoted, extraction.quoted)
