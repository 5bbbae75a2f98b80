"""An additive count equals the count of the whole render: any Unicode, any roles."""

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import messages
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.estimate import Estimate
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Message, Tool
from tests.support.small_tokenizers import CHATML, FOLDING, STRICT, small

TOOLS = messages.tools(
    [{"name": "look", "description": "Looks.", "parameters": {"type": "object"}}]
)
PIECES = [
    "<bos>", "<|turn>", "<turn|>", "<|turn>user\n", "<|im_start|>", "<|im_end|>", "<|channel>", "<b>",
    "<", "|>", "\n\n\n", "   ", "\t", "\u2581", "\u00a0", "你好", "🎉", "e\u0301", "model\n", "<unused5>",
]  # fmt: skip
texts = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
        st.text("ab \n<|>", max_size=8),
    ),
    max_size=6,
).map("".join)
systems = st.lists(st.builds(Message, role=st.just("system"), content=texts), max_size=1)
said = st.builds(Message, role=st.sampled_from(["user", "assistant"]), content=texts)
plain = st.tuples(systems, st.lists(said, min_size=1, max_size=8)).map(lambda x: [*x[0], *x[1]])


@st.composite
def turns_with_tools(draw: st.DrawFn) -> list[Message]:
    """A conversation of whole turns, some of which call tools; the last may be open."""
    chat = [message.as_dict() for message in draw(systems)]
    for _ in range(draw(st.integers(1, 4))):
        chat.append({"role": "user", "content": draw(texts)})
        for round_ in range(draw(st.integers(0, 2))):
            ids = [f"c{round_}{i}" for i in range(draw(st.integers(1, 2)))]
            calls = [{"id": id, "function": {"name": "look", "arguments": "{}"}} for id in ids]
            chat.append(
                {"role": "assistant", "content": draw(st.none() | texts), "tool_calls": calls}
            )
            chat += [{"role": "tool", "tool_call_id": id, "content": draw(texts)} for id in ids]
        if draw(st.booleans()):
            chat.append({"role": "assistant", "content": draw(texts)})
    return list(messages.messages(chat))


@given(chat=plain)
@settings(max_examples=300, deadline=None)
def test_the_gemma_frame_adds_up(gemma: LocalTokenizer, chat: list[Message]) -> None:
    """The proof behind ``proven``: counted one by one, any request of plain turns is exact."""
    assert TokenCounter(gemma).request(chat, ()) == gemma.count_request(chat, ())


@given(chat=plain)
@settings(max_examples=150, deadline=None)
def test_the_gemma_frame_writes_its_markers_itself(
    gemma: LocalTokenizer, chat: list[Message]
) -> None:
    """The render is the frame of the design, word for word, with trimmed texts."""
    names = {"assistant": "model"}
    turns = (
        f"<|turn>{names.get(m.role, m.role)}\n{(m.content or '').strip()}<turn|>\n" for m in chat
    )
    assert "<bos>" + "".join(turns) + "<|turn>model\n" == gemma.render(chat)


@given(chat=st.one_of(plain, turns_with_tools()), tools=st.sampled_from([(), TOOLS]))
@settings(max_examples=300, deadline=None)
def test_the_frame_for_tools_adds_up(
    tool_text: LocalTokenizer, chat: list[Message], tools: tuple[Tool, ...]
) -> None:
    """The proof behind ``proven`` of the frame of this package: schemas, calls and results."""
    assert tool_text.frame.proven
    assert TokenCounter(tool_text).request(chat, tools) == tool_text.count_request(chat, tools)


@given(chat=st.one_of(plain, turns_with_tools()), tools=st.sampled_from([(), TOOLS]))
@settings(max_examples=200, deadline=None)
def test_a_tool_using_template_adds_up(
    chatml: LocalTokenizer, chat: list[Message], tools: tuple[Tool, ...]
) -> None:
    """Default system, tool schemas, parallel calls and merged results add up by turns."""
    assert chatml.frame.additive
    assert TokenCounter(chatml).request(chat, tools) == chatml.count_request(chat, tools)


@given(chat=st.lists(texts, min_size=1, max_size=5), system=st.none() | texts)
@settings(max_examples=50, deadline=None)
def test_folding_templates_are_counted_whole(chat: list[str], system: str | None) -> None:
    """Where the sum would be wrong, the counter gives the whole render all the same."""
    sent = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(chat)]
    if system is not None:
        sent.insert(0, {"role": "system", "content": system})
    counter = TokenCounter(FOLDED)
    read = messages.messages(sent)
    assert not FOLDED.frame.additive
    assert counter.request(read, ()) == FOLDED.count_request(read, ()) == counter.request(read, ())


@given(chat=st.one_of(plain, turns_with_tools()), tools=st.sampled_from([(), TOOLS]))
@settings(max_examples=50, deadline=None)
def test_estimates_add_up_too(chat: list[Message], tools: tuple[Tool, ...]) -> None:
    """The estimate is additive by construction."""
    estimate = Estimate()
    assert TokenCounter(estimate).request(chat, tools) == estimate.count_request(chat, tools)


@given(text=texts)
@settings(max_examples=100, deadline=None)
def test_probes_and_counts_are_deterministic(gemma: LocalTokenizer, text: str) -> None:
    """Equal texts have equal counts, whatever was counted in between."""
    first = gemma.count_text(text)
    gemma.count_text(text + "x")
    assert first == gemma.count_text(text)


FOLDED = small(FOLDING)


def test_the_kinds_of_template_are_told_apart() -> None:
    """Which template is additive is found, not declared."""
    found = {name: small(source).frame.additive for name, source in KINDS.items()}
    assert {"chatml": True, "strict": False, "folding": False} == found


KINDS = {"chatml": CHATML, "strict": STRICT, "folding": FOLDING}


@given(chat=turns_with_tools(), tools=st.sampled_from([(), TOOLS]))
@settings(max_examples=150, deadline=None)
def test_the_tool_text_frame_adds_up(
    tool_text: LocalTokenizer, chat: list[Message], tools: tuple[Tool, ...]
) -> None:
    """The frame of ``atelier-60`` over the whole vocabulary, with calls and their results."""
    assert tool_text.frame.additive
    assert TokenCounter(tool_text).request(chat, tools) == tool_text.count_request(chat, tools)
