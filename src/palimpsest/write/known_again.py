"""Knows again what was forgotten, by its keyed hashes: in proposals, in the story, in new turns.

Old text cannot bring a value back; the user's own words after the forget can, and that is
recorded. Invariant: where nothing is forgotten in a conversation nothing is read or hashed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from palimpsest.language.compound import clauses
from palimpsest.language.message_text import searched
from palimpsest.language.occurrences import Span
from palimpsest.language.retold import By, Retold
from palimpsest.language.surface_forms import Found, read
from palimpsest.language.telling import denies, speaks
from palimpsest.proposals import Extraction, Proposal, Seen
from palimpsest.types import ForgottenMatch, Memory, Redaction, Scope, Sought, Turn
from palimpsest.write import told_again
from palimpsest.write.erasing import take_out
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import texts, united

RULE = "forgotten"


class Known(NamedTuple):
    """A span of a text that says a forgotten value."""

    start: int
    end: int
    match: ForgottenMatch


def known(
    store: WriteStore, scope: Scope, text: str, by: By = "anybody", *, beside: Sequence[str] = ()
) -> tuple[Known, ...]:
    """Where a text says what was forgotten in a conversation; ``by``: see Retold.

    Of ``beside``, what the user said, those clauses count that deny it or are of somebody else.
    What a current statement of something else says (another person's city) is no secret again.
    """
    sought = store.forgotten.sought(scope)
    if not sought or not text.strip():
        return ()
    found = read(text, sought.words) if sought.words else ()
    matches = store.forgotten.matching(scope, _keys(text, found, sought))
    told = list(told_again.whole(matches))
    values: dict[str, list[ForgottenMatch]] = {}
    for match in matches:
        if match.language is None:
            values.setdefault(match.key, []).append(match)
    held = [
        Known(each.start, each.end, match) for each in found for match in values.get(each.key, ())
    ]
    rows = store.memories.visible(scope) if held or told else ()
    current = _current(rows, set(values), sought.words) if held else frozenset()
    stays = [row.text for row in rows] if told else []
    for match, statement in told:
        # "I am not diabetic" says of the user what was never forgotten.
        other = [part for part in beside if not speaks(part) or denies(part, statement)]
        retold = Retold([statement], stays, beside=other)
        held += [Known(start, end, match) for start, end in retold.spans(text, by)]
    return tuple(each for each in held if each.match.key not in current)


def known_of(
    store: WriteStore, user: str, text: str, by: By = "anybody"
) -> frozenset[tuple[int, int]]:
    """The records of deletions, anywhere of a user, that know a text again."""
    sought = store.forgotten.sought_of(user)
    if not sought or not text.strip():
        return frozenset()
    found = read(text, sought.words) if sought.words else ()
    matches = store.forgotten.matching_of(user, _keys(text, found, sought))
    values = {(match.home, match.deletion) for match in matches if match.language is None}
    return frozenset(values) | {
        (match.home, match.deletion)
        for match, statement in told_again.whole(matches)
        if Retold([statement]).spans(text, by)
    }


def _keys(text: str, found: Sequence[Found], sought: Sought) -> frozenset[str]:
    return told_again.keys_in(text, sought.languages) | {each.key for each in found}


def _current(rows: Sequence[Memory], keys: set[str], longest: int) -> frozenset[str]:
    """The keys that a current statement of the conversation says."""
    return frozenset(
        each.key for row in rows for each in read(row.text, longest) if each.key in keys
    )


def refused(store: WriteStore, scope: Scope, proposal: Proposal, seen: Seen, *, lift: bool) -> bool:
    """True for a proposal that says a forgotten value from old text, or from no text at all.

    Where the user's own words say it after the forget, it is lifted, and that is recorded;
    without ``lift`` (another rule rejects it) they lift nothing, and nor does what only has the
    words of a statement in it ("I like diabetic recipes").
    """
    if proposal.op == "forget":
        return False
    said = "\n".join(filter(None, (proposal.text, proposal.value, proposal.attribute)))
    if not store.forgotten.sought(scope):
        return False
    number, quoted = seen.turn.number, _quoted(proposal, seen.turn)
    held = known(store, scope, said, beside=_parts(quoted))
    if not held:
        return False
    if any(number <= each.match.until for each in held):
        return True
    own = {_part(each.match) for each in known(store, scope, quoted, "now")}
    if not {_part(each.match) for each in held} <= own:
        return True
    if lift:
        _lift(store, scope, quoted, held, turn=number)
    return False


def _lift(
    store: WriteStore, scope: Scope, said: str, held: Sequence[Known], *, turn: int | None
) -> None:
    """Record what ``said`` states again: every value, and a statement that is its whole point."""
    stated = {_part(each.match) for each in known(store, scope, said, "again")}
    again = [
        each.match for each in held if each.match.language is None or _part(each.match) in stated
    ]
    if again:
        store.forgotten.lift(again, turn=turn)


def said_again(store: WriteStore, scope: Scope, text: str, *, turn: int | None) -> None:
    """The application states something: what it says of a forgotten value is lifted."""
    again = known(store, scope, text, "now")
    if again:
        _lift(store, scope, text, again, turn=turn)


def told(store: WriteStore, scope: Scope, found: Extraction) -> tuple[Extraction, tuple[str, ...]]:
    """An extraction whose story says nothing forgotten, and which parts of it were refused."""
    if not store.forgotten.sought(scope):
        return found, ()
    refused_parts: list[str] = []

    def clean(text: str, part: str) -> bool:
        if not known(store, scope, text):
            return True
        refused_parts.append(part)
        return False

    summary = found.summary
    if summary is not None and (held := known(store, scope, summary)):
        summary = _without(summary, held)
        refused_parts.append("summary")
    anchors = tuple(text for text in found.anchors if clean(text, "anchor"))
    positions = tuple(
        p for p in found.positions if clean(f"{p.subject}\n{p.text}\n{p.justification}", "position")
    )
    dropped = tuple(
        dataclasses.replace(wish, reason="") if known(store, scope, wish.reason) else wish
        for wish in found.dropped_anchors
    )
    cleaned = dataclasses.replace(
        found, summary=summary, anchors=anchors, positions=positions, dropped_anchors=dropped
    )
    return cleaned, tuple(refused_parts)


def watch(store: WriteStore, scope: Scope, turn: Turn) -> Turn:
    """Take out of a new turn what others than its user repeat of a forgotten value.

    What the user says in the same turn may be repeated there.
    """
    if store.policy != "managed" or not store.forgotten.sought(scope):
        return turn
    own: set[tuple[int, int, int]] = set()
    for _, _, said in texts(turn):
        if said.role == "user":
            own |= {
                _part(each.match) for each in known(store, scope, said.text)
                if turn.number > each.match.until
            }  # fmt: skip
    planned: list[Redaction] = []
    for message, text, said in texts(turn):
        held = [
            Span(each.start, each.end)
            for each in known(store, scope, said.text, told_again.by_role(said.role))
            if _part(each.match) not in own
            and (said.role != "user" or turn.number <= each.match.until)
        ]  # fmt: skip
        spans = [Span(0, len(said.text))] if held and said.whole else united(held)
        planned += [
            Redaction(turn=turn.number, message=message, text=text, start=s, end=e,
                      reason="forgotten")
            for s, e in spans
        ]  # fmt: skip
    if not planned:
        return turn
    take_out(store, scope, turn, planned)
    store.erase_log()
    made = store.turns.get(scope, turn.number)
    assert made is not None
    return made


def _quoted(proposal: Proposal, turn: Turn) -> str:
    """The user's words that a proposal quotes; empty where it quotes none."""
    quote = proposal.quote
    if not 0 <= quote.message < len(turn.messages):
        return ""
    said = searched(turn.messages[quote.message])
    if not 0 <= quote.text < len(said) or said[quote.text].role != "user":
        return ""
    return said[quote.text].text[max(0, quote.start) : quote.end]


def _parts(quoted: str) -> tuple[str, ...]:
    """The clauses of the user's words."""
    return (
        tuple(quoted[part.start : part.end] for part in clauses(quoted)) if quoted.strip() else ()
    )


def _part(match: ForgottenMatch) -> tuple[int, int, int]:
    return match.home, match.deletion, match.part


def _without(text: str, held: Sequence[Known]) -> str:
    kept, at = [], 0
    for start, end in united(Span(each.start, each.end) for each in held):
        kept.append(text[at:start])
        at = end
    return "".join((*kept, text[at:]))
