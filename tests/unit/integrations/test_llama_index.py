"""LlamaIndex: a chat memory and a memory block over the engine, with real engines and agents."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import (
    AudioBlock,
    CachePoint,
    ChatMessage,
    ChatResponse,
    CitationBlock,
    CompletionResponse,
    DocumentBlock,
    ImageBlock,
    LLMMetadata,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
from pydantic import PrivateAttr

from palimpsest import Budget, Memory
from palimpsest.errors import InputError, RequiredContextTooLarge
from palimpsest.integrations.llama_index import ChatMemory, RememberedBlock, from_chat, to_chat
from palimpsest.protocols import Tokenizer
from tests.support.frameworks import SECRET, THREAD, USER, Core, bare, chat_of, load, opened, turns
from tests.support.suites import Words

BUDGET = Budget(window=400, answer=50)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", tokenizer=Words()) as found:
        yield found


class Scripted(FunctionCallingLLM):
    """Gives the answers that it was given, and keeps what it was sent."""

    _answers: list[ChatMessage] = PrivateAttr(default_factory=list)
    _seen: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, *answers: str | ChatMessage) -> Scripted:
        made = cls()
        made._answers = [
            ChatMessage(role="assistant", content=a) if isinstance(a, str) else a for a in answers
        ]
        return made

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=True, is_function_calling_model=True)

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        self._seen.append(list(messages))
        return ChatResponse(message=self._answers.pop(0))

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self.chat(messages)

    def complete(self, *args: Any, **kwargs: Any) -> CompletionResponse:
        raise NotImplementedError

    stream_complete = stream_chat = astream_chat = acomplete = astream_complete = complete

    def _prepare_chat_with_tools(
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        return {"messages": [*(chat_history or [])]}

    def get_tool_calls_from_response(
        self, response: ChatResponse, **kwargs: Any
    ) -> list[ToolSelection]:
        return [
            ToolSelection(tool_id=b.tool_call_id, tool_name=b.tool_name, tool_kwargs=b.tool_kwargs)
            for b in response.message.blocks
            if isinstance(b, ToolCallBlock)
        ]

    def said(self, at: int = -1) -> list[tuple[str, Any]]:
        return [(m["role"], m["content"]) for m in to_chat(self._seen[at])]


def chat_memory(memory: Memory, **more: Any) -> ChatMemory:
    return ChatMemory.from_defaults(
        memory, **{"budget": BUDGET, "user": USER, "conversation": THREAD, **more}
    )


@pytest.mark.parametrize("name", ["travel-50", "atelier-60"])
def test_what_is_got_is_what_the_core_builds(
    name: str, gemma: Tokenizer, tool_text: Tokenizer
) -> None:
    """Same messages, tokens and ledger before every answer of the suite."""
    suite = load(name)
    tokenizer = gemma if name == "travel-50" else tool_text
    core = Core(suite, tokenizer)
    held = chat_memory(
        opened(suite, tokenizer), budget=suite.budget, instructions=suite.instructions,
        tools=[each.as_dict() for each in suite.tools],
    )  # fmt: skip
    for item in turns(suite):
        # A text of LlamaIndex carries no mark for a cache; all else of the suite it can say.
        chat = to_chat(from_chat(chat_of(item)))
        expected = core.asked(item, chat)
        for message in from_chat(chat):
            if message.role == MessageRole.ASSISTANT:
                request = next(expected)
                assert request == bare(held.request())
                sent = from_chat(request.messages)
                assert [m.model_dump() for m in sent] == [m.model_dump() for m in held.get()]
            held.put(message)
        assert list(expected) == []
        Core.label(item, held.conversation)
        for point in suite.checkpoints:
            if point.after == item.number:
                assert core.request(point.question) == bare(held.request(point.question))
    assert core.talk.turns() == held.conversation.turns()


def test_a_chat_engine_runs_on_the_request(memory: Memory) -> None:
    """SimpleChatEngine sends the engine's messages, and its turns are stored."""
    model = Scripted.of("From noon.", "All day.", "Fine.")
    held = chat_memory(memory, instructions="Be brief.")
    engine = SimpleChatEngine.from_defaults(llm=model, memory=held)
    for words in ("Is the kiln free?", "And the wheel?"):
        engine.chat(words)
    sent = [("user", "Is the kiln free?"), ("assistant", "From noon."), ("user", "And the wheel?")]
    assert [("system", "Be brief."), *sent] == model.said()
    assert [m.content for m in engine.chat_history][-1] == "All day."
    assert 2 == held.conversation.last_turn()
    engine.reset()
    assert [] == engine.chat_history
    engine.chat("Hello?")
    assert [("system", "Be brief."), ("user", "Hello?")] == model.said()
    assert ("trip", "trip~2") == memory.conversations(USER)


