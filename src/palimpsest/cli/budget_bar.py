"""The tokens of a request by part, as one bar to scale with its figures below.

Invariant: the cells of the parts add up to the bar, and a part with tokens is never nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from palimpsest.ledger import PartName

_STYLES: Mapping[PartName, tuple[str, str]] = {
    "frame": ("bright_black", "."), "instructions": ("magenta", "i"), "tools": ("cyan", "t"),
    "rules": ("bright_magenta", "r"), "facts": ("green", "f"), "summary": ("bright_green", "s"),
    "turns": ("blue", "u"), "notes": ("yellow", "n"), "question": ("red", "q"),
}  # fmt: skip
PARTS = tuple(_STYLES)
_WIDEST = 72


def budget_lines(
    parts: Mapping[PartName, int], *, limit: int, tokens: int, answer: int, width: int
) -> Iterator[Text]:
    """The bar over the input budget, and a line a part; each part has a letter of its own."""
    used = [(name, parts[name]) for name in PARTS if parts.get(name)]
    free = limit - tokens
    cells = shares([*(size for _, size in used), free], max(min(width, _WIDEST) - 2, len(used) + 1))
    bar = Text("[")
    for (name, _), size in zip(used, cells, strict=False):
        style, letter = _STYLES[name]
        bar.append(letter * size, style=style)
    yield bar.append(" " * cells[-1]).append("]")
    figures = len(str(limit))
    for name, size in used:
        style, letter = _STYLES[name]
        yield Text(f"{letter} {name:<12} {size:>{figures}} {_percent(size, limit)}", style=style)
    yield Text(f"  {'free':<12} {free:>{figures}} {_percent(free, limit)}")
    yield Text(f"{tokens} of {limit} tokens; {answer} more are kept for the answer")


def shares(amounts: Sequence[int], width: int) -> list[int]:
    """Cells by share: they add up to ``width``, and only an amount of 0 has none.

    ``width`` is at least the number of amounts.
    """
    total = sum(amounts)
    if not total:
        return [0] * len(amounts)
    found = [max(1, amount * width // total) if amount else 0 for amount in amounts]
    while (off := width - sum(found)) != 0:
        # The largest part shows a cell more the least; of equal cells the smallest amount
        # gives one, so that no part is drawn longer than a larger one.
        order = [
            (amount,) if off > 0 else (cell, -amount)
            for amount, cell in zip(amounts, found, strict=True)
        ]
        place = max(range(len(found)), key=order.__getitem__)
        found[place] += 1 if off > 0 else -1
    return found


def _percent(size: int, limit: int) -> str:
    return f"{size / limit:>6.1%}"
