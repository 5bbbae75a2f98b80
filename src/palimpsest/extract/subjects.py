"""The name under which a statement is kept: what it is about, in its own words.

"My passport number is ..." is about "passport number". Invariant: a pure function; where no
plain subject stands before a verb there is no name, and nothing is invented.
"""

from __future__ import annotations

import regex

from palimpsest.extract.grammar import Grammar
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.word_list import folded, word_list

_MOST = 4
"""Words of a name; what is longer is a sentence."""


def attribute_of(text: str, grammar: Grammar) -> str | None:
    """The subject of a statement without its article; ``None`` where it has none."""
    flat = folded(text)
    opened = pattern((*grammar.first, *grammar.subjects)).match(flat)
    if opened is None:
        return None
    verbs = phrases_in(flat[opened.end() :], grammar.copulas)
    if not verbs:
        return None
    between = flat[opened.end() : opened.end() + verbs[0][0]]
    words = [word for word in word_list(between) if word not in _NEW]
    if not 0 < len(words) <= _MOST or regex.search(r"[,;:.]", between.strip()):
        return None
    return " ".join(words)


_NEW = frozenset({"new", "current", "old", "nouveau", "nouvelle", "nouvel", "actuel", "actuelle",
                  "neue", "neuer", "neues", "nuevo", "nueva", "nuovo", "nuova", "novo", "nova"})  # fmt: skip
