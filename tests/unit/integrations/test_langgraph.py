"""LangGraph: a graph's model is sent the engine's request, whatever the state still holds."""

from __future__ import annotations

import asyncio
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import create_react_agent
from pydantic import Field
from typing_extensions import TypedDict

from palimpsest import Budget, Memory
from palimpsest.errors import InputError, RequiredContextTooLarge
from palimpsest.integrations.langchain import GraphMemory, from_chat, newest_turns, to_chat
from palimpsest.protocols import Tokenizer
from tests.support.frameworks import SECRET, THREAD, USER, Core, bare, chat_of, load, opened, turns
from tests.support.suites import Words

CONFIG: RunnableConfig = {"configurable": {"user_id": USER, "thread_id": THREAD}}
BUDGET = Budget(window=400, answer=50)


@pytest.fixture(autouse=True)
def no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "false")


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", tokenizer=Words()) as found:
        yield found


class Scripted(BaseChatModel):
    """Gives the answers that it was given, and keeps what it was sent."""

    answers: list[BaseMessage]
    seen: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        self.seen.append(list(messages))
        return ChatResult(generations=[ChatGeneration(message=self.answers.pop(0))])


class State(TypedDict):
    messages: Annotated[list[AnyMessage], newest_turns]


def agent(model: Scripted, memory: GraphMemory, **more: Any) -> Any:
    """The agent that LangGraph ships, with the hooks."""
    with warnings.catch_warnings():
        # It moved to another package; the hooks are the same.
        warnings.simplefilter("ignore")
        return create_react_agent(
            model, more.pop("tools", []), pre_model_hook=memory.pre_model_hook,
            post_model_hook=memory.post_model_hook, **more,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "cut"), [("travel-50", False), ("travel-50", True), ("atelier-60", True)]
)
def test_every_model_call_is_sent_what_the_core_builds(
    name: str, cut: bool, gemma: Tokenizer, tool_text: Tokenizer
) -> None:
    """Same messages, tokens and ledger in every turn, with a whole state and with a cut one."""
    suite = load(name)
    tokenizer = gemma if name == "travel-50" else tool_text
    core = Core(suite, tokenizer)
    hooks = GraphMemory(
        opened(suite, tokenizer), budget=suite.budget, instructions=suite.instructions,
        tools=[each.as_dict() for each in suite.tools],
    )  # fmt: skip
    talk, state = hooks.conversation(CONFIG), list[Any]()
    for item in turns(suite):
        said = from_chat(chat_of(item))
        expected = core.asked(item)
        for message in said:
            if isinstance(message, AIMessage):
                assert next(expected) == bare(hooks.request(state, CONFIG))
            state = newest_turns(state, [message]) if cut else [*state, message]
            hooks.post_model_hook({"messages": state}, CONFIG)
        assert list(expected) == []
        Core.label(item, talk)
        for point in suite.checkpoints:
            if point.after == item.number:
                asked = hooks.request([*state, HumanMessage(point.question or "")], CONFIG)
                assert core.request(point.question) == bare(asked)
    assert core.talk.turns() == talk.turns()
    assert not cut or len(state) <= 8


def test_an_agent_with_tools_runs_on_the_request(memory: Memory) -> None:
    """The shipped agent, a checkpointer, two tools at once: calls and results stay paired."""

    @tool
    def stock(reference: str) -> str:
        """Sheets in store."""
        return f"{reference}: 4"

    calls = [
        {"name": "stock", "args": {"reference": "5D"}, "id": "c1"},
        {"name": "stock", "args": {"reference": "2F"}, "id": "c2"},
    ]
    model = Scripted(
        answers=[AIMessage("", tool_calls=calls), AIMessage("Four each."), AIMessage("Yes.")]
    )
    hooks = GraphMemory(memory, budget=BUDGET, tools=[stock])
    graph = agent(model, hooks, tools=[stock], checkpointer=InMemorySaver())
    graph.invoke({"messages": [("user", "How many?")]}, CONFIG)
    graph.invoke({"messages": [("user", "Sure?")]}, CONFIG)
    kinds = [[message.type for message in sent] for sent in model.seen]
    assert [
        ["human"],
        ["human", "ai", "tool", "tool"],
        ["human", "ai", "tool", "tool", "ai", "human"],
    ] == kinds
    assert ["c1", "c2"] == [each.tool_call_id for each in model.seen[1] if each.type == "tool"]
    assert 2 == hooks.conversation(CONFIG).last_turn()
    assert ["stock"] == [each.name for each in hooks.request([HumanMessage("?")], CONFIG).tools]


