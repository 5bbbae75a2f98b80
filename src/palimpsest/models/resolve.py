"""From the name of a model to a model that is open: ``KIND:REST`` or a Spec.

The kind names the entry point; the rest is its name, path or file. Invariant: what this
opens was pinned, or the caller said that it need not be.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from palimpsest import registry
from palimpsest.errors import SpecError
from palimpsest.models import pins, weights
from palimpsest.models.api import ANSWER_SECONDS
from palimpsest.protocols import ChatModel
from palimpsest.types import Spec

_OVER_HTTP = ("ollama", "openai")


@contextmanager
def open_model(
    text: str, *, unpinned: bool = False, base_url: str = "", timeout: float = ANSWER_SECONDS
) -> Iterator[ChatModel]:
    """Open a model and close it afterwards; raises ModelError, SpecError or NotPrepared."""
    spec = spec_of(text, base_url=base_url, timeout=timeout)
    model = cast(ChatModel, registry.load("chat_models", spec))
    try:
        identity = model.identity
        pins.require(
            identity.model, identity.digest, pinned=identity.pinned, unpinned_is_fine=unpinned
        )
        yield model
    finally:
        close = getattr(model, "close", None)
        if close is not None:
            close()


def spec_of(text: str, *, base_url: str = "", timeout: float = ANSWER_SECONDS) -> Spec:
    """``ollama:gemma4:e2b`` as a Spec with its parameters; raises SpecError."""
    kind, colon, rest = text.strip().partition(":")
    if "(" in kind:
        return registry.parse(text)
    if colon and not rest.strip():
        raise SpecError(f"{text!r}: nothing follows {kind}:; write {kind}:NAME")
    params: dict[str, int | float | bool | str] = {"name": rest.strip()} if colon else {}
    if kind in _OVER_HTTP:
        params["timeout"] = timeout
        if base_url:
            params["base_url"] = base_url
    elif base_url:
        raise SpecError(f"--base-url belongs to {' and '.join(_OVER_HTTP)}, and this is {text!r}")
    return Spec(name=registry.parse(kind).name, params=tuple(sorted(params.items())))


def own_tokenizer(text: str) -> str | None:
    """The tokenizer that counts for a model of this machine; ``None`` for any other."""
    spec = spec_of(text)
    if spec.name == weights.NAME:
        return weights.TOKENIZER
    path = dict(spec.params).get("name")
    return pins.split(str(path)).name if spec.name == "gguf" and path else None
