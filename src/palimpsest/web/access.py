"""Whom a request speaks for: the users, or the tenant, that its key is bound to.

Invariant: a user of the store is named by ``Access.user`` alone. What a client names passes
through it, so no request reaches a scope that its key does not hold.
"""

from __future__ import annotations

import dataclasses

from starlette.requests import Request

from palimpsest.errors import Forbidden, InputError

DIVIDER = "/"
"""Between a tenant and its user in the name that the store keeps."""
DEFAULT_USER = "default"
"""Who speaks where nobody is named and the key holds everybody."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What one key holds; the default is everything, for loopback without keys."""

    key: str = ""
    """The name of the key; empty where there is none."""
    users: frozenset[str] | None = None
    """The users it holds, as the store names them; ``None`` for all."""
    tenant: str = ""
    """Every user whose stored name begins with this and the divider."""

    @property
    def owner(self) -> bool:
        """True for whoever holds the whole store."""
        return self.users is None and not self.tenant

    def user(self, named: str | None = None) -> str:
        """The stored name of the user that a client names, or of the only one there is.

        Raises Forbidden, with the same words whether or not such a user exists, and
        InputError where the key holds several and none is named.
        """
        if self.tenant:
            return f"{self.tenant}{DIVIDER}{named or DEFAULT_USER}"
        if self.users is None:
            return named or DEFAULT_USER
        if named is None:
            if len(self.users) != 1:
                raise InputError("user: the key holds several users; name one")
            return next(iter(self.users))
        if named not in self.users:
            raise Forbidden(f"user: the key does not hold {named!r}")
        return named

    def holds(self, stored: str) -> bool:
        """Whether a user of the store is one of this key's."""
        if self.tenant:
            return stored.startswith(f"{self.tenant}{DIVIDER}")
        return self.users is None or stored in self.users

    def shown(self, stored: str) -> str:
        """A stored user's name as this key's clients know it."""
        return stored.removeprefix(f"{self.tenant}{DIVIDER}") if self.tenant else stored


def access_of(request: Request) -> Access:
    """What the gate in front of the routes found for this request."""
    found = request.state.access
    assert isinstance(found, Access), "a route without the gate in front of it"
    return found
