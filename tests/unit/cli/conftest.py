"""What the tests of the commands share: a bench command line under a small tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest import cli
from tests.support.tokenizers import word_folder

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bench(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run `palimpsest bench ...`; gives the exit status, standard output and error."""
    monkeypatch.setenv("COLUMNS", "100")
    words = str(word_folder(tmp_path / "words"))

    def call(*arguments: object, count: bool = True) -> tuple[int, str, str]:
        extra = ["--tokenizer", words] if count else []
        status = cli.run(["bench", *map(str, arguments), *extra])
        out = capsys.readouterr()
        return status, out.out, out.err

    return call
