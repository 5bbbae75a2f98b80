"""OpenAI Agents SDK: a session over a conversation, and the engine's request for each call."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from agents import (
    Agent,
    RunConfig,
    Runner,
    SQLiteSession,
    UserError,
    function_tool,
    handoff,
)
from agents.memory import Session, SessionSettings
from agents.models.fake_id import FAKE_RESPONSES_ID
from agents.run_config import CallModelData, ModelInputData

from palimpsest import Budget, Memory
from palimpsest import messages as reading
from palimpsest.bench.suite import SuiteTurn
from palimpsest.errors import InputError, NotPrepared, RequiredContextTooLarge
from palimpsest.integrations.openai_agents import AgentSession, from_chat, to_chat
from palimpsest.integrations.openai_agents.items import schemas
from palimpsest.protocols import Tokenizer
from tests.support.agent_models import Scripted, call, thought, words
from tests.support.frameworks import SECRET, THREAD, USER, Core, chat_of, load, opened, turns
from tests.support.suites import Words

BUDGET = Budget(window=600, answer=50)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", tokenizer=Words()) as found:
        yield found


def session(memory: Memory, **more: Any) -> AgentSession:
    """Ana's session."""
    given = {"user": USER, "session_id": THREAD, "budget": BUDGET, **more}
    return AgentSession(memory, **given)


def config(of: AgentSession) -> RunConfig:
    """How a run is told of it; nothing leaves this machine."""
    return RunConfig(call_model_input_filter=of.model_input, tracing_disabled=True)


def run(agent: Agent[Any], text: str, of: AgentSession) -> str:
    """One run; its answer."""
    return str(asyncio.run(Runner.run(agent, text, session=of, run_config=config(of))).final_output)


def items(of: Session) -> list[Any]:
    return asyncio.run(of.get_items())


def sent(seen: tuple[str | None, list[Any]]) -> list[dict[str, Any]]:
    """What the model was sent, as chat messages."""
    instructions, given = seen
    head = [{"role": "system", "content": instructions}] if instructions else []
    return [*head, *to_chat(given)]


def test_every_call_of_a_run_is_sent_what_the_core_builds(gemma: Tokenizer) -> None:
    """Fifty turns through the SDK's own runner: the same messages and tokens, turn by turn."""
    suite = load("travel-50")
    core, mine = Core(suite, gemma), session(opened(suite, gemma), budget=suite.budget)
    for item in turns(suite):
        question, answer = chat_of(item)
        model = Scripted([[words(answer["content"])]])
        agent = Agent(name="guide", instructions=suite.instructions, model=model)
        assert answer["content"] == run(agent, question["content"], mine)
        (expected,) = core.asked(item)
        assert expected.messages == sent(model.seen[0]), item.number
        assert expected.tokens == mine.conversation.requests(1)[0].tokens
        Core.label(item, mine.conversation)
    assert core.talk.turns() == mine.conversation.turns()
    assert all(SECRET not in str(message) for message in sent(model.seen[0]))


def test_calls_and_their_results_are_sent_as_the_core_sends_them(tool_text: Tokenizer) -> None:
    """Sixty turns with tools, several calls a turn among them, through session and filter."""
    suite = load("atelier-60")
    core = Core(suite, tool_text)
    mine = session(
        opened(suite, tool_text), budget=suite.budget, tools=[t.as_dict() for t in suite.tools]
    )
    agent: Agent[Any] = Agent(name="atelier")

    async def play() -> None:
        for item in map(_as_items_say, turns(suite)):
            expected = core.asked(item)
            for message in chat_of(item):
                if message["role"] == "assistant":
                    data = CallModelData(
                        model_data=ModelInputData(
                            input=await mine.get_items(), instructions=suite.instructions
                        ),
                        agent=agent, context=None,
                    )  # fmt: skip
                    filtered = await mine.model_input(data)
                    request = next(expected)
                    told = sent((filtered.instructions, filtered.input))
                    assert request.messages == told, item.number
                    assert request.tokens == mine.conversation.requests(1)[0].tokens
                await mine.add_items(from_chat([message]))
            assert [] == list(expected)
            Core.label(item, mine.conversation)

    asyncio.run(play())
    assert core.talk.turns() == mine.conversation.turns()


def _as_items_say(item: SuiteTurn) -> SuiteTurn:
    """The turn without the one key of a part (``cache_control``) that items have no place for."""
    said = to_chat(from_chat(chat_of(item)))
    return dataclasses.replace(
        item, turn=dataclasses.replace(item.turn, messages=reading.messages(said))
    )


