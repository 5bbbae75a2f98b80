"""No exchange of another user finds, builds from or says what a user has."""

from __future__ import annotations

import inspect
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import Memory
from palimpsest.asking import strategy
from palimpsest.errors import PalimpsestError
from palimpsest.exchanges import Exchanges
from palimpsest.types import Scope
from tests.property.test_isolation import CANARY, COUNTER, ROOM, SAID, filled, names

CALLED = {"open", "branch_of", "request", "observe", "broke_off", "forgets", "says_forgotten"}
SEATS = strategy("seats")
HISTORIES = st.sampled_from((
    [SAID, f"{CANARY}, noted.", "What is my code?"],
    ["What is my code?"],
    [SAID],
    ["Hi.", "Hello.", SAID, f"{CANARY}, noted.", "Well?"],
))  # fmt: skip
PLACES = st.sampled_from((None, "c", "C", "c "))


def test_every_public_method_is_called() -> None:
    """A method that comes later has to be added here."""
    public = {
        name for name, _ in inspect.getmembers(Exchanges, inspect.isfunction)
        if not name.startswith("_")
    }  # fmt: skip
    assert public == CALLED


@settings(max_examples=40, deadline=None)
@given(names.filter(lambda name: name != "a"), HISTORIES, PLACES)
def test_no_exchange_of_another_user_says_more_than_it_said(
    user: str, texts: list[str], place: str | None
) -> None:
    """The same words lead to a conversation of its own, and what ``a`` has stays as it was."""
    with Memory.open(":memory:", counter=COUNTER) as memory:
        filled(memory)
        mine = memory.conversation(user="a", id="c")
        before = (mine.turns(), mine.visible(), mine.requests(), memory.conversations("a"))
        messages: list[Any] = [
            {"role": "assistant" if at % 2 else "user", "content": text}
            for at, text in enumerate(texts)
        ]
        exchanges = memory.exchanges
        shown = ""
        try:
            exchange = exchanges.open(user=user, messages=messages, conversation=place)
            assert user == exchange.scope.user
            request = exchanges.request(exchange, budget=ROOM, strategy=SEATS)
            shown = repr(request.messages)
            exchanges.observe(exchange, {"role": "assistant", "content": "Ok."}, request)
            exchanges.broke_off(exchange, request)
            assert not exchanges.forgets(user)
            parted = exchanges.branch_of(Scope(user=user, conversation=place or "c"), messages)
            assert parted is None or user == parted.user
            assert not exchanges.says_forgotten(user, [f"It is {CANARY} or ZZ99canary."])
        except PalimpsestError as error:
            shown = str(error)
        if not any(CANARY in text for text in texts):
            assert CANARY not in shown
        assert before == (
            mine.turns(), mine.visible(), mine.requests(), memory.conversations("a")
        )  # fmt: skip
