"""The tokens of a request by part, as one bar to scale.

Invariant: the lengths of the parts add up to the bar, and a part with tokens is never nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from palimpsest.ledger import PartName, Request

_STYLES: Mapping[PartName, tuple[str, str]] = {
    "frame": ("bright_black", "."), "instructions": ("magenta", "i"), "tools": ("cyan", "t"),
    "facts": ("green", "f"), "summary": ("bright_green", "s"), "turns": ("blue", "u"),
    "notes": ("yellow", "n"), "question": ("red", "q"),
}  # fmt: skip


def budget_bar(request: Request, *, width: int) -> Text:
    """The bar with its legend; each part has a letter of its own beside its colour."""
    limit = request.budget.input
    parts = [(name, request.ledger.parts.get(name, 0)) for name in _STYLES]
    used = [(name, tokens) for name, tokens in parts if tokens]
    bar, legend = Text("["), Text()
    free = limit - request.tokens
    cells = shares([*(tokens for _, tokens in used), free], max(width, len(used) + 1))
    for (name, tokens), size in zip(used, cells, strict=False):
        style, letter = _STYLES[name]
        bar.append(letter * size, style=style)
        legend.append(f"  {letter} {name} {tokens}", style=style)
    bar.append(" " * cells[-1])
    bar.append(f"]\n{request.tokens} of {limit} tokens, {free} free\n")
    return bar.append_text(legend)


def shares(amounts: list[int], width: int) -> list[int]:
    """Cells by share: they add up to ``width``, and only an amount of 0 has none."""
    total = sum(amounts)
    if not total:
        return [0] * len(amounts)
    found = [max(1, amount * width // total) if amount else 0 for amount in amounts]
    while (off := width - sum(found)) != 0:
        # The largest part shows a cell more or less the least.
        place = max(range(len(found)), key=lambda i: amounts[i] if off > 0 else found[i])
        found[place] += 1 if off > 0 else -1
    return found
