"""The write path: what happens to memories and to the turns that stated them.

Pure rules plus commands over a Protocol of the store's parts (``parts.py``); each command
is one transaction.
"""

from palimpsest.write.commands import correct, pin, remember
from palimpsest.write.commit import Reading, commit
from palimpsest.write.consolidate import consolidate
from palimpsest.write.forgetting import forget
from palimpsest.write.labels import apply
from palimpsest.write.parts import WriteStore
from palimpsest.write.reading import current, deletions, history, resolutions, storage
from palimpsest.write.resume import unsaid
from palimpsest.write.review import accept, dismiss, waiting
from palimpsest.write.transcript import append, extend
from palimpsest.write.undo import undo
from palimpsest.write.watch import Watch

__all__ = [
    "Reading",
    "Watch",
    "WriteStore",
    "accept",
    "append",
    "apply",
    "commit",
    "consolidate",
    "correct",
    "current",
    "deletions",
    "dismiss",
    "extend",
    "forget",
    "history",
    "pin",
    "remember",
    "resolutions",
    "storage",
    "undo",
    "unsaid",
    "waiting",
]
