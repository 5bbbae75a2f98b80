"""The turn and the sentence behind one fact of one request, as one line of text.

For a fact that is there: each place that sends it, with the sentence. For one that is not:
who stated it, and the reason of each copy. Read from the run, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.bench import life
from palimpsest.bench.baseline import rows
from palimpsest.bench.grade import forms_of, text_of
from palimpsest.bench.replay import Replayed, Row
from palimpsest.bench.sightings import Sighting, absences, says, sightings
from palimpsest.language.sentences import sentence_spans

_WIDEST = 160
"""Characters of a sentence that are shown; the fact itself is always among them."""


def evidence(run: Replayed, *, strategy: str, after: int, variant: str, fact: str) -> str:
    """What explains a fact's presence in, or absence from, one request of a run."""
    row = next(
        row for name, key, row in rows(run) if (name, key, row.after) == (variant, strategy, after)
    )
    seen = sightings(run, row, fact)
    if seen:
        places = "; ".join(dict.fromkeys(_place(run, row, fact, one) for one in seen))
        return f"{_ended(run, fact, after)}sent in {places}"
    entrant = next(entrant for entrant in run.entrants if entrant.key == strategy)
    reasons = "; ".join(absent.text for absent in absences(run, entrant, row, fact))
    return f"{_stated(run, fact, after)}; not sent: {reasons}"


def _ended(run: Replayed, fact: str, after: int) -> str:
    end = life.end_of(run.suite, fact, after)
    return f"{end.kind} at turn {end.turn}, " if end else ""


def _place(run: Replayed, row: Row, fact: str, seen: Sighting) -> str:
    if seen.line is not None:
        return f"{seen.part}, line {_cut(seen.line, fact)!r}"
    name = f"turn {seen.turn}" if seen.turn is not None else seen.part
    text = text_of(row.request.sent[seen.message])
    forms = forms_of(fact, run.frame.markers)
    return f"{name} ({seen.role}) {_sentence(text, forms)!r}"


def _stated(run: Replayed, fact: str, after: int) -> str:
    """The newest turn that says the fact, by its user where there is one."""
    said = [item.turn for item in run.suite.turns[:after] if says(item.turn, fact)]
    spoken = [turn for turn in said if fact in turn.user] or said
    if not spoken:
        return "said by no turn"
    turn = spoken[-1]
    texts = [turn.user, *(text_of(message) for message in turn.messages)]
    text = next(text for text in texts if fact in text)
    return f"said at turn {turn.number} {_sentence(text, (fact,))!r}"


def _sentence(text: str, forms: tuple[str, ...]) -> str:
    """The sentence that holds one of the forms; the form may run over its end."""
    for form in forms:
        at = text.find(form)
        if at < 0:
            continue
        found = list(_around(text, at, at + len(form)))
        start, end = (found[0][0], found[-1][1]) if found else (at, at + len(form))
        return _cut(text[start:end].strip(), form)
    return _cut(text, forms[0])


def _around(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for first, last in sentence_spans(text):
        if first < end and start < last:
            yield first, last


def _cut(text: str, fact: str) -> str:
    if len(text) <= _WIDEST:
        return text
    at = max(0, text.find(fact))
    start = max(0, min(at - 40, len(text) - _WIDEST))
    end = max(start + _WIDEST, at + len(fact))
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"
