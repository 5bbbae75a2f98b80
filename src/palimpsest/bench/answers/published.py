"""Reads recordings in the published form: one JSON object of answers by name.

A name is ``strategy · turn 40`` with a table of checkpoints, or the strategy with a list of
answers, or the strategy with answers by case. It carries no requests, so what a request held
is unknown. Invariant: every answer of the file is in the recording, in the file's order.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from palimpsest.bench.answers.cases import id_of
from palimpsest.errors import InputError
from palimpsest.models import recordings
from palimpsest.models.recordings import GivenAnswer, Recording
from palimpsest.types import canonical

ONLY_CASE = "request"
"""The case of answers that a file gives by strategy alone."""


def load(path: Path) -> Recording:
    """A recording in either form; raises InputError."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        data = None  # several lines of JSON are our own form
    if isinstance(data, Mapping) and isinstance(data.get("answers"), Mapping):
        return parse(data, str(path))
    return recordings.read(path)


def parse(data: Mapping[str, Any], where: str) -> Recording:
    """The recording that a published object holds."""
    points = data.get("checkpoints", {})
    try:
        found = tuple(_answers(data["answers"], points))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{where}: is not a recording of answers ({error!r})") from None
    counted = Counter((given.strategy, given.case, given.seed) for given in found)
    twice = next((key for key, count in counted.items() if count > 1), None)
    if twice is not None:
        raise InputError(
            f"{where}: the same answer to one request and seed stands twice: {twice!r}; keep one"
        )
    return Recording(head=None, answers=found)


def _answers(named: Mapping[str, Any], points: Mapping[str, int]) -> Iterator[GivenAnswer]:
    for name, given in named.items():
        if isinstance(given, Mapping):
            for case, answers in given.items():
                yield from (_answer(name, case, row) for row in answers)
        elif name in points:
            case = id_of(points[name])
            strategy = name.removesuffix(case).rstrip(" ·")
            yield from (_answer(strategy, case, row) for row in given)
        else:
            yield from (_answer(name, ONLY_CASE, row) for row in given)


def _answer(strategy: str, case: str, row: Mapping[str, Any]) -> GivenAnswer:
    return GivenAnswer(
        strategy=strategy,
        case=case,
        seed=row["seed"],
        answer=row["answer"],
        tool_calls=tuple(canonical(call) for call in row.get("tool_calls", ())),
        stop=row.get("done_reason", "stop"),
        prompt_tokens=row.get("prompt_tokens"),
        answer_tokens=row.get("answer_tokens"),
    )
