"""From when and until when a statement holds, counted from the moment at which it was said.

"Tonight", "this week", "for two weeks" and "until Friday" end; "by Friday", an appointment and
what has happened do not. An end is exclusive and a named day belongs to what it ends; a name
without a year means its next occurrence. Days are those of UTC, since nothing tells another.
Invariant: a pure function that invents nothing: where no end is said there is none, and a
moment that cannot be read gives neither.
"""

from __future__ import annotations

import calendar
import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from importlib import resources

import regex
from babel import Locale

from palimpsest.language.guess import languages_of
from palimpsest.language.number_words import number_words
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.word_list import folded

_MORNING = time(6)
"""When "tonight" is over."""
_LINK = r"(?:\s+(?:the|le|la|el|il|de|del|do|da|di|den|dem|of|ce|this|on|am|o|a|à))*\s*"
_ISO = regex.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_CLAUSES = regex.compile(r"[.,;:!?\n]")
_TIMES = ("days", "weeks", "months", "years")


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """ISO 8601, UTC; ``valid_until`` is exclusive, and ``None`` where nothing is said."""

    valid_from: str | None = None
    valid_until: str | None = None


def validity(text: str, said_at: str) -> Validity:
    """The validity that a text states, in the first of its likely languages that has one."""
    try:
        said = datetime.fromisoformat(said_at)
    except ValueError:
        return Validity()
    said = said.replace(tzinfo=UTC) if said.tzinfo is None else said.astimezone(UTC)
    flat = folded(text)
    for code in languages_of(text):
        try:
            found = _stated(flat, said, code)
        except (OverflowError, ValueError):  # a date beyond the calendar
            continue
        if found is not None:
            return found if _ends_after(found, said) else Validity()
    return Validity()


def _ends_after(found: Validity, said: datetime) -> bool:
    """False where it had ended before it was said: that tells of the past, and stays true."""
    return found.valid_until is None or datetime.fromisoformat(found.valid_until) > said


def _stated(flat: str, said: datetime, code: str) -> Validity | None:
    words = _words()[code]
    if not _holds(flat, words["dues"]) and (end := _until(flat, said.date(), code)):
        return Validity(valid_until=_at(end))
    if _holds(flat, words["past"]) or _holds(flat, words["dues"]):
        return None
    if (end := _lasting(flat, said.date(), code)) is not None:
        return Validity(valid_until=_at(end))
    return _day(flat, said.date(), words)


def _day(flat: str, said: date, words: Mapping[str, tuple[str, ...]]) -> Validity | None:
    """What holds on a relative day; what begins on it does not end with it."""
    ahead = said + timedelta(days=1)
    # "Por la mañana" and "jeden Morgen" are mornings, where the word alone is tomorrow.
    plain = pattern(words["mornings"]).sub(" ", flat) if "mornings" in words else flat
    for key, offset in (("day_after", 2), ("tonight", 0), ("tomorrow", 1), ("today", 0)):
        if _holds(plain if key == "tomorrow" else flat, words[key]):
            first = said + timedelta(days=offset)
            start = _at(first) if offset else None
            if _begins(flat, words[key], words):
                return Validity(valid_from=start) if start else None
            if offset:
                # What is said of tomorrow may begin and last: an end that was not said loses it.
                return Validity(valid_from=start)
            end = _at(ahead, _MORNING) if key == "tonight" else _at(first + timedelta(days=1))
            return Validity(valid_from=start, valid_until=end)
    for key in ("this_week", "this_month", "this_year"):
        # "The week" ends nothing by itself; only "the end of the week" does.
        named = tuple(p for p in words[key] if p.startswith(_THIS))
        if _holds(flat, named) and not _begins(flat, named, words):
            return Validity(valid_until=_at(_end_of(key, said)))
    return None


def _begins(flat: str, days: tuple[str, ...], words: Mapping[str, tuple[str, ...]]) -> bool:
    """True where something only begins on the day: "from tomorrow", "starts today"."""
    ends = {end for _start, end in phrases_in(flat, words["begins"])}
    direct = any({start, start - 1} & ends for start, _end in phrases_in(flat, days))
    return direct or _holds(flat, words["starts"])


_THIS = ("this ", "ce ", "cet", "diese", "est", "quest")


def _until(flat: str, said: date, code: str) -> date | None:
    words = _words()[code]
    for start, end in phrases_in(flat, words["until"]):
        if phrases_in(_CLAUSES.split(flat[:start])[-1], words["was"]):
            continue
        rest = regex.sub(rf"^{_LINK}", "", flat[end:])
        found = _named(rest, said, code) or _named(flat[end:].lstrip(), said, code)
        if found is not None:
            return found
    return None


def _named(rest: str, said: date, code: str) -> date | None:
    """The day after the day or the period that opens a text."""
    words = _words()[code]
    if found := _ISO.match(rest):
        return date(*map(int, found.groups())) + timedelta(days=1)
    for key, offset in (("day_after", 2), ("tomorrow", 1), ("tonight", 0), ("today", 0)):
        if pattern(words[key]).match(rest):
            return said + timedelta(days=offset + 1)
    if opened := pattern(words["end_of"]).match(rest):
        rest = regex.sub(rf"^{_LINK}", "", rest[opened.end() :]) or rest
        for key in ("this_week", "this_month", "this_year"):
            tails = tuple({p.split()[-1] for p in words[key]})
            if pattern((*words[key], *tails)).match(rest):
                return _end_of(key, said)
    for key in ("this_week", "this_month", "this_year"):
        if pattern(tuple(p for p in words[key] if " " in p)).match(rest):
            return _end_of(key, said)
    return _weekday(rest, said, code) or _of_month(rest, said, code)


