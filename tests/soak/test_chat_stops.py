"""Ctrl-C at any moment of a chat: every stored turn is whole, and the chat goes on."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pexpect

from palimpsest import Memory
from palimpsest.cli.chat_turn import STOPPED
from tests.support.chat_terminal import Chat, chat, command
from tests.support.model_server import ModelServer, serve

ROUNDS = 100
ANSWER = "one two three four five six seven eight"


def test_a_stop_at_any_moment_leaves_whole_turns(tmp_path: Path) -> None:
    """Before, in and after the answer, while it is stored or read: whole or not at all."""
    chance, store = random.Random(5), tmp_path / "memory.db"
    with (
        serve(ModelServer(answers=[ANSWER], pause=0.004)) as server,
        chat(command(store, server)) as talk,
    ):
        talk.until_prompt()
        for number in range(ROUNDS):
            talk.write(f"My lucky number is {number}.")
            time.sleep(chance.uniform(0.0, 0.15))
            talk.child.send("\x03")
            _listens(talk, f"/zz{number}")
        assert 0 == talk.leave()
    with Memory.open(store) as memory:
        turns = memory.conversation(user="me", id="default").turns()
    assert [] == [turn.number for turn in turns if turn.open or len(turn.messages) != 2]
    assert list(range(1, len(turns) + 1)) == [turn.number for turn in turns]
    ends = {turn.assistant == ANSWER or turn.assistant.endswith(STOPPED) for turn in turns}
    assert {True} == ends


def _listens(talk: Chat, word: str) -> None:
    """Write until the chat answers; the terminal may drop what was typed before a stop."""
    while True:
        talk.write(word)
        if talk.child.expect([f"no command is named {word};", pexpect.TIMEOUT], timeout=2) == 0:
            talk.until_prompt()
            return
