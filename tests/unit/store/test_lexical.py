"""Full-text rows follow memories, and a search returns what the conversation may see."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import write
from palimpsest.store import Store, open_store
from palimpsest.store import lexical_tables as tables
from palimpsest.types import Scope, Traits

ANA = Scope(user="ana", conversation="1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with open_store(path) as opened:
        yield opened


def found(store: Store, question: str, scope: Scope = ANA) -> list[int]:
    return list(store.lexical.search(scope, question))


def told(store: Store, *texts: str, scope: Scope = ANA) -> list[int]:
    return [write.remember(store, scope, text).id for text in texts]


# --- rows follow memories ---------------------------------------------------------------


def test_a_memory_is_found_as_soon_as_it_is_written(store: Store) -> None:
    """Its row is written in its own transaction; no loop has to run first."""
    (id,) = told(store, "The ferry leaves at noon.")
    assert [id] == found(store, "When does the ferry leave?")


def test_a_replaced_memory_is_not_returned(store: Store) -> None:
    """Coffee, then tea: tea once, coffee not at all, and the chain is kept."""
    write.remember(store, ANA, "I drink coffee in the morning.", attribute="drink")
    kept = write.correct(store, ANA, "I drink tea in the morning now.", attribute="drink")
    assert ([kept.id], []) == (found(store, "tea"), found(store, "coffee"))
    assert [kept.id] == found(store, "What do I drink in the morning?")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Will is my youngest brother.", "When is the birthday of Will?"),
        ("I write firmware in C.", "Which compiler do I use for C?"),
        ("I saw the Who in Leeds.", "Do I like the Who?"),
        ("My job is in IT support.", "Do I work in IT?"),
        ("We moved to the US last spring.", "When did we go to the US?"),
    ],
)
def test_a_name_that_is_spelt_like_a_small_word_is_found(
    store: Store, text: str, question: str
) -> None:
    """A capital in the middle of a question makes a name of a word that is left out else."""
    (id,) = told(store, text)
    assert [id] == found(store, question)


@pytest.mark.parametrize("question", ["what will you do?", "Who is it?", "What would I see in it?"])
def test_a_small_word_that_is_no_name_finds_nothing(store: Store, question: str) -> None:
    """Without a capital, or at the start, it says nothing about a memory that holds the name."""
    told(store, "Will is my youngest brother.", "I like the Who.", "My job is in IT support.")
    assert [] == found(store, question)


def test_a_text_that_changes_is_found_by_its_new_words_only(store: Store) -> None:
    """A rewrite leaves none of the old words."""
    (id,) = told(store, "The cabin is near Bodø.")
    store.memories.rewrite(ANA, id, text="The cabin is near Tromsø.", value=None)
    assert ([], [id]) == (found(store, "Bodø"), found(store, "Tromsø"))


def test_a_forgotten_memory_is_not_found(store: Store) -> None:
    """Nor is what it had replaced."""
    write.remember(store, ANA, "The code is swordfish.", attribute="code")
    write.correct(store, ANA, "The code is marzipan.", attribute="code")
    write.forget(store, ANA, attribute="code")
    assert ([], []) == (found(store, "swordfish"), found(store, "marzipan"))
    assert (0, True) == (store.lexical.verify().rows, store.lexical.verify().ok)


def test_a_transaction_that_is_taken_back_leaves_no_row(store: Store) -> None:
    """Whether it wrote, rewrote or forgot."""
    (id,) = told(store, "The ferry leaves at noon.")

    def undone() -> None:
        with store.transaction():
            told(store, "The tram leaves at dawn.")
            write.forget(store, ANA, id=id)
            assert [] == found(store, "ferry")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        undone()
    assert ([id], []) == (found(store, "ferry"), found(store, "tram"))
    assert store.lexical.verify().ok


def test_a_restored_memory_is_found_again(store: Store) -> None:
    """A row stands for a memory whether it is current or not."""
    old, new = told(store, "The key is under the mat.", "The key is with Ivo.")
    store.memories.supersede(ANA, old, new)
    assert [] == found(store, "mat")
    store.memories.restore(ANA, old)
    assert [old] == found(store, "mat")


def test_the_words_of_an_attribute_count(store: Store) -> None:
    """An application that names an attribute says what the memory is about."""
    kept = write.remember(store, ANA, "It is 4417.", attribute="locker_code")
    assert [kept.id] == found(store, "What is the code of my locker?")


# --- what a conversation sees -----------------------------------------------------------


def test_another_user_is_never_found_and_changes_no_score(store: Store) -> None:
    """What a second user holds moves neither the order nor the scores of the first."""
    told(store, "The ferry leaves at noon.", "The ferry to Bergen is full.", "Noon is for lunch.")
    before = store.lexical.search(ANA, "Which ferry leaves at noon?")
    bob = Scope(user="bob", conversation="1")
    told(store, *(f"The ferry number {n} is late at noon." for n in range(300)), scope=bob)
    assert dict(before) == dict(store.lexical.search(ANA, "Which ferry leaves at noon?"))
    assert 64 == len(found(store, "ferry", bob))
    assert [] == found(store, "ferry", Scope(user="an", conversation="1"))


def test_a_small_user_beside_a_large_one_gets_all_of_theirs(store: Store) -> None:
    """Nothing is filtered out after a search that was limited before."""
    bob = Scope(user="bob", conversation="1")
    told(store, *(f"Parcel {n} of the depot waits at gate {n % 9}." for n in range(400)), scope=bob)
    mine = told(store, *(f"Parcel {n} of the depot is mine." for n in range(24)))
    assert sorted(mine) == sorted(found(store, "depot parcel"))


def test_memories_of_another_conversation_are_found_only_where_they_are_global(
    store: Store,
) -> None:
    """A conversation sees its own memories and the global ones of its user."""
    other = Scope(user="ana", conversation="2")
    near = write.remember(store, other, "The ferry leaves at noon.")
    far = write.remember(store, other, "The ferry makes me sick.", traits=Traits(reach="global"))
    assert [far.id] == found(store, "ferry")
    assert {near.id, far.id} == set(found(store, "ferry", other))


def test_nobody_is_found_in_an_empty_store(store: Store) -> None:
    """A user without memories has no rows, and asking writes nothing."""
    assert [] == found(store, "ferry")


def test_a_rare_word_comes_before_a_common_one_and_equals_by_recency(store: Store) -> None:
    """A word that few memories share says more; among equals the newest comes first."""
    common = told(store, *(f"Shed {n} has a lock." for n in range(9)))
    (rare,) = told(store, "The padlock of the shed is brass.")
    assert [rare, *common[::-1]] == found(store, "Which shed has the brass thing?")


# --- questions of every sort ------------------------------------------------------------

SYNTAX = (
    'the "brass" padlock', "brass AND padlock", "brass OR", "NEAR(brass padlock, 2)", "brass*",
    "-brass", "brass NOT padlock", "words:brass", "^brass", "(brass", "brass)", "{brass}: padlock",
    'brass""', "brass'; DROP TABLE lexical; --", "brass\0padlock", "brass + padlock", "brass 🔑",
    "🔑brass🔑", "brass\ud800", "\ufeffbrass\u200b", "BRASS", "ｂｒａｓｓ", "brass\r\n\tpadlock",
)  # fmt: skip


@pytest.mark.parametrize("question", SYNTAX)
def test_nothing_in_a_question_is_syntax(store: Store, question: str) -> None:
    """Whatever stands around a word, the memory that has it is found."""
    (id, *_) = told(store, "The padlock is brass.", "The shed is green.")
    assert [id] == found(store, question)


@pytest.mark.parametrize("question", ["", " ", "🔑", "?!", '"', "*", "the of and", "\0", "\ud800"])
def test_a_question_without_words_finds_nothing(store: Store, question: str) -> None:
    """Stop words are no words to look for."""
    told(store, "The padlock is brass, and it is the key of the shed.")
    assert [] == found(store, question)


def test_a_very_long_question_is_looked_for_by_its_first_words(store: Store) -> None:
    """A megabyte of different words costs 64 look-ups."""
    (id,) = told(store, "The padlock is brass.")
    many = " ".join(f"w{n}" for n in range(200_000))
    assert [id] == found(store, f"brass {many}")
    assert [] == found(store, f"{many} brass")


def test_a_very_long_memory_is_found_by_its_first_words(store: Store) -> None:
    """A memory of a megabyte is written, found, and replaced like another."""
    many = " ".join(f"w{n}" for n in range(150_000))
    id = store.memories.insert(
        ANA, text=f"brass {many}", source="api", attribute=None, value=None, turn=None
    ).id
    assert ([id], []) == (found(store, "brass"), found(store, "w149999"))


def test_a_word_without_an_end_is_found_by_its_beginning(store: Store) -> None:
    """A run of letters of any length is kept and found by its first 64 characters."""
    (id,) = told(store, f"The hash is {'a1' * 50_000}.")
    assert [id] == found(store, "a1" * 60_000)


# --- languages --------------------------------------------------------------------------

FOUND = (
    ("我喜欢吃北京烤鸭。", "烤鸭"),
    ("我喜欢吃北京烤鸭。", "鸭"),
    ("東京タワーの近くに住んでいます。", "タワーはどこ？"),
    ("ﾄｳｷｮｳに行きました。", "トウキョウ"),
    ("저는 서울에 살아요.", "서울"),
    ("ฉันแพ้ถั่วลิสง", "ถั่วลิสง"),
    ("Иван Петров живёт в Туле.", "Где живет Петров?"),
    ("Мой пароль — ёжик.", "ежик"),
    ("أحمد يسكن في الإسكندرية", "اين يسكن احمد"),
    ("مُحَمَّد يحب القهوة", "محمد"),
    ("אני גר בְּחֵיפָה", "בחיפה"),
    ("मुझे आम पसंद है", "आम"),
    ("Ich wohne in der Hauptstraße.", "HAUPTSTRASSE"),
    ("Ofis İstanbul'da.", "istanbul"),
    ("Ofis ISPARTA yakınında.", "ısparta"),
    ("Le café de la sœur est fermé.", "cafe soeur"),
    ("Le cafe est ferme.", "café fermé"),
    ("Mam spotkanie w Łodzi.", "lodzi"),
    ("Tôi thích phở bò.", "pho bo"),
    ("Ο γιατρός είναι στην Αθήνα.", "γιατρος"),
    ("Crème brûlée".encode().decode() + " is my favourite.", "cre\u0300me bru\u0302le\u0301e"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "question"), FOUND)
def test_a_memory_is_found_in_its_own_script(store: Store, text: str, question: str) -> None:
    """Scripts without blanks, without vowels, with accents or without."""
    (id, *_) = told(store, text, "Something else entirely.")
    assert [id] == found(store, question)


STEMS = (
    ("en", "The deliveries were delayed.", "delivery"),
    ("fr", "Les livraisons sont en retard.", "livraison"),
    ("de", "Die Lieferungen kommen zu spät.", "Lieferung"),
    ("es", "Los pedidos llegaron tarde.", "pedido"),
    ("it", "Le consegne sono in ritardo.", "consegna"),
    ("pt", "As entregas estão atrasadas.", "entrega"),
)


@pytest.mark.parametrize(("language", "text", "question"), STEMS)
def test_an_inflected_word_is_found_in_six_languages(
    store: Store, language: str, text: str, question: str
) -> None:
    """Also where the question is one word and does not show its language."""
    (id, *_) = told(store, text, "Something else entirely.")
    assert [id] == found(store, question), language


def test_a_question_in_another_language_is_not_found_by_words(store: Store) -> None:
    """The limit of words: only an embedder of several languages crosses it."""
    told(store, "Je suis allergique aux noix.")
    assert [] == found(store, "Which nuts am I not allowed to eat?")


def test_two_names_in_one_script_stay_two(store: Store) -> None:
    """Folding tells names apart that differ by a letter."""
    ivan, igor = told(store, "Иван Петров звонил.", "Игорь Петров звонил.")
    assert ([ivan], [igor]) == (found(store, "Иван"), found(store, "Игорь"))


# --- derived ----------------------------------------------------------------------------


def test_rows_are_dropped_and_made_again_the_same(store: Store, path: Path) -> None:
    """A rebuild gives every search its answer back; verify says what is wrong until then."""
    told(store, "The ferry leaves at noon.", "The tram leaves at dawn.", "Noon is for lunch.")
    before = dict(store.lexical.search(ANA, "Which ferry leaves at noon?"))
    with sqlite3.connect(path) as other:
        other.execute("DELETE FROM lexical WHERE rowid = (SELECT max(rowid) FROM lexical)")
        other.execute("UPDATE lexical SET words = 'tram' WHERE rowid % 2 = 1")
        other.execute("INSERT INTO lexical (rowid, words) VALUES (7, 'nobody')")
    other.close()
    report = store.lexical.verify()
    assert (1, 1, 1, False) == (report.missing, report.gone, report.wrong, report.ok)
    assert 3 == store.lexical.rebuild()
    assert store.lexical.verify().ok
    assert before == dict(store.lexical.search(ANA, "Which ferry leaves at noon?"))


def test_a_damaged_index_is_said_to_be_so_and_a_rebuild_mends_it(store: Store, path: Path) -> None:
    """Rows may be right while SQLite's own pages of the index are not."""
    (id,) = told(store, "The ferry leaves at noon.")
    with sqlite3.connect(path) as other:
        other.execute("DELETE FROM lexical_data WHERE id > 10")
    other.close()
    assert store.lexical.verify().damage
    store.lexical.rebuild()
    assert (True, [id]) == (store.lexical.verify().ok, found(store, "ferry"))