def _weekday(rest: str, said: date, code: str) -> date | None:
    words = _words()[code]
    if later := pattern(words["next"]).match(rest):
        rest = rest[later.end() :].lstrip()
    for name, number in _day_names(code).items():
        if found := pattern((name,)).match(rest):
            behind = pattern(words["next"]).match(rest[found.end() :].lstrip())
            if later or behind:
                return said + timedelta(days=7 - said.weekday() + number + 1)
            return said + timedelta(days=(number - said.weekday() - 1) % 7 + 2)
    return None


def _of_month(rest: str, said: date, code: str) -> date | None:
    """ "12 March 2027", "March 12", "12 de marzo", "June"."""
    months = _month_names(code)
    named = "|".join(map(regex.escape, sorted(months, key=len, reverse=True)))
    year = r"(?:,?\s+(?:de\s+|del\s+)?(?P<year>\d{4}))?(?!\w)"
    ordinal = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
    for shape in (
        rf"{ordinal}\s+(?:of\s+|de\s+)?(?P<month>{named})\.?{year}",
        rf"(?P<month>{named})\.?\s+{ordinal}(?![\d:]){year}",
        rf"(?P<month>{named})(?!\w){year}",
    ):
        if found := regex.match(shape, rest):
            held = found.groupdict()
            month, day = months[held["month"]], held.get("day")
            return _after(said, int(held["year"] or 0), month, int(day) if day else None)
    return None


def _after(said: date, year: int, month: int, day: int | None) -> date:
    def of(year: int) -> date:
        return date(year, month, day or calendar.monthrange(year, month)[1])

    last = of(year or said.year)
    if not year and last < said:
        last = of(said.year + 1)
    return last + timedelta(days=1)


def _lasting(flat: str, said: date, code: str) -> date | None:
    words, numbers = _words()[code], _numbers(code)
    many = "|".join(map(regex.escape, sorted(numbers, key=len, reverse=True)))
    for start, end in phrases_in(flat, words["lasting"]):
        for unit in _TIMES:
            named = "|".join(map(regex.escape, sorted(words[unit], key=len, reverse=True)))
            if found := regex.match(rf"\s*(\d{{1,3}}|{many})\s+(?:{named})(?!\w)", flat[end:]):
                if _later(flat[:start], flat[end + found.end() :], code):
                    return None
                count = numbers.get(found[1]) or int(found[1])
                return _added(said, unit, count)
    return None


def _later(before: str, after: str, code: str) -> bool:
    """True where a span of time begins at another moment than now: its end is then unknown."""
    words = _words()[code]
    coming = (*words["next"], *words["begins"], *words["starts"], *words["tomorrow"])
    months = "|".join(map(regex.escape, sorted(_month_names(code), key=len, reverse=True)))
    in_month = rf"(?<!\p{{L}})(?:in|im|en|em|a|ad|à|au)\s+(?:{months})(?!\p{{L}})"
    return any(phrases_in(t, coming) or regex.search(in_month, t) for t in (before, after))


def _added(said: date, unit: str, count: int) -> date:
    if unit in ("days", "weeks"):
        return said + timedelta(days=count * (7 if unit == "weeks" else 1))
    month = said.month - 1 + count * (12 if unit == "years" else 1)
    year, month = said.year + month // 12, month % 12 + 1
    return date(year, month, min(said.day, calendar.monthrange(year, month)[1]))


def _end_of(key: str, said: date) -> date:
    if key == "this_week":
        return said + timedelta(days=7 - said.weekday())
    if key == "this_month":
        return _added(said.replace(day=1), "months", 1)
    return date(said.year + 1, 1, 1)


def _at(day: date, hour: time = time(0)) -> str:
    return datetime.combine(day, hour, UTC).isoformat()


def _holds(flat: str, phrases: tuple[str, ...]) -> bool:
    whole = tuple(phrase for phrase in phrases if not phrase.startswith("*"))
    endings = [phrase[1:] for phrase in phrases if phrase.startswith("*")]
    if phrases_in(flat, whole):
        return True
    return any(regex.search(rf"\p{{L}}{{2,}}(?<!e){ending}(?!\p{{L}})", flat) for ending in endings)


@functools.cache
def _words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = (resources.files("palimpsest.language") / "validity.toml").read_text(encoding="utf-8")
    return {
        code: {key: tuple(map(folded, phrases)) for key, phrases in table.items()}
        for code, table in tomllib.loads(text).items()
    }


@functools.cache
def _numbers(code: str) -> Mapping[str, int]:
    """The counting words of a language, and its words for one."""
    return {**number_words(code), **dict.fromkeys(_words()[code]["one"], 1)}


@functools.cache
def _day_names(code: str) -> Mapping[str, int]:
    """Each full name of a day, by its number from Monday; "sexta-feira" is "sexta" as well."""
    names = Locale(code).days["format"]["wide"]
    found = {folded(name): number for number, name in names.items()}
    return found | {name.removesuffix("-feira"): number for name, number in found.items()}


@functools.cache
def _month_names(code: str) -> Mapping[str, int]:
    tables = Locale(code).months["format"]
    found: dict[str, int] = {}
    for width in ("wide", "abbreviated"):
        for number, name in tables[width].items():
            found.setdefault(folded(name).rstrip("."), number)
    return found
