"""The command line: one file per command group, each loaded when it is named.

Every error of this package becomes one line on stderr and the exit status of the error
table; Ctrl-C is 130; a reader that closes the pipe ends the command quietly.
"""

from __future__ import annotations

import importlib
import keyword
import os
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import NoReturn

import click

from palimpsest.errors import MEANINGS, PalimpsestError

_COMMANDS = {
    "answers": "Record what a model answers, and grade it offline.",
    "audit": "Look for a value in every row and byte that the program wrote.",
    "backup": "Copy the store into a new file.",
    "bench": "Run the benchmark suites; list them; print their schema.",
    "chat": "Talk with a model that remembers.",
    "compact": "Compact one request into cited notes; show what was lost.",
    "count": "Print how many tokens a list of messages takes.",
    "embedder": "Prepare, verify and list what embeds for recall by meaning.",
    "export": "Write all that is kept, of one user or of all, as JSON lines.",
    "forget": "Forget something for good; show first what would go.",
    "forgotten-corners": "List memories that exist and never come up.",
    "import": "Take over an export, or the chat log of another program.",
    "index": "Rebuild, verify and look at what recall searches.",
    "keys": "Make, list and revoke the keys of the server.",
    "mcp": "Serve the memories of one user as tools of any MCP client.",
    "measure": "Repeat the measurements that the constants were read from.",
    "memories": "List what is remembered.",
    "model": "Prepare and verify the model that answers on this machine.",
    "observe": "Store one exchange of a conversation.",
    "pin": "Let a memory come before others.",
    "reflect": "Read what was observed and decide what to remember.",
    "report": "Make one page of a report.",
    "restore": "Go back to a backup, without what was forgotten since.",
    "review": "Accept or dismiss what waits for a person.",
    "serve": "Serve the pages of the store and its HTTP API.",
    "story": "Show summary, anchors, positions and state of a conversation.",
    "tokenizer": "Prepare, verify and list the exact tokenizers.",
    "trace": "Follow one fact of a suite through every strategy.",
    "undo": "Take back what a verdict did.",
    "unpin": "Take a pin away.",
    "verdicts": "Show what became of each proposed memory.",
    "why": "Say why a memory is in a request, or is not.",
}
"""Each lives in the module and attribute of its name (``_`` for ``-``, and behind a word of Python); the text is its line in --help."""
_INTERRUPTED = 130


class _LazyGroup(click.Group):
    """A group that imports a command only when that command is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        if keyword.iskeyword(name):
            name += "_"
        module = importlib.import_module(f"palimpsest.cli.{name}")
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(metadata.version("palimpsest-memory"), prog_name="palimpsest")
def _commands() -> None:
    """Measure and build the requests of long LLM conversations.

    Which facts reached the request, which replaced ones are still in it, and which
    forgotten ones.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command line and exit with its status."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit status."""
    _open_closed_streams()
    try:
        status = _invoke(arguments)
        sys.stdout.flush()
    except PalimpsestError as error:
        click.echo(f"error: {error}", err=True)
        return MEANINGS[error.code].exit_status
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return _INTERRUPTED
    except BrokenPipeError:
        discard_output()
        return 0
    except OSError as error:
        # A full disk behind standard output, say; what a command itself opens it names itself.
        discard_output()
        click.echo(f"error: the output cannot be written ({error.strerror})", err=True)
        return MEANINGS["error"].exit_status
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return status


def _open_closed_streams() -> None:
    """Let a process that was started without standard output or error run all the same."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def discard_output() -> None:
    """Python flushes stdout once more at exit; with nobody reading it must go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _invoke(arguments: Sequence[str] | None) -> int:
    # Not click's own main(): it turns a closed pipe into exit status 1, which is a finding.
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with _commands.make_context("palimpsest", given) as context:
            _commands.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    return 0
