"""The rows of the shared case file that are about the write path, played into a real engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Config, Memory, Request
from palimpsest import messages as reading
from palimpsest.errors import NotFound
from palimpsest.extract.llm import Llm
from palimpsest.models.openai import OpenAIModel
from palimpsest.models.scripted import Scripted
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.protocols import ChatModel, Tokenizer
from palimpsest.settings import NotesSettings
from tests.support.model_server import ModelServer, serve
from tests.support.proposing import Proposing

STRATEGIES = ("recent", "notes", "managed", "seats")
ROOM = Budget(window=2000, answer=100)


@pytest.fixture(scope="session")
def rows(shared: Path) -> dict[str, dict[str, Any]]:
    """The rows by id."""
    lines = (shared / "cases" / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row["minimal_input"] for row in map(json.loads, lines)}


@pytest.fixture
def limited() -> Iterator[ChatModel]:
    """A real server that answers every call with status 429."""
    with serve(ModelServer(fault="limit")) as server:
        model = OpenAIModel("toy", base=f"{server.url}/v1", key="", timeout=5)
        yield model
        model.close()


def text(request: Request) -> str:
    return "\n".join(t for message in request.sent for t in message.texts())


def observed(memory: Memory, given: Mapping[str, Any]) -> Any:
    talk = memory.conversation(user="u", id="c")
    talk.observe(messages=given["messages"])
    return talk


def test_req_21_the_text_of_an_error_is_in_no_request(
    rows: dict[str, Any], gemma: Tokenizer, limited: ChatModel
) -> None:
    """The server refuses every reading: each turn says so, and nothing else changes."""
    given = rows["req-21"]
    said = reading.messages(given["messages"])
    with Memory.open(":memory:", tokenizer=gemma) as memory:
        talk = observed(memory, given)
        talk.reflect(extractor=Llm(model=limited))
        assert {"failed"} == {found.status for found in talk.reflections()}
        assert all("429" in found.error for found in talk.reflections())
        assert said == tuple(m for turn in talk.turns() for m in turn.messages)
        assert ("", (), ()) == (talk.story().summary, talk.current(), talk.verdicts())
        for strategy in STRATEGIES:
            request = talk.request(
                given["current"], budget=Budget(window=given["budget"], answer=0),
                strategy=strategy, instructions=given["system"],
            )  # fmt: skip
            for banned in given["expect"]["not_in_request"]:
                assert banned not in text(request)
        fallen_back = talk.request(
            given["current"], budget=Budget(window=given["budget"], answer=0), strategy="notes",
            instructions=given["system"], config=Config(notes=NotesSettings(cues=("Decision",))),
        )  # fmt: skip
        assert "Decision: the door code label is green." in text(fallen_back)


@pytest.mark.parametrize("reply", ["Error generating summary: HTTP 429", "", "null", '"429"'])
def test_req_21_an_error_in_the_place_of_a_reply_is_no_summary(
    rows: dict[str, Any], gemma: Tokenizer, reply: str
) -> None:
    """A server may put its failure into the text of the answer, with status 200."""
    given = rows["req-21"]
    with Memory.open(":memory:", tokenizer=gemma) as memory:
        talk = observed(memory, given)
        talk.reflect(extractor=Llm(model=Scripted([reply] * len(talk.turns()))))
        assert {"failed"} == {found.status for found in talk.reflections()}
        assert ("", ()) == (talk.story().summary, talk.current())


def test_req_49_a_correction_leaves_one_active_value_and_a_history(rows: dict[str, Any]) -> None:
    """A preference that turned round is an update; who, when and which turn stay told."""
    given = rows["req-49"]
    expect = given["expect"]
    with Memory.open(":memory:") as memory:
        talk = memory.conversation(user="u", id="c")
        for op in given["ops"]:
            if op["op"] == "list":
                continue
            (turn,) = talk.observe(user=f"{op['key']}: {op['value']}", assistant="Noted.")
            act = {"remember": "remember", "correct": "correct"}[op["op"]]
            plan = {turn.number: [{"text": op["value"], "op": act, "attribute": op["key"]}]}
            talk.reflect(extractor=Proposing(plan, trusted=True))
        listed = talk.current()
        assert expect["store_active"] == {row.attribute: row.text for row in listed}
        past = [row for key in expect["store_active"] for row in talk.history(key)]
        old = [row for row in past if row.superseded_by is not None]
        assert set(expect["history_has"]) == {row.text for row in old}
        assert all(row.superseded_at and row.turn and row.scope.user == "u" for row in old)
        (pizza,) = (row for row in listed if row.attribute == "pizza")
        talk.forget(id=pizza.id)
        assert () == talk.history("pizza")
        talk.forget(attribute="device_a")
        assert () == talk.current()
        with pytest.raises(NotFound):
            talk.forget(id=pizza.id)


def test_req_51_the_order_of_saying_decides_and_times_are_utc(rows: dict[str, Any]) -> None:
    """Local times that sort wrongly, and a clock that went back, change nothing."""
    given = rows["req-51"]
    ops = iter(given["ops"])
    now = {"at": ""}
    with Memory.open(":memory:", clock=lambda: now["at"]) as memory:
        talk = memory.conversation(user="u", id="c")
        for op in ops:
            now["at"] = op["at"]
            (turn,) = talk.observe(user=f"The gate is {op['value']}.", assistant="Noted.")
            plan = {turn.number: [{"op": op["op"], "attribute": op["key"], "value": op["value"]}]}
            talk.reflect(extractor=Proposing(plan, trusted=True))
        (active,) = talk.current()
        assert given["expect"]["store_active"] == {active.attribute: active.value}
        chain = talk.history("gate")
        assert ["A", "B", "C"] == [row.value for row in chain]
        assert [2, 3, None] == [row.superseded_by for row in chain]
        assert ["2024-07-25T02:00:00+00:00", "2024-07-25T03:30:00+00:00",
                "2024-07-25T03:00:00+00:00"] == [row.created_at for row in chain]  # fmt: skip
        assert [1, 2, 3] == [row.turn for row in chain]


def test_req_41_a_forget_and_a_turn_during_a_summary_win(
    rows: dict[str, Any], chatml: Tokenizer
) -> None:
    """The summary of before the forget is void and read anew; the new turn is in the request."""
    given = rows["req-41"]
    _, said, gone, reply, asked = given["ops"]
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        talk = observed(memory, given)
        read: list[int] = []

        def meanwhile(seen: Seen) -> None:
            read.append(seen.turn.number)
            if len(read) == 1:
                talk.observe(user=said["user"], assistant=said["assistant"])
                talk.forget(value=gone["text"])

        talk.reflect(extractor=Summing(meanwhile, reply["reply"]))
        assert [1, 1, 2] == read[:3]
        assert "plum" not in repr((talk.story(), talk.turns(), talk.visible(), talk.verdicts()))
        for strategy in STRATEGIES:
            request = talk.request(
                asked["current"], strategy=strategy, instructions=given["system"], budget=ROOM
            )
            for wanted in given["expect"]["in_request"]:
                assert wanted in text(request), strategy
            for unwanted in given["expect"]["not_in_request"]:
                assert unwanted not in text(request), strategy


def test_req_47_what_was_forgotten_is_not_learned_anew(
    rows: dict[str, Any], chatml: Tokenizer
) -> None:
    """Read twice more, with the value in the transcript of the reader: a record holds it off."""
    given = rows["req-47"]
    _, gone, more, _, asked = given["ops"]
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        talk = observed(memory, given)
        talk.reflect(extractor=Proposing())
        assert any(gone["text"] in row.text for row in talk.current())
        talk.forget(value=gone["text"])
        talk.observe(user=more["user"], assistant=more["assistant"])
        # A reader that kept the old transcript proposes its words again, as memory and as story.
        old = given["messages"][0]["content"]
        for extractor in (Summing(lambda seen: None, old), Summing(lambda seen: None, old)):
            talk.reflect(extractor=extractor, retry=True)
            talk.observe(user=more["user"], assistant=more["assistant"])
        assert ["forgotten"] * 2 == [
            v.rule for v in talk.verdicts() if v.action == "reject" and v.turn in (6, 7)
        ][:2]
        (record,) = talk.deletions()
        assert gone["text"] not in repr((talk.current(), talk.story(), talk.verdicts(), record))
        request = talk.request(asked["current"], strategy="managed", budget=ROOM)
        assert gone["text"] not in text(request)
        # Said again in a new turn it is the user's own word, and kept.
        talk.observe(user=old, assistant="Ok.")
        talk.reflect(extractor=Proposing())
        assert any(gone["text"] in row.text for row in talk.current())
        assert 1 == sum(record.lifted for record in talk.deletions())


class Summing:
    """Proposes one sentence as a memory of the turn and as the summary of all."""

    trusted = False
    name = "summing"

    def __init__(self, before: Callable[[Seen], None], told: str) -> None:
        self._before = before
        self._told = told

    def extract(self, seen: Seen, config: Config) -> Extraction:
        self._before(seen)
        quote = Quote(message=0, text=0, start=0, end=len(seen.turn.user))
        return Extraction(summary=self._told, proposals=(Proposal(text=self._told, quote=quote),))
