"""smollm2 and gguf: a real small model that answers in this process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from palimpsest import messages
from palimpsest.chat import ChatCall
from palimpsest.cli import run
from palimpsest.errors import ModelError, NotPrepared, PalimpsestError
from palimpsest.models import weights
from palimpsest.models.resolve import open_model, own_tokenizer
from palimpsest.tokens import cache

CHAT = messages.messages([{"role": "user", "content": "Name a river."}])


def call(seed: int, limit: int = 12, window: int = 256) -> ChatCall:
    return ChatCall(messages=CHAT, window=window, limit=limit, seed=seed)


@pytest.fixture(scope="module")
def prepared() -> Path:
    return weights.prepare()


def test_an_answer_depends_on_the_seed_and_not_on_what_came_before(prepared: Path) -> None:
    """The same call gives the same text again, after other calls and with another window."""
    with open_model("smollm2") as model:
        first = model.answer(call(1))
        others = [model.answer(call(seed)).text for seed in (2, 3)]
        assert first == model.answer(call(1))
        assert first.text == model.answer(call(1, window=512)).text
    assert any(first.text != other for other in others)
    assert first.stop in ("stop", "length")
    assert 0 < (first.answer_tokens or 0) <= 12


def test_the_answer_limit_is_kept_and_named(prepared: Path) -> None:
    """An answer that stops at the limit says so."""
    with open_model("smollm2") as model:
        reply = model.answer(call(1, limit=2))
    assert ("length", 2) == (reply.stop, reply.answer_tokens)


def test_a_file_of_the_user_answers_and_is_identified_by_its_bytes(prepared: Path) -> None:
    """gguf:PATH is hashed before it answers; a pin that holds and one that does not."""
    with open_model(f"gguf:{prepared}@{weights.digest()[:16]}") as model:
        assert (weights.digest(), True) == (model.identity.digest, model.identity.pinned)
        assert model.identity.server.startswith("xllamacpp ")
        assert {"threads": "1"} == model.identity.details
        assert model.answer(call(1)).text
    with (
        pytest.raises(ModelError, match="the pinned digest is 000000000000"),
        open_model(f"gguf:{prepared}@000000000000"),
    ):
        raise AssertionError("not reached")


def test_the_models_of_this_machine_bring_their_tokenizer(prepared: Path) -> None:
    """Requests are counted in the tokens of the model that will read them."""
    assert "smollm2-135m" == own_tokenizer("smollm2")
    assert str(prepared) == own_tokenizer(f"gguf:{prepared}@{weights.digest()}")
    assert None is own_tokenizer("ollama:toy") is own_tokenizer("recorded:x.jsonl")


@pytest.mark.parametrize(
    ("name", "said"),
    [("gguf:/nowhere.gguf", "the model cannot be read"), ("gguf:{readme}", "cannot serve|readme")],
)
def test_what_is_no_model_file_is_an_error(tmp_path: Path, name: str, said: str) -> None:
    """A missing file, and a file of something else, each say which."""
    readme = tmp_path / "readme.gguf"
    readme.write_text("no weights")
    with (
        pytest.raises(PalimpsestError, match=said),
        open_model(name.format(readme=readme)) as model,
    ):
        model.answer(call(1))


def test_without_the_library_the_extra_is_named(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not installed is a clear error with the command that installs it."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with (
        pytest.raises(ModelError, match=r"pip install 'palimpsest-memory\[local\]'"),
        open_model("smollm2"),
    ):
        raise AssertionError("not reached")


def test_an_unprepared_model_is_not_fetched(
    empty_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Opening and verifying read files only, and name the command that fetches."""
    with pytest.raises(NotPrepared, match="`palimpsest model prepare smollm2`"):
        weights.verified()
    assert 2 == run(["model", "verify", "smollm2"])
    assert "`palimpsest model prepare smollm2`" in capsys.readouterr().err
    assert not empty_cache.exists()


def test_altered_weights_are_refused(empty_cache: Path) -> None:
    """A file that is not the pinned one never answers."""
    path = weights.place()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"GGUF")
    with pytest.raises(NotPrepared, match="is altered.*`palimpsest model prepare smollm2`"):
        weights.verified()


def test_prepared_weights_verify_and_bring_their_tokenizer(
    prepared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second preparation has nothing to fetch; both files are verified."""
    assert 0 == run(["model", "prepare", "smollm2"])
    assert "smollm2: ready" in capsys.readouterr().out
    assert 0 == run(["model", "verify", "smollm2"])
    assert f"{prepared}: is intact" in capsys.readouterr().out
    assert (cache.folder("smollm2-135m") / cache.LOCK).exists()
    assert not (cache.folder("smollm2-135m") / "staging").exists()
