"""Restoring a backup, without what was forgotten since it was made.

The copy is put right beside the store and takes its place in one step. Invariant: at no
moment does the store hold again what a later forget took out of it, and a restore that is
interrupted leaves the store as it was.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palimpsest import write
from palimpsest.backup import Progress
from palimpsest.errors import InputError, NotADatabase, NotFound
from palimpsest.store.database import Database
from palimpsest.store.opening import open_store
from palimpsest.store.store import Store
from palimpsest.types import Memory, Scope
from palimpsest.write import known_again

WHY = "forgotten after the backup was made"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What going back to a copy brought, and what of it was forgotten again."""

    conversations: int
    forgotten: int
    """Memories and values of the copy that later forgets had taken."""


def restored(path: Path, backup: Path, *, key_file: str | None, progress: Progress) -> Restored:
    """Put the copy ``backup`` in the place of the store at ``path``, which may not exist.

    Raises InputError where there is no copy, and StoreError and its kinds.
    """
    if not backup.is_file():
        raise InputError(f"{backup}: there is no such file")
    if not backup.stat().st_size:
        raise NotADatabase(f"{str(backup)!r} is empty: it holds nothing to go back to")
    draft = path.with_name(f".{path.name}.{os.getpid()}.restoring")
    key = key_file or f"{path}.key"
    _clear_drafts(path)
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _copied(backup, draft, progress)
        with open_store(draft, key_file=key) as copy:
            forgotten = _without_later(path, copy, key) if path.exists() else 0
            conversations = sum(len(copy.conversations.of(user)) for user in copy.users())
            if path.exists():
                copy.copy_to(str(path), progress)
        if not path.exists():
            # Closed, so it is one file; an empty one in its place would look like a store.
            draft.rename(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + end).unlink(missing_ok=True)
    return Restored(conversations=conversations, forgotten=forgotten)


def _clear_drafts(path: Path) -> None:
    """Remove what a restore that was killed left: it may hold what was forgotten since."""
    opening = f".{path.name}."
    for file in path.parent.iterdir():
        owner, _, end = file.name.removeprefix(opening).partition(".")
        if not (file.name.startswith(opening) and end.startswith("restoring") and owner.isdigit()):
            continue
        try:
            os.kill(int(owner), 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        except PermissionError:
            continue  # another user's process, and alive


def _copied(backup: Path, draft: Path, progress: Progress) -> None:
    source = Database(str(backup))
    try:
        source.copy_to(str(draft), progress)
    finally:
        source.close()


def _without_later(path: Path, copy: Store, key: str) -> int:
    """Forget in the copy what the store at ``path`` has forgotten since; how much that was."""
    with open_store(path, key_file=key) as live:
        if live.policy != copy.policy:
            raise InputError(
                f"{path}: has the policy {live.policy!r}, and the copy has {copy.policy!r}"
            )
        copy.keys.replace_all(live.keys.all())
        for file in live.written_files.all():
            copy.written_files.add(file.path, file.kind)
        for file in copy.written_files.all():
            # The copy was made while its own draft was still on record.
            if file.path.endswith(".part") and not Path(file.path).exists():
                copy.written_files.drop(file.path)
        if live.policy != "managed":
            return 0
        with live.reading(), copy.transaction():
            copy.take_over(live.records(live.users()))
            places = tuple(_places(copy))
            held = {place: {one.id for one in copy.deletions.of(place)} for place in places}
            done = sum(_of_place(live, copy, place) for place in places)
            for place in places:
                # What was forgotten again has its record: that of the forget in the store.
                new = {one.id for one in copy.deletions.of(place)} - held[place]
                copy.deletions.drop(place, new)
                write.renew(copy, place)
            return done


def _places(store: Store) -> Iterator[Scope]:
    for user in store.users():
        for name in store.conversations.of(user):
            yield Scope(user=user, conversation=name)


def _of_place(live: Store, copy: Store, place: Scope) -> int:
    """One conversation of the copy: its turns as they are now, its memories but those that went."""
    _turns(live, copy, place)
    gone = [row.id for row in _rows(copy, place) if not _is_there(live, place, row)]
    if gone:
        write.forget_rows(copy, place, gone, reason=WHY)
    values = dict.fromkeys(_said_again(copy, place))
    for value in values:
        try:
            write.forget(copy, place, value=value, reason=WHY)
        except NotFound:
            # An earlier value took it along.
            continue
    return len(gone) + len(values)


def _turns(live: Store, copy: Store, place: Scope) -> None:
    """A turn that both have is taken as the store has it: with what was erased since."""
    for turn in copy.turns.newest(place):
        now = live.turns.get(place, turn.number)
        if now is None or now == turn:
            continue
        if live.turns.said_at(place, turn.number) == copy.turns.said_at(place, turn.number):
            copy.turns.erase(place, now)
            copy.redactions.put(place, turn.number, live.redactions.of(place, turn.number))


def _rows(store: Store, place: Scope) -> list[Memory]:
    found = (*store.memories.current(place), *store.memories.superseded(place))
    return [row for row in found if row.scope == place]


def _is_there(live: Store, place: Scope, row: Memory) -> bool:
    now = live.memories.get(place, row.id)
    # An id that was never given there belongs to another history: nothing was forgotten of it.
    return now is not None or row.id > live.conversations.last_id(place, "memory")


def _said_again(copy: Store, place: Scope) -> Iterator[str]:
    """The values of later forgets that the copy still says anywhere, as it writes them."""
    story = copy.stories.of(place)
    texts = [
        *(row.text for row in _rows(copy, place)),
        *(row.value or "" for row in _rows(copy, place)),
        *(text for turn in copy.turns.newest(place) for m in turn.messages for text in m.texts()),
        *(verdict.text for verdict in copy.verdicts.of(place)),
        story.summary, *(anchor.text for anchor in story.anchors),
        *(f"{held.text}\n{held.justification}" for held in story.positions),
    ]  # fmt: skip
    for text in texts:
        for each in known_again.known(copy, place, text, "either"):
            yield text[each.start : each.end]
