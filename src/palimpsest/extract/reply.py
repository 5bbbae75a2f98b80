"""What a model must answer to a reflection: the schema, and the reading of a reply.

Invariant: a reply that does not fit the schema is read once more after one repair, and is
refused as a whole where it still does not fit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from json_repair import repair_json
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from palimpsest.errors import ModelError
from palimpsest.types import Kind, LabelOp, canonical

_MOST = 8
_Text = Annotated[str, Field(max_length=280)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class SaidMemory(_Strict):
    """One memory that a model proposes."""

    quote: _Text
    op: LabelOp = "remember"
    kind: Kind = "fact"
    attribute: str = ""
    scope: Literal["global", "conversation"] = "conversation"
    targets: tuple[int, ...] = Field(default=(), max_length=4)
    confidence: float | None = Field(default=None, ge=0, le=1)

    @field_validator("confidence", mode="before")
    @classmethod
    def _none_outside_its_range(cls, value: Any, info: ValidationInfo) -> Any:
        """A number that decides nothing must not cost a reading: 16 of 46 said 100 or 1000."""
        if (info.context or {}).get("strict"):
            return value
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if number and 0 <= value <= 1 else None


class SaidRemoval(_Strict):
    """An anchor that a model would drop."""

    id: int
    reason: str = ""


class SaidPosition(_Strict):
    """A view that the assistant took."""

    subject: _Text
    stance: _Text
    evidence: _Text = ""


class SaidDelta(_Strict):
    """A change of a named value."""

    name: str
    step: float = Field(allow_inf_nan=False)


class Reply(_Strict):
    """The whole reply of a reflection.

    Some servers write the fields by the alphabet, so what matters most has the first name.
    """

    found: tuple[SaidMemory, ...] = Field(max_length=_MOST)
    keep: tuple[_Text, ...] = Field(default=(), max_length=_MOST)
    positions: tuple[SaidPosition, ...] = Field(default=(), max_length=_MOST)
    release: tuple[SaidRemoval, ...] = Field(default=(), max_length=_MOST)
    state: tuple[SaidDelta, ...] = Field(default=(), max_length=_MOST)
    summary: Annotated[str, Field(max_length=1_200)] | None = None


def schema(state: Sequence[str] = ()) -> str:
    """The JSON schema of a reply, as canonical JSON; ``state`` names the values that may move."""
    made = Reply.model_json_schema()
    if state:
        made["$defs"]["SaidDelta"]["properties"]["name"]["enum"] = list(state)
    return canonical(made)


def read(text: str, model: str, *, strict: bool = False) -> Reply:
    """Read a reply; raises ModelError, without any text of it, where one repair does not help.

    ``strict`` refuses a reply for a confidence outside its range, as the first two wordings did.
    """
    context = {"strict": strict}
    try:
        return Reply.model_validate(json.loads(text), context=context)
    except (ValueError, RecursionError):
        pass
    try:
        mended: Any = repair_json(text, return_objects=True)
        if not isinstance(mended, dict) or not mended.keys() & Reply.model_fields.keys():
            raise ModelError(
                f"{model}: the reply is no JSON object of a reflection, repaired or not"
            )
        return Reply.model_validate(mended, context=context)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ModelError(
            f"{model}: the reply does not fit the schema at {where!r} ({first['type']}), repaired or not"
        ) from None
    except (ValueError, RecursionError):
        raise ModelError(f"{model}: the reply cannot be repaired into JSON") from None
