"""Receipts of forgets: what went, the hashes that know it again, and what an audit found.

A receipt holds no text and no value. It is sealed with the key of the deletion records, so a
later check can tell whether it was changed. Invariant: a check reads rows and the files that
were made from the store by their hashes, since nobody keeps the value to scan for.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palimpsest.auditing import Audit
from palimpsest.errors import InputError, PalimpsestError
from palimpsest.language.json_texts import leaves
from palimpsest.store.holding import Holding
from palimpsest.store.opening import open_store
from palimpsest.store.store import Store
from palimpsest.types import Deletion, Scope, canonical
from palimpsest.write import known_again

FORMAT, SCHEMA = "palimpsest receipt", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A file that was made from the store before the forget."""

    path: str
    kind: str
    written_at: str
    state: str
    """``gone``, ``holds it``, ``clean``, or why it cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check of a receipt found."""

    sealed: bool
    """The receipt is as it was written."""
    recorded: bool
    """Every deletion that it names is on record here."""
    lifted: int
    """Values that the user has said again since: they are forgotten no more."""
    rows: tuple[Holding, ...]
    files: tuple[FileState, ...]
    scrubbed: bool

    @property
    def clean(self) -> bool:
        """True where the forget holds."""
        bad = any(file.state not in ("gone", "clean") for file in self.files)
        return self.sealed and self.recorded and self.scrubbed and not (self.rows or bad)


def receipt(
    store: Store, scope: Scope, deletions: Sequence[Deletion], audits: Sequence[Audit], *,
    files: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """The receipt of one forget; ``audits`` are those of its values, made right after it.

    Without ``files`` it names none of those that were made from the store.
    """
    found = {finding.path for audit in audits for finding in audit.findings}
    made: dict[str, Any] = {
        "format": FORMAT, "schema": SCHEMA, "made_at": store.now(), "user": scope.user,
        "conversation": scope.conversation,
        "deletions": [
            {"id": one.id, "rows": one.rows, "values": one.values, "counts": dict(one.counts),
             "asked_by": one.asked_by, "reach": one.reach, "created_at": one.created_at}
            for one in deletions
        ],
        "hashes": {str(one.id): list(store.forgotten.hashes(scope, one.id)) for one in deletions},
        "audit": [_summed(audit) for audit in audits],
        "files": [
            {"path": file.path, "kind": file.kind, "written_at": file.written_at,
             "holds": file.path in found}
            for file in (store.written_files.all() if files else ())
        ],
        "key": store.forgotten.fingerprint,
    }  # fmt: skip
    return {**made, "seal": store.forgotten.sealed(canonical(made))}


def _summed(audit: Audit) -> dict[str, Any]:
    return {
        "clean": audit.clean, "by_bytes": audit.by_bytes, "files": audit.files,
        "bytes": audit.bytes, "canary": audit.canary, "scrubbed": audit.scrubbed,
        "rows": [dataclasses.asdict(one) for one in audit.rows],
        "findings": [dataclasses.asdict(one) for one in audit.findings],
        "unread": list(audit.unread),
    }  # fmt: skip


def read(path: Path) -> dict[str, Any]:
    """A receipt from its file; raises InputError for anything else."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON ({error})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"{path}: is not a receipt of 'palimpsest forget --receipt'")
    if data.get("schema") != SCHEMA:
        raise InputError(
            f"{path}: schema {data.get('schema')!r} is not {SCHEMA}; a newer palimpsest wrote it: "
            "pip install -U palimpsest-memory"
        )
    return data


def checked(store: Store, data: Mapping[str, Any], where: str) -> Checked:
    """Does the forget of a receipt still hold? Raises InputError and StoreError."""
    body = {key: value for key, value in data.items() if key != "seal"}
    try:
        scope = Scope(user=data["user"], conversation=data["conversation"])
        ids = [int(one["id"]) for one in data["deletions"]]
        seal = str(data["seal"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where}: is no whole receipt ({error})") from None
    sealed = store.forgotten.sealed(canonical(body)) == seal
    held = {one.id: one for one in store.deletions.of(scope)}
    found = [held[id] for id in ids if id in held]
    return Checked(
        sealed=sealed, recorded=len(found) == len(ids) and _same(store, scope, data),
        lifted=sum(one.lifted for one in found), rows=_rows(store, scope, store, ids),
        files=tuple(_files(store, scope, ids)), scrubbed=not store.erasing,
    )  # fmt: skip


def _same(store: Store, scope: Scope, data: Mapping[str, Any]) -> bool:
    """True where the records still know the values that the receipt names."""
    return all(
        list(store.forgotten.hashes(scope, int(id))) == hashes
        for id, hashes in data["hashes"].items()
    )


def _rows(records: Store, scope: Scope, where: Store, ids: Sequence[int]) -> tuple[Holding, ...]:
    """The tables of ``where`` that say what the records of ``ids`` know."""

    return where.holding(lambda text: _says(records, scope, ids, text))


def _says(records: Store, scope: Scope, ids: Sequence[int], text: str) -> bool:
    """Whether a text says what the records of ``ids`` know.

    A statement without a value is looked for in words: JSON and the index hold those of many
    texts beside each other, and the former's texts are looked at by themselves.
    """
    words = not text.startswith(("{", "[")) and not _NO_WORDS.search(text)
    return any(
        each.match.deletion in ids and (words or each.match.language is None)
        for each in known_again.known(records, scope, text, "either")
    )


_NO_WORDS = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd]")


def _files(store: Store, scope: Scope, ids: Sequence[int]) -> Iterator[FileState]:
    for file in store.written_files.all():
        path = Path(file.path)
        if not path.exists():
            state = "gone"
        else:
            try:
                state = "holds it" if _file_holds(store, scope, ids, path) else "clean"
            except (OSError, PalimpsestError) as error:
                state = f"cannot be read: {error}"
        yield FileState(path=file.path, kind=file.kind, written_at=file.written_at, state=state)


def _file_holds(store: Store, scope: Scope, ids: Sequence[int], path: Path) -> bool:
    with path.open("rb") as file:
        if file.read(15) == b"SQLite format 3":
            with open_store(path) as copy:
                return bool(_rows(store, scope, copy, ids))
    with path.open(encoding="utf-8", errors="replace") as lines:
        return any(_says(store, scope, ids, text) for line in lines for text in leaves(line))
