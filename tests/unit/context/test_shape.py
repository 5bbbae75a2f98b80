"""Blocks and shapes: part lists, tails that continue, and templates that fold."""

from palimpsest import messages
from palimpsest.config import ContextSettings
from palimpsest.context.block import Block, with_block
from palimpsest.context.shape import shape
from palimpsest.types import Frame

BLOCK = Block(header="H", lines=("- a",))
STRICT = Frame(name="s", fingerprint="1", additive=False, alternates=True, system_role=False)


def test_a_block_opens_a_question_of_parts_as_a_text_part() -> None:
    """Media parts of a question stay where they were, byte for byte."""
    image = {"type": "image_url", "image_url": {"url": "u"}}
    tail = messages.messages([{"role": "user", "content": [image, {"type": "text", "text": "q"}]}])

    (found,) = with_block(tail, BLOCK, ContextSettings())

    text = "H\n<notes>\n- a\n</notes>\n\nQuestion: "
    expected = [{"type": "text", "text": text}, image, {"type": "text", "text": "q"}]
    assert expected == found.as_dict()["content"]


def test_a_block_of_a_continued_turn_stands_before_the_users_words() -> None:
    """A tool result is not the last user message, whatever role carries it."""
    tail = messages.messages([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f",
                                           "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                                      "content": "42"}]},
    ])  # fmt: skip

    found = with_block(tail, BLOCK, ContextSettings())

    assert "H\n<notes>\n- a\n</notes>\n\nQuestion: go" == found[0].content
    assert tail[1:] == found[1:]


def test_messages_with_calls_or_thinking_are_never_joined() -> None:
    """A signed message goes byte for byte or not at all."""
    signed = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "x", "signature": "s"},
            {"type": "text", "text": "a"},
        ],
    }
    given = messages.messages([{"role": "user", "content": "q"}, signed,
                               {"role": "assistant", "content": "b"}])  # fmt: skip

    assert given == shape(given, STRICT)


def test_a_lone_system_text_becomes_the_user_message() -> None:
    """Where the first message after the system text is no user message, none is lost."""
    given = messages.messages([{"role": "system", "content": "s"},
                               {"role": "assistant", "content": "a"}])  # fmt: skip

    assert [("user", "s"), ("assistant", "a")] == [
        (m.role, m.content) for m in shape(given, STRICT)
    ]
