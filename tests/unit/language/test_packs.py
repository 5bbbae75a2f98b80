"""Language packs: the format is checked, and the shipped ones keep it."""

from __future__ import annotations

from importlib import resources

import pytest

from palimpsest.errors import ConfigError, SpecError
from palimpsest.language import packs
from palimpsest.language.replacing import replacements


def source(language: str) -> str:
    return (resources.files(packs) / f"{language}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", packs.names())
def test_a_shipped_pack_is_whole(language: str) -> None:
    """It is named as its file, repeats nothing, and each phrase can be found in a sentence."""
    pack = packs.load(language)
    assert language == pack.language
    assert len(set(pack.phrases)) == len(pack.phrases)
    for phrase in pack.phrases:
        words = phrase.replace("...", "").split()
        plain = " ".join(
            "" if w.startswith("[") else {"{old}": "MySQL", "{new}": "Redis"}.get(w, w.split("/")[0])
            for w in words
        ).replace("*", "avons").replace(" ,", ",").replace("' ", "'")  # fmt: skip
        assert replacements(f"{plain}.", pack), plain


def test_english_and_french_are_shipped() -> None:
    """Their codes choose them, alone or together; a blank choice takes all."""
    assert ("en", "fr") == packs.names()
    assert packs.chosen("") == packs.chosen("en, fr") == packs.chosen("en fr")
    with pytest.raises(SpecError, match="language 'xx' has no pack; known: en, fr"):
        packs.load("xx")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('language = "en"', "language = 5", "my pack: language: 5 is not a word"),
        ('language = "en"', 'language = "xx"', "my pack: language='xx' has no stems; known: en"),
        ("units = []\n", "", "my pack: units is missing"),
        ("units = []", "units = []\nmood = 1", "my pack: mood is no key; known"),
        ("units = []", "units = 3", "my pack: units: 3 is not a list of words"),
        ("units = []", 'units = [" "]', r"my pack: units\[0\]: ' ' is not a word"),
        ('"no longer {old}"', '"no longer"', "phrase 'no longer' has neither {old} nor {new}"),
        ("markers = [", 'phrases = ["a {old}"]\nmarkers = [', "either phrases or markers"),
        ('language = "en"', "language = ", "my pack: is not TOML"),
    ],
)
def test_a_faulty_pack_is_refused_with_its_key(old: str, new: str, said: str) -> None:
    """A person who writes a pack is told where it is wrong."""
    text = source("en")
    assert old in text
    with pytest.raises(ConfigError, match=said):
        packs.read(text.replace(old, new, 1), where="my pack")
