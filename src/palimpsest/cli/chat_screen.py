"""What a chat writes: answers as they come, command output, and notes beside them.

Invariant: no character of a text moves the cursor or changes the terminal. Control
characters are shown as escapes, but for the line breaks and tabs of an answer; a character
that no encoding can hold is replaced.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

from rich.text import Text

from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown

_BREAK = re.compile(r"\r?\n")
_LONE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_PATIENCE = 0.5
"""Seconds that a person waits without a sign."""


class Screen:
    """Answers and what was asked for go to standard output, everything else beside it."""

    def __init__(self, *, typed: bool) -> None:
        # Rich drops colours for NO_COLOR and keeps dim and bold, which are escapes as well.
        system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
        self.out = Terminal(highlight=False, color_system=system)
        beside = Terminal(highlight=False, color_system=system, stderr=True)
        self._lively = typed and self.out.is_terminal
        self._notes = self.out if self._lively else beside

    def say(self, line: str | Text) -> None:
        """A line that was asked for; texts in it were escaped by whoever made it."""
        self._line(self.out, Text(line) if isinstance(line, str) else line)

    def note(self, line: str, *, style: str = "dim") -> None:
        """A line about what happened, beside the conversation."""
        self._line(self._notes, Text(line, style=style))

    def error(self, error: Exception) -> None:
        """An error that the chat goes on after."""
        self.note(f"error: {shown(str(error))}", style="red")

    def _line(self, terminal: Terminal, line: Text) -> None:
        """Broken between words for a person, left whole for a pipe."""
        if terminal.is_terminal:
            terminal.print(line, overflow="fold")
        else:
            terminal.print(line, soft_wrap=True)

    @contextmanager
    def waiting(self, what: str = "") -> Iterator[Callable[[], None]]:
        """Show a person that something takes its time; what is given takes the sign away."""
        if not self._lively:
            yield lambda: None
            return
        sign = self.out.status(what, spinner="line")
        late = threading.Timer(_PATIENCE, sign.start)
        late.daemon = True

        def arrived() -> None:
            # Joined, so that the sign cannot start after it was stopped.
            late.cancel()
            late.join()
            sign.stop()

        late.start()
        try:
            yield arrived
        finally:
            arrived()

    def piece(self, text: str) -> None:
        """A part of an answer, without a line break of its own."""
        # Not through rich, which turns tabs into blanks without knowing the column.
        self.out.file.write(visible(text))
        self.out.file.flush()


def visible(text: str) -> str:
    """A text with its control characters as escapes, line for line."""
    return "\n".join(shown(line) for line in _BREAK.split(text))


def whole_characters(pieces: Iterable[str]) -> Iterator[str]:
    """The same pieces, none of which ends or begins inside a character or a line break."""
    rest = ""
    for piece in pieces:
        text, rest = rest + piece, ""
        if text and (text[-1] == "\r" or "\ud800" <= text[-1] <= "\udbff"):
            text, rest = text[:-1], text[-1]
        if text:
            yield _paired(text)
    if rest:
        yield _paired(rest)


def _paired(text: str) -> str:
    """Halves of a character put together; a half alone becomes the replacement character."""
    if not _LONE.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _LONE.sub(_REPLACEMENT, joined)


def brief(text: str, width: int = 60) -> str:
    """A text on one line of at most ``width`` columns, its control characters escaped."""
    line = Text(shown(text).replace("\t", " "))
    line.truncate(width, overflow="ellipsis")
    return line.plain
