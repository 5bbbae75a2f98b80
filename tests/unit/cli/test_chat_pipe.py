"""``palimpsest chat`` with lines from a pipe: the same messages and commands, without prompts."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palimpsest import Memory, cli
from palimpsest.cli.chat_turn import BROKEN, STOPPED
from palimpsest.types import Turn
from tests.support.chat_terminal import command
from tests.support.model_server import ModelServer, serve
from tests.support.tokenizers import word_folder

Piped = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve(ModelServer(answers=["Noted."])) as found:
        yield found


@pytest.fixture
def piped(
    store: Path,
    server: ModelServer,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Piped:
    """Feed lines to a chat; gives the exit status, standard output and error."""
    words = str(word_folder(tmp_path_factory.mktemp("words")))

    def feed(*lines: str | bytes, options: tuple[str, ...] = ()) -> tuple[int, str, str]:
        data = b"".join((x if isinstance(x, bytes) else x.encode()) + b"\n" for x in lines)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        status = cli.run([*command(store, server, tokenizer=words)[2:], *options])
        out = capsys.readouterr()
        return status, out.out, out.err

    return feed


def turns(store: Path) -> tuple[Turn, ...]:
    with Memory.open(store) as memory:
        return memory.conversation(user="me", id="default").turns()


def test_only_answers_come_out_of_a_pipe(piped: Piped) -> None:
    """No prompt, no greeting: what was learned stands beside, on standard error."""
    status, out, err = piped("I live in Porto.", "", "And you?")
    assert (0, "Noted.\nNoted.\n") == (status, out)
    assert "remembered #1: I live in Porto." in err
    assert "\x1b" not in out + err


def test_a_failed_message_is_no_turn_and_the_next_one_is_answered(
    piped: Piped, store: Path, server: ModelServer
) -> None:
    """The pipe is read to its end; the exit status says that something got no answer."""
    server.fault, server.fails_at = "error", 1
    status, out, err = piped("One.", "Two.", "Three.")
    assert (2, "Noted.\nNoted.\n") == (status, out)
    assert "the model is not loaded; the turn was not stored" in err
    assert [("One.", False), ("Three.", False)] == [(t.user, t.open) for t in turns(store)]


def test_an_answer_that_breaks_off_is_kept_and_marked(
    piped: Piped, store: Path, server: ModelServer
) -> None:
    """Half an answer was shown, so half an answer is stored, and both say so."""
    server.answers, server.ends = ["one two three four"], False
    status, out, err = piped("I live in Porto.")
    assert (0, f"one two {BROKEN}\n") == (status, out)
    assert "the stream ended before the answer did" in err
    assert "what came of the answer is kept" in err
    assert [f"one two {BROKEN}"] == [turn.assistant for turn in turns(store)]
    assert "remembered #1" in err


@pytest.mark.parametrize("answer", ["", " ", "\n\n"])
def test_an_empty_answer_is_no_answer(
    piped: Piped, store: Path, server: ModelServer, answer: str
) -> None:
    """A model that says nothing leaves no turn behind."""
    server.answers = [answer]
    status, _, err = piped("Hello?")
    assert 2 == status
    assert "the model answered nothing; the turn was not stored" in err
    assert () == turns(store)


def test_a_question_that_is_too_large_names_the_limit(piped: Piped, store: Path) -> None:
    """Its size and the budget are told, and the chat goes on."""
    status, out, err = piped("word " * 500, "Short.", options=("--window", "300", "--answer", "50"))
    assert (2, "Noted.\n") == (status, out)
    assert "the input budget is 250 (instructions 9, question 503)" in err
    assert ["Short."] == [turn.user for turn in turns(store)]


def test_a_full_answer_is_told(piped: Piped, server: ModelServer) -> None:
    """An answer that took all its room may have been cut."""
    server.answers = ["a word or two more " * 20]
    _, _, err = piped("Go on.", options=("--answer", "60"))
    assert "as long as it may be (60 tokens; --answer allows more)" in err


def test_a_mistyped_command_names_the_nearest(piped: Piped, server: ModelServer) -> None:
    """It is never sent; a path or two slashes begin a message."""
    _, out, err = piped("/forgot it", "/zzzz", "/usr/bin is full?", "//why not?")
    assert "no command is named /forgot; did you mean /forget?" in err
    assert "no command is named /zzzz; /help lists them" in err
    assert "Noted.\nNoted.\n" == out
    asked = [body["messages"][-1]["content"].rpartition("Question: ")[2] for body in server.asked]
    assert ["/usr/bin is full?", "/why not?"] == asked


def test_help_lists_every_command_and_quit_leaves(piped: Piped) -> None:
    """What can be typed is on the screen, and nothing after /quit is read."""
    status, out, _ = piped("/help", "/quit", "/help")
    assert 0 == status
    assert 1 == out.count("/quit")
    for name in ("/why", "/memories", "/forget", "/pin", "/unpin", "/budget", "/verdicts"):
        assert f"\n{name} " in f"\n{out}"


def test_before_the_first_message_there_is_nothing_to_show(piped: Piped) -> None:
    """Every command works in an empty conversation."""
    _, out, err = piped("/why", "/budget", "/memories", "/verdicts", "/pin", "/why Porto")
    assert [
        "nothing was asked yet; /why tells about the last request",
        "nothing was asked yet; /budget shows the last request",
        "nothing is remembered yet",
        "nothing was proposed yet",
        "/pin needs the number of a memory or words of it; /memories lists",
        "no memory says 'Porto'",
        "  and nobody said it in this conversation",
    ] == out.splitlines()
    assert "error" not in err


def test_why_answers_for_text_that_is_no_memory(piped: Piped, server: ModelServer) -> None:
    """What was said and not remembered names its turn, who said it, and what was made of it."""
    server.answers = ["Lovely, Ana says hello."]
    _, out, _ = piped("How are you today?", "Thanks.", "/why you today", "/why Ana")
    assert [
        "no memory says 'you today'",
        "  turn 1: you said it; the last request holds the turn: it fits (kept)",
        "    it was read, and the extractor found nothing in it to remember",
        "no memory says 'Ana'",
        "  turn 2: the model said it; the last request was built before it",
        "    only your own words are remembered",
        "  turn 1: the model said it; the last request holds the turn: it fits (kept)",
        "    only your own words are remembered",
    ] == out.splitlines()[2:]


def test_why_takes_ids_words_and_numbers_that_are_no_ids(piped: Piped) -> None:
    """``4417`` is looked for as a text where no memory has that number; ``#4417`` is an id."""
    _, out, err = piped("My PIN is 4417.", "Hm.", "/why 1", "/why 4417", "/why #4417", "/pin 77")
    assert 2 == out.count("#1 My PIN is 4417.  (fact, turn-1)")
    assert 2 == out.count("  in the last request: it has one of the seats of its kind (quota)")
    assert "error: there is no memory #4417" in err
    assert "error: there is no memory #77" in err


