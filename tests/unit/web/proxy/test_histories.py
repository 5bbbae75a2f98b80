"""What a client sends again is recognised; what it changed branches off; tools and parts pass."""

from __future__ import annotations

import json
from typing import Any

import httpx
import openai
import pytest

from palimpsest import Memory
from palimpsest.types import Turn
from tests.support.proxied import settled
from tests.support.upstream import Body, Scripted, Sent, streamed, whole

CALL = {
    "id": "call-1", "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "Porto", "days": 2}'},
}  # fmt: skip
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


def user(text: Any) -> Body:
    return {"role": "user", "content": text}


def bot(text: Any, **more: Any) -> Body:
    return {"role": "assistant", "content": text, **more}


class Talk:
    """A client that keeps its history and sends it whole."""

    def __init__(self, base: str, up: Scripted, name: str, **headers: str) -> None:
        self.base, self.up, self.name, self.headers = base, up, name, headers
        self.history: list[Body] = []
        self.told: httpx.Headers = httpx.Headers()

    def say(self, text: Any, reply: str = "I see.", **body: Any) -> list[Body]:
        """Ask, keep the answer, and give what the upstream was sent."""
        self.history.append(user(text))
        return self.ask(lambda _: whole(reply), **body)

    def ask(self, answer: Any, **body: Any) -> list[Body]:
        self.up.answer = answer
        response = httpx.post(
            f"{self.base}/chat/completions", headers=self.headers, timeout=20,
            json={"model": "toy", "messages": self.history, "user": self.name, **body},
        )  # fmt: skip
        assert 200 == response.status_code, response.text
        self.told = response.headers
        self.history.append(response.json()["choices"][0]["message"])
        settled(self.base)
        return self.up.messages

    @property
    def conversation(self) -> str:
        return self.told["x-palimpsest-conversation"]


@pytest.fixture
def talk(base: str, up: Scripted, user: str) -> Talk:
    return Talk(base, up, user)


def turns(memory: Memory, talk: Talk, name: str | None = None) -> tuple[Turn, ...]:
    return memory.conversation(user=talk.name, id=name or talk.conversation).turns()


def words(memory: Memory, talk: Talk, name: str | None = None) -> list[tuple[str, str]]:
    return [(turn.user, turn.assistant) for turn in turns(memory, talk, name)]


def test_a_history_that_comes_again_is_stored_once(memory: Memory, talk: Talk) -> None:
    """Five messages, four of them with all before them: one conversation of five turns."""
    for number in range(5):
        talk.say(f"Part {number}.", f"Read {number}.")
    assert (talk.conversation,) == memory.conversations(talk.name)
    assert [(f"Part {n}.", f"Read {n}.") for n in range(5)] == words(memory, talk)


def test_the_habits_of_clients_make_no_difference(memory: Memory, talk: Talk) -> None:
    """Blanks trimmed, empty keys added or dropped, one text as a list of parts."""
    talk.say("Hello there.", "  Hello!\n")
    talk.history = [
        user([{"type": "text", "text": "Hello there."}]),
        bot("Hello!", refusal=None, annotations=[], audio=None, name="bot"),
    ]
    talk.say("And now?")
    assert (talk.conversation,) == memory.conversations(talk.name)
    assert 2 == len(turns(memory, talk))


def test_an_answer_asked_again_is_a_branch(memory: Memory, talk: Talk) -> None:
    """It shares the turns before; the first answer stays where it was."""
    talk.say("My name is Ana.", "Hello Ana.")
    talk.say("Name a river.", "The Douro.")
    first = talk.conversation
    talk.history = talk.history[:2]
    sent = talk.say("Name a river.", "The Tejo.")
    assert first != talk.conversation
    assert [("My name is Ana.", "Hello Ana."), ("Name a river.", "The Douro.")] == words(
        memory, talk, first
    )
    assert [("My name is Ana.", "Hello Ana."), ("Name a river.", "The Tejo.")] == words(
        memory, talk
    )
    assert "Douro" not in json.dumps(sent)
    second = talk.conversation
    talk.say("Good.")
    assert second == talk.conversation
    assert (first, second) == memory.conversations(talk.name)


def test_memories_branch_with_the_turns_that_they_rest_on(memory: Memory, talk: Talk) -> None:
    """What a later turn corrected is current in a branch that begins before the correction."""
    talk.say("I live in Porto.")
    memory.conversation(user=talk.name, id=talk.conversation).reflect(extractor="rules")
    before = list(talk.history)
    talk.say("I moved, I live in Lisbon now.")
    first = memory.conversation(user=talk.name, id=talk.conversation)
    first.reflect(extractor="rules")
    talk.history = before
    sent = talk.say("What do you know of me?")
    branch = memory.conversation(user=talk.name, id=talk.conversation)
    assert ["I live in Porto."] == [m.text for m in branch.current()]
    assert "Porto" not in " ".join(m.text for m in first.current())
    assert "Lisbon" not in json.dumps(sent)
    assert "I live in Porto." in sent[0]["content"]


