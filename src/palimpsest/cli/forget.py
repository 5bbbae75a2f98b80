"""``palimpsest forget``: shows what would go, and takes it out of everything."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from palimpsest.cli.json_output import json_output
from palimpsest.cli.store_options import (
    DEFAULT_CONVERSATION,
    DEFAULT_USER,
    opened,
    store_options,
)
from palimpsest.cli.terminal import Terminal
from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import Ambiguous, InputError
from palimpsest.forgetting import ForgetPlan, further_forms
from palimpsest.language.invisible import shown
from palimpsest.models.resolve import open_model
from palimpsest.types import Deletion, Scope
from palimpsest.write import means_everything

_MOST_NAMED = 10
"""Other conversations that are named one by one."""


@click.command()
@click.argument("words", nargs=-1, metavar="[WORDS]...")
@click.option("--id", "id", type=int, metavar="ID", help="One memory, with all it replaced.")
@click.option("--attribute", metavar="NAME", help="Every memory under this attribute.")
@click.option("--value", metavar="TEXT", help="This exact value, in any form, wherever it stands.")
@click.option("--everything", is_flag=True, help="All that this one conversation holds; no undo.")
@click.option("--dry-run", is_flag=True, help="Show what would go, and change nothing.")
@click.option("--model", metavar="MODEL", help="Ask a chat model for further forms of the value.")
@click.option(
    "--receipt", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write what went, its hashes and an audit; 'palimpsest audit --receipt' checks it.",
)  # fmt: skip
@click.option("--json", "json_path", metavar="FILE", help="Write JSON; - is standard output.")
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@store_options
def forget(
    words: tuple[str, ...], id: int | None, attribute: str | None, value: str | None,
    everything: bool, dry_run: bool, model: str | None, receipt: Path | None, json_path: str | None, config: Path | None, store: Path,
    user: str, conversation: str,
) -> None:  # fmt: skip
    """Forget what WORDS describe ("everything about my old job"), for good.

    What may mean several memories is listed, and nothing is forgotten until one is named.
    """
    said = _said(words, id, attribute, value, everything=everything)
    if receipt is not None and dry_run:
        raise InputError("--receipt: a dry run forgets nothing that a receipt could name")
    with (
        opened(store, config=config) as held,
        json_output(json_path) as write,
        json_output(str(receipt) if receipt else None, "--receipt") as write_receipt,
    ):
        talk = held.conversation(user=user, id=conversation)
        plan = talk.plan_forget(said, id=id, attribute=attribute, value=value)
        forms = _asked(model, plan) if model else ()
        if forms:
            plan = talk.plan_forget(said, id=id, attribute=attribute, value=value, forms=forms)
        waits = plan.everything and not everything
        done = () if dry_run or plan.ambiguous or waits else _carried_out(
            talk, said, id, attribute, value, forms, everything=everything
        )  # fmt: skip
        write(as_json(plan, done))
        if receipt is not None and done:
            write_receipt(_receipt(held, talk, plan, done))
        if json_path != "-":
            _show(plan, done, dry_run=dry_run)
            _tell_others(held, talk, plan)
        if (waits or plan.ambiguous) and not dry_run:
            raise _undecided(plan, talk)


def _said(
    words: Sequence[str], id: int | None, attribute: str | None, value: str | None, *,
    everything: bool,
) -> str | None:  # fmt: skip
    """The words, where they are what is named; raises InputError for less or more than one."""
    said = " ".join(words) or ("everything about me" if everything else None)
    if sum(each is not None for each in (said, id, attribute, value)) != 1:
        raise InputError("give one of WORDS, --id, --attribute, --value and --everything")
    if everything and words and not means_everything(said or ""):
        raise InputError(f"--everything: {said!r} names something; leave one of the two out")
    return said


def _undecided(plan: ForgetPlan, talk: Conversation) -> Ambiguous:
    if plan.everything:
        return Ambiguous(
            f"these words mean all that conversation {talk.scope.conversation!r} of "
            f"{talk.scope.user!r} holds, for good; to do that: palimpsest forget --everything"
            f"{_place(talk.scope)}"
        )
    return Ambiguous(
        f"these words may mean {len(plan.rows)} memories; name one: "
        f"palimpsest forget --id {plan.rows[0].memory.id}{_place(talk.scope)}"
    )


def _place(scope: Scope) -> str:
    """The options that name a conversation which is not the default one.

    Who repeats a command without them would forget another conversation.
    """
    user = "" if scope.user == DEFAULT_USER else f" --user {shlex.quote(scope.user)}"
    if scope.conversation == DEFAULT_CONVERSATION:
        return user
    return f"{user} --conversation {shlex.quote(scope.conversation)}"


def _tell_others(held: Memory, talk: Conversation, plan: ForgetPlan) -> None:
    """Name the user's other conversations that hold something: "everything" is not in them."""
    names = held.conversations(talk.scope.user) if plan.everything else ()
    others = [
        held.conversation(user=talk.scope.user, id=name)
        for name in names if name != talk.scope.conversation
    ]  # fmt: skip
    held_too = [each for each in others if each.visible() or each.last_turn()]
    if not held_too:
        return
    terminal = Terminal()
    several = len(held_too) > 1
    terminal.print(
        f"{len(held_too)} other conversation{'s' if several else ''} of {talk.scope.user!r} "
        f"keep{'' if several else 's'} what {'they hold' if several else 'it holds'}; each goes by "
        "a command of its own:",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    for each in held_too[:_MOST_NAMED]:
        terminal.print(f"  palimpsest forget --everything{shown(_place(each.scope))}",
                       markup=False, soft_wrap=True)  # fmt: skip
    if len(held_too) > _MOST_NAMED:
        terminal.print(f"  and {len(held_too) - _MOST_NAMED} more", markup=False)


def _carried_out(
    talk: Conversation, said: str | None, id: int | None, attribute: str | None,
    value: str | None, forms: Sequence[str], *, everything: bool,
) -> tuple[Deletion, ...]:  # fmt: skip
    if everything:
        return talk.forget(everything=True)
    return talk.forget(words=said, id=id, attribute=attribute, value=value, forms=forms)


def _asked(model: str, plan: ForgetPlan) -> tuple[str, ...]:
    """Further forms of the values that would go."""
    values = [row.value for row in plan.chain if row.value] + list(plan.values)
    if not values:
        return ()
    with open_model(model, unpinned=True) as opened_model:
        return further_forms(opened_model, values)


def _receipt(
    held: Memory, talk: Conversation, plan: ForgetPlan, done: Sequence[Deletion]
) -> dict[str, Any]:
    """The receipt of what was just done, with an audit of each value, or of the words."""
    return held.receipt(talk.scope, done, held.audits(plan.audited))


def as_json(plan: ForgetPlan, done: Sequence[Deletion]) -> dict[str, Any]:
    """The plan, and the records that were left."""
    return {"schema": 1, "plan": dataclasses.asdict(plan),
            "deletions": [dataclasses.asdict(record) for record in done]}  # fmt: skip


def _show(plan: ForgetPlan, done: Sequence[Deletion], *, dry_run: bool) -> None:
    terminal = Terminal()
    table = Table(box=box.SIMPLE, pad_edge=False)
    for name in ("id", "score", "", "attribute", "words"):
        table.add_column(name, no_wrap=name != "words")
    meant = {each.memory.id for each in plan.rows}
    mark = "may be meant" if plan.ambiguous else "goes"
    for each in plan.rows:
        _row(table, f"#{each.memory.id}", f"{each.score:.2f}", mark, each.memory.attribute,
             each.memory.text)  # fmt: skip
    for memory in plan.chain:
        if memory.id not in meant:
            _row(table, f"#{memory.id}", "", "goes (replaced)", memory.attribute, memory.text)
    for each in plan.others[:5]:
        _row(table, f"#{each.memory.id}", f"{each.score:.2f}", "stays", each.memory.attribute,
             each.memory.text)  # fmt: skip
    terminal.print(table)
    for piece in plan.pieces if not done else ():
        line = f"turn {piece.turn}, {piece.role}: {shown(piece.text)}"
        terminal.print(f"  would be taken out of {line}", markup=False, soft_wrap=True)
    if done:
        counts = ", ".join(f"{count} {kind}" for kind, count in plan.counts.items() if count)
        terminal.print(f"forgotten: {counts}", markup=False, soft_wrap=True)
    elif dry_run:
        terminal.print("nothing was changed; run it without --dry-run", markup=False)


def _row(table: Table, *cells: str | None) -> None:
    table.add_row(*(Text(shown(cell or "")) for cell in cells))