@pytest.mark.parametrize("streamed", [False, True])
def test_a_run_with_tools_keeps_its_steps_and_their_ids(memory: Memory, streamed: bool) -> None:
    """What this run's model made comes back to it as it was: thoughts, ids and all."""

    @function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    model = Scripted([
        [thought(), call("weather", '{"city":"Oslo"}', "c1"), call("weather", '{"city":"Rome"}', "c2")],
        [words("Sunny in both.")],
        [words("You are welcome.")],
    ])  # fmt: skip
    agent = Agent(name="guide", instructions="Be kind.", tools=[weather], model=model)
    mine = session(memory)

    async def play() -> None:
        for text in ("Weather in Oslo and Rome?", "Thank you."):
            if streamed:
                made = Runner.run_streamed(agent, text, session=mine, run_config=config(mine))
                async for _ in made.stream_events():
                    pass
            else:
                await Runner.run(agent, text, session=mine, run_config=config(mine))

    asyncio.run(play())
    steps = [item.get("id") for item in model.seen[1][1][1:]]
    assert ["rs_1", "fc_c1", "fc_c2", None, None] == steps
    assert {None, FAKE_RESPONSES_ID} == {item.get("id") for item in model.seen[2][1]}
    assert ["Be kind."] * 3 == [instructions for instructions, _ in model.seen]
    roles = [[m.role for m in turn.messages] for turn in mine.conversation.turns()]
    assert [["user", "assistant", "tool", "tool", "assistant"], ["user", "assistant"]] == roles


def test_the_request_fits_whatever_the_session_holds(memory: Memory) -> None:
    """A long history is cut by the engine; a question that alone is too long is refused."""
    mine = session(memory, budget=Budget(window=120, answer=20))
    model = Scripted([[words("word " * 30)] for _ in range(12)])
    agent = Agent(name="guide", instructions="Be kind.", model=model)
    for number in range(12):
        run(agent, f"Question {number}: {'word ' * 10}", mine)
    assert 24 == len(items(mine))
    assert len(model.seen[-1][1]) < 8
    kept = mine.conversation.requests(50)
    assert all(request.tokens <= 100 for request in kept)
    with pytest.raises(RequiredContextTooLarge):
        run(agent, "word " * 200, mine)


def test_what_is_forgotten_is_in_no_later_call_and_no_item(memory: Memory) -> None:
    """In the items of the session as in the request."""
    mine = session(memory)
    model = Scripted([[words("Noted: P1234567.")], [words("I do not know.")]])
    agent = Agent(name="guide", model=model)
    run(agent, "My passport is P1234567.", mine)
    assert "P1234567" in str(items(mine))
    mine.conversation.forget(value="P1234567")
    run(agent, "What is my passport?", mine)
    assert "P1234567" not in str(items(mine))
    assert "P1234567" not in str(model.seen[-1])


def test_a_call_of_another_session_is_refused(memory: Memory) -> None:
    """Without session=, and for an agent that is a tool of another: neither is sent."""
    mine = session(memory)
    run(Agent(name="guide", model=Scripted([[words("Hello.")]])), "Hello.", mine)
    with pytest.raises(InputError, match="give the run session= and this filter together"):
        asyncio.run(
            Runner.run(
                Agent(name="guide", model=Scripted([[words("No.")]])), "Hello.",
                run_config=config(mine),
            )
        )  # fmt: skip
    inner = Scripted([[words("Inside.")]])
    expert = Agent(name="expert", model=inner)
    for own, seen in ((None, 0), (RunConfig(tracing_disabled=True), 1)):
        tool = expert.as_tool("ask", "Ask an expert.", run_config=own, failure_error_function=None)
        outer = Scripted([[call("ask", '{"input":"Hm?"}', "c1")], [words("Done.")]])
        agent = Agent(name="guide", model=outer, tools=[tool])
        other = session(memory, session_id=f"own-{own is None}")
        if own is None:
            with pytest.raises(UserError, match="an agent that is a tool a run_config of its own"):
                run(agent, "Ask.", other)
        else:
            assert "Done." == run(agent, "Ask.", other)
        assert seen == len(inner.seen)


