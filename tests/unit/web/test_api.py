"""The API: every operation of its table, its document, and what a wrong call is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from palimpsest import Budget, Memory
from palimpsest.errors import MEANINGS
from palimpsest.protocols import Tokenizer
from palimpsest.web.api.openapi import examples
from palimpsest.web.api.operation import FILE, HERE, Operation
from palimpsest.web.api.table import OPERATIONS, START
from tests.support.api_story import ask, client_of, played

BY_ID = {row.id: row for row in OPERATIONS}
SECRET = "Kestrel-90417-Quay"


@pytest.fixture
def memory(tmp_path: Path, gemma: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))
    with Memory.open(tmp_path / "m.db", tokenizer=gemma) as held:
        yield held


@pytest.fixture
def client(memory: Memory) -> Iterator[TestClient]:
    with client_of(memory) as made:
        yield made


def call(client: TestClient, name: str, says: Any = None, **asks: Any) -> Any:
    """What an operation answers; the test fails on anything but 200."""
    row = BY_ID[name]
    answer = ask(client, row, {**HERE, **asks} if "conversation" in row.params.model_fields
                 else asks, says)  # fmt: skip
    assert 200 == answer.status_code, answer.text
    return answer.json() if row.answer != FILE else answer.text


def fails(client: TestClient, name: str, says: Any = None, **asks: Any) -> tuple[int, str]:
    """Status and code of an operation that is refused."""
    answer = ask(client, BY_ID[name], {**HERE, **asks}, says)
    error = answer.json()["error"]
    assert {"code", "message"} == set(error)
    return answer.status_code, error["code"]


def _document(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{START}/openapi.json").json()
    return found


def _response(document: dict[str, Any], row: Operation, status: int) -> dict[str, Any]:
    found: dict[str, Any] = document["paths"][row.path][row.method.lower()]["responses"][
        str(status)
    ]["content"]
    return found


def _valid(document: dict[str, Any], schema: dict[str, Any], data: Any) -> None:
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(data)


def test_the_story_of_the_examples_is_what_the_server_answers(
    tmp_path: Path, gemma: Tokenizer, client: TestClient
) -> None:
    """Each operation, played in order, answers 200 with what its schema says."""
    document, seen = _document(client), []
    for row, answer in played(gemma, tmp_path):
        content = _response(document, row, answer.status_code)
        seen.append(row.id)
        assert 200 == answer.status_code, (row.id, answer.text)
        assert answer.headers["content-type"] in content
        if row.answer != FILE:
            _valid(document, content["application/json"]["schema"], answer.json())
    assert [row.id for row in OPERATIONS] == seen


def test_the_document_describes_every_route_and_no_other(client: TestClient) -> None:
    """The table that serves is the table that is described; neither can drift."""
    document = _document(client)
    described = {
        (f"{START}{path}", method.upper())
        for path, methods in document["paths"].items() for method in methods
    }  # fmt: skip
    served = {
        (route.path, method)
        for route in client.app.routes  # type: ignore[attr-defined]
        if route.path.startswith(START)
        for method in route.methods - {"HEAD"}
    }

    assert served - {(f"{START}/openapi.json", "GET")} == described
    assert len(OPERATIONS) == len(described) == len({row.id for row in OPERATIONS})


def test_every_operation_has_examples_that_fit(client: TestClient) -> None:
    """A parameter, a body and an answer each have one, and each fits its schema."""
    document = _document(client)
    assert {row.id for row in OPERATIONS} == set(examples())
    for row in OPERATIONS:
        described = document["paths"][row.path][row.method.lower()]
        for given in described["parameters"]:
            if given["required"]:
                _valid(document, given["schema"], given["example"])
        if row.body not in (None, "file"):
            content = described["requestBody"]["content"]["application/json"]
            _valid(document, content["schema"], content["example"])
        if row.answer != FILE:
            content = described["responses"]["200"]["content"]["application/json"]
            assert content["example"], row.id
            _valid(document, content["schema"], content["example"])


def test_what_is_said_is_stored_read_and_listed(client: TestClient, memory: Memory) -> None:
    """The same turns and memories as through the library."""
    call(client, "append_turns", {"user": "Hello.", "assistant": "Hi."})
    call(client, "observe_turns", {"messages": [
        {"role": "user", "content": f"My locker code is {SECRET}."},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "save", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "saved"},
        {"role": "assistant", "content": "Noted."},
    ]})  # fmt: skip
    read = call(client, "reflect", {})
    listed = call(client, "list_turns")
    talk = memory.conversation(user="ana", id="trip")

    assert [1, 2] == [turn["number"] for turn in listed["turns"]]
    assert [message.as_dict() for message in talk.turns()[1].messages] == (
        listed["turns"][1]["messages"]
    )
    assert ["done"] == [one["status"] for one in read["reflections"]]
    assert [row.text for row in talk.current()] == [
        row["text"] for row in call(client, "list_memories")["memories"]["rows"]
    ]


def test_a_request_is_the_one_that_the_core_builds(client: TestClient, memory: Memory) -> None:
    """Messages, count and parts; its ledger is kept and can be asked."""
    talk = memory.conversation(user="ana", id="trip")
    talk.append(user="My diet is vegan.", assistant="Good.")
    talk.remember("My diet is vegan.", attribute="diet")
    wanted = talk.request(
        "What do I eat?", budget=Budget(window=512, answer=64, margin=16), instructions="Be brief.",
        strategy="seats", record=False,
    )  # fmt: skip
    made = call(client, "build_request", {
        "question": "What do I eat?", "budget": {"window": 512, "answer": 64, "margin": 16},
        "instructions": "Be brief.", "strategy": "seats",
    })  # fmt: skip
    shown = call(client, "show_request", id=made["id"])

    assert (wanted.messages, wanted.tokens, dict(wanted.ledger.parts)) == (
        made["messages"], made["tokens"], made["parts"],
    )  # fmt: skip
    assert made["id"] == shown["request"]["id"]
    assert [1] == [place["id"] for place in shown["seated"]]
    assert [made["id"]] == [row["id"] for row in call(client, "list_requests")["requests"]["rows"]]
    assert 1 == call(client, "why", q="diet")["found"]["found"]
    assert 1 == call(client, "list_counters")["counts"]["rows"][0]["served"]


def test_a_required_part_that_is_too_large_is_413(client: TestClient) -> None:
    """With the sizes of its parts in the message."""
    answer = ask(client, BY_ID["build_request"], dict(HERE), {
        "question": "What? " * 200, "budget": {"window": 64, "answer": 16},
    })  # fmt: skip

    assert (413, "required_context_too_large") == (
        answer.status_code, answer.json()["error"]["code"],
    )  # fmt: skip
    assert "question" in answer.json()["error"]["message"]


def test_a_forget_is_planned_done_and_sealed(
    client: TestClient, memory: Memory, tmp_path: Path
) -> None:
    """The plan changes nothing; the receipt holds no text and can be checked."""
    talk = memory.conversation(user="ana", id="trip")
    talk.append(user=f"My locker code is {SECRET}.", assistant="Noted.")
    talk.remember(f"My locker code is {SECRET}.", attribute="code", value=SECRET)
    plan = call(client, "plan_forget", {"attribute": "code"})
    still = [row.value for row in talk.current()]
    done = call(client, "forget", {"attribute": "code"})
    (tmp_path / "receipt").write_text(json.dumps(done["receipt"]))

    assert [1] == [row["memory"]["id"] for row in plan["rows"]]
    assert [SECRET] == still
    assert done["clean"]
    assert SECRET not in json.dumps(done)
    assert memory.check_receipt(tmp_path / "receipt").clean
    assert call(client, "audit", {"value": SECRET})["rows"] == []
    assert [1] == [row["id"] for row in call(client, "list_deletions")["deletions"]["rows"]]


def test_what_an_ambiguous_forget_means_is_asked(client: TestClient, memory: Memory) -> None:
    """409 and nothing is gone; the plan names the candidates."""
    talk = memory.conversation(user="ana", id="trip")
    talk.remember("The staging key is in the blue box.")
    talk.remember("The backup key is in the red box.")
    plan = call(client, "plan_forget", {"words": "the key in the box"})

    assert plan["ambiguous"]
    assert (409, "ambiguous") == fails(client, "forget", {"words": "the key in the box"})
    assert 2 == len(talk.current())


@pytest.mark.parametrize(
    ("id", "says", "asks", "expected"),
    [("show_memory", None, {"id": 9}, (404, "not_found")),
     ("show_memory", None, {"id": 0}, (422, "input")),
     ("show_memory", None, {"id": "x"}, (422, "input")),
     ("show_memory", None, {"id": 1 << 70}, (422, "input")),
     ("show_request", None, {"id": "none"}, (404, "not_found")),
     ("undo_verdict", None, {"id": 9}, (404, "not_found")),
     ("list_turns", None, {"conversation": " "}, (422, "input")),
     ("list_turns", None, {"conversation": ""}, (422, "input")),
     ("list_turns", None, {"conversation": "x" * 501}, (422, "input")),
     ("list_turns", None, {"conversation": "a\0b"}, (422, "input")),
     ("list_turns", None, {"first": -1}, (422, "input")),
     ("list_turns", None, {"strange": 1}, (422, "input")),
     ("list_memories", None, {"state": "lost"}, (422, "input")),
     ("append_turns", {}, {}, (422, "input")),
     ("append_turns", {"user": "a", "messages": []}, {}, (422, "input")),
     ("append_turns", {"user": 1}, {}, (422, "input")),
     ("append_turns", {"users": "a"}, {}, (422, "input")),
     ("append_turns", {"messages": [{"role": "tool", "content": "x"}]}, {}, (422, "input")),
     ("remember", {"text": ""}, {}, (422, "input")),
     ("remember", {"text": " "}, {}, (422, "input")),
     ("correct", {"text": "x"}, {}, (422, "input")),
     ("correct", {"text": "x", "attribute": "none"}, {}, (404, "not_found")),
     ("forget", {}, {}, (422, "input")),
     ("forget", {"id": 1, "value": "x"}, {}, (422, "input")),
     ("build_request", {"question": "x"}, {}, (422, "input")),
     ("build_request", {"question": "x", "budget": {"window": 8, "answer": 9}}, {},
      (422, "input")),
     ("build_request", {"question": "x", "budget": {"window": 99}, "strategy": "nope"}, {},
      (422, "spec")),
     ("build_request", {"question": "x", "budget": {"window": "99"}}, {}, (422, "input"))],
)  # fmt: skip
def test_a_wrong_call_is_told_what_is_wrong(
    id: str, says: Any, asks: dict[str, Any], expected: tuple[int, str], client: TestClient
) -> None:
    """4xx with a code of the error table, and never a traceback."""
    assert expected == fails(client, id, says, **asks)


def test_a_name_that_is_given_twice_is_refused(client: TestClient) -> None:
    """Which of two users was checked and which is served can never differ."""
    answer = client.get(f"{START}/turns?conversation=c&user=ana&user=bo")

    assert (422, "user: is given twice in the address") == (
        answer.status_code, answer.json()["error"]["message"],
    )  # fmt: skip


def test_a_body_of_another_kind_is_refused(client: TestClient) -> None:
    """A form of another site cannot be taken for JSON."""
    answer = client.post(f"{START}/memories", params=dict(HERE), data={"text": "x"})

    assert (422, "input") == (answer.status_code, answer.json()["error"]["code"])


def test_an_export_comes_back_byte_for_byte(
    client: TestClient, memory: Memory, tmp_path: Path, gemma: Tokenizer
) -> None:
    """It equals that of the command line, and an import of it gives the same again."""
    talk = memory.conversation(user="ana", id="trip")
    for number in range(30):
        talk.append(user=f"Message {number} é\u202e.", assistant="Good.")
        talk.remember(f"Fact {number}.", attribute=f"a{number % 7}")
    lines = call(client, "export")
    memory.export(tmp_path / "cli.jsonl")
    with (
        Memory.open(tmp_path / "other.db", tokenizer=gemma) as other, client_of(other) as taker,
    ):  # fmt: skip
        done = ask(taker, BY_ID["import"], {}, lines).json()
        again = ask(taker, BY_ID["import"], {}, lines).json()
        back = call(taker, "export", user="ana")

    assert (tmp_path / "cli.jsonl").read_text() == lines == back
    assert [{"stored_user": "ana", "conversation": "trip"}] == done["added"] == again["known"]
    assert [] == again["added"]


def test_a_bad_line_of_an_import_takes_everything_back(client: TestClient, memory: Memory) -> None:
    """422 that names the line, and the store is as it was."""
    talk = memory.conversation(user="ana", id="trip")
    talk.append(user="Hello.", assistant="Hi.")
    head, *lines = call(client, "export").splitlines(keepends=True)
    fresh = [line.replace('"trip"', '"other"').replace('"ana"', '"bo"') for line in lines]
    for bad in ("not json\n", '{"table": "nope", "user": "bo"}\n', "[]\n", '{"a":' * 5_000):
        answer = ask(client, BY_ID["import"], {}, "".join((head, *fresh, bad)))

        assert (422, "input") == (answer.status_code, answer.json()["error"]["code"])
    assert ("ana",) == memory.users()


def test_every_error_code_that_is_described_has_the_described_status(client: TestClient) -> None:
    """The document and the error table agree."""
    schema = _document(client)["components"]["schemas"]["Error"]

    assert sorted(MEANINGS) == schema["properties"]["error"]["properties"]["code"]["enum"]
