"""What users of other memory systems complain of, and what recall does instead.

Each kind of complaint has its small input here or a test elsewhere; ``KINDS`` says which.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from palimpsest.embedders.hashed import Hashed
from palimpsest.tokens.local import LocalTokenizer
from tests.support.field_writers import write_at_once

ROOT = Path(__file__).resolve().parents[2]
BUDGET = Budget(window=2_000, answer=0)
HERE = "tests/cases/test_field_recall.py"
TURN = "tests/unit/recall/test_turn.py"
LEXICAL = "tests/unit/store/test_lexical.py"

KINDS = {
    "stale returned": (
        (HERE, "test_a_replaced_fact_is_not_returned_and_its_chain_is_kept"),
        (LEXICAL, "test_a_replaced_memory_is_not_returned"),
        ("tests/unit/store/test_vectors.py",
         "test_a_search_returns_what_its_conversation_sees_now_and_nothing_else"),
    ),
    "embedder outage": (
        (TURN, "test_an_outage_loses_no_memory"),
        (TURN, "test_an_embedder_that_raises_is_degraded_at_once_and_recovers"),
        (HERE, "test_a_memory_that_waits_for_its_vector_is_found_by_words"),
    ),
    "slow or blocking": (
        (TURN, "test_an_embedder_that_hangs_costs_one_deadline_and_recovers"),
        (TURN, "test_a_turn_does_not_wait_for_indexing"),
    ),
    "non-English": (
        (HERE, "test_a_part_of_a_chinese_compound_is_found"),
        (HERE, "test_two_cyrillic_facts_stay_two"),
        (LEXICAL, "test_a_memory_is_found_in_its_own_script"),
        (LEXICAL, "test_a_question_in_another_language_is_not_found_by_words"),
    ),
    "SQLite": (
        (HERE, "test_writers_at_once_lose_nothing_and_are_found"),
        ("tests/unit/store/test_sharing.py", "test_two_processes_of_four_threads_lose_nothing"),
    ),
    "migration": (
        (HERE, "test_an_embedder_of_other_dimensions_gives_the_same_answers"),
        (HERE, "test_an_archive_is_restored_with_its_answers"),
        (LEXICAL, "test_rows_of_an_older_version_are_made_anew_when_the_store_is_opened"),
    ),
    "isolation": (
        (LEXICAL, "test_another_user_is_never_found_and_changes_no_score"),
        (LEXICAL, "test_a_small_user_beside_a_large_one_gets_all_of_theirs"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_complaint_has_its_tests(kind: str) -> None:
    """The table names tests that exist."""
    for file, name in KINDS[kind]:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", text, re.MULTILINE), (file, name)


def sent(talk: Conversation, question: str) -> str:
    request = talk.request(question, budget=BUDGET, strategy="seats", record=False)
    return "\n".join(text for message in request.sent for text in message.texts())


def opened(path: Path, tokenizer: LocalTokenizer, dimensions: int = 384) -> Memory:
    embedder = Hashed(dimensions=dimensions)
    return Memory.open(path, tokenizer=tokenizer, embedder=embedder, indexing="inline")


def filled(talk: Conversation) -> None:
    """Two facts that are asked for among many that are newer."""
    talk.remember("The ferry to Bergen leaves at noon.")
    talk.remember("Walnuts make my throat swell.")
    for number in range(60):
        talk.remember(f"Locker {number} is painted in colour {number}.")


def test_a_replaced_fact_is_not_returned_and_its_chain_is_kept(chatml: LocalTokenizer) -> None:
    """I drink coffee; not anymore, tea: tea once, coffee never, by words and by meaning."""
    with Memory.open(":memory:", tokenizer=chatml, embedder="hashed", indexing="inline") as memory:
        talk = memory.conversation(user="ana", id="1")
        talk.remember("I drink coffee in the morning.", attribute="drink")
        filled(talk)
        sent(talk, "coffee?")
        talk.correct("I drink tea in the morning.", attribute="drink")
        text = sent(talk, "What do I drink in the morning, coffee?").replace("morning, coffee?", "")
        assert (1, 0) == (text.count("tea in"), text.count("coffee"))
        assert 2 == len(talk.history("drink"))


def test_a_memory_that_waits_for_its_vector_is_found_by_words(chatml: LocalTokenizer) -> None:
    """Whoever asks before the index has followed is served by words, and nothing is lost."""

    class Out(Hashed):
        def query(self, text: str) -> object:  # type: ignore[override]
            raise ConnectionError

        def passages(self, texts: object) -> object:  # type: ignore[override]
            raise ConnectionError

    with Memory.open(":memory:", tokenizer=chatml, embedder=Out()) as memory:
        talk = memory.conversation(user="ana", id="1")
        filled(talk)
        request = talk.request("Which ferry?", budget=BUDGET, strategy="seats")
        assert request.degraded
        assert "Bergen" in sent(talk, "Which ferry?")


def test_a_part_of_a_chinese_compound_is_found(chatml: LocalTokenizer) -> None:
    """烤鸭 brings back what says 北京烤鸭."""
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        talk = memory.conversation(user="ana", id="1")
        talk.remember("我喜欢吃北京烤鸭。")
        filled(talk)
        assert "北京烤鸭" in sent(talk, "哪里有烤鸭？")


def test_two_cyrillic_facts_stay_two(chatml: LocalTokenizer) -> None:
    """Folding leaves the letters of a script, so two names are two memories."""
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        talk = memory.conversation(user="ana", id="1")
        talk.remember("Иван Петров живёт в Туле.")
        talk.remember("Иван Смирнов живёт в Туле.")
        filled(talk)
        text = sent(talk, "Где живет Иван?")
        assert ("Петров" in text, "Смирнов" in text) == (True, True)


def test_writers_at_once_lose_nothing_and_are_found(tmp_path: Path) -> None:
    """Eight writers of 200: 0 lost, 0 locked, and each memory is found by its own word."""
    written, found, errors = write_at_once(tmp_path / "m.db", 200)
    assert 1_600 == len(written)
    assert [] == errors
    assert written == found


def test_an_embedder_of_other_dimensions_gives_the_same_answers(
    chatml: LocalTokenizer, tmp_path: Path
) -> None:
    """384 to 1,536: nothing is dropped, nothing has to be run, and the answers stand."""
    asked = ("When does the ferry to Bergen leave?", "Do walnuts make my throat swell?")
    for dimensions in (384, 1_536, 384):
        with opened(tmp_path / "m.db", chatml, dimensions) as memory:
            talk = memory.conversation(user="ana", id="1")
            if not talk.current():
                filled(talk)
            assert "at noon" in sent(talk, asked[0])
            assert "my throat swell." in sent(talk, asked[1]).replace(asked[1], "")
            assert 62 == len(talk.current())


def test_an_archive_is_restored_with_its_answers(chatml: LocalTokenizer, tmp_path: Path) -> None:
    """What was exported is recalled where it is imported, replaced rows included."""
    with opened(tmp_path / "a.db", chatml) as memory:
        talk = memory.conversation(user="ana", id="1")
        talk.remember("I drink coffee in the morning.", attribute="drink")
        talk.correct("I drink tea in the morning.", attribute="drink")
        filled(talk)
        before = sent(talk, "When does the ferry to Bergen leave?")
        memory.export(tmp_path / "archive.jsonl")
    with opened(tmp_path / "b.db", chatml, 1_536) as memory:
        memory.import_file(tmp_path / "archive.jsonl")
        talk = memory.conversation(user="ana", id="1")
        assert 2 == len(talk.history("drink"))
        text = sent(talk, "When does the ferry to Bergen leave?")
        assert ("at noon" in text, "at noon" in before, "coffee" in text) == (True, True, False)
