"""What a user had forgotten does not come back with old words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.errors import StoreError
from tests.support.chat_log_files import chatgpt, dialogue, document, node
from tests.support.log_imports import said, taken

SAID = ["My PIN is 4417, and I live in Oslo.", "4417 it is.", "And 4 4 1 7 again?", "Yes."]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store in which the user had a PIN forgotten, in a conversation of today."""
    with Memory.open(tmp_path / "m.db") as held:
        talk = held.conversation(user="me", id="today")
        talk.append(user="My PIN is 4417.", assistant="Noted.")
        talk.remember("My PIN is 4417.", attribute="pin", value="4417", turn=1)
        talk.forget(attribute="pin")
        yield held


def log(path: Path, said: list[str] = SAID) -> Path:
    """A log of 2023 that says it."""
    return document(path / "log.json", [dialogue("a", said)])


def test_a_log_does_not_bring_it_back(memory: Memory, tmp_path: Path) -> None:
    """Not in the user's words nor in the answers, in no form, in no row and no byte."""
    taken(memory, log(tmp_path))
    expected = [
        [("user", "My PIN is , and I live in Oslo."), ("assistant", " it is.")],
        [("user", "And  again?"), ("assistant", "Yes.")],
    ]
    assert expected == said(memory, "chatgpt/a")
    found = memory.audit("4417")
    assert ((), ()) == (found.rows, found.findings)


def test_the_record_of_the_deletion_holds_on(memory: Memory, tmp_path: Path) -> None:
    """Old words lift nothing: not when they come in, and not when they are read."""
    taken(memory, log(tmp_path))
    talk = memory.conversation(user="me", id="chatgpt/a")
    talk.reflect(extractor="rules")
    (record,) = memory.conversation(user="me", id="today").deletions()
    assert (1, 0) == (record.values, record.lifted)
    assert [] == [row.text for row in talk.visible() if "4417" in row.text]


def test_what_the_user_says_here_later_is_kept(memory: Memory, tmp_path: Path) -> None:
    """In the imported conversation too: only what the log brought is old."""
    taken(memory, log(tmp_path))
    talk = memory.conversation(user="me", id="chatgpt/a")
    talk.append(user="My PIN is 4417 again.", assistant="4417, then.")
    assert ("My PIN is 4417 again.", "4417, then.") == (
        talk.turns()[2].user,
        talk.turns()[2].assistant,
    )


def test_a_log_that_lost_words_is_known_again_and_grows(memory: Memory, tmp_path: Path) -> None:
    """What is in the place of a gap is what was there; new old words lose it as well."""
    taken(memory, log(tmp_path))
    again, _ = taken(memory, log(tmp_path))
    grown, _ = taken(memory, log(tmp_path, [*SAID, "Was it 4417?", "It was 4417."]))
    assert ({"known": 1}, {"grown": 1}) == (again.fates, grown.fates)
    assert [("user", "Was it ?"), ("assistant", "It was .")] == said(memory, "chatgpt/a")[2]
    assert () == memory.audit("4417").rows


def test_a_log_without_a_name_is_known_again(memory: Memory, tmp_path: Path) -> None:
    """By its words, whatever is in the place of the gaps."""
    talk = {"conversations": [{"from": ("human", "gpt")[i % 2], "value": text}
                              for i, text in enumerate(SAID)]}  # fmt: skip
    path = document(tmp_path / "s.json", [talk])
    first, _ = taken(memory, path)
    with_gaps = said(memory, "sharegpt/1")
    second, _ = taken(memory, path)
    assert ({"added": 1}, {"known": 1}) == (first.fates, second.fates)
    assert with_gaps == said(memory, "sharegpt/1")
    assert () == memory.audit("4417").rows


def test_what_is_forgotten_after_the_import_stays_gone(memory: Memory, tmp_path: Path) -> None:
    """A second import of the file brings nothing of it back."""
    path = log(tmp_path)
    taken(memory, path)
    memory.conversation(user="me", id="chatgpt/a").forget(value="Oslo")
    again, _ = taken(memory, path)
    assert {"known": 1} == again.fates
    assert () == memory.audit("Oslo").rows


def test_another_user_has_forgotten_nothing(memory: Memory, tmp_path: Path) -> None:
    """A deletion is its user's."""
    memory.import_log(log(tmp_path), user="ada")
    assert SAID[0] == said(memory, "chatgpt/a", user="ada")[0][0][1]


def test_without_the_key_of_the_records_nothing_is_taken(memory: Memory, tmp_path: Path) -> None:
    """Nothing could be known again then."""
    memory.close()
    (tmp_path / "m.db.key").unlink()
    with Memory.open(tmp_path / "m.db") as held:
        with pytest.raises(StoreError, match="the key of the deletion records is not at"):
            taken(held, log(tmp_path))
        assert ("today",) == held.conversations("me")


def test_a_forget_in_one_branch_reaches_all(tmp_path: Path) -> None:
    """They share what was said, and each keeps its own copy of what was remembered."""
    tree = chatgpt("t", [node("u", None, "user", "My door code is KX7719-ABC."),
                         node("a", "u", "assistant", "KX7719-ABC, fine."),
                         node("v", "a", "user", "And now?"), node("w", "a", "user", "Or now?"),
                         node("b", "u", "assistant", "Noted: KX7719-ABC.")])  # fmt: skip
    with Memory.open(tmp_path / "m.db") as memory:
        taken(memory, document(tmp_path / "t", [tree]))
        (tmp_path / "t").unlink()
        names = memory.conversations("me")
        for name in names:
            memory.conversation(user="me", id=name).reflect(extractor="rules")
        memory.conversation(user="me", id=names[0]).forget(value="KX7719-ABC")
        found = memory.audit("KX7719-ABC")
    assert 3 == len(names)
    assert ((), ()) == (found.rows, found.findings)


def test_a_name_that_holds_it_is_no_name(memory: Memory, tmp_path: Path) -> None:
    """A source may call a conversation by it; then it is known by how it begins, and only once."""
    path = document(tmp_path / "log.json", [dialogue("pin 4417", ["I live in Oslo.", "Good."])])
    first, _ = taken(memory, path)
    again, _ = taken(memory, path)
    assert ({"added": 1}, {"known": 1}) == (first.fates, again.fates)
    assert ("chatgpt/1", "today") == tuple(sorted(memory.conversations("me")))
    found = memory.audit("4417")
    assert ((), ()) == (found.rows, found.findings)
