"""gguf_vocabulary: pieces with scores, and byte-level pieces, become exact tokenizers."""

from typing import Any

import pytest
from tokenizers import Tokenizer

from palimpsest.errors import InputError
from palimpsest.tokens import gguf_vocabulary
from tests.support.small_tokenizers import vocabulary

NORMAL, UNKNOWN, CONTROL, USER, BYTE = 1, 2, 3, 4, 6


def scored(**changes: Any) -> dict[str, Any]:
    """A vocabulary as SentencePiece trains it: later pieces have lower scores."""
    pieces = [("<unk>", UNKNOWN, 0.0), ("<s>", CONTROL, 0.0), ("<old>", CONTROL, 0.0)]
    pieces += [("  ", USER, -1000.0), ("   ", USER, -1000.0), ("<b>", USER, -1000.0)]
    pieces += [(f"<0x{byte:02X}>", BYTE, 0.0) for byte in range(256)]
    learnt = ["▁t", "he", "▁the", "er", "the", "▁", "t", "h", "e", "r"]
    pieces += [(piece, NORMAL, -float(i)) for i, piece in enumerate(learnt)]
    metadata: dict[str, Any] = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [text for text, _, _ in pieces],
        "tokenizer.ggml.token_type": [kind for _, kind, _ in pieces],
        "tokenizer.ggml.scores": [score for _, _, score in pieces],
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.add_space_prefix": False,
    }
    return {**metadata, **changes}


def tokens(metadata: dict[str, Any], text: str, **kwargs: Any) -> list[str]:
    made = Tokenizer.from_buffer(gguf_vocabulary.tokenizer_json(metadata, **kwargs))
    found: list[str] = made.encode(text, add_special_tokens=False).tokens
    return found


def test_merges_follow_the_scores() -> None:
    """The best-scored whole is merged first: "▁t" before "he" before "▁the"."""
    assert ["▁the", "r", "e"] == tokens(scored(), " there")
    assert ["the", "r", "e"] == tokens(scored(), "there")


def test_every_split_of_a_piece_is_a_merge_in_order_of_ids() -> None:
    """ "▁the" can be reached from "▁t"+"he" and from "▁"+"the"."""
    merges = gguf_vocabulary._merges(*(scored()[f"tokenizer.ggml.{k}"] for k in ("tokens", "token_type", "scores")))  # fmt: skip
    assert [["▁", "t"], ["h", "e"], ["▁t", "he"], ["▁", "the"], ["e", "r"], ["t", "he"]] == merges


def test_unknown_characters_fall_back_to_bytes() -> None:
    """What no piece covers is spelt in bytes."""
    assert ["<0xC3>", "<0xA9>"] == tokens(scored(), "é")


def test_user_pieces_come_first_and_hold_their_blanks() -> None:
    """Runs of blanks are one piece, whatever the writer's score says; tags are never split."""
    assert ["▁▁", "the"] == tokens(scored(), "  the")
    assert ["▁▁▁", "the"] == tokens(scored(), "   the")
    assert ["t", "<b>", "t"] == tokens(scored(), "t<b>t")


def test_control_pieces_split_texts_and_can_be_renamed() -> None:
    """A sibling model's marker takes the place of an unused one."""
    assert ["t", "<s>", "t"] == tokens(scored(), "t<s>t")
    assert ["t", "<new>", "t"] == tokens(scored(), "t<new>t", renames={2: "<new>"})


def test_equal_metadata_gives_equal_bytes() -> None:
    """The converted vocabulary can be pinned by its hash."""
    assert gguf_vocabulary.tokenizer_json(scored()) == gguf_vocabulary.tokenizer_json(scored())


def byte_level(**changes: Any) -> dict[str, Any]:
    """The small vocabulary of the tests as a GGUF file would hold it."""
    pieces = sorted(vocabulary().get_vocab().items(), key=lambda item: item[1])
    controls = {added.content for added in vocabulary().get_added_tokens_decoder().values()}
    metadata = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": [piece for piece, _ in pieces],
        "tokenizer.ggml.token_type": [CONTROL if p in controls else NORMAL for p, _ in pieces],
        "tokenizer.ggml.merges": ["e r", "t h", "th e", "Ġ the", "Ċ Ċ", "Ġ Ġ", "l l"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.chat_template": "{{ messages }}",
    }
    return {**metadata, **changes}


def test_byte_level_pieces_encode_as_the_original() -> None:
    """A byte-level vocabulary survives the way through GGUF metadata."""
    for text in ("the other er", "é你🎉\n\n  x<|im_end|>the", "I'll 12345", ""):
        expected = vocabulary().encode(text, add_special_tokens=False).tokens
        assert expected == tokens(byte_level(), text)


def test_smollm_lets_digits_stand_alone() -> None:
    """The pre-tokenizer is chosen by its name in the file."""
    merged = {"tokenizer.ggml.merges": ["1 2"], "tokenizer.ggml.tokens": ["1", "2", "12"], "tokenizer.ggml.token_type": [1, 1, 1]}  # fmt: skip
    assert ["12"] == tokens(byte_level(**merged), "12")
    assert ["1", "2"] == tokens(byte_level(**merged, **{"tokenizer.ggml.pre": "smollm"}), "12")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tokenizer.ggml.model": "bert"}, "model 'bert' is not one of 'llama', 'gpt2'"),
        ({"tokenizer.ggml.token_type": [1]}, "pieces and 1 piece types"),
        ({"tokenizer.ggml.add_space_prefix": True}, "add_space_prefix is on"),
        ({"tokenizer.ggml.tokens": ["a", "a"], "tokenizer.ggml.token_type": [1, 1], "tokenizer.ggml.scores": [0, 0], "tokenizer.ggml.unknown_token_id": None}, "1 pieces stand in it twice"),
    ],
    ids=["model", "types", "prefix", "twice"],
)  # fmt: skip
def test_what_is_not_understood_is_refused(changes: dict[str, Any], said: str) -> None:
    """A vocabulary is converted exactly or not at all."""
    with pytest.raises(InputError, match=said):
        gguf_vocabulary.tokenizer_json(scored(**changes))


def test_an_unknown_pre_tokenizer_is_refused() -> None:
    """A pre-tokenizer that nobody wrote here would count otherwise."""
    with pytest.raises(
        InputError, match="pre-tokenizer 'llama-bpe' is not one of 'smollm', 'gpt-2'"
    ):
        gguf_vocabulary.tokenizer_json(byte_level(**{"tokenizer.ggml.pre": "llama-bpe"}))


def test_missing_metadata_is_named() -> None:
    """A file without a vocabulary says which key it lacks."""
    with pytest.raises(InputError, match="no tokenizer.ggml.tokens"):
        gguf_vocabulary.tokenizer_json({"tokenizer.ggml.model": "llama"})


def test_template_and_special_tokens_are_read() -> None:
    """What a chat template needs beside the vocabulary lies in the same metadata."""
    assert "{{ messages }}" == gguf_vocabulary.chat_template(byte_level())
    assert None is gguf_vocabulary.chat_template(scored())
    assert {"bos_token": byte_level()["tokenizer.ggml.tokens"][0]} == gguf_vocabulary.special_tokens(byte_level())  # fmt: skip
