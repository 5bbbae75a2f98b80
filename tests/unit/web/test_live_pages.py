"""The live pages without a browser: who may ask, what is shown, what a form changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from palimpsest import Budget, Memory
from palimpsest.protocols import Tokenizer
from palimpsest.web.live.app import application
from palimpsest.web.live.changes import CHANGES
from palimpsest.web.live.pages import PAGES

SECRET = "Kestrel-90417-Quay"
HERE = {"user": "ada", "conversation": "trip"}
OTHER = {"user": "bob", "conversation": "trip"}


@pytest.fixture
def memory(tmp_path: Path, gemma: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A store with two users; the secret is Ada's."""
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))
    with Memory.open(tmp_path / "m.db", tokenizer=gemma) as held:
        talk = held.conversation(user="ada", id="trip")
        talk.observe(user=f"My locker code is {SECRET}.", assistant="Noted.")
        talk.observe(user="My diet is vegetarian.", assistant="Good.")
        talk.observe(user="Please forget my shoe size.", assistant="Which one?")
        talk.reflect()
        talk.request("What do I eat?", budget=Budget(window=512, answer=64, margin=16))
        held.conversation(user="bob", id="trip").append(user="Hello.", assistant="Hi.")
        yield held


@pytest.fixture
def client(memory: Memory) -> Iterator[TestClient]:
    """A client of the same machine."""
    with TestClient(application(memory), base_url="http://127.0.0.1:8377") as made:
        yield made


def _address(path: str, **query: object) -> str:
    return f"{path}?{urlencode(query)}"


def _token(client: TestClient) -> str:
    found = re.search(r'name="token" value="([^"]+)"', client.get("/audit").text)
    assert found is not None
    return found[1]


def _post(client: TestClient, path: str, **fields: object) -> Any:
    return client.post(path, data={"token": _token(client), **HERE, **fields})


def _id_of(memory: Memory, words: str) -> int:
    talk = memory.conversation(user="ada", id="trip")
    return next(row.id for row in talk.current() if words in row.text)


def _query(path: str, memory: Memory, place: dict[str, str]) -> dict[str, object]:
    talk = memory.conversation(user="ada", id="trip")
    secret = _id_of(memory, SECRET)
    ids = {
        "/memory": secret, "/forget": secret, "/request": talk.requests(1)[0].id,
        "/choose": talk.review()[0].id,
    }  # fmt: skip
    return {**place, **({"id": ids[path]} if path in ids else {}), "q": "locker"}


@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers_as_html_and_as_json(
    path: str, client: TestClient, memory: Memory
) -> None:
    """One context, two faces."""
    query = _query(path, memory, HERE)
    page = client.get(_address(path, **query))
    data = client.get(_address(f"{path.rstrip('/') or '/index'}.json", **query))

    assert (200, 200) == (page.status_code, data.status_code)
    assert "<h1>" in page.text
    assert 1 == data.json()["schema"]


@pytest.mark.parametrize("path", [path for path in PAGES if path not in ("/", "/audit")])
def test_no_page_of_one_user_shows_another(path: str, client: TestClient, memory: Memory) -> None:
    """With Ada's secret in the store, no page of Bob holds it, whatever id he names."""
    for end in ("", ".json"):
        answer = client.get(_address(path + end, **_query(path, memory, OTHER)))

        assert SECRET not in answer.text
        assert answer.status_code in (200, 404)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "[::2]", "", "10.0.0.1"]
)
def test_another_host_is_refused(host: str, client: TestClient) -> None:
    """A name that an attacker points at this machine is not this machine."""
    assert 403 == client.get("/", headers={"host": host}).status_code


@pytest.mark.parametrize("host", ["127.0.0.1:8377", "localhost:1", "[::1]:9", "LOCALHOST"])
def test_this_machine_is_served(host: str, client: TestClient) -> None:
    """Loopback has three names."""
    assert 200 == client.get("/", headers={"host": host}).status_code


@pytest.mark.parametrize("path", CHANGES)
def test_a_change_needs_the_token_of_this_process(
    path: str, client: TestClient, memory: Memory
) -> None:
    """A form that was not made here changes nothing."""
    before = memory.conversation(user="ada", id="trip").current()
    fields = {**HERE, "id": before[0].id, "text": "My diet is meat.", "value": "x", "pinned": "yes"}
    for token in ({}, {"token": ""}, {"token": "guess"}, {"token": "\u00fc"}):
        assert 422 == client.post(path, data={**fields, **token}).status_code

    assert before == memory.conversation(user="ada", id="trip").current()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9"])
def test_a_form_of_another_site_is_refused(origin: str, client: TestClient, memory: Memory) -> None:
    """Not even with a token that leaked."""
    answer = client.post(
        "/memory/pin", data={"token": _token(client), **HERE, "id": 1, "pinned": "yes"},
        headers={"origin": origin},
    )  # fmt: skip

    assert 403 == answer.status_code
    assert not memory.conversation(user="ada", id="trip").current()[0].pinned


