"""The log of the server: where, how bad and which kind of error, on standard error.

Invariant: a line holds no message, no argument and no traceback of a library, since any of
them may quote what a client sent; the messages of this project hold no texts.
"""

from __future__ import annotations

import logging
import sys

OWN = "palimpsest"


class Textless(logging.Formatter):
    """A line that nothing of a client's can get into."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level and logger; of our own records the message, of others the place."""
        when = self.formatTime(record, "%H:%M:%S")
        if record.name.split(".")[0] == OWN:
            said = record.getMessage()
        else:
            kind = record.exc_info[0] if record.exc_info else None
            said = f"{record.module}:{record.lineno}" + (f" {kind.__name__}" if kind else "")
        return f"{when} {record.levelname} {record.name}: {said}"


def to_stderr(level: int = logging.WARNING) -> None:
    """Send every log of the process through it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Textless())
    logging.basicConfig(level=level, handlers=[handler], force=True)
