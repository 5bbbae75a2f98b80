"""A client of the proxy that keeps all that it said, what was forgotten too, and sends it again."""

from __future__ import annotations

import httpx

from tests.support.proxied import settled
from tests.support.upstream import Body, Scripted, whole


def user(text: str) -> Body:
    return {"role": "user", "content": text}


def bot(text: str) -> Body:
    return {"role": "assistant", "content": text}


class Client:
    """One user with one history."""

    def __init__(self, base: str, up: Scripted, name: str) -> None:
        self.base, self.up, self.name = base, up, name
        self.history: list[Body] = []
        self.answer: httpx.Response | None = None

    def say(self, text: str, reply: str = "I see.", **header: str) -> str:
        """Ask; gives everything that the upstream was sent."""
        self.history.append(user(text))
        return self.ask(reply, **header)

    def ask(self, reply: str = "I see.", **header: str) -> str:
        self.up.answer = lambda _: whole(reply)
        self.answer = httpx.post(
            f"{self.base}/chat/completions", timeout=30, headers=header,
            json={"model": "toy", "messages": self.history, "user": self.name},
        )  # fmt: skip
        assert 200 == self.answer.status_code, self.answer.text
        self.history.append(bot(reply))
        settled(self.base)
        return self.up.raw[-1].decode()

    @property
    def conversation(self) -> str:
        assert self.answer is not None
        return self.answer.headers["x-palimpsest-conversation"]
