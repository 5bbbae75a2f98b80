"""The outcome of a check as a comment for a pull request: what got worse comes first.

Facts are quoted as code, so that no text of a suite is read as Markdown, as HTML or as a
mention. The comment opens with a mark by which a bot finds its earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.bench.compare import Comparison
from palimpsest.bench.gate_lines import BLESS, GateLine, counts, lines
from palimpsest.language.invisible import shown

MARK = "<!-- palimpsest bench check -->"
LONGEST = 60_000
"""Characters; a comment on GitHub holds 65,536."""
_TITLES = {
    "pass": "as blessed",
    "regression": "differs from the baseline",
    "error": "could not be compared",
}


def markdown(outcome: Comparison) -> str:
    """The comment, at most ``LONGEST`` characters and a closing line."""
    found = lines(outcome)
    head = [
        MARK,
        f"### palimpsest: {_TITLES[outcome.verdict]}",
        "",
        f"**{outcome.verdict}**" + _of(outcome),
    ]
    body: list[str] = []
    body += _section("Nothing was compared", [f"- {code(reason)}" for reason in outcome.refusals])
    body += _section("Worse", [_item(line) for line in found if line.blocks])
    other = [_item(line) for line in found if not line.blocks]
    body += _section(f"Different, until `{BLESS}`", other)
    body += [line for note in outcome.notes for line in ("", f"Note: {code(note)}")]
    return "\n".join(_within([*head, *body])) + "\n"


def _of(outcome: Comparison) -> str:
    if outcome.verdict == "error":
        return ""
    return f", {len(outcome.cases)} cases compared" + (
        f": {counts(outcome)}" if outcome.findings else ""
    )


def _section(title: str, items: Sequence[str]) -> list[str]:
    return ["", f"#### {title}", "", *items] if items else []


def _item(line: GateLine) -> str:
    why = f"  \n  {code(line.why)}" if line.why else ""
    return f"- **{line.kind}** {code(line.case)}: {code(line.text)}{why}"


def code(text: str) -> str:
    """A code span that holds any one-line text."""
    text = shown(text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _within(found: Sequence[str]) -> Iterator[str]:
    left = LONGEST
    for place, line in enumerate(found):
        left -= len(line) + 1
        if left < 0:
            rest = sum(line.startswith("- ") for line in found[place:])
            yield f"- ... and {rest} more; `palimpsest bench check` prints them all"
            return
        yield line
