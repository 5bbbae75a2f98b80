"""Judges each mention of a value in an answer: stated, marked as old, or denied.

A sentence is read as a row of tokens: the mentions of the case's facts, and the marks of the
language between them. A mark is taken up by the nearest mention it can reach, so "not 150 but
180" denies one value and states the other. Invariant: a mention is judged by its own
sentence, the heading above its list and the sentence that points back at it, nothing else.
"""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from re import Pattern
from typing import Literal

from palimpsest.bench.answers.sentences import Sentence, sentences
from palimpsest.language.answer_marks import Marks

Verdict = Literal["stated", "old", "denied", "asked"]
_Kind = Literal["mention", "negation", "old", "new", "after", "kept", "stop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """The patterns that are looked for: what is current, and what was replaced by it."""

    required: Mapping[str, Pattern[str]]
    stale: Mapping[str, Pattern[str]]
    replaced_by: Mapping[str, str]
    """Stale fact to required fact, where known; else any required fact may be it."""

    def partners(self, one: str, other: str) -> bool:
        """True where one of two facts took the place of the other."""
        if (one in self.stale) == (other in self.stale):
            return False
        stale, current = (one, other) if one in self.stale else (other, one)
        return self.replaced_by.get(stale, current) == current


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One value where it stands in the answer."""

    fact: str
    text: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    start: int
    end: int
    kind: _Kind
    fact: str = ""


def mentions(text: str, values: Values, marks: Marks) -> Iterator[Mention]:
    """Every mention in a cleaned answer, with its verdict."""
    facts = sorted(_facts(text, values), key=lambda token: token.start)
    starts = [fact.start for fact in facts]

    def first_value(start: int, end: int) -> int | None:
        place = bisect.bisect_left(starts, start)
        found = place < len(starts) and starts[place] < end
        return starts[place] - start if found else None

    for sentence in sentences(text, marks, first_value):
        first, last = (bisect.bisect_left(starts, at) for at in (sentence.start, sentence.end))
        here = facts[first:last]
        row = _Row(sentence, here, values, marks)
        for place, token in enumerate(row.tokens):
            if token.kind == "mention":
                yield Mention(
                    fact=token.fact,
                    text=sentence.text[token.start : token.end],
                    verdict=row.verdict(place),
                )


def _facts(text: str, values: Values) -> Iterator[_Token]:
    # In the whole text, for a range may stand on two lines: an arrival and a departure.
    for fact, pattern in (*values.required.items(), *values.stale.items()):
        for match in pattern.finditer(text):
            yield _Token(start=match.start(), end=match.end(), kind="mention", fact=fact)


class _Row:
    """One sentence as tokens, whose places count from its beginning."""

    def __init__(
        self, sentence: Sentence, facts: list[_Token], values: Values, marks: Marks
    ) -> None:
        self.sentence = sentence
        self.text = sentence.text
        self.values = values
        self.marks = marks
        found = [_moved(fact, -sentence.start) for fact in facts]
        signs = self._markers(found)
        # "everyone but Bob": the "but" belongs to the negation and opens nothing new.
        denials = [(mark.start, mark.end) for mark in signs if mark.kind == "negation"]
        found += [m for m in signs if m.kind not in ("new", "stop") or not _inside(m, denials)]
        self.tokens = sorted(found, key=lambda token: (token.start, -token.end))

    def verdict(self, place: int) -> Verdict:
        """What the sentence makes of the mention at a place of the row."""
        if self._denied_behind(place):
            return "denied"
        behind = self._behind(place)
        if behind == "kept":
            return "stated"
        before = self._before(place)
        if before is not None:
            return before
        if behind == "old" or self.sentence.old:
            return "old"
        return "asked" if self.sentence.question else "stated"

    def _before(self, place: int) -> Verdict | None:
        token, stopped = self.tokens[place], False
        if self._is_left_for_another(place) or self._was(place):
            return "old"
        for other in reversed(self.tokens[:place]):
            if other.kind == "mention":
                if not self._coordinated(other, token):
                    return None
            elif other.kind == "new":
                return None
            elif other.kind == "stop":
                stopped = stopped or not self._joins(other, token)
            elif other.kind == "old":
                return "old"
            elif other.kind == "negation" and not stopped:
                return "denied"
        return None

    def _is_left_for_another(self, place: int) -> bool:
        """``from 150 to 180``: a bare from, and the value that took its place right behind."""
        token = self.tokens[place]
        nearest = next((t for t in self.tokens[place + 1 :] if t.kind == "mention"), None)
        if nearest is None or not self.values.partners(token.fact, nearest.fact):
            return False
        between = self.text[token.end : nearest.start]
        return bool(
            self.marks.from_word.search(self.text[: token.start])
            and self.marks.to_word.search(between)
            and len(between.split()) <= _SHORT
        )

    def _behind(self, place: int) -> Literal["old", "kept"] | None:
        token, changed = self.tokens[place], False
        for at, other in enumerate(self.tokens[place + 1 :], start=place + 1):
            if other.kind == "mention":
                if changed and self._replaces(at, token):
                    return "old"
                if changed or not self._coordinated(token, other):
                    return None
            elif other.kind == "kept":
                return "kept"
            elif other.kind == "after" and not changed and not self._is_taken(other):
                return "old"
            elif other.kind == "new":
                changed = True
        return None

    def _denied_behind(self, place: int) -> bool:
        """``Bob is not coming``: the predicate of the value, or of one beside it, denies it."""
        token, denied_after = self.tokens[place], self.marks.denied_after
        after = next((t for t in self.tokens[place + 1 :] if t.kind == "mention"), None)
        predicate = denied_after.match(self.text, token.end)
        if predicate is not None:
            # "180 is not the old 150" denies that it is the other, which leaves it standing.
            other = after is not None and self.values.partners(token.fact, after.fact)
            return not (
                other
                and after
                and not re.search(r"[,;:]", self.text[predicate.end() : after.start])
            )
        if after is None or not _AND.fullmatch(self.text, token.end, after.start):
            return False
        # "in Porto and Bob is not coming" has one subject, "Porto and Bob are not" has both.
        found = denied_after.match(self.text, after.end)
        return found is not None and bool(_PLURAL.search(found.group()))

    def _is_taken(self, mark: _Token) -> bool:
        """``180, no longer 150``: the mark belongs to the value that follows it."""
        behind = [token for token in self.tokens if token.start >= mark.start]
        return any(token.kind == "old" and token.start == mark.start for token in behind) and any(
            token.kind == "mention" and not _VERB.search(self.text[mark.end : token.start])
            for token in behind
        )

    def _was(self, place: int) -> bool:
        """``180 (was 150)``: past beside the present of the value that took its place."""
        token = self.tokens[place]
        if not self.marks.past.search(self.text[: token.start]):
            return False
        return any(
            other.kind == "mention"
            and self.values.partners(token.fact, other.fact)
            and not self.marks.past.search(self.text[: other.start])
            for other in self.tokens
        )

    def _replaces(self, place: int, old: _Token) -> bool:
        """True where a later value took the place of an earlier one, and not only may."""
        new = self.tokens[place]
        clause = re.split(r"[,;(]", self.text[new.end :], maxsplit=1)[0]
        return (
            self.values.partners(old.fact, new.fact)
            and self._before(place) is None
            and not self._denied_behind(place)
            and not self.marks.hedges.search(self.text[old.end : new.start] + clause)
        )

    def _coordinated(self, one: _Token, other: _Token) -> bool:
        """Two values of one side that share their mark: ``no longer 150 or vegetarian``."""
        same = (one.fact in self.values.stale) == (other.fact in self.values.stale)
        between = self.text[one.end : other.start]
        return same and not _VERB.search(between)

    def _markers(self, facts: list[_Token]) -> list[_Token]:
        marks, found = self.marks, list[_Token]()
        harmless = [match.span() for match in marks.no_negations.finditer(self.text)]
        for kind, pattern in (
            ("negation", marks.negations), ("old", marks.old_before),
            ("new", marks.new_before), ("after", marks.old_after), ("kept", marks.kept_after),
            ("stop", marks.stops),
        ):  # fmt: skip
            for start, end in _apart(pattern, self.text, facts):
                token = _Token(start=start, end=end, kind=kind)  # type: ignore[arg-type]
                if kind != "negation" or not _inside(token, harmless):
                    found.append(token)
        return [*found, *self._changed_from(), *self._changed_to(facts)]

    def _changed_from(self) -> Iterator[_Token]:
        """The "from" of a verb of change; only what stands behind that word is old."""
        for match in self.marks.changed_from.finditer(self.text):
            if not self._denied(match.start()):
                yield _Token(start=match.end() - 1, end=match.end(), kind="old")

    def _changed_to(self, facts: list[_Token]) -> Iterator[_Token]:
        """The last "to" before each value, where a verb of change opened it."""
        for fact in facts:
            lead = self.text[: fact.start]
            for to in self.marks.to_word.finditer(lead):
                verbs = list(self.marks.changes.finditer(lead[: to.start()]))
                closes = not re.search(r"[\w]{3,}", lead[to.end() :].replace("the ", ""))
                if closes and verbs:
                    # "was not raised to 180" denies what "was raised to 180" states.
                    kind: _Kind = "negation" if self._denied(verbs[-1].start()) else "new"
                    yield _Token(start=to.start(), end=to.end(), kind=kind)

    def _denied(self, verb: int) -> bool:
        """True where a negation stands right before a verb."""
        lead = self.text[max(0, verb - _NEAR) : verb]
        found = list(self.marks.negations.finditer(lead))
        return bool(found) and len(lead[found[-1].end() :].split()) <= 1

    def _joins(self, stop: _Token, mention: _Token) -> bool:
        """``neither meat and fish``: an "and" right before a value that no verb follows."""
        word = self.text[stop.start : stop.end].isalpha()
        beside = not self.text[stop.end : mention.start].strip()
        return word and beside and not _VERB.match(self.text[mention.end :].lstrip())


_NEAR = 24
"""Characters before a verb in which a negation of it begins."""
_SHORT = 5
"""Words between two values of one "from ... to ...": "150 euros a night to the new 180"."""
_AND = re.compile(r"\s+(?:and|or|et|ou)\s+(?:the |an? |les? |la )?", re.IGNORECASE)
"""Between two values that may have one predicate."""
_PLURAL = re.compile(r"\b(?:are|were|do|have|sont|étaient|ont)(?:n't)?\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|now|stays?|remains?|est|sont|était|reste)\b|;|\n", re.IGNORECASE
)


def _apart(pattern: Pattern[str], text: str, facts: list[_Token]) -> Iterator[tuple[int, int]]:
    """Where a mark stands, except inside a value or around one: "from 3 to 6" holds a "to"."""
    at = 0
    while (match := pattern.search(text, at)) is not None:
        start, end = match.span()
        over = next((f for f in facts if f.start < end and start < f.end), None)
        if over is None:
            yield start, end
        at = max(end if over is None else min(over.end, end), start + 1)


def _inside(token: _Token, spans: list[tuple[int, int]]) -> bool:
    return any(start <= token.start and token.end <= end for start, end in spans)


def _moved(token: _Token, by: int) -> _Token:
    return dataclasses.replace(token, start=token.start + by, end=token.end + by)
