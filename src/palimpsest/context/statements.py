"""The extractor ``statements``: decisions, names and exact values as they stand now.

It quotes sentences that a cue marks and sentences that state an identifier, a quantity or a
date. Of a correction it quotes the current sentence alone where it is certain what was
replaced, and both where it is not. Invariant: nothing that a correction may replace is
quoted without that correction, unless the request shows the correction's turn.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.context.corrections import Link, links
from palimpsest.context.cues import cue_pattern, sentences
from palimpsest.context.rivals import restated
from palimpsest.context.said import Said, antecedent, same_text
from palimpsest.language import packs
from palimpsest.language.packs import Pack
from palimpsest.language.reading import read
from palimpsest.protocols import Note
from palimpsest.types import Role, Turn

LISTED = 8
"""So many exact values in sentences of one text, and it is a list or a log, not somebody's
statements: in the published and built-in conversations a person's own text has at most two
such sentences and a pasted one at least fourteen (tests/unit/context/test_statements.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Quotes what was stated and still holds; ``languages`` such as ``en fr`` chooses packs."""

    languages: str = ""

    def __call__(
        self, removed: Sequence[Turn], shown: Sequence[Turn], config: Config
    ) -> Sequence[Note]:
        """The statements of ``removed`` that no later turn replaces."""
        chosen = packs.chosen(self.languages)
        wanted = config.notes.roles
        said = [*_said(removed, wanted, chosen, False), *_said(shown, wanted, chosen, True)]
        found = links(said)
        marked = _marked(said, config.notes.cues)
        kept = _worth(said, wanted, found, marked)
        units = _units(said, kept)
        kept |= set(units)
        kept -= _retired(found, kept, units)
        if config.notes.unique != "no":
            kept = _newest(said, kept, units)
        first = marked | set(units) | {i for i in kept if said[i].reading.replacements}
        first |= restated(said, first & kept)
        return [
            dataclasses.replace(said[i].note, rank=int(i not in first), unit=units.get(i))
            for i in sorted(kept)
            if not said[i].shown
        ]


def _said(
    turns: Sequence[Turn], wanted: Sequence[Role], chosen: tuple[Pack, ...], shown: bool
) -> list[Said]:
    # An assistant's correction counts even where its other words are not quoted.
    heard: list[Role] = list(dict.fromkeys(("user", "assistant", *wanted)))
    return [
        Said(note, read(text, chosen), shown)
        for turn in turns
        for note, text in sentences(turn, heard)
    ]


def _marked(said: Sequence[Said], cues: Sequence[str]) -> set[int]:
    """Sentences with a cue of the pack or of the settings, or with a naming phrase."""
    own = cue_pattern(cues)
    return {
        i
        for i, item in enumerate(said)
        if item.reading.marked
        or (own is not None and not item.reading.pasted and own.search(item.reading.text))
    }


def _worth(
    said: Sequence[Said], wanted: Sequence[Role], found: Sequence[Link], marked: set[int]
) -> set[int]:
    """The sentences worth quoting, before anything is taken away again."""
    corrects = {link.correction for link in found}
    listed = _listed(said, marked)
    kept: set[int] = set()
    for i, item in enumerate(said):
        if item.reading.asks:
            continue
        states = i in marked or (item.reading.exact and i not in listed)
        worth = item.note.role in wanted and (states or _announces(item))
        if worth or i in corrects or (i - 1 in kept and _completes(said, i)):
            kept.add(i)
    return kept


def _announces(item: Said) -> bool:
    """True for a correction that says something, even where what it replaces is not found."""
    read = item.reading
    exact = [value.span for value in read.stated if value.kind != "name"]
    return bool(read.words or read.stated) and any(
        found.kind != "new" or found.new in exact for found in read.replacements
    )


def _completes(said: Sequence[Said], at: int) -> bool:
    """True where the sentence before only says what goes, and this one what comes."""
    if not at or not same_text(said[at - 1], said[at]) or said[at].reading.asks:
        return False
    before = said[at - 1].reading.replacements
    return bool(said[at].reading.stated and before) and all(r.kind == "old" for r in before)


def _listed(said: Sequence[Said], marked: set[int]) -> set[int]:
    """The sentences of lists and logs that hold an exact value and nothing else of note."""
    texts: dict[tuple[int, int, int], list[int]] = {}
    for i, item in enumerate(said):
        if item.reading.exact and i not in marked:
            key = (item.note.turn, item.note.message, item.note.text)
            texts.setdefault(key, []).append(i)
    return {i for places in texts.values() if len(places) >= LISTED for i in places}


def _units(said: Sequence[Said], kept: set[int]) -> dict[int, int]:
    """Both sentences of a correction whose subject is the sentence before it, as one unit."""
    units: dict[int, int] = {}
    for i in sorted(kept):
        before = i - 1 if i - 1 in kept and _completes(said, i) else antecedent(said, i)
        if before is not None and said[before].shown == said[i].shown:
            number = units.get(before, before)
            units[before] = units[i] = number
    return units


def _retired(found: Sequence[Link], kept: set[int], units: Mapping[int, int]) -> set[int]:
    """What is certainly replaced, less what something that stays still needs beside it."""
    gone = {link.statement for link in found if link.certain and link.correction in kept}
    gone |= _whole(gone, units)
    while True:
        needed = {
            link.correction
            for link in found
            if link.correction in gone and link.statement in kept - gone
        }
        needed = _whole(needed, units) & gone
        if not needed:
            return gone
        gone -= needed


def _whole(places: set[int], units: Mapping[int, int]) -> set[int]:
    """The places with the other members of their units."""
    touched = {units[i] for i in places if i in units}
    return places | {i for i, number in units.items() if number in touched}


def _newest(said: Sequence[Said], kept: set[int], units: Mapping[int, int]) -> set[int]:
    """Each sentence once, where it was said last: what was said again is current again."""
    seen: set[str] = set()
    found: set[int] = set()
    for i in sorted(kept, reverse=True):
        if i in units or said[i].reading.text not in seen:
            found.add(i)
        seen.add(said[i].reading.text)
    return found
