"""``palimpsest measure``: repeats the measurements that the constants were read from.

Each measurement lives in ``measure_NAME`` and is loaded when it is named.
"""

from __future__ import annotations

import importlib

import click

_MEASUREMENTS = {
    "confidence": "Count candidates by confidence, and say what a zero count allows.",
    "dedup": "Show how dedup scores spread around the threshold.",
    "recall": "Measure what recall finds among more and more memories.",
    "seats": "Count the seats of requests by reason.",
}


class _Measurements(click.Group):
    """A group that imports a measurement only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_MEASUREMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MEASUREMENTS:
            return None
        module = importlib.import_module(f"palimpsest.cli.measure_{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _MEASUREMENTS[name]) for name in self.list_commands(ctx)])


@click.group(cls=_Measurements)
def measure() -> None:
    """Repeat the measurements that the constants were read from."""
