"""Five turns with a real model behind ``palimpsest serve --upstream smollm2``, as a user starts it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import openai

from palimpsest import Memory

ASKED = ("My name is Ana and I live in Porto.", "I like tea.", "Name a colour.", "Name a fruit.",
         "Where do I live?")  # fmt: skip


def test_five_turns_to_the_local_model(tmp_path: Path) -> None:
    """Streams of a real llama.cpp are read whole; the turns are stored as the client saw them."""
    store = tmp_path / "m.db"
    command = [sys.executable, "-m", "palimpsest.cli", "serve", "--port", "0", "--store", str(store),
               "--upstream", "smollm2", "--window", "1024", "--answer", "16"]  # fmt: skip
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert server.stdout is not None
    try:
        server.stdout.readline()
        base = server.stdout.readline().split()[0]
        history: list[Any] = [{"role": "system", "content": "Answer in one short sentence."}]
        with openai.OpenAI(base_url=base, api_key="none", max_retries=0, timeout=120) as client:
            assert client.models.list().data
            for text in ASKED:
                history.append({"role": "user", "content": text})
                stream = client.chat.completions.create(
                    model="smollm2", messages=history, stream=True, max_tokens=16, seed=1
                )
                told = stream.response.headers
                reply = "".join(
                    piece.choices[0].delta.content or "" for piece in stream if piece.choices
                )
                history.append({"role": "assistant", "content": reply})
                assert "x-palimpsest-degraded" not in told
                assert re.fullmatch(r"[0-9a-f]{16}", told["x-palimpsest-request"])
        assert 404 == httpx.get(f"{base}/nowhere").status_code
    finally:
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=60)
    assert (130, "interrupted") == (server.returncode, err.strip())
    assert "Porto" not in out
    with Memory.open(store) as memory:
        (name,) = memory.conversations("default")
        talk = memory.conversation(user="default", id=name)
        assert history[1:] == [m.as_dict() for turn in talk.turns() for m in turn.messages]
        assert 5 == len(talk.requests())
