"""palimpsest serve --upstream: what is wrong is told before it serves, and Ctrl-C ends a stream."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from palimpsest import Memory, cli
from palimpsest.cli.serve_upstream import counting
from palimpsest.config import Config
from palimpsest.settings import TokenizerSettings
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


def test_without_a_tokenizer_a_chat_with_tools_has_its_memory(tmp_path: Path) -> None:
    """Tools are counted by default, those of a request and the calls of an earlier turn."""
    command = [sys.executable, "-m", "palimpsest.cli", "serve", "--port", "0", "--store"]
    call = {"id": "c1", "type": "function", "function": {"name": "sky", "arguments": "{}"}}
    tools = [{"type": "function", "function": {"name": "sky"}}]
    history = [
        {"role": "user", "content": "How is the sky?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "grey"},
        {"role": "assistant", "content": "It is grey."},
        {"role": "user", "content": "And now?"},
    ]
    with scripted() as up:
        server = subprocess.Popen(
            [*command, str(tmp_path / "m.db"), "--upstream", up.url], stdout=subprocess.PIPE,
            text=True, start_new_session=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            server.stdout.readline()
            base = server.stdout.readline().split()[0]
            body = {"model": "toy", "messages": history}
            for asked in ({**body, "tools": tools}, body):
                answer = httpx.post(f"{base}/chat/completions", json=asked, timeout=60)
                assert (200, None) == (
                    answer.status_code, answer.headers.get("x-palimpsest-degraded")
                )  # fmt: skip
        finally:
            server.terminate()
            server.communicate(timeout=60)


@pytest.mark.parametrize(
    ("upstream", "named", "config", "expected"),
    [
        (None, None, Config(), None),
        (SOMEWHERE, None, Config(), "gemma-4-e2b(frame='tool-text')"),
        (SOMEWHERE, "mine.gguf", Config(), "mine.gguf"),
        (SOMEWHERE, None, Config(tokenizer=TokenizerSettings(name="smollm2-135m")), None),
        ("smollm2", None, Config(), "smollm2-135m"),
    ],
)
def test_what_counts_is_what_was_named_first(
    upstream: str | None, named: str | None, config: Config, expected: str | None
) -> None:
    """The option, the model of this process, the settings; else the frame that takes tools."""
    assert expected == counting(upstream, named, config)


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
