"""One compaction request under several extractors, side by side with the baseline.

Every column is built from the same request, budget and tokenizer. With probes, each column
says what became of each fact; without them it shows sizes and notes only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.bench import probes as probing
from palimpsest.bench.probes import Outcome, Probe
from palimpsest.bench.report_schema import SCHEMA
from palimpsest.compaction import compact
from palimpsest.config import Config
from palimpsest.context.compact import DROP_OLDEST, Compaction, as_json
from palimpsest.context.compaction_request import CompactionRequest
from palimpsest.context.extraction import named
from palimpsest.protocols import Counter
from palimpsest.types import Frame

BESIDE = ("cues", "statements")
"""The extractors that are shown beside the one that was asked for, where there are probes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One way to build the request, and what it kept of the facts."""

    compaction: Compaction
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The columns by their extractor; the first is the one that was asked for."""

    name: str
    request: CompactionRequest
    config: Config
    frame: Frame
    probes: tuple[Probe, ...]
    said: Mapping[str, tuple[int, ...]]
    """By probe id, the turns that say its fact."""
    columns: Mapping[str, Column]

    @property
    def asked(self) -> Column:
        return next(iter(self.columns.values()))


def compare(
    request: CompactionRequest,
    probes: Sequence[Probe],
    *,
    name: str,
    extractor: str,
    counter: Counter,
    config: Config,
) -> Comparison:
    """Build every column; raises RequiredContextTooLarge where the required part is too large."""
    beside = BESIDE if probes else ()
    wanted = dict.fromkeys((named(extractor), *beside, DROP_OLDEST))
    columns = {}
    for key in wanted:
        made = compact(request, extractor=key, counter=counter, config=config)
        found = probing.report(made.request.sent, probes, counter.frame.markers)
        columns[key] = Column(compaction=made, outcomes=found)
    return Comparison(
        name=name, request=request, config=config, frame=counter.frame, probes=tuple(probes),
        said={probe.id: probing.said_in(probe, request.history) for probe in probes},
        columns=columns,
    )  # fmt: skip


def report(found: Comparison) -> dict[str, Any]:
    """The comparison as JSON: the published keys, and the other extractors beside them."""
    columns = {key: _column(column, found) for key, column in found.columns.items()}
    asked, *others = columns
    return {
        "schema": SCHEMA,
        "request": found.name,
        "counter": {
            "name": found.frame.name,
            "fingerprint": found.frame.fingerprint,
            "estimated": found.frame.estimated,
        },
        "settings": found.config.fingerprint,
        "compacted": columns[asked],
        "drop_oldest": columns[DROP_OLDEST],
        "beside": {key: columns[key] for key in others if key != DROP_OLDEST},
    }


def _column(column: Column, found: Comparison) -> dict[str, Any]:
    data = as_json(column.compaction)
    if not found.probes:
        return data
    return {
        **data,
        "probes": [_outcome(outcome, found) for outcome in column.outcomes],
        "probe_totals": probing.totals(column.outcomes),
        "paraphrase": {
            "totals": probing.paraphrase_totals(column.outcomes),
            "review": [_review(o) for o in column.outcomes if o.paraphrase],
        },
    }


def _outcome(outcome: Outcome, found: Comparison) -> dict[str, Any]:
    probe = outcome.probe
    return {
        "id": probe.id,
        "kind": probe.kind,
        "status": outcome.status,
        "fact": probe.fact,
        "superseded_by": probe.superseded_by,
        "said_in": list(found.said[probe.id]),
        "messages": list(outcome.messages),
    }


def _review(outcome: Outcome) -> dict[str, Any]:
    accepted = outcome.paraphrase
    assert accepted is not None
    return {
        "id": outcome.probe.id,
        "matcher": "paraphrase",
        "status": outcome.paraphrased,
        "fact": outcome.probe.fact,
        "sentence": accepted.sentence,
        "message": accepted.message,
        "carriers": list(accepted.carriers),
        "words": list(accepted.words),
        "missing": list(accepted.missing),
    }
