"""The shape of a case-set file: its keys and their types, as pydantic models.

A file is either the published bare list of cases or an object that holds the list beside
its settings and what it says about its held-out split. What the texts say is checked in
``case_checks``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, ValidationError

from palimpsest.bench.suite_file import (
    TAGS,
    BudgetShape,
    ChatMessages,
    Content,
    Fact,
    KeysTable,
    Shape,
    first_fault,
    turn_tag,
)
from palimpsest.errors import InputError

Split = Literal["dev", "held_out"]
SPLITS: tuple[Split, ...] = ("dev", "held_out")


class ExchangeShape(Shape):
    """One turn of a history: what the user said and what the assistant answered."""

    user: Content
    assistant: Content


class MessagesShape(Shape):
    """One turn given as messages, with tool calls and their results for instance."""

    messages: ChatMessages


HistoryShape = Annotated[
    Annotated[ExchangeShape, Tag(TAGS[0])] | Annotated[MessagesShape, Tag(TAGS[1])],
    Discriminator(turn_tag),
]


class CaseShape(Shape):
    """A conversation, a question after it, and the exact texts that a request is graded by."""

    id: str = Field(min_length=1)
    split: Split
    kind: str = Field(min_length=1)
    instructions: str | None
    current: str = Field(min_length=1)
    history: list[HistoryShape]
    budget: BudgetShape
    required: list[Fact]
    stale: list[Fact]


class HeldOutShape(Shape):
    """Whether the held-out cases were written by somebody who had not seen the strategies."""

    blind: bool
    note: str = Field(min_length=1)


class CaseSetShape(Shape):
    """Cases under one name."""

    name: str | None = Field(default=None, min_length=1)
    description: str | None = None
    held_out: HeldOutShape | None = None
    settings: dict[str, Any] | None = Field(
        default=None, description="the tables of a settings file, without the budget"
    )
    keys: KeysTable = None
    cases: list[CaseShape] = Field(min_length=1)


def read(data: object, where: str) -> CaseSetShape:
    """Check the shape of a parsed case set; raises InputError with file and path."""
    if isinstance(data, Mapping) and "cases" not in data and {"turns", "checkpoints"} & set(data):
        raise InputError(
            f"{where}: is a suite (one conversation with checkpoints) and not a set of cases; run "
            f"`palimpsest bench run {where}`"
        )
    if not isinstance(data, (list, Mapping)):
        raise InputError(f"{where}: {data!r:.60} is neither a list of cases nor an object")
    try:
        return CaseSetShape.model_validate({"cases": data} if isinstance(data, list) else data)
    except ValidationError as error:
        raise InputError(f"{where}: {first_fault(error)}") from None


def schema() -> dict[str, Any]:
    """The JSON Schema of a case-set file in its object form."""
    made = CaseSetShape.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": "palimpsest case set",
    }
