"""``palimpsest import`` of chat logs, and ``export`` as them, as a person meets them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from palimpsest import Memory, cli
from tests.support.chat_log_files import dialogue, document, lines, records

SAID = ["I live in Oslo.", "Good.", "One more?", "Yes."]


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALIMPSEST_STORE", str(tmp_path / "m.db"))


def run(capsys: pytest.CaptureFixture[str], *given: object) -> tuple[int, list[str], str]:
    """The exit status, the lines of standard output, standard error."""
    status = cli.run([str(each) for each in given])
    out = capsys.readouterr()
    return status, out.out.splitlines(), out.err


def test_a_log_is_taken_and_read_later(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is in, what comes next, and the second time nothing."""
    path = document(tmp_path / "export", [dialogue("a", SAID), dialogue("b", SAID[:2])])
    expected = [
        f"{path}: export of ChatGPT", "added: 2 conversations",
        "3 turns in the store, to be read by 'palimpsest reflect --all --user me'",
    ]  # fmt: skip
    assert (0, expected, "") == run(capsys, "import", path)
    again = [f"{path}: export of ChatGPT", "was here: 2 conversations", "nothing changed"]
    assert (0, again, "") == run(capsys, "import", path)
    status, read, _ = run(capsys, "reflect", "--all")
    assert (0, ["conversation 'chatgpt/a':", "conversation 'chatgpt/b':"]) == (
        status, [line for line in read if line.startswith("conversation")]
    )  # fmt: skip
    assert "3 turns read of 2 conversations that waited" == read[-1]
    assert (0, ["nothing waits of user 'me'"], "") == run(capsys, "reflect", "--all")


def test_a_dry_run_makes_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what would be taken, and what not, with the place and the reason."""
    made = [*records("s", SAID[:2]), {"type": "summary", "leafUuid": "x", "summary": "y"}]
    path = lines(tmp_path / "log", made)
    status, out, _ = run(capsys, "import", "--dry-run", "--all", path)
    assert 0 == status
    assert [
        f"not taken: {path}:3: a summary that a compaction made: not what anybody said",
        "would be added: conversation 'claude-code/s', 1 turn",
        f"{path}: session of Claude Code", "would be added: 1 conversation",
        "not taken: 1 x summary (a summary that a compaction made: not what anybody said)", "    :3",
        "1 turn would be added; nothing was written",
    ] == out  # fmt: skip
    assert ["log"] == [each.name for each in tmp_path.iterdir()]


def test_damage_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 1, the place, and the rest is in."""
    path = tmp_path / "log"
    path.write_text(json.dumps([dialogue("a", SAID), dialogue("b", SAID)])[:-30])
    status, out, _ = run(capsys, "import", path)
    assert (1, ["added: 1 conversation",
                "could not be read: 1 x truncated (the file ends in the middle of it)",
                "    [1]"]) == (status, out[1:4])  # fmt: skip


def test_pieces_are_given_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the shell lists conversations-000.json and those behind it."""
    pieces = [document(tmp_path / f"conversations-00{i}.json", [dialogue(f"c{i}", SAID)])
              for i in range(3)]  # fmt: skip
    assert 0 == run(capsys, "import", "--user", "ada", *pieces)[0]
    with Memory.open(tmp_path / "m.db") as memory:
        assert ("chatgpt/c0", "chatgpt/c1", "chatgpt/c2") == memory.conversations("ada")


def test_one_file_of_several_that_cannot_be_read_stops_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after a pattern of the shell: what can be taken is, each other is told, status 1; 2 for none."""
    good = [document(tmp_path / f"{name}.json", [dialogue(name, SAID)]) for name in "ac"]
    bad = [tmp_path / "b.json", tmp_path / "d.json"]
    for path in bad:
        path.write_text("Dear diary,\n")
    status, out, err = run(capsys, "import", good[0], bad[0], good[1])
    assert (1, 2) == (status, out.count("added: 1 conversation"))
    assert [True] == [
        line.startswith(f"error: {bad[0]}: is no chat log") for line in err.splitlines()
    ]
    with Memory.open(tmp_path / "m.db") as memory:
        assert ("chatgpt/a", "chatgpt/c") == memory.conversations("me")
    status, out, err = run(capsys, "import", *bad)
    assert (2, [], 2) == (status, out, len(err.splitlines()))


def test_tools_and_branches_can_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And are counted then."""
    made = list(records("s", [*SAID[:2], "Other?"]))
    made[1]["message"]["content"] = [
        {"type": "tool_use", "id": "t", "name": "Read", "input": {}},
        {"type": "tool_result", "tool_use_id": "t", "content": "x"},
        {"type": "text", "text": "Good."},
    ]
    made.append({**made[2], "uuid": "edited", "parentUuid": "s-1",
                 "message": {"role": "user", "content": "Edited?"}})  # fmt: skip
    _, out, _ = run(capsys, "import", "--no-tools", "--no-branches", lines(tmp_path / "log", made))
    assert (
        "not taken: 2 x tool-left-out (a tool call or its result; --no-tools leaves them out)"
        in out
    )
    assert "not taken: 1 x branch-left-out (another branch than the main one; --no-branches)" in out
    with Memory.open(tmp_path / "m.db") as memory:
        (name,) = memory.conversations("me")
        turns = memory.conversation(user="me", id=name).turns()
    assert ["I live in Oslo.", "Edited?"] == [turn.user for turn in turns]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (["log", "--as-user", "eve"], "--as-user 'eve': is for an own export; .*log: export of ChatGPT"),
        (["own", "--user", "eve"], "--user 'eve': .*own is an own export and names its users"),
        (["text"], r"text: is no chat log that is known \(palimpsest, chatgpt, .*--format"),
        (["log", "--format", "codex"], r"log: holds no rollout of Codex \(--format codex\)"),
        (["log", "--format", "palimpsest"], "log:1: is not a JSON object; nothing was imported"),
        (["none"], "File '.*none' does not exist"),
        (["log", "--format", "chatgtp"], "'chatgtp' is not one of 'palimpsest', 'chatgpt'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(
    given: list[str], error: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2, one line that says what would be right, and no store is made."""
    document(tmp_path / "log", [dialogue("a", SAID)])
    (tmp_path / "text").write_text("Dear diary,\n")
    with Memory.open(tmp_path / "other.db") as memory:
        memory.conversation(user="bo", id="x").append(user="Hi.")
        memory.export(tmp_path / "own")
    status, _, err = run(capsys, "import", tmp_path / given[0], *given[1:])
    assert (2, True) == (status, re.search(error, err) is not None), err


def test_an_own_export_can_be_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A dry run takes everything back, and says the same as the run."""
    with Memory.open(tmp_path / "other.db") as memory:
        memory.conversation(user="bo", id="x").append(user="Hi.", assistant="Yo.")
        memory.export(tmp_path / "own")
    status, out, _ = run(capsys, "import", "--dry-run", tmp_path / "own")
    assert (0, "would be added: conversation 'x' of user 'bo'") == (status, out[0])
    assert not (tmp_path / "m.db").exists()
    status, out, _ = run(capsys, "import", tmp_path / "own")
    assert (0, "added: conversation 'x' of user 'bo'") == (status, out[0])


def test_a_transcript_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a line for everything that the shape has no place for."""
    run(capsys, "observe", "Hi.", "Yo.")
    status, out, _ = run(capsys, "export", "--format", "sharegpt", tmp_path / "s.json")
    assert (0, [f"1 conversations are in {tmp_path / 's.json'}, with 2 messages",
                "left out: 1 x times (turns whose time has no place)"]) == (status, out)  # fmt: skip
