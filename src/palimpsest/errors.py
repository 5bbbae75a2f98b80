"""The error tree, and the one table that says what each error means outside.

PalimpsestError
├── InputError                  a value that was given is not acceptable
├── ConfigError                 a settings file or a setting is wrong
├── SpecError                   a Spec text cannot be read or names nothing known
├── TemplateError               a chat template cannot express what it was given
├── RequiredContextTooLarge     the required part alone exceeds the budget
├── NotFound                    a named thing does not exist in this scope
├── Ambiguous                   a name fits more than one thing
├── NotPrepared                 a tokenizer or a model is missing, truncated or altered
├── StoreError                  the database cannot be used
│   ├── NotADatabase
│   ├── NewerSchema
│   └── ReadOnly
├── ModelError                  a chat model or its server failed
├── Unauthorized                no key, or none that is known, where one is asked for
├── Forbidden                   the key does not reach that far
├── TooLarge                    what was sent is over a limit of size
└── TooMany                     a limit of rate or of concurrency is reached

Every message says what, which, the limits or the known names, and the next
command. Outcomes (an unseated memory, a leaked fact) are records, not errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple


class Meaning(NamedTuple):
    """What an error code means to the shell and to an HTTP client."""

    exit_status: int
    http_status: int


class PalimpsestError(Exception):
    """The root of every error that this package raises on purpose."""

    code: ClassVar[str] = "error"


class InputError(PalimpsestError):
    """A given value is not acceptable; the message starts with the path to it."""

    code = "input"


class ConfigError(PalimpsestError):
    """A settings file cannot be read, or a setting in it is unknown or wrong."""

    code = "config"


class SpecError(PalimpsestError):
    """A Spec text cannot be parsed, or its name or parameter is not known."""

    code = "spec"


class TemplateError(PalimpsestError):
    """The chat template cannot express a message, so it has no exact count."""

    code = "template"


class RequiredContextTooLarge(PalimpsestError):
    """The required part does not fit the input budget.

    ``parts`` maps each part (``frame``, ``instructions``, ``tools``, ``question``,
    ``open_turns``) to its size in tokens; ``required`` is the exact count of them
    together and ``limit`` the input budget, both in tokens. ``where`` opens the message
    where more than one request is being built (a suite and its checkpoint).
    """

    code = "required_context_too_large"

    def __init__(
        self, *, parts: Mapping[str, int], required: int, limit: int, where: str = ""
    ) -> None:
        self.where = where
        self.parts = dict(parts)
        self.required = required
        self.limit = limit
        sizes = ", ".join(f"{name} {size}" for name, size in self.parts.items() if size)
        opening = f"{where}: " if where else ""
        super().__init__(
            f"{opening}the required part of the request takes {required} tokens and the input "
            f"budget is {limit} ({sizes}); shorten one of these parts, or raise the window or "
            "lower the answer reserve of the budget"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_too_large, (self.parts, self.required, self.limit, self.where))


def _rebuild_too_large(
    parts: Mapping[str, int], required: int, limit: int, where: str
) -> RequiredContextTooLarge:
    return RequiredContextTooLarge(parts=parts, required=required, limit=limit, where=where)


class NotFound(PalimpsestError):
    """A memory, turn, request, suite or fact does not exist in this scope."""

    code = "not_found"


class Ambiguous(PalimpsestError):
    """A name fits more than one thing; the message lists them."""

    code = "ambiguous"


class NotPrepared(PalimpsestError):
    """The files of a tokenizer, an embedder or a model are missing, truncated or altered."""

    code = "not_prepared"


class StoreError(PalimpsestError):
    """The database cannot be opened, read or written."""

    code = "store"


class NotADatabase(StoreError):
    """The file exists and is not an SQLite database, or is damaged."""

    code = "not_a_database"


class NewerSchema(StoreError):
    """The database was written by a newer version of this package."""

    code = "newer_schema"


class ReadOnly(StoreError):
    """The database, or the directory it lives in, cannot be written."""

    code = "read_only"


class ModelError(PalimpsestError):
    """A chat model or its server failed or answered nonsense."""

    code = "model"

    def __init__(self, message: str, *, status: int | None = None, told: str = "") -> None:
        self.status = status
        """The HTTP status of a server that refused the call."""
        self.told = told
        """The server's own words about it."""
        super().__init__(message)


class Unauthorized(PalimpsestError):
    """No API key was sent where one is needed, or it is not a known one."""

    code = "unauthorized"


class Forbidden(PalimpsestError):
    """The key, or the machine that asks, does not reach what was named."""

    code = "forbidden"


class TooLarge(PalimpsestError):
    """What was sent is over a limit of size; the message says which."""

    code = "too_large"


class TooMany(PalimpsestError):
    """A limit of rate or of concurrency is reached; ``seconds`` says when to try again."""

    code = "too_many"

    def __init__(self, message: str, *, seconds: float = 1.0) -> None:
        self.seconds = seconds
        super().__init__(message)


MEANINGS: Mapping[str, Meaning] = {
    "error": Meaning(2, 500),
    "input": Meaning(2, 422),
    "config": Meaning(2, 422),
    "spec": Meaning(2, 422),
    "template": Meaning(2, 422),
    "required_context_too_large": Meaning(2, 413),
    "not_found": Meaning(2, 404),
    "ambiguous": Meaning(2, 409),
    "not_prepared": Meaning(2, 503),
    "store": Meaning(2, 500),
    "not_a_database": Meaning(2, 500),
    "newer_schema": Meaning(2, 500),
    "read_only": Meaning(2, 500),
    "model": Meaning(2, 502),
    "unauthorized": Meaning(2, 401),
    "forbidden": Meaning(2, 403),
    "too_large": Meaning(2, 413),
    "too_many": Meaning(2, 429),
}
"""Error code to exit status and HTTP status."""
