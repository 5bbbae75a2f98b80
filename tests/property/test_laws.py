"""The laws of the design that bind a request, over random conversations.

Each law is tried with every strategy that it binds, on the exact Gemma tokenizer (text
only) and on a real vocabulary under a template that knows tools.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import random
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Budget, Config, Memory, Request
from palimpsest.config import ContextSettings
from palimpsest.context.quote import quoted
from palimpsest.errors import RequiredContextTooLarge
from palimpsest.protocols import Tokenizer
from palimpsest.types import Turn, calls_of, results_of
from tests.support.histories import Played, Step, histories, played, texts

RANKED = ("relevant", "hybrid", "relevant(stem=true)", "hybrid(language='fr', stem=true)")
BASELINES = ("recent", "notes(reserve=40)", "append-only(quota=90)", *RANKED)
MANAGED = (
    "managed",
    "managed(quota=60)",
    "managed(order='oldest', quota=60)",
    "seats(limit=5, quota=60)",
)
STRATEGIES = BASELINES + MANAGED
QUOTING = ("notes(reserve=150)", "managed(quota=400)", "append-only(quota=400)")
RULES = "Answer briefly."

laws = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(params=["gemma", "chatml"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    """Two real tokenizers; ``chatml`` has a template with tools."""
    found: Tokenizer = request.getfixturevalue(request.param)
    return found


@contextlib.contextmanager
def conversation(tokenizer: Tokenizer, history: list[Step]) -> Iterator[tuple[Memory, Played]]:
    with Memory.open(":memory:", tokenizer=tokenizer) as memory:
        yield memory, played(memory, history, tools=tokenizer.frame.name != "gemma-4-e2b")


def built(
    talk: Played, strategy: str, window: int, question: str, instructions: str | None = RULES
) -> Request | None:
    """The request, or ``None`` where it was refused for its required part alone."""
    budget = Budget(window=window, answer=0)
    try:
        return talk.conversation.request(
            question, budget=budget, strategy=strategy, instructions=instructions, record=False
        )
    except RequiredContextTooLarge as error:
        _check_refusal(error, window)
        return None


def _check_refusal(error: RequiredContextTooLarge, window: int) -> None:
    assert window == error.limit
    assert window < error.required
    assert sum(error.parts.values()) == error.required


windows = st.one_of(st.integers(20, 400), st.integers(400, 3000))
questions = texts.map(lambda text: text or "?")
asked = st.tuples(st.sampled_from(STRATEGIES), windows, questions)


@laws
@given(history=histories(), ask=asked, instructions=st.sampled_from((RULES, None)))
def test_law_1_and_2_the_count_is_that_of_the_rendered_template_and_fits(
    tokenizer: Tokenizer,
    history: list[Step],
    ask: tuple[str, int, str],
    instructions: str | None,
) -> None:
    """``Request.tokens`` is the whole render's count, and is never over the budget."""
    with conversation(tokenizer, history) as (_, talk):
        request = built(talk, *ask, instructions)
        if request is None:
            return
        assert tokenizer.count_request(request.sent, request.tools) == request.tokens
        assert request.tokens <= request.budget.input
        assert request.tokens == sum(request.ledger.parts.values())
        assert min(request.ledger.parts.values()) >= 0


@laws
@given(history=histories(), ask=asked)
def test_law_3_every_turn_and_memory_has_exactly_one_entry(
    tokenizer: Tokenizer, history: list[Step], ask: tuple[str, int, str]
) -> None:
    """What the ledger calls kept or seated is what the request carries, and nothing else."""
    with conversation(tokenizer, history) as (_, talk):
        request = built(talk, *ask)
        if request is None:
            return
        turns = talk.conversation.turns()
        rows = list(_all_rows(talk))
        for number in (turn.number for turn in turns):
            assert 1 == sum(e.first <= number <= e.last for e in request.ledger.turns)
        for row in rows:
            assert 1 == sum(e.first <= row.id <= e.last for e in request.ledger.memories)
        kept = sum(len(t.messages) for t in turns if request.ledger.turn(t.number).kept)
        # Late results never occur here, so every kept message is sent: system and question too.
        assert kept + 2 == len(request.sent)
        seated = [row for row in rows if request.ledger.memory(row.id).seated]
        lines = [line for line in _block(request) if re.match(r"- \[#\d+, ", line)]
        assert len(seated) == len(lines)
        quota = {"managed": 160, "append-only(quota=90)": 90}.get(request.strategy, 60)
        assert sum(tokenizer.count_text(line) for line in lines) <= quota


@laws
@given(
    history=histories(),
    ask=st.tuples(st.sampled_from(QUOTING), windows, questions),
)
def test_law_4_quotes_are_word_for_word_and_cannot_leave_their_block(
    tokenizer: Tokenizer, history: list[Step], ask: tuple[str, int, str]
) -> None:
    """A note is its cited span; the block is closed once; no control string is quoted raw."""
    with conversation(tokenizer, history) as (_, talk):
        request = built(talk, *ask)
        if request is None:
            return
        markers = tokenizer.frame.markers
        lines = _block(request)
        turns = {turn.number: turn for turn in talk.conversation.turns()}
        for note in (n for n in request.ledger.notes if n.sent):
            said = turns[note.turn].messages[note.message].texts()[note.text]
            quote = quoted(said[note.start : note.end], markers)
            assert f"- [turn {note.turn}, {note.role}] {quote}" in lines
        for line in lines:
            assert not [marker for marker in markers if marker in line]
            assert not re.search(r"[<>\u202a-\u202e\u2066-\u2069\u200b\U000e0000-\U000e007f]", line)
        assert RULES == request.sent[0].content


