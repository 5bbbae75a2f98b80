"""Finds the words of a sentence that say that one thing replaces another.

Neither a question, nor a supposition, nor a negated phrase, nor words inside quotation
marks replace anything. Invariant: slots are spans of the sentence as it was given.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from palimpsest.language.packs import Pack
from palimpsest.language.words_of import any_of, word

Kind = Literal["both", "old", "new", "marker"]

_SLOT = r"[^,;:()!?\n\u2026]{1,120}"
_CLAUSE = r"(?:^|(?<=[,;:(]))\s*"
QUOTED = re.compile(
    r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u00ab[^\u00bb]*\u00bb|\u201e[^\u201c\u201d]*[\u201c\u201d]|`[^`]*`"
)
_STRONG = re.compile(r"[;:](?!\S)")
_NEAR = 5
"""Words between a verb of choosing and what it chooses: "use a managed, hosted MySQL"."""
_SLOTS = {"{old}": "old", "{new}": "new"}


class Replacement(NamedTuple):
    """One replacing phrase: the slot of what goes and of what comes, where it has them."""

    kind: Kind
    start: int
    end: int
    old: tuple[int, int] | None
    new: tuple[int, int] | None


class _Phrase(NamedTuple):
    pattern: re.Pattern[str]
    kind: Kind
    leading: str
    """The slot that the phrase begins with; empty for none."""
    trailing: str
    needs: tuple[frozenset[str], ...]
    """Words of which one each must stand in a sentence; a cheap test before the pattern."""


class _Words(NamedTuple):
    hedges: re.Pattern[str]
    negations: re.Pattern[str]
    clause_ends: re.Pattern[str]
    markers: re.Pattern[str]
    choices: re.Pattern[str]
    pronouns: re.Pattern[str]
    requests: re.Pattern[str]
    small: frozenset[str]
    """Words that end what stands before them."""


def replacements(sentence: str, pack: Pack) -> tuple[Replacement, ...]:
    """What a sentence says to be replaced, from left to right; none for a mere question.

    A question that requests it ("could you switch ...?") counts.
    """
    ordered = _words(pack).requests.sub(lambda found: " " * len(found.group()), sentence)
    if (is_question(sentence) and ordered == sentence) or is_hedged(ordered, pack):
        return ()
    found: list[Replacement] = []
    for item in (*_in_phrases(sentence, pack), *_in_markers(sentence, pack)):
        if all(item.end <= other.start or other.end <= item.start for other in found):
            found.append(item)
    return tuple(sorted(found, key=lambda item: item.start))


def is_question(sentence: str) -> bool:
    """True for a sentence that asks."""
    return sentence.rstrip(" \"'\u201d\u00bb)").endswith(("?", "\uff1f"))


def is_hedged(sentence: str, pack: Pack) -> bool:
    """True for a sentence that only considers what it says."""
    # In lower case only, or the month of May would be a mere possibility.
    lowered = sentence[:1].lower() + sentence[1:]
    return any(m.group().islower() for m in _words(pack).hedges.finditer(lowered))


def clause(sentence: str, found: Replacement, pack: Pack) -> tuple[int, int]:
    """The part of a sentence that a replacing phrase belongs to, without reasons and asides."""
    slots = [slot for slot in (found.old, found.new) if slot]
    first = min(found.start, *(slot[0] for slot in slots), found.end)
    last = max(found.end, *(slot[1] for slot in slots), found.start)
    ends = (_words(pack).clause_ends, _STRONG)
    before = [m.end() for end in ends for m in end.finditer(sentence, 0, first)]
    after = [m.start() for end in ends for m in end.finditer(sentence, last)]
    return max(before, default=0), min(after, default=len(sentence))


@functools.lru_cache(maxsize=65_536)
def is_chosen(sentence: str, at: int, pack: Pack) -> bool:
    """True where a word of choosing stands shortly before ``at``, in its clause, unnegated."""
    start = max(sentence.rfind(mark, 0, at) for mark in ",;:(") + 1
    before = sentence[start:at].split()[-_NEAR:]
    near = " ".join(before)
    return bool(_words(pack).choices.search(near)) and not _words(pack).negations.search(near)


def is_head(sentence: str, end: int, pack: Pack) -> bool:
    """True where no further noun follows: in "red wine" red is not what is spoken of."""
    following = re.match(r"\s*([^\W\d_]+)", sentence[end:])
    return following is None or following[1].lower() in _words(pack).small


def is_request(sentence: str, pack: Pack) -> bool:
    """True where the words of a request stand, even in the form of a question."""
    return bool(_words(pack).requests.search(sentence))


def is_pronoun(text: str, pack: Pack) -> bool:
    """True for a word that points to the sentence before."""
    return bool(_words(pack).pronouns.fullmatch(text.strip()))


def _in_phrases(sentence: str, pack: Pack) -> Iterator[Replacement]:
    body = sentence.rstrip(" .!\u2026")
    spoken = frozenset(re.findall(r"[^\W_]+", body.lower()))
    for phrase in _phrases(pack):
        if not all(words & spoken for words in phrase.needs):
            continue
        for match in phrase.pattern.finditer(body):
            found = _found(match, phrase, pack)
            if found is not None and _is_said(found, sentence, pack):
                yield found


def _found(match: re.Match[str], phrase: _Phrase, pack: Pack) -> Replacement | None:
    slots: dict[str, tuple[int, int]] = {}
    for name in match.groupdict():
        start, end = match.span(name)
        ends = list(_words(pack).clause_ends.finditer(match.string, start, end))
        outer = name in (phrase.leading, phrase.trailing)
        if not outer and any(item.group().lower() not in pack.joins for item in ends):
            return None
        if name == phrase.leading and ends:
            start = ends[-1].end()
        if name == phrase.trailing and ends:
            end = ends[0].start()
        text = match.string[start:end]
        if not text.strip():
            return None
        start += len(text) - len(text.lstrip())
        slots[name] = start, start + len(text.strip())
    return Replacement(
        kind=phrase.kind,
        start=slots[phrase.leading][1] if phrase.leading else match.start(),
        end=slots[phrase.trailing][0] if phrase.trailing else match.end(),
        old=slots.get("old"), new=slots.get("new"),
    )  # fmt: skip


def _in_markers(sentence: str, pack: Pack) -> Iterator[Replacement]:
    for match in _words(pack).markers.finditer(sentence):
        rest = (
            sentence[match.end() :].strip(" ,:.!-\u2014\u2026") or sentence[: match.start()].strip()
        )
        at = sentence.find(rest) if rest else 0
        found = Replacement(
            kind="marker", start=match.start(), end=match.end(), old=None,
            new=(at, at + len(rest)) if rest else None,
        )  # fmt: skip
        if _is_said(found, sentence, pack):
            yield found


def _is_said(found: Replacement, sentence: str, pack: Pack) -> bool:
    """False for a phrase inside quotation marks, or behind a negation in its clause."""
    if sentence.lstrip().startswith(">"):
        return False
    if any(m.start() < found.start and found.end < m.end() for m in QUOTED.finditer(sentence)):
        return False
    if found.kind == "marker":
        return True
    first = min(found.start, *(slot[0] for slot in (found.old, found.new) if slot))
    clause = max(sentence.rfind(mark, 0, first) for mark in ",;:(") + 1
    return not _words(pack).negations.search(sentence, clause, found.start)


@functools.cache
def _words(pack: Pack) -> _Words:
    return _Words(
        hedges=any_of(pack.hedges),
        negations=any_of(pack.negations),
        clause_ends=any_of((*pack.clause_ends, *pack.joins)),
        markers=any_of(pack.markers),
        choices=any_of(pack.choices),
        pronouns=any_of(pack.pronouns),
        requests=any_of(pack.requests),
        small=frozenset((*pack.stop_words, *pack.joins, *pack.clause_ends)),
    )


@functools.cache
def _phrases(pack: Pack) -> tuple[_Phrase, ...]:
    """The compiled phrases; those that name both what goes and what comes are tried first."""
    made = [_compiled(text) for text in pack.phrases]
    order = ("both", "old", "new")
    return tuple(sorted(made, key=lambda phrase: order.index(phrase.kind)))


def _compiled(text: str) -> _Phrase:
    tokens = text.split()
    pieces = [_piece(token, last=i == len(tokens) - 1) for i, token in enumerate(tokens)]
    begin = _CLAUSE if tokens[0] in _SLOTS else r"(?<!\w)"
    names = [_SLOTS[token] for token in tokens if token in _SLOTS]
    kind: Kind = "both" if len(names) == 2 else "old" if names == ["old"] else "new"
    return _Phrase(
        pattern=re.compile(begin + "".join(pieces), re.IGNORECASE), kind=kind,
        leading=_SLOTS.get(tokens[0], ""), trailing=_SLOTS.get(tokens[-1], ""),
        needs=tuple(needed for token in tokens if (needed := _needed(token))),
    )  # fmt: skip


def _needed(token: str) -> frozenset[str]:
    """The words of which a token needs one; none for a slot, a gap or an open ending."""
    words = token.split("/")
    plain = all(word.isalnum() for word in words)
    return frozenset(word.lower() for word in words) if plain else frozenset()


def _piece(piece: str, *, last: bool) -> str:
    if piece in _SLOTS:
        return f"(?P<{_SLOTS[piece]}>{_SLOT}{'' if last else '?'})"
    if piece == "...":
        return r"(?:[^\s,;:()!?]+\s+){0,4}?"
    if piece == ",":
        return r"\s*,\s*"
    if piece == "*":
        return r"[^\s,;:()!?]+\s+"
    words = piece.strip("[]").split("/")
    either = "|".join(word(w) + ("" if w.endswith("'") else r"(?!\w)") for w in words)
    optional = "?" if piece.startswith("[") else ""
    return rf"(?:(?<!\w)(?:{either})\s*){optional}"
