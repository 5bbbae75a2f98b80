"""Two keys: no name, header or history reaches what another key holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Memory
from palimpsest.tokens.counter import TokenCounter
from tests.support.proxied import proxied, settled
from tests.support.upstream import Scripted

CANARY = "QX77canary"
SAID = f"My code is {CANARY}."


@dataclass(repr=False)
class Served:
    """The second server: with keys."""

    memory: Memory
    base: str
    up: Scripted
    ada: str
    bob: str
    tenant: str


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, counter: TokenCounter, upstream: Scripted
) -> Iterator[Served]:
    """Ada has said her canary, under a name of her own and in a named conversation."""
    path: Path = tmp_path_factory.mktemp("keys") / "m.db"
    with Memory.open(path, counter=counter) as memory:
        ada, bob, tenant = (
            memory.keys.add(name, **held)[1]
            for name, held in (
                ("ada", {"users": ["ada"]}), ("bob", {"users": ["bob", "bobby"]}),
                ("acme", {"tenant": "acme"}),
            )
        )  # fmt: skip
        with proxied(memory, upstream.url, key="upstream-key") as base:
            for name in ({}, {"x-palimpsest-conversation": "trip"}):
                call(base, ada, [{"role": "user", "content": SAID}], headers=name)
            settled(base)
            for name in memory.conversations("ada"):
                memory.conversation(user="ada", id=name).reflect(extractor="rules")
            yield Served(memory, base, upstream, ada, bob, tenant)


def call(
    base: str, key: str, messages: Any, *, headers: dict[str, str] | None = None, **body: Any
) -> httpx.Response:
    return httpx.post(
        f"{base}/chat/completions", timeout=30, json={"model": "toy", "messages": messages, **body},
        headers={**({"authorization": f"Bearer {key}"} if key else {}), **(headers or {})},
    )  # fmt: skip


def test_a_key_of_one_user_speaks_for_it(served: Served, up: Scripted) -> None:
    """Without a name and with the right one; the official client needs nothing else."""
    with openai.OpenAI(base_url=served.base, api_key=served.ada) as client:
        asked: Any = [{"role": "user", "content": SAID},
                      {"role": "assistant", "content": "An answer."},
                      {"role": "user", "content": "What is it?"}]  # fmt: skip
        client.chat.completions.create(model="toy", messages=asked, user="ada")
        client.models.list()
    assert SAID in json.dumps(up.messages)


@pytest.mark.parametrize(
    ("key", "user", "status"),
    [("ada", "bob", 403), ("bob", "ada", 403), ("bob", None, 422), ("bob", "bobby", 200),
     ("acme", "ada", 200), ("none", "ada", 401), ("", None, 401)],
)  # fmt: skip
def test_a_user_is_named_through_the_key_alone(
    served: Served, up: Scripted, key: str, user: str | None, status: int
) -> None:
    """Refused in the one shape, before the upstream is asked; a tenant's ada is another one."""
    secret = {"ada": served.ada, "bob": served.bob, "acme": served.tenant}.get(key, key)
    answer = call(served.base, secret, [{"role": "user", "content": "Hi."}], user=user)
    assert status == answer.status_code
    if status != 200:
        assert [] == up.asked
        assert {"code", "message"} == set(answer.json()["error"])
    else:
        assert CANARY not in up.raw[-1].decode()


def test_our_key_stays_here_and_the_upstreams_stays_there(served: Served, up: Scripted) -> None:
    """What the client sends opens this server; the upstream's own key opens the upstream."""
    answer = call(served.base, served.ada, [{"role": "user", "content": "Hello."}],
                  headers={"cookie": "a=b", "x-request-id": "mine"})  # fmt: skip
    sent = up.headers[-1]
    assert "Bearer upstream-key" == sent["authorization"]
    assert served.ada not in repr(sent)
    assert "cookie" not in sent
    assert "upstream-key" not in repr(answer.headers) + answer.text


def test_without_keys_the_clients_key_is_passed_on(up: Scripted, base: str, user: str) -> None:
    """A client of a paid API keeps its key, and changes its base URL alone."""
    httpx.post(f"{base}/chat/completions", headers={"authorization": "Bearer sk-mine"},
               json={"model": "toy", "messages": [{"role": "user", "content": "Hi."}], "user": user})  # fmt: skip
    assert "Bearer sk-mine" == up.headers[-1]["authorization"]


ASKED = st.lists(
    st.sampled_from((SAID, "An answer.", "What is my code?", "Hello", f"Is it {CANARY[:4]}?")),
    min_size=1, max_size=4,
)  # fmt: skip
NAMES = st.sampled_from((None, "trip", "trip%20", "TRIP", "ada", "ada/trip", "%", "tri%70"))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(("bob", "acme")), ASKED, NAMES, st.sampled_from((None, "ada", "bobby", "x/y"))
)
def test_no_request_of_another_key_returns_the_canary(
    served: Served, who: str, texts: list[str], name: str | None, user: str | None
) -> None:
    """Whatever it names or replays: what the upstream gets of it, the caller said itself."""
    secret = served.bob if who == "bob" else served.tenant
    up = served.up
    before = served.memory.conversation(user="ada", id="trip").turns()
    messages = [
        {"role": "assistant" if place % 2 and place < len(texts) - 1 else "user", "content": text}
        for place, text in enumerate(texts)
    ]
    sent = len(up.raw)
    headers = {} if name is None else {"x-palimpsest-conversation": name}
    # Every call is a history of its own kind; one user may see what it said before.
    answer = call(served.base, secret, messages, headers=headers, user=user)
    settled(served.base)
    assert answer.status_code in (200, 403, 422)
    assert CANARY not in answer.text + repr(answer.headers)
    assert before == served.memory.conversation(user="ada", id="trip").turns()
    told = served.memory.conversations("ada")
    assert answer.headers.get("x-palimpsest-conversation") not in set(told) - {"trip"}
    if len(up.raw) > sent and not any(CANARY in text for text in texts):
        others = {"bob", "bobby", "acme/ada", "acme/bobby", "acme/default", "acme/x/y"}
        own = any(
            CANARY in repr(served.memory.conversation(user=u, id=c).turns())
            for u in others for c in served.memory.conversations(u)
        )  # fmt: skip
        assert own or CANARY not in up.raw[-1].decode()
