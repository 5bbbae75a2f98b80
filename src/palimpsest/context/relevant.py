"""The strategies ``relevant`` and ``hybrid``: turns that share words with the question.

The turn with the most shared words comes first, of equals the newest; a turn that does not
fit is skipped. A turn that shares no word is never sent, except the newest one, which
``hybrid`` tries before all others. The published rule compares plain words; ``stem``
compares their stems, so that "bookings" answers a question about a booking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.context.assemble import assemble, exactly
from palimpsest.context.fill import fill, filled_entries
from palimpsest.context.fit import Fitted, Scale, require
from palimpsest.context.ledger import no_memories
from palimpsest.context.recent import as_said, optional
from palimpsest.context.skeleton import Skeleton, skeleton
from palimpsest.errors import SpecError
from palimpsest.language.stems import stems
from palimpsest.language.words import plain_words
from palimpsest.ledger import Request
from palimpsest.protocols import Counter, View
from palimpsest.registry import render, spec_of
from palimpsest.types import Ask, Message, Turn

Words = Callable[[str], frozenset[str]]
Order = Callable[[Sequence[Turn], list[Turn]], Sequence[Turn]]
"""From every optional turn (newest first) and the ranked ones to the order of filling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevant:
    """Turns ranked by the words that they share with the question; skips what does not fit."""

    stem: bool = False
    language: str = "en"
    """Whose stems and stop words; with ``stem`` only, the published rule is English."""

    def __post_init__(self) -> None:
        comparing(self.stem, self.language)

    @property
    def memory(self) -> bool:
        return False

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge."""
        return _build(
            view, ask, counter, config, words=comparing(self.stem, self.language),
            order=lambda turns, ranked: ranked, strategy=render(spec_of("relevant", self)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid:
    """The newest turn first, then turns as ``relevant`` ranks them."""

    stem: bool = False
    language: str = "en"
    """Whose stems and stop words; with ``stem`` only, the published rule is English."""

    def __post_init__(self) -> None:
        comparing(self.stem, self.language)

    @property
    def memory(self) -> bool:
        return False

    def build(self, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        """Build the request; raises RequiredContextTooLarge."""
        return _build(
            view, ask, counter, config, words=comparing(self.stem, self.language),
            order=_newest_first, strategy=render(spec_of("hybrid", self)),
        )  # fmt: skip


def comparing(stem: object, language: object) -> Words:
    """What turns a text into the words that are compared; raises SpecError."""
    if not isinstance(stem, bool):
        raise SpecError(f"stem={stem!r} is not true or false")
    if not isinstance(language, str):
        raise SpecError(f"language={language!r} is not a quoted language code such as 'fr'")
    found = stems(language)
    if stem:
        return found.words
    if language != "en":
        raise SpecError(
            f"language={language!r}: the rule without stems is the published one, in English; "
            "add stem=true"
        )
    return plain_words


def ranked(question: frozenset[str], turns: Sequence[Turn], words: Words) -> list[Turn]:
    """The turns that share a word with the question, most shared first, of equals the newest."""
    shared = [(len(question & _words(turn.messages, words)), turn) for turn in turns]
    found = [(number, turn) for number, turn in shared if number]
    return [turn for _, turn in sorted(found, key=lambda pair: (-pair[0], -pair[1].number))]


def _build(
    view: View, ask: Ask, counter: Counter, config: Config, *, words: Words, order: Order,
    strategy: str,
) -> Request:  # fmt: skip
    limit = ask.budget.input

    def attempt(whole: bool) -> Request:
        bones = skeleton(ask, view.open_turns(), config.context, as_said)
        scale = Scale(bones, counter, whole=whole)
        require(scale, limit)
        turns = tuple(optional(view, bones.required(), as_said))
        found = ranked(_words(_asked(bones), words), turns, words)
        filled = fill(scale, order(turns, found), limit)
        return assemble(
            scale, Fitted(kept=filled.kept, stopped=None), view, ask, strategy=strategy,
            memories=no_memories(view.first_memory(), view.last_memory()),
            turns=filled_entries(scale, filled, turns, "no-match"),
        )  # fmt: skip

    return exactly(attempt, counter)


def _newest_first(turns: Sequence[Turn], found: list[Turn]) -> Sequence[Turn]:
    newest = turns[:1]
    return (*newest, *(turn for turn in found if turn not in newest))


def _asked(bones: Skeleton) -> tuple[Message, ...]:
    """The question, or the user's words of the turn that is continued."""
    return tuple(message for message in bones.tail if message.role == "user")


def _words(messages: Sequence[Message], words: Words) -> frozenset[str]:
    """The words that are compared, of everything that people and tools wrote."""
    return frozenset().union(*(words(text) for item in messages for text in item.texts()))
