"""A broken engine shows in a report: each rule that is switched off changes a built-in suite.

The published document names five such faults and which checks saw them. Here every fault is
put into the real engine, and the figures that it spoils are named.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from palimpsest.bench import builtin
from palimpsest.bench.replay import DEFAULT_STRATEGIES, enter, replay
from palimpsest.bench.report import report
from palimpsest.config import Config
from palimpsest.context import memory_strategies, recent
from palimpsest.context.fit import Fitted, Scale, fit
from palimpsest.conversation import Conversation
from palimpsest.store.view import StoreView
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Label, Turn

Report = dict[str, Any]
Figures = Callable[[str], Report]
Mutate = Callable[[pytest.MonkeyPatch], None]


@pytest.fixture(scope="module")
def figures(gemma: LocalTokenizer) -> Figures:
    counter = TokenCounter(gemma)

    def made(name: str) -> Report:
        suite = builtin.load(name)
        entrants = enter(DEFAULT_STRATEGIES)
        run = replay(suite, entrants=entrants, counter=counter, config=suite.config())
        return report(run, sqlite="3")

    return made


@pytest.fixture(scope="module")
def sound(figures: Figures) -> Report:
    return every(figures)


def every(figures: Figures) -> Report:
    return {name: figures(name) for name in builtin.names()}


def without(op: str, instead: str | None) -> Mutate:
    """Labels of one kind do nothing, or something else."""
    applied = Conversation.apply

    def apply(self: Conversation, label: Label, *, turn: int) -> None:
        if label.op != op:
            applied(self, label, turn=turn)
        elif instead is not None:
            applied(self, dataclasses.replace(label, op=instead), turn=turn)  # type: ignore[arg-type]

    return lambda patch: patch.setattr(Conversation, "apply", apply)


def without_redaction(patch: pytest.MonkeyPatch) -> None:
    """Turns are stored and sent as they were said."""
    patch.setattr("palimpsest.write.commands.erase", lambda *_, **__: None)
    patch.setattr(StoreView, "redactions", lambda *_: ())


def without_quota(patch: pytest.MonkeyPatch) -> None:
    """Facts may take every token there is."""
    overridden = memory_strategies.overridden

    def endless(config: Config, **params: Any) -> Config:
        made = overridden(config, **params)
        return dataclasses.replace(made, facts=dataclasses.replace(made.facts, quota=100_000))

    patch.setattr(memory_strategies, "overridden", endless)


def skipping(patch: pytest.MonkeyPatch) -> None:
    """Recent turns skip what does not fit and go on, where they should stop."""

    def greedy(scale: Scale, turns: Iterator[Turn], block: Any, limit: int) -> Fitted:
        kept: tuple[Turn, ...] = ()
        stopped = None
        for turn in turns:
            if scale.weigh((turn, *kept), block) <= limit:
                kept = (turn, *kept)
            else:
                stopped = turn
        return Fitted(kept=kept, stopped=stopped)

    patch.setattr(recent, "fit", greedy)


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
    monkeypatch.setattr(Conversation, "consolidate", lambda self: ())
    found = figures("travel-50")
    assert 0 == found["storage"]["managed"]["resolutions"]
    assert found["checkpoints"]["managed"] != sound["travel-50"]["checkpoints"]["managed"]


def test_fit_is_the_name_that_strategies_call() -> None:
    """The skipping mutant replaces the function that is really used."""
    assert recent.fit is fit
