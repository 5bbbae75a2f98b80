"""The write path: what happens to memories and to the turns that stated them.

Pure rules plus commands over a Protocol of the store's parts (``parts.py``); each command
is one transaction.
"""

from palimpsest.write.branching import branch, guard, says_forgotten
from palimpsest.write.commands import correct, pin, remember
from palimpsest.write.commit import Reading, commit
from palimpsest.write.consolidate import consolidate
from palimpsest.write.describing import Candidate, Meant, meant
from palimpsest.write.erasing import Piece
from palimpsest.write.forgetting import Forgot, forget, forget_rows, named, rehearsed
from palimpsest.write.labels import apply
from palimpsest.write.lost import is_strong, tells
from palimpsest.write.parts import WriteStore
from palimpsest.write.reading import current, deletions, history, resolutions, storage
from palimpsest.write.resume import is_said, unsaid
from palimpsest.write.review import accept, dismiss, waiting
from palimpsest.write.transcript import append, extend
from palimpsest.write.undo import undo
from palimpsest.write.watch import Watch

__all__ = [
    "Candidate",
    "Forgot",
    "Meant",
    "Piece",
    "Reading",
    "Watch",
    "WriteStore",
    "accept",
    "append",
    "apply",
    "branch",
    "commit",
    "consolidate",
    "correct",
    "current",
    "deletions",
    "dismiss",
    "extend",
    "forget",
    "forget_rows",
    "guard",
    "history",
    "is_said",
    "is_strong",
    "meant",
    "named",
    "pin",
    "rehearsed",
    "remember",
    "resolutions",
    "says_forgotten",
    "storage",
    "tells",
    "undo",
    "unsaid",
    "waiting",
]
