"""Masks what is personal in conversations: the same original is the same fiction everywhere.

First every text is looked through, then every text is rewritten: an original that was found
once is masked wherever one of its surface forms stands. Invariant: no text that was masked
holds a form of an original; ``leaks`` shows it, and nothing is written while it finds any.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.bench.label.accounts import accounts_in, words_of
from palimpsest.bench.label.fiction import as_written, fiction, host_at, in_case
from palimpsest.bench.label.moved_dates import Day, moved, rewritten, said
from palimpsest.bench.label.personal import KINDS, Kind, known_words, names_in, personal
from palimpsest.bench.label.streets import ENDINGS, is_street_word
from palimpsest.language.surface_forms import Forms, find, keys_of, squeezed
from palimpsest.language.surface_forms import read as keys_read
from palimpsest.language.surface_forms.text_keys import MOST_WORDS, kind_of
from palimpsest.language.word_list import folded

_NAMES = ("name", "account")
_WEEKS = tuple(range(5, 261))
_SHORT = 6
"""Digits up to which an original that ends a longer one is written as the end of its fiction."""
_ALIKE = 3
"""Last digits that every form of a number shares."""
_TRIES = 200
_TELLING = 6
"""Letters and digits from which on a value is looked for inside others, too."""
_LEAST_INSIDE = 4
"""Letters from which on a name is looked for inside what a program wrote."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """One personal value as it first came up, and what stands for it."""

    text: str
    kind: Kind
    fiction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A place of an output that holds a form of an original; the original is not told."""

    kind: Kind
    where: str


class Mask:
    """The map of one file, in memory alone; made by ``mask_of``."""

    def __init__(self, originals: Sequence[Original], weeks: int, days: Sequence[Day]) -> None:
        self.originals = tuple(originals)
        self.weeks = weeks
        self._days = frozenset(days)
        self._years = {(day.month, day.day): day.year for day in days if day.year and day.day}
        self._by_key: dict[str, Original] = {}
        for original in self.originals:
            for key in keys_of(original.text) or (f"exact:{original.text}",):
                self._by_key.setdefault(key, original)
        self._forms = Forms(original.text for original in self.originals)
        self._kinds = frozenset(kind_of(k) for k in self._by_key if not k.startswith("exact:"))
        words = (len(original.text.split()) for original in self.originals)
        self._longest = min(MOST_WORDS, max(words, default=1) + 2)
        self._names = {
            folded(original.text): original
            for original in self.originals
            if original.kind == "name" and " " not in original.text
        }
        self._tight = {
            tight: original.kind
            for original in self.originals
            if len(tight := _canonical(original.text)) >= _TELLING and any(map(str.isdigit, tight))
        }
        exact = [o for o in self.originals if not keys_of(o.text)]
        self._exact = {original.text: original for original in exact}
        # As it stands a value is met whatever stands beside it, too.
        whole = "|".join(re.escape(original.text) for original in self.originals)
        self._whole = re.compile(rf"(?<!\w)(?:{whole})(?!\w)") if whole else None
        self._as_it_stands = {original.text: original for original in self.originals}
        self._inside = {
            _canonical(original.text): original
            for original in self.originals
            if original.kind in _NAMES and len(original.text) >= _LEAST_INSIDE
        }

    @property
    def counts(self) -> dict[str, int]:
        """How many originals there are of each kind; no values."""
        kinds = (original.kind for original in self.originals)
        counted = Counter[str]("name" if kind in _NAMES else kind for kind in kinds)
        if self._days:
            counted["date"] = len(self._days)
        return {kind: counted[kind] for kind in KINDS if counted[kind]}

    def text(self, text: str) -> str:
        """A text with every original and every date replaced."""
        made, at = "", 0
        for start, end, new in self._spans(text):
            made += text[at:start] + new
            at = end
        return made + text[at:]

    def title(self, text: str) -> str:
        """The name of a file, in which every word may be a name, however short and written."""
        made = self.text(text)
        for start, end, _ in reversed(list(words_of(made))):
            if named := self._names.get(folded(made[start:end])):
                made = made[:start] + _rendered(named, made[start:end]) + made[end:]
        return made

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        found = [
            (one.start, one.end, self._moved(text[one.start : one.end], one.day, text))
            for one in said(text)
        ]
        dated = [(start, end) for start, end, _ in found]
        hits = sorted(self._hits(text), key=lambda hit: (hit[0] - hit[1], hit[0]))
        taken = list(dated)
        for start, end, original in hits:
            if all(end <= a or b <= start for a, b in taken):
                taken.append((start, end))
                found.append((start, end, _rendered(original, text[start:end])))
        return sorted(found)

    def _moved(self, written: str, day: Day, text: str) -> str:
        return rewritten(written, day, moved(day, self.weeks, self._years), text)

    def _hits(self, text: str) -> Iterator[tuple[int, int, Original]]:
        for exact, known in self._exact.items():
            for match in re.finditer(re.escape(exact), text):
                yield match.start(), match.end(), known
        if self._whole is not None:
            for match in self._whole.finditer(text):
                yield match.start(), match.end(), self._as_it_stands[match.group()]
        yield from self._within(text)
        # A first name is itself before a surname that nobody introduced, too.
        for word in _WORD.finditer(text):
            if (named := self._names.get(folded(word.group()))) and word.group()[0].isupper():
                yield word.start(), word.end(), named
        if not self._forms.may_hold(text):
            return
        for key, start, end in keys_read(text, self._longest, self._kinds):
            if original := self._by_key.get(key):
                yield start, end, original

    def _within(self, text: str) -> Iterator[tuple[int, int, Original]]:
        """Names in what programs write (acme_key, AcmeClient), and accounts in any letters."""
        for start, end, alone in words_of(text):
            named = self._inside.get(_canonical(text[start:end]))
            if named is not None and (not alone or named.kind == "account"):
                yield start, end, named

    def leaks(self, texts: Iterable[tuple[str, str]]) -> Iterator[Leak]:
        """Where a text, given with its place, holds an original in any form, or its date."""
        free = self._days - {moved(day, self.weeks, self._years) for day in self._days}
        for where, text in texts:
            kinds: list[Kind] = ["date" for one in said(text) if one.day in free]
            kinds += self._otherwise(text)
            if self._forms.may_hold(text):
                found = keys_read(text, self._longest, self._kinds)
                kinds += [self._by_key[key].kind for key, *_ in found if key in self._by_key]
            yield from (Leak(kind=kind, where=where) for kind in kinds)

    def _otherwise(self, text: str) -> Iterator[Kind]:
        """Looked for in other ways than the masking finds them, so that its gaps show."""
        for exact, original in self._exact.items():
            if exact in text:
                yield original.kind
        for word in _WORD.finditer(text):
            if word.group()[0].isupper() and folded(word.group()) in self._names:
                yield "name"
        yield from (named.kind for *_, named in self._within(text))
        tight = squeezed(text)
        yield from (kind for number, kind in self._tight.items() if number in tight)

    def table(self) -> list[dict[str, str]]:
        """Every original with its fiction: what is written only where somebody asks for it."""
        rows = [
            {"kind": one.kind, "original": one.text, "fiction": one.fiction}
            for one in self.originals
        ]
        return [*rows, {"kind": "date", "original": "0", "fiction": f"+{self.weeks} weeks"}]


