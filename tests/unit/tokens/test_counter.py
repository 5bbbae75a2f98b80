"""counter: a cached count equals a fresh one, and only new text is encoded."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from palimpsest import messages
from palimpsest.errors import TemplateError
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Frame, Message, Tool
from tests.support.small_tokenizers import STRICT, small

TALK = messages.messages(
    [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "one"},
    ]
)
CALL = {"id": "c1", "function": {"name": "look", "arguments": "{}"}}
TOOL_TURN = messages.messages(
    [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
        {"role": "assistant", "content": "I saw it."},
    ]
)


@dataclass
class Recording:
    """One token a message, and a note of every unit that was asked for."""

    additive: bool = True
    units: list[tuple[Message, ...]] = field(default_factory=list)
    requests: int = 0

    @property
    def frame(self) -> Frame:
        return Frame(name="recording", fingerprint="1", additive=self.additive)

    def count_text(self, text: str) -> int:
        return len(text)

    def count_request(self, messages: Sequence[Message], tools: Sequence[Tool]) -> int:
        self.requests += 1
        return 100 + len(messages)

    def count_unit(self, messages: Sequence[Message]) -> int:
        self.units.append(tuple(messages))
        return len(messages)

    def count_opening(self, first: Message, tools: Sequence[Tool]) -> int:
        return 10

    def count_closing(self) -> int:
        return 90


def test_additive_requests_are_sums_of_cached_units(gemma: LocalTokenizer) -> None:
    """The second count of the same messages encodes nothing."""
    counter = TokenCounter(gemma)
    assert counter.request(TALK, ()) == gemma.count_request(TALK, ())
    spent = (counter.encoded_texts, counter.encoded_tokens, counter.encoded_chars)
    assert counter.request(TALK, ()) == gemma.count_request(TALK, ())
    assert spent == (counter.encoded_texts, counter.encoded_tokens, counter.encoded_chars)


def test_one_more_message_costs_one_more_unit() -> None:
    """A build pays for the text that was not counted before, not for the history."""
    tokenizer = Recording()
    counter = TokenCounter(tokenizer)
    counter.request(TALK, ())
    assert 3 == len(tokenizer.units), "the two equal user messages are one unit"
    counter.request([*TALK, *messages.messages([{"role": "assistant", "content": "new"}])], ())
    assert 4 == len(tokenizer.units)


def test_a_turn_with_tool_calls_is_one_unit() -> None:
    """Calls and results are counted with the turn they stand in, the rest one by one."""
    tokenizer = Recording()
    TokenCounter(tokenizer).unit([*TALK[:3], *TOOL_TURN, *TALK[1:3]])
    assert [(TALK[0],), (TALK[1],), (TALK[2],), TOOL_TURN] == tokenizer.units


def test_a_result_in_a_users_message_stays_with_its_call() -> None:
    """A user message that only answers a call opens no turn."""
    turn = messages.messages(
        [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
        ]
    )  # fmt: skip
    tokenizer = Recording()
    TokenCounter(tokenizer).unit([TALK[0], *turn, TALK[1]])
    assert [(TALK[0],), turn, (TALK[1],)] == tokenizer.units


def test_a_system_message_is_its_own_unit_before_a_tool_result() -> None:
    """A request may continue a turn of which only calls and results are left."""
    tokenizer = Recording()
    TokenCounter(tokenizer).unit([TALK[0], *TOOL_TURN[1:]])
    assert [(TALK[0],), TOOL_TURN[1:]] == tokenizer.units


def test_whole_renders_are_cached_for_other_frames() -> None:
    """Without additivity the whole request is the key, with its tools."""
    tokenizer = Recording(additive=False)
    counter = TokenCounter(tokenizer)
    assert [104, 104, 103] == [
        counter.request(TALK, ()), counter.request(list(TALK), ()), counter.request(TALK[:3], ()),
    ]  # fmt: skip
    assert 2 == tokenizer.requests
    counter.request(TALK, messages.tools([{"name": "look"}]))
    assert 3 == tokenizer.requests


def test_whole_proves_an_additive_sum(chatml: LocalTokenizer) -> None:
    """``whole`` renders once and then remembers."""
    counter = TokenCounter(chatml)
    chat = [TALK[0], *TOOL_TURN]
    tools = messages.tools([{"name": "look"}])
    assert counter.request(chat, tools) == counter.whole(chat, tools)
    spent = counter.encoded_texts
    counter.whole(chat, tools)
    assert spent == counter.encoded_texts


def test_a_refusal_is_not_cached_as_a_count() -> None:
    """What the template refuses is refused again."""
    counter = TokenCounter(small(STRICT))
    for _ in range(2):
        with pytest.raises(TemplateError):
            counter.request(TALK, ())


@pytest.mark.parametrize("limits", [{"entries": 2}, {"characters": 6}])
def test_the_cache_is_bounded_and_still_right(limits: dict[str, int]) -> None:
    """Old counts are dropped by number and by characters, and made again when needed."""
    tokenizer = Recording()
    counter = TokenCounter(tokenizer, **limits)
    said = [messages.message({"role": "user", "content": f"{i:03}"}) for i in range(9)]
    assert [1] * 18 == [counter.unit([message]) for message in [*said, *said]]
    assert 18 == len(tokenizer.units)
    counter.unit([said[-1]])
    assert 18 == len(tokenizer.units), "the newest is still there"


def test_a_text_longer_than_the_cache_is_counted() -> None:
    """Nothing is too long to count; it is only not kept."""
    counter = TokenCounter(Recording(), characters=5)
    assert [10, 10] == [counter.text("x" * 10), counter.text("x" * 10)]
    assert 2 == counter.encoded_texts


def test_threads_share_a_counter(gemma: LocalTokenizer) -> None:
    """Many threads get the counts that one gets."""
    said = [
        messages.message({"role": "user", "content": f"Number {i % 50} of {i % 7}."})
        for i in range(400)
    ]
    counter = TokenCounter(gemma, entries=20)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda message: counter.unit([message]), said))
    assert [gemma.count_unit([message]) for message in said] == found