def chatting(model: Scripted, hooks: GraphMemory, saver: Any = None) -> Any:
    """A graph of one node, its state cut by the reducer."""

    def chat(state: State, config: RunnableConfig) -> dict[str, Any]:
        answer = model.invoke(hooks.messages(state["messages"], config))
        hooks.observe([*state["messages"], answer], config)
        return {"messages": [answer]}

    graph = StateGraph(State)
    graph.add_node("chat", chat)
    graph.add_edge(START, "chat")
    graph.add_edge("chat", END)
    return graph.compile(checkpointer=saver)


@pytest.mark.parametrize("saver", [InMemorySaver(), None], ids=["checkpointer", "none"])
def test_any_checkpointer_or_none(memory: Memory, saver: Any) -> None:
    """A state that is kept, or that begins anew in every run, leads to the same requests."""
    model = Scripted(answers=[AIMessage("ok") for _ in range(8)])
    graph = chatting(model, GraphMemory(memory, budget=BUDGET), saver)
    held = [graph.invoke({"messages": [HumanMessage("go")]}, CONFIG) for _ in range(8)]
    assert [1, 3, 5, 7, 9, 11, 13, 15] == [len(sent) for sent in model.seen]
    assert 8 == memory.conversation(user=USER, id=THREAD).last_turn()
    assert (4 if saver else 2) == len(held[-1]["messages"])


def test_a_forgotten_value_is_in_no_later_call(memory: Memory) -> None:
    """The state still holds it; the model is not sent it, and it is not stored again."""
    model = Scripted(
        answers=[AIMessage(f"Noted: {SECRET}."), *[AIMessage("Fine.") for _ in range(4)]]
    )
    hooks = GraphMemory(memory, budget=BUDGET)
    graph = agent(model, hooks, checkpointer=InMemorySaver())
    for words in (f"My passport is {SECRET}.", "I like tea."):
        graph.invoke({"messages": [("user", words)]}, CONFIG)
    talk = hooks.conversation(CONFIG)
    assert SECRET in str(model.seen[-1])
    talk.forget(value=SECRET)
    for words in ("And coffee?", "And milk?"):
        state = graph.invoke({"messages": [("user", words)]}, CONFIG)
        assert SECRET in str(state["messages"])
        assert SECRET not in str(model.seen[-1])
    assert SECRET not in str(talk.turns())
    assert (4, [0]) == (talk.last_turn(), [each.lifted for each in talk.deletions()])
    assert memory.audit(SECRET).clean


def test_a_model_that_fails_leaves_no_half_turn(memory: Memory) -> None:
    """The question is stored with its answer, and may be asked again."""
    model = Scripted(answers=[AIMessage("Hi.")])
    hooks = GraphMemory(memory, budget=BUDGET)
    graph = agent(model, hooks, checkpointer=InMemorySaver())
    graph.invoke({"messages": [("user", "Hello")]}, CONFIG)
    with pytest.raises(IndexError):
        graph.invoke({"messages": [("user", "Are you there?")]}, CONFIG)
    assert 1 == hooks.conversation(CONFIG).last_turn()
    model.answers.append(AIMessage("Yes."))
    graph.invoke(None, CONFIG)
    assert ["Hello", "Are you there?"] == [t.user for t in hooks.conversation(CONFIG).turns()]


