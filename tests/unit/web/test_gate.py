"""The gate: who is let in, how much, and what a refusal and an error look like."""

from __future__ import annotations

import base64
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from palimpsest import Memory
from palimpsest.errors import NotADatabase, NotFound
from palimpsest.loopback import is_loopback
from palimpsest.web.access import access_of
from palimpsest.web.limits import Limits
from palimpsest.web.serving import application
from tests.support.api_story import LOOPBACK

SECRET = "Kestrel-90417-Quay"
HOME = "http://127.0.0.1:8377"
FAR = ("203.0.113.9", 40_000)


async def _who(request: Request) -> Response:
    body = await request.body()
    held = access_of(request)
    return JSONResponse({"key": held.key, "user": held.user(), "bytes": len(body)})


async def _missing(request: Request) -> Response:
    raise NotFound("there is no such thing")


async def _broken(request: Request) -> Response:
    raise RuntimeError(SECRET)


async def _store(request: Request) -> Response:
    raise NotADatabase("'/srv/secret/place.db' is not an SQLite database")


async def _half(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"one"
        raise RuntimeError(SECRET)

    return StreamingResponse(pieces())


ROUTES = [
    Route("/v1/who", _who, methods=["GET", "POST"]), Route("/v1/missing", _missing),
    Route("/v1/broken", _broken), Route("/v1/store", _store), Route("/v1/half", _half),
]  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db") as held:
        yield held


def _client(
    memory: Memory, peer: tuple[str, int] = LOOPBACK, base: str = HOME, **limits: float
) -> TestClient:
    app = application(memory, routes=ROUTES, limits=Limits(**limits))  # type: ignore[arg-type]
    return TestClient(app, base_url=base, client=peer)


def _with(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


def _code(answer: object) -> tuple[int, str]:
    data = answer.json()  # type: ignore[attr-defined]
    assert {"error"} == set(data)
    assert {"code", "message"} == set(data["error"])
    return answer.status_code, data["error"]["code"]  # type: ignore[attr-defined]


def test_without_keys_this_machine_is_answered_as_anybody(memory: Memory) -> None:
    """A program of this machine reaches every user; nobody else is let in."""
    assert {"key": "", "user": "default", "bytes": 0} == _client(memory).get("/v1/who").json()


@pytest.mark.parametrize("peer", [FAR, ("10.0.0.1", 1), ("::ffff:10.0.0.1", 1), ("testclient", 1)])
def test_without_keys_another_machine_is_refused(peer: tuple[str, int], memory: Memory) -> None:
    """With the next command, and whatever it says of its Host."""
    answer = _client(memory, peer).get("/v1/who")

    assert (403, "forbidden") == _code(answer)
    assert "palimpsest keys add" in answer.json()["error"]["message"]


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
def test_without_keys_a_proxy_in_front_is_refused(header: str, memory: Memory) -> None:
    """A proxy on this machine would lend its address to everybody."""
    answer = _client(memory).get("/v1/who", headers={header: "127.0.0.1"})

    assert (403, "forbidden") == _code(answer)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::2", "[::2]", ""])
def test_without_keys_another_host_is_refused(host: str, memory: Memory) -> None:
    """A name that an attacker points at this machine is not this machine."""
    assert (403, "forbidden") == _code(_client(memory).get("/v1/who", headers={"host": host}))


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9", "http://["]
)
def test_without_keys_a_page_of_another_site_is_refused(origin: str, memory: Memory) -> None:
    """What a browser has open elsewhere reads and changes nothing here."""
    answer = _client(memory).post("/v1/who", headers={"origin": origin})

    assert (403, "forbidden") == _code(answer)


@pytest.mark.parametrize(
    ("address", "expected"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True),
     ("0.0.0.0", False), ("10.0.0.1", False), ("", False), ("localhost", False)],
)  # fmt: skip
def test_loopback_is_known_by_its_address(address: str, expected: bool) -> None:
    """A name is no address of a peer."""
    assert expected == is_loopback(address)


def test_with_keys_everybody_needs_one(memory: Memory) -> None:
    """Another machine with a key is answered, this machine without one is not."""
    _, secret = memory.keys.add("app", users=["ana"])
    far = _client(memory, FAR, "http://memory.example")

    assert {"key": "app", "user": "ana", "bytes": 0} == far.get(
        "/v1/who", headers=_with(secret)
    ).json()
    assert (401, "unauthorized") == _code(_client(memory).get("/v1/who"))


@pytest.mark.parametrize(
    "sent",
    ["", "Bearer", "Bearer ", "Bearer x", "Bearer plm_x_y", "Token KEY", "bearer KEYx", "Basic x",
     "Basic KEY", "Bearer " + "x" * 5_000, "Bearer plm__", "Bearer \xff\xfe"],
)  # fmt: skip
def test_what_is_no_key_is_refused(sent: str, memory: Memory) -> None:
    """Malformed, unknown, cut or lengthened: one answer for all of them."""
    _, secret = memory.keys.add("app", users=["ana"])
    header = sent.replace("KEY", secret).encode("latin-1")
    answer = _client(memory).get("/v1/who", headers={b"authorization": header})

    assert (401, "unauthorized") == _code(answer)
    assert "Bearer" == answer.headers["www-authenticate"]


