"""Takes what was forgotten out of everything that a conversation keeps.

Turns, memories of other things, wordings, verdicts and what would undo them, the summary,
anchors, positions, digests. Invariant: inside the transaction of the forget; what is read
before it is void (``retire``), and a neighbour loses no more than the value and its clause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

from palimpsest.language.compound import going
from palimpsest.language.message_text import Searched
from palimpsest.language.occurrences import Needles, Span, folded, needle, spans
from palimpsest.language.redact_text import erased
from palimpsest.language.retold import By
from palimpsest.language.surface_forms import find
from palimpsest.language.telling import Told
from palimpsest.language.whole_sentences import without_sentences
from palimpsest.proposals import Position
from palimpsest.types import Memory, Redaction, Role, Scope, Turn
from palimpsest.write.lost import Lost, Search, lost
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import outside, shifted, statements, texts, united
from palimpsest.write.story_texts import erase_story


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a turn that goes."""

    place: Scope
    turn: int
    role: Role
    text: str


@dataclass(slots=True)
class Traces:
    """What a forget took, counted by kind; the pieces of turns by themselves."""

    counts: Counter[str] = field(default_factory=Counter)
    pieces: list[Piece] = field(default_factory=list)
    values: dict[str, None] = field(default_factory=dict)
    told: dict[Told, None] = field(default_factory=dict)
    """The statements without a value."""


def searched_for(
    current: Sequence[Memory], gone: Sequence[Memory], *, until: int, values: Sequence[str] = ()
) -> Search:
    """What is looked for in a place when these memories go; ``current`` are those that stay."""
    still: dict[str, set[str | None]] = {}
    for memory in current:
        if memory.attribute is not None:
            still.setdefault(memory.attribute, set()).add(memory.value)
    said = folded("\n".join(memory.text for memory in current))

    def is_current(identifier: str) -> bool:
        found = needle(identifier)
        return found is not None and next(spans(found, said), None) is not None

    items = [
        lost(memory, still=still.get(memory.attribute or "", ()), is_current=is_current)
        for memory in gone
    ]
    return Search(
        items, until=until, values=values, current=(memory.text for memory in current)
    )  # fmt: skip


def erase(
    store: WriteStore, scope: Scope, gone: Sequence[Memory], said: Sequence[Memory], traces: Traces,
    *, until: int, values: Sequence[str] = (),
) -> None:  # fmt: skip
    """Take forgotten statements and values out of a conversation.

    ``said`` are the memories that go, in all the words of this place; ``until`` is the last turn
    in which the user's own words are searched too.
    """
    current = store.memories.visible(scope)
    search = searched_for(current, said, until=until, values=values)
    traces.values |= dict.fromkeys(search.values)
    traces.told |= dict.fromkeys(search.retold.told)
    if _rows(store, scope, current, search, traces):
        current = store.memories.visible(scope)
    protected = cache(lambda: statements(current))
    left = {item.stated for item in search.items if item.stated}
    for turn in store.turns.passing(scope, search.may_hold):
        left.discard(turn.number)
        _turn(store, scope, turn, search, protected, traces)
    for number in sorted(left):
        if (stated := store.turns.get(scope, number)) is not None:
            _turn(store, scope, stated, search, protected, traces)
    _wordings(store, scope, search, protected, traces)
    _verdicts(store, scope, gone, search, protected, traces)
    loses = StoryLoses(search=search, protected=protected)
    traces.counts["story"] += erase_story(store, scope, loses)
    store.requests.clear_prefix(scope)
    store.conversations.retire(scope)
    store.erase_log()


def _turn(
    store: WriteStore, scope: Scope, turn: Turn, search: Search,
    protected: Callable[[], Needles], traces: Traces,
) -> None:  # fmt: skip
    planned = plan(turn, search, protected)
    if not planned:
        return
    traces.counts["turns"] += 1
    traces.counts["spans"] += len(planned)
    said = {(m, t): one for m, t, one in texts(turn)}
    traces.pieces += [
        Piece(
            place=scope, turn=turn.number, role=said[span.message, span.text].role,
            text=said[span.message, span.text].text[span.start : span.end],
        )
        for span in planned
    ]  # fmt: skip
    take_out(store, scope, turn, planned)


def take_out(store: WriteStore, scope: Scope, turn: Turn, planned: Sequence[Redaction]) -> None:
    """Take spans out of a turn for good; their places stay marked."""
    old = store.redactions.of(scope, turn.number)
    store.redactions.put(scope, turn.number, shifted(old, planned))
    store.turns.erase(scope, erased(turn, planned))


def plan(turn: Turn, search: Search, protected: Callable[[], Needles]) -> tuple[Redaction, ...]:
    """The spans of a turn that go."""
    planned: list[Redaction] = []
    for message, text, said in texts(turn):
        own = said.role == "user"
        later = own and turn.number > search.until
        strong = [] if later else search.strong(said.text)
        weak = [] if later else search.weak(said.text)
        if own and said.text:
            weak += search.stating(turn.number, said.text)
        if not later:
            weak += search.retold.spans(said.text, _by(turn, said, search))
        looked = folded(said.text)
        left = united([*strong, *outside(weak, protected().spans(looked))]) if weak else strong
        spans_ = [Span(0, len(said.text))] if left and said.whole else left
        planned += [
            Redaction(turn=turn.number, message=message, text=text, start=s, end=e,
                      reason="forgotten")
            for s, e in spans_
        ]  # fmt: skip
    return tuple(planned)


