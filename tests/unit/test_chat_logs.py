"""Chat logs that come once, again, longer, shorter and edited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.errors import InputError
from palimpsest.types import Scope
from tests.support.chat_log_files import chatgpt, dialogue, document, lines, node, records
from tests.support.log_imports import everything, said, taken

SAID = ["I live in Oslo.", "Good.", "I meet Ana tonight.", "Enjoy."]
TURNS = [[("user", "I live in Oslo."), ("assistant", "Good.")],
         [("user", "I meet Ana tonight."), ("assistant", "Enjoy.")]]  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty store."""
    with Memory.open(tmp_path / "m.db") as held:
        yield held


def export(path: Path, *talks: Sequence[str], names: Sequence[str] = "abcdefgh") -> Path:
    """An export of ChatGPT with these conversations."""
    made = [dialogue(name, said) for name, said in zip(names, talks, strict=False)]
    return document(path / "conversations.json", made)


def test_a_log_becomes_conversations_with_their_times(memory: Memory, tmp_path: Path) -> None:
    """Each turn is dated as its source dates its first message."""
    done, _ = taken(memory, export(tmp_path, SAID, ["Hi."]))
    scope = Scope(user="me", conversation="chatgpt/a")
    assert {"chatgpt/a": TURNS, "chatgpt/b": [[("user", "Hi.")]]} == everything(memory)
    assert ({"added": 2}, 3, {}) == (done.fates, done.turns, done.left)
    assert ["2023-11-14T22:13:20.000000+00:00", "2023-11-14T22:15:20.000000+00:00"] == [
        memory._store.turns.said_at(scope, number) for number in (1, 2)
    ]


def test_the_turns_wait_and_tonight_ended_then(memory: Memory, tmp_path: Path) -> None:
    """The import reads nothing; a later reading counts from when it was said."""
    taken(memory, export(tmp_path, SAID))
    talk = memory.conversation(user="me", id="chatgpt/a")
    assert ((), ["pending"] * 2) == (talk.visible(), [r.status for r in talk.reflections()])
    assert ("chatgpt/a",) == memory.waiting("me")
    talk.reflect(extractor="rules")
    ends = {memory.text: memory.valid_until for memory in talk.visible()}
    assert {"I live in Oslo.": None, "I meet Ana tonight.": "2023-11-15T06:00:00+00:00"} == ends
    assert () == memory.waiting("me")


def test_a_second_import_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    """Not a row: an export of the store is the same file."""
    path = export(tmp_path, SAID, ["Hi."])
    taken(memory, path)
    memory.export(tmp_path / "before.jsonl")
    done, _ = taken(memory, path)
    memory.export(tmp_path / "after.jsonl")
    assert ({"known": 2}, 0) == (done.fates, done.turns)
    assert (tmp_path / "before.jsonl").read_bytes() == (tmp_path / "after.jsonl").read_bytes()


@pytest.mark.parametrize("known", [1, 2, 3])
def test_a_log_that_grew_adds_what_is_new(known: int, memory: Memory, tmp_path: Path) -> None:
    """Whole turns, and the answer to a turn that waited for one; then it is read again."""
    taken(memory, export(tmp_path, SAID[:known]))
    memory.conversation(user="me", id="chatgpt/a").reflect(extractor="rules")
    done, _ = taken(memory, export(tmp_path, SAID))
    assert ({"grown": 1}, {"chatgpt/a": TURNS}) == (done.fates, everything(memory))
    again, _ = taken(memory, export(tmp_path, SAID[:known]))
    assert {"known": 1} == again.fates
    (scope,) = {memory.scope for memory in _reflected(memory)}
    assert "2023-11-14T22:15:20.000000+00:00" == memory._store.turns.said_at(scope, 2)


def _reflected(memory: Memory) -> Sequence[object]:
    talk = memory.conversation(user="me", id="chatgpt/a")
    talk.reflect(extractor="rules")
    assert 2 == len(talk.visible())
    return talk.visible()


