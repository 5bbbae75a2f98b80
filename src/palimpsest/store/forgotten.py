"""Keyed hashes of what was forgotten: they know a value again and never tell it.

Invariant: no text is kept, and without the key, which is elsewhere, no guess can be tried. A
value that the user said again is lifted, which stays on record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.store.secret import Secret
from palimpsest.types import Deletion, ForgottenMatch, KnownBy, Scope, Sought

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
        values: Sequence[KnownBy],
        places: Mapping[Scope, int],
    ) -> None:
        """Keep the hashes of what each value is known by, and up to which turn of each place."""
        with self._db.transaction():
            key = self._conversations.ensure(home)
            for part, known in enumerate(values):
                self._db.write(
                    "INSERT INTO forgotten_values (conversation, deletion, part, words, language, "
                    "mine) VALUES (?, ?, ?, ?, ?, ?)",
                    (key, deletion.id, part, known.words, known.language, known.mine),
                )
                hashes = {self._hash(home.user, each) for each in known.keys}
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

    def sought(self, place: Scope) -> Sought:
        """How what is forgotten in a place is looked for."""
        return self._sought(
            "forgotten_places p JOIN forgotten_values v USING (conversation, deletion) "
            "WHERE p.place = ?",
            self._conversations.key(place),
        )

    def sought_of(self, user: str) -> Sought:
        """The same of what is forgotten anywhere by a user."""
        return self._sought(
            "conversations c JOIN forgotten_values v ON v.conversation = c.key WHERE c.user = ?",
            user,
        )

    def _sought(self, among: str, whose: object) -> Sought:
        found = self._db.row(
            "SELECT max(CASE WHEN v.language IS NULL THEN v.words END), "
            f"group_concat(DISTINCT v.language) FROM {among} AND v.lifted_at IS NULL",
            (whose,),
        )
        words, languages = found or (None, None)
        told = tuple(sorted(str(languages).split(","))) if languages else ()
        return Sought(words=int(words or 0), languages=told)

    def matching(self, place: Scope, keys: Iterable[str]) -> tuple[ForgottenMatch, ...]:
        """The forgotten values of a place that one of the keys stands for.

        Raises StoreError where the key of the records is missing or another one.
        """
        self._check(place)
        return self._matching(
            place.user, keys, "p.until",
            "forgotten_places p USING (conversation, deletion)", "p.place = ?",
            self._conversations.key(place),
        )  # fmt: skip

    def matching_of(self, user: str, keys: Iterable[str]) -> tuple[ForgottenMatch, ...]:
        """Those that are forgotten anywhere by a user."""
        self.check_key(user)
        return self._matching(
            user, keys, "0", "conversations c ON c.key = f.conversation", "c.user = ?", user
        )

    def _matching(
        self, user: str, keys: Iterable[str], until: str, among: str, whose: str, of: object
    ) -> tuple[ForgottenMatch, ...]:
        wanted, found = {self._hash(user, each): each for each in keys}, []
        hashes = iter(wanted)
        while some := list(islice(hashes, _MANY)):
            marks = ", ".join("?" * len(some))
            found += self._db.rows(
                f"SELECT f.hash, f.conversation, f.deletion, f.part, {until}, v.words, v.language, "
                "v.mine FROM forgotten f JOIN forgotten_values v USING (conversation, deletion, part) "
                f"JOIN {among} WHERE f.hash IN ({marks}) AND {whose} AND v.lifted_at IS NULL",
                (*some, of),
            )
        return tuple(
            ForgottenMatch(
                key=wanted[hash], home=home, deletion=deletion, part=part, until=last,
                needs=1 if language is None else words, language=language, mine=bool(mine),
            )
            for hash, home, deletion, part, last, words, language, mine in found
        )  # fmt: skip

    def forgets(self, user: str) -> bool:
        """Whether anything that a user had forgotten was not said again since."""
        return (
            self._db.row(
                "SELECT 1 FROM conversations c JOIN deletions d ON d.conversation = c.key "
                "LEFT JOIN forgotten_values v ON v.conversation = d.conversation "
                "AND v.deletion = d.id WHERE c.user = ? AND v.lifted_at IS NULL LIMIT 1",
                (user,),
            )
            is not None
        )

    def reach(self, place: Scope, records: Iterable[tuple[int, int]], *, until: int) -> None:
        """Let what deletions took be forgotten in a place too, up to turn ``until`` of it."""
        with self._db.transaction():
            at = self._conversations.ensure(place)
            self._db.write_many(
                "INSERT OR IGNORE INTO forgotten_places VALUES (?, ?, ?, ?)",
                [(at, home, deletion, until) for home, deletion in dict.fromkeys(records)],
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
