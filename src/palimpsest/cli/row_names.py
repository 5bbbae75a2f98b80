"""Names for the rows of a table: a long Spec stands below the table, a short name in it.

Invariant: no two rows have one name, and none takes more than a third of the width, so the
figures beside it are never pushed out.
"""

from __future__ import annotations

from collections.abc import Iterable

SHARE = 3
"""A name longer than one part in so many of the width is shortened."""
SHORTEST = 20
"""So many characters stand whole in any width."""


def row_names(keys: Iterable[str], width: int) -> dict[str, str]:
    """What to call each row; ``llm(model='x', ...)`` becomes ``llm [1]`` where it is too long."""
    most, names = max(SHORTEST, width // SHARE), dict[str, str]()
    short = 0
    for key in keys:
        names[key] = key
        if len(key) > most:
            short += 1
            number = f" [{short}]"
            names[key] = key.split("(")[0][: most - len(number)].rstrip() + number
    return names


def explained(names: dict[str, str]) -> tuple[str, ...]:
    """A line for each name that is not the key itself."""
    return tuple(f"{name}: {key}" for key, name in names.items() if name != key)