def test_a_session_gives_what_the_sessions_of_the_sdk_give(memory: Memory) -> None:
    """The same calls on the SDK's own SQLite session: the same items, newest limit and all."""
    said = [
        {"role": "user", "content": "Hello."},
        *from_chat([{"role": "assistant", "content": "Hi."}]),
        {"role": "user", "content": [
            {"type": "input_text", "text": "What is this?"},
            {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "low"},
        ]},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call", "call_id": "c2", "name": "look", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "a cat"},
        {"type": "function_call_output", "call_id": "c2", "output": "a dog"},
        *from_chat([{"role": "assistant", "content": "A cat and a dog."}]),
    ]  # fmt: skip

    async def play(of: Any) -> list[Any]:
        assert isinstance(of, Session)
        found: list[Any] = [await of.get_items()]
        for part in (said[:2], said[2:3], said[3:5], said[5:7], said[7:]):
            await of.add_items(part)
        await of.add_items([])
        found += [await of.get_items(limit) for limit in (None, 0, 1, 3, 100)]
        # Item by item, also out of the middle of what one message made.
        for _ in range(5):
            found.append(await of.pop_item())
            found.append(await of.get_items())
        await of.add_items(said[3:])
        found.append(await of.get_items())
        await of.clear_session()
        found += [await of.get_items(), await of.pop_item()]
        await of.add_items(said[:1])
        found.append(await of.get_items())
        return found

    assert asyncio.run(play(SQLiteSession("x"))) == asyncio.run(play(session(memory)))


def test_what_is_taken_back_is_as_if_it_had_not_been_said(memory: Memory) -> None:
    """With what was read of it; what the application remembered stays."""
    mine = session(memory)
    run(Agent(name="guide", model=Scripted([[words("Nice.")]])), "I live in Oslo.", mine)
    mine.conversation.remember("I like tea.")
    mine.conversation.reflect()
    assert ["I like tea.", "I live in Oslo."] == [m.text for m in mine.conversation.current()]

    async def back() -> list[Any]:
        return [await mine.pop_item(), await mine.pop_item(), await mine.pop_item()]

    answer, question, none = asyncio.run(back())
    assert ("Nice.", "I live in Oslo.", None) == (
        answer["content"][0]["text"], question["content"], none,
    )  # fmt: skip
    assert ["I like tea."] == [m.text for m in mine.conversation.current()]


def test_a_run_that_fails_leaves_a_question_that_the_next_run_continues(memory: Memory) -> None:
    """As with the SDK's sessions, the question is stored before the model is asked."""
    mine = session(memory)
    model = Scripted([RuntimeError("down"), [words("Here.")]])
    agent = Agent(name="guide", model=model)
    with pytest.raises(RuntimeError):
        run(agent, "Are you there?", mine)
    assert "Here." == run(agent, "Hello?", mine)
    assert ["user", "user", "assistant"] == [item["role"] for item in items(mine)]


def test_the_settings_of_a_session_limit_what_is_read(memory: Memory) -> None:
    """The SDK's own setting; the request is the engine's all the same."""
    mine = session(memory, session_settings=SessionSettings(limit=2))
    model = Scripted([[words(f"Answer {n}.")] for n in range(3)])
    for number in range(3):
        run(Agent(name="guide", model=model), f"Question {number}.", mine)
    assert 2 == len(items(mine))
    assert 5 == len(model.seen[-1][1])


def test_functions_and_handoffs_are_counted(memory: Memory) -> None:
    """What the agent offers its model takes tokens of the request."""

    @function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return city

    other: Agent[Any] = Agent(name="other")
    third: Agent[Any] = Agent(name="third")
    agent: Agent[Any] = Agent(name="guide", tools=[weather], handoffs=[other, handoff(third)])
    assert ["weather", "transfer_to_other", "transfer_to_third"] == [
        each["function"]["name"] for each in schemas(agent)
    ]


def test_what_has_no_item_or_message_is_named() -> None:
    """An error says which part, and which there are."""
    with pytest.raises(InputError, match="item_reference|Unhandled"):
        to_chat([{"type": "message", "role": "nobody", "content": "x"}])  # type: ignore[list-item]
    with pytest.raises(InputError, match="'video' has no item; the types are: text, image_url"):
        from_chat([{"role": "user", "content": [{"type": "video"}]}])


def test_without_the_extra_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever installed the core alone reads what to install."""
    for name in [n for n in sys.modules if n.startswith("palimpsest.integrations.openai_agents")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "agents", None)
    with pytest.raises(NotPrepared, match=r"pip install 'palimpsest-memory\[openai-agents\]'"):
        __import__("palimpsest.integrations.openai_agents")


@pytest.mark.parametrize(
    ("user", "session_id"), [("", "s"), (" ", "s"), (None, "s"), ("ana", ""), ("ana", None)]
)
def test_a_session_names_its_user_and_itself(memory: Memory, user: Any, session_id: Any) -> None:
    """Nobody is anybody by default, and it is told where the session is made."""
    with pytest.raises(InputError, match="names nobody"):
        AgentSession(memory, user=user, session_id=session_id, budget=Budget(window=512, answer=8))