def test_a_message_that_was_edited_in_place_takes_its_later_turns_along(
    memory: Memory, talk: Talk
) -> None:
    """A client that edits and keeps what came after: the branch holds all of it."""
    for number in range(3):
        talk.say(f"Part {number}.", f"Read {number}.")
    talk.history[2] = user("Part one, edited.")
    talk.say("Part 3.", "Read 3.")
    assert [
        ("Part 0.", "Read 0."), ("Part one, edited.", "Read 1."), ("Part 2.", "Read 2."),
        ("Part 3.", "Read 3."),
    ] == words(memory, talk)  # fmt: skip


def test_a_chat_begun_elsewhere_is_taken_over(memory: Memory, talk: Talk) -> None:
    """The first request brings a history of its own; its turns wait to be read like any."""
    talk.history = [user("I am vegan."), bot("Noted."), user("And I like tea."), bot("Noted too.")]
    talk.say("Suggest a dinner.")
    assert 3 == len(turns(memory, talk))
    read = memory.conversation(user=talk.name, id=talk.conversation).reflect(extractor="rules")
    assert [1, 2, 3] == [reflection.turn for reflection in read]


def test_two_chats_that_begin_alike_stay_two(memory: Memory, base: str, up: Scripted, user: str) -> None:  # fmt: skip
    """The words decide as soon as they differ."""
    one, two = Talk(base, up, user), Talk(base, up, user)
    for talk in (one, two):
        talk.say("Hi.", "Hello!")
    one.say("About cats.", "Cats.")
    two.say("About dogs.", "Dogs.")
    one.say("More.", "Cats again.")
    two.say("More.", "Dogs again.")
    assert {
        (("Hi.", "Hello!"), ("About cats.", "Cats."), ("More.", "Cats again.")),
        (("Hi.", "Hello!"), ("About dogs.", "Dogs."), ("More.", "Dogs again.")),
    } == {tuple(words(memory, one, name)) for name in memory.conversations(user)}


def test_a_header_names_the_conversation(memory: Memory, base: str, up: Scripted, user: str) -> None:  # fmt: skip
    """With it a client may send its newest message alone, or its history and change it."""
    thin = Talk(base, up, user, **{"X-Palimpsest-Conversation": "Porto%20%C3%A0%20pied"})
    for number in range(3):
        thin.history = []
        thin.say(f"Part {number}.", f"Read {number}.")
    assert 3 == len(turns(memory, thin, "Porto à pied"))
    assert ("Porto à pied",) == memory.conversations(user)

    fat = Talk(base, up, user, **{"X-Palimpsest-Conversation": "fat"})
    fat.say("One.", "1")
    fat.say("Two.", "2")
    fat.history = fat.history[:2]
    fat.say("Two.", "2 again")
    branch = fat.conversation
    fat.say("Three.", "3")
    assert branch == fat.conversation
    assert branch.startswith("fat~")
    assert ["1", "2"] == [said for _, said in words(memory, fat, "fat")]
    assert ["1", "2 again", "3"] == [said for _, said in words(memory, fat)]


def test_calls_and_results_stay_in_their_turn(memory: Memory, talk: Talk) -> None:
    """The call is answered, streamed in pieces, and a result joins the turn that asked for it."""
    talk.history.append(user("What is the weather?"))
    talk.up.answer = lambda _: streamed("", calls=[CALL], finish="tool_calls")
    with openai.OpenAI(base_url=talk.base, api_key="none") as client:
        stream = client.chat.completions.create(
            model="toy",
            messages=talk.history,
            tools=[TOOL],
            stream=True,
            user=talk.name,  # type: ignore[call-overload]
        )
        for _ in stream:
            pass
    settled(talk.base)
    talk.history += [
        bot(None, tool_calls=[{**CALL, "function": {**CALL["function"], "arguments": '{"city":"Porto","days":2}'}}]),
        {"role": "tool", "tool_call_id": "call-1", "content": "Sunny, 21 degrees."},
    ]  # fmt: skip
    sent = talk.ask(lambda _: whole("It is sunny."), tools=[TOOL])
    assert ["user", "assistant", "tool"] == [message["role"] for message in sent]
    assert [TOOL] == talk.up.asked[-1]["tools"]
    talk.say("Thanks.")
    (turn, _) = turns(memory, talk)
    assert ["user", "assistant", "tool", "assistant"] == [m.role for m in turn.messages]
    assert 'days": 2' in turn.messages[1].tool_calls[0].json.replace("\\", "")
    assert (talk.conversation,) == memory.conversations(talk.name)


