"""The value of a statement: the shortest contiguous span that holds all its carriers.

Invariant: a value is a span of the statement; a statement without carriers has none, and
then only the turn that states it can be redacted.
"""

from __future__ import annotations

from palimpsest.language.carriers import carriers

LONGEST = 2_000
"""Characters. A longer statement is a pasted document: no one span of it is its value."""


def value_of(statement: str) -> str | None:
    """The exact value of a statement, read from its carriers; ``None`` where there is none."""
    if len(statement) > LONGEST:
        return None
    found = carriers(statement)
    # "Tomorrow" is another day each time that it is said.
    if all(carrier.kind == "relative-day" for carrier in found):
        return None
    return statement[found[0].start : found[-1].end]
