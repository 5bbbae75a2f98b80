"""LangGraph's BaseStore over the engine, beside the store that LangGraph ships."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from palimpsest import Memory
from palimpsest.errors import InputError
from palimpsest.integrations.langchain import MemoryStore
from tests.support.suites import Words

LABELS = ("ana", "ben", "notes", "été", "a b")
KEYS = ("k", "K", "e\u0301t", "\u00e9t", '"k"', "long key", " ", "1")
WORDS = ("Oslo", "tea", "P1234567", "5D-12", "naïve", "", "ana@example.org", "My PIN is 4417")


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", tokenizer=Words()) as found:
        yield found


@pytest.fixture
def store(memory: Memory) -> MemoryStore:
    return MemoryStore(memory)


def drawn_value(dice: random.Random) -> dict[str, Any]:
    value: dict[str, Any] = {
        "n": dice.choice([1, 2.5, -3, 4539578763621486]),
        "text": dice.choice(WORDS),
    }
    if dice.random() < 0.5:
        value["deep"] = {"flag": dice.choice([True, False, None]), "list": [dice.choice(WORDS), 1]}
    return {} if dice.random() < 0.1 else value


def drawn_space(dice: random.Random) -> tuple[str, ...]:
    return tuple(dice.choice(LABELS) for _ in range(dice.randint(1, 3)))


def drawn_filter(dice: random.Random) -> dict[str, Any] | None:
    return dice.choice(
        [
            None, {}, {"text": "Oslo"}, {"text": {"$ne": "Oslo"}}, {"deep": {"flag": True}},
            {"deep": {"list": ["tea", 1]}}, {"text": {"$eq": "tea"}}, {"missing": None},
        ]
    )  # fmt: skip


def drawn(dice: random.Random) -> Any:
    """One operation, as an agent's tools would ask for it."""
    kind, space = dice.random(), drawn_space(dice)
    if kind < 0.45:
        return PutOp(space, dice.choice(KEYS), drawn_value(dice))
    if kind < 0.55:
        return PutOp(space, dice.choice(KEYS), None)
    if kind < 0.75:
        return GetOp(space, dice.choice(KEYS))
    if kind < 0.9:
        return SearchOp(space[: dice.randint(0, 2)], drawn_filter(dice), limit=1000)
    path = tuple(dice.choice(("*", *LABELS)) for _ in range(dice.randint(1, 2)))
    condition = MatchCondition(dice.choice(["prefix", "suffix"]), path)
    return ListNamespacesOp(
        (condition,) if dice.random() < 0.8 else None, dice.choice([None, 1, 2]), 1000
    )


def plain(result: Any) -> Any:
    """A result without what LangGraph leaves open: times, the order of a search, scores."""
    if isinstance(result, Item):
        return (result.namespace, result.key, result.value)
    if isinstance(result, list) and result and isinstance(result[0], Item):
        return sorted(map(plain, result), key=repr)
    return result


def without_empty(theirs: InMemoryStore) -> InMemoryStore:
    """The store in memory lists namespaces that were only read, or that lost their last item."""
    for space in [space for space, held in theirs._data.items() if not held]:
        del theirs._data[space]
    return theirs


@pytest.mark.parametrize("seed", range(6))
def test_a_random_run_is_that_of_the_store_in_memory(seed: int, memory: Memory) -> None:
    """Same items, same namespaces, operation by operation and batch by batch."""
    dice = random.Random(seed)
    ours, theirs = MemoryStore(memory, everybody=True), InMemoryStore()
    for _ in range(60):
        batch = [drawn(dice) for _ in range(dice.choice([1, 1, 1, 4]))]
        if lists := [op for op in batch if isinstance(op, ListNamespacesOp)]:
            batch = lists[:1]
        expected = without_empty(theirs).batch(batch)
        assert list(map(plain, expected)) == list(map(plain, ours.batch(batch)))
    both = [
        sorted((i.namespace, i.key) for i in s.search((), limit=10_000)) for s in (ours, theirs)
    ]
    assert both[0] == both[1]
    assert both[0]


def test_pages_hold_every_item_once(store: MemoryStore) -> None:
    """Limit and offset cut one order, the newest change first."""
    for number in range(7):
        store.put(("ana", "notes"), f"k{number}", {"n": number})
    store.put(("ana", "notes"), "k2", {"n": 20})
    pages = [store.search(("ana",), limit=3, offset=start) for start in (0, 3, 6, 9)]
    assert [20, 6, 5, 4, 3, 1, 0] == [item.value["n"] for page in pages for item in page]


def test_orders_in_a_filter(store: MemoryStore) -> None:
    """Numbers are compared; what is no number is neither above nor below."""
    for number, value in enumerate([1, 2, 3, "x", None]):
        store.put(("ana",), f"k{number}", {"n": value})
    for asked, keys in (
        ({"$gt": 1}, "k1 k2"), ({"$gte": 2, "$lt": 3}, "k1"), ({"$lte": 1}, "k0"),
        ({"$ne": 1}, "k1 k2 k3 k4"),
    ):  # fmt: skip
        found = store.search(("ana",), filter={"n": asked})
        assert keys.split() == sorted(item.key for item in found)
    with pytest.raises(InputError, match=r"'\$near' is no operator; known: \$eq"):
        store.search(("ana",), filter={"n": {"$near": 1}})


