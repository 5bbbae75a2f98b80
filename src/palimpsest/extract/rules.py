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
from palimpsest.extract.statements import Found, read
from palimpsest.extract.subjects import attribute_of
from palimpsest.extract.targets import target
from palimpsest.language.guess import languages_of
from palimpsest.language.hedging import hedged
from palimpsest.language.validity import Validity, validity
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.types import results_of

_GUESSED_ON = 2_000
"""Characters of a text by which its language is told."""


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
                for clause, grammar in self._clauses(text):
                    found = read(clause, grammar)
                    if found is not None:
                        quote = Quote(message=place, text=index, start=clause.start, end=clause.end)
                        yield _proposal(clause, found, grammar, quote, seen)

    def _clauses(self, text: str) -> Iterator[tuple[Clause, Grammar]]:
        known = self.languages.replace(",", " ").split() or grammars.names()
        likely = [code for code in languages_of(text[:_GUESSED_ON]) if code in known]
        if likely:
            grammar = grammars.load(likely[0])
            yield from ((clause, grammar) for clause in clauses(text, grammar))


def _proposal(clause: Clause, found: Found, grammar: Grammar, quote: Quote, seen: Seen) -> Proposal:
    about = found.rest if found.op == "forget" else clause.text
    meant = (
        None
        if found.op == "remember"
        else target(about, seen.memories, grammar, of_forget=found.op == "forget")
    )
    held = validity(clause.text, seen.said_at) if found.op != "forget" else Validity()
    attribute = meant.attribute if meant is not None else attribute_of(clause.text, grammar)
    return Proposal(
        text=clause.text, quote=quote, op=found.op, kind=found.kind,
        attribute=None if found.op == "forget" and meant is None else attribute,
        valid_from=held.valid_from, valid_until=held.valid_until,
        hedged=hedged(clause.text), targets=(meant.id,) if meant is not None else (),
    )  # fmt: skip
