"""The command line itself: statuses, one error line, lazy commands, closed pipes."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

import palimpsest.cli as cli
from palimpsest.errors import MEANINGS, PalimpsestError, RequiredContextTooLarge


def every_error() -> Iterator[type[PalimpsestError]]:
    waiting = [PalimpsestError]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += found.__subclasses__()


@pytest.mark.parametrize("kind", list(every_error()), ids=lambda kind: kind.__name__)
def test_every_error_is_one_line_and_its_status(
    kind: type[PalimpsestError], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of this package is never a traceback; its code gives the exit status."""
    too_large = RequiredContextTooLarge(parts={"question": 9}, required=9, limit=1)
    error = too_large if kind is RequiredContextTooLarge else kind("what went wrong")

    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(cli._commands, "invoke", fail)
    assert MEANINGS[kind.code].exit_status == cli.run(["count", "x"])
    out, err = capsys.readouterr()
    assert "" == out
    assert f"error: {error}\n" == err


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An interrupt is no error and no success."""

    def interrupt(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli._commands, "invoke", interrupt)
    assert 130 == cli.run(["count", "x"])
    assert "interrupted\n" == capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["nope"], ["count"], ["count", "--nope", "x"], ["tokenizer", "nope"]])  # fmt: skip
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What click refuses exits 2 with its usage line."""
    assert 2 == cli.run(arguments)
    assert "Usage:" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--version"], ["count", "--help"], ["tokenizer", "--help"]])  # fmt: skip
def test_help_and_version_are_0(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Asking what there is succeeds."""
    assert 0 == cli.run(arguments)
    assert capsys.readouterr().out


@pytest.mark.parametrize("command", ["bench suites", "tokenizer list", "bench schema"])
@pytest.mark.parametrize(
    ("ending", "status"),
    [(">&-", 0), ("2>&-", 0), ("| head -c 1 >/dev/null", 0), (">/dev/full", 2)],
)
def test_output_that_goes_nowhere_is_no_crash(command: str, ending: str, status: int) -> None:
    """A closed or full standard output ends in a status that says so, never in a traceback."""
    line = f"set -o pipefail; {sys.executable} -m palimpsest.cli {command} {ending}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert status == done.returncode


def test_every_listed_command_can_be_loaded() -> None:
    """The table of commands names modules that exist."""
    context = click.Context(cli._commands)
    for name in cli._commands.list_commands(context):
        command = cli._commands.get_command(context, name)
        assert command is not None
        assert name == command.name


def test_help_loads_no_command() -> None:
    """The overview imports no command, so it stays fast as commands grow."""
    code = (
        "import sys, palimpsest.cli as c; c.run(['--help']); "
        "print([m for m in sys.modules if m.startswith(('palimpsest.cli.', 'rich', 'huggingface'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == done.stdout.splitlines()[-1]


def test_a_reader_that_leaves_is_no_error() -> None:
    """``palimpsest ... | head`` ends quietly."""
    code = (
        "import sys, palimpsest.cli as c, click\n"
        "@click.command()\ndef flood():\n    [click.echo('x' * 1000) for _ in range(10000)]\n"
        "c._commands.add_command(flood)\n"
        "c._LazyGroup.get_command = lambda self, ctx, name: flood\n"
        "c.main(['flood'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.read(10)
        run.stdout.close()
        assert b"" == run.stderr.read()
    assert 0 == run.returncode
