"""Shows what became of the forgotten facts of a suite: strategies down, later moments across.

Signs carry the meaning: a number with its sign is a leak, a dash does not apply.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from palimpsest.bench.forgotten_stages import STAGES, ForgottenAfter, Kept, Stage
from palimpsest.cli.bench_table import FORGOTTEN, empty
from palimpsest.cli.row_names import explained, row_names
from palimpsest.language.invisible import shown

_HEADS: dict[Stage, str] = {
    "checkpoints": "later", "consolidated": "consolidated", "restarted": "restarted",
    "read again": "read again", "moved": "imported",
}  # fmt: skip
LEGEND = (
    f"{FORGOTTEN} sent   0 looked for, not sent   - does not apply   ( ) baseline, for the contrast"
)


def forgotten_table(after: ForgottenAfter, width: int) -> Iterator[RenderableType]:
    """The table of one suite, or the line that says why there is none."""
    if not after.facts:
        yield Text("forgotten after: nothing, the suite forgets no fact that it lists", style="dim")
        return
    keys = {one.key: one.key if one.bound else f"({one.key})" for one in after.strategies}
    names = row_names(tuple(keys.values()), width)
    table = empty(f"forgotten after, of {len(after.facts)}")
    for stage in STAGES:
        table.add_column(_HEADS[stage], justify="right")
    for one in after.strategies:
        table.add_row(Text(names[keys[one.key]]), *(_cell(one, stage) for stage in STAGES))
    yield table
    yield from (Text(shown(line), style="dim") for line in explained(names))
    yield Text(LEGEND, style="dim")


def _cell(one: Kept, stage: Stage) -> Text:
    sent = one.facts(stage)
    if sent is None:
        return Text("-", style="dim")
    if not sent:
        return Text("0", style="green")
    return Text(f"{FORGOTTEN}{len(sent)}", style="bold red" if one.bound else "red")
