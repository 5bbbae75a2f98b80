"""pydantic-ai: a capability and a history processor send the engine's request."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    ImageUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import RunContext

from palimpsest import Budget, Memory
from palimpsest.errors import InputError, RequiredContextTooLarge
from palimpsest.integrations.pydantic_ai import AgentMemory, from_chat, to_chat
from palimpsest.protocols import Tokenizer
from tests.support.frameworks import SECRET, THREAD, USER, Core, bare, chat_of, load, opened, turns
from tests.support.suites import Words

BUDGET = Budget(window=400, answer=50)
Answer = str | ToolCallPart


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", tokenizer=Words()) as found:
        yield found


class Scripted:
    """Gives the answers that it was given, and keeps what it was sent."""

    def __init__(self, *answers: Answer | list[ToolCallPart]) -> None:
        self.answers = list(answers)
        self.seen: list[list[ModelMessage]] = []
        self.info: list[AgentInfo] = []
        self.model = FunctionModel(self.answer)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.seen.append(list(messages))
        self.info.append(info)
        given = self.answers.pop(0)
        if isinstance(given, str):
            return ModelResponse(parts=[TextPart(given)])
        return ModelResponse(parts=given if isinstance(given, list) else [given])

    def said(self, at: int = -1) -> list[tuple[str, Any]]:
        """What one call was sent, as roles and contents."""
        return [(m["role"], m["content"]) for m in to_chat(self.seen[at], output_tools=())]


def run(agent: Agent[Any, Any], prompt: Any, **more: Any) -> Any:
    """One run in an event loop of its own, which is closed; run_sync leaves its loop open."""
    return asyncio.run(agent.run(prompt, **more))


def remembering(memory: Memory, **more: Any) -> AgentMemory:
    return AgentMemory(memory, **{"budget": BUDGET, "user": USER, "conversation": THREAD, **more})


Way = Callable[[AgentMemory], Any]
WAYS = {
    "capability": lambda memory: memory,
    "processor": lambda memory: ProcessHistory(memory.process),
    "plain": lambda memory: ProcessHistory(memory.process_messages),
}
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("travel-50", WAYS["plain"]), ("atelier-60", WAYS["capability"]),
        ("atelier-60", WAYS["processor"]),
    ],
    ids=["travel-50-plain", "atelier-60-capability", "atelier-60-processor"],
)  # fmt: skip
def test_every_model_call_is_sent_what_the_core_builds(
    name: str, way: Way, gemma: Tokenizer, tool_text: Tokenizer
) -> None:
    """Same messages, tokens and ledger in every turn of a real agent, tools and all."""
    suite = load(name)
    tokenizer = gemma if name == "travel-50" else tool_text
    core = Core(suite, tokenizer)
    tools = [each.as_dict() for each in suite.tools]
    adapter = remembering(
        opened(suite, tokenizer), budget=suite.budget, instructions=suite.instructions, tools=tools
    )
    script = Scripted()
    results: dict[str, str] = {}
    agent = Agent(script.model, capabilities=[way(adapter)])

    @agent.tool
    def stock(ctx: RunContext[None], reference: str) -> str:
        return results[str(ctx.tool_call_id)]

    @agent.tool
    def message(ctx: RunContext[None], a: str, texte: str) -> str:
        return results[str(ctx.tool_call_id)]

    built: list[Any] = []
    request = adapter._history.request
    adapter._history = Spy(adapter._history, built)  # type: ignore[assignment]
    history: list[ModelMessage] = []
    for item in turns(suite):
        # A text of pydantic-ai carries no mark for a cache; all else of the suite it can say.
        chat = to_chat(from_chat(chat_of(item)))
        results |= {m["tool_call_id"]: m["content"] for m in chat if m["role"] == "tool"}
        script.answers = [
            list(response.parts)  # type: ignore[misc]
            for response in from_chat(chat)
            if isinstance(response, ModelResponse)
        ]
        prompt = from_chat(chat)[0].parts[0]
        assert isinstance(prompt, UserPromptPart)
        ran = run(agent, prompt.content, message_history=history)
        history = ran.all_messages()
        if way is not WAYS["capability"]:
            adapter.observe(history, adapter.conversation(None))
        assert list(core.asked(item, chat)) == [bare(each) for each in built]
        assert core.talk.turns()[-1] == adapter.conversation(None).turns()[-1]
        built.clear()
        Core.label(item, adapter.conversation(None))
        for point in suite.checkpoints:
            if point.after == item.number:
                asked = [*history, ModelRequest(parts=[UserPromptPart(point.question or "")])]
                found = request(adapter._held(asked), adapter.conversation(None))
                assert core.request(point.question) == bare(found)
    assert core.talk.turns() == adapter.conversation(None).turns()


class Spy:
    """Keeps every request that a history builds."""

    def __init__(self, history: Any, built: list[Any]) -> None:
        self._history, self._built = history, built

    def __getattr__(self, name: str) -> Any:
        return getattr(self._history, name)

    def request(self, *args: Any, **kwargs: Any) -> Any:
        self._built.append(self._history.request(*args, **kwargs))
        return self._built[-1]


@ways
def test_calls_and_returns_stay_paired(way: Way, memory: Memory) -> None:
    """Two calls at once and one after: the model sees each with its return, and each is stored."""
    script = Scripted(
        [ToolCallPart("stock", {"reference": "5D"}, "c1"), ToolCallPart("stock", {"reference": "2F"}, "c2")],
        ToolCallPart("stock", '{"reference": "9Z"}', "c3"),
        "Four each.", "Yes.",
    )  # fmt: skip
    adapter = remembering(memory)
    agent = Agent(script.model, capabilities=[way(adapter)])

    @agent.tool_plain
    def stock(reference: str) -> dict[str, int]:
        return {reference: 4}

    first = run(agent, "How many?")
    run(agent, "Sure?", message_history=first.all_messages())
    roles = [[role for role, _ in script.said(at)] for at in range(4)]
    third = ["user", "assistant", "tool", "tool", "assistant", "tool"]
    assert [["user"], third[:4], third, [*third, "assistant", "user"]] == roles
    assert ("tool", '{"9Z":4}') == script.said(2)[-1]
    assert len(adapter.conversation(None).turns()[0].messages) == 7


@ways
def test_the_agents_own_history_leads_to_no_second_copy(way: Way, memory: Memory) -> None:
    """Kept in memory, written as JSON and read again, or dropped: each exchange is stored once."""
    script = Scripted(*["ok"] * 9)
    adapter = remembering(memory)
    agent = Agent(script.model, capabilities=[way(adapter)], system_prompt="Be brief.")
    history: list[ModelMessage] = []
    for number in range(9):
        ran = run(agent, "go", message_history=history)
        history = ran.all_messages()
        if number % 3 == 1:
            history = ModelMessagesTypeAdapter.validate_json(
                ModelMessagesTypeAdapter.dump_json(history)
            )
        assert [("system", "Be brief.")] == script.said()[:1]
        assert 2 * number + 2 == len(script.said())
    if way is not WAYS["capability"]:
        adapter.observe(history, adapter.conversation(None))
    assert 9 == adapter.conversation(None).last_turn()


def test_runs_without_a_history_remember(memory: Memory) -> None:
    """An agent that keeps nothing itself has the conversation all the same."""
    script = Scripted(*["ok"] * 3)
    agent = Agent(script.model, capabilities=[remembering(memory)])
    for _ in range(3):
        run(agent, "go")
    assert [("user", "go"), ("assistant", "ok")] * 2 == script.said()[:4]
    assert 3 == memory.conversation(user=USER, id=THREAD).last_turn()


@ways
def test_a_forgotten_value_is_in_no_later_call(way: Way, memory: Memory) -> None:
    """The agent's history still holds it; the model is not sent it, and it is not stored again."""
    script = Scripted(f"Noted: {SECRET}.", "Fine.", "Fine.", "Fine.")
    adapter = remembering(memory)
    agent = Agent(script.model, capabilities=[way(adapter)])
    history = run(agent, f"My passport is {SECRET}.").all_messages()
    history = run(agent, "I like tea.", message_history=history).all_messages()
    talk = adapter.conversation(None)
    assert SECRET in str(script.said())
    adapter.observe(history, talk)
    talk.forget(value=SECRET)
    for words in ("And coffee?", "And milk?"):
        history = run(agent, words, message_history=history).all_messages()
        assert SECRET not in str(script.said())
    adapter.observe(history, talk)
    assert SECRET not in str(talk.turns())
    assert (4, [0]) == (talk.last_turn(), [each.lifted for each in talk.deletions()])
    assert memory.audit(SECRET).clean


