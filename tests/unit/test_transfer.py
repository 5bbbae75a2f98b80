"""Export and import: loss-free, idempotent, whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from palimpsest import Memory
from palimpsest.errors import InputError, NotFound
from palimpsest.store import transfer_tables as tables
from tests.support.histories import Step, histories, played

VALUE = "P1234567-KX"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Two users, two conversations, a correction, a request and a reading."""
    with Memory.open(tmp_path / "m.db") as held:
        for name in ("trip", "work"):
            talk = held.conversation(user="ada", id=name)
            talk.observe(user=f"I live in Oslo, for {name}.", assistant="Good.")
            talk.reflect()
        talk.remember(f"My passport is {VALUE}.", attribute="passport", value=VALUE)
        talk.correct("My passport is Q7654321.", attribute="passport")
        held.conversation(user="bob", id="trip").append(user="Hello.", assistant="Hi.")
        yield held


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_table_is_exported_or_derived(tmp_path: Path) -> None:
    """A table that a newer schema adds must be sorted into one of the two, not lost."""
    with Memory.open(tmp_path / "m.db") as held, held._store.reading():
        rows = held._store._db.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    found = {name for (name,) in rows}

    assert found == {*tables.EXPORTED, *tables.OWNED, *tables.DERIVED}


def test_what_is_exported_comes_back(memory: Memory, tmp_path: Path) -> None:
    """An export of the import is the same file, byte for byte."""
    memory.export(tmp_path / "a.jsonl")
    with Memory.open(tmp_path / "n.db") as other:
        done = other.import_file(tmp_path / "a.jsonl")
        other.export(tmp_path / "b.jsonl")

    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert [("ada", "trip"), ("ada", "work"), ("bob", "trip")] == done.added


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=histories(40))
def test_any_history_comes_back(
    steps: list[Step], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever was said, corrected and forgotten, in whatever characters."""
    folder = tmp_path_factory.mktemp("moved")
    with Memory.open(folder / "m.db") as held:
        played(held, steps, tools=True)
        if not held._store.users():
            return
        held.export(folder / "a.jsonl")
        # What was forgotten is known again by a key that no export holds.
        if (folder / "m.db.key").exists():
            shutil.copy(folder / "m.db.key", folder / "n.db.key")
        with Memory.open(folder / "n.db") as other:
            other.import_file(folder / "a.jsonl")
            other.export(folder / "b.jsonl")
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()


def forgetful(folder: Path) -> Path:
    """An export of a conversation in which a PIN was forgotten."""
    with Memory.open(folder / "m.db") as held:
        talk = held.conversation(user="ada", id="trip")
        talk.append(user="My PIN is 4417.", assistant="Noted.")
        talk.remember("My PIN is 4417.", attribute="pin", turn=1)
        talk.forget(attribute="pin")
        held.export(folder / "a.jsonl")
    return folder / "a.jsonl"


def test_records_of_deletions_need_their_key(tmp_path: Path) -> None:
    """Without it, with another one, or under another name they would know nothing again."""
    file = forgetful(tmp_path)
    with Memory.open(tmp_path / "n.db") as other:
        with pytest.raises(InputError, match=r"a\.jsonl:\d+: the key .* is not at .*n\.db\.key"):
            other.import_file(file)
        with pytest.raises(InputError, match="cannot become 'eve'; import the file without"):
            other.import_file(file, as_user="eve")
        assert () == other._store.users()


def test_forgotten_stays_forgotten_in_the_store_that_took_it_over(tmp_path: Path) -> None:
    """With the key the new store knows the value again, in every form."""
    file = forgetful(tmp_path)
    shutil.copy(tmp_path / "m.db.key", tmp_path / "n.db.key")
    with Memory.open(tmp_path / "n.db") as other:
        other.import_file(file)
        talk = other.conversation(user="ada", id="trip")
        talk.append(user="What was it?", assistant="It was 44 17, I think.")
        assert "It was , I think." == talk.turns()[1].assistant
        assert [1] == [record.values for record in talk.deletions()]


def test_an_imported_memory_is_recalled(memory: Memory, tmp_path: Path) -> None:
    """The full-text rows are made anew: what was found by its words is found again."""
    memory.export(tmp_path / "a.jsonl")
    with Memory.open(tmp_path / "n.db") as other:
        other.import_file(tmp_path / "a.jsonl")
        scope = other.conversation(user="ada", id="work").scope
        expected = memory._store.lexical.search(scope, "Which passport?")
        actual = other._store.lexical.search(scope, "Which passport?")

    assert len(expected) == 1
    assert expected.keys() == actual.keys()


def test_a_second_import_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    """The same file again finds everything here."""
    memory.export(tmp_path / "a.jsonl")

    done = memory.import_file(tmp_path / "a.jsonl")

    assert ([], 3, 0) == (done.added, len(done.known), done.rows)


def test_an_old_file_brings_nothing_back(memory: Memory, tmp_path: Path) -> None:
    """What was forgotten after the export stays forgotten."""
    memory.export(tmp_path / "a.jsonl")
    memory.conversation(user="ada", id="work").forget(attribute="passport")

    memory.import_file(tmp_path / "a.jsonl")

    assert () == memory.audit("Q7654321").rows


def test_one_user_alone(memory: Memory, tmp_path: Path) -> None:
    """An export for one person holds nothing of another."""
    memory.export(tmp_path / "bob.jsonl", users=["bob"])

    users = {line.get("user") for line in _lines(tmp_path / "bob.jsonl")[1:]}
    assert {"bob"} == users


def test_an_unknown_user_is_named(memory: Memory, tmp_path: Path) -> None:
    """A mistyped name makes no file."""
    with pytest.raises(NotFound, match="'ada', 'bob'"):
        memory.export(tmp_path / "x.jsonl", users=["bbo"])

    assert [] == [path for path in tmp_path.iterdir() if "x.jsonl" in path.name]


def test_a_user_under_another_name(memory: Memory, tmp_path: Path) -> None:
    """A file can be taken over for somebody new, beside the one it came from."""
    memory.export(tmp_path / "ada.jsonl", users=["ada"])

    done = memory.import_file(tmp_path / "ada.jsonl", as_user="eve")

    assert [("eve", "trip"), ("eve", "work")] == done.added
    texts = [row.text for row in memory.conversation(user="eve", id="work").current()]
    assert "My passport is Q7654321." in texts


def test_ids_of_another_conversation_are_refused(memory: Memory, tmp_path: Path) -> None:
    """Ids count per user: a foreign row must not take the place of one that is here."""
    with Memory.open(tmp_path / "n.db") as other:
        other.conversation(user="ada", id="other").remember("I like figs.")
        memory.export(tmp_path / "a.jsonl")
        with pytest.raises(InputError, match="--as-user"):
            other.import_file(tmp_path / "a.jsonl")

        assert ("ada",) == other._store.users()
        assert [] == list(other.conversation(user="ada", id="trip").turns())


def test_a_conversation_that_went_on_elsewhere_is_refused(memory: Memory, tmp_path: Path) -> None:
    """A file that knows more of a conversation than the store is not half taken over."""
    memory.export(tmp_path / "a.jsonl")
    with Memory.open(tmp_path / "n.db") as other:
        other.import_file(tmp_path / "a.jsonl")
        memory.conversation(user="bob", id="trip").append(user="More.", assistant="Yes.")
        memory.export(tmp_path / "c.jsonl")
        with pytest.raises(InputError, match="is here already and has no such turn 2"):
            other.import_file(tmp_path / "c.jsonl")


def test_the_file_is_its_owners_alone(memory: Memory, tmp_path: Path) -> None:
    """All that was ever said is in it."""
    memory.export(tmp_path / "a.jsonl")

    assert 0o600 == stat.S_IMODE(os.stat(tmp_path / "a.jsonl").st_mode)


def test_the_audit_knows_the_file(memory: Memory, tmp_path: Path) -> None:
    """A forget cannot reach into an export; the audit finds it there."""
    memory.export(tmp_path / "a.jsonl")
    memory.conversation(user="ada", id="work").forget(attribute="passport")

    found = memory.audit("Q7654321")

    assert {str(tmp_path / "a.jsonl")} == {finding.path for finding in found.findings}


BAD = {
    "empty": "",
    "not ours": '{"hello": 1}\n',
    "newer": '{"format": "palimpsest export", "schema": 99}\n',
    "other policy": '{"format": "palimpsest export", "schema": 1, "policy": "append-only"}\n',
}
HEAD = '{"format": "palimpsest export", "schema": 1, "policy": "managed"}\n'
CONVERSATION = (
    '{"table": "conversations", "user": "u", "name": "c", "last_turn": 0, "created_at": "x"}\n'
)
BAD_LINES = {
    "not JSON": "{",
    "deep": "[" * 100_000,
    "a list": "[1]",
    "no table": "{}",
    "a table of SQLite": '{"table": "sqlite_master", "user": "u"}',
    "the settings of the file": '{"table": "meta", "user": "u", "key": "salt", "value": "0"}',
    "no user": '{"table": "turns", "conversation": "c"}',
    "a blank user": '{"table": "conversations", "user": " ", "name": "c"}',
    "an unknown conversation": '{"table": "turns", "user": "u", "conversation": "d"}',
    "an unknown column": '{"table": "turns", "user": "u", "conversation": "c", "x": 1}',
    "SQL in a column": '{"table": "turns", "user": "u", "conversation": "c", "number) --": 1}',
    "a wrong type": (
        '{"table": "turns", "user": "u", "conversation": "c", "number": "one", '
        '"messages": "[]", "open": 0, "created_at": "x"}'
    ),
    "a missing column": '{"table": "turns", "user": "u", "conversation": "c", "number": 1}',
    "half a surrogate pair": '{"table": "stories", "user": "u", "conversation": "c", '
    '"summary": "\\ud800"}',
    "a list for a text": '{"table": "stories", "user": "u", "conversation": "c", "summary": [1]}',
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_export_is_refused(kind: str, memory: Memory, tmp_path: Path) -> None:
    """The first line says what a file is."""
    path = tmp_path / "bad.jsonl"
    path.write_text(BAD[kind])

    with pytest.raises(InputError, match=r"bad\.jsonl:1"):
        memory.import_file(path)


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_bad_line_takes_everything_back(kind: str, memory: Memory, tmp_path: Path) -> None:
    """The error names the line, and not even the good lines before it stay."""
    path = tmp_path / "bad.jsonl"
    path.write_text(HEAD + CONVERSATION + BAD_LINES[kind] + "\n")

    with pytest.raises(InputError, match=r"bad\.jsonl:3: .*nothing was imported"):
        memory.import_file(path)

    assert ("ada", "bob") == memory._store.users()


def test_a_backup_is_the_store(memory: Memory, tmp_path: Path) -> None:
    """A backup opens as a store with the same rows, and is its owner's alone."""
    memory.backup(tmp_path / "b.db")
    memory.export(tmp_path / "a.jsonl")
    with Memory.open(tmp_path / "b.db") as copy:
        copy.export(tmp_path / "c.jsonl")

    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "c.jsonl").read_bytes()
    assert 0o600 == stat.S_IMODE(os.stat(tmp_path / "b.db").st_mode)


