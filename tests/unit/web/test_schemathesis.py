"""Schemathesis finds no server error and no answer that the document does not describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from palimpsest import Memory
from palimpsest.web.api.operation import HERE
from palimpsest.web.api.table import OPERATIONS
from palimpsest.web.limits import Limits
from tests.property.test_isolation import COUNTER
from tests.support import api_story, schemathesis_run
from tests.support.http_server import serving

EXAMPLES = 3
"""Of each kind and operation; the soak tests send many more."""


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A real server with the beginning of the story in it."""
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))
    with (
        Memory.open(tmp_path / "m.db", counter=COUNTER) as memory,
        serving(memory, limits=Limits(rate=0)) as base,
    ):
        with httpx.Client(base_url=base, timeout=120) as client:
            for row in OPERATIONS:
                if row.id in ("append_turns", "observe_turns", "reflect", "remember", "correct"):
                    api_story.ask(client, row, dict(row.asks), row.says)
        yield base


def sent(base: str, examples: int) -> None:
    """Ask every operation, and expect that each did something once."""
    asked = schemathesis_run.operations(base)
    seen: dict[str, Counter[int]] = {}
    for operation in asked:
        counts = seen.setdefault(operation.label, Counter())
        schemathesis_run.ask(operation, examples, HERE, lambda s, c=counts: c.update([s]))

    assert len(OPERATIONS) == len(seen)
    assert not {status for counts in seen.values() for status in counts if status >= 500}
    done = {label for label, counts in seen.items() if counts[200]}
    assert len(done) > len(OPERATIONS) * 0.6, done


def test_schemathesis_finds_nothing(base: str) -> None:
    """Valid calls, valid ones where something is stored, and invalid ones; a fixed seed."""
    sent(base, EXAMPLES)
