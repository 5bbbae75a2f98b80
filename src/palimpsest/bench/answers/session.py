"""Puts a recording together: the suite's requests, a model, a file; and a grading likewise.

The requests are built with the tokenizer of the model that will answer where it is one of
this machine, so that the budget is counted in the model's own tokens.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from palimpsest import __version__
from palimpsest.bench.answers import keys, published
from palimpsest.bench.answers.cases import AnswerCase
from palimpsest.bench.answers.graded import Graded, grade_all, same_suite
from palimpsest.bench.answers.record import Recorded, record
from palimpsest.bench.answers.subjects import (
    Built,
    Subject,
    build,
    cases_of,
    find,
    hash_of,
    keys_of,
)
from palimpsest.bench.case_file import Split
from palimpsest.bench.run import Options
from palimpsest.chat import Sampling
from palimpsest.errors import InputError
from palimpsest.models.recordings import Head, Recording, journal
from palimpsest.models.resolve import own_tokenizer
from palimpsest.protocols import ChatModel

NO_SUITE = "-"
"""In the place of a suite: the key file itself lists the cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be recorded."""

    strategies: tuple[str, ...] = ()
    """Spec texts; the defaults of a suite or of a case set where there is none."""
    checkpoints: tuple[int, ...] = ()
    """Turns of a suite; every checkpoint where there is none."""
    splits: tuple[Split, ...] = ()
    """Splits of a case set; the held-out one where there is none."""
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    sampling: Sampling = field(default_factory=Sampling)
    config: Path | None = None
    tokenizer: str | None = None


def build_for(subject: Subject, wanted: Wanted, model: str) -> Built:
    """Build the requests, counted by the tokenizer that fits the model."""
    options = Options(
        config=wanted.config, tokenizer=wanted.tokenizer or own_tokenizer(model), sweep=()
    )
    return build(
        subject, options, strategies=wanted.strategies, checkpoints=wanted.checkpoints,
        splits=wanted.splits,
    )  # fmt: skip


def record_all(
    built: Built,
    wanted: Wanted,
    model: ChatModel,
    out: Path,
    step: Callable[[int, int], None] | None = None,
) -> Recorded:
    """Ask the model and keep the answers in ``out``; raises ModelError or InputError."""
    with journal(out, head_of(built, wanted.sampling, model)) as kept:
        return record(
            kept, model, built.asks, seeds=wanted.seeds, sampling=wanted.sampling, step=step
        )


def head_of(built: Built, sampling: Sampling, model: ChatModel) -> Head:
    """What every answer of this recording has in common."""
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    return Head(
        suite=built.name,
        suite_hash=built.hash,
        config=built.config.fingerprint,
        tokenizer=built.frame.name,
        tokenizer_fingerprint=built.frame.fingerprint,
        model=model.identity,
        sampling=sampling,
        palimpsest=__version__,
        started=now.isoformat().replace("+00:00", "Z"),
        markers=built.frame.markers,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    """A recording with its grades."""

    suite: str
    recording: Recording
    groups: tuple[Graded, ...]


def grade_file(suite: str, answers: Path, key_file: Path | None = None) -> Grading:
    """Grade a recording offline; raises InputError where suite, keys and answers do not fit."""
    recording = published.load(answers)
    given = keys.load(key_file) if key_file is not None else None
    if suite == NO_SUITE:
        if given is None or not given.cases:
            raise InputError("without a suite the keys must list the cases; give --keys FILE")
        return _graded(given.where, recording, given, given.cases)
    found = find(suite)
    same_suite(recording, found.name, hash_of(found))
    own = given or keys_of(found)
    if own is None:
        raise InputError(
            f"{found.name}: has no keys, so its answers cannot be graded; write a pattern for "
            'each fact under "keys" in the suite, or give --keys FILE'
        )
    return _graded(found.name, recording, own, cases_of(found))


def _graded(
    name: str, recording: Recording, own: keys.Keys, listed: Mapping[str, AnswerCase]
) -> Grading:
    return Grading(suite=name, recording=recording, groups=grade_all(recording, own, listed))


def parse_seeds(text: str) -> tuple[int, ...]:
    """Read ``1,2,3``; raises InputError."""
    found: list[int] = []
    for part in text.split(","):
        if not part.strip().isascii() or not part.strip().isdigit():
            raise InputError(f"--seeds {text!r}: {part!r} is not a whole number; write 1,2,3")
        found.append(int(part))
    return tuple(dict.fromkeys(found))


def check_sampling(sampling: Sampling) -> None:
    """Raise InputError where a value is outside its range."""
    ranges: Sequence[tuple[str, float, float]] = (
        ("temperature", 0, 2), ("top_p", 0, 1), ("top_k", 0, 100_000),
    )  # fmt: skip
    for name, least, most in ranges:
        value = getattr(sampling, name)
        if not least <= value <= most:
            shown = name.replace("_", "-")
            raise InputError(f"--{shown}: {value!r} is not between {least} and {most}")
