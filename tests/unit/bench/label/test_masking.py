"""Masking: every spelling of one value is one fiction, of the same shape, and nothing is left."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.bench.label.checksums import is_card, is_iban
from palimpsest.bench.label.masking import Mask, mask_of

SIX = {
    "en": "My sister Greta Miller was born on 3 May 1990 and lives at 12 Rose Street.",
    "de": "Meine Schwester Greta Müller wurde am 3. Mai 1990 geboren und wohnt in der Hauptstraße 12.",
    "fr": "Ma sœur Zoé Martin est née le 3 mai 1990 et habite 12 rue de la Paix.",
    "es": "Mi hermana Lucía Gómez nació el 3 de mayo de 1990 y vive en Calle Mayor 12.",
    "it": "Mia sorella Chiara Rossi è nata il 3 maggio 1990 e abita in Via Garibaldi 12.",
    "pt": "A minha irmã Inês Sousa nasceu a 3 de maio de 1990 e mora na Rua das Flores 12.",
}  # fmt: skip
GONE = {
    "en": ("Greta", "Miller", "Rose"), "de": ("Greta", "Müller", "Haupt"),
    "fr": ("Zoé", "Martin", "Paix"), "es": ("Lucía", "Gómez", "Mayor"),
    "it": ("Chiara", "Rossi", "Garibaldi"), "pt": ("Inês", "Sousa", "Flores"),
}  # fmt: skip


def masked(*texts: str, keep: Sequence[str] = (), also: Sequence[str] = ()) -> list[str]:
    mask = mask_of(texts, keep=keep, also=also)
    made = [mask.text(text) for text in texts]
    assert [] == list(mask.leaks(("", text) for text in made))
    return made


@pytest.mark.parametrize("language", SIX)
def test_people_places_and_dates_go_in_six_languages(language: str) -> None:
    """Names, streets and dates are found by the grammar of each; the sentence around them stays."""
    text = SIX[language]
    (made,) = masked(text)
    date = re.search(r"3\.? (?:de )?\w+ (?:de )?1990", text)
    assert date is not None
    for value in (*GONE[language], date.group()):
        assert value not in made
    words = [word for word in re.findall(r"\w+", text) if word.islower() and len(word) < 4]
    assert all(word in made for word in words if word != "mai")


def test_one_value_is_one_fiction_in_all_its_spellings() -> None:
    """Blanks, case, a missing country code and words for signs change nothing."""
    passport, again, phone, home, mail, spoken = masked(
        "My passport is P1234567.", "p 123 4567", "Call +351 912 345 678.", "912345678",
        "ana.silva@gmail.com", "ana.silva at gmail dot com",
    )  # fmt: skip
    told = re.search(r"[A-Z]\d{7}", passport)
    assert told is not None
    assert told.group() == again.replace(" ", "").upper()
    assert re.sub(r"\D", "", phone).endswith(home)
    assert phone.startswith("Call +351 ")
    assert mail == spoken


def test_a_name_in_an_address_is_the_name() -> None:
    """Who writes and what they write with belong together."""
    said, mail = masked("My name is Ana Silva.", "Write to ana.silva@gmail.com.")
    name = re.search(r"is (\w+) (\w+)\.", said)
    assert name is not None
    assert f"{name[1]}.{name[2]}@".lower() in mail


def test_numbers_keep_their_shape_and_their_sums() -> None:
    """A card number and an IBAN stay valid, grouped as they were; the end of a card is its end."""
    card, tight, end, iban, pin = masked(
        "Card 4111 1111 1111 1111", "4111111111111111", "It ends in 1111.",
        "IBAN DE89 3704 0044 0532 0130 00", "My PIN is 4417.",
    )  # fmt: skip
    assert re.fullmatch(r"Card \d{4} \d{4} \d{4} \d{4}", card)
    assert is_card(tight)
    assert re.sub(r"\D", "", card) == tight
    assert tight.endswith(re.sub(r"\D", "", end))
    assert is_iban(iban.removeprefix("IBAN ").replace(" ", ""))
    assert re.fullmatch(r"My PIN is \d{4}\.", pin)


def test_a_secret_word_becomes_another_word() -> None:
    """What a password is told by is read, and every place of it goes."""
    told, again = masked("My password is swordfish.", "You said swordfish.")
    assert "swordfish" not in told + again
    word = told.removeprefix("My password is ").rstrip(".")
    assert f"You said {word}." == again


def test_pages_keep_their_form_and_lose_their_words() -> None:
    """Scheme and separators stay; the host is one that does not exist."""
    (made,) = masked("See https://acme.com/u/ana-silva?id=4417&x=%20y for it.")
    assert re.fullmatch(
        r"See https://example\.com/\w/\w{3}-\w{5}\?\w\w=\d{4}&\w=%20\w for it\.", made
    )


def test_dates_move_together_by_whole_weeks() -> None:
    """The same day stays the same day, in every form; the days of the week stay right."""
    texts = ("on 3 May 2024", "2024-05-03", "May 3rd, 2024", "am 3. Mai 2024 um 9 Uhr",
             "le 10 mai 2024, une semaine après", "on Friday, 3 May 2024")  # fmt: skip
    mask = mask_of(texts)
    made = [mask.text(text) for text in texts]
    again = mask_of(made)
    days = {one for text in made for one in again._days if text}  # the moved days, read again
    assert 2 == len(days)
    assert made[1].count("-") == 2
    assert made[5].startswith("on Friday, ")


def test_what_is_nobodys_stays() -> None:
    """Days, languages, countries, amounts and times are told by too many to be anybody's."""
    text = "The budget is 1500 euros for Portugal, in English, on Monday at 18:30 for 3 days."
    assert [text] == masked(text)


