"""Damaged, hostile and unusual files: the fault is named, what is whole is taken."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.errors import InputError
from tests.support.chat_log_files import chatgpt, dialogue, document, lines, node, records
from tests.support.log_imports import everything, read, reasons, taken, words

SAID = ["One?", "Two."]
ONE = [("user", "One?"), ("assistant", "Two.")]


def left(path: Path, tmp_path: Path) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What of a file is taken, and what is not with its place behind the file's name."""
    with Memory.open(tmp_path / "m.db") as memory:
        done, _ = taken(memory, path)
        places = [(r, p.removeprefix(str(path))) for r, all_ in done.examples.items() for p in all_]
        return everything(memory), sorted(places)


def test_a_truncated_array_gives_what_is_whole(tmp_path: Path) -> None:
    """The conversation in which the file ends is named by its place."""
    whole = json.dumps([dialogue("a", SAID), dialogue("b", SAID)])
    path = tmp_path / "c.json"
    path.write_text(whole[: len(whole) - 40])
    assert ({"chatgpt/a": [ONE]}, [("truncated", "[1]")]) == left(path, tmp_path)


def test_a_fault_inside_an_array_names_what_is_lost(tmp_path: Path) -> None:
    """Nothing tells where the next one begins, so all behind it is lost, and said to be."""
    whole = json.dumps([dialogue("a", SAID), dialogue("b", SAID), dialogue("c", SAID)])
    path = tmp_path / "c.json"
    path.write_text(whole.replace('"id": "b"', '"id"; "b"', 1))
    expected = [("not-json", "[1] and all behind it")]
    assert ({"chatgpt/a": [ONE]}, expected) == left(path, tmp_path)


def test_a_line_that_is_not_json_is_left_alone(tmp_path: Path) -> None:
    """The lines around it are taken; a last line without an end is a file that was cut."""
    made = list(records("s", [*SAID, "Three?", "Four."]))
    text = "\n".join(map(json.dumps, made))
    path = tmp_path / "s.jsonl"
    path.write_text(text.replace("\n", "\n{broken\n[1]\n", 1)[:-20])
    found, places = left(path, tmp_path)
    assert {"claude-code/s": [ONE, [("user", "Three?")]]} == found
    assert [("not-json", ":2"), ("truncated", ":6"), ("wrong-shape", ":3")] == places


def test_marks_ends_and_odd_characters_are_read(tmp_path: Path) -> None:
    """A byte order mark, CRLF, NUL, half characters, bytes that are no UTF-8."""
    odd = ["a\u0000b \ud83d half", "na\u00efve \U0001f600 \ufeff"]
    path = tmp_path / "c.json"
    path.write_bytes(
        b"\xef\xbb\xbf" + json.dumps([dialogue("a", odd)], indent=1).replace("\n", "\r\n").encode()
        .replace(b"half", b"h\xff lf")
    )  # fmt: skip
    found, places = left(path, tmp_path)
    assert {"chatgpt/a": [[("user", "a\u0000b \ufffd h\ufffd lf"), ("assistant", odd[1])]]} == found
    assert [("half-character", "[0] a/n0")] == places


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"), (b" \n ", "is empty"), (b"hello\n", "is no chat log that is known"),
        (b"\xff\xfe[\x00", "is UTF-16; save it as UTF-8"), (b"[]", "is no chat log"),
        (b"[" * 100_000, "is no chat log"), (b'{"a":' * 100_000, "is no chat log"),
        (b"[1, 2", "is no chat log"), (b"\x89PNG\r\n\x1a\n" + bytes(5000), "is no chat log"),
        (b"9" * 10_000, "is no chat log"), (b"PK\x03\x04 no archive", "is no chat log"),
    ],
)  # fmt: skip
def test_what_is_no_log_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    """With the name of the file, whatever it holds."""
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"file: {message}"):
        read(path)


def test_circles_and_missing_parents_end_the_way(tmp_path: Path) -> None:
    """Both are named, and the words on the way are kept."""
    tree = chatgpt(
        "t",
        [
            node("a", "b", "user", "One?"), node("b", "a", "assistant", "Two."),
            node("c", "b", "user", "Three?"), node("x", "nowhere", "user", "Lost?"),
            node("me", "me", "user", "Myself."),
        ],
        current_node="c",
    )  # fmt: skip
    found, places = left(document(tmp_path / "t.json", [tree]), tmp_path)
    assert [
        ("cycle", "[0] t/a"), ("cycle", "[0] t/me"), ("missing-parent", "[0] t/x"),
        *(("no-time", f"[0] t/{id}") for id in ("a", "c", "me", "x")),
    ] == places  # fmt: skip
    assert [ONE, [("user", "Three?")]] == found["chatgpt/t"]
    assert [[("user", "Myself.")]] == found["chatgpt/t~3"]
    assert [[("user", "Lost?")]] == found["chatgpt/t~2"]


def test_branches_without_number_are_bounded(tmp_path: Path) -> None:
    """A comb of a thousand forks gives 64 ways, and says how many are left."""
    nodes = [node("n0", None, "user", "Start?")]
    for i in range(1000):
        nodes.append(node(f"a{i}", nodes[-1]["id"], "assistant", f"Answer {i}"))
        nodes.append(node(f"b{i}", f"a{i}", "user", f"Left {i}"))
        nodes.append(node(f"u{i}", f"a{i}", "user", f"Right {i}"))
    with Memory.open(tmp_path / "m.db") as memory:
        done, _ = taken(memory, document(tmp_path / "t.json", [chatgpt("t", nodes)]))
    assert {"added": 1, "branch": 63} == done.fates
    assert 1001 - 64 == done.left["too-many-branches"]


