"""``palimpsest model``: prepare and verify the model that answers on this machine."""

from __future__ import annotations

import time

import click

from palimpsest.cli.tokenizer import bars
from palimpsest.models import weights

_NAME = click.argument("name", type=click.Choice([weights.NAME]))


@click.group()
def model() -> None:
    """The small model that answers on this machine.

    Nothing is ever fetched but by `prepare`.
    """


@model.command()
@_NAME
def prepare(name: str) -> None:
    """Fetch and check the weights of the model NAME, and its tokenizer with them."""
    began = time.monotonic()
    with bars() as report:
        path = weights.prepare(progress=report)
    click.echo(f"{name}: ready ({time.monotonic() - began:.1f} s), in {path}")
    click.echo(f"  its tokenizer is {weights.TOKENIZER}")


@model.command()
@_NAME
def verify(name: str) -> None:
    """Compare the weights of the model NAME with their pinned checksum."""
    click.echo(f"{weights.verified()}: is intact")
