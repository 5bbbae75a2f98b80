"""Which memories a description means: "the staging key", "everything about my old job".

Each row is scored by the share of the described words that it holds (rare words count more),
by its attribute, by its value where that is named, and by the field of life that both speak of.
Invariant: a pure function; what leads by too little is ambiguous, and nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from palimpsest.errors import Ambiguous, NotFound
from palimpsest.language.content_words import content_words
from palimpsest.language.phrases import phrases_in
from palimpsest.language.surface_forms import find
from palimpsest.language.word_list import folded, word_list
from palimpsest.types import Memory

ENOUGH = 0.34
"""The least score of a row that may be meant: a third of what was described."""
WIDE = 0.5
"""The same where everything about something is meant."""
AHEAD = 0.25
"""By how much a row must lead the next one to be the only one that is meant."""
_FIELD, _NAMED = 0.5, 1.0
_MOST_NAMED = 8

_EVERYTHING = regex.compile(
    r"^(?:please\s+)?(?:(?:forget|delete|erase|remove)\s+)?(?:everything|all(?:\s+(?:of\s+)?(?:that|you\s+know))?|"
    r"anything|whatever\s+you\s+know|tout(?:\s+ce\s+que\s+tu\s+sais)?|alles(?:,?\s+was\s+du)?|todo(?:\s+lo\s+que\s+sabes)?|"
    r"tutto(?:\s+quello\s+che\s+sai)?|tudo(?:\s+o\s+que\s+sabes)?)\b[^\p{L}]*(?:i\s+(?:said|told\s+you)\s+)?"
    r"(?:about|on|regarding|concerning|sur|à\s+propos\s+de|de|über|zu|weißt|sobre|su|di)?\b\s*",
    regex.IGNORECASE,
)
_OLD = frozenset(
    ["old", "former", "previous", "earlier", "ex", "past", "ancien", "ancienne", "anciens", "précédent", "précédente", "alte", "alten", "alter", "altes", "früher", "frühere", "früheren", "ehemalige", "ehemaligen", "antiguo", "antigua", "anterior", "viejo", "vieja", "vecchio", "vecchia", "precedente", "antigo", "antiga", "velho", "velha"]
)  # fmt: skip
_EMPTY = frozenset(
    ["user", "users", "my", "mine", "me", "about", "thing", "things", "stuff", "fact", "memory", "memories", "information", "info", "please", "forget", "delete", "remove", "erase", "the", "detail", "details", "one"]
)  # fmt: skip


_OF_ME = frozenset(
    ["me", "myself", "my", "user", "know", "you", "and", "i", "said", "told", "ever", "have", "here", "this", "conversation", "moi", "sais", "tu", "vous", "savez", "mich", "mir", "weißt", "weisst", "du", "sie", "wissen", "über", "von", "mí", "mi", "sabes", "sabe", "usted", "me", "sai", "mim", "você", "please", "bitte", "de", "about", "know", "remember", "s'il", "te", "plaît", "por", "favor", "per", "favore"]
)  # fmt: skip
"""Words behind "everything" that narrow it to nothing."""
_ALL = regex.compile(
    r"^(?:please\s+|bitte\s+)?(?:forget|delete|erase|remove|oublie[zr]?|efface[zr]?|vergiss|vergessen\s+sie|lösche?n?|olvida|olvide|borra|"
    r"dimentica|cancella|esquece|esqueça|apaga)?\s*"
    r"(?:everything|all\b|tout\b|alles\b|todo\b|tutto\b|tudo\b)",
    regex.IGNORECASE,
)
_NAMES_ME = regex.compile(
    r"\b(?:about\s+me|you\s+know|of\s+me|moi|mich|mir|von\s+mir|mí|mi\b|di\s+me|su\s+di\s+me|mim)\b",
    regex.IGNORECASE,
)


def means_everything(words: str) -> bool:
    """True for "everything you know about me": all there is, and nothing in particular.

    "Everything" alone points back to what was just said, and is not meant.
    """
    flat = folded(words).strip(" .!?")
    opened = _ALL.match(flat)
    if opened is None or not _NAMES_ME.search(flat):
        return False
    rest = word_list(
        regex.sub(
            r"\b(?:ce\s+que|was|lo\s+que|quello\s+che|o\s+que|que|that|sur|su|di|sobre)\b",
            " ",
            flat[opened.end() :],
        )
    )
    return all(word in _OF_ME for word in rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that may be meant, and how much of the description it holds (about 0 to 3)."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What a description means: the rows, and those that came next."""

    words: str
    rows: tuple[Candidate, ...]
    others: tuple[Candidate, ...]
    ambiguous: bool
    """Several rows are as likely: one must be named."""
    wide: bool = False
    """Everything about something is meant."""

    def settled(self, command: str) -> tuple[Memory, ...]:
        """The rows; raises Ambiguous and NotFound, naming ids and attributes and no texts."""
        if self.ambiguous:
            named = ", ".join(_called(each) for each in self.rows[:_MOST_NAMED])
            raise Ambiguous(
                f"{command}: these words may mean {len(self.rows)} memories ({named}); name one by "
                f"its id, for instance id={self.rows[0].memory.id}, or say 'everything about ...'"
            )
        if not self.rows:
            raise NotFound(
                f"{command}: no memory is described by these words; 'palimpsest memories' lists "
                "what is remembered"
            )
        return tuple(each.memory for each in self.rows)


