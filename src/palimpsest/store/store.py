"""The store's parts over one database; each part is a small class of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Self

from palimpsest.ledger import Recall
from palimpsest.store import exporting
from palimpsest.store.branches import Branches
from palimpsest.store.conversations import Conversations
from palimpsest.store.counting import Counting
from palimpsest.store.database import Database
from palimpsest.store.faults import MEMORY
from palimpsest.store.forgotten import Forgotten
from palimpsest.store.holding import Holding, Holds, holding
from palimpsest.store.importing import Imported, Importer
from palimpsest.store.keys import Keys
from palimpsest.store.lexical import Lexical
from palimpsest.store.lexical_rows import LexicalRows
from palimpsest.store.memories import Memories
from palimpsest.store.origins import Origins
from palimpsest.store.records import Deletions, Redactions, Resolutions
from palimpsest.store.reflections import Reflections
from palimpsest.store.requests import Requests
from palimpsest.store.secret import Secret
from palimpsest.store.stories import Stories
from palimpsest.store.taken_over import take_over
from palimpsest.store.trails import Trails
from palimpsest.store.turns import Turns
from palimpsest.store.vectors import Vectors
from palimpsest.store.verdicts import Verdicts
from palimpsest.store.view import StoreView
from palimpsest.store.visible import Visible
from palimpsest.store.wordings import Wordings
from palimpsest.store.written_files import WrittenFiles
from palimpsest.types import Policy, Scope


class Store:
    """An open store; made by ``open_store``. Threads may share it."""

    def __init__(
        self, db: Database, *, policy: Policy, salt: str, now: Callable[[], str],
        keep_requests: int, secret: Secret,
    ) -> None:  # fmt: skip
        self._db = db
        self.policy: Policy = policy
        """What corrections and forgets do here: ``managed``, or nothing (``append-only``)."""
        self.salt = salt
        """Random, made with the file: digests that are kept in it are salted with it."""
        self.conversations = Conversations(db, now)
        self.trails = Trails(db, self.conversations, secret)
        self.turns = Turns(db, self.conversations, now)
        self.visible = Visible(db, self.conversations)
        self.vectors = Vectors(db, self.visible, salt)
        self.lexical = Lexical(db, self.visible)
        self._lexical_rows = LexicalRows(db, self.conversations)
        self.branches = Branches(db, self.conversations, self._lexical_rows)
        self.memories = Memories(db, self.conversations, now, self._lexical_rows)
        self.counting = Counting(db, self.conversations)
        self.now = now
        """The clock that dates every record."""
        self.redactions = Redactions(db, self.conversations)
        self.deletions = Deletions(db, self.conversations, now)
        self.secret = secret
        """The key of the deletion records."""
        self.forgotten = Forgotten(db, self.conversations, now, secret)
        self.resolutions = Resolutions(db, self.conversations, now)
        self.wordings = Wordings(db, self.conversations)
        self.stories = Stories(db, self.conversations, now)
        self.reflections = Reflections(db, self.conversations, now)
        self.verdicts = Verdicts(db, self.conversations, now)
        self.withheld = self.verdicts.withheld
        self.kept_indexes: dict[Any, Any] = {}
        """What the write path makes of current memories, for as long as the store is open."""
        self.requests = Requests(db, self.conversations, now, keep=keep_requests)
        self.written_files = WrittenFiles(db, now)
        self.keys = Keys(db, now)
        self.origins = Origins(db, self.conversations, now)

    @property
    def path(self) -> str:
        """Where the database is."""
        return self._db.path

    @property
    def erasing(self) -> bool:
        """True while another reader keeps forgotten text alive in the write-ahead log."""
        return self._db.erasing

    @contextmanager
    def vectors_apart(self) -> Iterator[Vectors]:
        """The vectors through a connection of their own, whose locks hold up no reader here.

        A store that lives in the process has one connection, and this gives that.
        """
        if self.path == MEMORY:
            yield self.vectors
            return
        db = Database(self.path)
        try:
            yield Vectors(db, Visible(db, Conversations(db, self.now)), self.salt)
        finally:
            db.close()

    def after_commit(self, call: Callable[[], None]) -> None:
        """Run ``call`` after every transaction of this store that was committed."""
        self._db.after_commit(call)

    def transaction(self) -> AbstractContextManager[None]:
        """Write wholly or not at all; transactions nest."""
        return self._db.transaction()

    def reading(self) -> AbstractContextManager[None]:
        """Every read inside sees one state of the store. Writes inside are a mistake."""
        return self._db.reading()

    def view(self, scope: Scope, *, recall: Recall | None = None, now: str = "") -> StoreView:
        """A scope as a strategy sees it; ``now`` is when the question was asked."""
        return StoreView(self, scope, recall, now)

    def revision(self, scope: Scope) -> int:
        """A number that changes with every change of a scope's turns, memories or redactions."""
        return self.conversations.revision(scope)

    def erase_log(self, traces: Iterable[str] = ()) -> None:
        """Empty the write-ahead log after the transaction: deleted text must not stay there.

        Where one of the ``traces`` is left in the file then, the file is written anew.
        """
        self._db.erase_log(traces)

    def holding(self, holds: Holds) -> tuple[Holding, ...]:
        """The tables with a row for which ``holds`` is true, and how many."""
        return holding(self._db, holds)

    def users(self) -> tuple[str, ...]:
        """Whoever has a conversation here, by name; for the owner of the store."""
        return exporting.users(self._db)

    def records(self, users: Sequence[str]) -> Iterator[exporting.Record]:
        """All that is kept of some users, as records; inside ``reading()``."""
        return exporting.records(self._db, users)

    def take(
        self, records: Iterable[tuple[str, exporting.Record]], *, as_user: str | None
    ) -> Imported:
        """Write exported records, each with its place in the file; wholly or not at all."""
        with self._db.transaction():
            checked = self._with_key(records, as_user)
            done = Importer(self._db, as_user=as_user).take_all(checked)
            for user, name in done.added:
                self._lexical_rows.fill(Scope(user=user, conversation=name))
        return done

    def _with_key(
        self, records: Iterable[tuple[str, exporting.Record]], as_user: str | None
    ) -> Iterator[tuple[str, exporting.Record]]:
        """The records; refuses records of deletions whose key is not the one of this store."""
        for where, record in records:
            if record.get("table") == "deletions" and record.get("key"):
                self.secret.take_over(str(record["key"]), where, as_user)
            yield where, record

    def take_over(self, records: Iterable[exporting.Record]) -> None:
        """Add the records of deletions that another history of this store has."""
        take_over(self._db, self.conversations, records)

    def copy_to(self, path: str, progress: Callable[[int, int], None]) -> None:
        """Copy the database into the file at ``path``, whatever is written meanwhile."""
        self._db.copy_to(path, progress)

    def close(self) -> None:
        """Close the database; a second close does nothing."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
