"""local: exact counts of whole requests and of their units, or a TemplateError."""

import json

import pytest

from palimpsest import messages
from palimpsest.errors import TemplateError
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Part
from tests.support.small_tokenizers import CHATML, small

TOOL = {"name": "read_dial", "description": "Reads it.", "parameters": {"type": "object"}}
CALL = {"id": "c1", "type": "function", "function": {"name": "read_dial", "arguments": '{"n": 1}'}}
CALLED = [
    {"role": "user", "content": "Read the dial."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "42"},
    {"role": "assistant", "content": "It says 42."},
]
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 4000}}


def count(tokenizer: LocalTokenizer, chat: object, tools: object = ()) -> int:
    return tokenizer.count_request(messages.messages(chat), messages.tools(tools))


def test_a_request_counts_as_its_rendered_text(chatml: LocalTokenizer) -> None:
    """The count is the number of tokens of the template's output, default system included."""
    chat = messages.messages([{"role": "user", "content": "the er"}])
    text = (
        "<|im_start|>system\nYou are a test.<|im_end|>\n<|im_start|>user\nthe er<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert chatml.render(chat) == text
    assert chatml.count_request(chat, ()) == chatml.count_text(text)


def test_a_text_counts_alone_without_special_tokens(chatml: LocalTokenizer) -> None:
    """count_text adds nothing to the text: " the" is one piece of the small vocabulary."""
    assert chatml.count_text(" the") == 1
    assert chatml.count_text("") == 0


def test_tools_and_calls_are_counted(chatml: LocalTokenizer) -> None:
    """Tool schemas, calls and results all stand in the count."""
    plain = count(chatml, [CALLED[0], CALLED[3]])
    called = count(chatml, CALLED)
    with_tools = count(chatml, CALLED, [TOOL])
    assert plain < called < with_tools


def test_arguments_given_as_text_reach_the_template_as_an_object(chatml: LocalTokenizer) -> None:
    """A JSON text of arguments is not escaped a second time."""
    assert '"arguments": {"n": 1}' in chatml.render(messages.messages(CALLED))


def test_arguments_that_are_no_json_stay_as_they_were_written(chatml: LocalTokenizer) -> None:
    """A model may write broken JSON; it is counted as it stands."""
    broken = {**CALL, "function": {"name": "read_dial", "arguments": "{oops"}}
    chat = messages.messages([CALLED[0], {**CALLED[1], "tool_calls": [broken]}, CALLED[2]])
    assert '"arguments": "{oops"' in chatml.render(chat)


def test_a_bare_tool_schema_is_wrapped_as_templates_expect(chatml: LocalTokenizer) -> None:
    """Both tool shapes give the same count."""
    wrapped = {"type": "function", "function": TOOL}
    assert count(chatml, CALLED, [TOOL]) == count(chatml, CALLED, [wrapped])


def test_list_and_text_content_count_the_same(
    chatml: LocalTokenizer, gemma: LocalTokenizer
) -> None:
    """Text parts are the text they make together, also when a part carries more keys."""
    parts = [{"type": "text", "text": "Decision: "}, {"type": "text", "text": "9 m."}]
    noted = [{**parts[0], "cache_control": {"type": "ephemeral"}}, parts[1]]
    for tokenizer in (chatml, gemma):
        text = count(tokenizer, [{"role": "user", "content": "Decision: 9 m."}])
        assert text == count(tokenizer, [{"role": "user", "content": parts}])
        assert text == count(tokenizer, [{"role": "user", "content": noted}])


@pytest.mark.parametrize(
    "part",
    [
        IMAGE,
        {"type": "input_image", "image_url": IMAGE["image_url"]["url"]},
        {"type": "image", "source": {"type": "base64", "data": "A" * 4000}},
        {"type": "input_audio", "input_audio": {"data": "A" * 4000, "format": "wav"}},
    ],
    ids=["image_url", "input_image", "image", "input_audio"],
)
def test_every_media_shape_costs_what_was_declared(chatml: LocalTokenizer, part: dict) -> None:
    """A media part costs media_tokens whatever its shape, and its base64 is never read."""
    text = count(chatml, [{"role": "user", "content": "look"}])
    seen = count(chatml, [{"role": "user", "content": [{"type": "text", "text": "look"}, part]}])
    assert seen == text + 85


def test_media_inside_a_tool_result_costs_the_same(chatml: LocalTokenizer) -> None:
    """A screenshot that a tool returns is an image, not its base64."""
    texts = [{"type": "text", "text": "seen"}, {"type": "text", "text": "twice"}]
    plain = {"type": "tool_result", "tool_use_id": "t", "content": texts}
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 4000}}
    shown = {**plain, "content": [texts[0], image, texts[1]]}
    without, with_image = (
        count(chatml, [{"role": "user", "content": [part]}]) for part in (plain, shown)
    )
    assert without + 85 == with_image


def test_media_cost_can_be_asked_of_a_function() -> None:
    """media_tokens may be a callable of the part."""

    def cost(part: Part) -> int:
        return len(json.loads(part.json)["detail"])

    tokenizer = small(CHATML, media_tokens=cost)
    content = [{"type": "text", "text": "x"}, {"type": "image", "detail": "four"}]
    assert count(tokenizer, [{"role": "user", "content": content}]) == 4 + count(
        tokenizer, [{"role": "user", "content": "x"}]
    )


def test_media_without_a_cost_is_an_error() -> None:
    """Where nothing says what a media part costs, there is no count."""
    with pytest.raises(
        TemplateError, match="media part and nothing says what it costs.*media_tokens"
    ):
        count(small(CHATML), [{"role": "user", "content": [IMAGE]}])


