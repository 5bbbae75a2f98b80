"""What a command was given: checked before anything is read or written.

Invariant: what passes is of the type that its annotation says, and two spellings of one
attribute that look the same (composed, decomposed) are one attribute.
"""

from __future__ import annotations

import unicodedata

from palimpsest.errors import InputError


def text(name: str, value: object) -> str:
    """A text with words in it; raises InputError."""
    if not isinstance(value, str):
        raise InputError(f"{name}: {value!r:.60} ({type(value).__name__}) is not a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name}: character {error.start} is half of a surrogate pair and is not text"
        ) from None
    if all(unicodedata.category(character)[0] in "CZ" for character in value):
        raise InputError(f"{name}: {value!r:.60} is blank; give a text with words in it")
    return value


def optional(name: str, value: object) -> str | None:
    """A text, or nothing; raises InputError."""
    return None if value is None else text(name, value)


def attribute(value: object) -> str | None:
    """The one form of an attribute's name, or ``None``; raises InputError."""
    return None if value is None else unicodedata.normalize("NFC", text("attribute", value))


def number(name: str, value: object) -> int | None:
    """A whole number such as a turn or an id, or ``None``; raises InputError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(
            f"{name}: {value!r:.60} ({type(value).__name__}) is not a whole number; "
            f"give the {name} as an int, for instance {name}=1"
        )
    return value
