"""``palimpsest bench generate``: write a suite from a seed."""

from __future__ import annotations

import click

from palimpsest.bench.generated import LANGUAGES, many, talk
from palimpsest.bench.generated.templates import FAMILIES
from palimpsest.cli.json_output import json_output
from palimpsest.errors import InputError


@click.command("generate")
@click.option("--seed", type=int, required=True, metavar="N", help="The same seed, the same suite.")
@click.option(
    "--languages", metavar="LIST",
    help=f"A block of chat in each, such as en,fr. Default: {','.join(LANGUAGES)}.",
)  # fmt: skip
@click.option("--turns", type=int, metavar="N", help="More turns are more small talk.")
@click.option(
    "--facts", type=int, metavar="N",
    help="Write one English chat of so many facts instead, to measure recall.",
)  # fmt: skip
@click.option(
    "--family",
    type=click.Choice(list(FAMILIES)),
    default="first",
    show_default=True,
    help="Whose sentences: an extractor that was changed after one is measured on another.",
)
@click.option("--name", default="", metavar="NAME", help="The name of the suite.")
@click.option("--json", "target", default="-", metavar="PATH|-", help="Where to write it.")
def generate_command(
    seed: int,
    languages: str | None,
    turns: int | None,
    facts: int | None,
    family: str,
    name: str,
    target: str,
) -> None:
    """Write a labelled suite from a seed: statements, corrections and forgets in small talk.

    `palimpsest bench run FILE` and `palimpsest bench gap FILE` read it.
    """
    if facts is not None:
        if languages is not None or turns is not None or family != "first":
            raise InputError("--facts: is a chat in English as long as its facts take; leave out "
                             "--languages, --turns and --family")  # fmt: skip
        made = many(seed=seed, facts=facts, name=name)
    else:
        chosen = LANGUAGES if languages is None else tuple(languages.replace(" ", "").split(","))
        made = talk(seed=seed, languages=chosen, turns=turns or 0, name=name,
                    family=family)  # fmt: skip
    with json_output(target) as write:
        write(made)
