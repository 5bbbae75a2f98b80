"""Recordings: whole lines, one process at a time, and no mixing of what does not belong."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from palimpsest import messages
from palimpsest.chat import ChatCall, ModelIdentity, Sampling, hash_of, request_hash
from palimpsest.errors import InputError, ModelError
from palimpsest.models.recorded import recorded
from palimpsest.models.recordings import AskedRequest, GivenAnswer, Head, journal, read

SENT = ({"role": "user", "content": "What holds? é \u2028"},)
HEAD = Head(
    suite="small", suite_hash="sha256:1", config="sha256:2", tokenizer="words",
    tokenizer_fingerprint="words-1", sampling=Sampling(), markers=("<s>",),
    model=ModelIdentity(model="toy", digest="ab", pinned=True, server="none", details={"a": "b"}),
)  # fmt: skip
ASKED = AskedRequest(
    strategy="recent", case="turn 2", hash=hash_of(SENT, ()), window=400, limit=8, tokens=5,
    messages=SENT,
)  # fmt: skip
GIVEN = GivenAnswer(
    strategy="recent", case="turn 2", seed=1, answer='Two\nlines, "quoted" \u2028 é', tool_calls=("{}",),
    stop="length", prompt_tokens=5, answer_tokens=8,
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "a.jsonl"
    with journal(place, HEAD) as kept:
        kept.add_request(ASKED)
        kept.add_answer(GIVEN)
    return place


def test_what_was_written_is_read_back(path: Path) -> None:
    """Head, request and answer come back as they were, whatever stands in their texts."""
    found = read(path)
    assert (HEAD, {("recent", "turn 2"): ASKED}, (GIVEN,)) == (
        found.head, found.requests, found.answers,
    )  # fmt: skip
    assert 3 == path.read_bytes().count(b"\n")


@pytest.mark.parametrize("torn", [b"{", b'{"strategy":"recent","case":"turn 2","seed":2', b"\xff"])
def test_a_torn_last_line_is_cut_away(path: Path, torn: bytes) -> None:
    """A line that an interruption broke counts for nothing, and the next one stands alone."""
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert (GIVEN,) == read(path).answers
    more = dataclasses.replace(GIVEN, seed=2)
    with journal(path, HEAD) as kept:
        assert (GIVEN,) == kept.recording.answers
        kept.add_answer(more)
    assert (GIVEN, more) == read(path).answers
    assert path.read_bytes().startswith(whole)


def test_a_torn_head_begins_anew(tmp_path: Path) -> None:
    """A file whose first line was never finished holds nothing, and is begun again."""
    place = tmp_path / "a.jsonl"
    place.write_bytes(b'{"schema":1,"kind"')
    with journal(place, HEAD):
        pass
    assert HEAD == read(place).head


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"suite_hash": "sha256:9"}, "another suite hash"),
        ({"config": "sha256:9"}, "another config"),
        ({"tokenizer_fingerprint": "x"}, "another tokenizer fingerprint"),
        ({"sampling": Sampling(top_k=1)}, "another sampling"),
        ({"model": dataclasses.replace(HEAD.model, digest="cd")}, "another model"),
        ({"model": dataclasses.replace(HEAD.model, pinned=False)}, "another model"),
    ],
)
def test_a_recording_of_something_else_is_not_gone_on_with(
    path: Path, change: dict[str, object], said: str
) -> None:
    """Suite, settings, tokenizer, model and sampling are one; else another file is named."""
    before = path.read_bytes()
    other = dataclasses.replace(HEAD, **change)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"{said}.*--out"), journal(path, other):
        raise AssertionError("not reached")
    assert before == path.read_bytes()


def test_two_processes_do_not_write_one_file(path: Path) -> None:
    """The second is told to wait; the file keeps what the first wrote."""
    with journal(path, HEAD), pytest.raises(InputError, match="another process is recording"):  # noqa: SIM117
        with journal(path, HEAD):
            raise AssertionError("not reached")
    assert not list(path.parent.glob(".*.lock"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"not json\n", "line 4: is not a JSON object"),
        (b"[1]\n", "line 4: is not a JSON object"),
        (b'{"strategy":"recent"}\n', "line 4: is no line of a recording"),
        (b'{"request":{"strategy":"x"}}\n', "line 4: is no line of a recording"),
    ],
)
def test_a_damaged_line_is_named(path: Path, line: bytes, said: str) -> None:
    """A whole line that is no line of a recording is an error, never passed over."""
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(InputError, match=said):
        read(path)


def test_an_altered_request_is_noticed(path: Path) -> None:
    """What was sent is hashed, so a recording cannot be made to say otherwise."""
    path.write_bytes(path.read_bytes().replace(b"What holds?", b"What helps?"))
    with pytest.raises(InputError, match="line 2.*a request was altered"):
        read(path)


@pytest.mark.parametrize("data", [b"", b"{}\n", b'{"kind":"palimpsest answers","schema":2}\n'])
def test_what_is_no_recording_says_so(tmp_path: Path, data: bytes) -> None:
    """An empty file, another file, another schema."""
    place = tmp_path / "a.jsonl"
    place.write_bytes(data)
    with pytest.raises(InputError, match="holds no recording|is no line of a recording"):
        read(place)


def test_a_place_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    """A missing folder is named, and nothing is left behind."""
    with (
        pytest.raises(InputError, match="cannot be written"),
        journal(tmp_path / "no" / "a.jsonl", HEAD),
    ):
        raise AssertionError("not reached")
    assert [] == list(tmp_path.iterdir())


def test_a_recorded_model_answers_what_it_was_asked(path: Path) -> None:
    """By the hash of the request and the seed; its identity is the recorded one."""
    model = recorded(str(path))
    call = ChatCall(messages=messages.messages(list(SENT)), window=400, limit=8, seed=1)
    reply = model.answer(call)
    assert (GIVEN.answer, "length", 5, ("{}",)) == (
        reply.text, reply.stop, reply.prompt_tokens, reply.tool_calls,
    )  # fmt: skip
    assert HEAD.model == model.identity
    with pytest.raises(ModelError, match="no answer with seed 2"):
        model.answer(dataclasses.replace(call, seed=2))
    other = messages.messages([{"role": "user", "content": "Something else"}])
    with pytest.raises(ModelError, match="the requests have changed since"):
        model.answer(dataclasses.replace(call, messages=other))


def test_the_hash_of_a_request_does_not_depend_on_key_order() -> None:
    """The same messages and tools are the same request."""
    one = {"role": "user", "content": "x", "name": "bob"}
    two = dict(reversed(one.items()))
    assert hash_of([one], []) == hash_of([two], [])
    assert hash_of([one], []) == request_hash(messages.messages([two]), ())
    assert hash_of([one], []) != hash_of([{**one, "content": "y"}], [])
