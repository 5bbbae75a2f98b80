"""The extractor ``rules``: what a user states, corrects and asks to forget, told by grammar.

It reads the user's own words of one turn, sentence by sentence, and proposes them word for
word. Invariant: deterministic, calls nothing, and what is in doubt has no target.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.extract import grammar as grammars
from palimpsest.extract.clauses import Clause, clauses
from palimpsest.extract.grammar import Grammar
from palimpsest.extract.languages import grammar_of
from palimpsest.extract.statements import Found, read
from palimpsest.extract.subjects import attribute_of, told_value
from palimpsest.extract.targets import target
from palimpsest.language.hedging import hedged
from palimpsest.language.validity import validity
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.types import results_of
from palimpsest.write import describing as write


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
        return Extraction(proposals=tuple(self._proposals(seen)))

    def _proposals(self, seen: Seen) -> Iterator[Proposal]:
        for place, message in enumerate(seen.turn.messages):
            if place < seen.unread or message.role != "user" or results_of(message):
                continue
            for index, text in enumerate(message.texts()):
                for clause, grammar in self._clauses(text, seen):
                    found = read(clause, grammar)
                    if found is not None:
                        quote = Quote(message=place, text=index, start=clause.start, end=clause.end)
                        yield _proposal(clause, found, grammar, quote, seen)

    def _clauses(self, text: str, seen: Seen) -> Iterator[tuple[Clause, Grammar]]:
        known = self.languages.replace(",", " ").split() or grammars.names()
        grammar = grammar_of(text, seen, known)
        if grammar is not None:
            yield from ((clause, grammar) for clause in clauses(text, grammar))


def _proposal(clause: Clause, found: Found, grammar: Grammar, quote: Quote, seen: Seen) -> Proposal:
    about = found.rest if found.op == "forget" else clause.text
    meant = (
        None
        if found.op == "remember"
        else target(about, seen.memories, grammar, of_forget=found.op == "forget")
    )
    attribute = meant.attribute if meant is not None else attribute_of(clause.text, grammar)
    if found.op == "forget":
        described = write.meant(found.rest, seen.memories, seen.replaced, grammar.domains)
        narrow = (meant.id,) if meant is not None else ()
        by_words = tuple(each.memory.id for each in described.rows)
        return Proposal(
            text=clause.text, quote=quote, op="forget",
            attribute=meant.attribute if meant is not None else None,
            targets=by_words if described.wide or not narrow else narrow, wide=described.wide,
        )  # fmt: skip
    holds = validity(clause.text, seen.said_at)
    return Proposal(
        text=clause.text, quote=quote, op=found.op, kind=found.kind, attribute=attribute,
        value=told_value(clause.text, attribute, grammar), hedged=hedged(clause.text),
        valid_from=holds.valid_from, valid_until=holds.valid_until,
        targets=(meant.id,) if meant is not None else (),
    )  # fmt: skip
