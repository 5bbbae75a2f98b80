"""Eight writers over one file at once, each with a connection of its own, and a reader."""

from __future__ import annotations

import threading
from pathlib import Path

from palimpsest.store import open_store
from palimpsest.types import Scope

WRITERS = 8
SCOPE = Scope(user="ana", conversation="1")


def write_at_once(path: Path, each: int) -> tuple[set[str], set[str], list[str]]:
    """What was written, what is there and is found by its words, and every error."""
    errors: list[str] = []
    open_store(path).close()

    def writes(name: str) -> None:
        try:
            with open_store(path, busy_seconds=120) as store:
                for number in range(each):
                    store.memories.insert(
                        SCOPE, text=f"Parcel {name}{number}x.", source="api", attribute=None,
                        value=None, turn=None,
                    )  # fmt: skip
                    store.lexical.search(SCOPE, "parcel")
        except Exception as error:  # noqa: BLE001 - any error of a writer is a finding
            errors.append(repr(error))

    threads = [threading.Thread(target=writes, args=(name,)) for name in "abcdefgh"[:WRITERS]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = {f"Parcel {name}{number}x." for name in "abcdefgh" for number in range(each)}
    with open_store(path) as store:
        if not store.lexical.verify().ok:
            errors.append(repr(store.lexical.verify()))
        held = {row.id: row.text for row in store.visible.newest(SCOPE, current=True)}
        found = {
            text for id, text in held.items() if id in store.lexical.search(SCOPE, text.split()[1])
        }
    return written, found, errors