def test_pins_go_by_number_or_words(piped: Piped) -> None:
    """A pin shows at once and in the next request; words that fit several change nothing."""
    _, out, _ = piped(
        "My sister is called Ana.", "My brother is called Ben.",
        "/pin is called", "/pin Ana", "Hm.", "/why 1", "/unpin 1", "/memories Ben",
    )  # fmt: skip
    lines = out.splitlines()
    assert "2 memories say that; name one: /pin ID" in lines
    assert "pinned: #1 My sister is called Ana.  (fact, turn-1, pinned)" in lines
    assert "  in the last request: a person pinned it (pinned)" in lines
    assert "no longer pinned: #1 My sister is called Ana.  (fact, turn-1)" in lines
    assert "#2 My brother is called Ben.  (fact, turn-2)" == lines[-1]


def test_a_forget_shows_what_goes_and_waits_for_a_yes(piped: Piped, store: Path) -> None:
    """All that a memory replaced goes with it; anything but yes keeps everything."""
    _, out, _ = piped(
        "I live in Porto.", "Actually, I live in Lisbon now.",
        "/forget Lisbon", "no", "/forget Lisbon", "yes", "/memories", "/why 2", "/forget 2",
    )  # fmt: skip
    goes = [
        "this goes for good, and its words leave the whole conversation:",
        "  #2 Actually, I live in Lisbon now.  (fact, turn-2)",
        "  #1 I live in Porto.  (fact, turn-1, replaced by #2)",
    ]
    lines = out.splitlines()
    assert [*goes, "kept", *goes, "forgotten: #2 and 1 that it had replaced"] == lines[2:10]
    assert ["nothing is remembered yet", "#2 (forgotten)"] == lines[10:12]
    data = b"".join(path.read_bytes() for path in store.parent.iterdir())
    assert (0, 0) == (data.count(b"Porto"), data.count(b"Lisbon"))


def test_a_forget_at_the_end_of_a_pipe_keeps_everything(piped: Piped) -> None:
    """Nobody said yes."""
    _, out, _ = piped("I live in Porto.", "/forget 1")
    assert "kept" == out.splitlines()[-1]


