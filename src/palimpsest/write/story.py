"""What a reading may change of the story: summary, anchors, positions, state.

The summary is rewritten whole. Anchors are the user's own words; a model adds them within a
limit and removes one only by giving a reason. A position is validated by evidence that does
not quote it, ages, and gives its place to a younger one. State moves within its range by its
largest step. Invariant: pure but for ``apply``; what is refused is told by a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from palimpsest.errors import ConfigError
from palimpsest.language.shared_run import shares_run
from palimpsest.language.word_list import folded, word_list
from palimpsest.proposals import Action, Extraction, Position, Seen, Story
from palimpsest.settings import StorySettings
from palimpsest.types import Scope
from palimpsest.write.parts import WriteStore


class Told(NamedTuple):
    """One verdict on a part of the story."""

    action: Action
    rule: str
    text: str


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
    story = store.stories.of(scope)
    told = [
        *_released(store, scope, story, found),
        *_anchored(store, scope, story, seen, found, settings),
        *_positions(store, scope, story, seen, found, settings),
        *_moved(store, scope, story, found, settings),
    ]
    if found.summary is not None and found.summary.strip():
        store.stories.summarize(scope, found.summary.strip())
        told.append(Told("add", "summary", found.summary.strip()))
    return told


def _released(store: WriteStore, scope: Scope, story: Story, found: Extraction) -> list[Told]:
    known = {anchor.id: anchor.text for anchor in story.anchors}
    told = []
    for wish in found.dropped_anchors:
        if wish.id not in known:
            continue
        if not wish.reason.strip():
            told.append(Told("reject", "anchor-without-reason", known[wish.id]))
            continue
        store.stories.release(scope, wish.id, wish.reason.strip())
        told.append(Told("supersede", "anchor-released", known[wish.id]))
    return told


def _anchored(
    store: WriteStore, scope: Scope, story: Story, seen: Seen, found: Extraction,
    settings: StorySettings,
) -> list[Told]:  # fmt: skip
    said = unread_words(seen)
    known = {folded(anchor.text) for anchor in story.anchors}
    told, places = [], settings.anchors - len(store.stories.of(scope).anchors)
    for text in found.anchors:
        words = folded(text)
        if words in known:
            told.append(Told("merge", "exact", text))
        elif not words_within(text, said):
            told.append(Told("reject", "no-quote", text))
        elif places <= 0:
            told.append(Told("reject", "no-place", text))
        else:
            store.stories.anchor(scope, text, seen.turn.number)
            known.add(words)
            places -= 1
            told.append(Told("add", "anchor", text))
    return told


def _positions(
    store: WriteStore, scope: Scope, story: Story, seen: Seen, found: Extraction,
    settings: StorySettings,
) -> list[Told]:  # fmt: skip
    turn, told = seen.turn.number, []
    known = {folded(position.subject): position for position in story.positions}
    for proposed in found.positions:
        if not proposed.subject.strip() or not proposed.text.strip():
            continue
        key = folded(proposed.subject)
        kept, verdict = validated(proposed, known.get(key), turn, unread_words(seen))
        if kept is not None:
            known[key] = kept
        told.append(verdict)
    places = held(list(known.values()), turn, settings)
    for position in story.positions:
        if position.subject not in {p.subject for p in places}:
            store.stories.drop(scope, position.subject)
    for position in places:
        store.stories.hold(scope, position)
    return told


def _moved(
    store: WriteStore, scope: Scope, story: Story, found: Extraction, settings: StorySettings
) -> list[Told]:
    known, told = fields(settings.state), []
    values = dict(story.state)
    for delta in found.deltas:
        field = known.get(delta.name)
        if field is None:
            told.append(Told("reject", "unknown-state", delta.name))
            continue
        start = values.get(field.name, max(field.least, min(field.most, 0.0)))
        values[field.name] = moved(field, start, delta.step)
        store.stories.set_state(scope, field.name, values[field.name])
        told.append(Told("add", "state", f"{field.name} {values[field.name]:g}"))
    return told
