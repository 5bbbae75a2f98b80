"""palimpsest count: one number on standard output, or a clear error."""

import json
from pathlib import Path

import pytest

from palimpsest import messages
from palimpsest.cli import run
from palimpsest.tokens.estimate import Estimate
from tests.support.small_tokenizers import CHATML, small, vocabulary

CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
TOOLS = [{"name": "look", "description": "Looks."}]


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT))
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    place = tmp_path / "model"
    place.mkdir()
    (place / "tokenizer.json").write_text(vocabulary().to_str())
    (place / "chat_template.jinja").write_text(CHATML)
    return place


def test_it_prints_the_number_alone(
    chat: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The count of the whole template, for any local tokenizer."""
    assert 0 == run(["count", str(chat), "--tokenizer", str(model)])
    assert (
        f"{small(CHATML).count_request(messages.messages(CHAT), ())}\n" == capsys.readouterr().out
    )


def test_tools_are_counted(
    chat: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--tools takes the schemas that the request offers."""
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps(TOOLS))
    assert 0 == run(["count", str(chat), "--tokenizer", str(model), "--tools", str(tools)])
    expected = small(CHATML).count_request(messages.messages(CHAT), messages.tools(TOOLS))
    assert f"{expected}\n" == capsys.readouterr().out


def test_an_estimate_can_be_asked_for_by_name(
    chat: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--tokenizer takes a Spec."""
    assert 0 == run(["count", str(chat), "--tokenizer", "estimate(media_tokens=5)"])
    expected = Estimate().count_request(messages.messages(CHAT), ())
    assert f"{expected}\n" == capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"role": "user"', "is not JSON"),
        ("{}", "is not a list of messages"),
        ("[]", "an empty list"),
        ('[{"role": "user", "content": 1}]', r"chat.json[0].content: 1 (int)"),
        ('[{"role": "clown", "content": "x"}]', "chat.json[0].role: 'clown' is not one of"),
        ("[" * 100_000, "nested too deeply"),
        ("\xff", "is not JSON"),
    ],
    ids=["truncated", "object", "empty", "type", "role", "deep", "bytes"],
)
def test_bad_input_is_2_with_the_place(
    chat: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    """What is wrong and where; nothing on standard output."""
    chat.write_text(text, encoding="latin-1")
    assert 2 == run(["count", str(chat), "--tokenizer", "estimate"])
    out, err = capsys.readouterr()
    assert "" == out
    assert said in err
    assert 1 == len(err.splitlines())


def test_a_missing_file_and_a_directory_are_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither can be read, and the error names it."""
    for path in (tmp_path / "none.json", tmp_path):
        assert 2 == run(["count", str(path), "--tokenizer", "estimate"])
        assert f"error: {path}: cannot be read" in capsys.readouterr().err


def test_an_unprepared_tokenizer_names_the_command(
    chat: Path, empty_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The default tokenizer is never fetched by counting."""
    assert 2 == run(["count", str(chat)])
    assert "`palimpsest tokenizer prepare gemma-4-e2b`" in capsys.readouterr().err
