"""Lays out for a chat why a memory, a text or everything is in the last request or not.

Invariant: plain lines that any width of terminal can wrap; every text has its control
characters escaped, and every reason stands beside its code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palimpsest.cli.chat_screen import brief
from palimpsest.language.invisible import shown
from palimpsest.ledger import TurnEntry
from palimpsest.proposals import Verdict
from palimpsest.reason_words import MEMORY, TURN
from palimpsest.types import Memory
from palimpsest.why import MemoryReasons, Place, RequestReasons
from palimpsest.why_text import Said, TextReasons

LISTED = 20
"""Memories that were left out of a request, listed by name."""
_FORGOTTEN = "(forgotten)"


def request_lines(found: RequestReasons, *, everything: bool) -> Iterator[str]:
    """Every turn and every memory of the last request."""
    request = found.request
    yield f"the last request: {request.tokens} tokens, {shown(request.strategy)}"
    if request.degraded:
        yield f"without recall by meaning: {shown(request.degraded)}"
    yield from _turns(found.turns)
    seated = [place for place in found.memories if place.seated]
    others = [place for place in found.memories if not place.seated]
    yield f"memories in it: {len(seated) or 'none'}"
    yield from map(_place, seated)
    yield f"memories left out: {len(others) or 'none'}"
    listed = others if everything else others[-LISTED:]
    yield from map(_place, listed)
    if len(listed) < len(others):
        yield f"  and {len(others) - len(listed)} older ones; /why all lists them"


def memory_lines(found: MemoryReasons) -> Iterator[str]:
    """One memory: what it says, where it stood last, and how it fared before."""
    memory = found.memory
    yield f"#{found.id} {_FORGOTTEN if memory is None else memory_line(memory)}"
    if not found.requests:
        yield "  nothing was asked yet"
    else:
        entry = found.requests[0].entry
        if entry is None:
            yield "  not in the last request: it came after it"
        else:
            state = "in" if entry.seated else "not in"
            yield f"  {state} the last request: {MEMORY[entry.reason]} ({entry.reason})"
    if found.count is not None:
        count = found.count
        yield (
            f"  a candidate {_times(count.candidate)}, in a request {_times(count.served)}, brought "
            f"back by the question {_times(count.recalled)}"
        )


def text_lines(found: TextReasons, words: str) -> Iterator[str]:
    """A text: the memories that say it, else where it was said and what was made of that."""
    for reasons in found.memories:
        yield from memory_lines(reasons)
    if not found.memories:
        yield f"no memory says {brief(words)!r}"
        for said in found.said:
            yield from _said(said)
        if not found.said:
            yield "  and nobody said it in this conversation"
    if found.more:
        yield f"  and {found.more} more of the memories and turns hold it"
    if not found.memories and found.forgotten:
        yield f"  forgotten so far: {found.forgotten}; of those no words are left to find"


def memory_line(memory: Memory) -> str:
    """A memory on one line: its words, its kind, where it came from, its marks."""
    marks = [memory.kind, memory.source]
    if memory.seen > 1:
        marks.append(f"said {_times(memory.seen)}")
    if memory.reach == "global":
        marks.append("everywhere")
    marks += [name for name in ("pinned", "hedged") if getattr(memory, name)]
    if memory.valid_until:
        marks.append(f"until {memory.valid_until[:16]}")
    if memory.superseded_by is not None:
        marks.append(f"replaced by #{memory.superseded_by}")
    return f"{shown(memory.text)}  ({', '.join(map(shown, marks))})"


def verdict_line(verdict: Verdict) -> str:
    """What became of one proposal, and by which rule."""
    made = f" #{verdict.memory}" if verdict.memory else ""
    old = f" over #{verdict.other}" if verdict.other and verdict.other != verdict.memory else ""
    settled = f", {verdict.settled}" if verdict.settled else ""
    words = f": {shown(verdict.text)}" if verdict.text else ""
    return (
        f"verdict {verdict.id}, turn {verdict.turn}: {verdict.action}{made}{old}, rule "
        f"{verdict.rule}{settled}{words}"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _place(place: Place) -> str:
    sign = "+" if place.seated else "-"
    words = _FORGOTTEN if place.memory is None else shown(place.memory.text)
    return f"  {sign} #{place.id} {words}  ({place.reason}: {MEMORY[place.reason]})"


def _said(said: Said) -> Iterator[str]:
    who = "you" if said.by == "user" else "the model"
    yield f"  turn {said.turn}: {who} said it; {_stood(said.entry)}"
    if said.by != "user":
        yield "    only your own words are remembered"
        return
    if said.read in ("pending", "failed"):
        why = "waits to be read" if said.read == "pending" else "could not be read"
        yield f"    the turn {why}"
    for verdict in said.verdicts:
        yield f"    {verdict_line(verdict)}"
    if said.read == "done" and not said.verdicts:
        yield "    it was read, and the extractor found nothing in it to remember"


def _stood(entry: TurnEntry | None) -> str:
    if entry is None:
        return "the last request was built before it"
    if not entry.kept:
        return f"the last request left the turn out: {TURN[entry.reason]} ({entry.reason})"
    less = ", without what was replaced or forgotten" if entry.redacted else ""
    return f"the last request holds the turn{less}: {TURN[entry.reason]} ({entry.reason})"


def _turns(entries: Sequence[TurnEntry]) -> Iterator[str]:
    """Runs of turns with one fate, a line each."""
    runs: list[list[TurnEntry]] = []
    for entry in entries:
        if runs and runs[-1][-1].reason == entry.reason:
            runs[-1].append(entry)
        else:
            runs.append([entry])
    for run in runs:
        first, last, reason = run[0].first, run[-1].last, run[0].reason
        which = f"turn {first}" if first == last else f"turns {first}-{last}"
        gone = sum(entry.redacted for entry in run)
        less = f", without what was replaced or forgotten ({gone})" if gone else ""
        yield f"  {'+' if run[0].kept else '-'} {which}  ({reason}: {TURN[reason]}){less}"
    if not runs:
        yield "  no turns came before it"
