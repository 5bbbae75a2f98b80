"""A forget or a correction that may mean several memories is settled by a person's choice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.proposals import Verdict
from palimpsest.protocols import Tokenizer
from palimpsest.web.live.app import application
from tests.support.proposing import Proposing

HERE = {"user": "ada", "conversation": "trip"}
WORK, HOME = "My work phone number is 555-0101.", "My home phone number is 555-0202."


@pytest.fixture
def memory(tmp_path: Path, gemma: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """Two phone numbers and a request to forget "my phone number"; a shoe size that is not there."""
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))
    with Memory.open(tmp_path / "m.db", tokenizer=gemma) as held:
        talk = held.conversation(user="ada", id="trip")
        for text in (
            WORK, "My diet is vegetarian.", HOME, "Please forget my phone number.",
            "Please forget my shoe size.",
        ):  # fmt: skip
            talk.observe(user=text, assistant="ok")
        talk.reflect()
        yield held


@pytest.fixture
def talk(memory: Memory) -> Conversation:
    return memory.conversation(user="ada", id="trip")


@pytest.fixture
def client(memory: Memory) -> Iterator[TestClient]:
    with TestClient(application(memory), base_url="http://127.0.0.1") as made:
        yield made


def _waiting(talk: Conversation, rule: str) -> Verdict:
    return next(verdict for verdict in talk.review() if verdict.rule == rule)


def _id(talk: Conversation, text: str) -> int:
    return next(row.id for row in talk.current() if row.text == text)


def _post(client: TestClient, path: str, **fields: object) -> Any:
    token = re.search(r'name="token" value="([^"]+)"', client.get("/audit").text)
    assert token is not None
    return client.post(path, data={"token": token[1], **HERE, **fields})


def _left(talk: Conversation) -> set[str]:
    return {row.text for row in talk.current()}


def test_the_verdicts_lead_to_a_choice(client: TestClient, talk: Conversation) -> None:
    """Where a memory must be named, the page offers the choice and no accept that would fail."""
    page = client.get("/verdicts", params=HERE).text
    for rule in ("ambiguous-forget", "unresolved-forget"):
        assert f"/choose?user=ada&amp;conversation=trip&amp;id={_waiting(talk, rule).id}" in page
    assert 'value="accept"' not in page
    assert 2 == page.count('value="dismiss"')


def test_the_likeliest_stand_first(client: TestClient, talk: Conversation) -> None:
    """Those that share words with what was asked, before all others; the words asked are told."""
    verdict = _waiting(talk, "ambiguous-forget")
    found = client.get("/choose.json", params={**HERE, "id": verdict.id}).json()
    texts = [row["text"] for row in found["memories"]["rows"]]

    assert [{WORK, HOME}, {"My diet is vegetarian."}] == [set(texts[:2]), set(texts[2:])]
    assert "Please forget my phone number." in client.get(
        "/choose", params={**HERE, "id": verdict.id}
    ).text  # fmt: skip


def test_the_one_that_is_chosen_goes_and_the_verdict_is_settled(
    client: TestClient, talk: Conversation
) -> None:
    """From the choice to the plan to the sealed receipt; the other number stays."""
    verdict, id = _waiting(talk, "ambiguous-forget"), _id(talk, HOME)
    choice = client.get("/choose", params={**HERE, "id": verdict.id, "q": "home"}).text
    plan = re.search(r'href="(/forget\?[^"]+)"', choice)
    assert plan is not None
    page = client.get(plan[1].replace("&amp;", "&")).text
    fields = dict(re.findall(r'name="(id|verdict)" value="(\d+)"', page))
    receipt = _post(client, "/memory/forget", **fields)

    assert {"id": str(id), "verdict": str(verdict.id)} == fields
    assert "An audit found its values nowhere." in receipt.text
    assert {WORK, "My diet is vegetarian."} == _left(talk)
    assert "accepted" == next(one for one in talk.verdicts() if one.id == verdict.id).settled
    assert ["unresolved-forget"] == [one.rule for one in talk.review()]


def test_a_request_that_is_dismissed_takes_nothing(client: TestClient, talk: Conversation) -> None:
    """And waits no longer."""
    verdict = _waiting(talk, "unresolved-forget")
    before = _left(talk)
    _post(client, "/verdicts/settle", id=verdict.id, answer="dismiss")

    assert before == _left(talk)
    assert verdict.id not in [one.id for one in talk.review()]


@pytest.mark.parametrize(
    "fields",
    [{"verdict": "x"}, {"verdict": 99}, {"verdict": 1}, {"id": 99, "verdict": "open"}],
    ids=["no number", "unknown", "not waiting", "unknown memory"],
)
def test_a_wrong_choice_forgets_nothing(
    fields: dict[str, object], client: TestClient, talk: Conversation
) -> None:
    """A verdict that did not wait for this choice, or a memory that is not there."""
    if fields["verdict"] == "open":
        fields = {**fields, "verdict": _waiting(talk, "ambiguous-forget").id}
    before = _left(talk)
    answer = _post(client, "/memory/forget", **{"id": _id(talk, WORK), **fields})

    assert answer.status_code in (404, 422)
    assert before == _left(talk)
    assert 2 == len(talk.review())


@pytest.mark.parametrize("answer", ["", "acept", "Accept"])
def test_an_answer_that_is_none_settles_nothing(
    answer: str, client: TestClient, talk: Conversation
) -> None:
    """A request to forget is never dismissed by a slip."""
    verdict = _waiting(talk, "ambiguous-forget")
    said = _post(client, "/verdicts/settle", id=verdict.id, answer=answer)

    assert 422 == said.status_code
    assert verdict in talk.review()


def test_a_correction_replaces_the_one_that_is_chosen(tmp_path: Path, gemma: Tokenizer) -> None:
    """The new words stand in its place; the other statement stays."""
    new = "The phone number is 555-0303."
    proposing = Proposing({3: [{"op": "correct", "targets": (1, 2), "text": new}]}, trusted=True)
    with (
        Memory.open(tmp_path / "m.db", tokenizer=gemma) as memory,
        TestClient(application(memory), base_url="http://127.0.0.1") as client,
    ):
        talk = memory.conversation(user="ada", id="trip")
        for text in (WORK, HOME, new):
            talk.observe(user=text, assistant="ok")
        talk.reflect(extractor=proposing)
        verdict = _waiting(talk, "ambiguous-correction")
        id = _id(talk, WORK)
        page = client.get("/choose", params={**HERE, "id": verdict.id}).text
        refused = _post(client, "/memory/forget", id=id, verdict=verdict.id)
        before = _left(talk)
        _post(client, "/verdicts/settle", id=verdict.id, answer="accept", memory=id)

        assert f"replace #{id}" in page
        assert 422 == refused.status_code
        assert {WORK, HOME} == before
        assert {new, HOME} == _left(talk)
