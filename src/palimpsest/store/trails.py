"""The trail of a conversation: at the end of each turn, a keyed hash of all that was said so far.

It finds the conversation of a history that comes again. The key is not in the file, so a hash
tells nobody a short text. A forget leaves it: the client still sends the old words. A turn that
lost something before it had a hash, and every turn after it, has an empty one: what a client
still has there is compared word for word instead.

Invariant: derived from what was said and the key alone; rows of another key are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.store.secret import Secret
from palimpsest.types import Scope

_MANY = 400
_MOST = 8
"""Conversations with the same words that are looked at; the newest come first."""
_BROKEN = 256
"""The same of conversations that lost words to a forget."""
_KEY = "trail key"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A turn of a conversation at which the trail has a given hash."""

    conversation: str
    turn: int
    hash: str
    last: int
    """The newest turn of the conversation."""


class Trails:
    """The trails of every conversation."""

    def __init__(self, db: Database, conversations: Conversations, secret: Secret) -> None:
        self._db = db
        self._conversations = conversations
        self._secret = secret
        self._checked = False

    def hash(self, user: str, before: str, said: str) -> str:
        """The hash after a message, from the one before it and what the message says."""
        return self._secret.hash(f"trail\x00{user}\x00{before}\x00{said}")

    def behind(self, user: str) -> tuple[str, ...]:
        """The conversations of a user whose trail does not reach their newest turn."""
        self._check_key()
        rows = self._db.rows(
            "SELECT name FROM conversations c WHERE user = ? AND last_turn > "
            "coalesce((SELECT max(turn) FROM trails t WHERE t.conversation = c.key), 0)",
            (user,),
        )
        return tuple(name for (name,) in rows)

    def end(self, scope: Scope) -> tuple[int, str]:
        """The newest turn of a trail and its hash; (0, "") before the first."""
        found = self._db.row(
            "SELECT turn, hash FROM trails WHERE conversation = ? ORDER BY turn DESC LIMIT 1",
            (self._conversations.key(scope),),
        )
        return (int(found[0]), str(found[1])) if found else (0, "")

    def put(self, scope: Scope, rows: Sequence[tuple[int, str]]) -> None:
        """Write the hashes of turns; inside a transaction."""
        key = self._conversations.ensure(scope)
        self._db.write_many(
            "INSERT OR REPLACE INTO trails VALUES (?, ?, ?)",
            [(key, turn, hash) for turn, hash in rows],
        )

    def lost(self, scope: Scope, first: int) -> int | None:
        """The first turn from ``first`` on that lost something to a forget."""
        return (
            self._db.number(
                "SELECT min(turn) FROM redactions WHERE conversation = ? AND turn >= ? "
                "AND reason = 'forgotten'",
                (self._conversations.key(scope), first),
            )
            or None
        )

    def ends(self, user: str, hashes: Sequence[str], names: Sequence[str] = ()) -> tuple[End, ...]:
        """Where a trail has one of the hashes, for the hash that stands last in the list.

        Conversations that end there come first, then the newest; of ``names`` only, where given.
        """
        only = f"AND c.name IN ({', '.join('?' * len(names))}) " if names else ""
        for start in range(len(hashes), 0, -_MANY):
            some = list(hashes[max(0, start - _MANY) : start])
            rows = self._db.rows(
                "SELECT c.name, t.turn, t.hash, c.last_turn FROM trails t "
                "JOIN conversations c ON c.key = t.conversation "
                f"WHERE t.hash IN ({', '.join('?' * len(some))}) AND t.hash <> '' "
                f"AND c.user = ? {only}",
                (*some, user, *names),
            )
            if rows:
                place = {hash: at for at, hash in enumerate(some)}
                deepest = max(place[row[2]] for row in rows)
                found = [row for row in reversed(rows) if place[row[2]] == deepest]
                found.sort(key=lambda row: row[1] != row[3])
                return tuple(_end(row) for row in found[:_MOST])
        return ()

    def broken(self, user: str, names: Sequence[str] = ()) -> tuple[End, ...]:
        """For each conversation that lost words, the last turn before them; the newest first."""
        only = f"AND c.name IN ({', '.join('?' * len(names))}) " if names else ""
        rows = self._db.rows(
            "SELECT c.name, b.turn - 1, coalesce((SELECT hash FROM trails t WHERE "
            "t.conversation = c.key AND t.turn < b.turn ORDER BY t.turn DESC LIMIT 1), ''), "
            "c.last_turn FROM conversations c JOIN (SELECT conversation, min(turn) AS turn "
            "FROM trails WHERE hash = '' GROUP BY conversation) b ON b.conversation = c.key "
            f"WHERE c.user = ? {only}ORDER BY c.key DESC LIMIT ?",
            (user, *names, _BROKEN),
        )
        return tuple(map(_end, rows))

    def _check_key(self) -> None:
        """Drop every trail that another key made."""
        if self._checked:
            return
        for (other,) in self._db.rows("SELECT DISTINCT key FROM deletions WHERE key <> ''"):
            # Never make a new key while the one of the deletion records is missing.
            self._secret.check(other)
        mine = self._secret.fingerprint
        found = self._db.row("SELECT value FROM meta WHERE key = ?", (_KEY,))
        if found is None or found[0] != mine:
            with self._db.transaction():
                self._db.write("DELETE FROM trails")
                self._db.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, mine))
        self._checked = True


def _end(row: tuple[str, int, str, int]) -> End:
    name, turn, hash, last = row
    return End(conversation=name, turn=turn, hash=hash, last=last)
