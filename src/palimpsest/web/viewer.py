"""One request as it is sent, piece by piece, beside what is stored and not sent.

Invariant: the pieces of a message, joined, are its text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from palimpsest.web.marks import FINDINGS, MARKS, Mark, State, state_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A run of characters of one part; ``mark`` where it is a listed fact."""

    text: str
    part: str
    mark: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One message."""

    number: int
    role: str
    pieces: tuple[Piece, ...]
    other: str = ""
    """What it carries beside text, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A run of turns or of memories, or a note, that is stored and not sent."""

    what: Literal["turn", "memory", "note"]
    reason: str
    first: int
    """The first turn or memory of the run; the turn of a note."""
    last: int
    texts: tuple[str, ...] = ()
    more: int = 0
    """Memories of the run whose words are not in the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fact that is missing, or there and should not be."""

    mark: Mark
    fact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """One request."""

    id: str
    strategy: str
    after: int
    tokens: int
    budget: int
    findings: tuple[Finding, ...]
    messages: tuple[Sent, ...]
    left: tuple[Left, ...]


def viewer(report: Mapping[str, Any], strategy: str, at: int, place: int, prefix: str) -> Viewer:
    """The viewer of one request of a suite's report."""
    row = report["checkpoints"][strategy][place]
    request = report["requests"][strategy][place]
    listed = _listed(report, row["after"])
    return Viewer(
        id=f"{prefix}r{at}-{place}", strategy=strategy, after=row["after"],
        tokens=row["input_tokens"], budget=report["input_budget"],
        findings=tuple(_findings(row)),
        messages=tuple(
            _sent(number, message, report["texts"][said], cut, listed)
            for number, (message, said, cut) in enumerate(
                zip(request["messages"], request["said"], request["spans"], strict=True), 1
            )
        ),
        left=tuple(_left(report, strategy, request["ledger"])),
    )  # fmt: skip


def _listed(report: Mapping[str, Any], after: int) -> dict[str, str]:
    """The facts that a checkpoint lists, each with how."""
    found = {}
    for fact in report["facts"]:
        for at in fact["checkpoints"]:
            if at["after"] == after and at["listed"]:
                found[fact["fact"]] = at["listed"]
    return found


def _findings(row: Mapping[str, Any]) -> Iterator[Finding]:
    states: tuple[tuple[str, State], ...] = (
        ("deleted", "leaked"), ("stale", "stale"), ("missing", "missing"),
    )  # fmt: skip
    for key, state in states:
        for fact in row[key]:
            yield Finding(mark=MARKS[state], fact=fact)


def _sent(
    number: int, message: Mapping[str, Any], text: str, cut: Sequence[Sequence[Any]],
    listed: Mapping[str, str],
) -> Sent:  # fmt: skip
    rest = {key: value for key, value in message.items() if key not in ("role", "content")}
    return Sent(
        number=number, role=message["role"], pieces=tuple(_pieces(text, cut, listed)),
        other=_json(rest) if rest else "",
    )  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _pieces(text: str, cut: Sequence[Sequence[Any]], listed: Mapping[str, str]) -> Iterator[Piece]:
    """Cut a text at the edges of its parts and of the facts in it."""
    facts = _occurrences(text, listed)
    edges = {0, len(text)}
    edges.update(edge for _, start, end in cut for edge in (start, end))
    edges.update(edge for start, end, _ in facts for edge in (start, end))
    ordered = sorted(edge for edge in edges if 0 <= edge <= len(text))
    for start, end in pairwise(ordered):
        part = next((p for p, s, e in cut if s <= start and end <= e), "frame")
        mark = next((m for s, e, m in facts if s <= start and end <= e), None)
        yield Piece(text=text[start:end], part=part, mark=mark)


def _occurrences(text: str, listed: Mapping[str, str]) -> list[tuple[int, int, Mark]]:
    found = []
    for fact, how in listed.items():
        at = text.find(fact)
        while at >= 0 and fact:
            found.append((at, at + len(fact), MARKS[state_of(how, present=True)]))
            at = text.find(fact, at + 1)
    # A leak within a longer fact that is current must be seen.
    return sorted(found, key=lambda each: each[2].state not in FINDINGS)


def _left(report: Mapping[str, Any], strategy: str, ledger: Mapping[str, Any]) -> Iterator[Left]:
    for entry in ledger["turns"]:
        if not entry["kept"]:
            yield Left(
                what="turn", reason=entry["reason"], first=entry["first"], last=entry["last"]
            )
    memories = report["memories"].get(report["policies"][strategy], {})
    for entry in ledger["memories"]:
        if entry["seated"]:
            continue
        known = [
            memories[id] for n in range(entry["first"], entry["last"] + 1)
            if (id := str(n)) in memories
        ]  # fmt: skip
        yield Left(
            what="memory", reason=entry["reason"], first=entry["first"], last=entry["last"],
            texts=tuple(report["texts"][memory["text"]] for memory in known[:_SHOWN]),
            more=max(0, len(known) - _SHOWN),
        )  # fmt: skip
    for note in ledger["notes"]:
        if not note["sent"]:
            yield Left(what="note", reason="no-room", first=note["turn"], last=note["turn"])


_SHOWN = 20
"""Memories of one run whose words stand in the page."""
