"""One operation of the API: what it takes, what it answers, and what it asks of the core.

Invariant: an operation reaches the store through ``Call`` alone, so it speaks for a user that
the key of its request holds, or for nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import Forbidden
from palimpsest.web.access import Access

_LONGEST_NAME = 500
_LARGEST = (1 << 63) - 1


def _named(name: str) -> str:
    if not name.strip() or "\0" in name:
        raise ValueError("is not a name: blank, or with a NUL")
    return name


Name = Annotated[
    str, StringConstraints(min_length=1, max_length=_LONGEST_NAME), AfterValidator(_named)
]
Number = Annotated[int, Field(ge=1, le=_LARGEST)]


class Params(BaseModel):
    """What stands in an address: parts of the path, and the query."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Whose(Params):
    """Of which user."""

    user: Name | None = Field(
        default=None, examples=["ana"],
        description="Whose. Needed where the key holds several users; without keys, and for a "
        "tenant, 'default' where it is left out.",
    )  # fmt: skip


class Scoped(Whose):
    """Of which conversation."""

    conversation: Name = Field(examples=["trip"], description="The name of the conversation.")


class OfPage(Scoped):
    """Which page of a long list."""

    page: int = Field(
        default=1, ge=1, le=_LARGEST,
        description="Fifty rows a page, from 1; past the end is the last.",
    )  # fmt: skip


class ById(Scoped):
    """One numbered thing of a conversation."""

    id: Number = Field(examples=[1], description="Its number.")


class Body(BaseModel):
    """What stands in a JSON body; no key may be unknown, and no number may be a text."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an operation, read and checked."""

    memory: Memory
    access: Access
    params: Any
    """An instance of the operation's ``params``."""
    body: Any = None
    file: IO[bytes] | None = None
    """The body of an operation that takes a file."""
    built: Callable[[float, bool], None] = lambda seconds, degraded: None
    """Is told how long a request took to build, and whether recall was left out."""

    @property
    def user(self) -> str:
        """The stored name of the user that the call speaks for; raises Forbidden."""
        return self.access.user(self.params.user)

    @property
    def talk(self) -> Conversation:
        """The conversation that the call names, of a user that its key holds."""
        return self.memory.conversation(user=self.user, id=self.params.conversation)

    def owner(self) -> None:
        """Refuse everybody but the owner of the store; raises Forbidden."""
        if not self.access.owner:
            raise Forbidden("this reads every user: it needs a key of the owner")


Run = Callable[[Call], object]
Method = Literal["GET", "POST", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A row of the table."""

    id: str
    method: Method
    path: str
    """Below /api/v1, with the names of its parts in braces."""
    tag: str
    summary: str
    run: Run
    answer: Any
    """The type of what ``run`` returns, or ``FILE`` for lines that are streamed."""
    params: type[Params] = Params
    body: type[Body] | Literal["file"] | None = None
    owner: bool = False
    """Only a key of the owner reaches it."""
    errors: tuple[str, ...] = ()
    """Codes of the error table, besides those that every operation may answer with."""
    asks: Mapping[str, Any] = field(default_factory=dict)
    """Its example: the parameters."""
    says: Any = None
    """Its example: the body."""


FILE = "file"
"""The answer, or the body, is a file of JSON lines."""
HERE: Mapping[str, Any] = {"user": "ana", "conversation": "trip"}
"""Where the examples play."""