def _rendered(original: Original, written: str) -> str:
    if (
        original.kind in ("name", "account", "secret")
        and written.casefold() == original.text.casefold()
    ):
        return in_case(original.fiction, written)
    if original.kind in ("name", "account"):
        return in_case(original.fiction, written)
    if written == original.text or original.kind in ("url", "e-mail", "address"):
        return original.fiction
    return as_written(original.fiction, written)


def mask_of(texts: Sequence[str], *, also: Sequence[str] = (), keep: Sequence[str] = ()) -> Mask:
    """Look through every text of a file; ``also`` is masked too, and ``keep`` never is."""
    kept = {folded(text) for text in keep}
    found: dict[str, tuple[str, Kind]] = {}
    days: dict[Day, None] = {}
    for value in also:
        found.setdefault(_canonical(value), (value, _kind_of(value)))
    for text in texts:
        days.update((one.day, None) for one in said(text))
        for each in personal(text):
            value = text[each.start : each.end]
            if each.kind != "date" and folded(value) not in kept:
                found.setdefault(_canonical(value), (value, each.kind))
        for name in names_in(text):
            if folded(name) not in kept:
                found.setdefault(_canonical(name), (name, "name"))
    for text in texts:
        for name in accounts_in(text):
            # Who is called so in an address is called so in small letters, too.
            if folded(name) not in kept | known_words():
                written, _ = found.get(_canonical(name), (name, ""))
                found[_canonical(name)] = (written, "account")
    weeks = _weeks(tuple(days), texts)
    return Mask(_Assigned(found.values(), texts).made(), weeks, tuple(days))


def _canonical(value: str) -> str:
    """What two spellings of a value have in common."""
    return squeezed(value) or value


def _kind_of(value: str) -> Kind:
    whole = [each.kind for each in personal(value) if (each.start, each.end) == (0, len(value))]
    if whole and whole[0] != "date":
        return whole[0]
    return "identifier" if any(map(str.isdigit, value)) else "name"


def _weeks(days: Sequence[Day], texts: Sequence[str]) -> int:
    """A shift that no day of the file meets another one by; told by the file, not by chance."""
    years = {(day.month, day.day): day.year for day in days if day.year and day.day}
    told = hashlib.sha256((texts[0] if texts else "").encode("utf-8", "replace")).digest()
    first = int.from_bytes(told[:4], "big") % len(_WEEKS)
    for place in range(len(_WEEKS)):
        weeks = _WEEKS[(first + place) % len(_WEEKS)]
        if not {moved(day, weeks, years) for day in days} & set(days):
            return weeks
    return _WEEKS[first]


