"""The texts inside JSON data: every key, text and number, in the order in which they stand.

Invariant: an edit changes the text that it names and keeps the number and the order of the
others; JSON stays JSON, and a number that is edited becomes a text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from palimpsest.types import canonical

Path = tuple[str | int, ...]
Reach = Literal["all", "value", "none"]
Rule = Callable[[Path], Reach]
"""What of an item is text: its key and its value, its value alone, or nothing of it."""
Edit = Callable[[str], str]

_BULK = re.compile(r"data:[^,\s]{0,200},.*|[A-Za-z0-9+/_=-]{1024,}", re.DOTALL)


def everything(path: Path) -> Reach:
    """Every key and every value is text."""
    return "all"


def texts(value: Any, rule: Rule = everything, path: Path = ()) -> Iterator[str]:
    """The texts of a value; ``rule`` says of each path what is text there."""
    for key, item in _items(value):
        reach = rule((*path, key))
        if reach == "all" and isinstance(key, str):
            yield key
        if reach != "none":
            yield from texts(item, rule, (*path, key))
    if (text := _text(value)) is not None:
        yield text


def leaves(text: str) -> Iterator[str]:
    """The texts inside JSON text, keys too, and inside JSON text in it; a text that is none itself.

    For looking only: nothing is left out as bulk, and numbers are no texts here.
    """
    waiting: list[Any] = [text]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += [*item, *item.values()]
        elif isinstance(item, str):
            try:
                read = json.loads(item)
            except (ValueError, RecursionError):
                read = None
            if isinstance(read, (list, dict, str)):
                waiting.append(read)
            else:
                yield item


def edited(value: Any, index: int, edit: Edit, rule: Rule = everything) -> Any:
    """The value with text ``index`` edited."""
    return _mapped(value, iter(range(index, -1, -1)), edit, rule, ())


def parsed(value: Any) -> Any:
    """JSON text as the object or the list that it is; anything else as it is.

    What could not be written again as it was (a key that stands twice, a number without
    end, half a character) stays one text.
    """
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(
            value, object_pairs_hook=_no_twins, parse_float=_finite, parse_constant=_finite
        )
        # Half of a surrogate pair can be written as an escape and cannot be stored as text.
        canonical([read]).encode()
    except (ValueError, RecursionError):
        return value
    return read if isinstance(read, (dict, list)) else value


def edited_text(value: Any, index: int, edit: Edit) -> Any:
    """Like ``edited``, for a value that may be JSON text: it keeps the form it was given in."""
    read = parsed(value)
    changed = edited(read, index, edit)
    if not isinstance(value, str):
        return changed
    if not isinstance(read, str):
        return canonical(changed)
    # One text stays one text, even where what is left of it happens to read as JSON.
    return changed if isinstance(parsed(changed), str) else f"{changed}."


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice, and reading would lose a value that is sent")
    return made


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that cannot be written again")
    return number


def _text(value: Any) -> str | None:
    """A text or a number as a text; nobody reads what media is written as."""
    if isinstance(value, str):
        return None if _BULK.fullmatch(value) else value
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return json.dumps(value) if number else None


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, Mapping):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _mapped(value: Any, left: Iterator[int], edit: Edit, rule: Rule, path: Path) -> Any:
    """``left`` counts down to the text that is edited: 0 names it."""
    if not isinstance(value, (Mapping, list)):
        text = _text(value)
        return edit(text) if text is not None and next(left, None) == 0 else value
    made: dict[Any, Any] = {}
    for key, item in _items(value):
        reach, name = rule((*path, key)), key
        if reach == "all" and isinstance(key, str) and next(left, None) == 0:
            name = edit(key)
        # Two keys that become one would lose a value.
        while isinstance(name, str) and name in made:
            name += "_"
        made[name] = item if reach == "none" else _mapped(item, left, edit, rule, (*path, key))
    return list(made.values()) if isinstance(value, list) else made