def test_an_edited_log_makes_a_branch(memory: Memory, tmp_path: Path) -> None:
    """What was there stays, and both are one family for whatever is forgotten later."""
    taken(memory, export(tmp_path, SAID))
    done, _ = taken(memory, export(tmp_path, [*SAID[:2], "I meet Bo tomorrow.", "Fine."]))
    assert ({"branch": 1}, 1) == (done.fates, done.turns)
    assert TURNS == said(memory, "chatgpt/a")
    assert [TURNS[0], [("user", "I meet Bo tomorrow."), ("assistant", "Fine.")]] == said(
        memory, "chatgpt/a~2"
    )
    scope = Scope(user="me", conversation="chatgpt/a~2")
    origin = memory._store.origins.of(scope)
    assert origin is not None
    assert ("chatgpt", "a") == (origin.format, origin.source)
    family = memory._store.branches.family(scope)
    assert ["chatgpt/a~2", "chatgpt/a"] == [place.conversation for place in family]
    again, _ = taken(memory, export(tmp_path, SAID))
    assert {"known": 1} == again.fates


def test_a_conversation_that_went_on_here_is_left_alone(memory: Memory, tmp_path: Path) -> None:
    """The log that went on elsewhere becomes a branch."""
    taken(memory, export(tmp_path, SAID[:2]))
    memory.conversation(user="me", id="chatgpt/a").append(user="Here.", assistant="There.")
    done, _ = taken(memory, export(tmp_path, SAID))
    assert {"branch": 1} == done.fates
    assert [TURNS[0], [("user", "Here."), ("assistant", "There.")]] == said(memory, "chatgpt/a")
    assert TURNS == said(memory, "chatgpt/a~2")


def test_each_branch_of_a_tree_is_a_conversation(memory: Memory, tmp_path: Path) -> None:
    """The way of the current node is the main one; a way inside another one is none."""
    tree = chatgpt(
        "t",
        [
            node("root", None), node("u1", "root", "user", "One?"),
            node("a1", "u1", "assistant", "First."), node("a2", "u1", "assistant", "Second."),
            node("u2", "a2", "user", "Two?"), node("empty", "a1", "assistant", " "),
        ],
        current_node="u2",
    )  # fmt: skip
    done, _ = taken(memory, document(tmp_path / "t.json", [tree]))
    assert {"added": 1, "branch": 1} == done.fates
    assert [[("user", "One?"), ("assistant", "Second.")], [("user", "Two?")]] == said(
        memory, "chatgpt/t"
    )
    assert [[("user", "One?"), ("assistant", "First.")]] == said(memory, "chatgpt/t~2")
    again, _ = taken(memory, document(tmp_path / "t.json", [tree]))
    assert {"known": 2} == again.fates


def test_a_log_without_names_is_known_by_its_words(memory: Memory, tmp_path: Path) -> None:
    """Two that begin alike are two; the file in another order, and longer, adds what is new."""
    first = {
        "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Yo."}]
    }
    other = {"messages": [*first["messages"], {"role": "user", "content": "A?"}]}
    third = {"messages": [*first["messages"], {"role": "user", "content": "B?"}]}
    done, _ = taken(memory, lines(tmp_path / "a.jsonl", [other, third, other]))
    assert {"added": 2, "known": 1} == done.fates
    longer = {"messages": [*third["messages"], {"role": "assistant", "content": "C."}]}
    done, _ = taken(memory, lines(tmp_path / "b.jsonl", [longer, first, other]))
    assert {"grown": 1, "known": 2} == done.fates
    assert ("openai/1", "openai/2") == memory.conversations("me")


def test_two_users_share_nothing(memory: Memory, tmp_path: Path) -> None:
    """The same log is new to each."""
    path = export(tmp_path, SAID)
    memory.import_log(path, user="ada")
    done = memory.import_log(path, user="bo")
    assert {"added": 1} == done.fates
    assert everything(memory, user="ada") == everything(memory, user="bo")