def test_who_writes_without_capitals_is_masked_too() -> None:
    """A name that is told as one, and the name of an account."""
    told, again, handle = masked(
        "my name is ana silva and i am tired", "ana is here", "I am @ana_s."
    )
    assert "ana" not in told
    assert told.endswith(" and i am tired")
    assert "ana" not in again
    assert re.fullmatch(r"I am @\w+\.", handle)
    assert "ana_s" not in handle


def test_titles_countries_as_surnames_and_mixed_numbers() -> None:
    """Behind "Dr." a sentence does not begin; Ana Jordan is no country; a time is no number."""
    (made,) = masked("Dr. Smith met Ana Jordan, DNI 12345678Z, at 14h30 in Jordan.")
    assert [] == [value for value in ("Smith", "Ana", "12345678") if value in made]
    assert "at 14h30 in " in made
    assert ["I fly to Jordan."] == masked("I fly to Jordan.")


def test_a_person_says_what_is_personal() -> None:
    """--keep leaves a word alone, and --mask takes one that nobody would guess."""
    (made,) = masked("We use Kubernetes and the codename is bluebird.", keep=["Kubernetes"],
                     also=["bluebird"])  # fmt: skip
    assert "Kubernetes" in made
    assert "bluebird" not in made


def test_the_order_of_the_file_tells_the_fictions() -> None:
    """More words at the end of a file change no fiction before them."""
    first = ("My name is Ana Silva.", "My passport is P1234567.")
    more = (*first, "My boss is Marco Rossi, +351 912 345 678.")
    assert masked(*first) == masked(*more)[:2]


def test_the_scan_sees_what_masking_would_leave() -> None:
    """The control: each original, put back, is found in every one of its forms."""
    mask = mask_of(("My name is Ana Silva, P1234567, ana@x.com, on 3 May 2024.",))
    for text in (
        "Ana",
        "SILVA said",
        "p 123 4567",
        "xxP1234567xx",
        "ana at x dot com",
        "2024-05-03",
    ):
        assert list(mask.leaks([("here", text)])), text


VALUES = st.sampled_from(
    ["P1234567", "+351 912 345 678", "ana.silva@gmail.com", "4111 1111 1111 1111", "Ana Silva",
     "DE89370400440532013000", "TKT-100", "https://acme.com/ana", "3 May 2024", "12 Rose Street"]
)  # fmt: skip


@given(
    st.lists(VALUES, min_size=1, max_size=6), st.sampled_from(["{}.", "({})", "It is {}, I think."])
)
def test_no_mixture_of_values_leaves_one(values: list[str], frame: str) -> None:
    """Whatever stands together, no original is in the output and every text keeps its frame."""
    texts = [frame.format(value) for value in values]
    mask = mask_of(texts)
    made = [mask.text(text) for text in texts]
    assert [] == list(mask.leaks(("", text) for text in made))
    opening, _, closing = frame.partition("{}")
    assert all(text.startswith(opening) and text.endswith(closing) for text in made)


def test_the_map_is_only_a_table_that_somebody_asked_for() -> None:
    """It holds every original with its fiction."""
    mask: Mask = mask_of(("My passport is P1234567.",))
    assert ["P1234567"] == [row["original"] for row in mask.table() if row["kind"] == "identifier"]