def test_a_final_answer_asked_again_is_a_branch_too(memory: Memory, talk: Talk) -> None:
    """The fork lies in the middle of a turn with a call: the branch has its own such turn."""
    talk.history.append(user("What is the weather?"))
    talk.ask(lambda _: whole(None, tool_calls=[CALL]), tools=[TOOL])
    result = {"role": "tool", "tool_call_id": "call-1", "content": "Rain."}
    talk.history.append(result)
    talk.ask(lambda _: whole("It rains."), tools=[TOOL])
    first = talk.conversation
    talk.history.pop()
    talk.ask(lambda _: whole("Take an umbrella."), tools=[TOOL])
    assert ["It rains."] == [turn.assistant.strip() for turn in turns(memory, talk, first)]
    assert ["Take an umbrella."] == [turn.assistant.strip() for turn in turns(memory, talk)]
    assert "degraded" not in " ".join(talk.told)


def test_the_first_of_several_choices_is_the_answer(memory: Memory, talk: Talk) -> None:
    """A client that goes on with another one makes a branch."""

    def two(_: Body) -> Sent:
        made = json.loads(whole("First.").whole)
        other = {**made["choices"][0], "index": 1, "message": bot("Second.")}
        made["choices"].insert(0, other)
        return Sent(pieces=(json.dumps(made).encode(),), kind="application/json")

    talk.history.append(user("Pick one."))
    talk.ask(two, n=2)
    assert [("Pick one.", "First.")] == words(memory, talk)
    talk.history[-1] = bot("Second.")
    talk.say("Good.")
    assert [("Pick one.", "Second."), ("Good.", "I see.")] == words(memory, talk)


def test_every_other_parameter_passes_untouched(talk: Talk) -> None:
    """Known and unknown ones; numbers, nulls and depths included."""
    given = {
        "temperature": 0.7, "top_p": 1, "seed": 12345678901234567890, "stop": ["\n", "END"],
        "response_format": {"type": "json_object"}, "logit_bias": {"50256": -100},
        "stream_options": None, "x_vendor": {"deep": [1, {"a": None}], "é": "ü\u2028"},
        "max_tokens": 64, "metadata": {}, "parallel_tool_calls": False,
    }  # fmt: skip
    talk.say("Hello.", **given)
    sent = dict(talk.up.asked[-1])
    assert [user("Hello.")] == sent.pop("messages")
    assert {"model": "toy", "user": talk.name, **given} == sent


def test_instructions_stand_first_in_their_own_role(talk: Talk) -> None:
    """Several are one; a developer's stay a developer's."""
    talk.history = [{"role": "developer", "content": "Be brief."}]
    assert {"role": "developer", "content": "Be brief."} == talk.say("Hi.")[0]
    talk.history = [{"role": "system", "content": "Be brief."}, user("Hi."), bot("I see."),
                    {"role": "system", "content": "Be kind."}]  # fmt: skip
    sent = talk.say("And?")
    assert {"role": "system", "content": "Be brief.\n\nBe kind."} == sent[0]
    assert ["system", "user", "assistant", "user"] == [message["role"] for message in sent]


def test_a_picture_passes(memory: Memory, talk: Talk) -> None:
    """Where the tokenizer cannot count it, it passes with the client's own messages, flagged."""
    seen = [{"type": "text", "text": "What is this?"}, PICTURE]
    assert [user(seen)] == talk.say(seen, "A cat.")
    assert "template" == talk.told["x-palimpsest-degraded"]
    (turn,) = turns(memory, talk)
    assert [user(seen), bot("A cat.")] == [message.as_dict() for message in turn.messages]


def test_the_window_reserves_what_the_client_allows(memory: Memory, talk: Talk) -> None:
    """max_completion_tokens and max_tokens are the answer's part of the window."""
    talk.say("Hello.", max_tokens=300)
    talk.say("Hello again.", max_completion_tokens=100, max_tokens=7)
    talk.say("And again.", max_tokens=999_999)
    place = memory.conversation(user=talk.name, id=talk.conversation)
    assert 3 == len(place.requests())
    assert int(talk.told["x-palimpsest-tokens"]) == place.requests()[0].tokens
    assert talk.told["x-palimpsest-request"] == place.requests()[0].id