def test_a_dry_run_says_what_a_run_does_and_writes_nothing(memory: Memory, tmp_path: Path) -> None:
    """Fates, turns and what is left are the same; the store is as it was."""
    taken(memory, export(tmp_path, SAID[:2]))
    tree = chatgpt("b", [node("u", None, "user", "?"), node("x", "u", "assistant", "1"),
                         node("y", "u", "assistant", "2")])  # fmt: skip
    path = document(tmp_path / "c.json", [dialogue("a", SAID), tree, dialogue("c", ["Hi."])])
    memory.export(tmp_path / "before.jsonl")
    tried, _ = taken(memory, path, dry_run=True)
    memory.export(tmp_path / "after.jsonl")
    done, _ = taken(memory, path)
    assert (done.fates, done.turns, done.left) == (tried.fates, tried.turns, tried.left)
    assert (tmp_path / "before.jsonl").read_bytes() == (tmp_path / "after.jsonl").read_bytes()


def test_an_own_export_keeps_origins_and_times(memory: Memory, tmp_path: Path) -> None:
    """In the store that took it over the same log changes nothing, and the file is the same."""
    path = export(tmp_path, SAID)
    taken(memory, path)
    taken(memory, export(tmp_path, [*SAID[:2], "Edited.", "Yes."]))
    memory.export(tmp_path / "a.jsonl")
    with Memory.open(tmp_path / "n.db") as other:
        other.import_file(tmp_path / "a.jsonl")
        done, _ = taken(other, path)
        other.export(tmp_path / "b.jsonl")
    assert {"known": 1} == done.fates
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_the_export_of_this_program_is_no_chat_log(memory: Memory, tmp_path: Path) -> None:
    """It goes through import_file, which knows its users."""
    memory.conversation(user="me", id="x").append(user="Hi.")
    memory.export(tmp_path / "a.jsonl")
    with pytest.raises(InputError, match="is an export of palimpsest and no chat log"):
        memory.import_log(tmp_path / "a.jsonl", user="me")


def test_a_conversation_of_that_name_is_not_touched(memory: Memory, tmp_path: Path) -> None:
    """What was not imported keeps its name."""
    memory.conversation(user="me", id="chatgpt/a").append(user="Mine.")
    done, _ = taken(memory, export(tmp_path, SAID))
    assert {"added": 1} == done.fates
    assert [[("user", "Mine.")]] == said(memory, "chatgpt/a")
    assert TURNS == said(memory, "chatgpt/a~2")


def test_sessions_that_stand_in_one_file_are_told_apart(memory: Memory, tmp_path: Path) -> None:
    """Line by line in turn; each is one conversation."""
    one, two = (list(records(name, SAID)) for name in ("one", "two"))
    mixed = [record for pair in zip(one, two, strict=True) for record in pair]
    done, _ = taken(memory, lines(tmp_path / "s.jsonl", mixed))
    assert {"added": 2} == done.fates
    assert {"claude-code/one": TURNS, "claude-code/two": TURNS} == everything(memory)


@pytest.mark.parametrize("by_line", [False, True])
def test_progress_goes_through_every_byte(by_line: bool, memory: Memory, tmp_path: Path) -> None:
    """Upwards, in both readings of a file of sessions, and to its end."""
    words = ["word " * 500] * 20
    path = tmp_path / "log"
    if by_line:
        lines(path, [each for i in range(60) for each in records(f"s{i}", words)])
    else:
        document(path, [dialogue(f"c{i}", words) for i in range(60)])
    seen: list[tuple[int, int]] = []
    memory.import_log(path, user="me", progress=lambda at, of: seen.append((at, of)))
    size = path.stat().st_size * (2 if by_line else 1)
    assert ((size, size), True) == (seen[-1], len(seen) > 2)
    assert seen == sorted(seen)
