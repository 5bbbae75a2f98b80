"""Which grammar reads a text, where small words leave several languages open.

"La mairie accepte finalement 7 150 euros" is Spanish, French or Italian by its small words: the
words of the grammars decide, and then what the conversation spoke before. Invariant: a pure
function of the text and of what came before; a language that was not asked for reads nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from palimpsest.extract import grammar as grammars
from palimpsest.extract.grammar import Grammar
from palimpsest.language.guess import languages_of
from palimpsest.language.word_list import word_list
from palimpsest.proposals import Seen

_READ = 2_000
"""Characters of a text by which its language is told."""
_SHORT = 8
"""Words of a text whose small words prove too little."""
_REMEMBERED = 8
"""Memories whose words tell what the conversation spoke."""


def grammar_of(text: str, seen: Seen, known: Sequence[str]) -> Grammar | None:
    """The grammar that reads a text; ``None`` where none of the ``known`` can."""
    likely = [code for code in languages_of(text[:_READ]) if code in known]
    listed = word_list(text[:_READ])
    if not likely or not listed:
        return None
    # So few words may hold no small word at all: "Usiamo Postgres".
    open_to = [*likely, *(code for code in known if code not in likely)]
    candidates = open_to if len(listed) <= _SHORT else likely
    if len(candidates) == 1:
        return grammars.load(candidates[0])
    words, spoken = set(listed), _spoken(seen)

    def rank(code: str) -> tuple[int, bool, int, int]:
        before = spoken.index(code) if code in spoken else len(spoken)
        held = len(words & _words(code))
        return held, code in likely, -before, -candidates.index(code)

    return grammars.load(max(candidates, key=rank))


def _spoken(seen: Seen) -> tuple[str, ...]:
    """The languages of what the user said before, likeliest first."""
    said = [turn.user[:_READ] for turn in seen.before]
    said += [memory.text[:_READ] for memory in seen.memories[-_REMEMBERED:]]
    return languages_of("\n".join(said)[: 2 * _READ]) if said else ()


@functools.cache
def _words(code: str) -> frozenset[str]:
    """Every word that a grammar lists."""
    held = grammars.load(code)
    lists = (
        held.first, held.subjects, held.verbs, held.wishes, held.plans, held.standing, held.past,
        held.orders, held.tasks, held.corrections, held.forgets, held.politeness, held.questions,
        held.copulas, held.empty, held.reports, held.conditions, held.pastes, *held.domains.values(),
        held.possessives, held.own_verbs, held.shared_verbs, held.kin, held.erasures, held.openers,
        held.forget_forms, held.keep_forms, held.retained, held.addressed, held.pointers,
    )  # fmt: skip
    return frozenset(word for phrases in lists for phrase in phrases for word in word_list(phrase))
