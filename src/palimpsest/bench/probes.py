"""Probes: named facts that are looked for in a finished request, by exact text.

A fact is present where it stands raw, escaped, or as a note quotes it. One that a later
fact supersedes is ``stale`` where it is present and ``absent`` where not; any other is
``preserved`` or ``lost``. Invariant: only the messages and the probe decide a status; what
the paraphrase matcher accepts stands beside it and changes no count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from palimpsest.bench import paraphrase
from palimpsest.bench.grade import places_of, text_of
from palimpsest.bench.paraphrase import Accepted
from palimpsest.errors import InputError
from palimpsest.types import Message, Turn

ProbeKind = Literal["decision", "constraint", "detail"]
Status = Literal["preserved", "lost", "stale", "absent"]
STATUSES: tuple[Status, ...] = get_args(Status)
_KINDS: tuple[ProbeKind, ...] = get_args(ProbeKind)
_KEYS = ("id", "kind", "fact", "superseded_by")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One fact, named."""

    id: str
    kind: ProbeKind
    fact: str
    superseded_by: str | None = None
    """The id of the probe whose fact replaced this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one fact in one request."""

    probe: Probe
    status: Status
    messages: tuple[int, ...]
    """The indexes of the messages in which it stands."""
    paraphrase: Accepted | None = None
    """A sentence that says it in other words, where it does not stand; for review."""

    @property
    def paraphrased(self) -> Status | None:
        """The status that the paraphrase would give it; ``None`` where there is none."""
        if self.paraphrase is None:
            return None
        return "stale" if self.probe.superseded_by else "preserved"


def read(data: object, *, where: str = "probes") -> tuple[Probe, ...]:
    """Read a list of probes; raises InputError with the path to the fault."""
    if not isinstance(data, Sequence) or isinstance(data, (str, bytes)):
        raise InputError(f"{where}: {data!r:.60} is not a list of probes")
    found = tuple(_probe(item, f"{where}[{i}]") for i, item in enumerate(data))
    ids = Counter(probe.id for probe in found)
    for place, probe in enumerate(found):
        if ids[probe.id] > 1:
            raise InputError(f"{where}[{place}].id: {probe.id!r} names {ids[probe.id]} probes")
        _check_successor(probe, found, f"{where}[{place}].superseded_by")
    return found


def _probe(value: object, path: str) -> Probe:
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: {value!r:.60} is not a probe object")
    unknown = [key for key in value if key not in _KEYS]
    if unknown:
        raise InputError(
            f"{path}: unknown {', '.join(map(repr, unknown))}; known keys: {', '.join(_KEYS)}"
        )
    named = [*_KEYS[:3], *(k for k in _KEYS[3:] if value.get(k) is not None)]
    texts = {key: _text(value, key, path) for key in named}
    if texts["kind"] not in _KINDS:
        raise InputError(f"{path}.kind: {texts['kind']!r} is not one of {', '.join(_KINDS)}")
    return Probe(**texts)  # type: ignore[arg-type]  # the kind was checked


def _text(value: Mapping[str, Any], key: str, path: str) -> str:
    if key not in value:
        raise InputError(f"{path}.{key}: is missing; a probe needs id, kind and fact")
    if not isinstance(value[key], str) or not value[key].strip():
        raise InputError(f"{path}.{key}: {value[key]!r:.60} is not a text, or is blank")
    return str(value[key])


def _check_successor(probe: Probe, known: Sequence[Probe], path: str) -> None:
    """A fact is superseded by another probe's fact, and never in a circle."""
    by_id = {item.id: item for item in known}
    seen, at = {probe.id}, probe.superseded_by
    while at is not None:
        if at not in by_id:
            raise InputError(f"{path}: {at!r} is no probe; known: {', '.join(by_id)}")
        if at in seen:
            raise InputError(f"{path}: {at!r} supersedes itself in a circle")
        seen.add(at)
        at = by_id[at].superseded_by


def report(
    sent: Sequence[Message], probes: Sequence[Probe], markers: Sequence[str] = ()
) -> tuple[Outcome, ...]:
    """What became of each fact in a request; ``markers`` are its frame's control strings."""
    texts = [text_of(message) for message in sent]
    return tuple(_outcome(probe, texts, markers) for probe in probes)


def _outcome(probe: Probe, texts: Sequence[str], markers: Sequence[str]) -> Outcome:
    places = places_of(probe.fact, texts, markers)
    status: Status
    if probe.superseded_by:
        status = "stale" if places else "absent"
    else:
        status = "preserved" if places else "lost"
    return Outcome(
        probe=probe, status=status, messages=places,
        paraphrase=None if places else paraphrase.find(probe.fact, texts),
    )  # fmt: skip


def totals(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many facts have each status by exact text; statuses that do not occur are left out."""
    counted = Counter(outcome.status for outcome in outcomes)
    return {status: counted[status] for status in sorted(counted)}


def paraphrase_totals(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many facts the paraphrase matcher accepted, by the status that it would give."""
    counted = Counter(o.paraphrased for o in outcomes if o.paraphrased is not None)
    return {str(status): counted[status] for status in sorted(counted)}


def said_in(probe: Probe, turns: Sequence[Turn]) -> tuple[int, ...]:
    """The turns whose texts hold the fact; none makes a probe that can only be lost."""
    return tuple(
        turn.number
        for turn in turns
        if places_of(probe.fact, [text_of(message) for message in turn.messages])
    )
