"""Which spans of a turn state a fact that was corrected or forgotten: a pure planner.

The turn that stated the fact loses the statement. Its exact value, every identifier in it
and the statement word for word go wherever else they stand: in texts of any role up to the
correction, and after it in every text but the user's own words. Nothing inside an
occurrence of a current statement goes, so a correction may name what it corrects.

A statement without a value is told again where a clause holds all its content words and says
them of the user.

An identifier that a current statement holds too stays: "TKT-100 is due Friday" replaces the
day and not the ticket. A value that was given by name is looked for beside the identifiers
and not instead of them: it says what the fact is, and a statement that is to be forgotten
must not live on by its card number because its label named the PIN.

Invariant: planned spans lie inside their texts and apart from every protected occurrence.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.language.identifiers import identifiers
from palimpsest.language.message_text import Searched, searched
from palimpsest.language.occurrences import Needle, Needles, Span, folded, needle, spans
from palimpsest.language.retold import Retold
from palimpsest.types import Memory, Redaction, RedactionReason, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired:
    """A statement that no longer holds."""

    text: str
    needles: tuple[Needle, ...]
    stated: int | None
    """The turn that stated it, where it is known."""
    until: int
    """The last turn in which the user's own words are searched too."""
    bare: bool = False
    """It has no value: its content words are all there is to know it by."""

    def unstated(self) -> Retired:
        """The same, its own turn left alone: that turn was redacted when it was replaced."""
        return dataclasses.replace(self, stated=None)


def retired(
    memory: Memory,
    *,
    until: int,
    current_values: Iterable[str | None] = (),
    is_current: Callable[[Needle], bool] = lambda _: False,
) -> Retired:
    """A memory as the planner needs it.

    Its value is not searched for where a current statement of its attribute has the same
    one (A, then B, then A again), and no identifier is that ``is_current`` knows.
    """
    still = set(current_values)
    value = memory.value if memory.value not in still else None
    others = [needle(i) for i in identifiers(memory.text) if i != value and i not in still]
    # "Yes." said elsewhere is not this statement; a longer one may lose its full stop.
    found = (
        needle(memory.text, loose_end=len(memory.text.split()) > 2),
        needle(value) if value else None,
        *(other for other in others if other and not is_current(other)),
    )
    return Retired(
        text=memory.text, needles=tuple(n for n in found if n), until=until,
        # A text that a forget emptied states nothing any more.
        stated=memory.turn if memory.text.strip() else None,
        bare=memory.value is None and not identifiers(memory.text),
    )  # fmt: skip


def told_by(gone: Iterable[Retired], current: Iterable[Memory]) -> Retold:
    """What tells replaced statements without a value again, beside what is current."""
    bare = [item.text for item in gone if item.bare]
    return Retold(bare, (memory.text for memory in current) if bare else (), replaced=True)


def all_retired(gone: Iterable[Memory], current: Iterable[Memory], *, until: int) -> list[Retired]:
    """Memories as the planner needs them, beside what is current in their scope."""
    values: dict[str, set[str | None]] = {}
    said: list[str] = []
    for memory in current:
        said.append(memory.text)
        if memory.attribute is not None:
            values.setdefault(memory.attribute, set()).add(memory.value)
    now = folded("\n".join(said))

    def is_current(identifier: Needle) -> bool:
        return next(spans(identifier, now), None) is not None

    return [
        retired(
            memory, until=until, current_values=values.get(memory.attribute or "", ()),
            is_current=is_current,
        )
        for memory in gone
    ]  # fmt: skip


def statements(memories: Iterable[Memory]) -> Needles:
    """The statements that protect: what is inside one of them is current."""
    return Needles(n for n in (needle(memory.text) for memory in memories) if n)


def plan(
    turn: Turn,
    gone: Sequence[Retired],
    protected: Callable[[], Needles],
    reason: RedactionReason,
    told: Retold,
) -> tuple[Redaction, ...]:
    """The spans of a turn to redact; ``protected`` is asked for only where there are any."""
    until = max((item.until for item in gone if item.bare), default=0)
    now = Needles(n for item in gone if turn.number <= item.until for n in item.needles)
    later = Needles(n for item in gone if turn.number > item.until for n in item.needles)
    whole, spoken = _stating(turn, [item for item in gone if item.stated == turn.number])
    planned: list[Redaction] = []
    for message, text, said in texts(turn):
        looked, everything = folded(said.text), Span(0, len(said.text))
        found = now.spans(looked) + (later.spans(looked) if said.role != "user" else [])
        if said.role == "user":
            found += [everything] if whole and said.text else spoken.spans(looked)
        if said.role != "user" or turn.number <= until:
            again = told.spans(said.text, "user" if said.role == "user" else "others")
        else:
            again = ()
        kept = protected().spans(looked) if found or again else []
        left = united([*outside(found, kept), *_trimmed(outside(again, kept), said.text)])
        planned += [
            Redaction(turn=turn.number, message=message, text=text, start=s, end=e, reason=reason)
            for s, e in ([everything] if left and said.whole else left)
        ]
    return tuple(planned)


