"""What coding agents put in the user's place is not what the user said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.chat_log_files import lines, records
from tests.support.log_imports import read, reasons, words

SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. "
    "The user lives in Rome."
)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Fix it.\n<system-reminder>\nBe brief.\n</system-reminder>", "Fix it."),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", None),
        ("<local-command-stdout>ok</local-command-stdout>", None),
        ("[Request interrupted by user for tool use]", None),
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", None),
        ("# AGENTS.md instructions for /x\n\nBe brief.", None),
        ("Why does <system-reminder> show up in <b>my</b> prompt?",
         "Why does <system-reminder> show up in <b>my</b> prompt?"),
        ("I was interrupted: [Request interrupted by user]. Why?",
         "I was interrupted: [Request interrupted by user]. Why?"),
        ("<div>\n<command>x</command>\n</div>", "<div>\n<command>x</command>\n</div>"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_only_marked_words_of_a_program_are_taken_out(
    agent: str, said: str, kept: str | None, tmp_path: Path
) -> None:
    """A user who talks about a mark keeps the sentence."""
    if agent == "codex":
        parts = [{"type": "input_text", "text": said}]
        made = [{"type": "session_meta", "payload": {"id": "s"}},
                {"type": "response_item",
                 "payload": {"type": "message", "role": "user", "content": parts}}]  # fmt: skip
    else:
        made = list(records("s", [said]))
    name, (talk,), _ = read(lines(tmp_path / "log", made))
    assert (agent, [[[("user", kept)]] if kept else []]) == (name, words(talk) or [[]])
    assert (said != kept) == bool(reasons(talk).get("program-words"))


@pytest.mark.parametrize("marked", [False, True])
def test_a_summary_of_a_compaction_is_nobodys_words(marked: bool, tmp_path: Path) -> None:
    """With its mark or without; the session goes on behind it as one conversation."""
    made = list(records("s", ["One?", "Two.", SUMMARY, "Three.", "Four?"]))
    boundary = {"type": "system", "uuid": "cut", "parentUuid": None, "logicalParentUuid": "s-1",
                "sessionId": "s", "content": "compacted"}  # fmt: skip
    made[2] |= {"parentUuid": "cut"} | ({"isCompactSummary": True} if marked else {})
    made.insert(2, boundary)
    _, (talk,), _ = read(lines(tmp_path / "log", made))
    expected = [
        [("user", "One?"), ("assistant", "Two."), ("assistant", "Three.")],
        [("user", "Four?")],
    ]
    assert ([expected], {"summary": 1, "system": 1}) == (words(talk), reasons(talk))