class City(BaseModel):
    name: str


@ways
def test_an_output_tool_is_an_answer(way: Way, memory: Memory) -> None:
    """What a run with a structured output answered ends its turn; no call waits for ever."""
    script = Scripted(
        ToolCallPart("final_result", {"name": 7}, "c1"),
        ToolCallPart("final_result", {"name": "Oslo"}, "c2"),
        ToolCallPart("final_result", {"name": "Bergen"}, "c3"),
    )
    adapter = remembering(memory)
    agent = Agent(script.model, output_type=City, capabilities=[way(adapter)])
    first = run(agent, "Which city?")
    assert "Oslo" == first.output.name
    run(agent, "Another?", message_history=first.all_messages())
    assert ("assistant", '{"name": "Oslo"}') == script.said()[-2]
    assert not any(turn.open for turn in adapter.conversation(None).turns())


@ways
def test_a_refused_answer_is_seen_once_and_never_stored(way: Way, memory: Memory) -> None:
    """The model is told what was wrong with its answer; the history has the answer that held."""
    script = Scripted("Osl", "Oslo", "Yes.")
    adapter = remembering(memory)
    agent = Agent(script.model, capabilities=[way(adapter)])

    @agent.output_validator
    def known(city: str) -> str:
        if city == "Osl":
            raise ModelRetry("there is no such city")
        return city

    first = run(agent, "Which city?")
    assert "there is no such city" in str(script.seen[1])
    run(agent, "Sure?", message_history=first.all_messages())
    assert [("user", "Which city?"), ("assistant", "Oslo"), ("user", "Sure?")] == script.said()
    assert "no such city" not in str(adapter.conversation(None).turns())


