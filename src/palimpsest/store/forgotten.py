"""Keyed hashes of what was forgotten: they know a value again and never tell it.

Invariant: no text is kept, and without the key, which is elsewhere, no guess can be tried. A
value that the user said again is lifted, which stays on record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.store.secret import Secret
from palimpsest.types import Deletion, ForgottenMatch, Scope

_MANY = 400


class Forgotten:
    """The hashes of every conversation's forgotten values."""

    def __init__(
        self, db: Database, conversations: Conversations, now: Callable[[], str], secret: Secret
    ) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now
        self._secret = secret

    def add(
        self,
        deletion: Deletion,
        home: Scope,
        values: Sequence[tuple[Collection[str], int]],
        places: Mapping[Scope, int],
    ) -> None:
        """Keep the hashes of each value's keys (with its words), and up to which turn of each place."""
        with self._db.transaction():
            key = self._conversations.ensure(home)
            for part, (keys, words) in enumerate(values):
                self._db.write(
                    "INSERT INTO forgotten_values VALUES (?, ?, ?, ?, NULL, NULL)",
                    (key, deletion.id, part, words),
                )
                hashes = {self._hash(home.user, each) for each in keys}
                self._db.write_many(
                    "INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?, ?)",
                    [(hash, key, deletion.id, part) for hash in sorted(hashes)],
                )
            if values:
                self._db.write(
                    "UPDATE deletions SET key = ? WHERE conversation = ? AND id = ?",
                    (self._secret.fingerprint, key, deletion.id),
                )
            self._db.write_many(
                "INSERT OR REPLACE INTO forgotten_places VALUES (?, ?, ?, ?)",
                [
                    (self._conversations.ensure(place), key, deletion.id, until)
                    for place, until in places.items()
                ],
            )

    @property
    def fingerprint(self) -> str:
        """Which key the records are made with, without telling it."""
        return self._secret.fingerprint

    def sealed(self, text: str) -> str:
        """A seal over a text (HMAC, hex): only who has the key can make or check one."""
        return self._secret.hash(f"receipt\x00{text}")

    def hashes(self, home: Scope, deletion: int) -> tuple[str, ...]:
        """The hashes of one record, in order."""
        rows = self._db.rows(
            "SELECT hash FROM forgotten WHERE conversation = ? AND deletion = ? ORDER BY 1",
            (self._conversations.key(home), deletion),
        )
        return tuple(hash for (hash,) in rows)

    def longest(self, place: Scope) -> int:
        """The most words of a value that is forgotten in a place; 0 where nothing is."""
        return self._db.number(
            "SELECT max(v.words) FROM forgotten_places p JOIN forgotten_values v "
            "USING (conversation, deletion) WHERE p.place = ? AND v.lifted_at IS NULL",
            (self._conversations.key(place),),
        )

    def matching(self, place: Scope, keys: Iterable[str]) -> tuple[ForgottenMatch, ...]:
        """The forgotten values of a place that one of the keys stands for.

        Raises StoreError where the key of the records is missing or another one.
        """
        self._check(place)
        wanted = {self._hash(place.user, each): each for each in keys}
        at, found = self._conversations.key(place), []
        hashes = iter(wanted)
        while some := list(islice(hashes, _MANY)):
            marks = ", ".join("?" * len(some))
            found += self._db.rows(
                "SELECT f.hash, f.conversation, f.deletion, f.part, p.until FROM forgotten f "
                "JOIN forgotten_values v USING (conversation, deletion, part) "
                "JOIN forgotten_places p USING (conversation, deletion) "
                f"WHERE f.hash IN ({marks}) AND p.place = ? AND v.lifted_at IS NULL",
                (*some, at),
            )
        return tuple(
            ForgottenMatch(key=wanted[hash], home=home, deletion=deletion, part=part, until=until)
            for hash, home, deletion, part, until in found
        )

    def longest_of(self, user: str) -> int:
        """The most words of a value that is forgotten anywhere by a user; 0 where nothing is."""
        return self._db.number(
            "SELECT max(v.words) FROM conversations c JOIN forgotten_values v "
            "ON v.conversation = c.key WHERE c.user = ? AND v.lifted_at IS NULL",
            (user,),
        )

    def says(self, user: str, keys: Iterable[str]) -> tuple[tuple[int, int], ...]:
        """The records of a user's deletions whose value one of the keys stands for."""
        self.check_key(user)
        wanted = iter({self._hash(user, each) for each in keys})
        found: list[tuple[int, int]] = []
        while some := list(islice(wanted, _MANY)):
            found += self._db.rows(
                "SELECT DISTINCT f.conversation, f.deletion FROM forgotten f "
                "JOIN forgotten_values v USING (conversation, deletion, part) "
                "JOIN conversations c ON c.key = f.conversation "
                f"WHERE f.hash IN ({', '.join('?' * len(some))}) AND c.user = ? "
                "AND v.lifted_at IS NULL",
                (*some, user),
            )
        return tuple(dict.fromkeys((int(home), int(deletion)) for home, deletion in found))

    def reach(self, place: Scope, keys: Iterable[str], *, until: int) -> None:
        """Let what the keys stand for be forgotten in a place too, up to turn ``until`` of it."""
        with self._db.transaction():
            at = self._conversations.ensure(place)
            self._db.write_many(
                "INSERT OR IGNORE INTO forgotten_places VALUES (?, ?, ?, ?)",
                [(at, home, deletion, until) for home, deletion in self.says(place.user, keys)],
            )
            self._db.write(
                "UPDATE forgotten_places SET until = max(until, ?) WHERE place = ?", (until, at)
            )

    def lift(self, matches: Iterable[ForgottenMatch], *, turn: int | None) -> None:
        """Record that values were said again: they are forgotten no more."""
        parts = {(match.home, match.deletion, match.part) for match in matches}
        with self._db.transaction():
            self._db.write_many(
                "UPDATE forgotten_values SET lifted_at = ?, lifted_turn = ? "
                "WHERE conversation = ? AND deletion = ? AND part = ? AND lifted_at IS NULL",
                [(self._now(), turn, *part) for part in sorted(parts)],
            )

    def check_key(self, user: str) -> None:
        """Refuse to know nothing again for want of the key; raises StoreError."""
        for (fingerprint,) in self._db.rows(
            "SELECT DISTINCT d.key FROM conversations c JOIN deletions d "
            "ON d.conversation = c.key WHERE c.user = ? AND d.key <> ''",
            (user,),
        ):
            self._secret.check(fingerprint)

    def _check(self, place: Scope) -> None:
        found = self._db.rows(
            "SELECT DISTINCT d.key FROM forgotten_places p JOIN deletions d "
            "ON d.conversation = p.conversation AND d.id = p.deletion "
            "WHERE p.place = ? AND d.key <> ''",
            (self._conversations.key(place),),
        )
        for (fingerprint,) in found:
            self._secret.check(fingerprint)

    def _hash(self, user: str, key: str) -> str:
        return self._secret.hash(f"{user}\x00{key}")
