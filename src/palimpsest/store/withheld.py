"""What an unanswered request to forget may mean, and where that stands: withheld until answered.

The candidates of each verdict, the spans of turns and the parts of the story that tell them.
Invariant: no text is kept, and what is withheld is what open verdicts name: an answer gives
it back (or a forget takes it) without anything having been changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.types import Redaction, Scope

SUMMARY = 0
"""The place of the summary among the withheld parts of a story; anchors have their ids."""
_OPEN = "v.action = 'review' AND v.settled IS NULL"


def m014_withheld(db: Database) -> None:
    """The candidates of a request to forget that waits, and where they stand."""
    for statement in _STATEMENTS:
        db.write(statement)


_STATEMENTS = (
    """CREATE TABLE withheld (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        verdict INTEGER NOT NULL, memory INTEGER NOT NULL,
        PRIMARY KEY (conversation, verdict, memory)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE withheld_spans (
        conversation INTEGER NOT NULL REFERENCES conversations (key),
        turn INTEGER NOT NULL, message INTEGER NOT NULL, text INTEGER NOT NULL,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        PRIMARY KEY (conversation, turn, message, text, start)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE withheld_story (
        conversation INTEGER NOT NULL REFERENCES conversations (key), part INTEGER NOT NULL,
        PRIMARY KEY (conversation, part)
    ) STRICT, WITHOUT ROWID""",
)


class Withheld:
    """What is withheld from the requests of every conversation."""

    def __init__(self, db: Database, conversations: Conversations) -> None:
        self._db = db
        self._conversations = conversations

    def hold(self, scope: Scope, verdict: int, memories: Iterable[int]) -> None:
        """Name the memories that a verdict which waits may mean."""
        with self._db.transaction():
            key = self._conversations.ensure(scope)
            self._db.write_many(
                "INSERT OR IGNORE INTO withheld VALUES (?, ?, ?)",
                [(key, verdict, memory) for memory in memories],
            )
            self._conversations.touch(key)

    def candidates(self, scope: Scope) -> Mapping[int, tuple[int, ...]]:
        """For each verdict of a conversation the memories that it may mean and that are there."""
        rows = self._db.rows(
            "SELECT w.verdict, w.memory FROM withheld w JOIN memories m ON m.id = w.memory "
            "JOIN conversations c ON c.key = m.conversation "
            "WHERE w.conversation = ? AND c.user = ? ORDER BY w.verdict, w.memory",
            (self._conversations.key(scope), scope.user),
        )
        found: dict[int, tuple[int, ...]] = {}
        for verdict, memory in rows:
            found[verdict] = (*found.get(verdict, ()), memory)
        return found

    def memories(self, user: str) -> frozenset[int]:
        """Every memory of a user that an open verdict may mean, wherever that waits."""
        rows = self._db.rows(
            "SELECT DISTINCT w.memory FROM conversations c "
            "JOIN withheld w ON w.conversation = c.key "
            "JOIN verdicts v ON v.conversation = w.conversation AND v.id = w.verdict "
            f"WHERE c.user = ? AND {_OPEN}",
            (user,),
        )
        return frozenset(id for (id,) in rows)

    def waiting(self, user: str) -> tuple[tuple[Scope, int, int, tuple[int, ...]], ...]:
        """The open verdicts of a user: conversation, id, turn and candidates of each."""
        rows = self._db.rows(
            "SELECT c.name, v.id, v.turn, w.memory FROM conversations c "
            "JOIN withheld w ON w.conversation = c.key "
            "JOIN verdicts v ON v.conversation = w.conversation AND v.id = w.verdict "
            f"WHERE c.user = ? AND {_OPEN} ORDER BY c.key, v.id, w.memory",
            (user,),
        )
        found: dict[tuple[str, int, int], list[int]] = {}
        for name, verdict, turn, memory in rows:
            found.setdefault((name, verdict, turn), []).append(memory)
        return tuple(
            (Scope(user=user, conversation=name), verdict, turn, tuple(ids))
            for (name, verdict, turn), ids in found.items()
        )

    def places(self, user: str) -> tuple[Scope, ...]:
        """The conversations of a user in which something is withheld of what was said."""
        rows = self._db.rows(
            "SELECT name FROM conversations WHERE user = ? AND key IN (SELECT conversation FROM "
            "withheld_spans UNION SELECT conversation FROM withheld_story) ORDER BY key",
            (user,),
        )
        return tuple(Scope(user=user, conversation=name) for (name,) in rows)

    def spans(self, scope: Scope) -> Mapping[int, tuple[Redaction, ...]]:
        """The spans that are withheld, by turn."""
        found: dict[int, tuple[Redaction, ...]] = {}
        for turn, message, text, start, end in self._db.rows(
            'SELECT turn, message, text, start, "end" FROM withheld_spans '
            "WHERE conversation = ? ORDER BY turn, message, text, start",
            (self._conversations.key(scope),),
        ):
            span = Redaction(
                turn=turn, message=message, text=text, start=start, end=end, reason="pending"
            )
            found[turn] = (*found.get(turn, ()), span)
        return found

    def story(self, scope: Scope) -> frozenset[int]:
        """The withheld parts of a story: ids of anchors, and ``SUMMARY``."""
        rows = self._db.rows(
            "SELECT part FROM withheld_story WHERE conversation = ?",
            (self._conversations.key(scope),),
        )
        return frozenset(part for (part,) in rows)

    def put(self, scope: Scope, spans: Sequence[Redaction], story: Collection[int]) -> None:
        """Make these all that is withheld of what was said and of the story."""
        with self._db.transaction():
            key = self._conversations.ensure(scope)
            for table in ("withheld_spans", "withheld_story"):
                self._db.write(f"DELETE FROM {table} WHERE conversation = ?", (key,))
            self._db.write_many(
                "INSERT OR REPLACE INTO withheld_spans VALUES (?, ?, ?, ?, ?, ?)",
                [(key, s.turn, s.message, s.text, s.start, s.end) for s in spans],
            )
            self._db.write_many(
                "INSERT INTO withheld_story VALUES (?, ?)", [(key, part) for part in story]
            )
            self._conversations.touch(key)


def laid_over(spans: Sequence[Redaction], held: Sequence[Redaction]) -> tuple[Redaction, ...]:
    """All spans of a turn; where one is withheld, what it overlaps or touches is too."""
    if not held:
        return tuple(spans)
    found: list[Redaction] = []
    for span in sorted((*spans, *held), key=lambda s: (s.message, s.text, s.start, s.end)):
        last = found[-1] if found else None
        if last is None or (last.message, last.text) != (span.message, span.text):
            found.append(span)
        elif span.start <= last.end and "pending" in (last.reason, span.reason):
            found[-1] = Redaction(
                turn=last.turn, message=last.message, text=last.text, start=last.start,
                end=max(last.end, span.end), reason="pending",
            )  # fmt: skip
        else:
            found.append(span)
    return tuple(found)