def test_instructions_and_tools_are_counted_and_sent_once(memory: Memory) -> None:
    """What the agent is told is in the request, whoever tells it, and once."""
    script = Scripted("ok", "ok", "ok")
    built: list[Any] = []
    adapter = remembering(memory, instructions="Be kind.")
    adapter._history = Spy(adapter._history, built)  # type: ignore[assignment]
    for way in WAYS.values():
        agent = Agent(
            script.model,
            instructions="Be brief.",
            system_prompt="Be true.",
            capabilities=[way(adapter)],
        )
        agent.tool_plain(sheets)
        run(agent, "Hi")
    assert "Be kind.\n\nBe true.\n\nBe brief." == built[0].messages[0]["content"]
    assert ["sheets"] == [tool.name for tool in built[0].tools]
    sent = [(str(m), i.instructions or "") for m, i in zip(script.seen, script.info, strict=True)]
    assert [("Be kind.\n\nBe true.\n\nBe brief.", "")] == [
        (script.said(0)[0][1], script.info[0].instructions or "")
    ]
    assert ["Be kind.\n\nBe true.", "Be kind.\n\nBe true."] == [
        script.said(at)[0][1] for at in (1, 2)
    ]
    assert ["Be brief.", "Be brief."] == [told for _, told in sent[1:]]


def sheets(reference: str) -> str:
    """Sheets in store."""
    return "4"


def test_a_model_that_fails_leaves_no_half_turn(memory: Memory) -> None:
    """The question is stored with its answer, and may be asked again."""
    script = Scripted()
    agent = Agent(script.model, capabilities=[remembering(memory)])
    with pytest.raises(IndexError):
        run(agent, "Are you there?")
    assert 0 == memory.conversation(user=USER, id=THREAD).last_turn()
    script.answers.append("Yes.")
    run(agent, "Are you there?")
    assert 1 == memory.conversation(user=USER, id=THREAD).last_turn()


def test_a_request_that_cannot_fit_is_refused(memory: Memory) -> None:
    """The run ends with the error of the core."""
    agent = Agent(
        TestModel(), capabilities=[remembering(memory, budget=Budget(window=8, answer=2))]
    )
    with pytest.raises(RequiredContextTooLarge):
        run(agent, "one two three four five six seven")


def test_the_frameworks_own_test_model_runs(memory: Memory) -> None:
    """TestModel calls every tool; the turn is stored whole."""
    agent = Agent(TestModel(), capabilities=[remembering(memory)])
    agent.tool_plain(sheets)
    run(agent, "Go")
    (turn,) = memory.conversation(user=USER, id=THREAD).turns()
    assert ["user", "assistant", "tool", "assistant"] == [m.role for m in turn.messages]


