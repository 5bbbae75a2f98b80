"""The keys of the server: shown once, kept as digests, revoked for good."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.errors import InputError, NotFound
from palimpsest.restoring import restored


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db") as held:
        yield held


def test_a_key_is_known_again_and_its_secret_is_in_no_byte(memory: Memory, tmp_path: Path) -> None:
    """What the store keeps says whose key it is and not what it is."""
    key, secret = memory.keys.add("app", users=["bo", "ana", "bo"])
    found = memory.keys.verified(secret)
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())

    assert key == found
    assert ("ana", "bo") == key.users
    assert secret.startswith(f"plm_{key.prefix}_")
    assert secret.encode() not in files
    assert secret.split("_", 2)[2].encode() not in files
    assert key.digest.encode() in files


def test_two_keys_have_nothing_in_common(memory: Memory) -> None:
    """Neither salt nor digest says that two keys are alike."""
    (one, first), (two, second) = memory.keys.add("one"), memory.keys.add("two")

    assert first != second
    assert {one.salt, one.digest, one.prefix}.isdisjoint({two.salt, two.digest, two.prefix})


@pytest.mark.parametrize("sent", ["", "plm", "plm_", "plm_{0}", "plm_{0}_", "plm_{0}_x",
                                  "xxx_{0}_{1}", "plm_{0}_{1}x", "plm_{0}_{1}\u00e9",
                                  "PLM_{0}_{1}", " plm_{0}_{1}"])  # fmt: skip
def test_what_is_not_the_whole_key_is_unknown(sent: str, memory: Memory) -> None:
    """Its part that is no secret opens nothing."""
    _, secret = memory.keys.add("app")
    _, prefix, end = secret.split("_", 2)

    assert memory.keys.verified(secret) is not None
    assert memory.keys.verified(sent.format(prefix, end)) is None


def test_a_key_is_slow_to_verify_once_and_then_quick(memory: Memory) -> None:
    """The digest is what a thief of the file has to pay for; a client pays it once a process."""
    _, secret = memory.keys.add("app")
    seen = [memory.keys.seen(secret)]
    memory.keys.verified(secret)
    seen.append(memory.keys.seen(secret))
    begun = time.perf_counter()
    for _ in range(200):
        assert memory.keys.verified(secret)
    each = (time.perf_counter() - begun) / 200

    assert [False, True] == seen
    assert each < 0.01


def test_a_revoked_key_is_refused_everywhere(memory: Memory, tmp_path: Path) -> None:
    """In this process, in another that verified it before, and for ever."""
    _, secret = memory.keys.add("app")
    with Memory.open(tmp_path / "m.db") as other:
        assert other.keys.verified(secret)
        memory.keys.revoke("app")
        first = memory.keys.all()[0].revoked_at
        memory.keys.revoke("app")

        assert memory.keys.verified(secret) is None
        assert other.keys.verified(secret) is None
    assert first == memory.keys.all()[0].revoked_at
    assert (True, False) == (memory.keys.asked_for, memory.keys.usable)


def test_a_name_is_taken_once(memory: Memory) -> None:
    """Also by a key that was revoked: a log that names it means one key."""
    memory.keys.add("app")
    memory.keys.revoke("app")
    with pytest.raises(InputError, match="there already"):
        memory.keys.add("app")
    with pytest.raises(NotFound, match="'app'"):
        memory.keys.revoke("apps")


@pytest.mark.parametrize(
    ("name", "held"),
    [("", {}), (" ", {}), ("a\nb", {}), ("a\x00", {}), ("a", {"users": []}),
     ("a", {"users": [""]}), ("a", {"users": [" "]}), ("a", {"tenant": "a/b"}),
     ("a", {"tenant": "/"}), ("a", {"tenant": " "}), ("a", {"tenant": "a\x00"}),
     ("a", {"tenant": "t", "users": ["u"]})],
)  # fmt: skip
def test_what_no_key_can_be_called_or_hold_is_refused(
    name: str, held: dict[str, Any], memory: Memory
) -> None:
    """A tenant with the divider in its name could lie inside of another."""
    with pytest.raises(InputError):
        memory.keys.add(name, **held)
    assert () == memory.keys.all()


def test_an_export_holds_no_key(memory: Memory, tmp_path: Path) -> None:
    """Keys belong to whoever runs the server, and not to what is remembered."""
    key, _ = memory.keys.add("app", users=["ana"])
    memory.conversation(user="ana", id="c").append(user="Hello.", assistant="Hi.")
    memory.export(tmp_path / "e.jsonl")
    text = (tmp_path / "e.jsonl").read_text()

    assert key.digest not in text
    assert "api_keys" not in text


def test_a_backup_brings_no_revoked_key_back(tmp_path: Path) -> None:
    """Keys are those of today, whatever the copy held."""
    path, copy = tmp_path / "m.db", tmp_path / "copy.db"
    with Memory.open(path) as memory:
        memory.conversation(user="ana", id="c").append(user="Hello.", assistant="Hi.")
        _, gone = memory.keys.add("gone")
        memory.backup(copy)
        memory.keys.revoke("gone")
        _, new = memory.keys.add("new", tenant="acme")
    restored(path, copy, key_file=None, progress=lambda at, of: None)
    with Memory.open(path) as memory:
        assert memory.keys.verified(gone) is None
        assert memory.keys.verified(new)
        assert ["gone", "new"] == [key.name for key in memory.keys.all()]
