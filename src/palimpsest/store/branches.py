"""Branches: a conversation that begins with the first turns of another one.

It holds copies of those turns and of the memories that rest on them, as they were at the fork:
what later turns replaced is current again, and their words are gone. Invariant: a copy is
erased wherever its original is, since a forget reaches the whole ``family``.
"""

from __future__ import annotations

from palimpsest.language.values import value_of
from palimpsest.store.conversations import NO_KEY, Conversations
from palimpsest.store.database import Database, Row
from palimpsest.store.lexical_rows import LexicalRows
from palimpsest.types import Scope

_MEMORY = (
    "text, source, attribute, value, turn, created_at, superseded_by, superseded_at, seen, kind, "
    "reach, pinned, hedged, guessed, confidence, valid_from, valid_until"
)
_PLACES = {name.strip(): place for place, name in enumerate(_MEMORY.split(","))}


class Branches:
    """Which conversation branched off which, and how one is made."""

    def __init__(self, db: Database, conversations: Conversations, lexical: LexicalRows) -> None:
        self._db = db
        self._conversations = conversations
        self._lexical = lexical

    def family(self, scope: Scope) -> tuple[Scope, ...]:
        """A conversation, then all that it shares turns with through any branch."""
        key = self._conversations.key(scope)
        if key == NO_KEY or not self._db.row(
            "SELECT 1 FROM branches WHERE conversation = ? OR parent = ? LIMIT 1", (key, key)
        ):
            return (scope,)
        rows = self._db.rows(
            "WITH RECURSIVE kin(key) AS (SELECT ? UNION SELECT b.parent FROM kin "
            "JOIN branches b ON b.conversation = kin.key UNION SELECT b.conversation FROM kin "
            "JOIN branches b ON b.parent = kin.key) SELECT c.name FROM kin JOIN conversations c "
            "ON c.key = kin.key WHERE c.key <> ? ORDER BY c.key",
            (key, key),
        )
        return (scope, *(Scope(user=scope.user, conversation=name) for (name,) in rows))

    def make(self, scope: Scope, parent: Scope, fork: int) -> None:
        """Begin ``scope`` with the turns 1 to ``fork`` of ``parent``; inside a transaction."""
        assert scope.user == parent.user, "a branch belongs to the user of its parent"
        old, new = self._conversations.ensure(parent), self._conversations.ensure(scope)
        self._db.write("INSERT INTO branches VALUES (?, ?, ?)", (new, old, fork))
        for statement in _COPIES:
            self._db.write(statement, (old, new, fork))
        self._memories(scope, old, new, fork)
        self._conversations.touch(new, retired=True)

    def _memories(self, scope: Scope, old: int, new: int, fork: int) -> None:
        rows = self._db.rows(
            f"SELECT id, {_MEMORY} FROM memories WHERE conversation = ? "
            "AND reach = 'conversation' AND coalesce(turn, 0) <= ? ORDER BY id",
            (old, fork),
        )
        given = {row[0]: self._conversations.next_id(scope, "memory") for row in rows}
        for id, *row in rows:
            told = self._at_the_fork(old, id, row, fork)
            told[_PLACES["superseded_by"]] = by = self._replacement(scope, row, given)
            if by is None:
                told[_PLACES["superseded_at"]] = None
            marks = ", ".join("?" * len(told))
            self._db.write(
                f"INSERT INTO memories (conversation, id, {_MEMORY}) VALUES (?, ?, {marks})",
                (new, given[id], *told),
            )
            self._db.write(
                "INSERT INTO wordings SELECT ?, ?, ?, turn, text FROM wordings "
                "WHERE conversation = ? AND memory = ? AND turn_of = ? AND turn <= ?",
                (new, given[id], new, old, id, old, fork),
            )
            self._lexical.put(scope, given[id])

    def _replacement(self, scope: Scope, row: list[object], given: dict[int, int]) -> int | None:
        """What replaced a memory by the time of the fork, under the id that it has here."""
        by = row[_PLACES["superseded_by"]]
        if by is None or by in given:
            return given[by] if isinstance(by, int) else None
        # A global statement is seen from here as well; one of a later turn of the parent is not.
        found = self._db.row(
            "SELECT id FROM global_memories WHERE user = ? AND id = ?", (scope.user, by)
        )
        return int(found[0]) if found else None

    def _at_the_fork(self, old: int, id: int, row: Row | list[object], fork: int) -> list[object]:
        """A memory in the words that it had at the fork: later turns may have said it anew."""
        said = self._db.rows(
            "SELECT turn, text FROM wordings WHERE conversation = ? AND memory = ? "
            "AND turn_of = ? ORDER BY turn",
            (old, id, old),
        )
        told, later = list(row), {text for turn, text in said if turn > fork}
        if not later:
            return told
        count = len({turn for turn, _ in said if turn > fork})
        told[_PLACES["seen"]] = max(1, int(str(told[_PLACES["seen"]])) - count)
        before = [text for turn, text in said if turn <= fork]
        if told[_PLACES["text"]] in later and before:
            text, attribute = before[-1], told[_PLACES["attribute"]]
            told[_PLACES["text"]] = text
            told[_PLACES["value"]] = value_of(text, None if attribute is None else str(attribute))
        return told


_COPIES = (
    """INSERT INTO turns (conversation, number, messages, open, created_at, hidden)
        SELECT ?2, number, messages, open, created_at, hidden FROM turns
        WHERE conversation = ?1 AND number <= ?3""",
    "UPDATE conversations SET last_turn = ?3 WHERE key = ?2",
    """INSERT INTO redactions SELECT ?2, turn, message, text, start, "end", reason FROM redactions
        WHERE conversation = ?1 AND turn <= ?3 AND reason = 'forgotten'""",
    """INSERT INTO reflections SELECT ?2, turn, status, read, 0, error, extractor, 0, 0, 0,
        created_at, finished_at FROM reflections WHERE conversation = ?1 AND turn <= ?3""",
    """INSERT INTO trails SELECT ?2, turn, hash FROM trails
        WHERE conversation = ?1 AND turn <= ?3""",
    # What the shared turns say of a global memory, which lives elsewhere and is copied nowhere.
    """INSERT INTO wordings SELECT conversation, memory, ?2, turn, text FROM wordings
        WHERE turn_of = ?1 AND conversation <> ?1 AND turn <= ?3""",
    # A turn of the branch is new, whatever number the forget had in its parent.
    """INSERT INTO forgotten_places SELECT ?2, conversation, deletion, min(until, ?3)
        FROM forgotten_places WHERE place = ?1""",
    """INSERT INTO anchors SELECT ?2, id, text, turn, removed_for FROM anchors
        WHERE conversation = ?1 AND turn <= ?3""",
)
"""What is copied as it is. The summary, the positions and the state may rest on later turns."""