def test_a_put_on_a_key_supersedes_and_a_delete_forgets(store: MemoryStore, memory: Memory) -> None:
    """The chain is kept while the item lives; a delete leaves a record and no text of any of it."""
    space = ("ana", "profile")
    for city in ("Trondhjemz", "Bergnaz", "Osloqa"):
        store.put(space, "city", {"city": city})
    talk = memory.conversation(user="ana", id="store:ana.profile")
    assert 3 == len(talk.history("city"))
    item = store.get(space, "city")
    assert item is not None
    assert {"city": "Osloqa"} == item.value
    assert item.created_at < item.updated_at
    store.delete(space, "city")
    store.delete(space, "city")
    assert (None, []) == (store.get(space, "city"), store.search(("ana",)))
    assert [3] == [record.rows for record in talk.deletions()]
    for gone in ("Trondhjemz", "Bergnaz", "Osloqa"):
        assert memory.audit(gone).clean
    store.put(space, "city", {"city": "Osloqa"})
    assert ["Osloqa"] == [item.value["city"] for item in store.search(space)]


def test_a_query_goes_through_recall(store: MemoryStore) -> None:
    """What shares words with the query comes first, over namespaces; the rest fills the page."""
    store.put(("ana", "a"), "dog", {"text": "Ana's dog is called Rufus"})
    store.put(("ana", "b"), "tea", {"text": "Ana drinks green tea"})
    store.put(("ana", "b"), "flat", {"text": "The flat is in Oslo", "kind": "home"})
    found = store.search(("ana",), query="what is the dog called")
    assert "dog" == found[0].key
    assert all(isinstance(item, SearchItem) for item in found)
    assert [True, False, False] == [item.score is not None and item.score > 0 for item in found]
    assert ["flat"] == [i.key for i in store.search(("ana",), query="dog", filter={"kind": "home"})]
    assert [] == store.search(("ben",), query="dog")


def test_meaning_is_recalled_too() -> None:
    """With an embedder the query finds what shares no word with it."""
    with Memory.open(":memory:", tokenizer=Words(), embedder="hashed", indexing="inline") as memory:
        store = MemoryStore(memory)
        store.put(("ana",), "a", {"text": "green tea every morning"})
        store.put(("ana",), "b", {"text": "the flat in Oslo"})
        found = store.search(("ana",), query="green tea every morning")
        assert "a" == found[0].key
        assert 1.0 == pytest.approx(found[0].score)


def test_users_are_apart(store: MemoryStore, memory: Memory) -> None:
    """A call names a user and reaches no other; whoever names none is refused."""
    store.put(("ana", "notes"), "k", {"text": "P1234567"})
    store.put(("ben", "notes"), "k", {"text": "tea"})
    store.delete(("ben", "notes"), "k")
    assert "P1234567" not in str(store.search(("ben",), query="P1234567"))
    assert [("ana", "notes")] == store.list_namespaces(prefix=("ana",))
    assert 1 == len(store.search(("ana",)))
    for refused in (
        lambda: store.search(()), store.list_namespaces,
        lambda: store.list_namespaces(prefix=("*", "notes")),
        lambda: MemoryStore(memory, user_at=1).put(("ana",), "k", {}),
        lambda: MemoryStore(memory, user_at=1).search(("notes",)),
    ):  # fmt: skip
        with pytest.raises(InputError, match="names no user"):
            refused()
    assert ["ana", "ben"] == list(memory.users())


def test_the_user_may_stand_at_another_place(memory: Memory) -> None:
    """The usual namespaces of both kinds name the same user."""
    store = MemoryStore(memory, user_at=1)
    store.put(("memories", "ana"), "k", {"n": 1})
    store.put(("memories", "ana", "x"), "k", {"n": 2})
    assert ("ana",) == memory.users()
    assert [("memories", "ana"), ("memories", "ana", "x")] == store.list_namespaces(
        prefix=("memories", "ana")
    )
    assert [2] == [item.value["n"] for item in store.search(("memories", "ana", "x"))]


def test_nothing_is_written_where_one_operation_is_refused(store: MemoryStore) -> None:
    """A batch is checked whole before it writes; LangGraph's own errors stay its own."""
    good = PutOp(("ana",), "k", {"n": 1})
    for bad, error in (
        (PutOp(("ana",), "x", {"n": float("nan")}), InputError),
        (PutOp(("ana",), "x", {"n": object()}), InputError),
        (PutOp(("ana",), "x", {"n": "\ud800"}), InputError),
        (PutOp(("ana",), "x", {1: "n"}), InputError),  # type: ignore[dict-item]
        (PutOp(("ana", "a.b"), "x", {}), InvalidNamespaceError),
        (PutOp(("ana",), "x", {}, ttl=5), NotImplementedError),
        (SearchOp(("ana",), limit=-1), InputError),
        (SearchOp(("ana",), offset=True), InputError),
        ("what", InputError),
    ):  # fmt: skip
        with pytest.raises(error):
            store.batch([good, bad])  # type: ignore[list-item]
    with pytest.raises(NotImplementedError):
        store.put(("ana",), "k", {}, ttl=5)
    assert [] == store.search(("ana",))


