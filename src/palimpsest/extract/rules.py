"""The extractor ``rules``: what a user states, corrects and asks to forget, told by grammar.

It reads the user's own words of one turn, sentence by sentence, and proposes them word for
word. Invariant: deterministic, calls nothing, and what is in doubt has no target.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.extract import grammar as grammars
from palimpsest.extract.clauses import Clause
from palimpsest.extract.grammar import Grammar
from palimpsest.extract.languages import grammar_of
from palimpsest.extract.readings import Read, readings
from palimpsest.extract.said_now import corrected, stated, taken_back
from palimpsest.extract.statements import Found
from palimpsest.extract.subjects import attribute_of, told_value
from palimpsest.extract.targets import Meant, flipped, meant, restated
from palimpsest.language.hedging import hedged
from palimpsest.language.identifiers import identifiers
from palimpsest.language.phrases import phrases_in
from palimpsest.language.validity import validity
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.types import Memory, results_of
from palimpsest.write import describing


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Proposes by the grammars of its languages, all of them where none is named."""

    languages: str = ""

    def __post_init__(self) -> None:
        for name in self.languages.replace(",", " ").split():
            grammars.load(name)

    @property
    def name(self) -> str:
        return "rules"

    @property
    def trusted(self) -> bool:
        return False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """See protocols.Extractor."""
        made: list[Proposal] = []
        for proposal in self._proposals(seen, made):
            made.append(proposal)  # noqa: PERF402 - it is read while it grows
        return Extraction(proposals=tuple(made))

    def _proposals(self, seen: Seen, made: Sequence[Proposal]) -> Iterator[Proposal]:
        """``made`` is what was proposed so far; it grows with each proposal that is given."""
        for place, message in enumerate(seen.turn.messages):
            if place < seen.unread or message.role != "user" or results_of(message):
                continue
            for index, text in enumerate(message.texts()):
                if grammar := self._grammar(text, seen):
                    reads = readings(text, grammar)
                    yield from _proposals(reads, grammar, (place, index), seen, made)

    def _grammar(self, text: str, seen: Seen) -> Grammar | None:
        known = self.languages.replace(",", " ").split() or grammars.names()
        return grammar_of(text, seen, known)


def _proposals(
    reads: Iterable[Read],
    grammar: Grammar,
    at: tuple[int, int],
    seen: Seen,
    made: Sequence[Proposal],
) -> Iterator[Proposal]:
    for read in reads:
        now = stated(seen, made)
        clause = read.clause
        quote = Quote(message=at[0], text=at[1], start=clause.start, end=clause.end)
        if read.found.op != "forget":
            yield _statement(clause, read.found, grammar, quote, seen, now)
            continue
        for asked in _forgets(read, grammar, quote, seen, now):
            yield asked
            # What is to go is no longer there to be corrected.
            left = tuple(row for row in seen.memories if row.id not in asked.targets)
            seen = dataclasses.replace(seen, memories=left)


def _forgets(
    read: Read, grammar: Grammar, quote: Quote, seen: Seen, now: Sequence[Memory]
) -> Iterator[Proposal]:
    """A proposal for each memory that is meant; one without a target where none is known."""
    about = read.found.about
    everything = describing.meant(about, seen.memories, seen.replaced, grammar.domains)
    if everything.wide and everything.rows:
        yield Proposal(
            text=read.clause.text, quote=quote, op="forget", wide=True,
            targets=tuple(each.memory.id for each in everything.rows),
        )  # fmt: skip
        return
    rows = meant(about, seen.memories, grammar) if about else _just_said(seen)
    if about and not rows.rows:
        rows = taken_back(about, now, grammar)
    if read.asks:
        if rows.rows:
            yield Proposal(
                text=read.clause.text, quote=quote, op="forget", asks=True,
                targets=tuple(row.id for row in rows.rows),
            )  # fmt: skip
        return
    told = told_value(read.back, None, grammar) if read.back else _identifier(read.clause.text)
    if rows.clear:
        for row in rows.rows:
            yield Proposal(
                text=read.clause.text, quote=quote, op="forget", attribute=row.attribute,
                targets=(row.id,),
            )  # fmt: skip
    elif rows.rows or told or _is_owed(read, grammar):
        yield Proposal(
            text=read.clause.text, quote=quote, op="forget", value=told,
            targets=tuple(row.id for row in rows.rows),
        )  # fmt: skip


def _is_owed(read: Read, grammar: Grammar) -> bool:
    """True where a request that finds nothing must be seen: it is no edit and no "never mind"."""
    own = not read.back and bool(phrases_in(read.found.about, grammar.possessives))
    return read.found.strong or own


def _identifier(text: str) -> str | None:
    """What a request names by its letters and digits."""
    return max(identifiers(text), key=len, default=None)


def _just_said(seen: Seen) -> Meant:
    """What the turn before this one stated."""
    last = max((turn.number for turn in seen.before), default=0)
    rows = tuple(row for row in seen.memories if last and row.turn == last)
    return Meant(rows=rows, clear=len(rows) == 1)


def _statement(
    clause: Clause,
    found: Found,
    grammar: Grammar,
    quote: Quote,
    seen: Seen,
    now: Sequence[Memory],
) -> Proposal:
    text, op = clause.text, found.op
    meant_row = corrected(text, seen.memories, now, grammar) if op == "correct" else None
    if meant_row is None and (again := _again(text, grammar, seen)):
        op, meant_row = "correct", again
    attribute = attribute_of(text, grammar)
    if meant_row is not None and meant_row.attribute is not None:
        attribute = meant_row.attribute
    holds = validity(text, seen.said_at)
    return Proposal(
        text=text, quote=quote, op=op, kind=found.kind, attribute=attribute,
        value=told_value(text, attribute, grammar), hedged=hedged(text),
        valid_from=holds.valid_from, valid_until=holds.valid_until,
        targets=(meant_row.id,) if meant_row is not None else (),
    )  # fmt: skip


def _again(text: str, grammar: Grammar, seen: Seen) -> Memory | None:
    """The memory that a statement turns round or says with another value."""
    if hedged(text):
        return None
    return flipped(text, seen.memories, grammar) or restated(text, seen.memories, grammar)
