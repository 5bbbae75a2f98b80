"""``palimpsest chat``: a conversation in the terminal that remembers for months.

Each turn is built under the budget, answered piece by piece, stored, and only then read for
what to remember. Invariant: whatever ends a turn (an answer, Ctrl-C, a server that dies), the
conversation holds whole turns only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from palimpsest import config as settings
from palimpsest.cli.chat_commands import Commands
from palimpsest.cli.chat_turn import Chat
from palimpsest.cli.store_options import opened, store_options
from palimpsest.cli.terminal import Terminal
from palimpsest.config import Config
from palimpsest.errors import PalimpsestError
from palimpsest.language.invisible import shown
from palimpsest.models.api import ANSWER_SECONDS
from palimpsest.models.resolve import open_model, own_tokenizer
from palimpsest.models.weights import NAME
from palimpsest.types import Budget

_SMALL = Budget(window=2048, answer=256)
"""What the model of this machine answers within in seconds."""
_LARGE = Budget(window=8192, answer=1024)
_INSTRUCTIONS = "You are a helpful assistant. Answer briefly."


@click.command()
@click.option(
    "--model", default=NAME, show_default=True, metavar="MODEL",
    help="smollm2, gguf:PATH, ollama:NAME@DIGEST, openai:NAME, or recorded:FILE.",
)  # fmt: skip
@click.option("--extractor", metavar="SPEC", help="What proposes memories. Default: rules.")
@click.option("--strategy", metavar="SPEC", default="seats", show_default=True,
              help="What chooses the context.")  # fmt: skip
@click.option("--window", type=int, help="Tokens of request and answer. Default: by the model.")
@click.option("--answer", type=int, help="Tokens kept for the answer.")
@click.option("--instructions", default=_INSTRUCTIONS, show_default=True, metavar="TEXT",
              help="The system message.")  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path), metavar="TOML", help="A settings file.")
@click.option("--tokenizer", metavar="NAME", help="Default: that of the model, else the settings'.")
@click.option("--unpinned", is_flag=True, help="Take a model whose digest nobody vouches for.")
@click.option("--base-url", default="", metavar="URL", help="Where ollama: or openai: answers.")
@click.option("--timeout", type=click.FloatRange(min=1), default=ANSWER_SECONDS, show_default=True,
              help="Seconds that one answer may take.")  # fmt: skip
@store_options
def chat(
    model: str,
    extractor: str | None,
    strategy: str,
    window: int | None,
    answer: int | None,
    instructions: str,
    config: Path | None,
    tokenizer: str | None,
    unpinned: bool,
    base_url: str,
    timeout: float,
    store: Path,
    user: str,
    conversation: str,
) -> None:
    """Talk with a model; what you say is remembered, corrected and forgotten as you say it."""
    loaded = settings.load(config) if config is not None else Config()
    budget = _budget(loaded, model, window, answer)
    with ExitStack() as stack:
        chosen = stack.enter_context(
            open_model(model, unpinned=unpinned, base_url=base_url, timeout=timeout)
        )
        counting = tokenizer or own_tokenizer(model)
        memory = stack.enter_context(opened(store, config=loaded, tokenizer=counting, make=True))
        talk = memory.conversation(user=user, id=conversation)
        terminal = Terminal(highlight=False)
        held = Chat(
            talk, chosen, budget=budget, strategy=strategy, extractor=extractor,
            instructions=instructions or None, terminal=terminal,
        )  # fmt: skip
        terminal.print(_greeting(held, store), style="dim", markup=False)
        _talk(held, Commands(held))


def _budget(config: Config, model: str, window: int | None, answer: int | None) -> Budget:
    """The options over the settings over what suits the model."""
    base = config.budget or (_SMALL if model == NAME else _LARGE)
    return Budget(
        window=base.window if window is None else window,
        answer=base.answer if answer is None else answer,
        margin=base.margin,
    )


def _greeting(held: Chat, store: Path) -> str:
    said, kept = len(held.talk.turns()), len(held.talk.current())
    return (
        f"{held.model.identity.model}, {held.budget.window} tokens; {said} turns and {kept} "
        f"memories in {store}\n/help lists the commands, Ctrl-D leaves"
    )


def _talk(held: Chat, commands: Commands) -> None:
    """Read, answer, remember, until the input ends."""
    for line in _lines(held.terminal):
        try:
            if line.startswith("/"):
                if not commands.run(line):
                    return
            else:
                held.say(line)
        except PalimpsestError as error:
            held.terminal.print(f"error: {shown(str(error))}", style="red", markup=False)


def _lines(terminal: Terminal) -> Iterator[str]:
    """What the person writes; Ctrl-C drops a line that is being written."""
    with _editing():
        while True:
            try:
                line = terminal.input("you> " if terminal.is_terminal else "", markup=False)
            except EOFError:
                return
            except KeyboardInterrupt:
                terminal.print("\n/quit or Ctrl-D leaves", style="dim")
                continue
            if line.strip():
                yield line.strip()


@contextmanager
def _editing() -> Iterator[None]:
    """Arrow keys in the line; no history is written anywhere, since a forget must reach all."""
    try:
        import readline
    except ImportError:
        yield
        return
    readline.set_auto_history(False)
    yield