def test_a_forget_of_what_is_no_memory_says_where_it_was_said(piped: Piped) -> None:
    """Nothing goes; the person learns which turn holds it."""
    _, out, _ = piped("How are you today?", "/forget today")
    assert "no memory says 'today'" in out
    assert "turn 1: you said it" in out


def test_verdicts_are_those_of_a_turn_or_of_all(piped: Piped) -> None:
    """Each proposal with its rule; a word that is no number is told."""
    _, out, _ = piped("I live in Porto.", "/verdicts 1", "/verdicts", "/verdicts 7", "/verdicts x")
    assert 2 == out.count("verdict 1, turn 1: add #1, rule new: I live in Porto.\n")
    assert "nothing was proposed at turn 7" in out
    assert "/verdicts takes the number of a turn" in out


def test_escapes_in_memories_and_answers_are_shown(piped: Piped, server: ModelServer) -> None:
    """A colour, a title, a bell: none of it is executed, wherever it is listed."""
    server.answers = ["\x1b[31mred\r\nand \rmore\tor less"]
    _, out, err = piped("My sister is called \x1b[2JAna\x07.", "/memories", "/why", "/why Ana")
    assert "\\x1b[31mred\nand \\nmore\tor less\n" == out[: out.index("#1")]
    assert "My sister is called \\x1b[2JAna\\x07." in out
    assert [] == [c for c in out + err if c != "\n" and c != "\t" and ord(c) < 32]


def test_broken_characters_end_nothing(piped: Piped, store: Path, server: ModelServer) -> None:
    """A byte that is no character, or half a character of the model, is replaced."""
    server.answers = ["half \ud83d here"]
    status, out, _ = piped(b"caf\xe9 is open")
    assert (0, "half \ufffd here\n") == (status, out)
    assert [("caf\ufffd is open", "half \ufffd here")] == [
        (turn.user, turn.assistant) for turn in turns(store)
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--extractor", "nope"), "'nope'"),
        (("--strategy", "seets"), "'seets'"),
        (("--model", "nope:x", "--base-url", ""), "'nope'"),
        (("--window", "10", "--answer", "10"), "leaves no input space"),
        (("--tokenizer", "nope"), "'nope'"),
    ],
)
def test_what_cannot_work_is_told_before_anything_is_read(
    piped: Piped, options: tuple[str, ...], told: str
) -> None:
    """A wrong name ends the command with its error, not the first message."""
    status, out, err = piped("Hello.", options=options)
    assert (2, "") == (status, out)
    assert told in err
    assert 1 == err.count("error: ")


def test_a_missing_model_names_its_command(
    empty_cache: Path, store: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Without a person to ask nothing is fetched."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Hello.\n")))
    assert 2 == cli.run(["chat", "--store", str(store)])
    assert "palimpsest model prepare smollm2" in capsys.readouterr().err


def test_ctrl_c_ends_a_pipe_after_a_whole_turn(store: Path, server: ModelServer) -> None:
    """Nobody is there to ask again: what was shown is stored and marked, and the status is 130."""
    server.answers, server.pause = ["slow " * 99], 0.05
    with subprocess.Popen(
        [sys.executable, *command(store, server)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:  # fmt: skip
        assert run.stdin
        assert run.stdout
        run.stdin.write(b"Hello.\nAnd then?\n")
        run.stdin.flush()
        assert b"slow " == run.stdout.read(5)
        run.send_signal(signal.SIGINT)
        assert 130 == run.wait()
    (turn,) = turns(store)
    assert ("Hello.", True) == (turn.user, turn.assistant.endswith(STOPPED))


def test_without_a_standard_input_a_chat_is_over_at_once(
    store: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service may start a process without one."""
    monkeypatch.setattr(sys, "stdin", None)
    assert 0 == cli.run(command(store, server)[2:])


def test_the_store_is_made_where_the_users_data_lives(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ``--store`` the folder of the user's data holds it, closed to others."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("PALIMPSEST_STORE", raising=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Hello.\n")))
    assert 0 == cli.run(["chat", *command(tmp_path, server)[5:]])
    place = tmp_path / "data" / "palimpsest"
    assert (place / "memory.db").exists()
    assert 0o700 == place.stat().st_mode & 0o777


def test_a_folder_that_cannot_be_made_is_an_error_of_the_store(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The place is named, and how to name another."""
    (tmp_path / "file").write_text("")
    assert 2 == cli.run([*command(tmp_path / "file" / "memory.db", server)[2:]])
    assert "the folder of the store cannot be made" in capsys.readouterr().err
