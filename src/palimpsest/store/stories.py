"""What reflection keeps of a conversation besides its memories: the story.

The summary, the anchors, the positions and the state. Invariant: an anchor leaves by a removal
that has a reason, and both are kept in the log; a text that is forgotten is erased here too.
"""

from __future__ import annotations

from collections.abc import Callable

from palimpsest.proposals import Anchor, Position, ReleasedAnchor, Story
from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database
from palimpsest.types import Scope


class Stories:
    """The stories of every conversation."""

    def __init__(self, db: Database, conversations: Conversations, now: Callable[[], str]) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now

    def of(self, scope: Scope) -> Story:
        """The story of a scope; an empty one where there is none."""
        key = self._conversations.key(scope)
        summary = self._db.row("SELECT summary FROM stories WHERE conversation = ?", (key,))
        anchors = self._db.rows(
            "SELECT id, text, turn, removed_for FROM anchors WHERE conversation = ? ORDER BY id",
            (key,),
        )
        return Story(
            summary=summary[0] if summary else "",
            anchors=tuple(
                Anchor(id=id, text=text, turn=turn)
                for id, text, turn, reason in anchors if reason is None
            ),
            released=tuple(
                ReleasedAnchor(id=id, text=text, reason=reason)
                for id, text, _, reason in anchors if reason is not None
            ),
            positions=tuple(
                Position(subject=s, text=t, justification=j, validated_turn=v)
                for s, t, j, v in self._db.rows(
                    "SELECT subject, text, justification, validated_turn FROM positions "
                    "WHERE conversation = ? ORDER BY validated_turn, subject", (key,),
                )
            ),
            state=dict(
                self._db.rows("SELECT name, value FROM states WHERE conversation = ?", (key,))
            ),
        )  # fmt: skip

    def summarize(self, scope: Scope, text: str) -> None:
        """Put a whole new summary in the place of the old one."""
        with self._db.transaction():
            self._db.write(
                "INSERT INTO stories VALUES (?, ?) ON CONFLICT (conversation) "
                "DO UPDATE SET summary = excluded.summary",
                (self._conversations.ensure(scope), text),
            )

    def anchor(self, scope: Scope, text: str, turn: int) -> int:
        """Hold a fact; returns its id."""
        with self._db.transaction():
            id = self._conversations.next_id(scope, "anchor")
            self._db.write(
                "INSERT INTO anchors (conversation, id, text, turn) VALUES (?, ?, ?, ?)",
                (self._conversations.ensure(scope), id, text, turn),
            )
        return id

    def release(self, scope: Scope, id: int, reason: str) -> None:
        """Let an anchor go, for a reason that is kept."""
        with self._db.transaction():
            self._db.write(
                "UPDATE anchors SET removed_for = ? WHERE conversation = ? AND id = ?",
                (reason, self._conversations.key(scope), id),
            )

    def hold_anchor(self, scope: Scope, id: int) -> None:
        """Hold an anchor that was let go."""
        with self._db.transaction():
            self._db.write(
                "UPDATE anchors SET removed_for = NULL WHERE conversation = ? AND id = ?",
                (self._conversations.key(scope), id),
            )

    def reword(self, scope: Scope, id: int, text: str) -> None:
        """Write other words into an anchor; without any it is deleted with its reason."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            if text.strip():
                self._db.write(
                    "UPDATE anchors SET text = ? WHERE conversation = ? AND id = ?", (text, key, id)
                )
            else:
                self._db.write("DELETE FROM anchors WHERE conversation = ? AND id = ?", (key, id))

    def hold(self, scope: Scope, position: Position) -> None:
        """Keep a position under its subject."""
        with self._db.transaction():
            self._db.write(
                "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?)",
                (
                    self._conversations.ensure(scope), position.subject, position.text,
                    position.justification, position.validated_turn,
                ),
            )  # fmt: skip

    def drop(self, scope: Scope, subject: str) -> None:
        """Delete the position on a subject."""
        with self._db.transaction():
            self._db.write(
                "DELETE FROM positions WHERE conversation = ? AND subject = ?",
                (self._conversations.key(scope), subject),
            )

    def set_state(self, scope: Scope, name: str, value: float | None) -> None:
        """Write the value of a state field; ``None`` leaves it without one."""
        with self._db.transaction():
            if value is None:
                self._db.write(
                    "DELETE FROM states WHERE conversation = ? AND name = ?",
                    (self._conversations.key(scope), name),
                )
                return
            self._db.write(
                "INSERT OR REPLACE INTO states VALUES (?, ?, ?)",
                (self._conversations.ensure(scope), name, value),
            )