def _by(turn: Turn, said: Searched, search: Search) -> By:
    if said.role == "tool" or said.whole:
        return "others"
    # Who asks that it be forgotten says it of themselves, with or without an "I".
    asking = turn.number == search.until
    return "user" if said.role == "user" and not asking else "anybody"


def _rows(
    store: WriteStore, scope: Scope, current: Sequence[Memory], search: Search, traces: Traces
) -> bool:
    """Memories of other things lose a strong value; replaced ones whatever is forgotten.

    Returns whether any of them did.
    """
    before = traces.counts["memories"]
    for row in current:
        _reword(store, row, _taken(row, search), search, traces)
    kept = cache(lambda: statements(store.memories.visible(scope)))
    for row in store.memories.superseded(scope):
        weak = search.weak(row.text)
        weak = outside(weak, kept().spans(folded(row.text))) if weak else []
        _reword(store, row, united([*_taken(row, search), *weak]), search, traces)
    return traces.counts["memories"] > before


def _taken(row: Memory, search: Search) -> list[Span]:
    """What a memory of something else loses: the clause, where its own value stands outside."""
    strong, parts = search.strong(row.text), search.parts_of(row.text)
    if not strong and not parts:
        return []
    own = find(row.value, row.text) if row.value else ()
    if strong:
        parts += going(row.text, strong)
    left = united(parts)
    words = "".join(_without(row.text, left).split())
    inside = any(p.start <= o.start and o.end <= p.end for p in left for o in own)
    if left and not inside and len(words) >= _LEAST_LETTERS:
        return left
    return strong


_LEAST_LETTERS = 6


def _reword(
    store: WriteStore, row: Memory, taken: Sequence[Span], search: Search, traces: Traces
) -> None:
    text = _without(row.text, taken)
    value = row.value
    if not taken and not (value and search.strong(value)):
        return
    if value and (search.strong(value) or (value not in text and value in row.text)):
        value = _without(value, search.all(value)).strip() or None
    if (text, value) != (row.text, row.value):
        traces.counts["memories"] += 1
        store.memories.rewrite(row.scope, row.id, text=text, value=value)


def _without(text: str, taken: Sequence[Span]) -> str:
    kept, at = [], 0
    for start, end in united(taken):
        kept.append(text[at:start])
        at = end
    return "".join((*kept, text[at:]))


def _cut(text: str, search: Search, protected: Needles) -> str:
    """A text of the program's own without what is forgotten."""
    if not text:
        return text
    weak = [*search.weak(text), *search.retold.spans(text)]
    weak = outside(weak, protected.spans(folded(text)))
    return _without(text, [*search.strong(text), *weak])


def _wordings(
    store: WriteStore, scope: Scope, search: Search, protected: Callable[[], Needles],
    traces: Traces,
) -> None:  # fmt: skip
    for memory, turn, text in store.wordings.said(scope):
        if (kept := _cut(text, search, protected())) != text:
            traces.counts["wordings"] += 1
            store.wordings.reword(memory, scope, turn=turn, old=text, new=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryLoses:
    """The search as the story asks for it."""

    search: Search
    protected: Callable[[], Needles]

    def found(self, text: str) -> list[Span]:
        weak = [*self.search.weak(text), *self.search.retold.spans(text)]
        left = outside(weak, self.protected().spans(folded(text))) if weak else []
        return united([*self.search.strong(text), *left])

    def kept(self, text: str) -> tuple[str, tuple[str, ...]]:
        return without_sentences(text, self.found(text))

    def holds(self, text: str) -> bool:
        return bool(self.found(text))

    def in_position(self, position: Position) -> bool:
        return self.holds(f"{position.subject}\n{position.text}\n{position.justification}")


def _verdicts(
    store: WriteStore, scope: Scope, gone: Sequence[Memory], search: Search,
    protected: Callable[[], Needles], traces: Traces,
) -> None:  # fmt: skip
    """Verdicts that carry what was forgotten lose it, with what would undo them.

    A verdict on a forgotten row loses all its words: they may say it in other ones. So does a
    rejected proposal of the turn that stated it.
    """
    ids = {memory.id for memory in gone}
    stated = {item.stated for item in search.items if item.stated}
    undos, changed = store.verdicts.undos(scope), []
    for verdict in store.verdicts.of(scope):
        undo = undos[verdict.id]
        about = verdict.memory in ids or (verdict.action == "reject" and verdict.turn in stated)
        text = "" if about else _cut(verdict.text, search, protected())
        whole = text == verdict.text and not search.all(undo)
        kept = undo if whole and verdict.other not in ids else ""
        if (text, kept) != (verdict.text, undo):
            changed.append((verdict.id, text, kept))
    traces.counts["verdicts"] += len(changed)
    store.verdicts.rewrite(scope, changed)


__all__ = ["Lost", "Piece", "Traces", "erase", "plan", "searched_for", "take_out"]
