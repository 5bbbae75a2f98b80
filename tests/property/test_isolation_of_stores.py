"""With one user's canary in the store, nothing that another user reaches by it says so.

The methods of ``Memory`` and every command with ``--user`` are called as the other user: what
they return, print and write is searched, and what their errors say. ``audit`` and ``backup``
are for the owner of the store; an audit still shows no text.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Memory, cli
from palimpsest.errors import PalimpsestError
from palimpsest.types import Scope
from tests.property.test_isolation import CANARY, COUNTER, filled, names
from tests.support.chat_log_files import lines

SAID = re.compile(r"(?i)QX77|ZZ99|\dcanary")
Call = Callable[[Memory, str, Path], Any]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))


def _exported(memory: Memory, user: str, place: Path) -> str:
    memory.export(place / "b.jsonl", users=[user])
    return (place / "b.jsonl").read_text(encoding="utf-8")


def _imported(memory: Memory, user: str, place: Path) -> object:
    """What is exported of the other user holds nothing to bring the canary along."""
    _exported(memory, user, place)
    with Memory.open(":memory:", counter=COUNTER) as other:
        done = other.import_file(place / "b.jsonl")
        return done, _all(other, other.users())


def _exported_to(memory: Memory, user: str, place: Path) -> str:
    with (place / "b2.jsonl").open("w+b") as file:
        memory.export_to(file, users=[user])
        file.seek(0)
        return file.read().decode()


def _imported_from(memory: Memory, user: str, place: Path) -> object:
    """A file that may speak of the other user alone."""
    _exported(memory, user, place)
    with (place / "b.jsonl").open("rb") as file:
        return memory.import_from(file, name="file", holds=lambda name: name == user)


def _chats(memory: Memory, user: str, place: Path) -> str:
    memory.export_chats(place / "c.jsonl", "openai-jsonl", users=[user])
    return (place / "c.jsonl").read_text(encoding="utf-8")


def _log(memory: Memory, user: str, place: Path) -> object:
    """A log whose conversations have the names of those of user ``a``."""
    told: list[object] = []
    path = lines(place / "log.jsonl", [{"id": "c", "messages": OTHER}, {"messages": OTHER}])
    return memory.import_log(path, user=user, told=told.append), told


def _receipt(memory: Memory, user: str, place: Path) -> object:
    talk = memory.conversation(user=user, id="c")
    talk.remember("My bike is RR-12345-own.", attribute="bike", value="RR-12345-own")
    gone = talk.forget(attribute="bike")
    return memory.receipt(Scope(user=user, conversation="c"), gone, [memory.audit("RR-12345-own")])


def _all(memory: Memory, users: tuple[str, ...]) -> object:
    found = []
    for user in users:
        for name in memory.conversations(user):
            talk = memory.conversation(user=user, id=name)
            found.append((talk.turns(), talk.visible(), talk.verdicts(), talk.story()))
    return found


OTHER = [{"role": "user", "content": "What is the code?"},
         {"role": "assistant", "content": "Who knows."}]  # fmt: skip
MINE = [OTHER[0], {"role": "assistant", "content": f"It is {CANARY}."}]


def with_log(memory: Memory, place: Path) -> None:
    """The same as ``filled``, and a log of user ``a`` that says the canary."""
    filled(memory)
    path = lines(place / "a.jsonl", [{"id": "c", "messages": MINE}, {"messages": MINE}])
    memory.import_log(path, user="a")
    path.unlink()


REACHED: Mapping[str, Call] = {
    "users": lambda m, user, place: m.users(),
    "conversations": lambda m, user, place: m.conversations(user),
    "conversation": lambda m, user, place: m.conversation(user=user, id="c").visible(),
    "settled": lambda m, user, place: m.settled(1),
    "index": lambda m, user, place: m.index(),
    "rebuild_indexes": lambda m, user, place: m.rebuild_indexes(),
    "verify_indexes": lambda m, user, place: m.verify_indexes(),
    "index_status": lambda m, user, place: m.index_status(),
    "audit": lambda m, user, place: m.audit(CANARY),
    "audits": lambda m, user, place: m.audits([CANARY, "tea"]),
    "receipt": _receipt,
    "check_receipt": lambda m, user, place: m.check_receipt(place / "none"),
    "export": _exported,
    "export_chats": _chats,
    "import_log": _log,
    "waiting": lambda m, user, place: m.waiting(user),
    "import_file": _imported,
    "export_to": _exported_to,
    "import_from": _imported_from,
}
OF_THE_OWNER = {"backup", "open", "close"}


def test_every_public_method_is_called() -> None:
    """A method that comes later has to be added here."""
    public = {
        name for name, _ in inspect.getmembers(Memory, callable) if not name.startswith("_")
    }  # fmt: skip
    assert public == {*REACHED, *OF_THE_OWNER}


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(names.filter(lambda name: name != "a"), st.permutations(sorted(REACHED)))
def test_no_method_of_the_store_shows_the_canary(
    tmp_path_factory: pytest.TempPathFactory, user: str, order: list[str]
) -> None:
    """Not in a result, an error or a file, in whatever order; user ``a`` keeps everything."""
    place = tmp_path_factory.mktemp("isolated")
    with Memory.open(place / "m.db", counter=COUNTER) as memory:
        with_log(memory, place)
        before = _all(memory, ("a",))
        memory.conversation(user=user, id="c").remember("I like tea.")
        for name in order:
            try:
                shown = repr(REACHED[name](memory, user, place))
            except PalimpsestError as error:
                shown = str(error)
            assert not SAID.search(shown), name
        assert before == _all(memory, ("a",))


COMMANDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "export": (("FILE",), ("FILE", "--format", "sharegpt"), ("FILE", "--format", "openai-jsonl")),
    "forget": (("my", "code"), ("--attribute", "code"), ("--id", "1"), ("code", "--dry-run"),
               ("--value", "ZZ-12345-own", "--receipt", "FILE"), ("--id", "1", "--json", "-")),
    "forgotten-corners": ((), ("--recalled",), ("--json", "-"), ("--least", "0")),
    "import": (("LOG",), ("LOG", "--dry-run", "--all"), ("LOG", "--format", "openai", "--all")),
    "memories": ((), ("--all",), ("--json", "-")),
    "observe": (("What is the code?", "Who knows."),),
    "pin": (("1",),),
    "reflect": (("--extractor", "rules"), ("--retry",), ("--all",)),
    "review": ((), ("--accept", "1"), ("--dismiss", "1"), ("--accept", "1", "--memory", "1")),
    "story": ((), ("--json", "-")),
    "undo": (("1",),),
    "unpin": (("1",),),
    "verdicts": ((), ("--turn", "1"), ("--json", "-")),
    "why": ((), ("1",), ("REQUEST",), ("REQUEST", "--all"), ("REQUEST", "--json", "-")),
}  # fmt: skip
OTHERWISE = {"chat", "mcp"}
"""The one needs a model, and reaches the store by the methods of a conversation alone; the other
serves until it is ended, and ``test_isolation_over_mcp`` calls every tool of it."""


def test_every_command_of_one_user_is_called() -> None:
    """A command that comes later has to be added here."""
    context = click.Context(cli._commands)
    found = {
        name for name in cli._commands.list_commands(context)
        if (command := cli._commands.get_command(context, name))
        and any(option.name in ("user", "users") for option in command.params)
    }  # fmt: skip
    assert found == {*COMMANDS, *OTHERWISE}


@pytest.mark.parametrize("user", ["A", "a%", "ab"])
def test_no_command_shows_the_canary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, user: str
) -> None:
    """Neither what it prints nor what it writes, also for a conversation of the same name."""
    store = tmp_path / "m.db"
    with Memory.open(store, counter=COUNTER) as memory:
        with_log(memory, tmp_path)
        before = _all(memory, ("a",))
        (request, *_) = memory.conversation(user="a", id="c").requests()
        memory.conversation(user=user, id="c").observe(user="My value is ZZ-12345-own.")
    log = lines(tmp_path / "log", [{"id": "c", "messages": OTHER}, {"messages": OTHER}])
    for name, calls in COMMANDS.items():
        for number, call in enumerate(calls):
            file = tmp_path / f"{name}-{number}"
            given = [
                {"FILE": str(file), "REQUEST": request.id, "LOG": str(log)}.get(word, word)
                for word in call
            ]
            where = [] if name in ("export", "import") else ["--conversation", "c"]
            cli.run([name, "--store", str(store), "--user", user, *where, *given])
            out = capsys.readouterr()
            assert not SAID.search(out.out + out.err + caplog.text), (name, call)
            if file.exists():
                assert not SAID.search(file.read_text(encoding="utf-8")), (name, call)
    assert (tmp_path / "export-0").exists()
    assert (tmp_path / "forget-4").exists()
    with Memory.open(store, counter=COUNTER) as memory:
        assert before == _all(memory, ("a",))
