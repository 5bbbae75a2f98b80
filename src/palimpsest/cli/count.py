"""``palimpsest count``: the tokens of a list of messages, as one number."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from palimpsest import messages
from palimpsest.config import Config
from palimpsest.errors import InputError
from palimpsest.tokens.prepared import resolve


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--tokenizer", default=Config().tokenizer.name, show_default=True, metavar="NAME|SPEC|PATH",
    help="A prepared tokenizer, a Spec, or a folder or tokenizer.json with its chat template.",
)  # fmt: skip
@click.option("--tools", metavar="FILE", type=click.Path(path_type=Path), help="Tool schemas.")
def count(file: Path, tokenizer: str, tools: Path | None) -> None:
    """Print how many tokens FILE takes as a request: a JSON list of messages, or - for stdin.

    The whole chat template is counted, with the prefix of the answer.
    """
    sent = messages.messages(_json(file), str(file))
    if not sent:
        raise InputError(f"{file}: an empty list; a request needs at least one message")
    offered = messages.tools(_json(tools), str(tools)) if tools is not None else ()
    click.echo(resolve(tokenizer, Config()).count_request(sent, offered))


def _json(file: Path) -> Any:
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return json.loads(data)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{file}: is not JSON ({error})") from None
    except RecursionError:
        raise InputError(f"{file}: is nested too deeply to be a list of messages") from None
