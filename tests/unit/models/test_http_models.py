"""ollama and openai: what is sent, what is kept, and what a broken server comes to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import closing

import pytest

from palimpsest import messages
from palimpsest.chat import ChatCall, Sampling
from palimpsest.errors import ModelError, SpecError
from palimpsest.models.ollama import Ollama, ollama
from palimpsest.models.openai import OpenAIModel, openai
from palimpsest.models.resolve import open_model
from tests.support.model_server import DIGEST, Fault, ModelServer, serve

SENT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What holds?"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}]},
    {"role": "tool", "tool_call_id": "a", "content": "found"},
]  # fmt: skip
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
CALL = ChatCall(
    messages=messages.messages(SENT), tools=messages.tools([TOOL]), window=512, limit=128, seed=3
)
PLAIN = ChatCall(messages=messages.messages(SENT[:2]), window=512, limit=128, seed=1)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(ModelServer()) as running:
        yield running


def test_ollama_gets_the_request_with_the_limits_of_the_case(server: ModelServer) -> None:
    """Context, answer limit, seed and the published sampling; thinking off; nothing else."""
    model = Ollama("toy:2b", base=server.url)
    reply = model.answer(CALL)
    (body,) = server.asked
    assert {
        "temperature": 1.0, "top_k": 64, "top_p": 0.95, "seed": 3, "num_ctx": 512,
        "num_predict": 128,
    } == body["options"]  # fmt: skip
    assert (False, False, "toy:2b", [TOOL]) == (
        body["think"], body["stream"], body["model"], body["tools"],
    )  # fmt: skip
    assert SENT[:2] == body["messages"][:2]
    assert {"at": 1} == body["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert ("An answer.", "stop", 31, 7) == (
        reply.text, reply.stop, reply.prompt_tokens, reply.answer_tokens,
    )  # fmt: skip
    model.close()


def test_openai_gets_the_messages_exactly_as_they_are(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base URL comes from the environment, the key goes into the header."""
    monkeypatch.setenv("PALIMPSEST_OPENAI_BASE_URL", server.url + "/v1/")
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    model = openai("toy")
    reply = model.answer(CALL)
    (body,) = server.asked
    assert SENT == body["messages"]
    assert (128, 3, 1.0, 0.95, 64) == tuple(
        body[key] for key in ("max_tokens", "seed", "temperature", "top_p", "top_k")
    )
    assert "Bearer secret-key" == server.headers[0]["Authorization"]
    assert ("length", 31, 7) == (reply.stop, reply.prompt_tokens, reply.answer_tokens)
    assert ("thinking", "window") == model.identity.unsent
    assert "secret-key" not in repr(model.identity)
    model.close()


def test_a_sampling_of_zero_leaves_top_k_out(server: ModelServer) -> None:
    """Some servers refuse the name; 0 does not send it."""
    call = ChatCall(
        messages=PLAIN.messages, window=512, limit=8, seed=1, sampling=Sampling(top_k=0)
    )
    for model in (Ollama("toy:2b", base=server.url), OpenAIModel("toy", base=server.url)):
        model.answer(call)
        model.close()
    assert "top_k" not in server.asked[0]["options"]
    assert "top_k" not in server.asked[1]


def test_tool_calls_of_an_answer_are_kept(server: ModelServer) -> None:
    """They are kept as they came, beside a text that may be empty."""
    server.answers = [""]
    server.tool_calls = [{"function": {"name": "look", "arguments": {"at": 2}}}]
    model = Ollama("toy:2b", base=server.url)
    reply = model.answer(PLAIN)
    assert ("", ('{"function":{"name":"look","arguments":{"at":2}}}',)) == (
        reply.text, reply.tool_calls,
    )  # fmt: skip
    model.close()


