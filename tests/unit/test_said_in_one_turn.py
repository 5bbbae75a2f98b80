"""What a turn states and then corrects or takes back itself, read by ``rules`` and stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.settings import ReflectionSettings


def _told(folder: Path, *turns: tuple[str, ...]) -> Conversation:
    """Each turn is one or several messages of the user; the last one stays open."""
    talk = Memory.open(folder / "memory.db").conversation(user="u", id="c")
    for said in turns:
        for message in said[:-1]:
            talk.observe(user=message)
        talk.observe(user=said[-1], assistant="OK.")
        talk.reflect(extractor="rules")
    return talk


@pytest.mark.parametrize(
    ("turn", "held"),
    [
        (("I live in Oslo. Actually, I live in Rome.",), "Actually, I live in Rome."),
        (("I live in Oslo.", "Actually, I live in Rome."), "Actually, I live in Rome."),
        (("J'habite à Lyon. En fait, j'habite à Nice.",), "En fait, j'habite à Nice."),
        (("Ich wohne in Wien. Eigentlich wohne ich in Graz.",), "Eigentlich wohne ich in Graz."),
    ],
)
def test_a_correction_replaces_what_its_own_turn_stated(
    tmp_path: Path, turn: tuple[str, ...], held: str
) -> None:
    """The old statement is in the history and not in what is current, and it can be undone."""
    talk = _told(tmp_path, turn)
    assert [held] == [row.text for row in talk.current()]
    assert [("add", "new"), ("supersede", "correction")] == [
        (verdict.action, verdict.rule) for verdict in talk.verdicts()
    ]
    talk.undo(2)
    assert 1 == len(talk.current())
    assert held != talk.current()[0].text


@pytest.mark.parametrize(
    "turn", [("My PIN is 4417. Forget my PIN.",), ("My PIN is 4417.", "Forget my PIN.")]
)
def test_a_request_takes_back_what_its_own_turn_stated(
    tmp_path: Path, turn: tuple[str, ...]
) -> None:
    """No memory is left, and the value is not in the transcript either."""
    talk = _told(tmp_path, turn)
    assert () == tuple(talk.current())
    assert "4417" not in "".join(told.user for told in talk.turns())


def test_the_new_one_is_not_taken_for_the_old_one(tmp_path: Path) -> None:
    """A request whose words the statement does not hold means something else."""
    talk = _told(tmp_path, ("My new address is Elm Street 5. Please forget my old address.",))
    assert ["My new address is Elm Street 5."] == [row.text for row in talk.current()]
    assert "unresolved-forget" == talk.verdicts()[-1].rule


def test_of_equals_the_statement_of_the_turn_is_corrected(tmp_path: Path) -> None:
    """What was just said is meant before what was said long ago."""
    talk = _told(tmp_path, ("I live in Oslo.",), ("I live in Rome. Actually, I live in Bergen.",))
    assert ["I live in Oslo.", "Actually, I live in Bergen."] == [r.text for r in talk.current()]


def test_what_waits_cannot_be_corrected(tmp_path: Path) -> None:
    """Where a proposal became no memory, what means it stands by itself."""
    config = Config(reflection=ReflectionSettings(review="proposals"))
    memory = Memory.open(tmp_path / "memory.db", config=config)
    talk = memory.conversation(user="u", id="c")
    talk.observe(user="My PIN is 4417. Actually, my PIN is 4418. Forget my PIN.", assistant="OK.")
    talk.reflect(extractor="rules")
    assert ["low-trust", "low-trust", "unresolved-forget"] == [v.rule for v in talk.verdicts()]
