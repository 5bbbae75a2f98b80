"""Laws of surface forms over random values and texts."""

from __future__ import annotations

import unicodedata

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from palimpsest.language.surface_forms import Forms, find, keys_of

quick = settings(max_examples=80, deadline=None)
codes = st.from_regex(r"[A-Z]{2,4}-[0-9]{3,6}", fullmatch=True)
pins = st.from_regex(r"[1-9][0-9]{3,7}", fullmatch=True)
names = st.from_regex(
    r"[BDGKLRT][aeiou][lnrst]{1,2}[aeiou] [BDGKLRT][eiou][nrst][aeiou]k", fullmatch=True
)
mails = st.from_regex(r"[a-z]{3,8}\.[a-z]{2,6}@[a-z]{3,8}\.(io|com|net)", fullmatch=True)
values = st.one_of(codes, pins, names, mails)
around = st.sampled_from(("Say {}.", "({})", "it is {}, ok", "«{}»", "x: {}!\nNext", "**{}**"))


def dressed(value: str) -> st.SearchStrategy[str]:
    """The value in another Unicode form, another case, or with marks that nobody sees."""
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in value)
    return st.sampled_from(
        (value, value.upper(), value.lower(), wide, unicodedata.normalize("NFD", value),
         value[:2] + "\u200b" + value[2:], value[:1] + "\u2060" + value[1:])
    )  # fmt: skip


@quick
@given(st.data(), values, around)
def test_a_dressed_value_is_found_whole(data: st.DataObject, value: str, frame: str) -> None:
    """Case, width and what nobody sees change nothing; the span is the value as written."""
    written = data.draw(dressed(value))
    text = frame.format(written)
    assert [written] == [text[start:end] for start, end in find(value, text)]


@quick
@given(codes, st.sampled_from("0123456789"), around)
def test_an_identifier_is_never_found_in_a_longer_one(code: str, more: str, frame: str) -> None:
    """One digit more, before or behind, is another identifier."""
    assert () == find(code, frame.format(code + more))
    assert () == find(code, frame.format("Z" + code))
    assert () == find(code, frame.format(f"{code}-{more}"))


@quick
@given(pins, pins, around)
def test_two_numbers_are_two(one: str, other: str, frame: str) -> None:
    """A number is found in a text that says another one never."""
    assume(one != other)
    assert () == find(one, frame.format(other))


@quick
@given(mails, st.from_regex(r"[a-z]{1,3}", fullmatch=True))
def test_an_address_is_never_found_in_another_one(mail: str, more: str) -> None:
    """More letters before it or behind it make it somebody else's."""
    for text in (f"{more}.{mail}", f"{more}{mail}", f"{mail}.{more}", f"{mail}{more}"):
        assert () == find(mail, f"Write to {text} now")


@quick
@given(values, st.text(max_size=80))
def test_spans_are_in_order_apart_and_inside_any_text(value: str, text: str) -> None:
    """Whatever a text holds, nothing is raised and every span lies in it."""
    at = 0
    for start, end in find(value, f"{text} {value} {text}"):
        assert at <= start < end <= 2 * len(text) + len(value) + 2
        at = end


@quick
@given(values, st.text(alphabet="abcdef 0123-./@", max_size=60))
def test_a_quick_look_never_passes_over_what_is_there(value: str, text: str) -> None:
    """Where the quick look says no, no key is shared."""
    from palimpsest.language.surface_forms import keys_in

    for said in (text, f"{text} {value}"):
        if not Forms([value]).may_hold(said):
            assert not keys_of(value) & {found.key for found in keys_in(said)}
