"""Assertions about a request: what they accept, what they find, and what a failure says."""

from __future__ import annotations

import pytest

from palimpsest import Budget, Memory
from palimpsest.errors import InputError
from palimpsest.testing import assert_request
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Message

BUDGET = Budget(window=400, answer=100)


def test_a_request_that_holds_what_is_asked_passes_the_whole_chain(gemma: LocalTokenizer) -> None:
    """Every assertion gives the same object again, so they are written as one chain."""
    with Memory.open(":memory:", tokenizer=gemma) as memory:
        talk = memory.conversation(user="ana", id="trip")
        talk.append(user="The hotel is in Porto.", assistant="Noted.")
        request = talk.request("Where is it?", budget=BUDGET)
        found = assert_request(request).retains("in Porto").omits("P1234567").within(BUDGET)
    assert found.within().within(300) is found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("P1234567", "my passport is p 123 4567, I think"),
        ("+351 912 345 678", "call 912345678"),
        ("ana@example.com", "write to ana at example dot com"),
        ("3 May 2024", "on 2024-05-03"),
        ("Birch & Co.", "the room is Birch &amp; Co."),
    ],
)
def test_a_value_is_met_in_every_form_of_it(value: str, text: str) -> None:
    """The forms that a forget looks for are the forms that an assertion sees."""
    assert_request(text).retains(value)
    with pytest.raises(AssertionError, match="does not omit"):
        assert_request(text).omits(value)


def test_a_longer_identifier_is_another_value() -> None:
    """TKT-1000 does not hold TKT-100."""
    assert_request("the ticket TKT-1000").omits("TKT-100")


def test_messages_and_their_calls_are_looked_through() -> None:
    """A value in the arguments of a call is sent as a sentence is."""
    call = {"id": "c1", "type": "function",
            "function": {"name": "book", "arguments": '{"passport": "P1234567"}'}}  # fmt: skip
    sent = [
        {"role": "user", "content": "Book it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        Message(role="tool", content="Done.", tool_call_id="c1"),
    ]
    with pytest.raises(AssertionError) as failed:
        assert_request(sent).omits("P1234567")
    assert "in message 2 (assistant)" in str(failed.value)
    assert_request(sent).retains("Book it", "Done.").within(200, tokenizer="estimate")


def test_a_schema_that_is_offered_is_sent_too(chatml: LocalTokenizer) -> None:
    """A forgotten value in a tool schema is a leak."""
    schema = {"type": "function", "function": {"name": "pay", "description": "Pays with 4417."}}
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        talk = memory.conversation(user="ana", id="trip")
        request = talk.request("Pay.", budget=BUDGET, tools=[schema])
    with pytest.raises(AssertionError, match="schema of the tool 'pay'"):
        assert_request(request).omits("4417")


def test_a_missing_fact_says_where_it_was_looked_for_and_the_ledgers_reason(
    gemma: LocalTokenizer,
) -> None:
    """The failure of a chat that is too long tells the turn that did not fit."""
    with Memory.open(":memory:", tokenizer=gemma) as memory:
        talk = memory.conversation(user="ana", id="trip")
        talk.append(user="The hotel is in Porto.", assistant="Noted.")
        for _ in range(9):
            talk.append(user="Tell me of the sea and of the wind over it.", assistant="It blows.")
        request = talk.request(
            "Where is it?", budget=Budget(window=160, answer=60), strategy="recent"
        )
        with pytest.raises(AssertionError) as bare:
            assert_request(request).retains("in Porto")
        with pytest.raises(AssertionError) as told:
            assert_request(request, talk).retains("in Porto")
        with pytest.raises(AssertionError) as nowhere:
            assert_request(request, talk).retains("in Braga")
    assert "the request does not retain 'in Porto'" in str(bare.value)
    assert f"{request.tokens} of 100 tokens, strategy recent" in str(bare.value)
    assert "ledger: turn" in str(bare.value)
    assert "turn 1 says it: not sent (behind-no-room)" in str(told.value)
    assert "neither a turn nor a memory" in str(nowhere.value)


def test_a_leak_says_its_message_and_its_sentence() -> None:
    """The sentence around the value is shown, in the form in which it stands there."""
    with pytest.raises(AssertionError) as failed:
        assert_request("Fine. My passport is p 123 4567. Bye.").omits("P1234567")
    assert "written 'p 123 4567': 'My passport is p 123 4567.'" in str(failed.value)


def test_a_request_that_is_too_large_says_by_how_much_and_of_what(gemma: LocalTokenizer) -> None:
    """The parts of the request stand in the failure."""
    with Memory.open(":memory:", tokenizer=gemma) as memory:
        request = memory.conversation(user="ana", id="trip").request("Hello?", budget=BUDGET)
    with pytest.raises(AssertionError, match=r"2 are allowed, \d+ too many \(.*question \d+"):
        assert_request(request).within(2)
    assert_request(request.messages).within(request.tokens, tokenizer=gemma.frame.name)


def test_what_asserts_nothing_is_refused() -> None:
    """A blank value would pass, or fail, whatever is sent."""
    checked = assert_request("text")
    for wrong in (
        checked.retains, lambda: checked.omits(" "), checked.within,
        lambda: checked.within(True), lambda: assert_request(3),  # type: ignore[arg-type]
        lambda: checked.omits(None),  # type: ignore[arg-type]
    ):  # fmt: skip
        with pytest.raises(InputError):
            wrong()


def test_the_body_of_a_call_is_looked_through_with_its_tools() -> None:
    """What an application sends is judged as it stands, the schemas of its tools too."""
    body = {
        "model": "toy",
        "messages": [{"role": "user", "content": "Book the hotel in Porto."}],
        "tools": [{"type": "function", "function": {"name": "book", "description": "P1234567"}}],
    }
    assert_request(body).retains("in Porto")
    with pytest.raises(AssertionError, match="the schema of the tool 'book'"):
        assert_request(body).omits("P1234567")
    with pytest.raises(InputError, match=r"request\.messages: .* is not a list of messages"):
        assert_request({"model": "toy"})
