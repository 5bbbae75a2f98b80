"""The strategy ``notes``: recent turns, and cue-word sentences quoted from removed turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.config import Config, NotesSettings
from palimpsest.context.assemble import assemble, exactly
from palimpsest.context.block import Block
from palimpsest.context.fit import Fitted, Scale, fit, require
from palimpsest.context.ledger import no_memories
from palimpsest.context.quote import quoted
from palimpsest.context.recent import as_said, optional
from palimpsest.context.settings import overridden
from palimpsest.context.skeleton import skeleton
from palimpsest.language.invisible import without_invisible
from palimpsest.language.sentences import sentence_spans
from palimpsest.protocols import Counter, View
from palimpsest.registry import render, spec_of
from palimpsest.types import Ask, Message, NoteEntry, Request, Role, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One sentence that may become a note, with its rendered line."""

    entry: NoteEntry
    sentence: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Keeps ``reserve`` tokens free of turns for sentences that hold a cue word."""

    reserve: int | None = None

    @property
    def memory(self) -> bool:
        return False

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge."""
        settings = overridden(config, reserve=self.reserve)

        def attempt(whole: bool) -> Request:
            limit = ask.budget.input
            bones = skeleton(ask, view.open_turns(), settings.context, as_said)
            scale = Scale(bones, counter, whole=whole)
            require(scale, limit)
            turns = optional(view, bones.required(), as_said)
            fitted = fit(scale, turns, None, limit - settings.notes.reserve)
            found = quotes(_removed(fitted, turns), settings, counter.frame.markers)
            block, entries = _fitting(scale, fitted, found, settings, limit)
            return assemble(
                scale, fitted, view, ask, strategy=render(spec_of("notes", self)),
                memories=no_memories(view.first_memory(), view.last_memory()),
                notes=entries, block=block, block_is="notes",
            )  # fmt: skip

        return exactly(attempt, counter)


def _removed(fitted: Fitted, unread: Iterator[Turn]) -> list[Turn]:
    """The turns that are left out, oldest first."""
    left_out = [*fitted.unusable, *fitted.passed, *unread]
    return sorted(left_out, key=lambda turn: turn.number)


def quotes(turns: Iterable[Turn], config: Config, markers: Sequence[str]) -> list[Quote]:
    """The sentences of ``turns`` that hold a cue, in conversation order, each once."""
    settings = config.notes
    cue = cue_pattern(settings.cues)
    found: list[Quote] = []
    seen: set[str] = set()
    for turn in turns:
        for place, sentence in _sentences(turn, settings, cue):
            line = config.context.note_line.format(
                turn=place.turn, role=place.role, text=quoted(sentence, markers)
            )
            key = {"no": "", "sentence": sentence, "line": line}[settings.unique]
            if key and key in seen:
                continue
            seen.add(key)
            found.append(Quote(entry=place, sentence=sentence, line=line))
    return found


def _sentences(
    turn: Turn, settings: NotesSettings, cue: re.Pattern[str] | None
) -> Iterator[tuple[NoteEntry, str]]:
    for i, message in enumerate(turn.messages):
        for j, (role, text) in enumerate(spoken(message)):
            if cue is None or role not in settings.roles:
                continue
            for start, end in sentence_spans(text):
                if cue.search(without_invisible(text[start:end])):
                    entry = NoteEntry(
                        turn=turn.number, role=role, message=i, text=j, start=start, end=end,
                        sent=False,
                    )  # fmt: skip
                    yield entry, text[start:end]


def spoken(message: Message) -> list[tuple[Role, str]]:
    """The texts of a message (as ``Message.texts``) with who really speaks in each.

    A tool result that travels inside a user message is the tool's, not the user's.
    """
    if message.content is not None:
        return [(message.role, message.content)]
    parts = [part for part in message.parts if part.text is not None]
    return [("tool" if p.kind == "tool_result" else message.role, p.text or "") for p in parts]


def cue_pattern(cues: Sequence[str]) -> re.Pattern[str] | None:
    """One pattern that finds any cue as a whole word, in any case."""
    if not cues:
        return None
    # A cue may end in punctuation ("Decision:"), where \b would demand a letter after it.
    words = [
        ("(?<!\\w)" if cue[0].isalnum() else "")
        + r"\s+".join(map(re.escape, cue.split()))
        + ("(?!\\w)" if cue[-1].isalnum() else "")
        for cue in (cue.strip() for cue in cues)
    ]
    return re.compile("|".join(words), re.IGNORECASE)


def _fitting(
    scale: Scale, fitted: Fitted, found: Sequence[Quote], config: Config, limit: int
) -> tuple[Block, tuple[NoteEntry, ...]]:
    """Take quotes from the newest until one does not fit; show them in their order."""
    chosen: list[Quote] = []
    for quote in reversed(found):
        if scale.weigh(fitted.kept, _block(config, [quote, *chosen])) > limit:
            break
        chosen.insert(0, quote)
    sent = {id(quote) for quote in chosen}
    entries = tuple(_with_fate(quote.entry, id(quote) in sent) for quote in found)
    return _block(config, chosen), entries


def _block(config: Config, chosen: Sequence[Quote]) -> Block:
    return Block(header=config.context.notes_header, lines=tuple(quote.line for quote in chosen))


def _with_fate(entry: NoteEntry, sent: bool) -> NoteEntry:
    return NoteEntry(
        turn=entry.turn, role=entry.role, message=entry.message, text=entry.text,
        start=entry.start, end=entry.end, sent=sent,
    )  # fmt: skip
