"""The shape of a suite file: its keys and their types, as pydantic models.

Only the shape is checked here; what the texts say is checked in ``suite_checks``. The
exported JSON Schema is made from these models, so the two cannot drift apart.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from palimpsest.errors import InputError

# Contents and messages are read by palimpsest.messages, whose errors name the very part.
Content = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": ["object", "string"]},
                },
            ],
            "description": "a text, or a list of content parts",
        }
    ),
]
ChatMessages = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["role"],
                "properties": {
                    "role": {"enum": ["user", "assistant", "tool"]},
                    "content": {"type": ["string", "array", "null"]},
                    "tool_calls": {"type": "array", "items": {"type": "object"}},
                    "tool_call_id": {"type": "string"},
                    "name": {"type": "string"},
                },
            },
            "description": "OpenAI-style messages that make one turn",
        }
    ),
]
ToolSchemas = Annotated[
    Any,
    WithJsonSchema(
        {"type": ["array", "null"], "items": {"type": "object"}, "description": "tools"}
    ),
]


class Shape(BaseModel):
    """An object of the file: strict types, no unknown keys."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            for key in data:
                if key not in cls.model_fields:
                    raise PydanticCustomError("unknown_key", "{text}", {"text": cls._hint(key)})
        return data

    @classmethod
    def _hint(cls, key: str) -> str:
        close = difflib.get_close_matches(str(key), cls.model_fields, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        return f"unknown key {key!r}{hint} Known: {', '.join(cls.model_fields)}"


class LabelShape(Shape):
    """What perfect extraction would do at this turn."""

    op: Literal["remember", "correct", "forget"]
    attribute: str = Field(min_length=1)
    value: str | None = Field(
        default=None,
        min_length=1,
        description="the exact value, as it stands in the user's words",
    )


class SpokenTurn(Shape):
    """A turn of one user text and one reply."""

    turn: int = Field(ge=1, description="1, 2, 3 ... without gaps")
    user: Content
    assistant: Content
    memory: LabelShape | None = None


class MessagesTurn(Shape):
    """A turn given as messages, with tool calls and their results for instance."""

    turn: int = Field(ge=1, description="1, 2, 3 ... without gaps")
    messages: ChatMessages
    memory: LabelShape | None = None


Fact = Annotated[str, Field(min_length=1)]


class CheckpointShape(Shape):
    """A question after a turn, with the exact texts that its request is graded by."""

    after: int = Field(ge=1)
    question: str | None = Field(
        min_length=1, description="null continues the newest turn, after a tool result"
    )
    required: list[Fact]
    stale: list[Fact] = []
    deleted: list[Fact] = []


class OwnBudget(Shape):
    """A budget in the spelling of a settings file."""

    window: int = Field(ge=1)
    answer: int = Field(ge=0)
    margin: int = Field(default=0, ge=0)


class PublishedBudget(Shape):
    """A budget in the published spelling."""

    context_limit: int = Field(ge=1)
    max_new_tokens: int = Field(ge=0)
    margin: int = Field(default=0, ge=0)


TAGS = ("spoken turn", "messages turn", "own budget", "published budget")


def turn_tag(data: Any) -> str:
    """Which of the two shapes of a turn is meant."""
    return TAGS[1] if isinstance(data, Mapping) and "messages" in data else TAGS[0]


def _budget_tag(data: Any) -> str:
    own = isinstance(data, Mapping) and ("window" in data or "answer" in data)
    return TAGS[2] if own else TAGS[3]


TurnShape = Annotated[
    Annotated[SpokenTurn, Tag(TAGS[0])] | Annotated[MessagesTurn, Tag(TAGS[1])],
    Discriminator(turn_tag),
]
BudgetShape = Annotated[
    Annotated[OwnBudget, Tag(TAGS[2])] | Annotated[PublishedBudget, Tag(TAGS[3])],
    Discriminator(_budget_tag),
]


# Keys have a reader of their own (bench/answers/keys.py), which a key file shares.
KeysTable = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": ["object", "null"],
            "properties": {
                "languages": {"type": "array", "items": {"type": "string"}},
                "facts": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "description": "a regular expression for each listed fact, to grade answers by",
        }
    ),
]


class SuiteShape(Shape):
    """A labelled conversation, its checkpoints and its budget."""

    name: str | None = Field(default=None, min_length=1)
    description: str | None = None
    instructions: str | None = None
    tools: ToolSchemas = None
    turns: list[TurnShape] = Field(min_length=1)
    checkpoints: list[CheckpointShape] = Field(min_length=1)
    budget: BudgetShape
    settings: dict[str, Any] | None = Field(
        default=None, description="the tables of a settings file, without the budget"
    )
    keys: KeysTable = None


def read(data: object, where: str) -> SuiteShape:
    """Check the shape of a parsed suite file; raises InputError with file and path."""
    try:
        return SuiteShape.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{where}: {first_fault(error)}") from None


def schema() -> dict[str, Any]:
    """The JSON Schema of a suite file."""
    made = SuiteShape.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": "palimpsest benchmark suite",
    }


def first_fault(error: ValidationError) -> str:
    """The first thing that is wrong with a shape, with its path."""
    found = error.errors(include_url=False)
    path = _path(found[0]["loc"])
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{path + ': ' if path else ''}{_told(dict(found[0]))}{more}"


def _path(loc: tuple[int | str, ...]) -> str:
    path = ""
    for step in loc:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step not in TAGS:
            path += f".{step}" if path else step
    return path


def _told(error: dict[str, Any]) -> str:
    if error["type"] == "missing":
        return "is missing"
    if error["type"] == "unknown_key":
        return str(error["msg"])
    given = error["input"]
    if error["type"] in ("model_type", "dict_type"):
        return f"{given!r:.60} ({type(given).__name__}) is not an object"
    shown = "null" if given is None else f"{given!r:.60}"
    return f"{shown} ({type(given).__name__}): {error['msg'][:1].lower()}{error['msg'][1:]}"
