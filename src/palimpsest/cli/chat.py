"""``palimpsest chat``: a conversation in the terminal that remembers for months.

Each turn is built under the budget, answered piece by piece, stored, and only then read for
what to remember. Invariant: whatever ends a turn (an answer, Ctrl-C, a server that dies), the
conversation holds whole turns only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from palimpsest import asking, reflecting
from palimpsest import config as settings
from palimpsest.cli import chat_prepare
from palimpsest.cli.chat_commands import HELP
from palimpsest.cli.chat_input import lines, typed
from palimpsest.cli.chat_screen import Screen
from palimpsest.cli.chat_session import Session
from palimpsest.cli.chat_turn import Setup, Turns
from palimpsest.cli.interrupts import Interrupts
from palimpsest.cli.output_streams import forgiving
from palimpsest.cli.store_options import opened, store_options
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.language.invisible import shown
from palimpsest.models.api import ANSWER_SECONDS
from palimpsest.models.resolve import own_tokenizer
from palimpsest.models.weights import NAME
from palimpsest.types import Budget

_SMALL = Budget(window=2048, answer=256)
"""What the model of this machine answers within in seconds."""
_LARGE = Budget(window=8192, answer=1024)
_INSTRUCTIONS = "You are a helpful assistant. Answer briefly."
_STRATEGY = "seats(quota=440)"
"""The quota that a full house of 24 wants; see docs/seats.md for what it finds."""
_EARLIER = 200
"""Messages behind the arrow keys."""
_ERROR = 2


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What a chat can be told; ``answers record`` takes the same models."""
    for option in reversed((
        click.option("--model", default=NAME, show_default=True, metavar="MODEL",
                     help="smollm2, gguf:PATH, ollama:NAME, openai:NAME, or recorded:FILE."),
        click.option("--base-url", default="", metavar="URL",
                     help="Where ollama: or openai: answers."),
        click.option("--extractor", metavar="SPEC",
                     help="What proposes memories. Default: that of the settings, rules."),
        click.option("--embedder", metavar="SPEC",
                     help="What recalls by meaning. Default: that of the settings, none."),
        click.option("--strategy", metavar="SPEC", default=_STRATEGY, show_default=True,
                     help="What chooses the context."),
        click.option("--window", type=int, metavar="TOKENS",
                     help="Request and answer together. Default: 2048 for smollm2, else 8192."),
        click.option("--answer", type=int, metavar="TOKENS",
                     help="Kept for the answer. Default: 256 for smollm2, else 1024."),
        click.option("--temperature", type=click.FloatRange(0, 2), default=0.6, show_default=True,
                     help="How freely answers are drawn."),
        click.option("--instructions", default=_INSTRUCTIONS, show_default=True, metavar="TEXT",
                     help="The system message."),
        click.option("--tokenizer", metavar="NAME",
                     help="What counts. Default: that of the model, else of the settings."),
        click.option("--config", type=click.Path(path_type=Path), metavar="TOML",
                     help="A settings file."),
        click.option("--timeout", type=click.FloatRange(min=1), default=ANSWER_SECONDS,
                     show_default=True, metavar="SECONDS", help="What one answer may take."),
    )):  # fmt: skip
        command = option(command)
    return command


@click.command()
@_options
@store_options
@click.pass_context
def chat(
    context: click.Context, model: str, base_url: str, extractor: str | None,
    embedder: str | None, strategy: str, window: int | None, answer: int | None, temperature: float, instructions: str,
    tokenizer: str | None, config: Path | None, timeout: float, store: Path, user: str,
    conversation: str,
) -> None:  # fmt: skip
    """Talk with a model; what you say is remembered, corrected and forgotten as you say it.

    /help lists what can be asked beside the conversation. Lines that come through a pipe are
    messages and commands like typed ones.
    """
    forgiving()
    loaded = settings.load(config) if config is not None else Config()
    counting = tokenizer or own_tokenizer(model) or loaded.tokenizer.name
    with ExitStack() as stack:
        memory = stack.enter_context(
            opened(store, config=loaded, tokenizer=counting, make=True, embedder=embedder)
        )
        talk = memory.conversation(user=user, id=conversation)
        screen, stop = Screen(typed=typed()), Interrupts()
        entered = lines(screen, stop, earlier=lambda: _earlier(talk), commands=tuple(HELP))
        asked = entered if typed() else None
        budget = _budget(loaded, model, window, answer)
        chosen = asking.strategy(strategy)
        opened_model = chat_prepare.model(
            stack, model, base_url=base_url, timeout=timeout, lines=asked, screen=screen
        )
        counter = chat_prepare.counter(memory, counting, lines=asked, screen=screen)
        reader, _ = reflecting.resolved(extractor or loaded.reflection.extractor)
        stack.callback(getattr(reader, "close", lambda: None))
        setup = Setup(
            model=opened_model, budget=budget, strategy=chosen, extractor=reader,
            instructions=instructions or None, temperature=temperature, counter=counter,
        )  # fmt: skip
        screen.note(_greeting(talk, setup, store))
        if not Session(Turns(talk, setup, screen, stop), entered, screen, stop).run():
            context.exit(_ERROR)


def _budget(config: Config, model: str, window: int | None, answer: int | None) -> Budget:
    """The options over the settings over what suits the model."""
    base = config.budget or (_SMALL if model == NAME else _LARGE)
    return Budget(
        window=base.window if window is None else window,
        answer=base.answer if answer is None else answer,
        margin=base.margin,
    )


def _earlier(talk: Conversation) -> Iterable[str]:
    return [turn.user for turn in talk.turns()[-_EARLIER:] if turn.user.strip()]


def _greeting(talk: Conversation, setup: Setup, store: Path) -> str:
    said = len(talk.turns())
    kept = sum(memory.superseded_by is None for memory in talk.visible())
    goes_on = f"goes on after turn {said}" if said else "a new conversation"
    budget = setup.budget
    return (
        f"{shown(setup.model.identity.model)}, {budget.window} tokens ({budget.answer} of them for "
        f"the answer); {goes_on}, {kept} memories, in {shown(str(store))}\n"
        "/help lists the commands, Ctrl-D leaves"
    )
