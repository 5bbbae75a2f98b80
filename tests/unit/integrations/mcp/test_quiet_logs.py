"""The log of the MCP server: whatever a library writes, a line holds no text of a client's."""

from __future__ import annotations

import logging
import subprocess
import sys

from palimpsest.integrations.mcp.quiet_logs import Textless

SECRET = "Kestrel-90417-Quay"


def record(name: str, message: str, *args: object, error: Exception | None = None) -> str:
    """The line of a record."""
    kind = (type(error), error, None) if error else None
    made = logging.LogRecord(name, logging.ERROR, "/x/session.py", 7, message, args, kind)
    return Textless().format(made)


def test_of_other_packages_the_place_and_the_kind_are_written() -> None:
    """Not the message, not its arguments, not the error's own words."""
    line = record("mcp.server", f"cannot read {SECRET} %s", SECRET, error=ValueError(SECRET))
    assert line.endswith("ERROR mcp.server: session:7 ValueError")
    assert SECRET not in line
    assert SECRET not in record("uvicorn.error", "cannot read %s", SECRET)


def test_our_own_messages_are_written_without_a_traceback() -> None:
    """They hold no text by the rule of the house; what an error quotes is left out."""
    line = record("palimpsest.mcp", "%s in the tool %s", "KeyError", "why", error=KeyError(SECRET))
    assert line.endswith("ERROR palimpsest.mcp: KeyError in the tool why")


def test_every_log_of_the_process_goes_through_it_to_standard_error() -> None:
    """Whoever set a handler before is replaced, and nothing below a warning is written."""
    code = (
        "import logging; logging.basicConfig(level=0); "
        "from palimpsest.integrations.mcp.quiet_logs import to_stderr; to_stderr(); "
        "[logging.getLogger(n).log(level, 'secret') for n in ('', 'mcp') for level in (20, 40)]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ("", 2) == (done.stdout, len(done.stderr.splitlines()))
    assert "secret" not in done.stderr