def test_every_answer_has_the_strict_headers(client: TestClient) -> None:
    """Also refusals and errors."""
    for answer in (
        client.get("/"), client.get("/nothing"), client.get("/", headers={"host": "x"}),
        client.get("/memory?user=ada&conversation=trip&id=999"),
    ):  # fmt: skip
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy
        assert "nosniff" == answer.headers["x-content-type-options"]
        assert "no-store" == answer.headers["cache-control"]


def test_a_memory_is_pinned_corrected_and_forgotten(client: TestClient, memory: Memory) -> None:
    """What the forms do is what the commands do."""
    talk = memory.conversation(user="ada", id="trip")
    diet = _id_of(memory, "diet")
    _post(client, "/memory/pin", id=diet, pinned="yes")
    pinned = next(row for row in talk.current() if row.id == diet).pinned
    corrected = _post(client, "/memory/correct", id=diet, text="My diet is vegan.")
    forgotten = _post(client, "/memory/forget", id=_id_of(memory, SECRET))

    assert pinned
    assert "My diet is vegan." in corrected.text
    assert "1 row" in forgotten.text
    assert SECRET not in forgotten.text
    assert () == memory.audit(SECRET).rows
    assert ["My diet is vegan."] == [row.text for row in talk.current()]


def test_the_audit_says_where_a_value_is(client: TestClient) -> None:
    """Its value comes in the body, and stands in no address and no page."""
    answer = _post(client, "/audit", value=SECRET)

    assert "<h2>Found</h2>" in answer.text
    assert "table memories: 1 row" in answer.text
    assert SECRET not in answer.text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"q": "diet"}, "is there"),
        ({"q": "#1"}, "#1"),
        ({"q": "Hello from nowhere"}, "No turn says it either"),
        ({"q": "Noted"}, "Turns that say it"),
    ],
)
def test_why_is_it_missing(query: dict[str, str], expected: str, client: TestClient) -> None:
    """A search for words finds the memory and its reason, or the turn, or says neither."""
    text = client.get(_address("/why", **HERE, **query)).text

    assert expected in text


@pytest.mark.parametrize(
    "address",
    [
        "/memories", "/memories?user=ada", "/memory?user=ada&conversation=trip&id=x",
        "/memory?user=ada&conversation=trip&id=99999999999999999999", "/turns?user=%20&conversation=x",
        "/turns?user=ada&conversation=trip&first=-1", "/request?user=ada&conversation=trip&id=no",
        "/memories?user=ada&conversation=trip&page=1e9", "/memory?user=ada&conversation=trip",
        "/memories.json?user=ada", "/request.json?user=ada&conversation=trip&id=no",
    ],
)  # fmt: skip
def test_a_bad_address_is_told(address: str, client: TestClient) -> None:
    """With the status of the error table, and never a traceback."""
    answer = client.get(address)

    assert answer.status_code in (404, 422)
    assert "Traceback" not in answer.text


def test_a_form_that_is_too_large_is_refused(client: TestClient) -> None:
    """A megabyte is more than any correction."""
    answer = _post(client, "/memory/correct", id=1, text="x" * 1_100_000)

    assert 422 == answer.status_code


@pytest.mark.parametrize(
    "text",
    ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a\u202eb", "{{ 7919*7907 }}"],
)
def test_hostile_words_show_as_text(text: str, client: TestClient, memory: Memory) -> None:
    """In every page that shows what users wrote, and in names."""
    talk = memory.conversation(user=text, id=text)
    talk.append(user=text, assistant=text)
    row = talk.remember(text, attribute=text)
    place = {"user": text, "conversation": text}
    for path in ("/", "/turns", "/memories", "/memory", "/why", "/audit"):
        page = client.get(_address(path, **place, id=row.id, q=text)).text
        page = page.replace(memory.path, "")

        assert "<script>alert" not in page
        assert "<img" not in page
        # A field must give back what it was given; whoever only reads sees the character named.
        assert "\u202e" not in re.sub(r'value="[^"]*"|<textarea.*?</textarea>', "", page)
        assert str(7919 * 7907) not in page


def test_what_waits_is_shown_with_its_candidates_and_answered(
    client: TestClient, memory: Memory
) -> None:
    """The page names what is withheld, lets one be chosen, and forgets that one alone."""
    talk = memory.conversation(user="ada", id="trip")
    talk.observe(user="My garage code is 77120-B.", assistant="Noted.")
    talk.observe(user="Please forget the code.", assistant="Which one?")
    talk.reflect()
    verdict = talk.review()[-1]
    *_, first, second = verdict.candidates
    page = client.get(_address("/verdicts", **HERE)).text
    assert "withheld until you answer:" in page
    _post(client, "/verdicts/settle", id=verdict.id, answer="accept", memory=second)
    assert verdict.id not in {one.id for one in talk.review()}
    assert [first] == [row.id for row in talk.visible([first, second])]
