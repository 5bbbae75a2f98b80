"""Reads the metadata of a GGUF file and nothing of its tensors.

The ``gguf`` package does the reading. Its files come checksummed, so this is about other
files: whatever is wrong with one is an InputError that names it, never a wrong value.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from palimpsest.errors import InputError

_OWN = "GGUF."
"""Keys of the reader itself (version, counts), which are not in the file's metadata."""


def read_metadata(path: Path, prefixes: Collection[str] = ("",)) -> dict[str, Any]:
    """The key-value pairs whose keys start with one of ``prefixes``, in file order.

    A file with a vocabulary of 262,144 pieces takes about ten seconds.
    """
    # It brings numpy, which nothing but a first preparation needs.
    from gguf import GGUFReader

    wanted = tuple(prefixes)
    try:
        fields = GGUFReader(path).fields
        return {
            key: field.contents()
            for key, field in fields.items()
            if key.startswith(wanted) and not key.startswith(_OWN)
        }
    # The reader indexes its mapped file unchecked, so a damaged one fails in many ways.
    except (OSError, ValueError, LookupError, TypeError, OverflowError, MemoryError) as error:
        raise InputError(
            f"{path}: cannot be read as a GGUF file ({error}); fetch it again, or name another file"
        ) from None
