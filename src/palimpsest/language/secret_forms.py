"""Secrets told in words: "my password is swordfish", "PIN: 441", "change the code to bluebird".

A secret need not look like one, so it is told by the sentence around it. Where the words
after the verb say how the secret is ("is wrong", "is under the mat") there is none.

Invariant: secrets are spans of the text, in order and apart. English word lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from palimpsest.language.secret_words import (
    CHANGES,
    COPULAS,
    HEADS,
    LEADS,
    OPENINGS,
    PASSWORDS,
    PREDICATES,
    PREPOSITIONS,
    SECRETS,
)


class Secret(NamedTuple):
    """A secret at ``start`` to ``end`` of the text."""

    start: int
    end: int


_LONGEST = 8
"""Words of one secret; more are a sentence about it."""
_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_MARKS = "*_"


def _any(words: Sequence[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first)


_KIND = rf"(?P<password>{_any(PASSWORDS)})|(?:{_any(SECRETS)})"
_HEAD = rf"(?:\s+(?:{_any(HEADS)}))?"
_ABOUT = rf"(?:\s+(?:{_any(PREPOSITIONS)})\b[^.!?;:=\n]{{0,80}}?)?"
_FORWARD = re.compile(
    rf"(?<![\w-])(?:{_KIND})s?{_HEAD}{_ABOUT}"
    rf"(?:\s*[:=]\s*(?:(?:{_any(COPULAS)})\s+)?|\s+(?:{_any(COPULAS)})\s*:?\s+)"
    rf"(?:(?:{_any(LEADS)})\s*:?\s+)*",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    rf"\b(?:{_any(CHANGES)})\s+(?:the\s+|my\s+|our\s+|his\s+|her\s+|their\s+)?(?:[\w-]+\s+){{0,3}}?"
    rf"(?:{_KIND}){_HEAD}{_ABOUT}(?:\s+from\s+\S+)?\s+to\s*:?\s+",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    rf"(?:^|[.!?;,\n]\s*)(?P<secret>\S+)\s+(?:is|was)\s+(?:now\s+)?(?:my|our|the|his|her|their)\s+"
    rf"(?:[\w-]+\s+){{0,2}}?(?:{_any(PASSWORDS)})\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"(?:secret|key)s?\s+(?:to|of)\b", re.IGNORECASE)
_HOW_IT_GOES = re.compile(r"[a-z]+(?:ing|ed)")
_CLAUSE = re.compile(
    r"[.!?;,:)\]}]*(?:\s+[-\u2013\u2014]\s|\s+\(|[.!?;,)\]}](?=\s|$)|[.!?]?\n|$|\u2014"
    r"|\s+(?:and|but|or|so|because|since|which|please|for|until|till|if|at|on|in|not|instead|now|"
    r"from|too|also|again)\b)"
)


def secrets(text: str) -> tuple[Secret, ...]:
    """The secrets that a text tells, from left to right."""
    found: list[Secret] = []
    for secret in sorted(_found(text)):
        if not found or found[-1].end <= secret.start:
            found.append(secret)
    return tuple(found)


def _found(text: str) -> Iterator[Secret]:
    for pattern in (_FORWARD, _CHANGED):
        for match in pattern.finditer(text):
            secret = _told(text, match.end(), several=match["password"] is not None)
            # "The secret to good bread is time": a figure of speech tells no figures.
            figure = _FIGURE.match(match.group())
            if secret and not (figure and text[secret.start : secret.end].isalpha()):
                yield secret
    for match in _BACKWARD.finditer(text):
        secret = _told(text, match.start("secret"), several=False, to=match.end("secret"))
        if secret is not None:
            yield secret


def _told(text: str, at: int, *, several: bool, to: int | None = None) -> Secret | None:
    """The secret that begins at ``at``; ``None`` where the words say something about it."""
    opened = at
    while opened < len(text) and text[opened] in _MARKS:
        opened += 1
    closing = _QUOTES.get(text[opened : opened + 1])
    if closing and (end := text.find(closing, opened + 1)) > opened + 1:
        return Secret(opened + 1, end) if "\n" not in text[opened:end] else None
    clause = _CLAUSE.search(text, opened)
    end = to or (clause.start() if clause else len(text))
    while end > opened and text[end - 1] in ".!?;,:*_\"'`":
        end -= 1
    words = text[opened:end].split()
    if not words or len(words) > _LONGEST or not any(c.isalnum() for c in words[0]):
        return None
    if _says_how(words) or not (several or _is_one(words)):
        return None
    return Secret(opened, end)


def _says_how(words: Sequence[str]) -> bool:
    """True where the words are about the secret: "wrong", "under the mat"."""
    plain = [word.lower().strip(",'\"") for word in words]
    return plain[0] in OPENINGS or all(word in PREDICATES for word in plain)


def _is_one(words: Sequence[str]) -> bool:
    """One word, or one number in groups; a letter is a grade, and "failing" says how it goes."""
    if len(words) == 1:
        return len(words[0]) > 1 and not _HOW_IT_GOES.fullmatch(words[0])
    return all(any(c.isdigit() for c in word) for word in words)
