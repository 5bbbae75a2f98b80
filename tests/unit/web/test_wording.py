"""English in one place: the catalogue is whole, current, and really changes the pages."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from jinja2 import Environment
from starlette.testclient import TestClient

from palimpsest import Memory
from palimpsest.errors import InputError
from palimpsest.web import wording
from palimpsest.web.live.app import application
from palimpsest.web.render import environment
from tests.support.wording import TEMPLATES, extracted, template_text, untranslated

TEMPLATE_FILES = sorted(TEMPLATES.rglob("*.j2"), key=str)


@pytest.mark.parametrize("path", TEMPLATE_FILES, ids=lambda path: path.name)
def test_no_template_holds_a_word_of_its_own(path: Path) -> None:
    """Every text node, and every attribute that is read out, comes from the catalogue."""
    assert [] == list(untranslated(path.read_text(encoding="utf-8")))


def test_the_check_above_can_fail() -> None:
    """A plain word, in a text or in an attribute, is found."""
    assert ["Alone"] == list(untranslated("<p>{{ _('fine') }}</p><p>Alone</p>"))
    assert ["Alone"] == list(untranslated('<img alt="Alone">{% trans %}fine{% endtrans %}'))


@pytest.mark.parametrize("path", TEMPLATE_FILES, ids=lambda path: path.name)
def test_only_words_of_ours_are_looked_up_as_markup(path: Path) -> None:
    """``_`` makes markup of what it is given, so it is given nothing but a literal."""
    assert [] == re.findall(r"(?<![\w.])_\((?!['\"]).*?\)", path.read_text(encoding="utf-8"))


def test_the_catalogue_is_current() -> None:
    """What a translator starts from is what the pages say; `make goldens` renews it."""
    assert template_text() == (wording.LOCALE / "messages.pot").read_text(encoding="utf-8")


def _german(folder: Path) -> Path:
    """A catalogue of a few words, as a translator's tool would write it."""
    made = Catalog(locale="de")
    made.add("Conversations", "Gespräche")
    made.add("required and there", "verlangt und da")
    made.add(("%(count)s row", "%(count)s rows"), ("%(count)s Zeile", "%(count)s Zeilen"))
    file = io.BytesIO()
    write_mo(file, made)
    place = folder / "de" / "LC_MESSAGES"
    place.mkdir(parents=True)
    (place / "messages.mo").write_bytes(file.getvalue())
    return folder


def test_another_catalogue_changes_the_page(tmp_path: Path) -> None:
    """A page speaks the language of its catalogue, and English where that has no word."""
    words = wording.translations(_german(tmp_path), "de")
    with (
        Memory.open(":memory:") as memory,
        TestClient(application(memory, words), base_url="http://127.0.0.1") as client,
    ):
        text = client.get("/").text

    assert '<html lang="de">' in text
    assert "<h1>Gespräche</h1>" in text
    assert "current memories" in text


def _said(pages: Environment, source: str, **values: object) -> str:
    return pages.from_string(source).render(values)


def test_words_of_closed_sets_and_plurals_are_translated(tmp_path: Path) -> None:
    """A word that comes from a record is looked up; any other text of a record is left alone."""
    pages = environment(wording.translations(_german(tmp_path), "de"))

    assert "verlangt und da" == _said(pages, "{{ x | word }}", x="required and there")
    assert "50%s &lt;b&gt;" == _said(pages, "{{ x | word }}", x="50%s <b>")
    plural = "{% trans count=n %}{{ count }} row{% pluralize %}{{ count }} rows{% endtrans %}"
    assert ["1 Zeile", "2 Zeilen"] == [_said(pages, plural, n=n) for n in (1, 2)]


def test_a_language_without_a_catalogue_is_english(tmp_path: Path) -> None:
    """Nobody is shown an error for a language."""
    words = wording.translations(tmp_path, "xx")

    assert "Conversations" == words.gettext("Conversations")


def test_what_is_put_into_a_sentence_is_escaped() -> None:
    """A translated sentence is markup; what a user wrote inside of it is not."""
    source = "{% trans name=x %}Verdict of {{ name }}{% endtrans %}"

    assert "Verdict of &lt;b&gt;%s" == _said(environment(), source, x="<b>%s")


def test_every_word_of_a_closed_set_stands_in_the_catalogue() -> None:
    """A new reason, kind or part cannot be forgotten by translators."""
    known = {message.id for message in extracted() if isinstance(message.id, str)}

    assert set(wording.tables()) <= known


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment that prefers no language."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize("tag", ["de", "de-AT", "de_DE.UTF-8", "de_CH@euro"])
def test_a_language_by_name_or_by_the_environment(
    tag: str, tmp_path: Path, plain: pytest.MonkeyPatch
) -> None:
    """The catalogue of the language, also where a country stands behind it."""
    folders = (wording.LOCALE, _german(tmp_path))
    named = wording.spoken(folders, tag).gettext("Conversations")
    plain.setenv("LANG", tag)

    assert ("Gespräche", "Gespräche") == (
        named, wording.spoken(folders, None).gettext("Conversations")
    )  # fmt: skip


@pytest.mark.parametrize(
    ("preferred", "said"),
    [("", "Conversations"), ("C.UTF-8", "Conversations"), ("en_GB:de", "Conversations"),
     ("xx:de", "Gespräche"), ("../de", "Conversations"), ("fr", "Conversations")],
)  # fmt: skip
def test_the_first_language_that_is_spoken_is_taken(
    preferred: str, said: str, tmp_path: Path, plain: pytest.MonkeyPatch
) -> None:
    """English is always spoken; a preference that nobody installed is no error."""
    plain.setenv("LANGUAGE", preferred)
    words = wording.spoken((wording.LOCALE, _german(tmp_path)), None)

    assert said == words.gettext("Conversations")


def test_a_language_that_was_named_and_is_not_there_is_told(tmp_path: Path) -> None:
    """With those that are, and the place of one."""
    with pytest.raises(InputError) as told:
        wording.spoken((wording.LOCALE, _german(tmp_path)), "fr")

    assert "--language 'fr'" in str(told.value)
    assert "there are: de, en" in str(told.value)
    assert str(tmp_path / "LANGUAGE" / "LC_MESSAGES" / "messages.mo") in str(told.value)


@pytest.mark.parametrize("raw", [b"", b"no catalogue", b"\xde\x12\x04\x95" + b"\xff" * 40])
def test_a_damaged_catalogue_is_told(raw: bytes, tmp_path: Path) -> None:
    """By its path; no page is shown half in another language."""
    path = _german(tmp_path) / "de" / "LC_MESSAGES" / "messages.mo"
    path.write_bytes(raw)
    with pytest.raises(InputError, match="is not a catalogue"):
        wording.spoken((tmp_path,), "de")
