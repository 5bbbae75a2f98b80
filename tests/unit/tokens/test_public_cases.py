"""Kinds of public bug reports that are about counting: overhead, list content, scripts."""

from palimpsest import messages
from palimpsest.tokens.estimate import Estimate
from palimpsest.tokens.local import LocalTokenizer


def test_the_count_includes_everything_that_is_sent(chatml: LocalTokenizer) -> None:
    """System message, tool schemas, role markers and generation prefix are all in it."""
    tools = messages.tools(
        [{"name": f"tool_{i}", "description": "Reads a value. " * 20} for i in range(3)]
    )
    chat = messages.messages(
        [
            {"role": "system", "content": "Rules: be brief. " * 20},
            {"role": "user", "content": "Status?"},
        ]
    )
    whole = chatml.count_request(chat, tools)
    texts = sum(chatml.count_text(t) for t in (chat[0].content or "", "Status?"))
    schemas = sum(chatml.count_text(tool.json) for tool in tools)
    assert whole > texts + schemas


def test_many_scripts_are_counted_by_the_models_own_tokenizer(gemma: LocalTokenizer) -> None:
    """Length through four would say 3 for these 15 characters; the vocabulary says more."""
    text = "会议改到周四下午三点半在二号楼"
    assert 15 == len(text)
    assert gemma.count_text(text) > len(text) // 4
    assert gemma.count_text(text) <= Estimate().count_text(text)


def test_empty_content_beside_calls_counts_like_null(chatml: LocalTokenizer) -> None:
    """``None`` and an empty text beside tool calls are the same message to a template."""
    call = {"id": "c1", "function": {"name": "look", "arguments": "{}"}}
    counts = {
        chatml.count_request(
            messages.messages(
                [
                    {"role": "user", "content": "Look."},
                    {"role": "assistant", "content": content, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": "c1", "content": "seen"},
                ]
            ),
            (),
        )
        for content in (None, "")
    }
    assert 1 == len(counts)
