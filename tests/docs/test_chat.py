"""The session on the page about the chat is one that the program gives, line by line."""

from __future__ import annotations

import re
from pathlib import Path

from palimpsest.cli.chat_commands import HELP
from palimpsest.cli.chat_turn import BROKEN, STOPPED
from tests.golden.made import ROOT
from tests.support.chat_terminal import Chat, chat, command
from tests.support.model_server import ModelServer, serve

PAGE = (ROOT / "docs" / "chat.md").read_text(encoding="utf-8")
SESSION = PAGE.partition("```console\n")[2].partition("\n```")[0]
WIDE = 240
"""Columns; no line of the session is broken."""
WAITING = "reading what was said"


def told(block: str) -> list[tuple[str, str]]:
    """Each line that the person writes, with what came of it until the next one."""
    return re.findall(r"^you> (.*)\n((?:(?!you> ).*\n?)*)", block + "\n", re.MULTILINE)


def answers(block: str) -> list[str]:
    """What the model says in it: the first line after each message."""
    return [came.split("\n")[0] for said, came in told(block) if not said.startswith("/")]


def played(talk: Chat, said: str, expected: str) -> str:
    """What the terminal shows after a line; a question is answered as the page answers it."""
    question = re.search(r"^.*\[y/N\] (.*)$", expected, re.MULTILINE)
    if question is None:
        return talk.say(said).partition(said + "\n")[2]
    talk.write(said)
    before = talk.until("[y/N]").partition(said + "\n")[2]
    talk.write(question[1])
    # The line may be drawn more than once while the answer is typed.
    return before + talk.until_prompt().rpartition("[y/N]")[2]


def lines(text: str) -> list[str]:
    """The lines that say something; a busy machine draws signs of waiting between them."""
    shown = [line.rstrip() for line in text.split("\n")]
    return [line for line in shown if line.replace(WAITING, "").strip(" -\\|/")]


def test_the_session_is_what_the_terminal_shows(tmp_path: Path) -> None:
    """Every line of the page, from the first to the last, in a real pseudo-terminal."""
    model = ModelServer(answers=answers(SESSION))
    steps = told(SESSION)
    assert len(steps) > 8
    with (
        serve(model),
        chat(
            command(tmp_path / "memory.db", model, "--window", "520", "--answer", "200"),
            columns=WIDE,
        ) as talk,
    ):
        talk.until_prompt()
        for said, came in steps:
            assert (said, lines(came)) == (said, lines(played(talk, said, came)))
        assert 0 == talk.leave()


def test_the_page_names_every_command_and_mark() -> None:
    """A new command needs its line on the page."""
    table = re.findall(r"^\| `(/[a-z]+)", PAGE, re.MULTILINE)
    assert list(HELP) == list(dict.fromkeys(table))
    assert [True, True] == [mark in PAGE for mark in (STOPPED, BROKEN)]
