"""The write path: what happens to memories and to the turns that stated them.

Pure rules plus commands over a Protocol of the store's parts (``parts.py``); each command
is one transaction.
"""

from palimpsest.write.branching import append_newest, branch, guard, names_forgotten
from palimpsest.write.commands import correct, pin, remember
from palimpsest.write.commit import Reading, commit
from palimpsest.write.consolidate import consolidate
from palimpsest.write.describing import Candidate, Meant, means_everything, meant
from palimpsest.write.erasing import Piece
from palimpsest.write.forget_all import forget_all, rehearsed_all
from palimpsest.write.forgetting import Forgot, forget, forget_rows, named, rehearsed
from palimpsest.write.held import known, unstored
from palimpsest.write.labels import apply
from palimpsest.write.lost import is_strong, tells
from palimpsest.write.parts import WriteStore
from palimpsest.write.reading import (
    current,
    deletions,
    history,
    resolutions,
    said_forgotten,
    storage,
)
from palimpsest.write.resume import is_said, unsaid
from palimpsest.write.review import accept, dismiss, waiting
from palimpsest.write.taking_back import Leaves, take_back
from palimpsest.write.transcript import append, extend
from palimpsest.write.undo import undo
from palimpsest.write.watch import Watch
from palimpsest.write.withholding import renew

__all__ = [
    "Candidate",
    "Forgot",
    "Leaves",
    "Meant",
    "Piece",
    "Reading",
    "Watch",
    "WriteStore",
    "accept",
    "append",
    "append_newest",
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
    "forget_all",
    "forget_rows",
    "guard",
    "history",
    "is_said",
    "is_strong",
    "known",
    "means_everything",
    "meant",
    "named",
    "names_forgotten",
    "pin",
    "rehearsed",
    "rehearsed_all",
    "remember",
    "renew",
    "resolutions",
    "said_forgotten",
    "storage",
    "take_back",
    "tells",
    "undo",
    "unsaid",
    "unstored",
    "waiting",
]
