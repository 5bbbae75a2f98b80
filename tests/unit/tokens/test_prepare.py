"""prepare, verify, list: complete or as before, and every fault said clearly."""

import multiprocessing
import os
from pathlib import Path

import pytest

from palimpsest.errors import NotFound, NotPrepared
from palimpsest.tokens import cache, manifest
from palimpsest.tokens.prepare import list_tokenizers, prepare, verify
from palimpsest.tokens.prepared import load
from tests.support.hub_server import HubServer
from tests.support.small_tokenizers import CHATML, vocabulary
from tests.support.toy_entry import Toy


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A folder with a tokenizer and its template, as a person may have one."""
    place = tmp_path / "given"
    place.mkdir()
    (place / "tokenizer.json").write_text(vocabulary().to_str())
    (place / "chat_template.jinja").write_text(CHATML)
    return place


def test_an_unprepared_tokenizer_names_the_command(toy: Toy) -> None:
    """Nothing is fetched in silence: loading what is not there is an error."""
    with pytest.raises(NotPrepared, match=r"run `palimpsest tokenizer prepare toy`"):
        load("toy")
    with pytest.raises(NotPrepared, match=r"run `palimpsest tokenizer prepare toy`"):
        verify("toy")


def test_an_unknown_name_lists_the_known_ones(empty_cache: Path) -> None:
    """A misspelt name gets the nearest and all others."""
    with pytest.raises(
        NotFound, match="did you mean 'gemma-4-e2b'.*known: gemma-4-e2b, smollm2-135m"
    ):
        prepare("gemma-4-e2")


def test_a_path_comes_before_everything(toy: Toy, hub: HubServer, given: Path) -> None:
    """Files that the user gives are taken as they are, and the record says so."""
    record = prepare("toy", source=given)
    assert ("path", str(given), False) == (record.source, record.origin, record.proven)
    assert [] == hub.asked
    assert load("toy").count_text(" the") == 1


def test_naming_the_source_that_is_there_already_asks_nobody(toy: Toy, hub: HubServer) -> None:
    """A build that pins its source fetches once; another source is fetched anew."""
    first = prepare("toy", source="hub")
    asked = len(hub.asked)

    assert first == prepare("toy", source="hub") == prepare("toy")
    assert asked == len(hub.asked)


def test_a_path_without_a_template_is_refused(toy: Toy, given: Path) -> None:
    """A vocabulary without a chat template cannot count requests."""
    (given / "chat_template.jinja").unlink()
    with pytest.raises(NotPrepared, match="no chat template lies beside it"):
        prepare("toy", source=given)


def test_our_frame_needs_its_markers_in_the_vocabulary(given: Path, empty_cache: Path) -> None:
    """A vocabulary of another model under our frame would count its markers letter by letter."""
    (given / "chat_template.jinja").unlink()
    with pytest.raises(NotPrepared, match=r"given: its vocabulary does not have .*<.turn>"):
        prepare("gemma-4-e2b", source=given)


@pytest.mark.parametrize(
    ("damage", "state", "said"),
    [
        (lambda path: path.unlink(), "missing", "is missing"),
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), "truncated", "is truncated"),
        (lambda path: path.write_bytes(b""), "truncated", "is truncated .0 of"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1] + b" "), "altered", "is altered"),
        (lambda path: path.write_bytes(path.read_bytes() + b" "), "altered", "is altered"),
    ],
    ids=["missing", "truncated", "empty", "altered", "longer"],
)
@pytest.mark.parametrize("file", [cache.VOCABULARY, cache.TEMPLATE])
def test_every_fault_is_told_apart_and_repaired(
    toy: Toy, hub: HubServer, file: str, damage, state: str, said: str
) -> None:
    """verify names the fault, loading refuses, list shows it, prepare repairs it."""
    prepare("toy")
    path = cache.folder("toy") / file
    damage(path)
    found = {entry.path.name: entry for entry in verify("toy")}
    assert state == found[file].state
    other = {cache.VOCABULARY, cache.TEMPLATE} - {file}
    assert ["intact"] == [found[name].state for name in other]
    with pytest.raises(
        NotPrepared, match=f"{file}: {said}.*run `palimpsest tokenizer prepare toy`"
    ):
        load("toy")
    (listed,) = list_tokenizers()
    assert listed.prepared is None
    assert state in listed.note
    prepare("toy")
    assert {"intact"} == {entry.state for entry in verify("toy")}
    load("toy")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 2}', '{"schema": 1}', '{"schema": 1, "files": []}'])  # fmt: skip
def test_a_damaged_lock_file_is_an_error_and_is_replaced(
    toy: Toy, hub: HubServer, text: str
) -> None:
    """Without a readable record nothing is trusted; preparing again writes a new one."""
    prepare("toy")
    (cache.folder("toy") / cache.LOCK).write_text(text)
    with pytest.raises(NotPrepared, match=r"lock.json: is not a lock file .*prepare toy"):
        load("toy")
    prepare("toy")
    load("toy")


def test_list_shows_what_is_ready(toy: Toy, hub: HubServer) -> None:
    """Before and after a preparation."""
    (before,) = list_tokenizers()
    assert (before.prepared, "toy") == (None, before.entry.name)
    record = prepare("toy")
    (after,) = list_tokenizers()
    assert (record, "") == (after.prepared, after.note)


def _prepare_and_report(queue: "multiprocessing.Queue[str]", entry: manifest.Entry) -> None:
    manifest.entries = lambda: {"toy": entry}  # type: ignore[assignment]
    queue.put(prepare("toy").source)


def test_two_preparations_do_not_clash(toy: Toy, hub: HubServer) -> None:
    """The second process waits, finds everything ready, and asks the hub for nothing."""
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    queue = context.Queue()
    given = (queue, toy.entry)
    running = [
        context.Process(target=_prepare_and_report, args=given, daemon=True) for _ in range(2)
    ]
    for process in running:
        process.start()
    assert ["hub", "hub"] == [queue.get(timeout=120) for _ in running]
    for process in running:
        process.join(60)
    downloads = [file for method, file, _ in hub.asked if method == "GET"]
    assert sorted(["tokenizer.json", "chat_template.jinja"]) == sorted(downloads)


def test_a_cache_below_a_file_is_named(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache folder that cannot exist is a clear error."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(NotPrepared, match="PALIMPSEST_CACHE"):
        prepare("toy")


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is written whole or not at all."""
    path = tmp_path / "file"
    cache.write_atomic(path, b"old")

    def fail(*args: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        cache.write_atomic(path, b"new")
    assert b"old" == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_the_cache_folder_is_chosen_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The argument, then PALIMPSEST_CACHE, then the platform's folder."""
    monkeypatch.setenv("PALIMPSEST_CACHE", "/elsewhere")
    assert tmp_path / "tokenizers" / "x" == cache.folder("x", tmp_path)
    assert Path("/elsewhere/tokenizers/x") == cache.folder("x")
    monkeypatch.delenv("PALIMPSEST_CACHE")
    assert "palimpsest" in str(cache.folder("x"))
