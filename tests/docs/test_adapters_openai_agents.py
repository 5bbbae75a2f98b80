"""The example on the page about the OpenAI Agents SDK runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import agents
import pytest

from tests.golden.made import ROOT
from tests.support.agent_models import Scripted, words

PAGE = (ROOT / "docs" / "adapters" / "openai-agents.md").read_text(encoding="utf-8")


def test_the_example_runs_and_remembers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model that answers from a list; what the user said is remembered."""
    (code,) = re.findall(r"```python\n(.*?)\n```", PAGE, re.DOTALL)
    model = Scripted([[words("To Bergen.")]])
    monkeypatch.chdir(tmp_path)
    agents.set_tracing_disabled(True)
    names: dict[str, Any] = {"MODEL": model}
    exec(code.replace('name="guide",', 'name="guide", model=MODEL,'), names)
    memory, session = names["memory"], names["session"]
    assert memory.settled()
    assert ["I live in Oslo."] == [row.text for row in session.conversation.current()]
    assert "To Bergen." == names["result"].final_output
    assert "You help to plan a journey." == model.seen[0][0]
    memory.close()
