"""What goes wrong is logged by its kind alone: an error may quote a text of a user's."""

from __future__ import annotations

import logging

import pytest
from starlette.testclient import TestClient

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.web.live.app import application

SECRET = "Kestrel-90417-Quay"


@pytest.mark.parametrize("path", ["/turns", "/turns.json", "/verdicts", "/health.json"])
def test_an_error_of_the_program_leaks_no_text(
    path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Status 500 with a fixed sentence and the strict headers; the log names kind and path."""

    def broken(*args: object, **more: object) -> None:
        raise RuntimeError(f"cannot read {SECRET}")

    for name in ("turns", "verdicts", "reflections"):
        monkeypatch.setattr(Conversation, name, broken)
    caplog.set_level(logging.DEBUG)
    with (
        Memory.open(":memory:") as memory,
        TestClient(application(memory), base_url="http://127.0.0.1") as client,
    ):
        answer = client.get(path, params={"user": "ada", "conversation": "trip"})

    assert (500, "An error of the program; its kind is in the log.") == (
        answer.status_code, answer.text,
    )  # fmt: skip
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert f"RuntimeError in {path}" in caplog.text
    assert SECRET not in caplog.text
