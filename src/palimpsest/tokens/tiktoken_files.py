"""Opens an encoding of ``tiktoken`` from files that are here; nothing is ever fetched.

The library fetches what it does not find. Its own description of an encoding is therefore
run with a reader of ours in the place of its downloader, which looks into its cache folder
and compares the pinned checksum. Invariant: an encoding is whole and verified, or NotPrepared.
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
import types
from pathlib import Path
from typing import Any

from palimpsest.errors import NotPrepared, SpecError

CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")


def encoding(model: str, files: str = "") -> Any:
    """The ``tiktoken.Encoding`` of a model; ``files`` is a folder like the library's cache."""
    library = _library()
    try:
        name = library.model.encoding_name_for_model(model)
    except KeyError:
        raise SpecError(
            f"tiktoken(model={model!r}): the library knows no such model; name one such as "
            "'gpt-4o', or update it"
        ) from None
    describe = library.registry.ENCODING_CONSTRUCTORS
    if describe is None:
        library.registry._find_constructors()
        describe = library.registry.ENCODING_CONSTRUCTORS
    made = describe[name]
    reader = _Reader(name, _folder(files))
    # The function itself with another loader among its names: the library is not touched.
    own = types.FunctionType(made.__code__, {**made.__globals__, "load_tiktoken_bpe": reader.read})
    return library.Encoding(**own())


def _library() -> Any:
    try:
        import tiktoken
        import tiktoken.model
        import tiktoken.registry
    except ImportError:
        raise NotPrepared(
            "counting for OpenAI models needs the package tiktoken; install the extra: "
            "pip install 'palimpsest-memory[tiktoken]'"
        ) from None
    return tiktoken


def _folder(files: str) -> Path:
    if files:
        return Path(files).expanduser()
    named = next((os.environ[name] for name in CACHE_VARIABLES if os.environ.get(name)), "")
    return Path(named) if named else Path(tempfile.gettempdir()) / "data-gym-cache"


class _Reader:
    """Reads a vocabulary from the cache folder of the library."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder

    def read(self, source: str, expected_hash: str) -> dict[bytes, int]:
        """The ranks of a vocabulary that the library would fetch from ``source``."""
        path = self.folder / hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
        fetch = f'python -c "import tiktoken; tiktoken.get_encoding({self.name!r})"'
        try:
            data = path.read_bytes()
        except OSError:
            raise NotPrepared(
                f"the vocabulary {self.name!r} of tiktoken is not here (no {path}); fetch it once "
                f"with `{fetch}`, or name a folder that has it: {CACHE_VARIABLES[0]} or files="
            ) from None
        if hashlib.sha256(data).hexdigest() != expected_hash:
            raise NotPrepared(
                f"{path}: is altered, its checksum is not the one that tiktoken pins; delete it "
                f"and fetch it again with `{fetch}`"
            )
        pairs = (line.split() for line in data.splitlines() if line)
        return {base64.b64decode(token): int(rank) for token, rank in pairs}
