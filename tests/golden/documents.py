"""The parts of the documents that are generated: tables, settings, commands."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from palimpsest import cli, config

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 80


def readme(table: Callable[[], str]) -> str:
    """The README with its generated part written anew."""
    return _filled(ROOT / "README.md", "table travel-50", table())


def gate(sweep: Callable[[], str]) -> str:
    """The document of the gate with its sweep written anew."""
    return _filled(ROOT / "docs" / "gate.md", "sweep travel-50", sweep())


def compaction(table: Callable[[], str]) -> str:
    """The document of compaction with its table written anew."""
    return _filled(ROOT / "docs" / "compaction.md", "compaction-8", table())


def seats(table: Callable[[], str]) -> str:
    """The document of seats with its table written anew."""
    return _filled(ROOT / "docs" / "seats.md", "seats generated-320", table())


def _filled(path: Path, name: str, made: str) -> str:
    """A document with the part between its marks replaced."""
    return filled(path.read_text(encoding="utf-8"), name, made)


def filled(text: str, name: str, made: str) -> str:
    """A text with the part between its marks replaced."""
    start, end = f"<!-- generated: {name} -->\n", "<!-- end -->"
    plain = re.sub(r"[ ]+$", "", made, flags=re.MULTILINE).rstrip()
    return re.sub(
        f"{re.escape(start)}.*?{re.escape(end)}",
        lambda _: f"{start}```text\n{plain}\n```\n{end}",
        text,
        flags=re.DOTALL,
    )


def commands() -> str:
    """Every command with its help, as it is printed."""
    parts = ["# Commands\n\nWritten by `make goldens` from the program.\n"]
    for context in _walk(cli._commands, "palimpsest", None):
        path, text = context.command_path, context.get_help().rstrip()
        parts.append(f"## {path}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _walk(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[click.Context]:
    context = command.make_context(
        name, [], parent=parent, resilient_parsing=True, max_content_width=WIDTH,
        terminal_width=WIDTH,
    )  # fmt: skip
    yield context
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _walk(found, inner, context)


def settings() -> str:
    """Every setting with its default and what it is for."""
    parts = [
        (
            "# Settings\n\nWritten by `make goldens` from `config.py`. A settings file is TOML; "
            "`--config FILE` reads it, `Memory.open(config=palimpsest.config.load(Path(FILE)))` takes "
            "it in Python. Precedence, strongest first: the Spec of a strategy, the settings file, the suite, these defaults. "
            "Unknown keys are refused.\n"
        )
    ]
    for section in dataclasses.fields(config.Config):
        if section.name == "budget":
            parts.append(_BUDGET)
            continue
        kind = section.default_factory
        parts.append(f"## [{section.name}]\n\n{inspect.getdoc(kind)}\n")
        notes = _notes(kind)
        parts.append("| key | default | |\n|---|---|---|")
        parts += [
            f"| `{field.name}` | `{_shown(field)}` | {notes.get(field.name, '')} |"
            for field in dataclasses.fields(kind)
        ]
        parts.append("")
    return "\n".join(parts)


_BUDGET = """## [budget]

`window`, `answer` and `margin` in tokens (or the published `context_limit`, `max_new_tokens`, `margin`); overrides the budget of a suite. A [compaction request](compaction.md) takes from here the fields that it does not name.
"""


def _shown(field: dataclasses.Field[Any]) -> str:
    value = list(field.default) if isinstance(field.default, tuple) else field.default
    return "not set" if value is None else repr(value).replace("|", "\\|").replace("'", '"')


def _notes(kind: type) -> dict[str, str]:
    """The text under each field of a class."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, note in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(note, ast.Expr):
            assert isinstance(field.target, ast.Name)
            found[field.target.id] = " ".join(ast.literal_eval(note.value).split())
    return found
