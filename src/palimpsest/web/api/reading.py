"""Reads what a client sent: an address and a JSON body, each into its model or an InputError.

Invariant: what passes is text that can be stored (UTF-8, no NUL, no half of a surrogate pair)
and is not nested so deeply that walking it could end in anything but an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from palimpsest.errors import InputError

DEEPEST = 64
"""Levels of a body; chat messages with tool schemas take about ten."""
_TOLD = 5
Read = TypeVar("Read", bound=BaseModel)


def params_of(model: type[Read], path: Mapping[str, Any], query: Sequence[tuple[str, str]]) -> Read:
    """The parameters of an address; raises InputError for one that is there twice."""
    given: dict[str, Any] = dict(path)
    for name, value in query:
        if name in given:
            raise InputError(f"{name}: is given twice in the address")
        given[name] = value
    return _checked(model, given)


def body_of(model: type[Read], raw: bytes) -> Read:
    """A body; raises InputError that says where it is wrong."""
    try:
        data = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise InputError(f"the body is not UTF-8 at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        said = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"the body is not JSON ({said})") from None
    _check_text(data)
    return _checked(model, data)


def _checked(model: type[Read], data: object) -> Read:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise InputError(_told(error)) from None


def _told(error: ValidationError) -> str:
    """What is wrong and where, without the values: they may be long, and a text of a user's."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    told = [
        f"{'.'.join(map(str, fault['loc'])) or 'the body'}: {fault['msg']}"
        for fault in faults[:_TOLD]
    ]
    more = len(faults) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _check_text(data: object) -> None:
    waiting: list[tuple[object, int]] = [(data, 1)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise InputError(f"the body is nested over {DEEPEST} levels deep")
        if isinstance(value, str):
            _check_string(value)
        elif isinstance(value, dict):
            for key in value:
                _check_string(key)
            waiting += [(inner, depth + 1) for inner in value.values()]
        elif isinstance(value, list):
            waiting += [(inner, depth + 1) for inner in value]


def _check_string(text: str) -> None:
    if "\0" in text:
        raise InputError("the body holds a NUL character, which is no text")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(
                f"the body holds half of a surrogate pair (character {error.start} of a text)"
            ) from None