def meant(
    words: str,
    current: Sequence[Memory],
    replaced: Sequence[Memory] = (),
    fields: Mapping[str, tuple[str, ...]] | None = None,
) -> Meant:
    """The rows that a description means, the best first.

    ``fields`` are words of the same field of life by its name. A description of something old
    means replaced rows, where one of them fits.
    """
    rest = _EVERYTHING.sub("", words, count=1)
    wide = rest != words
    rest = rest.strip() or words
    old = _OLD & set(word_list(folded(rest)))
    known = fields or {}
    if wide:
        # What was replaced is a part of everything, too.
        return _decided(words, _scored(rest, (*replaced, *current), known, without=old), wide=True)
    if old and replaced:
        found = _scored(rest, replaced, known, without=old)
        if found:
            return _decided(words, found, wide=False)
    return _decided(words, _scored(rest, current, known, without=old), wide=False)


def _decided(words: str, found: Sequence[Candidate], *, wide: bool) -> Meant:
    if wide:
        best = found[0].score if found else 0.0
        rows = tuple(each for each in found if each.score >= max(WIDE, best / 2))
        rest = tuple(found[len(rows) :])
        return Meant(words=words, rows=rows, others=rest, ambiguous=False, wide=True)
    best = found[0].score if found else 0.0
    near = tuple(each for each in found if best - each.score < AHEAD)
    return Meant(
        words=words, rows=near, others=tuple(found[len(near) :]), ambiguous=not _one_thing(near)
    )


def _one_thing(rows: Sequence[Candidate]) -> bool:
    attributes = {row.memory.attribute for row in rows}
    return len(rows) < 2 or (len(attributes) == 1 and None not in attributes)


def _scored(
    words: str, rows: Sequence[Memory], fields: Mapping[str, tuple[str, ...]],
    without: frozenset[str] | set[str],
) -> list[Candidate]:  # fmt: skip
    plain = " ".join(w for w in word_list(folded(words)) if w not in without and w not in _EMPTY)
    wanted = content_words(plain) or frozenset(plain.split())
    held = [_words_of(row) for row in rows]
    often = Counter(word for each in held for word in each)
    weight = {word: 1.0 / max(1, often[word]) ** 0.5 for word in wanted}
    whole, mine = sum(weight.values()), _fields(words, fields)
    found = []
    for row, each in zip(rows, held, strict=True):
        score = sum(weight[word] for word in wanted & each) / whole if whole else 0.0
        if row.attribute and _plain(row.attribute) == plain:
            score += _NAMED
        if row.value and find(row.value, words):
            score += _NAMED
        if mine and mine & _fields(f"{row.attribute or ''} {row.text}", fields):
            score += _FIELD
        if score >= ENOUGH:
            found.append(Candidate(memory=row, score=round(score, 3)))
    return sorted(found, key=lambda each: (-each.score, -each.memory.id))


def _words_of(row: Memory) -> frozenset[str]:
    return content_words(row.text) | content_words(_plain(row.attribute or ""))


def _plain(attribute: str) -> str:
    return " ".join(word_list(folded(regex.sub(r"[-_./:]", " ", attribute))))


def _fields(text: str, fields: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    flat = folded(text)
    return frozenset(name for name, words in fields.items() if phrases_in(flat, words))


def _called(each: Candidate) -> str:
    named = f" {each.memory.attribute!r}" if each.memory.attribute else ""
    return f"#{each.memory.id}{named} {each.score:.2f}"
