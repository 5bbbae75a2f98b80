"""Memory: the composition root. It opens the parts, hands them on, and decides nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, get_args

from palimpsest import indexes, receipts
from palimpsest.auditing import Audit, Progress, audited, audited_all
from palimpsest.background import Worker
from palimpsest.backup import backed_up
from palimpsest.chat_exports import ChatExport, chats_exported
from palimpsest.chat_logs import LogImport, Told, take_log
from palimpsest.chat_logs import Progress as BytesRead
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.exchanges import Exchanges
from palimpsest.indexes import Rebuilt, Status, Step
from palimpsest.protocols import Counter, Embedder, Extractor, Tokenizer
from palimpsest.recall.indexing import Indexed
from palimpsest.recall.recallers import Indexing, Recallers
from palimpsest.store.importing import Imported
from palimpsest.store.keys import Keys
from palimpsest.store.opening import open_store, utc_now
from palimpsest.store.store import Store
from palimpsest.store.verified import Verified
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.prepared import resolve
from palimpsest.transfer import Progress as Counted
from palimpsest.transfer import exported, imported, taken, written
from palimpsest.types import Deletion, Policy, Scope
from palimpsest.write import Watch

Reflect = Literal["by hand", "background"]
"""Who reads the turns that wait: ``Conversation.reflect``, or a thread of the open Memory."""


class Memory:
    """An open memory database with its tokenizer and settings; threads may share it."""

    def __init__(
        self,
        store: Store,
        *,
        tokenizer: Tokenizer | str | None = None,
        config: Config | None = None,
        counter: Counter | None = None,
        embedder: str | Embedder | None = None,
        indexing: Indexing = "background",
    ) -> None:
        self._store = store
        self._tokenizer = tokenizer
        self._counter = counter
        self._watch = Watch()
        self._worker: Worker | None = None
        self.config = config or Config()
        self._recallers = Recallers(store, self.config.recall, embedder=embedder, indexing=indexing)
        self.exchanges = Exchanges(
            store, counter=lambda: self.counter, config=self.config, watch=self._watch,
            recallers=self._recallers, observed=self._wake,
        )  # fmt: skip
        """For clients that send their whole history with every message."""

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
        embedder: str | Embedder | None = None,
        indexing: Indexing = "background",
        reflect: Reflect = "by hand",
        extractor: str | Extractor | None = None,
    ) -> Self:
        """Open the database at ``path``, making it where there is none.

        ``:memory:`` lives in the process. ``policy`` (``managed`` by default) is fixed when
        the database is made. ``tokenizer`` is an instance, a name or a path, by default that
        of the settings; it is loaded at the first request. ``counter`` shares the counting
        cache of another Memory. ``embedder`` is an instance or a Spec text, by default that of
        the settings; ``indexing`` says whether its vectors follow in the background or, for a
        replay, before each question. With ``reflect="background"`` a thread reads what is
        observed, by ``extractor`` (by default that of the settings), until the Memory is closed.
        Raises StoreError and its kinds, NotPrepared and SpecError; nothing is half done.
        """
        _check(path, config, reflect, extractor)
        key_file = (config or Config()).forget.key_file or None
        store = open_store(path, policy=policy, clock=clock, key_file=key_file)
        try:
            memory = cls(
                store, tokenizer=tokenizer, config=config, counter=counter, embedder=embedder,
                indexing=indexing,
            )  # fmt: skip
            if reflect == "background":
                memory._worker = Worker(store, memory.config, extractor)
        except BaseException:
            store.close()
            raise
        return memory

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

    @property
    def path(self) -> str:
        """Where the database is; ``:memory:`` for one that lives in the process."""
        return self._store.path

    @property
    def keys(self) -> Keys:
        """The keys of the server that stands in front of this store; for its owner."""
        return self._store.keys

    @property
    def scrubbed(self) -> bool:
        """False while another reader keeps forgotten text alive in the write-ahead log."""
        return not self._store.erasing

    def users(self) -> tuple[str, ...]:
        """Whoever has a conversation here, by name; for the owner of the store."""
        return self._store.users()

    def conversations(self, user: str) -> tuple[str, ...]:
        """The names of a user's conversations, in the order they began."""
        return self._store.conversations.of(user)

    def conversation(self, *, user: str, id: str) -> Conversation:
        """One user's conversation; it begins with the first turn or memory in it."""
        scope = Scope(user=user, conversation=id)
        return Conversation(
            self._store, scope, counter=lambda: self.counter, config=self.config,
            watch=self._watch, recallers=self._recallers, observed=self._wake,
        )  # fmt: skip

    def _wake(self) -> None:
        if self._worker is not None:
            self._worker.wake()

    def settled(self, seconds: float = 60.0) -> bool:
        """Wait until the background has read every turn that it can; False where it has not.

        Without a background there is nothing to wait for.
        """
        return self._worker is None or self._worker.settled(seconds)

    def index(self) -> Indexed | None:
        """Embed at once what has no vector yet; ``None`` where the embedder failed.

        Nobody has to call it: a worker does the same in the background. Raises InputError
        where no embedder is set.
        """
        recaller = self._recallers.of(None)
        if recaller is None:
            raise InputError(
                "embedder: none is set, so there is nothing to index; give one to Memory.open, or "
                "set [recall] embedder"
            )
        return recaller.index()

    def rebuild_indexes(self, step: Step = lambda done, of: None) -> Rebuilt:
        """Drop all that recall searches and make it anew from the memories.

        With the embedder that is set; without one vectors stay as they are. ``step(done, of)`` is
        told of every batch. Raises what the embedder raises: words are rebuilt by then.
        """
        recaller = self._recallers.of(None)
        return indexes.rebuild(self._store, recaller.embedder if recaller else None, step)

    def verify_indexes(self) -> tuple[Verified, ...]:
        """Every row that recall searches beside the memory that it follows from."""
        return indexes.verify(self._store)

    def index_status(self) -> Status:
        """How many memories are current, and how far the vectors of each embedder are."""
        return indexes.status(self._store)

    def audit(
        self, value: str, *, paths: Sequence[Path] = (), progress: Progress | None = None
    ) -> Audit:
        """Look for a value in every row and in every byte of every file of the program.

        For whoever owns the store: it reads all users. ``paths`` are further files or folders
        to scan. Raises InputError for a blank value or a path that is not there.
        """
        return audited(self._store, value, paths=paths, progress=progress)

    def audits(self, values: Sequence[str]) -> tuple[Audit, ...]:
        """An audit of each of several values, with one scan for all; raises InputError."""
        return audited_all(self._store, values)

    def receipt(
        self, scope: Scope, deletions: Sequence[Deletion], audits: Sequence[Audit], *,
        files: bool = True,
    ) -> dict[str, Any]:  # fmt: skip
        """What a forget took, with its hashes and audits, sealed: JSON data without a text.

        Without ``files`` it names no file of the store's owner.
        """
        return receipts.receipt(self._store, scope, deletions, audits, files=files)

    def check_receipt(self, path: str | os.PathLike[str]) -> receipts.Checked:
        """Whether the forget of a receipt still holds; raises InputError and StoreError."""
        return receipts.checked(self._store, receipts.read(Path(path)), str(path))

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        users: Sequence[str] = (),
        progress: Counted | None = None,
    ) -> int:
        """Write all that is kept of ``users`` (everybody by default) as JSON lines.

        Returns the number of records. The file is its owner's alone to read, and ``audit``
        will look into it. Raises NotFound and InputError.
        """
        return exported(self._store, Path(path), users=users, progress=progress)

    def export_to(self, file: IO[bytes], *, users: Sequence[str] = ()) -> int:
        """Write the same into an open file, which no audit will know of; the number of records."""
        return written(self._store, file, users=users)

    def export_chats(
        self,
        path: str | os.PathLike[str],
        shape: str,
        *,
        users: Sequence[str] = (),
        progress: Counted | None = None,
    ) -> ChatExport:
        """Write transcripts as other programs read them: ``openai-jsonl`` or ``sharegpt``.

        What the shape has no place for is counted, memories and times among it. The file is
        its owner's alone to read, and ``audit`` will look into it. Raises NotFound and
        InputError.
        """
        return chats_exported(self._store, Path(path), shape, users=users, progress=progress)

    def import_file(
        self, path: str | os.PathLike[str], *, as_user: str | None = None, progress: Counted | None = None,
        dry_run: bool = False,
    ) -> Imported:  # fmt: skip
        """Take over a file of ``export``, wholly or not at all.

        A conversation that is here already stays as it is, so a second import changes
        nothing and an old file brings nothing back. ``as_user`` renames the one user of the
        file; ``dry_run`` takes all of it back. Raises InputError with the line.
        """
        return imported(
            self._store, Path(path), as_user=as_user, progress=progress, dry_run=dry_run
        )

    def import_log(
        self, path: str | os.PathLike[str], *, user: str, format: str = "", tools: bool = True,
        branches: bool = True, dry_run: bool = False, told: Told = lambda found: None,
        progress: BytesRead = lambda at, of: None,
    ) -> LogImport:  # fmt: skip
        """Take a chat log of another program over, as conversations of ``user``.

        It is recognised by its content unless ``format`` names it. Each conversation is one
        transaction; one that is here changes nothing, one that grew adds its new turns, one
        that was edited makes a branch, and what ``user`` had forgotten stays forgotten. The
        turns wait for ``reflect``. ``dry_run`` compares and writes nothing; ``tools`` and
        ``branches`` say whether tool work, and all but the main branch, are wanted; ``told``
        hears of every outcome. Raises InputError.
        """
        done = take_log(
            self._store, Path(path), user=user, format=format, tools=tools, branches=branches,
            dry_run=dry_run, told=told, progress=progress,
        )  # fmt: skip
        if done.turns and not dry_run:
            self._wake()
        return done

    def waiting(self, user: str) -> tuple[str, ...]:
        """A user's conversations with turns that wait for ``reflect``, by when these were said."""
        return self._store.reflections.waiting_of(user)

    def import_from(
        self, file: IO[bytes], *, name: str, holds: Callable[[str], bool] = lambda user: True
    ) -> Imported:
        """Take over such a file that is open, of users that ``holds`` alone; ``name`` is for errors.

        Raises InputError with the line, and Forbidden.
        """
        return taken(self._store, file, name, holds=holds)

    def backup(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> None:
        """Copy the database into a new file while others may write; raises InputError."""
        backed_up(self._store, Path(path), progress or (lambda at, of: None))

    def close(self) -> None:
        """Close the database; a second close does nothing.

        A reading in the background may take a few seconds to end; what is not read then waits.
        """
        if self._worker is not None:
            self._worker.close()
        self._recallers.close()
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


def _check(path: object, config: object, reflect: object, extractor: object) -> None:
    """Refuse what Memory.open cannot be given; raises InputError."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise InputError(f"path: {path!r} is not a path; give one, or ':memory:'")
    if config is not None and not isinstance(config, Config):
        raise InputError(f"config: {config!r} is not a Config; see palimpsest.config.load")
    if reflect not in get_args(Reflect):
        raise InputError(f"reflect: {reflect!r} is not one of {', '.join(get_args(Reflect))}")
    if extractor is not None and reflect != "background":
        raise InputError("extractor: give it to reflect(), or open with reflect='background'")
