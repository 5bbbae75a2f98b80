"""Asks an extractor for notes and holds it to what it may do.

A note cites a sentence of a removed turn by role and span; one that cites anything else is
refused, so a plug-in cannot quote what nobody said. Invariant: what is returned is in the
order of the conversation, and unless the extractor rewrites, each text is its span.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from palimpsest import registry
from palimpsest.config import Config
from palimpsest.context.cues import spoken
from palimpsest.context.quote import quoted
from palimpsest.errors import InputError
from palimpsest.ledger import NoteEntry
from palimpsest.protocols import Note, NoteExtractor
from palimpsest.types import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One sentence that may become a note, with its rendered line."""

    entry: NoteEntry
    sentence: str
    line: str
    rank: int = 0
    unit: int | None = None
    rewritten: bool = False


def resolved(given: str | NoteExtractor) -> NoteExtractor:
    """The extractor that a Spec text names, or the instance itself; raises SpecError."""
    if isinstance(given, str):
        return cast(NoteExtractor, registry.load("note_extractors", registry.parse(given)))
    if not callable(given):
        raise InputError(f"extractor: {given!r} is neither a Spec text nor a function")
    return given


def named(given: str | NoteExtractor) -> str:
    """How a result names an extractor: its printed Spec, or the function's own name."""
    if isinstance(given, str):
        spec = registry.parse(given)
        return registry.render(registry.spec_of(spec.name, resolved(given)))
    own = getattr(given, "__qualname__", None) or type(given).__qualname__
    return f"{getattr(given, '__module__', '')}:{own}"


def extracted(
    extractor: NoteExtractor,
    removed: Sequence[Turn],
    shown: Sequence[Turn],
    config: Config,
    markers: Sequence[str],
) -> list[Quote]:
    """What an extractor finds, checked, rendered, and each once as the settings say."""
    turns = {turn.number: turn for turn in removed}
    notes: object = extractor(removed, shown, config)
    if not isinstance(notes, Iterable) or isinstance(notes, (str, bytes)):
        raise InputError(
            f"extractor: {named(extractor)} returned {notes!r:.80}, which is not a list of Notes; "
            "return [] where there are none"
        )
    found = [_quote(note, turns, config, markers) for note in notes]
    found.sort(key=lambda quote: _place(quote.entry))
    return _unique(found, config)


def _quote(
    note: object, turns: Mapping[int, Turn], config: Config, markers: Sequence[str]
) -> Quote:
    if not isinstance(note, Note):
        raise InputError(f"extractor: {note!r:.80} is not a Note (palimpsest.protocols.Note)")
    said = _said(note, turns)
    sentence = said if note.words is None else note.words
    entry = NoteEntry(
        turn=note.turn, role=note.role, message=note.message, text=note.text, start=note.start,
        end=note.end, sent=False,
    )  # fmt: skip
    line = config.context.note_line.format(
        turn=note.turn, role=note.role, text=quoted(sentence, markers)
    )
    return Quote(
        entry=entry, sentence=sentence, line=line, rank=note.rank, unit=note.unit,
        rewritten=sentence != said,
    )  # fmt: skip


def _said(note: Note, turns: Mapping[int, Turn]) -> str:
    turn = turns.get(note.turn)
    if turn is None:
        raise InputError(f"extractor: a note cites turn {note.turn}, which was not removed")
    texts = spoken(turn.messages[note.message]) if 0 <= note.message < len(turn.messages) else []
    role, text = texts[note.text] if 0 <= note.text < len(texts) else (None, "")
    if role != note.role or not 0 <= note.start < note.end <= len(text):
        raise InputError(
            f"extractor: a note cites {note.start} to {note.end} of text {note.text} of message "
            f"{note.message} of turn {note.turn} as {note.role!r}; no such words were said"
        )
    return text[note.start : note.end]


def _unique(found: Sequence[Quote], config: Config) -> list[Quote]:
    seen: set[str] = set()
    kept: list[Quote] = []
    for quote in found:
        key = {"no": "", "sentence": quote.sentence, "line": quote.line}[config.notes.unique]
        if not key or key not in seen:
            seen.add(key)
            kept.append(quote)
    return kept


def _place(entry: NoteEntry) -> tuple[int, int, int, int]:
    return entry.turn, entry.message, entry.text, entry.start