def calling(*ids: str) -> ChatMessage:
    blocks = [
        ToolCallBlock(tool_call_id=id, tool_name="stock", tool_kwargs={"reference": id})
        for id in ids
    ]
    return ChatMessage(role="assistant", blocks=blocks)


@pytest.mark.filterwarnings("ignore:The `[_a-z]+` attribute is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:Accessing the '[_a-z]+' attribute:DeprecationWarning")
def test_an_agent_with_tools_runs_on_the_request(memory: Memory) -> None:
    """FunctionAgent: calls and results stay paired, and the next run is sent them."""

    def stock(reference: str) -> str:
        """Sheets in store."""
        return f"{reference}: 4"

    model = Scripted.of(calling("5D", "2F"), "Four each.", "Yes.")
    held = chat_memory(memory)
    agent = FunctionAgent(tools=[stock], llm=model, streaming=False)

    async def talk() -> None:
        await agent.run("How many?", memory=held)
        await agent.run("Sure?", memory=held)

    asyncio.run(talk())
    first = ["user", "assistant", "tool", "tool"]
    roles = [[role for role, _ in model.said(at)] for at in range(3)]
    assert [["user"], first, [*first, "assistant", "user"]] == roles
    assert [5, 2] == [len(turn.messages) for turn in held.conversation.turns()]


def test_a_forgotten_value_is_in_no_later_call(memory: Memory) -> None:
    """Nothing of it is left to get, whoever hands the old history over again."""
    model = Scripted.of(f"Noted: {SECRET}.", "Fine.", "Fine.", "Fine.")
    held = chat_memory(memory)
    engine = SimpleChatEngine.from_defaults(llm=model, memory=held)
    engine.chat(f"My passport is {SECRET}.")
    engine.chat("I like tea.")
    old = held.get_all()
    assert SECRET in str(model.said())
    held.conversation.forget(value=SECRET)
    assert SECRET not in str(held.get_all())
    engine.chat("And coffee?")
    assert SECRET not in str(model.said())
    engine.chat("And milk?", chat_history=[*old, *held.get_all()[4:]])
    assert SECRET not in str(model.said())
    assert (4, [0]) == (
        held.conversation.last_turn(), [each.lifted for each in held.conversation.deletions()],
    )  # fmt: skip
    assert memory.audit(SECRET).clean


def test_a_history_is_taken_over_once(memory: Memory) -> None:
    """What is set is recognised; one that was edited goes on in a branch, as one of another's
    words is refused."""
    held = chat_memory(memory)
    said = from_chat([
        {"role": "user", "content": "one"}, {"role": "assistant", "content": "1"},
        {"role": "user", "content": "two"}, {"role": "assistant", "content": "2"},
    ])  # fmt: skip
    for _ in range(3):
        held.set(said)
    held.set([*said, ChatMessage(role="user", content="three")])
    assert ["one", "1", "two", "2", "three"] == [m.content for m in held.get()]
    assert 2 == held.conversation.last_turn()
    first = held.conversation
    held.set([*said[:2], ChatMessage(role="user", content="x"), said[3]])
    assert ["one", "1", "x", "2"] == [m.content for m in held.get_all()]
    assert ["one", "two"] == [turn.user for turn in first.turns()]
    other = from_chat([
        {"role": "user", "content": "two"}, {"role": "assistant", "content": "9"},
        {"role": "user", "content": "x"}, {"role": "assistant", "content": "1"},
    ])  # fmt: skip
    with pytest.raises(InputError, match="do not lead up to turn 2"):
        held.set(other)
    assert ["one", "1", "x", "2"] == [m.content for m in held.get_all()]


