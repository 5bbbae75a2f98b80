"""``palimpsest mcp`` where it cannot start: what is missing is told, and nothing is made."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from palimpsest import cli


@pytest.mark.parametrize("module", ["mcp", "uvicorn"])
def test_without_the_extra_the_install_line_is_told(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever installed the core alone reads what to install; standard output stays empty."""
    hidden = "palimpsest.integrations.mcp"
    for name in [n for n in sys.modules if n.startswith(hidden) or n.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)

    assert 2 == cli.run(["mcp", "--store", str(tmp_path / "m.db")])
    out, err = capsys.readouterr()
    assert "pip install 'palimpsest-memory[mcp]'" in err
    assert repr(module) in err
    assert "" == out
    assert not (tmp_path / "m.db").exists()


def test_a_typo_in_the_settings_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is served, with the name of the key."""
    settings = tmp_path / "settings.toml"
    settings.write_text("[recal]\nembedder = 'minilm'\n")

    assert 2 == cli.run(["mcp", "--store", str(tmp_path / "m.db"), "--config", str(settings)])
    assert "recal" in capsys.readouterr().err
