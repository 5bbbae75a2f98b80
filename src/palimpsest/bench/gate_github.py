"""The outcome of a check as annotations of a GitHub workflow: one command a line.

A runner shows few annotations of a step, so what got worse comes first, as errors; the
rest are warnings. They point at the baseline file, which is what a review would change.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.bench.compare import Comparison
from palimpsest.bench.gate_lines import lines, verdict
from palimpsest.language.invisible import shown


def commands(outcome: Comparison, file: str) -> Iterator[str]:
    """Workflow commands, the worst first; a notice where all is as blessed."""
    for reason in outcome.refusals:
        yield _command("error", file, "not compared", reason)
    for line in lines(outcome):
        level = "error" if line.blocks else "warning"
        why = f" | {line.why}" if line.why else ""
        yield _command(level, file, f"{line.kind}: {line.case}", line.text + why)
    for note in outcome.notes:
        yield _command("notice", file, "note", note)
    if outcome.verdict == "pass":
        yield _command("notice", file, "bench check", verdict(outcome))


def _command(level: str, file: str, title: str, message: str) -> str:
    named = f"file={_property(file)},title={_property(title)}"
    return f"::{level} {named}::{_data(message)}"


def _data(text: str) -> str:
    return shown(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
