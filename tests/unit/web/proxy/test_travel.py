"""The fifty turns of ``travel-50`` through the official client, its base URL alone changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openai
import pytest

from palimpsest import Budget, Memory, Request
from palimpsest.bench import builtin
from palimpsest.bench.suite import Suite
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Turn
from tests.support.proxied import proxied, settled
from tests.support.upstream import Body, Sent, scripted, streamed, whole


@pytest.fixture(scope="module")
def suite() -> Suite:
    return builtin.load("travel-50")


class Replies:
    """The suite's reply to each of its turns; a question of a checkpoint is refused."""

    def __init__(self, suite: Suite) -> None:
        self.turns = {t.number: t.turn.assistant for t in suite.turns}
        self.at: int | None = None

    def __call__(self, body: Body) -> Sent:
        if self.at is None:
            refusal = b'{"error": {"message": "not now", "type": "invalid_request_error"}}'
            return Sent(pieces=(refusal,), status=400, kind="application/json")
        text = self.turns[self.at]
        return streamed(text) if body.get("stream") else whole(text)


def core(
    suite: Suite, counter: TokenCounter, spec: str
) -> tuple[dict[int, Request], tuple[Turn, ...]]:
    """What the core builds at the checkpoints when the same turns are read by the same extractor."""
    points = {point.after: point for point in suite.checkpoints}
    found: dict[int, Request] = {}
    with Memory.open(":memory:", counter=counter, config=suite.config()) as memory:
        talk = memory.conversation(user="default", id="core")
        for item in suite.turns:
            talk.observe(user=item.turn.user, assistant=item.turn.assistant)
            talk.reflect(extractor="rules")
            if item.number in points:
                found[item.number] = talk.request(
                    points[item.number].question, budget=suite.budget, strategy=spec,
                    instructions=suite.instructions,
                )  # fmt: skip
        return found, talk.turns()


@pytest.mark.parametrize("spec", ["seats", "managed"])
def test_at_the_checkpoints_the_upstream_gets_what_the_core_builds(
    suite: Suite, gemma: LocalTokenizer, tmp_path: Path, spec: str
) -> None:
    """Request for request, message for message; the stream is passed on byte for byte."""
    counter, replies = TokenCounter(gemma), Replies(suite)
    expected, kept = core(suite, counter, spec)
    points = {point.after: point for point in suite.checkpoints}
    history: list[Any] = [{"role": "system", "content": suite.instructions}]
    seen = {}
    with (
        Memory.open(tmp_path / "m.db", counter=counter, config=suite.config(),
                    reflect="background", extractor="rules") as memory,
        scripted(replies) as up,
        proxied(memory, up.url, budget=suite.budget, spec=spec) as base,
        openai.OpenAI(base_url=base, api_key="none") as client,
    ):  # fmt: skip
        for item in suite.turns:
            replies.at = item.number
            history.append({"role": "user", "content": item.turn.user})
            reply = ""
            if item.number % 2:
                stream = client.chat.completions.create(model="toy", messages=history, stream=True)
                reply = "".join(piece.choices[0].delta.content or "" for piece in stream)
            else:
                made = client.chat.completions.create(model="toy", messages=history)
                reply = made.choices[0].message.content or ""
            assert item.turn.assistant == reply
            history.append({"role": "assistant", "content": reply})
            settled(base)
            assert memory.settled()
            if item.number in points:
                replies.at = None
                question = points[item.number].question
                asked = [*history, {"role": "user", "content": question}]
                with pytest.raises(openai.BadRequestError) as refused:
                    client.chat.completions.create(model="toy", messages=asked)
                tokens = refused.value.response.headers["x-palimpsest-tokens"]
                seen[item.number] = (up.messages, int(tokens))
        names = memory.conversations("default")
        turns = memory.conversation(user="default", id=names[0]).turns()

    built = {after: (r.messages, r.tokens) for after, r in expected.items()}
    assert sorted(points) == sorted(built)
    assert built == seen
    # Fifty turns in one conversation: what was refused left nothing.
    assert 1 == len(names)
    assert kept == turns
    assert 50 == len(turns)


def test_a_budget_of_the_settings_is_the_window(suite: Suite) -> None:
    """The suite asks under 512 tokens with 128 for the answer and a margin of 32."""
    assert Budget(window=512, answer=128, margin=32) == suite.budget