def test_a_conversation_kept_out_of_memory_stays_out(tmp_path: Path) -> None:
    """The user had said so there."""
    path = document(tmp_path / "c.json", [dialogue("a", SAID) | {"is_do_not_remember": True}])
    assert ({}, [("do-not-remember", "[0]")]) == left(path, tmp_path)


def test_an_archive_is_read_where_it_stands(tmp_path: Path) -> None:
    """All its pieces, in order; nothing is unpacked, and other files are not looked at."""
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/conversations-001.json", json.dumps([dialogue("b", SAID)]))
        archive.writestr("in/conversations-000.json", json.dumps([dialogue("a", SAID)]))
        archive.writestr("../../evil.json", "[")
        archive.writestr("chat.html", "<html>")
    found, places = left(path, tmp_path)
    assert (["chatgpt/a", "chatgpt/b"], []) == (list(found), places)
    assert ["export.zip", "m.db"] == sorted(each.name for each in tmp_path.iterdir())


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    """Also one that is damaged, at the member that is."""
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("photo.txt", "x")
    with pytest.raises(InputError, match=r"other\.zip: is an archive without a file named"):
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps([dialogue("a", SAID * 50)]))
    path.write_bytes(path.read_bytes().replace(b"One?", b"Oned", 3))
    with pytest.raises(InputError, match=r"other\.zip:conversations\.json: cannot be read .*CRC"):
        read(path)


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    """It names the file inside, and what to do."""
    path = tmp_path / "locked.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", "[]")
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"conversations\.json: is encrypted; unpack it first"):
        read(path)


def test_faults_show_no_words(tmp_path: Path) -> None:
    """A place is a file, a number or a name of the source."""
    path = tmp_path / "c.json"
    path.write_text(json.dumps([dialogue("a", ["SECRET"])]) + ' {"SECRET": SECRET')
    with Memory.open(tmp_path / "m.db") as memory:
        _, told = taken(memory, path)
    assert "SECRET" not in repr(told)


def test_work_of_tools_stays_with_its_call(tmp_path: Path) -> None:
    """Calls and results in pairs; what stands alone or was never ended is left and named."""
    blocks: list[Any] = [
        [{"type": "text", "text": "Looking."}, {"type": "tool_use", "id": "t1", "name": "Read",
                                                "input": {"path": "a\ud800"}}],
        [{"type": "tool_use", "id": "t2", "name": "Read", "input": {}}],
        [{"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "B"}]}],
        [{"type": "tool_result", "tool_use_id": "t1", "content": "A"}],
        [{"type": "tool_result", "tool_use_id": "t9", "content": "?"}],
        [{"type": "text", "text": "Both read."}, {"type": "tool_use", "id": "t3", "name": "Write",
                                                  "input": {}}],
    ]  # fmt: skip
    roles = ["assistant", "assistant", "user", "user", "user", "assistant"]
    # Results hang on their own calls: in the tree of the file they stand beside one another.
    parents = ["q", "r0", "r1", "r0", "r0", "r3"]
    made = [{"type": "user", "uuid": "q", "sessionId": "s", "message": {"content": "Read both."}}]
    made += [{"type": role, "uuid": f"r{i}", "parentUuid": parent, "sessionId": "s",
              "message": {"content": content}}
             for i, (role, parent, content) in enumerate(zip(roles, parents, blocks, strict=True))]  # fmt: skip
    path = lines(tmp_path / "s.jsonl", made)
    _, (talk,), _ = read(path)
    expected = [
        ("user", "Read both."), ("assistant", "Looking."), ("assistant", ""), ("assistant", ""),
        ("tool", "B"), ("tool", "A"), ("assistant", "Both read."),
    ]  # fmt: skip
    assert [[expected]] == words(talk)
    assert {"half-character": 1} == reasons(talk)
    assert [[[pair for pair in expected if pair[1] and pair[0] != "tool"]]] == words(
        talk, tools=False
    )
    _, places = left(path, tmp_path)
    assert {"result-without-call", "unfinished-call", "half-character", "no-time"} == {
        reason for reason, _ in places
    }


def test_words_whose_answer_was_never_finished_go_on_with_the_next(tmp_path: Path) -> None:
    """No turn in the middle waits for an answer that never comes."""
    made = list(records("s", ["One?", "", "Three?", "Four."]))
    made[1]["message"]["content"] = [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]
    found, places = left(lines(tmp_path / "s.jsonl", made), tmp_path)
    expected = [("user", "One?"), ("user", "Three?"), ("assistant", "Four.")]
    assert ({"claude-code/s": [expected]}, ["unfinished-call"]) == (found, [places[0][0]])


@pytest.mark.parametrize("by_line", [False, True])
def test_bare_messages_are_one_conversation(by_line: bool, tmp_path: Path) -> None:
    """An array of messages, or a message a line; what is none is named."""
    said = [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "Two."}, 7]
    path = tmp_path / "m"
    (lines if by_line else document)(path, said)
    found, places = left(path, tmp_path)
    assert {"openai/1": [ONE]} == found
    assert ("wrong-shape", ":3" if by_line else "[2]") in places
