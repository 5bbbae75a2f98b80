"""Every published fixture of a chat log is read, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.errors import InputError
from tests.support.log_imports import everything, read, reasons, taken, words

CLAIM = [[("user", "Prove the parser claim."),
          ("assistant", "The production route parsed this witness.")]]  # fmt: skip
HINTED = [[("user", "Prove the Drive-hinted parser claim."),
           ("assistant", "The Drive-hinted production route parsed this witness.")]]  # fmt: skip
ASKED = [[("user", "Prove the parser claim.")]]
ORIGINS = {
    "aistudio-drive-hinted.json": ("aistudio", HINTED),
    "aistudio-drive.json": ("aistudio", CLAIM),
    "chatgpt-export.json": ("chatgpt", ASKED),
    "claude-ai-export.json": ("claude", ASKED),
    "claude-code-session.jsonl": ("claude-code", CLAIM),
    "claude-design-session.json": ("claude-design", ASKED),
    "codex-session.jsonl": ("codex", CLAIM),
    "gemini-cli-session.json": ("gemini-cli", CLAIM),
    "grok-export.json": ("grok", CLAIM),
}
REFUSED = {"antigravity-session.json", "hermes-session.jsonl"}


@pytest.fixture(scope="session")
def fixtures(shared: Path) -> Path:
    """The published fixtures."""
    place = shared / "data" / "import-formats"
    if not place.is_dir():
        pytest.skip(f"NOT CHECKED against the published fixtures: {place} is missing")
    return place


@pytest.mark.parametrize("name", ORIGINS)
def test_a_fixture_of_each_origin_is_recognised_and_read(name: str, fixtures: Path) -> None:
    """By what stands in it; roles, words and order as the source has them."""
    format, talks, left = read(fixtures / "origin-capability" / name)
    assert (ORIGINS[name][0], 1, []) == (format, len(talks), left)
    assert [ORIGINS[name][1]] == words(talks[0])


def test_no_fixture_is_forgotten(fixtures: Path) -> None:
    """One that comes later has to be added above."""
    there = {path.name for path in (fixtures / "origin-capability").iterdir()}
    assert there == ORIGINS.keys() | REFUSED


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_not_known_is_refused_with_what_is(name: str, fixtures: Path) -> None:
    """The error names the file and every format."""
    with pytest.raises(InputError, match=rf"{name}: is no chat log that is known .*chatgpt"):
        read(fixtures / "origin-capability" / name)


@pytest.mark.parametrize("name", ["native-conversation-v1.json", "native-browser-capture-v1.json"])
def test_a_tree_of_chatgpt_has_its_active_way_and_its_branch(name: str, fixtures: Path) -> None:
    """The way of the current node comes first; a capture of it is the same conversation."""
    format, (talk,), left = read(fixtures / "chatgpt" / name)
    asked = ("user", "Analyze the attached fixture and create an artifact.")
    active, inactive = words(talk)
    assert ("chatgpt", [], "Privacy-safe ChatGPT native fixture") == (format, left, talk.title)
    assert [[asked, ("assistant", "Superseded answer.")]] == inactive
    assert asked == active[0][0]
    assert active[0][1][1].startswith("Final answer.")
    assert {"hidden": 1, "media": 2, "attachment": 1, "thinking": 2, "tool": 2} == reasons(talk)


def test_a_session_of_claude_code_keeps_what_people_said(fixtures: Path) -> None:
    """Commands, contexts, interruptions, a sub-agent, a second record of one id: none of it."""
    _, (main, other), left = read(fixtures / "claude-code" / "claude-normalization-main.jsonl")
    assert [] == left
    assert [
        [
            [
                ("user", "Review the parser."),
                ("assistant", "Running the focused checks."),
                ("assistant", ""),
                ("tool", "Command running in background with ID: task-bg."),
                ("assistant", "Checking a foreground failure."),
            ]
        ]
    ] == words(main)
    assert {
        "thinking": 1, "program-words": 3, "duplicate-id": 1, "not-a-message": 1, "sidechain": 1,
    } == reasons(main)  # fmt: skip
    assert [[[("user", "An independent session."), ("assistant", "Other reply.")]]] == words(other)


def test_a_compacted_copy_of_a_session_is_that_session(fixtures: Path, tmp_path: Path) -> None:
    """Its words are the same under other ids, and its summary is nobody's."""
    folder = fixtures / "claude-code"
    with Memory.open(tmp_path / "m.db") as memory:
        taken(memory, folder / "normalization-lineage-parent.jsonl")
        before = everything(memory)
        done, _ = taken(memory, folder / "normalization-lineage-acompact.jsonl")
        agent, _ = taken(memory, folder / "normalization-lineage-subagent-acompact.jsonl")
        assert before == everything(memory)
    assert ({"known": 1}, {"summary": 1}) == (done.fates, done.left)
    assert ({}, {"sidechain": 3}) == (agent.fates, agent.left)


def test_made_up_fields_break_nothing(fixtures: Path) -> None:
    """The representative fixtures hold every field that was ever seen, with values at random."""
    for source, format in (("chatgpt", "chatgpt"), ("claude-ai", "claude")):
        path = fixtures / "representatives" / source / "representatives" / "sample-00.json"
        name, talks, left = read(path)
        assert (format, 1, []) == (name, len(talks), left)
        assert "unknown-content" in reasons(talks[0])
