"""What a reading may change of the story: summary, anchors, positions, state.

The summary is rewritten whole. Anchors are the user's own words; a model adds them within a
limit and removes one only by giving a reason. A position is validated by evidence that does
not quote it, ages, and gives its place to a younger one. State moves within its range by its
largest step, once a reading. Nothing tells again what was replaced. Invariant: pure but for
``apply``; what is refused is told by a rule, and what is done with what undoes it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import regex

from palimpsest.errors import ConfigError
from palimpsest.language.shared_run import shares_run
from palimpsest.language.word_list import folded, word_list
from palimpsest.proposals import Action, AnchorRemoval, Delta, Extraction, Position, Seen
from palimpsest.settings import StorySettings
from palimpsest.types import Scope, canonical
from palimpsest.write.parts import WriteStore
from palimpsest.write.story_texts import replaced_here


class Told(NamedTuple):
    """One verdict on a part of the story."""

    action: Action
    rule: str
    text: str
    undo: str = ""
    """What undoing it needs, as JSON (see ``undo_story``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One named state value."""

    name: str
    least: float
    most: float
    step: float


_FIELD = regex.compile(
    r"\s*(?P<name>\w+)\s*:\s*(?P<least>-?\d+(?:\.\d+)?)\s*\.\.\s*(?P<most>-?\d+(?:\.\d+)?)\s+step\s+(?P<step>\d+(?:\.\d+)?)\s*"
)


def fields(texts: Sequence[str]) -> dict[str, Field]:
    """The state fields of the settings, such as ``mood: -5..5 step 1``; raises ConfigError."""
    found = {}
    for text in texts:
        match = _FIELD.fullmatch(text)
        if match is None or not (
            float(match["least"]) < float(match["most"]) and float(match["step"]) > 0
        ):
            raise ConfigError(f"story.state: {text!r} is not of the form 'mood: -5..5 step 1'")
        found[match["name"]] = Field(
            name=match["name"], least=float(match["least"]), most=float(match["most"]),
            step=float(match["step"]),
        )  # fmt: skip
    return found


def moved(field: Field, value: float, step: float) -> float:
    """A state value after a step, held to its largest step and its range."""
    bounded = max(-field.step, min(field.step, step))
    return max(field.least, min(field.most, value + bounded))


def starting(field: Field, value: float | None) -> float:
    """Where a field stands: its value, or the nearest to 0 in its range before it ever moved."""
    return max(field.least, min(field.most, value or 0.0))


def held(positions: Sequence[Position], turn: int, settings: StorySettings) -> list[Position]:
    """The positions that keep their places: the youngest, and none that is too old."""
    young = [p for p in positions if turn - p.validated_turn <= settings.position_turns]
    ranked = sorted(young, key=lambda p: (-p.validated_turn, p.subject))
    return ranked[: settings.positions]


def supported(new: Position, said: str) -> bool:
    """True where the evidence of a position is words of the user that were just read."""
    return bool(words_within(new.justification, said))


def words_within(text: str, said: str) -> bool:
    """True where a text stands in what was said, at the bounds of words."""
    words = " ".join(word_list(text))
    return bool(words) and f" {words} " in f" {' '.join(word_list(said))} "


def validated(
    new: Position, old: Position | None, turn: int, said: str
) -> tuple[Position | None, Told]:
    """A position after a reading that proposed it again, or for the first time.

    ``said`` are the user's words that were just read: only they are evidence.
    """
    if not supported(new, said):
        return old, Told("reject", "no-evidence", new.text)
    if shares_run(new.justification, new.text):
        return old, Told("reject", "self-citation", new.text)
    if old is None:
        kept = Position(subject=new.subject, text=new.text, justification=new.justification,
                        validated_turn=turn)  # fmt: skip
        return kept, Told("add", "position", new.text)
    if shares_run(new.justification, old.text):
        return old, Told("reject", "self-citation", new.text)
    kept = Position(subject=old.subject, text=new.text, justification=new.justification,
                    validated_turn=turn)  # fmt: skip
    return kept, Told("merge", "position-validated", new.text)


def unread_words(seen: Seen) -> str:
    """The user's words of a turn that were not read before."""
    unread = seen.turn.messages[seen.unread :]
    return "\n".join(text for m in unread if m.role == "user" for text in m.texts())


def apply(
    store: WriteStore, scope: Scope, seen: Seen, found: Extraction, settings: StorySettings
) -> list[Told]:
    """Change the story as far as a reading may; returns a verdict on each part."""
    if not (found.summary or found.anchors or found.dropped_anchors or found.deltas
            or found.positions or store.stories.of(scope).positions):  # fmt: skip
        return []
    change = _Change(store, scope, seen, settings)
    return [
        *change.released(found.dropped_anchors),
        *change.anchored(found.anchors),
        *change.positioned(found.positions),
        *change.moved(found.deltas),
        *change.summarized(found.summary or ""),
    ]


class _Change:
    """One reading's change of the story of one conversation."""

    def __init__(
        self, store: WriteStore, scope: Scope, seen: Seen, settings: StorySettings
    ) -> None:
        self.stories = store.stories
        self.scope = scope
        self.settings = settings
        self.turn = seen.turn.number
        self.said = unread_words(seen)
        self.story = store.stories.of(scope)
        self.replaced = cache(lambda: replaced_here(store, scope))

    def released(self, wishes: Sequence[AnchorRemoval]) -> Iterator[Told]:
        known = {anchor.id: anchor.text for anchor in self.story.anchors}
        for wish in wishes:
            text = known.get(wish.id)
            if text is None:
                continue
            if not wish.reason.strip():
                yield Told("reject", "anchor-without-reason", text)
                continue
            del known[wish.id]
            self.stories.release(self.scope, wish.id, wish.reason.strip())
            yield Told("supersede", "anchor-released", text, canonical({"released": wish.id}))

    def anchored(self, texts: Sequence[str]) -> Iterator[Told]:
        held = self.stories.of(self.scope).anchors
        known = {folded(anchor.text) for anchor in held}
        places = self.settings.anchors - len(held)
        for text in texts:
            if folded(text) in known:
                yield Told("merge", "exact", text)
            elif not words_within(text, self.said):
                yield Told("reject", "no-quote", text)
            elif self.replaced().holds(text):
                yield Told("reject", "replaced", text)
            elif places <= 0:
                yield Told("reject", "no-place", text)
            else:
                id = self.stories.anchor(self.scope, text, self.turn)
                known.add(folded(text))
                places -= 1
                yield Told("add", "anchor", text, canonical({"anchored": id}))

    def positioned(self, proposed: Sequence[Position]) -> Iterator[Told]:
        before = {folded(position.subject): position for position in self.story.positions}
        now = dict(before)
        for new in proposed:
            if not new.subject.strip() or not new.text.strip():
                continue
            if self.replaced().in_position(new):
                yield Told("reject", "replaced", new.text)
                continue
            key = folded(new.subject)
            kept, told = validated(new, now.get(key), self.turn, self.said)
            if kept is not None and told.action != "reject":
                told = told._replace(undo=_held(kept.subject, now.get(key)))
                now[key] = kept
            yield told
        places = {folded(p.subject): p for p in held(list(now.values()), self.turn, self.settings)}
        for key, position in now.items():
            if key not in places:
                self.stories.drop(self.scope, position.subject)
                yield Told("supersede", "position-gave-way", position.text,
                           _held(position.subject, position))  # fmt: skip
            elif position != before.get(key):
                self.stories.hold(self.scope, position)

    def moved(self, deltas: Sequence[Delta]) -> Iterator[Told]:
        known, values = fields(self.settings.state), dict(self.story.state)
        done: set[str] = set()
        for delta in deltas:
            field = known.get(delta.name)
            if field is None:
                yield Told("reject", "unknown-state", delta.name)
                continue
            if field.name in done:
                # Many small steps in one reading would be one large one.
                yield Told("reject", "state-moved-already", f"{field.name} {delta.step:+g}")
                continue
            done.add(field.name)
            was = values.get(field.name)
            value = moved(field, starting(field, was), delta.step)
            self.stories.set_state(self.scope, field.name, value)
            undo = canonical({"state": field.name, "before": was})
            yield Told("add", "state", f"{field.name} {value:g}", undo)

    def summarized(self, text: str) -> Iterator[Told]:
        if not text.strip():
            return
        kept, lost = self.replaced().kept(text.strip())
        for sentence in lost:
            yield Told("reject", "replaced", sentence)
        if kept:
            self.stories.summarize(self.scope, kept)
            yield Told("add", "summary", kept, canonical({"summary": self.story.summary}))


def _held(subject: str, before: Position | None) -> str:
    """What puts the position on a subject back as it was."""
    was = None if before is None else dataclasses.asdict(before)
    return canonical({"held": subject, "before": was})
