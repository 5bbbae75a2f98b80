"""Reads the conversations that a suite is to be made of, as turns and nothing else.

Taken: OpenAI messages as JSON or JSON lines (an object with ``messages`` a line, or a message a
line), an export of this program, a suite, with or without labels, and what ``palimpsest import``
knows (ChatGPT, Claude and so on; of branches the one that stands). Invariant: the order of
the file is kept, and what cannot be read is an InputError with its line or path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from palimpsest import messages
from palimpsest.bench import json_file, suite, suite_file
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.importers import Format, Source, recognised
from palimpsest.importers import Talk as Logged
from palimpsest.importers.recognise import Recognised
from palimpsest.importers.trees import ways
from palimpsest.importers.turns import way_of
from palimpsest.transfer import FORMAT
from palimpsest.types import Tool, Turn

_OPENAI = "openai"
_WHAT = "file of conversations"
_TURNS: TypeAdapter[list[suite_file.TurnShape]] = TypeAdapter(list[suite_file.TurnShape])


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation; its turns count from 1 without gaps."""

    turns: tuple[Turn, ...]
    instructions: str | None = None
    tools: tuple[Tool, ...] = ()


def read(path: Path) -> tuple[Talk, ...]:
    """Every conversation of a file that has a user's words; raises InputError."""
    text = json_file.text_of(path, _WHAT)
    if not text.strip():
        raise InputError(f"{path}: is empty; give a {_WHAT}")
    found = tuple(talk for talk in _talks(path, text) if any(turn.user for turn in talk.turns))
    if not found:
        raise InputError(f"{path}: no conversation in it has words of a user")
    return found


def _talks(path: Path, text: str) -> Iterator[Talk]:
    source = Source(path)
    if (known := _log(source)) is not None and known.format is not None:
        yield from _logged(source, known, known.format)
        return
    if len(lines := _lines(text)) > 1 and _is_object(lines[0][1]):
        first = json_file.json_of(lines[0][1], f"{path}:{lines[0][0]}", _WHAT)
        if first.get("format") == FORMAT:
            yield from _exported(path)
        elif "role" in first:
            said = [json_file.json_of(line, f"{path}:{number}", _WHAT) for number, line in lines]
            yield _of_messages(said, (), str(path))
        else:
            for number, line in lines:
                where = f"{path}:{number}"
                yield _talk(json_file.json_of(line, where, _WHAT), where)
        return
    data = json_file.json_of(text, str(path), _WHAT)
    if isinstance(data, Mapping) and data.get("format") == FORMAT:
        yield from _exported(path)
    elif isinstance(data, list) and not all(isinstance(i, Mapping) and "role" in i for i in data):
        for place, item in enumerate(data):
            yield _talk(item, f"{path}: [{place}]")
    elif isinstance(data, list):
        yield _of_messages(data, (), str(path))
    else:
        yield _talk(data, str(path))


def _log(source: Source) -> Recognised | None:
    """The log of another program; ``None`` for what is read here, or is nothing known."""
    try:
        known = recognised(source)
    except InputError:
        return None
    # Read here, where the system message stays as the instructions of the suite.
    return None if known.format is not None and known.format.name == _OPENAI else known


def _logged(source: Source, known: Recognised, format: Format) -> Iterator[Talk]:
    """Of each conversation the way that it stands at."""
    for found in format.read(source, known.mode, known.key):
        main = next(iter(ways(found)), None) if isinstance(found, Logged) else None
        if isinstance(found, Logged) and isinstance(main, tuple):
            yield Talk(turns=renumbered(way_of(main, began=found.began, tools=True).turns))


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines of JSON lines with their numbers; one line, or none, where it is one document."""
    listed = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        json.loads(listed[0][1])
    except ValueError:
        return []
    return listed


def _is_object(line: str) -> bool:
    return line.lstrip().startswith("{")


def _talk(value: object, where: str) -> Talk:
    if isinstance(value, Mapping) and "turns" in value:
        return _of_suite(value, where)
    if isinstance(value, Mapping) and "messages" in value:
        return _of_messages(value["messages"], messages.tools(value.get("tools")), where)
    raise InputError(
        f"{where}: is no conversation that is known here: OpenAI messages, an export of "
        "`palimpsest export`, a suite, or a chat log that `palimpsest import` knows"
    )


def _of_messages(value: object, tools: tuple[Tool, ...], where: str) -> Talk:
    try:
        said = messages.messages(value, "messages")
        system = [item for item in said if item.role == "system"]
        rest = tuple(item for item in said if item.role != "system")
        while rest and rest[0].role != "user":  # a greeting before anybody asked
            rest = rest[1:]
        turns = messages.group(rest, 1)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    told = "\n\n".join(text for item in system for text in item.texts())
    return Talk(turns=turns, instructions=told or None, tools=tools)


def _of_suite(value: Mapping[str, Any], where: str) -> Talk:
    try:
        shapes = _TURNS.validate_python(value["turns"])
        turns = [suite.turn_of(shape, f"turns[{i}]").turn for i, shape in enumerate(shapes)]
    except ValidationError as error:
        raise InputError(f"{where}: turns{suite_file.first_fault(error)}") from None
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    instructions = value.get("instructions")
    return Talk(
        turns=renumbered(turns),
        instructions=instructions if isinstance(instructions, str) else None,
        tools=messages.tools(value.get("tools")),
    )


def _exported(path: Path) -> Iterator[Talk]:
    """What an export holds, as the store that takes it over tells it."""
    with path.open(encoding="utf-8") as file:
        head = json.loads(file.readline())
    policy = head.get("policy", "managed")
    with Memory.open(":memory:", policy=policy, tokenizer="estimate") as memory:
        memory.import_file(path)
        for user in memory.users():
            for name in memory.conversations(user):
                turns = memory.conversation(user=user, id=name).turns()
                yield Talk(turns=renumbered([t for t in turns if t.messages]))


def renumbered(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The same turns, counted 1, 2, 3 ..."""
    return tuple(Turn(number=i, messages=turn.messages) for i, turn in enumerate(turns, 1))
