"""Memory: the composition root. It opens the parts, hands them on, and decides nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from palimpsest.auditing import Audit, Progress, audited
from palimpsest.backup import backed_up
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.protocols import Counter, Tokenizer
from palimpsest.store.importing import Imported
from palimpsest.store.opening import open_store, utc_now
from palimpsest.store.store import Store
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.prepared import resolve
from palimpsest.transfer import Progress as Counted
from palimpsest.transfer import exported, imported
from palimpsest.types import Policy, Scope
from palimpsest.write import Watch


class Memory:
    """An open memory database with its tokenizer and settings; threads may share it."""

    def __init__(
        self,
        store: Store,
        *,
        tokenizer: Tokenizer | str | None = None,
        config: Config | None = None,
        counter: Counter | None = None,
    ) -> None:
        self._store = store
        self._tokenizer = tokenizer
        self._counter = counter
        self._watch = Watch()
        self.config = config or Config()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        policy: Policy | None = None,
        tokenizer: Tokenizer | str | None = None,
        config: Config | None = None,
        counter: Counter | None = None,
        clock: Callable[[], str] = utc_now,
    ) -> Self:
        """Open the database at ``path``, making it where there is none.

        ``:memory:`` lives in the process. ``policy`` (``managed`` by default) is fixed when
        the database is made. ``tokenizer`` is an instance, a name or a path, by default that
        of the settings; it is loaded at the first request. ``counter`` shares the counting
        cache of another Memory. Raises StoreError and its kinds; nothing is half done.
        """
        if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
            raise InputError(f"path: {path!r} is not a path; give one, or ':memory:'")
        if config is not None and not isinstance(config, Config):
            raise InputError(f"config: {config!r} is not a Config; see palimpsest.config.load")
        store = open_store(path, policy=policy, clock=clock)
        return cls(store, tokenizer=tokenizer, config=config, counter=counter)

    @property
    def policy(self) -> Policy:
        """What corrections and forgets do in this database."""
        return self._store.policy

    @property
    def counter(self) -> Counter:
        """What requests are counted with; raises NotPrepared naming the command to run."""
        if self._counter is None:
            given = self._tokenizer or self.config.tokenizer.name
            tokenizer = resolve(given, self.config) if isinstance(given, str) else given
            self._counter = TokenCounter(tokenizer)
        return self._counter

    def conversation(self, *, user: str, id: str) -> Conversation:
        """One user's conversation; it begins with the first turn or memory in it."""
        scope = Scope(user=user, conversation=id)
        return Conversation(
            self._store, scope, counter=lambda: self.counter, config=self.config, watch=self._watch
        )

    def audit(
        self, value: str, *, paths: Sequence[Path] = (), progress: Progress | None = None
    ) -> Audit:
        """Look for a value in every row and in every byte of every file of the program.

        For whoever owns the store: it reads all users. ``paths`` are further files or folders
        to scan. Raises InputError for a blank value or a path that is not there.
        """
        return audited(self._store, value, paths=paths, progress=progress)

    def export(
        self, path: Path, *, users: Sequence[str] = (), progress: Counted | None = None
    ) -> int:
        """Write all that is kept of ``users`` (everybody by default) as JSON lines.

        Returns the number of records. The file is its owner's alone to read, and ``audit``
        will look into it. Raises NotFound and InputError.
        """
        return exported(self._store, path, users=users, progress=progress)

    def import_file(
        self, path: Path, *, as_user: str | None = None, progress: Counted | None = None
    ) -> Imported:
        """Take over a file of ``export``, wholly or not at all.

        A conversation that is here already stays as it is, so a second import changes
        nothing and an old file brings nothing back. ``as_user`` renames the one user of the
        file. Raises InputError with the line.
        """
        return imported(self._store, path, as_user=as_user, progress=progress)

    def backup(self, path: Path, *, progress: Progress | None = None) -> None:
        """Copy the database into a new file while others may write; raises InputError."""
        backed_up(self._store, path, progress or (lambda at, of: None))

    def close(self) -> None:
        """Close the database; a second close does nothing."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
