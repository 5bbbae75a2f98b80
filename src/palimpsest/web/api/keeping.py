"""Operations on the store: its state, audits, export and import.

Invariant: an export holds what its key holds and an import writes nothing else, whatever the
file says; neither leaves a file behind that a forget could not reach.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydantic import Field

from palimpsest.auditing import Audit
from palimpsest.engine import Memory
from palimpsest.errors import NotFound
from palimpsest.web.api import answers
from palimpsest.web.api.operation import FILE, Body, Call, Operation, Params, Whose

_IN_PROCESS = ":memory:"


class Sought(Body):
    """What an audit looks for."""

    value: str = Field(min_length=1, max_length=10_000, description="The text that must be gone.")


def spool(memory: Memory) -> IO[bytes]:
    """A file without a name beside the store: nothing of it stays, not even after a kill."""
    folder = None if memory.path == _IN_PROCESS else Path(memory.path).parent
    return tempfile.TemporaryFile(dir=folder)


@contextmanager
def _apart(memory: Memory) -> Iterator[Memory]:
    """The store through a connection of its own: a long transfer holds up no reader."""
    if memory.path == _IN_PROCESS:
        yield memory
        return
    with Memory.open(memory.path, config=memory.config) as other:
        yield other


def _audit(call: Call) -> object:
    call.owner()
    return call.memory.audit(call.body.value)


def _store(call: Call) -> object:
    call.owner()
    status = call.memory.index_status()
    return answers.StoreStatus(
        policy=call.memory.policy, users=len(call.memory.users()), memories=status.memories,
        vectors=status.vectors, embedder=call.memory.config.recall.embedder,
        scrubbed=call.memory.scrubbed,
    )  # fmt: skip


def _export(call: Call) -> IO[bytes]:
    held = [user for user in call.memory.users() if call.access.holds(user)]
    if call.params.user is not None:
        wanted = call.user
        held = [user for user in held if user == wanted]
    if not held:
        # An empty list would mean everybody.
        raise NotFound("user: nothing is kept of whom the key holds, or of the one that was named")
    file = spool(call.memory)
    with _apart(call.memory) as memory:
        memory.export_to(file, users=held)
    file.seek(0)
    return file


def _import(call: Call) -> object:
    assert call.file is not None
    with _apart(call.memory) as memory:
        done = memory.import_from(call.file, name="body", holds=call.access.holds)
    return answers.Taken(
        added=[answers.Owned(stored_user=u, conversation=c) for u, c in done.added],
        known=[answers.Owned(stored_user=u, conversation=c) for u, c in done.known],
        rows=done.rows,
    )  # fmt: skip


OPERATIONS = (
    Operation(
        id="export", method="GET", path="/export", tag="store",
        summary="All that is kept of the key's users, or of one, as JSON lines.",
        run=_export, params=Whose, answer=FILE, errors=(NotFound.code,), asks={"user": "ana"},
    ),
    Operation(
        id="import", method="POST", path="/import", tag="store",
        summary="Take over an export, wholly or not at all; what is here stays as it is.",
        run=_import, params=Params, body="file", answer=answers.Taken,
        says='{"format":"palimpsest export","schema":1,"policy":"managed"}\n',
    ),
    Operation(
        id="audit", method="POST", path="/audit", tag="store",
        summary="Whether a value is still anywhere, in rows or bytes; for the owner.",
        run=_audit, params=Params, body=Sought, answer=Audit, owner=True,
        says={"value": "RR-12345"},
    ),
    Operation(
        id="show_store", method="GET", path="/store", tag="store",
        summary="Memories, indexes and policy of the whole store; for the owner.",
        run=_store, params=Params, answer=answers.StoreStatus, owner=True,
    ),
)  # fmt: skip