def test_rows_of_an_older_version_are_made_anew_when_the_store_is_opened(path: Path) -> None:
    """Whoever changes how words are read need not ask users to rebuild."""
    with open_store(path) as store:
        (id,) = told(store, "The ferry leaves at noon.")
    with sqlite3.connect(path) as other:
        other.execute("UPDATE lexical SET words = 'fery'")
        other.execute("UPDATE meta SET value = 'older' WHERE key = 'lexical'")
    other.close()
    with open_store(path) as store:
        assert [id] == found(store, "ferry")


def test_the_layout_that_came_first_is_replaced(path: Path) -> None:
    """A store with the first tables of m007 opens, and its memories are found."""
    with open_store(path) as store:
        (id,) = told(store, "The ferry leaves at noon.")
    with sqlite3.connect(path) as other:
        for drop in tables._OLDER:
            other.execute(drop)
        other.execute(
            "CREATE TABLE lexical_rows (number INTEGER PRIMARY KEY, conversation INTEGER NOT NULL,"
            " id INTEGER NOT NULL, UNIQUE (conversation, id)) STRICT"
        )
        other.execute("CREATE VIRTUAL TABLE lexical USING fts5(words)")
        other.execute("DELETE FROM meta WHERE key = 'lexical'")
    other.close()
    with open_store(path) as store:
        assert ([id], True) == (found(store, "ferry"), store.lexical.verify().ok)
        write.forget(store, ANA, id=id)
        assert store.lexical.verify().ok


def test_rows_are_written_for_whoever_writes_at_once(store: Store, path: Path) -> None:
    """A second connection's memories are found by the first without its doing."""
    with open_store(path) as other:
        (id,) = told(other, "The ferry leaves at noon.")
    assert [id] == found(store, "ferry")
