"""hub: the real client against a loopback hub; every byte is compared with its pin."""

import dataclasses
import json
import socket
import time
from pathlib import Path

import pytest

from palimpsest.errors import NotPrepared
from palimpsest.tokens import cache, manifest
from palimpsest.tokens.prepare import prepare
from palimpsest.tokens.prepared import load
from tests.support.hub_server import HubServer
from tests.support.toy_entry import Toy


def test_the_hub_is_the_first_source(toy: Toy, hub: HubServer, empty_cache: Path) -> None:
    """Files of the pinned revision are fetched, recorded with their sums, and load."""
    record = prepare("toy")
    assert ("hub", "", "toys/toy@" + "ab" * 20) == (record.source, record.why, record.origin)
    place = cache.folder("toy")
    assert {cache.VOCABULARY, cache.TEMPLATE, cache.LOCK} == {path.name for path in place.iterdir()}
    for file, data in toy.hub_files.items():
        assert data == (place / file).read_bytes()
        assert cache.sum_of(data) == record.files[file]
    assert load("toy").frame.additive


def test_a_second_prepare_asks_nobody(toy: Toy, hub: HubServer) -> None:
    """What is intact is ready at once."""
    first = prepare("toy")
    hub.asked.clear()
    assert first == prepare("toy")
    assert [] == hub.asked


def test_only_the_files_are_asked_for(toy: Toy, hub: HubServer) -> None:
    """Nothing else is requested of the hub: no telemetry, no listing."""
    prepare("toy")
    assert {"tokenizer.json", "chat_template.jinja"} == {file for _, file, _ in hub.asked}


def test_progress_tells_each_file_to_its_end(toy: Toy, hub: HubServer) -> None:
    """The caller can draw a bar for each file."""
    told: dict[str, tuple[int, int | None]] = {}
    prepare("toy", progress=lambda step, done, total: told.update({step: (done, total)}))
    sizes = {f"toys/toy: {file}": len(data) for file, data in toy.hub_files.items()}
    assert {step: (size, size) for step, size in sizes.items()} == told


def test_a_partial_file_is_resumed(
    toy: Toy, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a broken connection the transfer goes on where it stopped."""
    hub.files["tokenizer.json"] += b" " * 25_000_000
    hub.break_after["tokenizer.json"] = 22_000_000
    record = prepare("toy")
    ranges = [
        asked for method, file, asked in hub.asked if method == "GET" and file == "tokenizer.json"
    ]
    assert "" == ranges[0]
    assert ranges[1].startswith("bytes=")
    assert int(ranges[1][6:-1]) > 0
    assert cache.sum_of(hub.files["tokenizer.json"]) == record.files[cache.VOCABULARY]


def test_an_interrupted_prepare_goes_on_in_the_next(
    toy: Toy, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle leaves a partial file that the next run completes."""
    hub.files["tokenizer.json"] += b" " * 25_000_000

    def interrupt(step: str, done: int, total: int | None) -> None:
        if "tokenizer.json" in step and 15_000_000 < done < (total or 0):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare("toy", progress=interrupt)
    assert not (cache.folder("toy") / cache.LOCK).exists()
    hub.asked.clear()
    prepare("toy")
    ranges = [
        asked for method, file, asked in hub.asked if method == "GET" and file == "tokenizer.json"
    ]
    assert 1 == len(ranges)
    assert ranges[0].startswith("bytes=")


def test_another_template_than_the_pinned_one_is_refused(toy: Toy, hub: HubServer) -> None:
    """The hash in the manifest decides, and nothing is kept."""
    hub.files["chat_template.jinja"] += b" "
    with pytest.raises(NotPrepared, match=r"chat_template.jinja has SHA-256 .* the manifest pins"):
        prepare("toy")
    assert not (cache.folder("toy") / cache.LOCK).exists()


def test_a_file_that_is_not_what_the_hub_declares_is_refused(toy: Toy, hub: HubServer) -> None:
    """A file altered on its way does not match the hash that the hub names."""
    hub.lie_about.add("tokenizer.json")
    with pytest.raises(NotPrepared, match=r"tokenizer.json is not what the hub declares"):
        prepare("toy")


def test_the_first_fetch_binds_every_later_one(toy: Toy, hub: HubServer) -> None:
    """The lock file's sums hold when a file must be fetched again."""
    prepare("toy")
    (cache.folder("toy") / cache.VOCABULARY).unlink()
    good = hub.files["tokenizer.json"]
    hub.files["tokenizer.json"] = good.replace(b'"er"', b'"re"')
    with pytest.raises(NotPrepared, match=r"at the first fetch it had .*lock.json"):
        prepare("toy")
    hub.files["tokenizer.json"] = good
    assert good == cache.load(cache.folder("toy"), prepare("toy"), cache.VOCABULARY)


def test_other_pins_than_the_prepared_ones_are_noticed(
    toy: Toy, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version of the package that pins otherwise does not use the old files."""
    prepare("toy")
    assert toy.entry.hub is not None
    moved = dataclasses.replace(
        toy.entry, hub=dataclasses.replace(toy.entry.hub, revision="cd" * 20)
    )
    monkeypatch.setattr(manifest, "entries", lambda: {"toy": moved})
    with pytest.raises(NotPrepared, match=r"other pins .*`palimpsest tokenizer prepare toy`"):
        load("toy")


def test_a_missing_file_is_named_when_only_the_hub_is_asked(toy: Toy, hub: HubServer) -> None:
    """With --source hub there is no second way."""
    del hub.files["tokenizer.json"]
    with pytest.raises(NotPrepared, match=r"toy: the hub cannot be reached .tokenizer.json"):
        prepare("toy", source="hub")


def test_a_broken_off_download_says_how_to_go_on(
    toy: Toy, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the hub answers and then fails, the packages are not taken behind the user's back."""

    def fail(*args: object, **kwargs: object) -> str:
        raise OSError("No space left on device")

    monkeypatch.setattr("huggingface_hub.file_download.http_get", fail)
    with pytest.raises(NotPrepared, match=r"broke off .No space left.*resume.*--source packages"):
        prepare("toy")


def test_a_hub_that_never_answers_costs_seconds(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent server is given up soon, so a closed network does not stop a demo."""
    monkeypatch.setattr("palimpsest.tokens.hub.ANSWER_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        began = time.monotonic()
        with pytest.raises(NotPrepared, match="timed out"):
            prepare("toy", source="hub")
        assert time.monotonic() - began < 5


def test_the_lock_file_is_readable_json(toy: Toy, hub: HubServer) -> None:
    """A person can read what was prepared from where."""
    prepare("toy")
    data = json.loads((cache.folder("toy") / cache.LOCK).read_text())
    assert (1, "toy", "hub", "MIT") == (
        data["schema"],
        data["name"],
        data["source"],
        data["licence"],
    )
