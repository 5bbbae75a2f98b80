"""French answers are graded by French marks; the same keys under English marks are not."""

from __future__ import annotations

import pytest

from palimpsest.bench.answers import keys
from palimpsest.bench.answers.grading import grade
from palimpsest.errors import InputError
from palimpsest.language import answer_marks
from palimpsest.models.recordings import GivenAnswer

TABLE = {
    "languages": ["fr"],
    "facts": {"salle bleue": r"\bbleue?\b", "salle verte": r"\bverte?\b", "code 4471": r"4471"},
    "cases": {
        "t": {"required": ["salle bleue"], "stale": ["salle verte"], "deleted": ["code 4471"]}
    },
    "exempt": {"salle verte": ["salle bleue"]},
}
KEYS = keys.parse(TABLE, "fr")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("La salle est la bleue.", ""),
        ("La salle n'est plus la verte mais la bleue.", ""),
        ("La salle bleue, et non la verte.", ""),
        ("La salle bleue au lieu de la verte.", ""),
        ("La bleue remplace la verte.", ""),
        ("Nous sommes passés de la verte à la bleue.", ""),
        ("La salle verte a été remplacée par la bleue.", ""),
        ("L'ancienne salle était la verte ; la nouvelle est la bleue.", ""),
        ("Plus valable :\n- la salle verte\n\nLa salle est la bleue.", ""),
        ("La bleue (la verte n'est plus d'actualité).", ""),
        ("La salle est la verte.", "stale"),
        ("La salle est la bleue ou la verte.", "stale"),
        ("La salle est passée de la bleue à la verte.", "stale"),
        ("La verte au lieu de la bleue.", "stale"),
        ("La salle verte est toujours valable, la bleue aussi.", "stale"),
        ("Ce n'est pas la bleue.", "missing"),
        ("Ni la rouge ni la bleue.", "missing"),
        ("Est-ce la bleue ?", "missing"),
        ("La salle bleue n'est pas la bonne.", "missing"),
        ("La salle bleue ne convient pas.", "missing"),
        ("La bleue n'est pas loin.", ""),
        ("La salle est la bleue et la rouge n'est pas libre.", ""),
        ("Je ne dispose pas de cette information.", "says-missing"),
        ("La salle n'a pas été mentionnée.", "says-missing"),
        ("Je ne trouve aucune salle dans la conversation.", "says-missing"),
        ("La bleue. Le code est 4471.", "forgotten"),
        ("La bleue. Je n'ai plus le code 4471.", "forgotten"),
        ("…", "empty"),
    ],
)
def test_french_answers_are_judged_by_french_marks(answer: str, reason: str) -> None:
    """Replaced, denied, asked, not known: the words are the language's own."""
    given = GivenAnswer(strategy="s", case="t", seed=1, answer=answer)
    assert reason == grade(KEYS.cases["t"], given, KEYS).reason


def test_marks_belong_to_their_language() -> None:
    """English marks do not see a French replacement, so the language of a suite matters."""
    english = keys.parse({**TABLE, "languages": ["en"]}, "en")
    given = GivenAnswer(
        strategy="s", case="t", seed=1, answer="La salle bleue au lieu de la verte."
    )
    assert "stale" == grade(english.cases["t"], given, english).reason


@pytest.mark.parametrize("languages", [("en",), ("fr",), ("en", "fr")])
def test_every_language_has_every_list(languages: tuple[str, ...]) -> None:
    """A language without one of the lists would judge by a rule less."""
    made = answer_marks.marks(languages)
    for name in made.__slots__:
        assert getattr(made, name).search("") is None, name


def test_an_unknown_language_names_the_known_ones() -> None:
    """A misspelt code is not graded without marks."""
    with pytest.raises(InputError, match="'de' has no marks; known: en, fr"):
        answer_marks.marks(("de",))
    with pytest.raises(InputError, match="none has no marks"):
        answer_marks.marks(())
