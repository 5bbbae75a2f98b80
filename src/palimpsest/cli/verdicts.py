"""``palimpsest verdicts``: what became of everything that was proposed."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, cast

import click

from palimpsest.cli.json_output import json_output
from palimpsest.cli.memory_tables import day_line, plain, verdict_table
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal
from palimpsest.conversation import Conversation
from palimpsest.language.invisible import shown
from palimpsest.proposals import ACTIONS, Action, Reflection, Verdict


@click.command()
@click.option("--turn", type=int, metavar="N", help="Only those on turn N.")
@click.option("--action", type=click.Choice(ACTIONS), help="Only one kind of verdict.")
@click.option("--rule", metavar="RULE", help="Only those that one rule decided.")
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option("--json", "json_path", metavar="FILE", help="Write JSON; - is standard output.")
@store_options
def verdicts(
    turn: int | None, action: str | None, rule: str | None, config: Path | None,
    json_path: str | None, store: Path, user: str, conversation: str,
) -> None:  # fmt: skip
    """What became of each proposed memory, and which rule decided."""
    with opened(store, config=config) as memory:
        talk = memory.conversation(user=user, id=conversation)
        found = _chosen(talk, turn, cast("Action | None", action), rule)
        with json_output(json_path) as write:
            write(
                {
                    "schema": 1,
                    "verdicts": [plain(verdict) for verdict in found],
                    "readings": [_reading(reading) for reading in talk.reflections()],
                    "day": dataclasses.asdict(talk.day_tokens()),
                }
            )
        if json_path != "-":
            _show(talk, found)


def _chosen(
    talk: Conversation, turn: int | None, action: Action | None, rule: str | None
) -> tuple[Verdict, ...]:
    return tuple(
        verdict
        for verdict in talk.verdicts(turn=turn)
        if action in (None, verdict.action) and rule in (None, verdict.rule)
    )


def _show(talk: Conversation, found: tuple[Verdict, ...]) -> None:
    terminal = Terminal()
    terminal.print(verdict_table(found) if found else "no verdicts")
    readings = talk.reflections()
    waiting = [reading.turn for reading in readings if reading.status == "pending"]
    if waiting:
        terminal.print(f"{len(waiting)} turns wait to be read: palimpsest reflect", style="dim")
    for reading in readings:
        if reading.status == "failed":
            text = f"turn {reading.turn} could not be read: {shown(reading.error)}"
            terminal.print(text, style="red", markup=False)
    used = sum(r.usage.prompt_tokens + r.usage.answer_tokens for r in readings)
    if used:
        calls = sum(r.usage.calls for r in readings)
        text = f"readings took {used} tokens in {calls} calls; {day_line(talk.day_tokens())}"
        terminal.print(text, style="dim", markup=False, soft_wrap=True)


def _reading(reading: Reflection) -> dict[str, Any]:
    """How a turn was read and what it cost; its verdicts stand beside it."""
    told = dataclasses.asdict(reading)
    del told["verdicts"]
    return told