def _trimmed(clauses: Iterable[Span], text: str) -> Iterator[Span]:
    """Clauses without the blanks around them, which part their neighbours."""
    for start, end in clauses:
        said = text[start:end]
        if said.strip():
            first = start + len(said) - len(said.lstrip())
            yield Span(first, first + len(said.strip()))


def texts(turn: Turn) -> Iterator[tuple[int, int, Searched]]:
    """The place of every text of a turn, and the text: words and what is carried beside them."""
    for m, message in enumerate(turn.messages):
        for t, said in enumerate(searched(message)):
            yield m, t, said


def _stating(turn: Turn, stated: Sequence[Retired]) -> tuple[bool, Needles]:
    """Whether all the user's words of the turn go, or else the statements that go from them."""
    words = [folded(said.text) for _, _, said in texts(turn) if said.role == "user"]
    parts = [needle(item.text) for item in stated]
    quoted = [p for p in parts if p and any(next(spans(p, said), None) for said in words)]
    return len(quoted) < len(parts), Needles(quoted)


def outside(found: Iterable[Span], protected: Iterable[Span]) -> list[Span]:
    """The spans, united, without what lies inside a protected one."""
    rest = united(found)
    for keep in protected:
        rest = [
            piece
            for span in rest
            for piece in (
                Span(span.start, min(span.end, keep.start)),
                Span(max(span.start, keep.end), span.end),
            )
            if piece.start < piece.end
        ]
    return rest


def united(found: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap or touch as one."""
    united: list[Span] = []
    for span in sorted(found):
        if united and span.start <= united[-1].end:
            united[-1] = Span(united[-1].start, max(united[-1].end, span.end))
        else:
            united.append(span)
    return united


def merged(old: Iterable[Redaction], new: Iterable[Redaction]) -> tuple[Redaction, ...]:
    """All spans of a turn, those that overlap or touch as one.

    One that still has a length was corrected; where nothing is left it was forgotten.
    """
    united: list[Redaction] = []
    for span in sorted((*old, *new), key=lambda s: (s.message, s.text, s.start, s.end)):
        last = united[-1] if united else None
        if (
            last
            and (last.message, last.text) == (span.message, span.text)
            and (span.start <= last.end)
        ):
            united[-1] = _joined(last, span)
        else:
            united.append(span)
    return tuple(united)


def _joined(first: Redaction, second: Redaction) -> Redaction:
    end = max(first.end, second.end)
    return Redaction(
        turn=first.turn, message=first.message, text=first.text, start=first.start, end=end,
        reason="forgotten" if end == first.start else "corrected",
    )  # fmt: skip


def shifted(old: Iterable[Redaction], gone: Sequence[Redaction]) -> tuple[Redaction, ...]:
    """The spans of a turn after the text of ``gone`` was taken out of it."""
    moved = [_moved(span, gone, span.reason) for span in old]
    return merged(moved, [_moved(span, gone, "forgotten") for span in gone])


def _moved(span: Redaction, gone: Sequence[Redaction], reason: RedactionReason) -> Redaction:
    here = [(g.start, g.end) for g in gone if (g.message, g.text) == (span.message, span.text)]

    def place(at: int) -> int:
        return at - sum(min(at, end) - start for start, end in here if start < at)

    return Redaction(
        turn=span.turn, message=span.message, text=span.text, start=place(span.start),
        end=place(span.end), reason=reason,
    )  # fmt: skip


def touched(text: str, gone: Needles, protected: Callable[[], Needles]) -> list[Span]:
    """Where a text holds what is gone, protected occurrences excepted."""
    looked = folded(text)
    found = gone.spans(looked)
    return outside(found, protected().spans(looked)) if found else []


def cut(text: str, gone: Needles, protected: Needles) -> str:
    """A text without the occurrences of what is gone, protected ones excepted."""
    kept, at = [], 0
    for start, end in touched(text, gone, lambda: protected):
        kept.append(text[at:start])
        at = end
    return "".join((*kept, text[at:]))
