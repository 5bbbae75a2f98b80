"""``palimpsest why``: why each memory is in a request, or where one memory stood and why."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from palimpsest.cli.json_output import STDOUT, json_output
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal
from palimpsest.language.invisible import shown
from palimpsest.ledger import TurnEntry
from palimpsest.types import Memory
from palimpsest.why import MemoryReasons, Place, RequestReasons
from palimpsest.why import why as explain

_FORGOTTEN = "forgotten"
_LISTED = 20
_WIDEST = 100


@click.command()
@click.argument("name", required=False, metavar="[REQUEST|MEMORY]")
@store_options
@click.option("--all", "everything", is_flag=True, help="List every memory that was left out.")
@click.option("--json", "target", metavar="PATH|-", help="Write it all; - is standard output.")
def why(
    name: str | None,
    store: Path,
    user: str,
    conversation: str,
    everything: bool,
    target: str | None,
) -> None:
    """Say why each memory is in REQUEST or is not, or where MEMORY stood and why.

    REQUEST is the id of a request, by default the newest one; MEMORY is a number such as
    12 or '#12'.
    """
    with opened(store) as memory, json_output(target) as write:
        found = explain(memory.conversation(user=user, id=conversation), name)
        write(as_json(found))
    if target == STDOUT:
        return
    console = Terminal(highlight=False)
    lines = (
        _request(found, everything=everything)
        if isinstance(found, RequestReasons)
        else _memory(found)
    )
    for line in lines:
        console.print(line, soft_wrap=True)
    if target is not None:
        console.print(f"reasons: {shown(target)}", markup=False, soft_wrap=True)


def as_json(found: RequestReasons | MemoryReasons) -> dict[str, Any]:
    """The reasons as JSON; a memory that was forgotten has no text."""
    data = dataclasses.asdict(found)
    for request in (data, *data.get("requests", ())):
        request.get("request", {}).pop("ledger", None)
    return {"schema": 1, **data}


def _request(found: RequestReasons, *, everything: bool) -> Iterator[RenderableType]:
    request = found.request
    yield Text.assemble(
        (f"request {request.id}", "bold"),
        f"  {request.created_at}  {shown(request.strategy)}  {request.tokens} tokens",
    )
    if request.degraded:
        yield Text(f"degraded: {shown(request.degraded)}", style="yellow")
    parts = ", ".join(f"{name} {size}" for name, size in found.parts.items() if size)
    yield Text(f"tokens: {parts}")
    yield Text(f"turns: {_turns(found.turns)}")
    seated = [place for place in found.memories if place.seated]
    others = [place for place in found.memories if not place.seated]
    yield Text(f"memories in it: {len(seated)}", style="bold")
    if seated:
        yield _places(seated)
    yield Text(f"memories left out: {len(others)}", style="bold")
    counts: dict[str, int] = {}
    for place in others:
        counts[place.reason] = counts.get(place.reason, 0) + 1
    if counts:
        yield Text("  " + ", ".join(f"{reason} {size}" for reason, size in counts.items()))
    listed = others if everything else others[-_LISTED:]
    if listed:
        yield _places(listed)
    if len(listed) < len(others):
        yield Text(f"  and {len(others) - len(listed)} older ones; --all lists them")


def _memory(found: MemoryReasons) -> Iterator[RenderableType]:
    memory = found.memory
    yield Text.assemble((f"memory #{found.id}  ", "bold"), _text(memory))
    if memory is not None:
        state = "current" if memory.superseded_by is None else f"by #{memory.superseded_by}"
        pinned = ", pinned" if memory.pinned else ""
        yield Text(
            f"{memory.kind}, {memory.reach}{pinned}, {shown(memory.source)}, "
            + (state if memory.superseded_by is None else f"replaced {state}")
        )
    if found.count is not None:
        count = found.count
        yield Text(
            f"a candidate {count.candidate} times, served {count.served}, brought back by the "
            f"question {count.recalled}"
        )
    if not found.requests:
        yield Text("no request is kept in this conversation")
        return
    table = _table("request", "when", "strategy", "", "reason", "tokens")
    for stood in found.requests:
        entry = stood.entry
        table.add_row(
            stood.request.id, stood.request.created_at[:19], Text(shown(stood.request.strategy)),
            _sign(entry is not None and entry.seated),
            entry.reason if entry is not None else "not there yet",
            str(entry.tokens) if entry is not None and entry.tokens is not None else "",
        )  # fmt: skip
    yield table


def _places(places: Sequence[Place]) -> Table:
    table = _table("memory", "", "reason", "tokens", "text")
    for place in places:
        tokens = "" if place.tokens is None else str(place.tokens)
        table.add_row(
            f"#{place.id}", _sign(place.seated), place.reason, tokens, _text(place.memory)
        )
    return table


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        # Ids and reasons are what the next command is given: words alone may be broken.
        fixed = name not in ("text", "strategy")
        table.add_column(name, justify="right" if name == "tokens" else "left", no_wrap=fixed)
    return table


def _sign(seated: bool) -> Text:
    return Text("+", style="green") if seated else Text("-", style="yellow")


def _text(memory: Memory | None) -> Text:
    if memory is None:
        return Text(_FORGOTTEN, style="dim")
    line = shown(memory.text)
    return Text(line if len(line) <= _WIDEST else f"{line[: _WIDEST - 3]}...")


def _turns(turns: Sequence[TurnEntry]) -> str:
    """Runs of turns with one fate, in words."""
    runs: list[tuple[int, int, str]] = []
    for entry in turns:
        if runs and runs[-1][2] == entry.reason and runs[-1][1] + 1 == entry.first:
            runs[-1] = (runs[-1][0], entry.last, entry.reason)
        else:
            runs.append((entry.first, entry.last, entry.reason))
    found = [
        f"{first}-{last} {reason}" if first != last else f"{first} {reason}"
        for first, last, reason in runs
    ]
    return ", ".join(found) or "none"