def test_what_others_remember_of_a_user_is_no_item(store: MemoryStore, memory: Memory) -> None:
    """Items are what was put; memories of conversations, global ones too, stay out."""
    memory.conversation(user="ana", id="chat").remember("Ana likes tea.", attribute="likes")
    memory.conversation(user="ana", id="store:ana").remember("By hand.", attribute="hand")
    store.put(("ana",), "k", {"text": "tea"})
    assert ["k"] == [item.key for item in store.search(("ana",), query="tea")]


def test_a_store_that_only_appends_is_refused(memory: Memory) -> None:
    """It could neither supersede nor forget."""
    appending = Memory.open(":memory:", policy="append-only", tokenizer=Words())
    with appending, pytest.raises(InputError, match="append-only.*'managed'"):
        MemoryStore(appending)
    with pytest.raises(InputError, match="user_at: -1"):
        MemoryStore(memory, user_at=-1)


@pytest.mark.parametrize(
    "value",
    [
        {"text": "My passport is P1234567 and I like tea", "n": 1},
        {"passport": "P1234567", "city": "Oslo"},
        {"card": 4539578763621486, "city": "Oslo"},
        {"all": ["tea", "P1234567", {"x": "4539 5787 6362 1486"}]},
    ],
)
def test_a_forget_elsewhere_reaches_items_and_they_stay_readable(
    value: dict[str, Any], store: MemoryStore, memory: Memory
) -> None:
    """A value that a user forgets everywhere is in no item; the item is still an item."""
    store.put(("ana", "notes"), "k", value)
    store.put(("ana", "notes"), "other", {"text": "tea"})
    for gone in ("P1234567", "4539578763621486"):
        if gone[:4] in str(value):
            memory.conversation(user="ana", id="store:ana.notes").forget(value=gone)
    items = {item.key: item.value for item in store.search(("ana",), query="tea")}
    assert {"text": "tea"} == items["other"]
    assert isinstance(items["k"], dict)
    assert not any(gone in str(items) for gone in ("P1234567", "453957", "4539 5787"))
    store.put(("ana", "notes"), "k", {"text": "new"})
    assert {"text": "new"} == {i.key: i.value for i in store.search(("ana",))}["k"]


def test_a_delete_takes_nothing_out_of_the_items_beside_it(store: MemoryStore) -> None:
    """The items of a namespace may hold one number, and each is deleted by itself."""
    same = {"card": 4539578763621486, "mail": "ana@example.org", "pin": "My PIN is 4417"}
    for key in ("a", "b"):
        store.put(("ana",), key, same)
    store.put(("ana",), "c", {**same, "more": True})
    store.delete(("ana",), "a")
    assert [{**same, "more": True}, same] == [item.value for item in store.search(("ana",))]


def test_threads_write_one_key_once(tmp_path: Path) -> None:
    """Many threads put and read at once: one current item a key, no error, kept in the file."""
    with Memory.open(tmp_path / "m.db", tokenizer=Words()) as memory:
        store = MemoryStore(memory)

        def work(number: int) -> None:
            for step in range(10):
                store.put(("ana",), f"k{step}", {"by": number})
                store.search(("ana",), query="by", limit=5)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))
        talk = memory.conversation(user="ana", id="store:ana")
        assert 10 == len(talk.current())
    with Memory.open(tmp_path / "m.db", tokenizer=Words()) as memory:
        assert 10 == len(MemoryStore(memory).search(("ana",), limit=100))


def test_the_event_loop_goes_on(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The asynchronous calls give the same results, from a thread of their own."""
    batch, ran = store.batch, list[threading.Thread]()

    def slow(self: MemoryStore, ops: Any) -> Any:
        ran.append(threading.current_thread())
        time.sleep(0.1)
        return batch(ops)

    monkeypatch.setattr(MemoryStore, "batch", slow)

    async def run() -> tuple[int, Any]:
        beats, found = 0, None

        async def calls() -> None:
            nonlocal found
            await store.aput(("ana",), "k", {"n": 1})
            found = await store.aget(("ana",), "k")
            assert [found] == [i for i in await store.asearch(("ana",)) if isinstance(i, Item)]
            assert [("ana",)] == await store.alist_namespaces(prefix=("ana",))
            await store.adelete(("ana",), "k")

        task = asyncio.create_task(calls())
        while not task.done():
            await asyncio.sleep(0.02)
            beats += 1
        await task
        return beats, found

    beats, found = asyncio.run(run())
    assert {"n": 1} == found.value
    assert 12 < beats
    assert threading.main_thread() not in ran