@dataclass
class Deps:
    user: str


def test_users_are_apart(memory: Memory) -> None:
    """The run's own dependencies name the user, from many threads at once."""
    adapter = remembering(
        memory, user=lambda ctx: ctx.deps.user, conversation=lambda ctx: f"of {ctx.deps.user}"
    )

    def talk(user: str) -> str:
        script = Scripted(*[f"yes {user}"] * 5)
        agent = Agent(script.model, deps_type=Deps, capabilities=[adapter])
        for number in range(5):
            run(agent, f"{number} of {user}", deps=Deps(user))
        return str([script.said(at) for at in range(5)])

    names = [f"user{i}" for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for name, sent in zip(names, pool.map(talk, names), strict=True):
            assert not any(other in sent for other in names if other != name)
            assert 5 == memory.conversation(user=name, id=f"of {name}").last_turn()
    with pytest.raises(InputError, match="user: is a function of the run's context"):
        adapter.process_messages([ModelRequest(parts=[UserPromptPart("Hi")])])
    with pytest.raises(InputError, match="user: '' names nobody"):
        remembering(memory, user="").conversation(None)


@ways
def test_the_event_loop_goes_on(way: Way, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine works in a thread of its own."""
    adapter, ran = remembering(memory), list[threading.Thread]()
    sent = adapter._sent

    def slow(*args: Any) -> Any:
        ran.append(threading.current_thread())
        time.sleep(0.3)
        return sent(*args)

    monkeypatch.setattr(adapter, "_sent", slow)

    async def beating() -> int:
        beats = 0
        task = asyncio.create_task(
            Agent(Scripted("Hi.").model, capabilities=[way(adapter)]).run("Hello")
        )
        while not task.done():
            await asyncio.sleep(0.02)
            beats += 1
        await task
        return beats

    assert 8 < asyncio.run(beating())
    assert threading.main_thread() not in ran


def test_messages_come_back_as_they_went() -> None:
    """Roles, calls, returns, failed returns, thoughts, images: what a model is sent, both ways."""
    image = BinaryContent.from_data_uri("data:image/png;base64,AAE=")
    messages: list[ModelMessage] = [
        ModelRequest(parts=[SystemPromptPart("Be brief."), UserPromptPart("Hello")]),
        ModelResponse(parts=[ThinkingPart("7?", signature="s"), TextPart("Wait."), ToolCallPart("f", {"é": [1, None]}, "c1")]),
        ModelRequest(parts=[ToolReturnPart("f", "7", "c1"), UserPromptPart(["Look", ImageUrl("https://example.org/a.png"), image])]),
        ModelResponse(parts=[ToolCallPart("g", "{}", "c2")]),
        ModelRequest(parts=[ToolReturnPart("g", ["one", image], "c2", outcome="failed")]),
        ModelResponse(parts=[TextPart("Seven.")]),
    ]  # fmt: skip
    back = from_chat(to_chat(messages))

    def shape(found: list[ModelMessage]) -> list[Any]:
        return [
            [(p.part_kind, getattr(p, "content", None), getattr(p, "tool_call_id", None),
              p.args_as_dict() if isinstance(p, ToolCallPart) else None) for p in m.parts]
            for m in found
        ]  # fmt: skip

    assert shape(messages) == shape(back)
    assert to_chat(messages) == to_chat(back)
    assert "failed" == back[4].parts[0].outcome  # type: ignore[union-attr]


def test_what_is_no_chat_message_is_refused() -> None:
    """The error names the place; a cache point is left out, for its place is not there any more."""
    upload = UploadedFile(file_id="f1", provider_name="openai")
    with pytest.raises(InputError, match=r"messages\[0\].parts\[0\].content\[1\]: UploadedFile"):
        to_chat([ModelRequest(parts=[UserPromptPart(["Look", upload])])])
    with pytest.raises(InputError, match=r"messages\[0\]: 'text' is not a message"):
        to_chat(["text"])  # type: ignore[list-item]
    cached = ModelRequest(parts=[UserPromptPart(["Look", CachePoint()])])
    assert [{"role": "user", "content": [{"type": "text", "text": "Look"}]}] == to_chat([cached])
