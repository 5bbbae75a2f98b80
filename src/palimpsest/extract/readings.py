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
from palimpsest.extract.forgetting import Asked, forget_request, pointed, points_back
from palimpsest.extract.grammar import Grammar, words_of
from palimpsest.extract.statements import Found, read
from palimpsest.language.carriers import carriers
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.word_list import folded, word_list

_LONGEST_NAME = 6
"""Words of a thing that is named without a verb."""
_LONGEST_REASON = 9
"""Words of "I should never have told you about it"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A clause and what it is."""

    clause: Clause
    found: Found
    back: str = ""
    """Of a request that points back, the words of this turn that it points to."""
    asks: bool = False
    """A request to forget that may be none: it points to an earlier turn, and is a question, has
    a verb of editing or goes on to another subject. A person is asked before anything goes."""


def readings(text: str, grammar: Grammar) -> Iterator[Read]:
    """The clauses of a text that are to be remembered, corrected or forgotten."""
    made: list[Read] = []
    before: Clause | None = None
    cut = list(clauses(text, grammar))
    for place, clause in enumerate(cut):
        if _reminds(clause, grammar):
            before = clause
            continue
        asked = None if _corrects(clause, grammar) else forget_request(clause.text, grammar)
        asked = pointed(asked, grammar) if asked is not None else None
        if asked is not None and asked.edits:
            pass
        elif asked is not None and (asked.dismisses or points_back(asked.about, grammar)):
            back = _pointed_at(asked, made, before, clause, grammar)
            if back is None:
                before = clause
                continue
            found = Found(op="forget", about=back, strong=asked.strong)
            after = cut[place + 1] if place + 1 < len(cut) else None
            doubtful = asked.leaves or _is_doubtful(asked, clause, after, grammar)
            made.append(Read(clause=clause, found=found, back=back, asks=doubtful and not back))
        elif asked is not None and _is_question(clause) and _general(asked.about, grammar):
            pass
        elif asked is not None:
            found = Found(op="forget", about=asked.about, strong=asked.strong)
            made.append(Read(clause=clause, found=found))
        elif made and _goes_on(made[-1], clause, grammar):
            found = dataclasses.replace(made[-1].found, about=folded(clause.text))
            made.append(Read(clause=clause, found=found))
        elif made and _explains(made[-1], clause, grammar):
            pass
        elif stated := read(clause, grammar):
            made.append(Read(clause=clause, found=stated))
        before = clause
    yield from made


def _reminds(clause: Clause, grammar: Grammar) -> bool:
    """True for "don't let me forget my PIN": it names what is known and states nothing."""
    flat = folded(clause.text)
    for reminder in grammar.reminders:
        opening, _, closing = folded(reminder).partition(" ... ")
        if flat.startswith(opening) and closing in flat:
            rest = (
                flat.removeprefix(opening).replace(closing, "") if closing else flat[len(opening) :]
            )
            return not phrases_in(rest, (*grammar.copulas, *grammar.verbs))
    return False


def _is_doubtful(asked: Asked, clause: Clause, after: Clause | None, grammar: Grammar) -> bool:
    """True for words that point to an earlier turn and may ask for no forget at all."""
    flat = folded(clause.text)
    edits = phrases_in(flat, grammar.erasures) and not phrases_in(flat, grammar.forgets)
    goes_on = after is not None and after.sentence == clause.sentence
    return not asked.strong or bool(edits) or goes_on or _is_question(clause)


def _is_question(clause: Clause) -> bool:
    return clause.text.rstrip().endswith("?")


def _general(about: str, grammar: Grammar) -> bool:
    """True for "can you forget things?": it asks what can be done, and names nothing."""
    return all(word in words_of(grammar.generalities) for word in word_list(about))


def _corrects(clause: Clause, grammar: Grammar) -> bool:
    """True for "scratch that, my dentist is ...": what is struck is said anew at once."""
    flat = folded(clause.text).lstrip()
    opened = pattern(grammar.corrections).match(flat)
    if opened is None or flat[opened.end() : opened.end() + 1] not in tuple(",:;"):
        return False
    cut = opened.end() + 1
    rest = clause._replace(text=clause.text[cut:].strip(), start=clause.start + cut)
    if forget_request(rest.text, grammar) is not None:
        return False
    return read(rest, grammar) is not None


def _pointed_at(
    asked: Asked, made: list[Read], before: Clause | None, clause: Clause, grammar: Grammar
) -> str | None:
    """What a request points back to; ``None`` where "forget it" only drops the subject."""
    if asked.dismisses:
        near = before is not None and (
            before.sentence == clause.sentence
            or bool(phrases_in(folded(before.text), grammar.possessives))
        )
        if not near:
            return None
    elif before is not None and before.sentence != clause.sentence and not made:
        return ""
    return _dropped(made, before, clause)


def _dropped(made: list[Read], before: Clause | None, clause: Clause) -> str:
    """The words that a request points back to; what they stated is not remembered."""
    if made and made[-1].clause == before and made[-1].found.op != "forget":
        made.pop()
    if before is not None and before.sentence == clause.sentence:
        return before.text
    return before.text if before is not None else ""


def _goes_on(last: Read, clause: Clause, grammar: Grammar) -> bool:
    """True for "... and my passport number" behind a request to forget."""
    if last.found.op != "forget" or last.clause.sentence != clause.sentence:
        return False
    flat = folded(clause.text)
    named = pattern((*grammar.possessives, *grammar.subjects)).match(flat)
    verbs = (*grammar.verbs, *grammar.copulas, *grammar.wishes)
    words = word_list(flat)
    spoken = any(word in words_of(grammar.own_verbs) for word in words)
    short = len(words) <= _LONGEST_NAME
    return named is not None and short and not spoken and not phrases_in(flat, verbs)


def _explains(last: Read, clause: Clause, grammar: Grammar) -> bool:
    """True for "forget the locker number, I gave it up": the reason names nothing itself."""
    if last.found.op != "forget" or last.clause.sentence != clause.sentence:
        return False
    flat = folded(clause.text)
    short = len(word_list(flat)) < _LONGEST_REASON and not carriers(clause.text)
    return short and bool(phrases_in(flat, grammar.pronouns))
