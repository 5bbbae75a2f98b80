"""The blessed record of a run: what every request held, as plain records and as a file.

One case is one strategy at one checkpoint. The file ends with a hash of all that is before
it, so only ``palimpsest bench bless`` moves it: an edit by hand or by a merge is refused.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from palimpsest import __version__, registry
from palimpsest.bench.replay import Replayed, Row
from palimpsest.bench.source import source_hash
from palimpsest.config import Config
from palimpsest.errors import InputError, NotFound
from palimpsest.ledger import Request
from palimpsest.types import canonical

SCHEMA = 1
_STRICT = ConfigDict(extra="forbid", strict=True)


@with_config(_STRICT)
@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One strategy at one checkpoint: what its request missed and leaked, and its hash."""

    strategy: str
    after: int
    variant: str = ""
    """The point of the settings' sweep, such as ``quota=120``; empty for the run itself."""
    tokens: int
    request: str
    """``sha256:`` of the messages and tools that were sent."""
    missing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, int, str]:
        """What two runs compare this case by."""
        return self.strategy, self.after, self.variant


@with_config(_STRICT)
@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The tokenizer of a run."""

    name: str
    fingerprint: str


@with_config(_STRICT)
@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRecord:
    """One suite of a run. Suite, settings and tokenizer must agree for two to compare."""

    name: str
    suite: str
    """The suite's fingerprint."""
    config: str
    """The fingerprint of ``settings``."""
    settings: Mapping[str, Any]
    tokenizer: Counted
    strategies: Mapping[str, str]
    """Strategy key to printed Spec."""
    bound: tuple[str, ...]
    """The strategies that may never send a forgotten fact: those that read the managed store."""
    storage: Mapping[str, Mapping[str, int]]
    cases: tuple[Case, ...]


@with_config(_STRICT)
@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How the run was asked for, so that a check asks for the same."""

    suites: tuple[str, ...] = ()
    """Names of built-in suites, or paths from the baseline's folder; empty for all built-in."""
    strategies: tuple[str, ...] = ()
    config: str | None = None
    tokenizer: str | None = None


@with_config(_STRICT)
@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A whole run."""

    schema: int = SCHEMA
    palimpsest: str
    code: str
    """``sha256:`` of the package's source."""
    ran: Ran
    suites: tuple[SuiteRecord, ...]


_READER: TypeAdapter[Baseline] = TypeAdapter(Baseline)


def record(runs: Sequence[Replayed], ran: Ran) -> Baseline:
    """What a run showed, ready to be blessed or compared."""
    return Baseline(
        palimpsest=__version__,
        code=source_hash(),
        ran=ran,
        suites=tuple(_suite(run) for run in runs),
    )


def _suite(run: Replayed) -> SuiteRecord:
    return SuiteRecord(
        name=run.suite.name,
        suite=run.suite.fingerprint,
        config=run.config.fingerprint,
        settings=settings_of(run.config),
        tokenizer=Counted(name=run.frame.name, fingerprint=run.frame.fingerprint),
        strategies={entrant.key: registry.render(entrant.spec) for entrant in run.entrants},
        bound=tuple(entrant.key for entrant in run.entrants if entrant.policy == "managed"),
        storage={
            entrant.key: dataclasses.asdict(run.storage[entrant.policy])
            for entrant in run.entrants
            if entrant.strategy.memory
        },
        cases=tuple(_cases(run)),
    )


def settings_of(config: Config) -> dict[str, Any]:
    """Every setting as plain data, by table and key."""
    found: dict[str, Any] = json.loads(canonical(dataclasses.asdict(config)))
    return found


def _cases(run: Replayed) -> Iterator[Case]:
    for variant, key, row in rows(run):
        yield Case(
            strategy=key,
            after=row.after,
            variant=variant,
            tokens=row.tokens,
            request=request_hash(row.request),
            missing=row.grade.missing,
            stale=row.grade.stale,
            deleted=row.grade.deleted,
        )


def rows(run: Replayed) -> Iterator[tuple[str, str, Row]]:
    """Every row of a run with its variant and strategy key: the run itself, then its sweep.

    The quota of the run itself stands in the sweep again and is told once.
    """
    for key, found in run.rows.items():
        for row in found:
            yield "", key, row
    for quota, swept in run.sweep.items():
        for key, found in swept.items() if quota != run.config.facts.quota else ():
            for row in found:
                yield f"quota={quota}", key, row


def request_hash(request: Request) -> str:
    """A tagged hash of exactly what is sent."""
    sent = canonical([request.messages, [tool.as_dict() for tool in request.tools]])
    return "sha256:" + hashlib.sha256(sent.encode()).hexdigest()


def dumps(baseline: Baseline) -> str:
    """The text of a baseline file."""
    data = dataclasses.asdict(baseline)
    return json.dumps({**data, "sum": _sum(data)}, indent=1, ensure_ascii=False) + "\n"


def load(path: Path) -> Baseline:
    """Read a baseline file; raises NotFound and InputError with the command to run."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise NotFound(
            f"{path}: there is no baseline; write one with `palimpsest bench bless "
            f"--baseline {path}`"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    return loads(text, where=str(path))


def loads(text: str, *, where: str) -> Baseline:
    """Read the text of a baseline file."""
    bless = f"write it anew with `palimpsest bench bless --baseline {where}`"
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not valid JSON ({error}); {bless}") from None
    if not isinstance(data, dict) or "schema" not in data:
        raise InputError(f"{where}: is JSON, but no baseline; {bless}")
    if data["schema"] != SCHEMA:
        raise InputError(
            f"{where}: is a baseline of schema {data['schema']!r}, this version reads {SCHEMA}; "
            f"{bless}"
        )
    given = data.pop("sum", None)
    if given != _sum(data):
        raise InputError(f"{where}: was changed after it was blessed (its sum differs); {bless}")
    try:
        return _READER.validate_json(json.dumps(data))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{where}: {place}: {first['msg']}; {bless}") from None


def _sum(data: Mapping[str, Any]) -> str:
    return "sha256:" + hashlib.sha256(canonical(data).encode()).hexdigest()
