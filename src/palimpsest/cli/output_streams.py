"""Makes the standard streams take any text that a person or a model may come with.

Invariant: a byte that is no character, and a character that the terminal's encoding lacks,
are shown as something else and end nothing.
"""

from __future__ import annotations

import io
import sys


def forgiving() -> None:
    """Replace what cannot be read, and escape what cannot be written."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"),
                           (sys.stderr, "backslashreplace")):  # fmt: skip
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
