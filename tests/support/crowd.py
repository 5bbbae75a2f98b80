"""Many clients that chat at once through one proxy, and what each of them saw."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

import httpx

from tests.support.upstream import Body, Sent, streamed, whole


@dataclass
class Seen:
    """What came of a crowd."""

    errors: list[str] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """Of each turn, from the first byte sent to the last byte read."""
    places: dict[int, set[str]] = field(default_factory=dict)
    """The conversations that each client was told."""


def echo(body: Body) -> Sent:
    """An answer that names what was asked last, so that a crossed answer shows."""
    asked = body["messages"][-1]["content"].rpartition("Question: ")[2]
    text = f"Heard: {asked}"
    return streamed(text) if body.get("stream") else whole(text)


async def crowd(base: str, *, clients: int, turns: int) -> Seen:
    """Every client sends its whole history each time, half of them as streams."""
    seen = Seen()
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=base, timeout=120, limits=limits) as http:
        await asyncio.gather(*(_chat(http, number, turns, seen) for number in range(clients)))
    return seen


async def _chat(http: httpx.AsyncClient, number: int, turns: int, seen: Seen) -> None:
    history: list[Body] = [{"role": "system", "content": f"You talk with client {number}."}]
    for turn in range(turns):
        said = f"I am client {number}, this is turn {turn}."
        history.append({"role": "user", "content": said})
        body = {"model": "toy", "messages": history, "user": f"client-{number}",
                "stream": bool(number % 2)}  # fmt: skip
        began = time.perf_counter()
        answer = await http.post("/chat/completions", json=body)
        seen.seconds.append(time.perf_counter() - began)
        text = _text(answer)
        if answer.status_code != 200 or text.strip() != f"Heard: {said}":
            seen.errors.append(f"{number}/{turn}: {answer.status_code} {text[:200]}")
        if reason := answer.headers.get("x-palimpsest-degraded"):
            seen.degraded.append(f"{number}/{turn}: {reason}")
        seen.places.setdefault(number, set()).add(answer.headers["x-palimpsest-conversation"])
        history.append({"role": "assistant", "content": text})


def _text(answer: httpx.Response) -> str:
    import json

    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
        found = answer.json()
        return str(found["choices"][0]["message"]["content"]) if "choices" in found else answer.text
    pieces = (line[6:] for line in answer.text.splitlines() if line.startswith("data: {"))
    return "".join(json.loads(p)["choices"][0]["delta"].get("content") or "" for p in pieces)
