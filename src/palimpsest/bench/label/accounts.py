"""Names of accounts and of machines: what stands before an @, in a home folder, in a login.

Whoever is called so in an address is called so in code and in logs, in small letters.
Invariant: pure functions; words that name a role (``info``, ``admin``) are nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from palimpsest.language.word_list import folded

_LOCAL = regex.compile(r"(?<![\w.+-])(?P<account>[\w.+-]+)@[\w-]+(?:\.[\w-]+)+")
_HOME = regex.compile(r"(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)(?P<account>[\w.-]+)")
_LOGIN = regex.compile(r"\b[a-z][a-z0-9+.-]*://(?P<account>[^\s/@:?#]+)(?::[^\s/@]*)?@", regex.I)
_PIECE = regex.compile(r"[\p{L}\p{M}]+")
_TOKEN = regex.compile(r"[\w/\\@]+(?:[.:-][\w/\\@]+)*")
_HUMP = regex.compile(r"\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{Lo}+")
_LEAST = 4
_ROLES = frozenset((
    "info", "contact", "hello", "admin", "administrator", "root", "support", "help", "sales",
    "office", "mail", "email", "noreply", "reply", "team", "service", "services", "user", "users",
    "guest", "test", "tester", "demo", "example", "default", "public", "shared", "ubuntu", "debian",
    "postgres", "mysql", "redis", "jenkins", "runner", "node", "build", "work", "home", "data",
    "main", "kontakt", "hallo", "buero", "bonjour", "contacto", "ventas", "contatti", "contato",
    "vendas", "webmaster", "postmaster", "billing", "press", "jobs", "career", "careers", "news",
    "newsletter", "security", "privacy", "legal", "name", "vorname", "nachname", "first", "last",
    "you", "your", "someone", "somebody", "anyone", "vscode", "docker", "deploy", "oauth", "token",
))  # fmt: skip
_MACHINE = regex.compile(
    r"""\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b       # a UUID
    | \b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b                   # of a network card
    | (?<![\w:])(?:[0-9a-f]{1,4}:{1,2}){3,7}[0-9a-f]{1,4}(?![\w:])
    | (?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)
    | \beyJ[\w-]{6,}(?:\.[\w-]+)*                             # a signed token
    | (?<![\w.])-?\d{1,3}\.\d{3,}\u00b0?,\s?-?\d{1,3}\.\d{3,} # where somebody is
    | \b[A-Z]{2}(?:\s?\d{2}){3}\s?[A-Z]\b""",
    regex.VERBOSE | regex.IGNORECASE,
)


def accounts_in(text: str) -> Iterator[str]:
    """The names of the accounts of a text, whole and by their words."""
    for pattern in (_LOCAL, _HOME, _LOGIN):
        for match in pattern.finditer(text):
            words = _PIECE.findall(match["account"])
            whole = match["account"].strip(".-+_")
            if len(words) == 1 and words[0] != whole and _tells(words[0]):
                yield whole  # jsmythe42
            yield from (word for word in words if _tells(word))


def machines_in(text: str) -> Iterator[tuple[int, int]]:
    """Where a number stands that names one machine, one place or one login."""
    for match in _MACHINE.finditer(text):
        yield match.start(), match.end()


def words_of(text: str) -> Iterator[tuple[int, int, bool]]:
    """The words of a text, those of code apart (``acme_key``, ``AcmeClient``), and which stand alone."""
    for token in _TOKEN.finditer(text):
        pieces = list(_HUMP.finditer(token.group()))
        for piece in pieces:
            alone = piece.group() == token.group()
            yield token.start() + piece.start(), token.start() + piece.end(), alone


def _tells(word: str) -> bool:
    return len(word) >= _LEAST and folded(word) not in _ROLES