def test_a_graph_that_goes_back_in_time_brings_nothing_forgotten_with_it(memory: Memory) -> None:
    """A fork of the state goes on in a branch, which holds what was said up to the fork."""
    model = Scripted(
        answers=[AIMessage(f"Noted: {SECRET}."), *[AIMessage("Fine.") for _ in range(4)]]
    )
    hooks = GraphMemory(memory, budget=BUDGET)
    graph = agent(model, hooks, checkpointer=InMemorySaver())
    for words in (f"My passport is {SECRET}.", "I like tea.", "And coffee?"):
        graph.invoke({"messages": [("user", words)]}, CONFIG)
    talk = hooks.conversation(CONFIG)
    talk.forget(value=SECRET)
    back = next(
        s for s in graph.get_state_history(CONFIG) if len(s.values["messages"]) == 2 and not s.next
    )
    earlier: RunnableConfig = {"configurable": {**back.config["configurable"], "user_id": USER}}
    graph.invoke({"messages": [("user", "And water?")]}, earlier)
    graph.invoke({"messages": [("user", "Are you sure?")]}, CONFIG)
    assert (3, [0]) == (talk.last_turn(), [each.lifted for each in talk.deletions()])
    (name,) = set(memory.conversations(USER)) - {talk.scope.conversation}
    branch = memory.conversation(user=USER, id=name)
    assert ["My passport is .", "And water?", "Are you sure?"] == [t.user for t in branch.turns()]
    sent = str(model.seen[-1])
    assert (True, False, False) == ("water" in sent, "coffee" in sent, SECRET in sent)