@laws
@given(history=histories(), ask=asked)
def test_law_5_turns_are_whole_and_one_system_message_comes_first(
    tokenizer: Tokenizer, history: list[Step], ask: tuple[str, int, str]
) -> None:
    """Calls and their results stay together, in order, and the system message is single."""
    with conversation(tokenizer, history) as (_, talk):
        request = built(talk, *ask)
        if request is None:
            return
        assert [0] == [i for i, m in enumerate(request.sent) if m.role == "system"]
        made: list[str] = []
        for message in request.sent:
            made += calls_of(message)
            assert all(id in made for id in results_of(message))
        answered = [id for message in request.sent for id in results_of(message)]
        assert sorted(made) == sorted(answered)
        open_calls = [t for t in talk.conversation.turns() if t.open and t.has_calls]
        assert all(set(_ids(turn)) <= set(made) for turn in open_calls)


@laws
@given(history=histories(80), ask=asked)
def test_law_6_building_is_pure(
    tokenizer: Tokenizer, history: list[Step], ask: tuple[str, int, str]
) -> None:
    """Equal inputs give equal requests; no clock, no random source, no network, no write."""
    with conversation(tokenizer, history) as (memory, talk):
        before = list(memory._store._db._connection.iterdump())
        with pytest.MonkeyPatch.context() as patch:
            for owner, name in ((time, "time"), (random, "random"), (socket, "socket")):
                patch.setattr(owner, name, _never(name, getattr(owner, name)))
            first, second = built(talk, *ask), built(talk, *ask)
        assert first == second
        assert before == list(memory._store._db._connection.iterdump())


@laws
@given(history=histories(), strategy=st.sampled_from(MANAGED), window=windows)
def test_law_10_no_managed_request_carries_a_replaced_or_forgotten_value(
    tokenizer: Tokenizer, history: list[Step], strategy: str, window: int
) -> None:
    """Whoever said it, a replaced value and a forgotten one are in no managed request."""
    with conversation(tokenizer, history) as (_, talk):
        request = built(talk, strategy, window, "What holds?")
        if request is None:
            return
        text = "\n".join(t for message in request.sent for t in message.texts())
        assert set() == {v for v in talk.replaced | talk.forgotten if v in text}


@laws
@given(history=histories())
def test_managed_keeps_every_current_fact_that_its_quota_holds(
    tokenizer: Tokenizer, history: list[Step]
) -> None:
    """With room for all, every current statement is in the request, quoted or in its turn."""
    with conversation(tokenizer, history) as (_, talk):
        roomy = "managed(quota=100000)"
        request = built(talk, roomy, 10_000_000, "What holds?")
        assert request is not None
        text = "\n".join(t for message in request.sent for t in message.texts())
        assert [] == [r.text for r in talk.conversation.current() if quoted(r.text) not in text]


@laws
@given(history=histories(60), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_a_conversation_told_in_pieces_is_the_one_told_at_once(
    chatml: Tokenizer, history: list[Step], cuts: list[int]
) -> None:
    """However a client hands the messages over, the turns are the same."""
    with conversation(chatml, history) as (memory, talk):
        said = [m for turn in talk.conversation.turns() for m in turn.messages]
        whole, pieces = (memory.conversation(user="u", id=name) for name in ("whole", "pieces"))
        bounds = sorted({0, len(said), *(cut for cut in cuts if cut < len(said))})
        if said:
            whole.append(messages=said)
        for start, end in itertools.pairwise(bounds):
            pieces.append(messages=said[start:end])
        assert whole.turns() == pieces.turns()


def _block(request: Request) -> list[str]:
    """The lines inside the one block of the last user message."""
    text = request.sent[-1].content or ""
    tag = ContextSettings().block
    headers = (Config().context.memory_header, Config().context.notes_header)
    if not text.startswith(tuple(f"{header}\n<{tag}>\n" for header in headers)):
        return []
    inside, closed, _ = text.split("\n", 2)[2].partition(f"\n</{tag}>\n\n")
    assert closed
    return inside.split("\n")


def _all_rows(talk: Played) -> Iterator[object]:
    view = talk.conversation._store.view(talk.conversation.scope)
    yield from view.memories(current=False)


def _ids(turn: Turn) -> list[str]:
    return [id for message in turn.messages for id in calls_of(message)]


def _never(name: str, real: Callable[..., object]) -> Callable[..., object]:
    """Refuses in this thread; what runs beside it goes on."""
    here = threading.get_ident()

    def refuse(*args: object, **kwargs: object) -> object:
        if threading.get_ident() != here:
            return real(*args, **kwargs)
        raise AssertionError(f"{name} was used while building a request")

    return refuse


def test_the_settings_of_the_block_are_what_these_laws_read() -> None:
    """The tests above find the block by its tag."""
    assert "notes" == dataclasses.asdict(Config())["context"]["block"]