def test_a_backup_replaces_nothing(memory: Memory, tmp_path: Path) -> None:
    """An older backup is never written over."""
    (tmp_path / "b.db").write_text("precious")

    with pytest.raises(InputError, match="is there already"):
        memory.backup(tmp_path / "b.db")

    assert "precious" == (tmp_path / "b.db").read_text()


def test_a_long_conversation_is_written_a_few_turns_at_a_time(tmp_path: Path) -> None:
    """The memory that an export and an import take does not grow with the conversation."""
    with Memory.open(tmp_path / "m.db") as held:
        talk = held.conversation(user="ada", id="long")
        for number in range(1_500):
            talk.append(user=f"{number} " + "word " * 4_000, assistant="Ok.")
        peaks = []
        tracemalloc.start()
        try:
            held.export(tmp_path / "out.jsonl")
            peaks.append(tracemalloc.get_traced_memory()[1])
            with Memory.open(tmp_path / "new.db") as other:
                tracemalloc.reset_peak()
                other.import_file(tmp_path / "out.jsonl")
                peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()

    assert (tmp_path / "out.jsonl").stat().st_size > 30_000_000
    assert max(peaks) < 15_000_000, peaks


def test_a_place_may_be_a_text(tmp_path: Path) -> None:
    """As where a memory is opened: every file may be named by its path as a text."""
    with Memory.open(str(tmp_path / "m.db")) as memory:
        memory.conversation(user="u", id="c").append(user="Hello.", assistant="Hello.")
        memory.backup(str(tmp_path / "copy.db"))
        assert memory.export(str(tmp_path / "all.jsonl")) > 0
        memory.import_file(str(tmp_path / "all.jsonl"))

    assert (tmp_path / "copy.db").exists()