def test_thinking_and_raw_parts_go_to_the_template_whole(chatml: LocalTokenizer) -> None:
    """A template that knows parts gets them as they are; thinking is counted when written."""
    thinking = {"type": "thinking", "thinking": "secret plan", "signature": "sig"}
    use = {"type": "tool_use", "id": "t1", "name": "read_dial", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "42"}
    chat = [
        {"role": "user", "content": "Read."},
        {"role": "assistant", "content": [thinking, use]},
        {"role": "user", "content": [result]},
    ]
    text = chatml.render(messages.messages(chat))
    assert "<think>secret plan</think><call>read_dial{}</call>" in text
    assert "<result>42</result>" in text
    assert count(chatml, chat) == chatml.count_text(text)


@pytest.mark.parametrize(
    ("chat", "tools", "said"),
    [
        (CALLED, (), "tool calls and their results"),
        ([{"role": "user", "content": "x"}], [TOOL], "tool schemas"),
        ([{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "y"}]}], (), "only text content"),
        ([{"role": "user", "content": "x"}, {"role": "assistant", "content": "y", "reasoning_content": "z"}], (), "thinking"),
        ([{"role": "user", "content": [{"type": "image"}]}], (), "media part"),
        ([{"role": "user", "content": [{"type": "hologram"}]}], (), "hologram|only text content"),
    ],
    ids=["calls", "schemas", "thinking-part", "reasoning", "media", "unknown"],
)  # fmt: skip
def test_the_text_only_frame_refuses_what_it_cannot_say(
    gemma: LocalTokenizer, chat: list, tools: list, said: str
) -> None:
    """The frame for plain Gemma 4 turns is never a guess about anything else."""
    with pytest.raises(TemplateError, match=said):
        count(gemma, chat, tools)


def test_a_template_that_prints_a_part_list_is_refused() -> None:
    """Program text of a part list in the output is no way to express parts."""
    tokenizer = small("{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}")
    chat = [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]}
    ]
    with pytest.raises(TemplateError, match=r"messages\[0\] .user.: it would write out a list"):
        count(tokenizer, chat)


DROPS = "{% for m in messages %}{% if m.role != 'ROLE' %}<|im_start|>{{ m.content }}{% endif %}{% endfor %}"


@pytest.mark.parametrize("role", ["system", "user", "tool"])
def test_a_template_that_drops_words_is_refused(role: str) -> None:
    """Words of a person or a tool that do not reach the output are an error, not a saving."""
    chat = [
        {"role": "system", "content": "rules"}, {"role": "user", "content": "ask"},
        {"role": "assistant", "content": "hm"}, {"role": "tool", "tool_call_id": "a", "content": "got"},
    ]  # fmt: skip
    with pytest.raises(TemplateError, match=rf"drops .* of messages\[\d\] \({role}\)"):
        count(small(DROPS.replace("ROLE", role)), chat)


def test_a_dropped_word_is_noticed_although_it_stands_elsewhere() -> None:
    """An earlier equal text does not hide that a later one was dropped."""
    first_only = "{% for m in messages[:1] %}<|im_start|>{{ m.content }}{% endfor %}"
    with pytest.raises(TemplateError, match=r"messages\[1\]"):
        count(small(first_only), [{"role": "user", "content": "ok"}] * 2)


def test_a_template_that_ignores_calls_is_refused() -> None:
    """A call whose function is not in the output has no count."""
    tokenizer = small("{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}")
    with pytest.raises(TemplateError, match=r"drops the tool call of messages\[1\].*'read_dial'"):
        count(tokenizer, CALLED)
    with pytest.raises(TemplateError, match="does not write the tool 'read_dial'"):
        count(tokenizer, CALLED[:1], [TOOL])


def test_an_unknown_part_is_refused(chatml: LocalTokenizer) -> None:
    """A part of a type that nobody knows cannot be counted."""
    with pytest.raises(TemplateError, match=r"messages\[0\] .*unknown type 'hologram'"):
        count(chatml, [{"role": "user", "content": [{"type": "hologram"}]}])


def test_units_opening_and_closing_add_up(chatml: LocalTokenizer) -> None:
    """A turn with tool calls is one unit, and the parts make the whole."""
    chat = messages.messages([{"role": "system", "content": "Be brief."}, *CALLED, CALLED[0]])
    tools = messages.tools([TOOL])
    parts = (
        chatml.count_opening(chat[0], tools)
        + chatml.count_unit(chat[:1])
        + chatml.count_unit(chat[1:5])
        + chatml.count_unit(chat[5:])
        + chatml.count_closing()
    )
    assert chatml.count_request(chat, tools) == parts


def test_the_gemma_frame_costs_five_tokens_a_message(gemma: LocalTokenizer) -> None:
    """Begin is one token, the prefix three, a message its text plus five."""
    text = messages.message({"role": "user", "content": "  Hello there.\n"})
    assert gemma.count_opening(text, ()) == 1
    assert gemma.count_closing() == 3
    assert gemma.count_unit([text]) == gemma.count_text("Hello there.") + 5


def test_fingerprints_follow_whatever_can_change_a_count() -> None:
    """Template and media cost are part of the fingerprint; equal tokenizers share it."""
    made = [small(CHATML), small(CHATML), small(CHATML + " "), small(CHATML, media_tokens=1)]
    first, same, *others = (tokenizer.frame.fingerprint for tokenizer in made)
    assert first == same
    assert len({first, *others}) == 3
