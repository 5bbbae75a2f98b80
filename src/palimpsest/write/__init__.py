"""The write path: what happens to memories and to the turns that stated them.

Pure rules plus commands over a Protocol of the store's parts (``parts.py``); each command
is one transaction.
"""

from palimpsest.write.commands import apply, correct, forget, remember
from palimpsest.write.commit import Reading, commit
from palimpsest.write.consolidate import consolidate
from palimpsest.write.parts import WriteStore
from palimpsest.write.reading import current, deletions, history, resolutions, storage
from palimpsest.write.resume import unsaid
from palimpsest.write.transcript import append, extend
from palimpsest.write.watch import Watch

__all__ = [
    "Reading",
    "Watch",
    "WriteStore",
    "append",
    "apply",
    "commit",
    "consolidate",
    "correct",
    "current",
    "deletions",
    "extend",
    "forget",
    "history",
    "remember",
    "resolutions",
    "storage",
    "unsaid",
]