def test_users_and_threads_are_apart(memory: Memory) -> None:
    """One store, many users: each is sent their own words, from many threads at once."""
    hooks = GraphMemory(memory, budget=BUDGET)

    def talk(user: str) -> list[str]:
        model = Scripted(answers=[AIMessage(f"yes {user}") for _ in range(6)], seen=[])
        graph = agent(model, hooks, checkpointer=InMemorySaver())
        config: RunnableConfig = {"configurable": {"user_id": user, "thread_id": "same"}}
        for number in range(6):
            graph.invoke({"messages": [("user", f"{number} of {user}")]}, config)
        return [str(message.content) for sent in model.seen for message in sent]

    names = [f"user{i}" for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for name, sent in zip(names, pool.map(talk, names), strict=True):
            assert {name} == {words.split()[-1] for words in sent}
            assert 6 == memory.conversation(user=name, id="same").last_turn()


def test_the_event_loop_goes_on(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an asynchronous run the hooks work in a thread of their own."""
    model = Scripted(answers=[AIMessage("Hi.")])
    hooks = GraphMemory(memory, budget=BUDGET)
    request, ran = hooks.request, []

    def slow(*args: Any) -> Any:
        ran.append(threading.current_thread())
        time.sleep(0.3)
        return request(*args)

    monkeypatch.setattr(hooks, "request", slow)

    async def run() -> int:
        beats = 0
        task = asyncio.create_task(
            agent(model, hooks).ainvoke({"messages": [("user", "Hello")]}, CONFIG)
        )
        while not task.done():
            await asyncio.sleep(0.02)
            beats += 1
        await task
        return beats

    assert 8 < asyncio.run(run())
    assert [threading.main_thread()] != ran


def test_messages_come_back_as_they_went() -> None:
    """Roles, names, calls, results, failed results, parts and images, both ways."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    messages: list[BaseMessage] = [
        SystemMessage("Be brief."),
        HumanMessage("Hello", name="ana"),
        HumanMessage([{"type": "text", "text": "Look", "cache_control": {"type": "ephemeral"}}, image]),
        AIMessage("", tool_calls=[{"name": "f", "args": {"é": [1, None]}, "id": "c1"}]),
        ToolMessage("7", tool_call_id="c1", name="f"),
        AIMessage("Wait.", tool_calls=[{"name": "g", "args": {}, "id": "c2"}]),
        ToolMessage([{"type": "text", "text": "bad", "x": 1}], tool_call_id="c2", status="error"),
        AIMessage("Seven.", additional_kwargs={"reasoning_content": "7"}),
        AIMessage(
            [{"type": "text", "text": "On it.", "index": 0}, {"type": "tool_use", "id": "c3", "name": "f", "input": {"a": 1}}],
            tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c3"}],
        ),
        ToolMessage("8", tool_call_id="c3"),
        AIMessage("", invalid_tool_calls=[{"name": "f", "args": "{oops", "id": "c4", "error": "not a JSON object"}]),
    ]  # fmt: skip
    assert messages == from_chat(to_chat(messages))
    assert to_chat(messages) == to_chat(from_chat(to_chat(messages)))
    streamed = [AIMessageChunk("Se") + AIMessageChunk("ven."), HumanMessageChunk("Hi")]
    assert to_chat([AIMessage("Seven."), HumanMessage("Hi")]) == to_chat(streamed)


def test_what_is_no_chat_message_is_refused() -> None:
    """The error names the place and what would do."""
    for message in (ChatMessage("x", role="critic"), RemoveMessage(id="1"), "text"):
        with pytest.raises(InputError, match=r"messages\[1\].*"):
            to_chat([HumanMessage("Hi"), message])  # type: ignore[list-item]
    assert [{"role": "user", "content": "x"}] == to_chat([ChatMessage("x", role="user")])


def test_a_run_names_its_user_and_its_thread(memory: Memory) -> None:
    """Nobody is anybody by default."""
    hooks = GraphMemory(memory, budget=BUDGET)
    for given, missing in (({"thread_id": "t"}, "user_id"), ({"user_id": "u"}, "thread_id")):
        with pytest.raises(InputError, match=rf"configurable\.{missing} is missing"):
            hooks.request([HumanMessage("Hi")], {"configurable": given})
    with pytest.raises(InputError, match="holds no list under 'messages'"):
        hooks.pre_model_hook({"other": []}, CONFIG)


def test_system_messages_are_instructions(memory: Memory) -> None:
    """What stands at the head of a state comes after the instructions of the hooks."""
    hooks = GraphMemory(memory, budget=BUDGET, instructions="Be brief.")
    held = [SystemMessage("Speak French."), SystemMessage("No jokes."), HumanMessage("Hi")]
    sent = hooks.messages(held, CONFIG)
    assert [SystemMessage("Be brief.\n\nSpeak French.\n\nNo jokes."), HumanMessage("Hi")] == sent


def test_a_request_that_cannot_fit_is_refused(memory: Memory) -> None:
    """The graph ends with the error of the core, and nothing is stored."""
    model = Scripted(answers=[])
    graph = agent(model, GraphMemory(memory, budget=Budget(window=8, answer=2)))
    with pytest.raises(RequiredContextTooLarge):
        graph.invoke({"messages": [("user", "one two three four five six seven")]}, CONFIG)
    assert () == memory.users()


def test_the_reducer_keeps_whole_turns() -> None:
    """Two answered turns and the one in progress, system messages, and no call without result."""

    def held(state: Sequence[AnyMessage]) -> list[str]:
        return [str(message.content) for message in state]

    state: Any = [SystemMessage("s", id="s")]
    for number in range(5):
        state = newest_turns(state, [HumanMessage(f"u{number}", id=f"u{number}")])
        call = {"name": "f", "args": {}, "id": f"c{number}"}
        state = newest_turns(state, [AIMessage("call", tool_calls=[call])])
        state = newest_turns(state, [ToolMessage("r", tool_call_id=f"c{number}")])
        assert held(state)[-3:] == [f"u{number}", "call", "r"]
        state = newest_turns(state, [AIMessage(f"a{number}", id=f"a{number}")])
    assert ["s", "u3", "call", "r", "a3", "u4", "call", "r", "a4"] == held(state)
    everything = [
        HumanMessage("u2", id="u2"), AIMessage("a2", id="a2"), *state[1:], HumanMessage("u5", id="u5"),
    ]  # fmt: skip
    assert [*held(state), "u5"] == held(newest_turns(state, everything))
    assert held(state)[:-1] == held(newest_turns(state, [RemoveMessage(id="a4")]))