@pytest.mark.parametrize("pin", [DIGEST, DIGEST[:12], "sha256:" + DIGEST, DIGEST.upper()])
def test_a_pin_that_holds_is_recorded_whole(server: ModelServer, pin: str) -> None:
    """Twelve digits are enough to pin; the record has all of them, and the server's version."""
    with open_model(f"ollama:toy:2b@{pin}", base_url=server.url) as model:
        identity = model.identity
    assert (True, DIGEST, "ollama:toy:2b", "ollama 0.99.0") == (
        identity.pinned, identity.digest, identity.model, identity.server,
    )  # fmt: skip
    assert {"parameter_size": "2B", "quantization_level": "Q4_K_M"} == identity.details


def test_another_digest_is_refused_before_anything_is_sent(server: ModelServer) -> None:
    """What is served is not what was pinned: no request leaves."""
    with (
        pytest.raises(ModelError, match="the pinned digest is aaaaaaaaaaaa, and what is served"),
        open_model("ollama:toy:2b@aaaaaaaaaaaa", base_url=server.url, unpinned=True),
    ):
        raise AssertionError("not reached")
    assert [] == server.asked


def test_an_unpinned_model_is_refused_unless_asked_for(server: ModelServer) -> None:
    """The error gives the name with the served digest; with the option the identity says so."""
    with (
        pytest.raises(ModelError, match=f"not pinned.*ollama:toy:2b@{DIGEST}.*--unpinned"),
        open_model("ollama:toy:2b", base_url=server.url),
    ):
        raise AssertionError("not reached")
    with open_model("ollama:toy:2b", base_url=server.url, unpinned=True) as model:
        assert (False, DIGEST) == (model.identity.pinned, model.identity.digest)
    with (
        pytest.raises(ModelError, match="no digest to pin; or give --unpinned"),
        open_model("openai:toy", base_url=server.url),
    ):
        raise AssertionError("not reached")
    assert [] == server.asked


def test_a_model_that_is_not_served_names_those_that_are(server: ModelServer) -> None:
    """The error lists what the server has and the command that fetches the other."""
    with pytest.raises(ModelError, match=r"it serves toy:2b.*`ollama pull other`"):
        Ollama("other", base=server.url)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("html", "answered an HTML page.*instead of a JSON object.*base URL"),
        ("text", "answered '\"soon\"' instead of a JSON object"),
        ("list", "instead of a JSON object"),
        ("nothing", "answered nothing instead"),
        ("drop", "broke off its answer"),
        ("half", "broke off its answer"),
        ("error", "refused with status 500: the model is not loaded"),
    ],
)
def test_a_server_that_gives_no_answer_is_a_model_error(
    server: ModelServer, fault: Fault, said: str
) -> None:
    """HTML, half a reply, a closed connection, a refusal: each says what came instead."""
    models = (Ollama("toy:2b", base=server.url), OpenAIModel("toy", base=server.url + "/v1"))
    server.fault = fault
    for model in models:
        with pytest.raises(ModelError, match=said):
            model.answer(PLAIN)
        model.close()


def test_a_reply_without_a_message_names_its_keys(server: ModelServer) -> None:
    """JSON of another API is not an empty answer."""
    server.fault = "no-message"
    ours, theirs = Ollama("toy:2b", base=server.url), OpenAIModel("toy", base=server.url)
    with pytest.raises(ModelError, match="no 'message' object; its keys: ok"):
        ours.answer(PLAIN)
    with pytest.raises(ModelError, match="no choices; its keys: ok"):
        theirs.answer(PLAIN)
    ours.close()
    theirs.close()


def test_an_answer_that_takes_too_long_is_a_model_error(server: ModelServer) -> None:
    """A server that hangs does not hang the recording."""
    server.fault = "slow"
    model = OpenAIModel("toy", base=server.url, timeout=0.2)
    with pytest.raises(ModelError, match="did not answer in time.*--timeout"):
        model.answer(PLAIN)
    model.close()


def test_nobody_at_the_address_is_a_model_error() -> None:
    """The error says where it looked and how to name another place."""
    with pytest.raises(ModelError, match=r"no server answers at http://127.0.0.1:1 .*--base-url"):
        ollama("toy", base_url="http://127.0.0.1:1")


