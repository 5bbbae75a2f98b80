"""Long lists of the live pages: every row is reachable, and each page stands for its filters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from palimpsest import Budget, Memory
from palimpsest.protocols import Tokenizer
from palimpsest.web.live.app import application
from palimpsest.web.live.paging import PAGE, paged

HERE = {"user": "ada", "conversation": "trip"}
BUDGET = Budget(window=512, answer=64, margin=16)
MANY, FORGETS = PAGE + 7, 3


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory, gemma: Tokenizer) -> Iterator[Memory]:
    """More memories, verdicts, requests and deletions than a page holds."""
    with Memory.open(tmp_path_factory.mktemp("lists") / "m.db", tokenizer=gemma) as held:
        talk = held.conversation(user="ada", id="trip")
        for number in range(MANY):
            talk.observe(
                user=f"My box {number} is in room {number * 7 + 1000}.", assistant="Noted."
            )
        talk.reflect()
        for number in range(FORGETS):
            row = talk.remember(f"gone {number}", attribute=f"gone-{number}")
            talk.forget(id=row.id)
        for number in range(MANY):
            talk.remember(f"Crate {number} holds pattern {number * 37}.")
        for _ in range(MANY):
            talk.request("What now?", budget=BUDGET, strategy="seats")
        yield held


@pytest.fixture
def client(memory: Memory) -> Iterator[TestClient]:
    with TestClient(application(memory), base_url="http://127.0.0.1") as made:
        yield made


def _all(client: TestClient, path: str, key: str, **query: str) -> list[Any]:
    """Every row of a list, by the links of its pages."""
    rows, number = [], 1
    while True:
        page = client.get(f"{path}.json", params={**HERE, **query, "page": number}).json()[key]
        assert number == page["page"]
        rows += page["rows"]
        if number == page["pages"]:
            assert page["found"] == len(rows)
            return rows
        number += 1


def test_every_memory_is_on_one_page(client: TestClient, memory: Memory) -> None:
    """The newest first, each once."""
    talk = memory.conversation(user="ada", id="trip")
    found = [row["id"] for row in _all(client, "/memories", "memories", state="all")]

    assert [row.id for row in reversed(talk.visible())] == found


def test_every_request_is_on_one_page(client: TestClient, memory: Memory) -> None:
    """As many as the store keeps, newest first."""
    kept = [one.id for one in memory.conversation(user="ada", id="trip").requests(10_000)]

    assert kept == [row["id"] for row in _all(client, "/requests", "requests")]
    assert len(kept) > PAGE


def test_every_verdict_is_on_one_page_and_filters_divide_them(
    client: TestClient, memory: Memory
) -> None:
    """Each action and each rule shows its own, and together they are all."""
    every = [verdict.id for verdict in memory.conversation(user="ada", id="trip").verdicts()][::-1]
    rules = client.get("/verdicts.json", params=HERE).json()["rules"]
    by_rule = [
        row["id"] for rule in rules for row in _all(client, "/verdicts", "verdicts", rule=rule)
    ]

    assert every == [row["id"] for row in _all(client, "/verdicts", "verdicts")]
    assert sorted(every) == sorted(by_rule)
    assert [] == _all(client, "/verdicts", "verdicts", action="forget", rule=rules[0])


def test_every_corner_and_every_receipt_is_on_one_page(client: TestClient, memory: Memory) -> None:
    """Counters name the corners; receipts are the deletions, newest first."""
    talk = memory.conversation(user="ada", id="trip")
    never = {count.id for count in talk.counts() if count.candidate and not count.served}
    receipts = [row["id"] for row in _all(client, "/forgotten", "deletions")]

    assert never == {row["memory"]["id"] for row in _all(client, "/corners", "corners")}
    assert [deletion.id for deletion in talk.deletions()][::-1] == receipts
    assert len(never) > PAGE
    assert FORGETS == len(receipts)


def test_every_memory_that_was_left_out_is_on_a_page_of_its_request(
    client: TestClient, memory: Memory
) -> None:
    """Seated and left out together are every memory of the ledger."""
    talk = memory.conversation(user="ada", id="trip")
    id = talk.requests(1)[0].id
    seated = client.get("/request.json", params={**HERE, "id": id}).json()["seated"]
    left = _all(client, "/request", "left", id=id)

    assert {row.id for row in talk.visible()} <= {place["id"] for place in (*seated, *left)}
    assert all(place["reason"] for place in (*seated, *left))


def test_the_links_of_a_page_keep_its_filters(client: TestClient) -> None:
    """Who goes on to the next page stays in what was looked for."""
    text = client.get("/memories", params={**HERE, "q": "crate", "state": "all"}).text
    links = re.findall(r'href="(/memories\?[^"]*page=\d+[^"]*)"', text)

    assert links
    assert all("q=crate" in link and "state=all" in link for link in links)
    assert 'aria-current="page"><span class="unseen">page </span>1</a>' in text


def test_a_page_out_of_range_is_the_nearest() -> None:
    """No number of a page is an error."""
    assert [1, 1, 2, 2] == [paged(range(MANY), page).page for page in (0, 1, 2, 99)]
    assert (0, 1, 1) == (paged((), 1).found, paged((), 1).page, paged((), 1).pages)


def test_a_plan_names_all_that_a_forget_takes(client: TestClient, memory: Memory) -> None:
    """Its rows and the turns that say it, before; its receipt, after; and it changed nothing."""
    talk = memory.conversation(user="ada", id="trip")
    old = next(row for row in talk.current() if "My box 5 " in row.text)
    new = talk.correct("My box 5 is in room 77.", id=old.id)
    plan = client.get("/forget.json", params={**HERE, "id": new.id}).json()["plan"]
    token = re.search(r'name="token" value="([^"]+)"', client.get("/audit").text)
    assert token is not None
    before = talk.visible()
    page = client.get("/forget", params={**HERE, "id": new.id}).text
    unchanged = before == talk.visible()
    made = client.post("/memory/forget.json", data={**HERE, "token": token[1], "id": new.id}).json()
    receipt = client.get("/forgotten.json", params=HERE).json()["deletions"]["rows"][0]

    assert {new.id, old.id} == {row["id"] for row in plan["chain"]}
    assert 6 in {piece["turn"] for piece in plan["pieces"]}
    assert "My box 5 is in room" in page
    assert unchanged
    assert len(plan["chain"]) == receipt["rows"] == made["deletions"][0]["rows"]
    assert made["clean"]
    assert "palimpsest receipt" == made["receipt"]["format"]
    assert "box 5 is" not in str(made)
    assert 404 == client.get("/memory", params={**HERE, "id": new.id}).status_code


def test_an_audit_has_its_json_twin(client: TestClient) -> None:
    """By the same form with the same token; without it, it is refused as JSON."""
    token = re.search(r'name="token" value="([^"]+)"', client.get("/audit").text)
    assert token is not None
    found = client.post("/audit.json", data={"token": token[1], "value": "Kestrel-4411-Quay"})
    refused = client.post("/audit.json", data={"value": "Kestrel-4411-Quay"})

    assert [] == found.json()["audit"]["rows"]
    assert (422, "input") == (refused.status_code, refused.json()["error"]["code"])


def test_a_change_leads_to_the_json_of_its_page(client: TestClient, memory: Memory) -> None:
    """A program that pins reads the memory that it pinned."""
    row = memory.conversation(user="ada", id="trip").current()[-1]
    token = re.search(r'name="token" value="([^"]+)"', client.get("/audit").text)
    assert token is not None
    made = client.post(
        "/memory/pin.json", data={**HERE, "token": token[1], "id": row.id, "pinned": "yes"}
    ).json()

    assert (row.id, True) == (made["memory"]["id"], made["memory"]["pinned"])


@pytest.mark.parametrize("path", ["/nowhere", "/memories/x", "/memory/pin"])
def test_a_path_that_is_no_page_is_told_on_a_page(path: str, client: TestClient) -> None:
    """With its status and a way back; as JSON behind ``.json``."""
    page, data = client.get(path), client.get(f"{path}.json")

    assert page.status_code in (404, 405)
    assert "To the list of conversations" in page.text
    assert "not_found" == data.json()["error"]["code"]


def test_why_names_what_became_of_a_turn(client: TestClient, memory: Memory) -> None:
    """A turn that says it, whether it was sent, and what the write path made of it."""
    talk = memory.conversation(user="ada", id="trip")
    talk.append(user="The lamp flickers at night.", assistant="Noted.")
    early = client.get("/why", params={**HERE, "q": "lamp flickers"}).text
    talk.request("And now?", budget=BUDGET, strategy="seats")
    late = client.get("/why.json", params={**HERE, "q": "lamp flickers"}).json()

    assert "said after the newest request" in early
    assert [True] == [said["entry"]["kept"] for said in late["said"]]
