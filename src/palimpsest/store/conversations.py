"""Conversations: who owns which, the counters of their users, and their revisions.

Invariant: a scope is found by exact equality of user and conversation, never by a prefix
or a pattern, and an empty name is refused; every other part of the store goes through here.
"""

from __future__ import annotations

from collections.abc import Callable

from palimpsest.errors import InputError
from palimpsest.store.database import Database
from palimpsest.types import Scope

NO_KEY = -1
"""The key of a conversation that was never written to: no row has it."""


class Conversations:
    """Maps a scope to the integer key that all its rows carry."""

    def __init__(self, db: Database, now: Callable[[], str]) -> None:
        self._db = db
        self._now = now
        self._known: tuple[int, dict[Scope, int]] = (0, {})

    def key(self, scope: Scope) -> int:
        """The key of a scope, or ``NO_KEY`` where nothing was ever written in it."""
        check(scope)
        # No key changes while it exists, so inside of one section it is looked for once.
        section, known = self._known
        here = self._db.section
        if section != here or not here:
            known = {}
        found = known.get(scope)
        if found is None:
            found = self._read(scope)
            if here and found != NO_KEY:
                known[scope] = found
                self._known = (here, known)
        return found

    def _read(self, scope: Scope) -> int:
        found = self._db.row(
            "SELECT key FROM conversations WHERE user = ? AND name = ?",
            (scope.user, scope.conversation),
        )
        return int(found[0]) if found else NO_KEY

    def ensure(self, scope: Scope) -> int:
        """The key of a scope, made where there is none; inside a transaction."""
        found = self.key(scope)
        if found != NO_KEY:
            return found
        self._db.write(
            "INSERT INTO conversations (user, name, created_at) VALUES (?, ?, ?)",
            (scope.user, scope.conversation, self._now()),
        )
        return self.key(scope)

    def of(self, user: str) -> tuple[str, ...]:
        """The names of a user's conversations, in the order they began."""
        check(Scope(user=user, conversation="any"))
        rows = self._db.rows("SELECT name FROM conversations WHERE user = ? ORDER BY key", (user,))
        return tuple(name for (name,) in rows)

    def revision(self, scope: Scope) -> int:
        """A number that changes with every change of turns, memories or redactions; 0 at first."""
        return self._column("revision", scope)

    def retirements(self, scope: Scope) -> int:
        """A number that changes when a memory is superseded, deleted or rewritten; 0 at first."""
        return self._column("retirements", scope)

    def touch(self, key: int, *, retired: bool = False) -> None:
        """Change the revision, and the retirements too where a memory was retired.

        The numbers are drawn, not counted: a count that a rollback takes back would be
        given again, and a cache kept under it would be wrong.
        """
        also = ", retirements = abs(random() / 2) + 1" if retired else ""
        self._db.write(
            f"UPDATE conversations SET revision = abs(random() / 2) + 1{also} WHERE key = ?",
            (key,),
        )

    def retire(self, scope: Scope) -> None:
        """Change the retirements: what was read before is void."""
        self.touch(self.ensure(scope), retired=True)

    def next_id(self, scope: Scope, name: str) -> int:
        """Take the next id of a user's counter; ids start at 1 and are never given twice."""
        self._db.write(
            "INSERT INTO counters VALUES (?, ?, 1) "
            "ON CONFLICT (user, name) DO UPDATE SET last = last + 1",
            (scope.user, name),
        )
        return self._db.number(
            "SELECT last FROM counters WHERE user = ? AND name = ?", (scope.user, name)
        )

    def last_id(self, scope: Scope, name: str) -> int:
        """The newest id that a user's counter gave; 0 before the first."""
        return self._db.number(
            "SELECT last FROM counters WHERE user = ? AND name = ?", (scope.user, name)
        )

    def _column(self, column: str, scope: Scope) -> int:
        return self._db.number(
            f"SELECT {column} FROM conversations WHERE key = ?", (self.key(scope),)
        )


def check(scope: Scope) -> None:
    """Refuse a scope that names nobody; raises InputError."""
    for name, value in (("user", scope.user), ("conversation", scope.conversation)):
        if not isinstance(value, str) or not value.strip():
            raise InputError(
                f"scope.{name}: {value!r} is not a name; give a text that is not blank"
            )
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError(f"scope.{name}: {value!r} holds half of a surrogate pair") from None
