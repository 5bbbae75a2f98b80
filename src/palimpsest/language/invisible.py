"""Characters that a person cannot see: found, taken out, or shown as an escape.

Hidden direction marks, tags and zero-width characters can make a quoted sentence read
differently from what a model receives. Joiners that build real words and emoji stay.
"""

from __future__ import annotations

import re
import unicodedata

_JOINERS = "\u200c\u200d"
# Default-ignorable characters that Unicode does not put into category Cf, and blank fillers.
_IGNORABLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2800\u3164\uffa0"
    "\U000e0100-\U000e01ef"
)
_FORMAT = "".join(
    chr(code)
    for code in (*range(0x00AD, 0x00AE), *range(0x0600, 0x0606), *range(0x200B, 0x2010),
                 *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x061C, 0x06DD, 0x070F, 0xFEFF,
                 *range(0xFFF9, 0xFFFC))
    if chr(code) not in _JOINERS and unicodedata.category(chr(code)) in ("Cf", "Cn")
)  # fmt: skip
_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
INVISIBLE = re.compile(f"[{_CONTROL}{re.escape(_FORMAT)}{_IGNORABLE}\U000e0000-\U000e007f]")
"""Matches one invisible character; tab, newline, carriage return and joiners are not."""


def without_invisible(text: str) -> str:
    """The text with its invisible characters and joiners taken out, for matching."""
    found = INVISIBLE.sub("", text)
    return found.replace(_JOINERS[0], "").replace(_JOINERS[1], "")


def shown(text: str) -> str:
    """The text on one line, each invisible character and line break as a visible escape."""
    escaped = INVISIBLE.sub(lambda found: _escape(found.group()), text)
    return escaped.replace("\r\n", "\\n").replace("\n", "\\n").replace("\r", "\\n")


def _escape(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
