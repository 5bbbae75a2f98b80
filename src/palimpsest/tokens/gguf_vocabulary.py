"""A vocabulary in GGUF metadata becomes the JSON of a ``tokenizers`` tokenizer.

Two kinds: pieces with scores (model ``llama``, as SentencePiece trains them), whose
merges are recovered from the scores; and byte-level pieces with their merges (model
``gpt2``). Anything else is refused. Invariant: equal metadata gives equal bytes,
whatever version of ``tokenizers`` is installed, so the result can be pinned by a hash.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.errors import InputError

METADATA_PREFIXES = ("tokenizer.", "general.license", "general.name")
SPACE = "\u2581"
_NORMAL, _UNKNOWN, _CONTROL, _USER, _BYTE = 1, 2, 3, 4, 6
# A GGUF writer gives user-defined pieces a score of -1000; SentencePiece gives them 0,
# before every learnt piece, and only so do runs of spaces come out as one piece.
_USER_SCORE = 0.0
_BYTE_LEVEL_PRE = {"smollm": True, "gpt-2": False}
"""Pre-tokenizers that are known: name to "digits stand alone"."""


def tokenizer_json(metadata: Mapping[str, Any], renames: Mapping[int, str] | None = None) -> bytes:
    """Convert; ``renames`` gives a control piece (by id) its name in a sibling model."""
    model = metadata.get("tokenizer.ggml.model")
    pieces = _required(metadata, "tokenizer.ggml.tokens")
    kinds = _required(metadata, "tokenizer.ggml.token_type")
    if len(kinds) != len(pieces):
        raise InputError(f"GGUF vocabulary: {len(pieces)} pieces and {len(kinds)} piece types")
    named = [_piece(text, kind) for text, kind in zip(pieces, kinds, strict=True)]
    for id, name in (renames or {}).items():
        named[id] = name
    kinds = [_CONTROL if renames and id in renames else kind for id, kind in enumerate(kinds)]
    if model == "llama":
        document = _scored(metadata, named, kinds)
    elif model == "gpt2":
        document = _byte_level(metadata, named, kinds)
    else:
        raise InputError(f"GGUF vocabulary: model {model!r} is not one of 'llama', 'gpt2'")
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def special_tokens(metadata: Mapping[str, Any]) -> dict[str, str]:
    """``bos_token`` and ``eos_token`` as a chat template expects them."""
    pieces = _required(metadata, "tokenizer.ggml.tokens")
    found = {}
    for name in ("bos", "eos"):
        id = metadata.get(f"tokenizer.ggml.{name}_token_id")
        if id is not None and id < len(pieces):
            found[f"{name}_token"] = pieces[id]
    return found


def chat_template(metadata: Mapping[str, Any]) -> str | None:
    """The chat template that the file carries, if any."""
    found = metadata.get("tokenizer.chat_template")
    return found if isinstance(found, str) else None


def _required(metadata: Mapping[str, Any], key: str) -> Any:
    if key not in metadata:
        raise InputError(f"GGUF vocabulary: the file has no {key}; it carries no vocabulary")
    return metadata[key]


def _piece(text: str, kind: int) -> str:
    # GGUF writers undo the space marker in user-defined pieces.
    return text.replace(" ", SPACE) if kind == _USER else text


def _scored(
    metadata: Mapping[str, Any], pieces: Sequence[str], kinds: Sequence[int]
) -> dict[str, Any]:
    scores = _required(metadata, "tokenizer.ggml.scores")
    if metadata.get("tokenizer.ggml.add_space_prefix", True):
        raise InputError(
            "GGUF vocabulary: add_space_prefix is on, which is not supported; give the "
            "tokenizer.json of the model instead"
        )
    unknown = metadata.get("tokenizer.ggml.unknown_token_id")
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": pieces[unknown] if unknown is not None else None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": _BYTE in kinds,
        "ignore_merges": False,
        "vocab": _vocabulary(pieces),
        "merges": _merges(pieces, kinds, scores),
    }
    return _document(
        pieces, kinds, model,
        normalizer={"type": "Replace", "pattern": {"String": " "}, "content": SPACE},
        pre_tokenizer=None,
        decoder={"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": SPACE}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
        ]},
    )  # fmt: skip


def _merges(
    pieces: Sequence[str], kinds: Sequence[int], scores: Sequence[float]
) -> list[list[str]]:
    """Every split of a piece into two pieces, best whole first, then by ids of the parts."""
    ids = {piece: id for id, piece in enumerate(pieces)}
    score = [_USER_SCORE if k == _USER else s for k, s in zip(kinds, scores, strict=True)]
    mergeable = [id for id, kind in enumerate(kinds) if kind in (_NORMAL, _USER)]
    mergeable.sort(key=lambda id: -score[id])
    merges: list[list[str]] = []
    for id in mergeable:
        whole = pieces[id]
        splits = [
            (ids[whole[:cut]], ids[whole[cut:]])
            for cut in range(1, len(whole))
            if whole[:cut] in ids and whole[cut:] in ids
        ]
        if len(splits) > 1:
            splits.sort()
        merges += [[pieces[left], pieces[right]] for left, right in splits]
    return merges


def _byte_level(
    metadata: Mapping[str, Any], pieces: Sequence[str], kinds: Sequence[int]
) -> dict[str, Any]:
    pre = metadata.get("tokenizer.ggml.pre", "default")
    if pre not in _BYTE_LEVEL_PRE:
        known = ", ".join(map(repr, _BYTE_LEVEL_PRE))
        raise InputError(
            f"GGUF vocabulary: pre-tokenizer {pre!r} is not one of {known}; give the "
            "tokenizer.json of the model instead"
        )
    words = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    digits = [{"type": "Digits", "individual_digits": True}] if _BYTE_LEVEL_PRE[pre] else []
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": _vocabulary(pieces),
        "merges": [pair.split(" ") for pair in _required(metadata, "tokenizer.ggml.merges")],
    }
    return _document(
        pieces, kinds, model,
        normalizer=None,
        pre_tokenizer={"type": "Sequence", "pretokenizers": [*digits, words]},
        decoder={"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    )  # fmt: skip


def _vocabulary(pieces: Sequence[str]) -> dict[str, int]:
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    if len(vocabulary) != len(pieces):
        raise InputError(
            f"GGUF vocabulary: {len(pieces) - len(vocabulary)} pieces stand in it twice"
        )
    return vocabulary


def _document(
    pieces: Sequence[str],
    kinds: Sequence[int],
    model: dict[str, Any],
    *,
    normalizer: dict[str, Any] | None,
    pre_tokenizer: dict[str, Any] | None,
    decoder: dict[str, Any],
) -> dict[str, Any]:
    added = [
        {
            "id": id,
            "content": pieces[id],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": kind != _USER,
        }
        for id, kind in enumerate(kinds)
        if kind in (_CONTROL, _USER, _UNKNOWN)
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": decoder,
        "model": model,
    }
