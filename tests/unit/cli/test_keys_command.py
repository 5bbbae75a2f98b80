"""palimpsest keys: made and shown once, listed without the secret, revoked in a running server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from palimpsest import Memory, cli


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = cli.run(["keys", *map(str, arguments)])
    out = capsys.readouterr()
    return status, out.out, out.err


def test_a_key_is_shown_once_and_listed_without_its_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard output is the key alone, so a script can take it."""
    store = ("--store", tmp_path / "m.db")
    status, out, err = _run(capsys, "add", "app", "--user", "ana", "--user", "bo", *store)
    secret = out.strip()
    _, listed, _ = _run(capsys, "list", *store)
    _, data, _ = _run(capsys, "list", "--json", "-", *store)

    assert 0 == status
    with Memory.open(tmp_path / "m.db") as memory:
        assert memory.keys.verified(secret)
    assert "holds user 'ana', 'bo'" in err
    assert "shown this once" in err
    assert "app: user 'ana', 'bo'" in listed
    assert "in use" in listed
    assert secret.split("_", 2)[2] not in listed + data
    assert {"name", "prefix", "users", "tenant", "created_at", "revoked_at"} == set(
        json.loads(data)["keys"][0]
    )


@pytest.mark.parametrize(
    "held", [(), ("--user", "a", "--owner"), ("--tenant", "t", "--user", "a"),
             ("--tenant", "t", "--owner")],
)  # fmt: skip
def test_whom_a_key_holds_is_named_one_way(
    held: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No key holds everybody by accident."""
    status, out, err = _run(capsys, "add", "app", *held, "--store", tmp_path / "m.db")

    assert (2, "") == (status, out)
    assert "--owner" in err


def test_a_tenant_is_told_whom_it_reaches_already(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Users whose stored names lie under it were perhaps not meant."""
    with Memory.open(tmp_path / "m.db") as memory:
        for user in ("acme/ana", "acme/bo", "acme"):
            memory.conversation(user=user, id="c").append(user="Hello.", assistant="Hi.")
    _, _, err = _run(capsys, "add", "app", "--tenant", "acme", "--store", tmp_path / "m.db")

    assert "reaches 2 users" in err


def test_without_a_key_other_machines_are_not_listened_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2 and the command that makes one; a revoked key is none."""
    store = ("--store", str(tmp_path / "m.db"))
    said = []
    for _ in range(2):
        assert 2 == cli.run(["serve", "--host", "0.0.0.0", "--port", "0", *store])
        said.append(capsys.readouterr().err)
        _run(capsys, "add", "app", "--owner", *store)
        _run(capsys, "revoke", "app", *store)

    assert all("palimpsest keys add NAME --user USER" in err for err in said)


def test_revoking_the_last_key_says_what_that_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody is answered then; removing all opens this machine again."""
    store = ("--store", tmp_path / "m.db")
    _run(capsys, "add", "app", "--owner", *store)
    _, revoked, _ = _run(capsys, "revoke", "app", *store)
    wrong, _, err = _run(capsys, "revoke", "ap", *store)
    _, removed, _ = _run(capsys, "remove-all", "--yes", *store)
    _, listed, _ = _run(capsys, "list", *store)

    assert "nobody is answered" in revoked
    assert 2 == wrong
    assert "keys: 'app'" in err
    assert "1 keys were removed" in removed
    assert "there are no keys" in listed


def test_a_running_server_knows_keys_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that is made, and one that is revoked, in another process; its log names no user."""
    store = ("--store", str(tmp_path / "m.db"))
    command = [sys.executable, "-m", "palimpsest.cli", "serve", "--port", "0", "--log", *store]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        place = server.stdout.readline().split(" ")[0]
        url, asks = f"{place}api/v1/turns", {"user": "anabel", "conversation": "secret-trip"}
        seen = [httpx.get(url, params=asks).status_code]
        _, secret, _ = _run(capsys, "add", "app", "--user", "anabel", *store)
        key = {"authorization": f"Bearer {secret.strip()}"}
        seen.append(httpx.get(url, params=asks).status_code)
        seen.append(httpx.get(url, params=asks, headers=key).status_code)
        _run(capsys, "revoke", "app", *store)
        seen.append(httpx.get(url, params=asks, headers=key).status_code)
        server.terminate()
        _, err = server.communicate(timeout=30)

    assert [200, 401, 200, 401] == seen
    assert "GET /api/v1/turns 200 in" in err
    assert "key 'app'" in err
    assert "anabel" not in err
    assert "secret-trip" not in err
    assert secret.strip() not in err
