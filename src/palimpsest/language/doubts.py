"""Whether a replacing phrase speaks for the conversation's own decision.

It does not where the sentence refuses, reports, looks back, adds ("also") or speaks of
somebody else. Invariant: a doubt only ever keeps a statement; it takes none away.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from palimpsest.language.packs import Pack
from palimpsest.language.replacing import Replacement, is_pronoun
from palimpsest.language.words_of import any_of

_ENDS = re.compile(r"[,;:(]")


class _Words(NamedTuple):
    doubts: re.Pattern[str]
    others: re.Pattern[str]
    own: re.Pattern[str]
    requests: re.Pattern[str]
    small: frozenset[str]


def is_doubtful(sentence: str, found: Replacement, pack: Pack) -> bool:
    """True where what a sentence says to be replaced may not be this conversation's."""
    # A full stop, so that a listed "too." is found at an end without one.
    text = f"{sentence}."
    if _words(pack).doubts.search(text):
        return True
    if found.old is None:
        # What goes is told by the topic, and the topic names whose it is.
        return False
    if found.new and is_pronoun(sentence[slice(*found.new)], pack):
        start, end = found.new
        text = text[:start] + " " * (end - start) + text[end:]
    return _is_of_others(text, found, pack) or _names_its_doer(sentence, found, pack)


def _is_of_others(text: str, found: Replacement, pack: Pack) -> bool:
    """True where somebody else is nearer to the phrase than a word such as "we"."""
    words, begins = _words(pack), found.start
    own = max((m.start() for m in words.own.finditer(text, 0, begins)), default=-1)
    # What stands behind "we moved ..." or "move ..." is not who does it.
    end = begins if own >= 0 or _by_verb(found) else len(text)
    return any(m.start() > own for m in words.others.finditer(text, 0, end))


def _by_verb(found: Replacement) -> bool:
    """True where a phrase begins by its verb and not by what goes or comes."""
    return all(not slot or slot[0] >= found.start for slot in (found.old, found.new))


def _names_its_doer(sentence: str, found: Replacement, pack: Pack) -> bool:
    """True for "Acme switched from ...": a name alone before a phrase that begins by its verb."""
    if not _by_verb(found):
        return False
    starts = [match.end() for match in _ENDS.finditer(sentence, 0, found.start)]
    subject = sentence[max(starts, default=0) : found.start]
    subject = _words(pack).requests.sub("", subject)
    words = [w for w in subject.split() if w.lower() not in _words(pack).small]
    named = len(words) == 1 and subject.split()[0] == words[0] and words[0][0].isupper()
    return named and not _words(pack).own.search(subject)


@functools.cache
def _words(pack: Pack) -> _Words:
    return _Words(
        doubts=any_of(pack.doubts),
        others=any_of(pack.others),
        own=any_of(pack.own),
        requests=any_of(pack.requests),
        small=frozenset((*pack.stop_words, *pack.generic, *pack.joins)),
    )
