"""The gate can never go blind: each deliberate fault makes `bench check` exit 1.

Every mutant runs against a baseline blessed by the sound engine, through the command line.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palimpsest import cli
from palimpsest.bench import run
from palimpsest.bench.forgotten_stages import ForgottenAfter
from palimpsest.tokens.local import LocalTokenizer
from tests.support.mutants import MUTANTS

Check = Callable[[], dict[str, Any]]

UNSEEN_BY_THE_PUBLISHED = {"redaction off", "facts stop instead of skip", "escaping off"}
"""Faults that change nothing on the published conversation, which is why ``edges`` exists."""
TOOLS_ONLY = "calls not searched"
"""The one fault that needs tool calls, which is one reason why ``atelier-60`` exists."""
NAMED = {
    "forget ignored": ("forgotten", "managed", "P1234567"),
    "redaction off": ("forgotten", "managed", "4471-B"),
    "quota ignored": ("stale", "append-only", "150 euros a night"),
    "recent turns skip instead of stop": ("gain", "recent", "Bob comes along"),
    "facts stop instead of skip": ("gain", "append-only", "ticket is TKT-100."),
    "corrections dropped": ("stale", "managed", "150 euros a night"),
    "consolidation off": ("lost", "managed", "bleu 5D-12"),
    TOOLS_ONLY: ("forgotten", "managed", "7B31K"),
    "escaping off": ("stale", "append-only", "R&D <core>"),
}
"""Faults that the check tells by kind, strategy and fact."""


@pytest.fixture(autouse=True)
def graded_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints alone: ``test_forgotten_after`` has the faults of later moments."""
    monkeypatch.setattr(run, "forgotten_after", lambda *_: ForgottenAfter())


@pytest.fixture(scope="module")
def blessed(tmp_path_factory: pytest.TempPathFactory, gemma: LocalTokenizer) -> Path:
    path = tmp_path_factory.mktemp("gate") / "baseline.json"
    assert 0 == cli.run(["bench", "bless", "--baseline", str(path)])
    return path


@pytest.fixture(scope="module")
def published_blessed(
    tmp_path_factory: pytest.TempPathFactory, gemma: LocalTokenizer, published: Path
) -> Path:
    path = tmp_path_factory.mktemp("published") / "baseline.json"
    place = published / "compaction-50"
    status = cli.run(
        ["bench", "bless", str(place / "conversation.json"), "--config",
         str(place / "profile.toml"), "--baseline", str(path)]
    )  # fmt: skip
    assert 0 == status
    return path


def checked(path: Path) -> dict[str, Any]:
    report = path.with_name("findings.json")
    status = cli.run(["bench", "check", str(path), "--json", str(report)])
    found: dict[str, Any] = json.loads(report.read_text())
    assert status == found["exit_status"]
    return found


def test_the_sound_engine_passes(blessed: Path) -> None:
    """What was blessed is what runs, so a finding is the mutant's."""
    found = checked(blessed)
    assert ("pass", []) == (found["verdict"], found["findings"])


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_makes_the_check_exit_1(
    name: str, blessed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Travel and edges together see every fault but one; most name case, strategy and fact."""
    MUTANTS[name](monkeypatch)
    found = checked(blessed)
    assert ("regression", 1) == (found["verdict"], found["exit_status"])
    suites = {f["suite"] for f in found["findings"]}
    assert (name == TOOLS_ONLY) == (suites == {"atelier-60"})
    assert all(f["strategy"] and f["suite"] and f["why"] for f in found["findings"] if f["fact"])
    told = {(f["kind"], f["strategy"], f["fact"]) for f in found["findings"]}
    if name in NAMED:
        assert NAMED[name] in told
    else:
        assert {None} == {fact for _, _, fact in told}
        assert {"changed", "storage"} & {kind for kind, _, _ in told}


def test_at_least_six_faults_are_named() -> None:
    """The rest is told by a changed hash or storage figure."""
    assert len(NAMED) >= 6
    assert NAMED.keys() < MUTANTS.keys()


@pytest.mark.parametrize("name", MUTANTS)
def test_the_published_conversation_alone_misses_three_faults(
    name: str, published_blessed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redaction, skipping and escaping could be broken and its baseline would still pass."""
    MUTANTS[name](monkeypatch)
    unseen = {*UNSEEN_BY_THE_PUBLISHED, TOOLS_ONLY}
    expected = "pass" if name in unseen else "regression"
    assert expected == checked(published_blessed)["verdict"]
