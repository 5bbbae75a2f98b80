"""``palimpsest chat`` through a real pseudo-terminal: remembers, corrects, forgets, goes on."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.cli.chat_turn import STOPPED
from palimpsest.types import Turn
from tests.support.chat_terminal import chat, command, environment
from tests.support.model_server import ModelServer, serve

SMALL = ("--window", "400", "--answer", "100")
FILLING = [f"Tell me about the number {n}, please, and about its neighbours too." for n in range(8)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model that always answers the same, a word every few milliseconds."""
    with serve(ModelServer(answers=["All right, this is noted."], pause=0.002)) as found:
        yield found


def sent(server: ModelServer) -> str:
    """Everything that the newest request to the model holds."""
    return json.dumps(server.asked[-1]["messages"], ensure_ascii=False)


def turns(store: Path) -> tuple[Turn, ...]:
    with Memory.open(store) as memory:
        return memory.conversation(user="me", id="default").turns()


def test_a_fact_lives_and_dies_over_two_starts(store: Path, server: ModelServer) -> None:
    """Said, pushed out of the window, asked for, corrected, forgotten; a second start goes on."""
    with chat(command(store, server, *SMALL)) as talk:
        assert "a new conversation" in talk.until_prompt()
        assert "remembered #1: I live in Porto." in talk.say("I live in Porto.")
        for line in FILLING:
            talk.say(line)
        talk.say("Where do I live?")
        assert "- [#1, turn-1] I live in Porto." in server.asked[-1]["messages"][-1]["content"]
        assert 1 == sent(server).count("Porto")
        why = talk.say("/why")
        assert re.search(r"- turns 1-\d  \(behind-no-room: ", why)
        assert "+ #1 I live in Porto.  (lexical: the question shares words with it)" in why
        assert "corrected #2 (was #1)" in talk.say("Actually, I live in Lisbon now.")
        talk.say("Where do I live?")
        assert ("Lisbon" in sent(server), "Porto" in sent(server)) == (True, False)
        assert 0 == talk.leave()
    with chat(command(store, server, *SMALL)) as talk:
        assert "goes on after turn 12, 1 memories" in talk.until_prompt()
        talk.child.send("\x1b[A")
        talk.until("Where do I live?")
        talk.child.send("\x03")
        assert "replaced by #2" in talk.say("/why Porto")
        assert "forgot #2" in talk.say("Please forget where I live.")
        talk.say("Where do I live?")
        assert "Lisbon" not in sent(server)
        assert "nobody said it" in talk.say("/why Lisbon")
        assert 0 == talk.leave()
    said = turns(store)
    assert list(range(1, 15)) == [turn.number for turn in said]
    assert [] == [word for word in (b"Porto", b"Lisbon") if word in store.read_bytes()]
    assert not [turn.number for turn in said if turn.open]


def test_whatever_breaks_an_answer_leaves_whole_turns(store: Path, server: ModelServer) -> None:
    """Ctrl-C keeps and marks what was shown; a hang-up keeps nothing of the turn it came in."""
    server.answers = ["one two three four five six seven eight nine ten " * 9]
    server.pause = 0.05
    with chat(command(store, server)) as talk:
        talk.until_prompt()
        talk.write("My dog is called Rex.")
        talk.until("three")
        talk.child.send("\x03")
        shown = talk.until_prompt()
        assert STOPPED in shown
        assert "remembered #1: My dog is called Rex." in shown
        server.answers, server.pause = ["Gladly."], 0.0
        talk.say("Go on.")
        assert STOPPED in server.asked[-1]["messages"][-2]["content"]
        server.answers, server.pause = ["slow " * 99], 0.05
        talk.write("And now?")
        talk.until("slow")
        talk.child.kill(signal.SIGHUP)
        talk.child.wait()
    first, second = turns(store)
    assert re.fullmatch(r"one two three( \w+)* \[stopped here\]", first.assistant.strip())
    assert ("My dog is called Rex.", "Go on.") == (first.user, second.user)
    assert "Gladly." == second.assistant


def test_words_without_an_answer_come_back_and_ctrl_c_leaves_in_two_steps(
    store: Path, server: ModelServer
) -> None:
    """Enter sends again what a failing server lost; Ctrl-C drops a line, asks, leaves with 130."""
    server.fault, server.fails_at = "error", 0
    with chat(command(store, server)) as talk:
        talk.until_prompt()
        shown = talk.say("My train leaves at nine.")
        assert "the model is not loaded; the turn was not stored" in shown
        assert "Enter sends them" in shown
        assert "All right, this is noted." in talk.say("")
        talk.child.send("half a thought")
        talk.until("thought")
        talk.child.send("\x03")
        assert "All right" in talk.say("A whole one.")
        talk.child.send("\x03")
        assert "Ctrl-C once more leaves" in talk.until_prompt()
        talk.child.send("\x03")
        assert 130 == talk.ended()
    assert ["My train leaves at nine.", "A whole one."] == [turn.user for turn in turns(store)]


