"""``minilm``: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime on one thread.

Each text runs alone and unpadded. Int8 activations are scaled by what stands in the same
run, so in a batch a vector would depend on its neighbours. Invariant: a text has one vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tokenizers

from palimpsest.embedders import extra, files
from palimpsest.protocols import Vectors

NAME = "minilm"
DIMENSIONS = 384
THRESHOLD = 0.19
"""Read on English (``palimpsest measure recall --embedder minilm --language en``)."""
_TOKENS = 256
"""What the model was trained to read; the rest of a text is cut."""


def minilm(threshold: float = THRESHOLD) -> MiniLM:
    """The factory of the entry point; raises NotPrepared with the next command."""
    extra.require("onnxruntime", embedder=NAME, extra="semantic")
    files.verified(NAME)
    return MiniLM(threshold=threshold)


class MiniLM:
    """See protocols.Embedder; the model is loaded at the first text."""

    def __init__(self, *, threshold: float = THRESHOLD) -> None:
        digest = files.PINNED[NAME].files[files.MODEL].sum.sha256
        self.name = f"minilm-int8-{digest[:8]}"
        self.dimensions = DIMENSIONS
        self.threshold = threshold
        self._session: Any = None
        self._tokenizer: Any = None

    def query(self, text: str) -> Vectors:
        """The vector of a question; questions and passages share one space."""
        if self._session is None:
            self._load()
        encoded = self._tokenizer.encode(text)
        ids = np.array([encoded.ids], dtype=np.int64)
        (states,) = self._session.run(
            None,
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )
        mean: Vectors = states[0].mean(axis=0, dtype=np.float32)
        unit: Vectors = mean / np.linalg.norm(mean)
        return unit

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
        made = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for place, text in enumerate(texts):
            made[place] = self.query(text)
        return made

    def _load(self) -> None:
        import onnxruntime

        held = files.verified(NAME)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # On busy cores a thread that spins takes time from the one that answers.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        tokenizer = tokenizers.Tokenizer.from_str(held[files.TOKENIZER].decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=_TOKENS)
        self._tokenizer = tokenizer
        self._session = onnxruntime.InferenceSession(
            held[files.MODEL], sess_options=options, providers=["CPUExecutionProvider"]
        )
