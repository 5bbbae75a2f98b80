"""The context of the report page: everything that its template shows, as records.

Made from the JSON report alone, so a kept report renders without a new run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.errors import InputError
from palimpsest.web.budget import Bar, bars
from palimpsest.web.forgotten_block import ForgottenBlock, forgotten_block
from palimpsest.web.matrix import Matrix, matrix
from palimpsest.web.sweep_plots import Plot, plots
from palimpsest.web.viewer import Viewer, viewer

REQUESTS = 240
"""The most requests that are drawn; the checkpoints with the most findings come first."""
VIEWER_CHARACTERS = 1_500_000
"""The most characters of requests that are shown whole; those with findings come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One strategy over all checkpoints."""

    strategy: str
    spec: str
    bound: bool
    """The laws on replaced and forgotten facts bind it; the others are baselines."""
    found: int
    required: int
    stale: int
    leaked: int

    @property
    def missing(self) -> int:
        """Required facts that were not there."""
        return self.required - self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of the transcript."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePage:
    """One suite of the report."""

    name: str
    id: str
    description: str
    verdicts: tuple[Verdict, ...]
    matrix: Matrix
    later: ForgottenBlock | None
    """What was forgotten, at later moments; ``None`` where it was not looked for."""
    bars: tuple[Bar, ...]
    viewers: tuple[Viewer, ...]
    unshown: int
    """Requests that stand only in the JSON report."""
    undrawn: int
    """Checkpoints that stand only there."""
    plots: tuple[Plot, ...]
    transcript: tuple[tuple[Line, ...], ...]
    provenance: tuple[tuple[str, str], ...]
    estimated: bool
    """The tokens are an estimate, not counts."""


def suite_pages(report: Mapping[str, Any], where: str) -> tuple[SuitePage, ...]:
    """The pages of a report's suites; raises InputError for what is no report with requests."""
    try:
        return tuple(_pages(report, where))
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise InputError(
            f"{where}: is no report of 'palimpsest bench run --requests --json' "
            f"({type(error).__name__}: {error})"
        ) from None


def _pages(report: Mapping[str, Any], where: str) -> Iterator[SuitePage]:
    suites = report.get("suites")
    if not isinstance(suites, dict):
        suites = {report.get("suite", {}).get("name", "suite"): report}
    for number, (name, suite) in enumerate(suites.items()):
        missing = [key for key in ("requests", "facts", "turns", "texts") if key not in suite]
        if missing:
            raise InputError(
                f"{where}: the report of {name!r} has no {missing[0]!r}; make it anew with "
                "'palimpsest bench run --requests --json FILE', or give --html to bench run"
            )
        yield _suite(name, suite, f"s{number}-")


def _suite(name: str, report: Mapping[str, Any], prefix: str) -> SuitePage:
    places = _places(report)
    viewers, unshown = _viewers(report, prefix, places)
    texts = report["texts"]
    return SuitePage(
        name=name, id=prefix.rstrip("-"), description=report["description"],
        verdicts=tuple(_verdicts(report)), matrix=matrix(report, prefix, places),
        later=forgotten_block(report), bars=bars(report, prefix, places), viewers=viewers, unshown=unshown,
        undrawn=len(next(iter(report["checkpoints"].values()), ())) - len(places), plots=plots(report),
        transcript=tuple(
            tuple(Line(role=said["role"], text=texts[said["text"]]) for said in turn)
            for turn in report["turns"]
        ),
        provenance=tuple(_provenance(report)), estimated=report["tokenizer"]["estimated"],
    )  # fmt: skip


def _verdicts(report: Mapping[str, Any]) -> Iterator[Verdict]:
    for strategy, total in report["totals"].items():
        yield Verdict(
            strategy=strategy, spec=report["strategies"][strategy],
            bound=strategy in report["bound"], found=total["found"], required=total["required"],
            stale=total["stale"], leaked=total["deleted"],
        )  # fmt: skip


def _places(report: Mapping[str, Any]) -> tuple[int, ...]:
    """The checkpoints to draw, in their order: all, or those with the most findings."""
    rows = tuple(report["checkpoints"].values())
    count = len(rows[0]) if rows else 0
    most = max(1, REQUESTS // max(len(rows), 1))
    weight = [sum(_findings(each[place]) for each in rows) for place in range(count)]
    chosen = sorted(range(count), key=lambda place: (-weight[place], place))[:most]
    return tuple(sorted(chosen))


def _viewers(
    report: Mapping[str, Any], prefix: str, places: Sequence[int]
) -> tuple[tuple[Viewer, ...], int]:
    """The requests to show, in the order of the matrix, and how many there was no room for."""
    asked = [(at, name, place) for at, name in enumerate(report["checkpoints"]) for place in places]
    faults = [_findings(report["checkpoints"][name][place]) for _, name, place in asked]
    shown: dict[int, Viewer] = {}
    left = VIEWER_CHARACTERS
    for index in sorted(range(len(asked)), key=lambda index: not faults[index]):
        at, strategy, place = asked[index]
        made = viewer(report, strategy, at, place, prefix)
        size = sum(len(piece.text) for sent in made.messages for piece in sent.pieces)
        if size <= left:
            shown[index] = made
            left -= size
    total = sum(len(rows) for rows in report["checkpoints"].values())
    return tuple(shown[index] for index in sorted(shown)), total - len(shown)


def _findings(row: Mapping[str, Any]) -> int:
    return len(row["deleted"]) + len(row["stale"]) + len(row["missing"])


def _provenance(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    budget = report["budget"]
    yield "suite", f"{report['suite']['name']}, {report['suite']['fingerprint']}"
    yield "settings", report["config"]
    yield "tokenizer", f"{report['tokenizer']['name']}, {report['tokenizer']['fingerprint']}"
    yield "window in tokens", str(budget["context_limit"])
    yield "answer in tokens", str(budget["max_new_tokens"])
    yield "margin in tokens", str(budget["margin"])
    yield "request budget in tokens", str(report["input_budget"])
    yield "facts quota in tokens", str(report["facts_quota"])
    yield "palimpsest", report["palimpsest"]
    yield from report["environment"].items()
