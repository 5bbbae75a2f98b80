"""What the turn that is read has stated so far, as memories that are not there yet.

"I live in Oslo. Actually, I live in Rome." corrects nothing that was held before the turn. A row of
this module has the negative place of its proposal as its id. Invariant: only a correction or a
request in so many words reaches such a row, never a statement alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.extract.grammar import Grammar, bare, words_of
from palimpsest.extract.targets import Meant, meant, target
from palimpsest.language import stems
from palimpsest.language.phrases import pattern
from palimpsest.language.word_list import folded, word_list
from palimpsest.proposals import Proposal, Seen
from palimpsest.types import Memory, Scope

_NOWHERE = Scope(user="-", conversation="-")
"""Such a row is held by no conversation."""


def stated(seen: Seen, made: Sequence[Proposal]) -> tuple[Memory, ...]:
    """The statements among ``made`` that nothing in the turn has corrected or taken back."""
    gone = {target for proposal in made for target in proposal.targets}
    return tuple(
        Memory(
            id=-place, scope=_NOWHERE, text=said.text, source="", turn=seen.turn.number,
            attribute=said.attribute, value=said.value,
        )
        for place, said in enumerate(made, 1)
        if said.op != "forget" and -place not in gone
    )  # fmt: skip


def corrected(
    words: str, memories: Sequence[Memory], now: Sequence[Memory], grammar: Grammar
) -> Memory | None:
    """The one row that a correction means; where older ones are as likely, that of this turn.

    Only a sentence that opens as a correction ("Actually, ...") means its own turn: "I work
    nights, and my shift starts at ten" is two statements, and a list holds many of one form.
    """
    if pattern((*grammar.corrections, *grammar.waits)).match(folded(words)) is None:
        return target(words, memories, grammar)
    return target(words, (*memories, *now), grammar) or target(words, now, grammar)


def taken_back(about: str, now: Sequence[Memory], grammar: Grammar) -> Meant:
    """What a request means among the statements of its own turn.

    Every word of the request must stand there: "my old address" is not the new one.
    """
    free = words_of((*grammar.possessives, *grammar.articles))
    asked = _stems(about, grammar, free)
    rows = tuple(
        row for row in now
        if asked and asked <= _stems(f"{row.attribute or ''} {row.text}", grammar, free)
    )  # fmt: skip
    return meant(about, rows, grammar)


def _stems(text: str, grammar: Grammar, free: frozenset[str]) -> frozenset[str]:
    stem = stems.stems(grammar.language).of
    return frozenset(stem(bare(word)) for word in word_list(folded(text)) if word not in free)
