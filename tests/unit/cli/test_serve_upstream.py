"""palimpsest serve --upstream: what is wrong is told before it serves, and Ctrl-C ends a stream."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from palimpsest import Memory, cli
from tests.support.upstream import Sent, scripted, streamed

SOMEWHERE = "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--upstream", "foo"], "--upstream 'foo': is not a base URL"),
        (["--upstream", "ftp://x/y"], "is not a base URL"),
        (["--upstream", "http://u:p@h/v1"], "--upstream-key-env, not in the URL"),
        (["--model", "x"], "--model: belongs to --upstream"),
        (["--upstream", SOMEWHERE, "--upstream-key-env", "NO_SUCH_KEY"], "export NO_SUCH_KEY=KEY"),
        (["--upstream", SOMEWHERE, "--window", "9", "--answer", "9"], "leaves no input space"),
        (["--upstream", SOMEWHERE, "--strategy", "seets"], "did you mean 'seats'?"),
        (["--upstream", "gguf:nothere.gguf"], "nothere.gguf: does not exist"),
        (["--upstream", SOMEWHERE, "--tokenizer", "nope"], "no tokenizer is named 'nope'"),
    ],
)
def test_what_is_wrong_is_told_before_it_serves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    """Exit status 2, what and which, and the next step."""
    store = str(tmp_path / "m.db")
    assert 2 == cli.run(["serve", "--port", "0", "--store", store, *options])
    told = capsys.readouterr()
    assert words in told.err
    assert "http" not in told.out


def test_a_tokenizer_that_is_not_prepared_is_told_with_the_command(
    tmp_path: Path, empty_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody chats without a memory because nobody was told."""
    options = ["serve", "--port", "0", "--store", str(tmp_path / "m.db"), "--upstream", SOMEWHERE]
    assert 2 == cli.run(options)
    assert "palimpsest tokenizer prepare" in capsys.readouterr().err


def test_ctrl_c_in_the_middle_of_a_stream_ends_both(tmp_path: Path) -> None:
    """Status 130, one word, no traceback; the client's stream breaks off, nothing is stored."""
    whole = streamed("A long answer of many words.")
    store = tmp_path / "m.db"
    command = [
        sys.executable,
        "-m",
        "palimpsest.cli",
        "serve",
        "--port",
        "0",
        "--store",
        str(store),
    ]
    body = {"model": "toy", "stream": True, "messages": [{"role": "user", "content": "Hi."}]}
    with scripted(lambda _: Sent(pieces=whole.pieces[:4], hangs=60.0)) as up:
        server = subprocess.Popen(
            [*command, "--upstream", up.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True,
        )  # fmt: skip
        assert server.stdout is not None
        server.stdout.readline()
        base = server.stdout.readline().split()[0]
        with httpx.stream("POST", f"{base}/chat/completions", json=body, timeout=60) as answer:
            pieces = answer.iter_raw()
            next(pieces)
            server.send_signal(signal.SIGINT)
            with pytest.raises(httpx.RemoteProtocolError):
                list(pieces)
        out, err = server.communicate(timeout=60)
        assert up.left.wait(10)
    assert (130, "interrupted", "") == (server.returncode, err.strip(), out)
    with Memory.open(store) as memory:
        assert () == memory.users()