def test_before_the_first_word_a_stop_stores_nothing_and_a_second_one_leaves(
    store: Path, server: ModelServer
) -> None:
    """What got no answer is no turn; its words are in the line again."""
    server.fault = "slow"
    with chat(command(store, server)) as talk:
        talk.until_prompt()
        talk.write("Are you there?")
        while not server.asked:
            time.sleep(0.01)
        time.sleep(0.1)
        talk.child.send("\x03")
        assert "stopped; the turn was not stored" in talk.until_prompt()
        talk.child.send("\x03")  # the line holds the words again, so only they go
        server.fault = None
        assert "All right" in talk.say("Hello?")
        talk.child.send("\x03")
        talk.until_prompt()
        talk.child.send("\x03")
        assert 130 == talk.ended()
    assert ["Hello?"] == [turn.user for turn in turns(store)]


def test_a_paste_is_one_message_and_a_forget_reaches_the_arrow_keys(
    store: Path, server: ModelServer
) -> None:
    """Line breaks of a paste or of Alt-Enter send nothing; no key brings a forgotten line back."""
    with chat(command(store, server)) as talk:
        talk.until_prompt()
        talk.paste("first\r\nsecond\n\x1b[2Jthird")
        talk.child.send("\x1b\r")
        talk.say("fourth")
        assert ["first\nsecond\n\x1b[2Jthird\nfourth"] == [turn.user for turn in turns(store)]
        talk.say("My PIN is 4417.")
        talk.write("/forget PIN")
        shown = talk.until("[y/N]")
        assert "#1 My PIN is 4417.  (fact, turn-2)" in shown
        talk.write("n")
        assert "kept" in talk.until_prompt()
        talk.write("/forget 4417")
        talk.until("[y/N]")
        talk.write("yes")
        assert "forgotten: #1" in talk.until_prompt()
        talk.child.send("\x1b[A\x1b[A\x1b[A")
        assert "4417" not in talk.say("")
        assert 0 == talk.leave()
    assert [] == [path.name for path in store.parent.iterdir() if b"4417" in path.read_bytes()]


def test_nothing_of_a_text_reaches_the_terminal_as_a_command(
    store: Path, server: ModelServer
) -> None:
    """Escapes of the model are shown; wide characters pass; NO_COLOR leaves no style behind."""
    server.answers = ["\x1b[2J\x1b]0;owned\x07 北京烤鸭 \u202egnp 🦆"]
    env = environment(NO_COLOR="1")
    with chat(command(store, server), columns=22, env=env) as talk:
        talk.until_prompt()
        talk.child.send("我喜欢北京烤鸭。\r")
        talk.child.expect_exact("\\x1b[2J\\x1b]0;owned\\x07 北京烤鸭 \\u202egnp 🦆")
        talk.until_prompt()
        talk.write("/budget")
        talk.child.expect(r"\[([a-z.]+ *)\]\r\n")
        assert 20 == len(talk.child.match[1])
        talk.until_prompt()
        raw = talk.child.before
        assert 0 == talk.leave()
    assert [] == re.findall(r"\x1b\[[\d;]*m", raw.partition("\x1b[?2004l")[2])
    assert "我喜欢北京烤鸭。" == turns(store)[0].user
    assert server.answers[0] == turns(store)[0].assistant


def test_a_missing_model_is_offered_and_nothing_is_fetched_without_a_yes(
    store: Path, tmp_path: Path
) -> None:
    """A person may say no, in a terminal that can do nothing too: then the error stands."""
    env = environment(PALIMPSEST_CACHE=str(tmp_path / "cache"), TERM="dumb")
    with chat(["-m", "palimpsest.cli", "chat", "--store", str(store)], env=env) as talk:
        assert "palimpsest model prepare smollm2" in talk.until("fetch it now (93 MB)? [y/N]")
        talk.write("")
        talk.until("error: the model 'smollm2' is not prepared")
        assert 2 == talk.ended()
    assert not list((tmp_path / "cache").rglob("*.gguf"))


def test_the_model_of_this_machine_chats(store: Path) -> None:
    """Without any option a small real model answers, and memory works around it."""
    with chat(["-m", "palimpsest.cli", "chat", "--store", str(store)]) as talk:
        assert "smollm2, 2048 tokens" in talk.until_prompt()
        assert "remembered #1" in talk.say("My favourite colour is green.")
        assert 0 == talk.leave()
    assert [True] == [bool(turn.assistant.strip()) for turn in turns(store)]
