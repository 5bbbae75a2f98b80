"""tiktoken: OpenAI models are counted from files that are here, and nothing is fetched."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from palimpsest import messages
from palimpsest.config import Config
from palimpsest.errors import NotPrepared, SpecError, TemplateError
from palimpsest.tokens.prepared import resolve
from palimpsest.tokens.tiktoken_counts import Tiktoken

CHAT = messages.messages(
    [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": "hello world", "name": "bob"},
        {"role": "assistant", "content": "Hi <|endoftext|>"},
        {"role": "user", "content": "日本 ok"},
    ]
)


def cache() -> Path | None:
    """The library's files: in its cache folder, or as another package carries them."""
    named = os.environ.get("TIKTOKEN_CACHE_DIR")
    if named:
        return Path(named)
    found = importlib.util.find_spec("llama_index") if _has("llama_index") else None
    for place in found.submodule_search_locations or () if found else ():
        carried = Path(place) / "core" / "_static" / "tiktoken_cache"
        if carried.is_dir():
            return carried
    return None


def _has(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


@pytest.fixture
def files() -> str:
    place = cache()
    if not _has("tiktoken") or place is None:
        pytest.skip("NOT CHECKED: tiktoken or its files are not here (make bench installs both)")
    return str(place)


def test_a_count_is_the_texts_and_the_documented_frame(files: str) -> None:
    """Three tokens a message, one for a name, three before the answer, texts as encoded."""
    import tiktoken

    os.environ.setdefault("TIKTOKEN_CACHE_DIR", files)
    reference = tiktoken.encoding_for_model("gpt-4o")
    texts = [text for m in CHAT for text in (m.role, m.content or "", m.name or "") if text]
    wanted = sum(len(reference.encode(text, disallowed_special=())) for text in texts)
    found = resolve(f"tiktoken(model='gpt-4o', files={files!r})", Config())
    assert wanted + 3 * len(CHAT) + 1 + 3 == found.count_request(CHAT, ())
    assert found.frame.additive
    assert "<|endoftext|>" in found.frame.markers


@pytest.mark.parametrize(("model", "tokens"), [("gpt-4o", 2), ("gpt-4", 2), ("gpt-3.5-turbo", 2)])
def test_the_vocabulary_is_that_of_the_model(files: str, model: str, tokens: int) -> None:
    """Each model has its own encoding; two of them are carried by one folder."""
    assert tokens == Tiktoken(model=model, files=files).count_text("hello world")
    older = Tiktoken(model="gpt-4", files=files).count_text("日本語の文章")
    newer = Tiktoken(model="gpt-4o", files=files).count_text("日本語の文章")
    assert newer < older


def test_an_altered_file_is_refused(files: str, tmp_path: Path) -> None:
    """The checksum that the library pins is compared before a byte is used."""
    for path in Path(files).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes()[:-20])
    with pytest.raises(NotPrepared, match="is altered.*get_encoding"):
        Tiktoken(model="gpt-4o", files=str(tmp_path)).count_text("x")


def test_missing_files_name_the_place_and_the_command(files: str, tmp_path: Path) -> None:
    """Nothing is fetched: the error says what to run."""
    with pytest.raises(NotPrepared, match=r"'o200k_base' of tiktoken is not here.*get_encoding"):
        Tiktoken(model="gpt-4o", files=str(tmp_path)).frame  # noqa: B018 - it loads
    assert [] == list(tmp_path.iterdir())


def test_an_unknown_model_is_a_spec_error(files: str) -> None:
    """A misspelt model is not given some vocabulary."""
    with pytest.raises(SpecError, match="knows no such model"):
        Tiktoken(model="gtp-4o", files=files).count_text("x")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not installed is a clear error with the command that installs it."""
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(NotPrepared, match=r"pip install 'palimpsest-memory\[tiktoken\]'"):
        resolve("tiktoken(model='gpt-4o')", Config()).count_text("x")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "tool", "tool_call_id": "a", "content": "x"}, "tool calls and results"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}, "parts"),
    ],
)
def test_what_is_not_documented_is_not_counted(message: dict[str, object], said: str) -> None:
    """Calls, results and media have no exact count here."""
    with pytest.raises(TemplateError, match=said):
        Tiktoken(model="gpt-4o").count_request(messages.messages([message]), ())
    offered = messages.tools([{"type": "function", "function": {"name": "look"}}])
    with pytest.raises(TemplateError, match="'look'"):
        Tiktoken(model="gpt-4o").count_request(CHAT, offered)
