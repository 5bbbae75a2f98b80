"""Answers that are read while they come: both APIs, the model of this machine, and breaks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx
import pytest

from palimpsest import messages
from palimpsest.chat import ChatCall, Sampling
from palimpsest.errors import ModelError
from palimpsest.models import streams
from palimpsest.models.local import smollm2
from palimpsest.models.ollama import Ollama
from palimpsest.models.openai import OpenAIModel
from palimpsest.protocols import StreamingChatModel
from tests.support.model_server import ModelServer, serve

SAID = "Porto is in Portugal, by the sea."


def call() -> ChatCall:
    asked = messages.text_message("user", "Where is Porto?", "user")
    return ChatCall(
        messages=(asked,), window=512, limit=24, seed=1, sampling=Sampling(temperature=0.0)
    )


@contextmanager
def model(kind: str, server: ModelServer) -> Iterator[StreamingChatModel]:
    with serve(server):
        url = server.url
        found = Ollama("toy:2b", base=url) if kind == "ollama" else OpenAIModel("toy", base=url)
        with closing(found):
            yield found


@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_the_pieces_of_a_stream_are_the_answer(kind: str) -> None:
    """Several pieces come, and joined they are what a whole answer holds."""
    server = ModelServer(answers=[SAID])
    with model(kind, server) as found:
        pieces = list(found.stream(call()))
    assert SAID == "".join(pieces)
    assert len(pieces) == len(SAID.split())
    assert server.asked[0]["stream"] is True


@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_a_stream_that_breaks_off_is_no_answer(kind: str) -> None:
    """What was read is half an answer: the reader is told so, after the pieces."""
    read: list[str] = []
    with (
        model(kind, ModelServer(answers=[SAID], ends=False)) as found,
        pytest.raises(ModelError, match="ended before the answer did"),
    ):
        read.extend(found.stream(call()))
    assert "".join(read) in SAID
    assert read


@pytest.mark.parametrize("kind", ["ollama", "openai"])
@pytest.mark.parametrize(
    ("fault", "told"),
    [("error", "refused with status 500"), ("drop", "broke off its answer")],
)
def test_a_refusal_is_told_before_any_piece(kind: str, fault: str, told: str) -> None:
    """A server that does not begin to answer raises, and no piece was given."""
    server = ModelServer(fault=fault)  # type: ignore[arg-type]
    with model(kind, server) as found, pytest.raises(ModelError, match=told):
        next(found.stream(call()))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("data: {\n\n", "is not JSON"),
        ("data: [1]\n\n", "not an object"),
        ('data: {"error": {"message": "out of memory"}}\n\n', "out of memory"),
        ('data: {"choices": [3]}\n\n', "a choice of the stream is 3"),
        ("data: {}\n\n", "ended before"),
    ],
)
def test_a_stream_of_something_else_is_refused(body: str, told: str) -> None:
    """Each event must be an object with an answer or the report of an error."""
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, text=body)
    with pytest.raises(ModelError, match=told):
        list(streams.events(response, "toy"))


def test_a_page_is_no_stream() -> None:
    """A server that answers with a page is told apart from one that streams."""
    response = httpx.Response(200, headers={"content-type": "text/html"}, text="<html>")
    with pytest.raises(ModelError, match="no stream of events"):
        list(streams.events(response, "toy"))


def test_the_model_of_this_machine_streams_what_it_answers() -> None:
    """The same call, whole and in pieces, says the same."""
    found = smollm2()
    try:
        whole, pieces = found.answer(call()).text, list(found.stream(call()))
    finally:
        found.close()
    assert whole == "".join(pieces)
    assert len(pieces) > 3