def test_a_model_that_fails_leaves_no_half_turn(memory: Memory) -> None:
    """The question waits for its answer and is stored with it."""
    model = Scripted.of()
    held = chat_memory(memory)
    engine = SimpleChatEngine.from_defaults(llm=model, memory=held)
    with pytest.raises(IndexError):
        engine.chat("Are you there?")
    assert 0 == held.conversation.last_turn()
    assert [] == chat_memory(memory).get_all()
    model._answers.append(ChatMessage(role="assistant", content="Yes."))
    engine.chat("Hello?")
    assert ["Are you there?\nHello?"] == [turn.user for turn in held.conversation.turns()]


def test_a_request_that_cannot_fit_is_refused(memory: Memory) -> None:
    """The engine's error reaches whoever asked."""
    held = chat_memory(memory, budget=Budget(window=8, answer=2))
    engine = SimpleChatEngine.from_defaults(llm=Scripted.of("x"), memory=held)
    with pytest.raises(RequiredContextTooLarge):
        engine.chat("one two three four five six seven")


def test_users_are_apart(memory: Memory) -> None:
    """One store, many users, many threads."""

    def talk(user: str) -> str:
        model = Scripted.of(*[f"yes {user}"] * 5)
        held = chat_memory(memory, user=user)
        engine = SimpleChatEngine.from_defaults(llm=model, memory=held)
        for number in range(5):
            engine.chat(f"{number} of {user}")
        return str([model.said(at) for at in range(5)])

    names = [f"user{i}" for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for name, sent in zip(names, pool.map(talk, names), strict=True):
            assert not any(other in sent for other in names if other != name)
            assert 5 == memory.conversation(user=name, id=THREAD).last_turn()
    for user in ("", " ", None):
        with pytest.raises(InputError, match="user: .* names nobody"):
            chat_memory(memory, user=user)


def test_the_event_loop_goes_on(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The asynchronous calls work in a thread of their own."""
    held, ran = chat_memory(memory), list[threading.Thread]()
    request = ChatMemory.request

    def slow(self: ChatMemory, input: str | None = None) -> Any:
        ran.append(threading.current_thread())
        time.sleep(0.3)
        return request(self, input)

    monkeypatch.setattr(ChatMemory, "request", slow)

    async def beating() -> int:
        beats = 0
        engine = SimpleChatEngine.from_defaults(llm=Scripted.of("Hi."), memory=held)
        task = asyncio.create_task(engine.achat("Hello"))
        while not task.done():
            await asyncio.sleep(0.02)
            beats += 1
        await task
        return beats

    assert 8 < asyncio.run(beating())
    assert threading.main_thread() not in ran


# --- the block of LlamaIndex's own Memory ----------------------------------------------------


class Rows(AsyncDBChatStore):
    """LlamaIndex's chat store without SQLAlchemy's engine, which outlives an event loop."""

    rows: list[tuple[str, ChatMessage, MessageStatus]] = []  # noqa: RUF012

    async def get_messages(
        self, key: str, status: Any = MessageStatus.ACTIVE, limit: Any = None, offset: Any = None
    ) -> list[ChatMessage]:
        return [m for k, m, s in self.rows if k == key and status in (None, s)]

    async def count_messages(self, key: str, status: Any = MessageStatus.ACTIVE) -> int:
        return len(await self.get_messages(key, status))

    async def add_message(
        self, key: str, message: ChatMessage, status: Any = MessageStatus.ACTIVE
    ) -> None:
        self.rows.append((key, message, status))

    async def add_messages(
        self, key: str, messages: Any, status: Any = MessageStatus.ACTIVE
    ) -> None:
        for message in messages:
            await self.add_message(key, message, status)

    async def set_messages(
        self, key: str, messages: Any, status: Any = MessageStatus.ACTIVE
    ) -> None:
        self.rows = [row for row in self.rows if row[0] != key]
        await self.add_messages(key, messages, status)

    async def delete_message(self, key: str, idx: int) -> Any:
        raise NotImplementedError

    async def delete_messages(self, key: str, status: Any = None) -> None:
        self.rows = [row for row in self.rows if row[0] != key]

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        raise NotImplementedError

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        active = [
            i for i, row in enumerate(self.rows) if row[0] == key and row[2] == MessageStatus.ACTIVE
        ]
        for at in active[:n]:
            self.rows[at] = (key, self.rows[at][1], MessageStatus.ARCHIVED)
        return [self.rows[at][1] for at in active[:n]]

    async def get_keys(self) -> list[str]:
        return sorted({row[0] for row in self.rows})


def block_memory(memory: Memory, block: RememberedBlock, limit: int = 40) -> Any:
    return LlamaMemory.from_defaults(
        session_id="s", token_limit=limit, token_flush_size=limit // 4, memory_blocks=[block],
        insert_method="user", tokenizer_fn=str.split, chat_store=Rows(),
    )  # fmt: skip


def test_a_block_remembers_what_the_queue_let_go(memory: Memory) -> None:
    """LlamaIndex's own Memory keeps the newest messages; the block quotes what is remembered."""
    block = RememberedBlock.of(memory, budget=BUDGET, user=USER, conversation=THREAD)
    model = Scripted.of(*["Noted."] * 12)
    engine = SimpleChatEngine.from_defaults(llm=model, memory=block_memory(memory, block))
    engine.chat("I live in Oslo.")
    for number in range(10):
        engine.chat(f"Let us talk about glaze number {number} at some length now.")
        block.conversation.reflect()
    sent = model.said()
    assert "I live in Oslo." in str(sent[-1])
    assert "quoted" in str(sent[-1])
    assert ("user", "I live in Oslo.") not in sent
    assert "system" not in [role for role, _ in sent]
    engine.chat("Bye now.")
    turns_ = block.conversation.turns()
    assert 11 == len(turns_)
    assert 1 == sum(turn.user == "I live in Oslo." for turn in turns_)


def test_a_block_brings_nothing_forgotten_back(memory: Memory) -> None:
    """The queue still holds the words; no call is sent them, and they are not stored again."""
    block = RememberedBlock.of(memory, budget=BUDGET, user=USER, conversation=THREAD)
    model = Scripted.of(*["Noted."] * 12)
    engine = SimpleChatEngine.from_defaults(llm=model, memory=block_memory(memory, block, 60))
    engine.chat(f"My passport is {SECRET}.")
    engine.chat("I like tea.")
    block.conversation.forget(value=SECRET)
    for number in range(9):
        engine.chat(f"Let us talk about glaze number {number} at some length now.")
        assert SECRET not in str(model.said())
    assert SECRET not in str(block.conversation.turns())
    assert [0] == [each.lifted for each in block.conversation.deletions()]
    assert SECRET not in str(model.said())


def test_a_queue_is_sent_without_forgotten_arguments_and_with_words_said_again(
    memory: Memory,
) -> None:
    """Calls keep their results; what the user says now goes as it is, and then stays."""
    block = RememberedBlock.of(memory, budget=BUDGET, user=USER, conversation=THREAD)
    llama = block_memory(memory, block, 400)
    call = {"id": "c1", "type": "function", "function": {
        "name": "look", "arguments": json.dumps({"who": [SECRET]})}}  # fmt: skip
    said = [
        {"role": "user", "content": f"I am {SECRET}."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"Found {SECRET}."},
        {"role": "assistant", "content": "Done."},
    ]
    llama.put_messages(from_chat(said))
    llama.get(input="And?")
    block.conversation.forget(value=SECRET)
    sent = to_chat(llama.get(input="And?"))
    assert SECRET not in str(sent)
    mark = memory.config.context.redaction_marker
    assert [mark, None, mark, "Done."] == [m["content"] for m in sent[:4]]
    assert "c1" == sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"]
    llama.put(ChatMessage(role="user", content=f"I am {SECRET}, again."))
    assert f"I am {SECRET}, again." in str(to_chat(llama.get())[-1]["content"])


def test_a_block_loses_nothing_of_a_queue_that_was_filled_at_once(memory: Memory) -> None:
    """Messages that are let go before the block was ever asked are stored, and once."""
    block = RememberedBlock.of(memory, budget=BUDGET, user=USER, conversation=THREAD)
    llama = block_memory(memory, block)
    said = [
        ChatMessage(role=role, content=f"{role} message number {number} of some length")
        for number in range(12)
        for role in ("user", "assistant")
    ]
    llama.put_messages(said)
    assert block.conversation.turns()
    llama.get(input="And now?")
    assert [m.content for m in said] == [
        m.content for turn in block.conversation.turns() for m in turn.messages
    ]


def test_messages_come_back_as_they_went() -> None:
    """Roles, calls, results, thoughts, images, sounds, documents: both ways."""
    messages = [
        ChatMessage(role="system", content="Be brief."),
        ChatMessage(role="user", blocks=[TextBlock(text="Look"), ImageBlock(url="https://example.org/a.png", detail="low")]),
        ChatMessage(role="user", blocks=[ImageBlock(image=b"\x00\x01", image_mimetype="image/png"), AudioBlock(audio=b"\x00", format="mp3"), DocumentBlock(data=b"\x00", title="d")]),
        ChatMessage(role="assistant", blocks=[ThinkingBlock(content="7?", additional_information={"signature": "s"}), TextBlock(text="Wait."), ToolCallBlock(tool_call_id="c1", tool_name="f", tool_kwargs={"é": [1, None]})]),
        ChatMessage(role="tool", content="7", additional_kwargs={"tool_call_id": "c1", "name": "f"}),
        ChatMessage(role="assistant", content="Seven."),
    ]  # fmt: skip
    chat = to_chat(messages)
    assert chat == to_chat(from_chat(chat))
    for ours, theirs in zip(messages, from_chat(chat), strict=True):
        assert (ours.role, [b.model_dump() for b in ours.blocks]) == (
            theirs.role, [b.model_dump() for b in theirs.blocks],
        )  # fmt: skip
    beside = {
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ]
    }
    assert (
        beside["tool_calls"]
        == to_chat([ChatMessage(role="assistant", additional_kwargs=beside)])[0]["tool_calls"]
    )
    lines = ChatMessage(
        role="user",
        blocks=[TextBlock(text="a"), TextBlock(text="b"), CachePoint(cache_control={"type": "x"})],
    )
    assert [{"role": "user", "content": "a\nb"}] == to_chat([lines])


def test_what_is_no_chat_message_is_refused() -> None:
    """The error names the place."""
    cited = ChatMessage(
        role="user",
        blocks=[
            CitationBlock(
                cited_content=TextBlock(text="x"),
                source="s",
                title="t",
                additional_location_info={},
            )
        ],
    )
    with pytest.raises(InputError, match=r"messages\[0\].blocks\[0\]: a CitationBlock"):
        to_chat([cited])
    with pytest.raises(InputError, match=r"messages\[0\]: 'text' is not a ChatMessage"):
        to_chat(["text"])  # type: ignore[list-item]