class _Assigned:
    """Gives each original its fiction, names first, since addresses are made of them."""

    def __init__(self, found: Iterable[tuple[str, Kind]], texts: Sequence[str]) -> None:
        self._found = tuple(found)
        self._said = {word for text in texts for word in re.findall(r"\w+", text.casefold())}
        self._tight = squeezed("\n".join(texts))
        self._keys = {key for value, _ in self._found for key in keys_of(value)}
        self._words: dict[str, str] = {}
        self._hosts: dict[str, str] = {}
        self._used: set[str] = set()
        self._at = (0, 0)

    def made(self) -> list[Original]:
        """Every original with its fiction, the longest first."""
        # Words first: a name of several is made of them.
        names = [(at, v, k) for at, (v, k) in enumerate(self._found) if k in _NAMES]
        names.sort(key=lambda item: " " in item[1])
        # The place in the file tells a fiction, so what comes later in it changes none.
        rest = [(at, v, k) for at, (v, k) in enumerate(self._found) if k not in _NAMES]
        rest.sort(key=lambda item: -len(_canonical(item[1])))
        made = [Original(text=v, kind=k, fiction=self._name(v, at)) for at, v, k in names]
        # Forms of one number end alike, so each is compared with few.
        alike: dict[str, list[str]] = {}
        for at, value, kind in rest:
            others = alike.setdefault(_end(value), [])
            if any(_is_same(value, other) for other in others):
                continue  # the same telephone number without its country
            others.append(value)
            self._at = (at, 0)
            made.append(Original(text=value, kind=kind, fiction=self._new(value, kind, at, made)))
        return sorted(made, key=lambda one: -len(one.text))

    def _new(self, value: str, kind: Kind, place: int, made: Sequence[Original]) -> str:
        digits = _canonical(value)
        if digits.isdigit() and len(digits) <= _SHORT:
            longer = next((o for o in made if _canonical(o.text).endswith(digits)), None)
            if longer is not None and _canonical(longer.text) != digits:
                return as_written(longer.fiction, value)
        return self._free(value, kind, f"{kind} {place}")

    def _name(self, original: str, at: int) -> str:
        self._at = (at, 0)
        return re.sub(r"[^\W\d_]+(?:-[^\W\d_]+)*", lambda m: self._word(m.group()), original)

    def _word(self, original: str) -> str:
        """The fiction of a word, the same in a name, an address and an account."""
        wanted = _canonical(original)  # without accents, as accounts are written
        if not wanted.isalpha() or len(wanted) < 2:
            return self._free(original, "name", self._next())
        if wanted not in self._words:
            self._words[wanted] = self._free(original, "name", self._next())
        return in_case(self._words[wanted], original)

    def _next(self) -> str:
        """The seed of the next word of the original that is being made."""
        self._at = (self._at[0], self._at[1] + 1)
        return f"word {self._at[0]} {self._at[1]}"

    def _host(self, original: str) -> str:
        if original not in self._hosts:
            free = (host_at(n) for n in range(len(self._hosts), len(self._hosts) + _TRIES))
            taken = set(self._hosts.values())
            self._hosts[original] = next(h for h in free if h not in taken and h != original)
        return self._hosts[original]

    def _free(self, value: str, kind: Kind, seed: str) -> str:
        """A fiction that nobody said, that is no small word and that nothing else has."""
        made = value
        for attempt in range(_TRIES):
            made = fiction(value, kind, f"{seed}/{attempt}", self._part, self._host)
            if self._is_free(made):
                break
        self._used.add(_canonical(made))
        return made

    def _part(self, word: str) -> str:
        """A word of an address: small words and those of streets stay."""
        if folded(word) in known_words() or is_street_word(word):
            return word
        ending = next((e for e in ENDINGS if word.endswith(e)), "")
        if ending and len(word) > len(ending):
            return self._word(word.removesuffix(ending)) + ending
        return self._word(word)

    def _is_free(self, made: str) -> bool:
        tight = _canonical(made)
        words = re.findall(r"[^\W\d_]+", made.casefold())
        if tight in self._used or keys_of(made) & self._keys:
            return False
        if len(words) == 1 and words[0] == made.casefold():
            return words[0] not in self._said and words[0] not in known_words()
        return len(tight) < 3 or tight not in self._tight


def _end(value: str) -> str:
    return "".join(filter(str.isdigit, value))[-_ALIKE:]


def _is_same(value: str, longer: str) -> bool:
    """True where a value in digits is another form of a longer one."""
    if not any(map(str.isdigit, value)) or not any(map(str.isdigit, longer)):
        return False
    return any(end - start == len(value) for start, end in find(longer, value))


__all__ = ["Leak", "Mask", "Original", "mask_of"]
