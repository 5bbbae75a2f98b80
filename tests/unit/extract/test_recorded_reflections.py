"""The real reflections of SmolLM2 are replayed, whatever they are worth."""

from __future__ import annotations

import json
from pathlib import Path

from palimpsest.cli import run
from tests.conftest import REPOSITORY

RECORDING = REPOSITORY / "benchmarks" / "reflections" / "travel-50.smollm2.jsonl"


def test_the_recorded_readings_give_the_figures_that_were_measured(tmp_path: Path) -> None:
    """50 calls, each answered out of the file; 3 of 26 facts, none of them forgotten ones."""
    target = tmp_path / "gap.json"
    extractor = f"llm(model='replayed:{RECORDING}', version='reflection-v1')"
    assert 0 == run(
        ["bench", "gap", "travel-50", "--only", "--extractor", extractor, "--json", str(target)]
    )
    text = target.read_text(encoding="utf-8")
    (fed,) = json.loads(text)["suites"]["travel-50"]["extractors"].values()
    assert {"found": 3, "required": 26, "stale": 0, "deleted": 0} == fed["totals"]["managed"]
    assert "holds no answer" not in text
