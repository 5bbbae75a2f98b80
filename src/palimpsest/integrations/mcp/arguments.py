"""What each tool may be given: one record a tool, whose JSON schema is the tool's input schema.

Invariant: no record names a user or a conversation, so no call can reach another scope; what
is too long, too large or not named here is refused before the store is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from palimpsest.errors import InputError
from palimpsest.types import Kind

LONGEST = 4_000
"""Characters of a statement; a longer text belongs in a turn, from which statements are read."""
LONGEST_SAID = 100_000
LONGEST_NAME = 200
_LARGEST = 2**63 - 1
_SHOWN = 60

Statement = Annotated[str, Field(min_length=1, max_length=LONGEST)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Words = Annotated[str, Field(min_length=1, max_length=2_000)]
Id = Annotated[int, Field(ge=1, le=_LARGEST)]


class Arguments(BaseModel):
    """The arguments of a call, checked."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Remember(Arguments):
    """A statement to keep."""

    text: Statement = Field(
        description="One statement about the user, in a whole sentence: 'I live in Lyon.'"
    )
    attribute: Name | None = Field(
        None, description="A name to correct or forget it by later, such as 'home city'."
    )
    value: Statement | None = Field(
        None, description="The exact value, where the sentence does not show it plainly."
    )
    said_again: bool = Field(
        False,
        description="True only where the user has just said a value again that was forgotten.",
    )


class Recall(Arguments):
    """A question to look for memories with."""

    query: Words = Field(description="What is looked for, in the user's own words.")
    limit: Annotated[int, Field(ge=1, le=50)] = Field(10, description="How many at most.")


class Memories(Arguments):
    """A page of what is remembered."""

    before: Id | None = Field(
        None, description="Only memories with a lower id: 'next' of the page before this one."
    )
    limit: Annotated[int, Field(ge=1, le=100)] = Field(50, description="How many at most.")
    kind: Kind | None = Field(None, description="Only memories of this kind.")


class _Named(Arguments):
    """One memory, or what fits a name or a description."""

    id: Id | None = Field(None, description="The id of a memory.")
    attribute: Name | None = Field(None, description="The attribute of the memories.")
    description: Words | None = Field(
        None, description="Words that describe it: 'the staging key', 'where I live'."
    )


class Correct(_Named):
    """A newer statement, and what it replaces."""

    text: Statement = Field(description="The statement that holds now, in a whole sentence.")
    value: Statement | None = Field(
        None, description="Its exact value, where the sentence does not show it plainly."
    )
    said_again: bool = Field(
        False,
        description="True only where the user has just said a value again that was forgotten.",
    )


class PlanForget(_Named):
    """What is to be forgotten; name exactly one."""

    value: Statement | None = Field(
        None, description="This exact value in any form, wherever it stands."
    )


class Forget(Arguments):
    """The go-ahead for a plan."""

    token: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="The token of plan_forget, once the user has agreed to what it shows."
    )


class Why(Arguments):
    """What is asked about: one thing, or nothing for the newest request as a whole."""

    about: Words | None = Field(
        None, description="A text, a value or an attribute: is it remembered, sent, forgotten?"
    )
    id: Id | None = Field(None, description="The id of a memory.")
    request: Name | None = Field(None, description="The id of a request.")


class Observe(Arguments):
    """One exchange of the conversation."""

    user: Annotated[str, Field(min_length=1, max_length=LONGEST_SAID)] = Field(
        description="What the user said, word for word."
    )
    assistant: Annotated[str, Field(min_length=1, max_length=LONGEST_SAID)] | None = Field(
        None, description="What was answered, word for word."
    )


A = TypeVar("A", bound=Arguments)


def read(record: type[A], tool: str, given: Mapping[str, Any] | None) -> A:
    """The arguments of a call; raises InputError for the first that is not acceptable."""
    try:
        return record.model_validate(dict(given or {}))
    except ValidationError as error:
        raise InputError(_told(record, tool, error.errors(include_url=False)[0])) from None


def _told(record: type[Arguments], tool: str, fault: ErrorDetails) -> str:
    names = ", ".join(record.model_fields)
    path = ".".join(str(part) for part in fault["loc"])[:_SHOWN]
    if fault["type"] == "extra_forbidden":
        return f"{path}: is no argument of {tool}; it takes {names}"
    if fault["type"] == "missing":
        return f"{path}: is missing; {tool} takes {names}"
    if fault["type"] == "string_too_long":
        most = fault["ctx"]["max_length"]
        return f"{path}: {len(fault['input']):,} characters; the limit is {most:,}"
    return f"{path}: {fault['input']!r:.{_SHOWN}} is not acceptable ({fault['msg']})"