@pytest.mark.parametrize("base", ["127.0.0.1:11434", "ftp://host", "http://", ""])
def test_what_is_no_base_url_is_refused(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A base URL has a scheme and a host; openai has no default one."""
    for name in ("PALIMPSEST_OPENAI_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelError, match="is not a (base )?URL|no base URL; give --base-url"):
        openai("toy", base_url=base)


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("127.0.0.1:9", "http://127.0.0.1:9"), ("0.0.0.0:9", "http://127.0.0.1:9"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9"), (":9", "http://127.0.0.1:9"),
    ],
)  # fmt: skip
def test_the_host_of_ollama_is_read_as_ollama_reads_it(
    host: str, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A URL, or host and port; a server on every address is reached here."""
    monkeypatch.setenv("OLLAMA_HOST", host)
    with pytest.raises(ModelError, match=f"no server answers at {base} "):
        ollama("toy")


def test_parts_that_are_no_text_are_refused_by_ollama(server: ModelServer) -> None:
    """Its API takes a text only, so an image is not dropped in silence."""
    image = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]
    call = ChatCall(messages=messages.messages(image), window=9, limit=1, seed=1)
    model = Ollama("toy:2b", base=server.url)
    with pytest.raises(ModelError, match="takes a text only"):
        model.answer(call)
    model.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ollama:", "nothing follows ollama:"),
        ("olama:toy", "did you mean 'ollama'"),
        ("smollm2(threads=0)", "must be at least 1"),
        ("smollm2:extra", "its parameters|unexpected"),
        ("gguf", "name|see the documentation"),
    ],
)
def test_a_name_that_is_no_model_is_a_spec_error(text: str, said: str) -> None:
    """Misspelt kinds and missing names say what is known."""
    with pytest.raises(SpecError, match=said), open_model(text):
        raise AssertionError("not reached")


HELD = dataclasses.replace(PLAIN, schema='{"type":"object"}')


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("kind", "field", "words"),
    [
        ("openai", "response_format", "'response_format' is not supported by this engine"),
        ("openai", "response_format", "unknown field json_schema"),
        ("ollama", "format", 'invalid format: expected "json"'),
    ],
)
def test_a_server_that_refuses_a_schema_is_asked_without(
    server: ModelServer, kind: str, field: str, words: str, streamed: bool
) -> None:
    """Once more for the first call, and never again while the model is open."""
    server.refuses, server.refusal = field, words
    made = {"openai": OpenAIModel, "ollama": Ollama}[kind]
    with closing(made("toy:2b", base=server.url)) as model:
        for _ in range(2):
            said = "".join(model.stream(HELD)) if streamed else model.answer(HELD).text
            assert "An answer." == said
    assert [True, False, False] == [field in body for body in server.asked]


@pytest.mark.parametrize(
    ("status", "words"), [(400, "the model is not loaded"), (500, "response_format broke me")]
)
def test_any_other_refusal_is_no_word_on_schemas(
    server: ModelServer, status: int, words: str
) -> None:
    """A bad request about something else and a server that fell over are told as they are."""
    server.refuses, server.refusal, server.status = "model", words, status
    with closing(OpenAIModel("toy:2b", base=server.url)) as model:
        for _ in range(2):
            with pytest.raises(ModelError, match=words):
                model.answer(HELD)
    assert [True, True] == ["response_format" in body for body in server.asked]


def test_a_schema_is_not_given_up_for_a_call_that_fails_without_it(server: ModelServer) -> None:
    """A refusal that happens to name a format may mean the call itself: that is told."""
    server.refuses, server.refusal = "messages", "the format of message 3 is wrong"
    with closing(OpenAIModel("toy:2b", base=server.url)) as model:
        with pytest.raises(ModelError, match="message 3"):
            model.answer(HELD)
        server.refuses = ""
        model.answer(HELD)
    assert [True, False, True] == ["response_format" in body for body in server.asked]
