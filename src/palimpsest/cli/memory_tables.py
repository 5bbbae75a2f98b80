"""Lays out memories and verdicts for the terminal.

Invariant: every text is shown with its invisible characters escaped, one line a row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from palimpsest.language.invisible import shown
from palimpsest.proposals import DayTokens, Verdict
from palimpsest.types import Memory

_STYLES = {"add": "green", "merge": "cyan", "supersede": "yellow", "forget": "magenta",
           "reject": "red", "review": "bold yellow"}  # fmt: skip


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """One line a verdict: what was proposed, what became of it, and by which rule."""
    table = _table("id", "turn", "verdict", "rule", "memory", "score", "words")
    for verdict in verdicts:
        state = verdict.action + (f" ({verdict.settled})" if verdict.settled else "")
        table.add_row(
            str(verdict.id), str(verdict.turn), Text(state, style=_STYLES[verdict.action]),
            verdict.rule, _place(verdict), "" if verdict.score is None else f"{verdict.score:.3f}",
            Text(shown(verdict.text)),
        )  # fmt: skip
    return table


def memory_table(memories: Sequence[Memory]) -> Table:
    """One line a memory, with what is said of it beside its words."""
    table = _table("id", "kind", "from", "seen", "state", "attribute", "words")
    for memory in memories:
        table.add_row(
            f"#{memory.id}", memory.kind, shown(memory.source), str(memory.seen), _state(memory),
            shown(memory.attribute or ""), Text(shown(memory.text)),
        )  # fmt: skip
    return table


def day_line(day: DayTokens) -> str:
    """How much of the tokens of a day is spent, and which setting says how many there are."""
    return f"today {day.used} of {day.most} tokens are spent ([reflection] day_tokens)"


def plain(record: Verdict | Memory) -> dict[str, Any]:
    """A record as JSON data."""
    return dataclasses.asdict(record)


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for name in columns:
        table.add_column(name, no_wrap=name not in ("words", "attribute", "state"))
    return table


def _place(verdict: Verdict) -> str:
    made = f"#{verdict.memory}" if verdict.memory else ""
    if verdict.candidates:
        return "withheld: " + " ".join(f"#{id}" for id in verdict.candidates)
    old = f"#{verdict.other}" if verdict.other and verdict.other != verdict.memory else ""
    return " < ".join(filter(None, (made, old)))


def _state(memory: Memory) -> str:
    marks = [
        "current" if memory.superseded_by is None else f"replaced by #{memory.superseded_by}",
        *(["pinned"] if memory.pinned else []),
        *(["hedged"] if memory.hedged else []),
        *(["global"] if memory.reach == "global" else []),
        *([f"until {memory.valid_until}"] if memory.valid_until else []),
    ]
    return ", ".join(marks)
