"""Masking where people really write: postcodes, names that are words, accounts, code, tools."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from palimpsest import messages
from palimpsest.bench.label.conversations import Talk
from palimpsest.bench.label.masked_talk import masked as masked_talk
from palimpsest.bench.label.masked_talk import texts_of
from palimpsest.bench.label.masking import mask_of
from palimpsest.types import Turn
from tests.unit.bench.label.test_masking import masked


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Meine Adresse ist Bergstraße 17, 69469 Weinheim.", ("Berg", "17", "69469", "Weinheim")),
        ("Ich wohne Am Markt 5 in 80331 München.", ("80331", "München", " 5 ")),
        ("Wir wohnen in der Lange Straße 31.", ("Lange", "31")),
        ("J'habite 12 rue des Lilas, 69100 Villeurbanne.", ("12", "Lilas", "69100")),
        ("Vivo en la Calle Mayor 23, 48930 Getxo.", ("Mayor", "23", "48930", "Getxo")),
        ("Abito in Via Garibaldi 8, 56025 Pontedera.", ("Garibaldi", "8", "56025", "Pontedera")),
        ("Moro na Rua das Flores, 45, 2675-312 Odivelas.", ("Flores", "45", "2675-312")),
        ("I live at 14 Elm Grove, Boston MA 02134.", ("14", "Elm", "02134", "Boston")),
    ],
)  # fmt: skip
def test_a_street_its_number_and_its_postcode_go(text: str, gone: tuple[str, ...]) -> None:
    """Also where one number stands beside another, and whatever kind of street it is."""
    (made,) = masked(text)
    assert [] == [value for value in gone if value in made]


def test_what_is_counted_is_no_address() -> None:
    """Amounts, days with their hours, and weeks stay."""
    said = ["Wir zahlen in 10000 Jahren 20000 Euro.", "Am Samstag 10 Uhr, in der Woche 5 nicht."]
    assert said == masked(*said)


@pytest.mark.parametrize(
    ("said", "again", "gone"),
    [
        ("My sons Will and Mark are six.", "Will asked Mark.", ("Will", "Mark")),
        ("My daughter May sings.", "May is ill.", ("May",)),
        ("Mi hermana Paz vive aquí.", "Llama a Paz.", ("Paz",)),
        ("Meine Schwester Rosa kommt.", "Rosa sagt ja.", ("Rosa",)),
        ("Mia figlia Bianca studia.", "Chiama Bianca.", ("Bianca",)),
        ("Ma fille Aimée chante.", "Et Aimée ?", ("Aimée",)),
    ],
)  # fmt: skip
def test_a_relative_is_named_even_by_a_word(said: str, again: str, gone: tuple[str, ...]) -> None:
    """Behind "my sister" a small word or a month with a capital is somebody, and so elsewhere."""
    for made in masked(said, again):
        assert [] == [name for name in gone if re.search(rf"\b{name}\b", made)]


def test_who_is_met_in_an_address_is_met_in_code() -> None:
    """One account is one fiction in an address, a folder, a login, a key and a name without capital."""
    shown = masked(
        "I'm Jo Smythe of Quillfeather.", "Write to jsmythe@quillfeather.io",
        "/home/jsmythe/x.py", '{"user": "jsmythe", "quillfeather_key": 1}',
        "class QuillfeatherClient: pass", "postgres://jsmythe:hx83kd92@db.quillfeather.io/x",
    )  # fmt: skip
    assert [] == [
        text for text in shown if re.search("smythe|quillfeather|hx83", text, re.IGNORECASE)
    ]
    account = re.search(r"Write to (\w+)@example\.\w+", shown[1])
    company = re.search(r"of (\w+)\.", shown[0])
    assert account is not None
    assert company is not None
    assert {"user": account[1], f"{company[1].lower()}_key": 1} == json.loads(shown[3])
    assert f"class {company[1]}Client: pass" == shown[4]


def test_an_accent_less_account_is_the_name() -> None:
    """benoit@ and Benoît are one person, capital and all."""
    said, mail, again = masked(
        "Je m'appelle Benoît Lefèvre.", "benoit.lefevre@orange.fr", "Merci, M. Lefèvre."
    )
    first, last = said.removeprefix("Je m'appelle ").rstrip(".").split()
    assert f"{first.lower()}.{last.lower()}@example.com" == mail
    assert f"Merci, M. {last}." == again


@pytest.mark.parametrize(
    "value",
    [
        "550e8400-e29b-41d4-a716-446655440000", "00:1A:2B:3C:4D:5E", "2001:db8::ff00:42:8329",
        "10.0.0.1", "AB 12 34 56 C", "51.5074, -0.1278",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    ],
)  # fmt: skip
def test_a_machine_a_login_and_a_place_are_told_by_one_value(value: str) -> None:
    """Each goes as a whole and keeps its separators."""
    (made,) = masked(f"It is {value} today.")
    new = made.removeprefix("It is ").removesuffix(" today.")
    assert re.sub(r"\w", "", value) == re.sub(r"\w", "", new)
    assert [] == [p for p in re.findall(r"\w{3,}", value) if re.search(rf"\b{p}\b", new)]


def test_keys_and_numbers_of_tool_calls_are_masked() -> None:
    """An account may be the key of an argument, and a place two numbers."""
    arguments: dict[str, Any] = {"jsmythe": "owner", "path": "/home/jsmythe", "phone": 912345678}
    call = {"id": "c1", "type": "function",
            "function": {"name": "find", "arguments": json.dumps(arguments)}}  # fmt: skip
    said = [{"role": "user", "content": "Mail jsmythe@acme.io, call 912 345 678."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"jsmythe": 1}'},
            {"role": "assistant", "content": "Done."}]  # fmt: skip
    talk = Talk(turns=(Turn(number=1, messages=tuple(map(messages.message, said))),))
    mask = mask_of(list(texts_of(talk)))
    shown = json.dumps([m.as_dict() for m in masked_talk(talk, mask.text).turns[0].messages])
    assert [] == [value for value in ("jsmythe", "912345678") if value in shown]
    assert [] == [word for word in ("path", "owner", "find") if word not in shown]


def test_the_name_of_a_file_is_masked_word_by_word() -> None:
    """There nobody writes capitals, and a first name may be short."""
    mask = mask_of(["I am Tom Marchetti, and my son is Max."])
    assert [] == re.findall("tom|marchetti|max", mask.title("tom-marchetti_and_max"))
    assert "max_tokens" == mask.text("max_tokens")
    assert "chat" == mask.title("chat")


def test_a_title_in_another_case_is_no_name() -> None:
    """Of Herrn Kaiser the second word is masked alone."""
    (made,) = masked("Der Hund von Herrn Kaiser bellt.")
    assert made.startswith("Der Hund von Herrn ")
    assert "Kaiser" not in made


def test_a_small_word_of_another_language_is_a_name() -> None:
    """Mia is "my" in Italian, Ella is "she" in Spanish; in an English sentence both are people."""
    (made,) = masked("I had lunch with Ella and then saw Mia, thanks to Grace and the team.")
    assert [] == [name for name in ("Ella", "Mia", "Grace") if name in made]
    assert "saw" in made.split()
    assert ["La mia casa è grande."] == masked("La mia casa è grande.")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("my wife is called priya", "priya"), ("meine schwester heißt anna", "anna"),
        ("ma sœur s'appelle zoé", "zoé"), ("mi hermana se llama lucía", "lucía"),
        ("mia sorella si chiama chiara", "chiara"), ("a minha irmã se chama inês", "inês"),
    ],
)  # fmt: skip
def test_a_relative_who_is_called_something_in_small_letters(text: str, name: str) -> None:
    """The verb says that a name follows; it is one everywhere."""
    said, again = masked(text, f"{name}!")
    assert name not in said
    assert name not in again
    assert said.rpartition(" ")[0] == text.rpartition(" ")[0]
