"""palimpsest tokenizer: prepare, verify and list say what happened and exit accordingly."""

from pathlib import Path

import pytest

from palimpsest.cli import run
from palimpsest.tokens import cache
from tests.support.small_tokenizers import CHATML, vocabulary


@pytest.fixture
def given(tmp_path: Path, empty_cache: Path) -> Path:
    """Files that a person has; the cache is empty."""
    place = tmp_path / "given"
    place.mkdir()
    (place / "tokenizer.json").write_text(vocabulary().to_str())
    (place / "chat_template.jinja").write_text(CHATML)
    return place


def test_a_prepared_tokenizer_verifies_and_lists(
    given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a path: source, licence and place are said; verify is 0; list shows it."""
    assert 0 == run(["tokenizer", "prepare", "smollm2-135m", "--from", str(given)])
    said = capsys.readouterr().out
    assert f"from files: {given}" in said
    assert f"in {cache.folder('smollm2-135m')}" in said
    assert 0 == run(["tokenizer", "verify", "smollm2-135m"])
    assert 2 == capsys.readouterr().out.count("is intact")
    assert 0 == run(["tokenizer", "list"])
    listed = capsys.readouterr().out
    assert "gemma-4-e2b: Gemma 4 E2B, thinking off\n  not ready: " in listed
    assert f"smollm2-135m: SmolLM2 135M Instruct\n  prepared from files: {given}" in listed


def test_a_damaged_file_is_a_finding(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """verify exits 1, names the fault of each file, and says what to run."""
    run(["tokenizer", "prepare", "smollm2-135m", "--from", str(given)])
    capsys.readouterr()
    path = cache.folder("smollm2-135m") / cache.VOCABULARY
    path.write_bytes(path.read_bytes()[:-1])
    assert 1 == run(["tokenizer", "verify", "smollm2-135m"])
    out, err = capsys.readouterr()
    assert "tokenizer.json: is truncated" in out
    assert "chat_template.jinja: is intact" in out
    assert "run `palimpsest tokenizer prepare smollm2-135m`\n" == err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", "gemma-4-e2b"], "is not prepared"),
        (["verify", "nothing"], "no tokenizer is named 'nothing'"),
        (["prepare", "nothing"], "no tokenizer is named 'nothing'"),
        (["prepare", "smollm2-135m", "--source", "hub"], "hub was asked for"),
        (["prepare", "smollm2-135m", "--from", "/nowhere"], "cannot be read"),
        (
            ["prepare", "smollm2-135m", "--from", "/nowhere", "--source", "hub"],
            "exclude each other",
        ),
    ],
)
def test_errors_are_2(
    empty_cache: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    """What cannot be done is an error with its reason."""
    assert 2 == run(["tokenizer", *arguments])
    assert said in capsys.readouterr().err
