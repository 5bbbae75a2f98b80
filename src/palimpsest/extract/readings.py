"""What each clause of a user's text is, read beside the clauses around it.

"My address, delete it": what a request to forget points back to is the clause before it, which
then states nothing. "Forget my PIN and my passport number": a clause without a verb behind a
request goes on with it. Invariant: a pure function; clauses stay in their order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.extract.clauses import Clause, clauses
from palimpsest.extract.forgetting import forget_request, points_back
from palimpsest.extract.grammar import Grammar
from palimpsest.extract.statements import Found, read
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.word_list import folded, word_list

_LONGEST_NAME = 6
"""Words of a thing that is named without a verb."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A clause and what it is."""

    clause: Clause
    found: Found
    back: str = ""
    """Of a request that points back, the words of this turn that it points to."""


def readings(text: str, grammar: Grammar) -> Iterator[Read]:
    """The clauses of a text that are to be remembered, corrected or forgotten."""
    made: list[Read] = []
    before: Clause | None = None
    for clause in clauses(text, grammar):
        asked = forget_request(clause.text, grammar)
        if asked is not None and points_back(asked.about, grammar):
            back = _dropped(made, before, clause, grammar)
            found = Found(op="forget", about=back, strong=asked.strong)
            made.append(Read(clause=clause, found=found, back=back))
        elif asked is not None:
            found = Found(op="forget", about=asked.about, strong=asked.strong)
            made.append(Read(clause=clause, found=found))
        elif made and _goes_on(made[-1], clause, grammar):
            found = dataclasses.replace(made[-1].found, about=folded(clause.text))
            made.append(Read(clause=clause, found=found))
        elif stated := read(clause, grammar):
            made.append(Read(clause=clause, found=stated))
        before = clause
    yield from made


def _dropped(
    made: list[Read], before: Clause | None, clause: Clause, grammar: Grammar
) -> str:
    """The words that a request points back to; what they stated is not remembered."""
    if before is not None and before.sentence == clause.sentence:
        if made and made[-1].clause == before and made[-1].found.op != "forget":
            made.pop()
        return before.text
    if made and made[-1].found.op != "forget":
        return made.pop().clause.text
    return ""


def _goes_on(last: Read, clause: Clause, grammar: Grammar) -> bool:
    """True for "... and my passport number" behind a request to forget."""
    if last.found.op != "forget" or last.clause.sentence != clause.sentence:
        return False
    flat = folded(clause.text)
    named = pattern((*grammar.possessives, *grammar.subjects)).match(flat)
    verbs = (*grammar.verbs, *grammar.copulas, *grammar.own_verbs, *grammar.wishes)
    short = len(word_list(flat)) <= _LONGEST_NAME
    return named is not None and short and not phrases_in(flat, verbs)