def test_a_known_key_is_told_from_one_that_shares_its_beginning(memory: Memory) -> None:
    """What was verified once is compared whole each time."""
    _, secret = memory.keys.add("app", users=["ana"])
    client = _client(memory)

    assert 200 == client.get("/v1/who", headers=_with(secret)).status_code
    for wrong in (secret[:-1], secret + "x", secret[:-1] + ("A" if secret[-1] != "A" else "B")):
        assert (401, "unauthorized") == _code(client.get("/v1/who", headers=_with(wrong)))
    assert 200 == client.get("/v1/who", headers=_with(secret)).status_code


def test_a_key_that_is_revoked_is_refused_at_once(memory: Memory, tmp_path: Path) -> None:
    """Also where another process revokes it, and the others go on."""
    _, gone = memory.keys.add("gone", users=["ana"])
    _, stays = memory.keys.add("stays", users=["bo"])
    client = _client(memory)
    assert 200 == client.get("/v1/who", headers=_with(gone)).status_code
    with Memory.open(tmp_path / "m.db") as other:
        other.keys.revoke("gone")

    assert (401, "unauthorized") == _code(client.get("/v1/who", headers=_with(gone)))
    assert 200 == client.get("/v1/who", headers=_with(stays)).status_code


def test_without_a_usable_key_nobody_is_answered(memory: Memory) -> None:
    """Revoking the last key opens nothing; removing all does, for this machine."""
    memory.keys.add("app", users=["ana"])
    client = _client(memory)
    memory.keys.revoke("app")
    closed = client.get("/v1/who")
    memory.keys.remove_all()

    assert (401, "unauthorized") == _code(closed)
    assert 200 == client.get("/v1/who").status_code


def test_pages_need_a_key_of_the_owner_on_this_machine(memory: Memory) -> None:
    """A browser asks for it; a key of one user, or another machine, does not do."""
    _, user = memory.keys.add("app", users=["ana"])
    _, owner = memory.keys.add("me")
    client = _client(memory)
    asked = client.get("/")
    basic = base64.b64encode(f"anything:{owner}".encode()).decode()

    assert (401, 'Basic realm="palimpsest"') == (
        asked.status_code, asked.headers["www-authenticate"],
    )  # fmt: skip
    assert (403, "forbidden") == _code(client.get("/", headers=_with(user)))
    assert 200 == client.get("/", headers={"authorization": f"Basic {basic}"}).status_code
    assert (403, "forbidden") == _code(_client(memory, FAR).get("/", headers=_with(owner)))


def test_a_body_over_the_limit_is_refused(memory: Memory) -> None:
    """By its announced length before it is read, and by its bytes where none is announced."""
    client = _client(memory, body=100)

    def pieces() -> Iterator[bytes]:
        yield from (b"x" * 60, b"x" * 60)

    assert 100 == client.post("/v1/who", content=b"x" * 100).json()["bytes"]
    assert (413, "too_large") == _code(client.post("/v1/who", content=b"x" * 101))
    assert (413, "too_large") == _code(client.post("/v1/who", content=pieces()))


def test_a_key_that_asks_too_often_is_told_when_to_come_back(memory: Memory) -> None:
    """429 with Retry-After; another key is not held up by it."""
    _, eager = memory.keys.add("eager", users=["ana"])
    _, other = memory.keys.add("other", users=["ana"])
    client = _client(memory, rate=0.01)
    first = client.get("/v1/who", headers=_with(eager))
    client_one = _client(memory, rate=1.0)
    seen = [client_one.get("/v1/who", headers=_with(eager)).status_code for _ in range(4)]
    refused = client_one.get("/v1/who", headers=_with(eager))

    assert (429, "too_many") == _code(first)
    assert int(first.headers["retry-after"]) >= 1
    assert [200, 200] == seen[:2]
    assert (429, "too_many") == _code(refused)
    assert 200 == client_one.get("/v1/who", headers=_with(other)).status_code


def test_guessing_keys_is_slowed_down_and_known_keys_are_not(memory: Memory) -> None:
    """The slow digest is for this server's safety, not a way to occupy it."""
    _, secret = memory.keys.add("app", users=["ana"])
    client = _client(memory, failures=0.001, rate=0)
    assert 200 == client.get("/v1/who", headers=_with(secret)).status_code
    guessed = [client.get("/v1/who", headers=_with(f"plm_x_{n}")).status_code for n in range(25)]

    assert [401] * 20 + [429] * 5 == guessed
    assert 200 == client.get("/v1/who", headers=_with(secret)).status_code


def test_many_keys_from_one_address_are_no_guesses(memory: Memory) -> None:
    """Behind one proxy stand many clients, and after a start each key is new to the process."""
    secrets = [memory.keys.add(f"k{n}", users=["ana"])[1] for n in range(25)]
    client = _client(memory, failures=0.001)

    assert {200} == {client.get("/v1/who", headers=_with(s)).status_code for s in secrets}


def test_every_answer_has_an_id_of_its_own(memory: Memory) -> None:
    """Refusals, errors and pages too; what a client sends for one is not taken over."""
    client = _client(memory)
    answers = [
        client.get("/v1/who", headers={"x-request-id": "mine"}), client.get("/v1/missing"),
        client.get("/v1/broken"), client.get("/nowhere"), client.get("/"),
        client.get("/v1/who", headers={"host": "evil.example"}), client.get("/healthz"),
    ]  # fmt: skip
    ids = [answer.headers["x-request-id"] for answer in answers]

    assert len(answers) == len(set(ids))
    assert "mine" not in ids
    assert {"no-store"} == {answer.headers["cache-control"] for answer in answers}


@pytest.mark.parametrize(
    ("path", "method", "expected"),
    [("/v1/missing", "GET", (404, "not_found")), ("/v1/broken", "GET", (500, "error")),
     ("/v1/nothing", "GET", (404, "not_found")), ("/api/v1/nothing", "GET", (404, "not_found")),
     ("/v1/missing", "DELETE", (405, "input")), ("/api/v1/turns", "DELETE", (405, "input")),
     ("/api/v1/turns/", "GET", (404, "not_found")), ("/metrics", "POST", (405, "input"))],
)  # fmt: skip
def test_errors_have_one_shape(
    path: str, method: str, expected: tuple[int, str], memory: Memory
) -> None:
    """Those of the error table, those of the program, and those of routing."""
    assert expected == _code(_client(memory).request(method, path))


def test_an_error_of_the_program_says_no_text_and_logs_none(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """Its kind is in the log with the id of the answer; a stream that broke off stays broken."""
    caplog.set_level(logging.DEBUG)
    client = _client(memory)
    answer = client.get("/v1/broken", params={"q": SECRET})
    half = client.get("/v1/half")

    assert SECRET not in answer.text
    assert f"{answer.headers['x-request-id']}: RuntimeError" in caplog.text
    assert (200, "one") == (half.status_code, half.text)
    # The client of this test logs the addresses that it asks for; the server is another logger.
    ours = [record for record in caplog.records if record.name.startswith("palimpsest")]
    assert SECRET not in "".join(record.getMessage() + str(record.exc_info) for record in ours)


def test_an_error_of_the_store_tells_its_place_to_the_owner_alone(memory: Memory) -> None:
    """A path of the server is nothing for a client."""
    told = _client(memory).get("/v1/store")
    _, secret = memory.keys.add("app", users=["ana"])
    hidden = _client(memory).get("/v1/store", headers=_with(secret))

    assert "/srv/secret" in told.text
    assert (500, "not_a_database") == _code(hidden)
    assert "/srv/secret" not in hidden.text


def test_health_needs_no_key_and_figures_need_the_owners(memory: Memory) -> None:
    """Whoever watches the server learns nothing of what it stores."""
    _, user = memory.keys.add("app", users=["ana"])
    _, owner = memory.keys.add("me")
    client = _client(memory, FAR, "http://memory.example")

    assert {"status": "ok"} == client.get("/healthz").json()
    assert 200 == client.get("/api/v1/openapi.json").status_code
    assert (401, "unauthorized") == _code(client.get("/metrics"))
    assert (403, "forbidden") == _code(client.get("/metrics", headers=_with(user)))
    assert 200 == client.get("/metrics", headers=_with(owner)).status_code


def test_a_server_without_its_tokenizer_is_not_ready(memory: Memory, empty_cache: Path) -> None:
    """503 in the one shape; it lives all the same."""
    client = _client(memory)

    assert (503, "not_prepared") == _code(client.get("/readyz"))
    assert 200 == client.get("/healthz").status_code


def test_figures_count_answers_by_route_and_hold_no_text(memory: Memory) -> None:
    """A path that is none of ours, and a method of the client's own, are both 'other'."""
    memory.conversation(user=SECRET, id=SECRET).remember(f"My code is {SECRET}.")
    client = _client(memory)
    client.get("/api/v1/turns", params={"user": SECRET, "conversation": SECRET})
    client.get(f"/api/v1/{SECRET}")
    client.request(SECRET, "/v1/who")
    text = client.get("/metrics").text

    assert SECRET not in text
    assert 'palimpsest_requests_total{method="GET",route="/api/v1/turns",status="200"} 1.0' in text
    assert "palimpsest_memories 1.0" in text
