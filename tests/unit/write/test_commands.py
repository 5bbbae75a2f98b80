"""What remember, correct, forget, apply and consolidate do to the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from palimpsest import write
from palimpsest.errors import InputError, NotFound
from palimpsest.store import Store, open_store
from palimpsest.types import Label, Memory, Message, Scope, Turn

SCOPE = Scope(user="ana", conversation="trip")


@pytest.fixture
def store() -> Iterator[Store]:
    """A managed store in memory."""
    with open_store(":memory:") as made:
        yield made


@pytest.fixture
def baseline() -> Iterator[Store]:
    """An append-only store in memory."""
    with open_store(":memory:", policy="append-only") as made:
        yield made


def say(store: Store, *texts: str) -> None:
    """Append one answered turn per text."""
    for text in texts:
        number = store.turns.last(SCOPE) + 1
        messages = (Message(role="user", content=text), Message(role="assistant", content="Ok."))
        write.append(store, SCOPE, [Turn(number=number, messages=messages)])


def rows(store: Store, attribute: str) -> list[tuple[int, str, int | None]]:
    """The history of an attribute as (id, text, superseded by)."""
    return [(m.id, m.text, m.superseded_by) for m in write.history(store, SCOPE, attribute)]


def test_remember_reads_the_value_and_names_the_source(store: Store) -> None:
    """A statement keeps its turn, its source and the value that it shows."""
    say(store, "We go to Porto.")
    made = write.remember(store, SCOPE, "We go to Porto.", attribute="city", turn=1)
    assert ("Porto", "turn-1", 1, 1, 1) == (made.value, made.source, made.turn, made.id, made.seen)
    other = write.remember(store, SCOPE, "I like it calm.", source="import")
    assert (None, "import", None, 2) == (other.value, other.source, other.turn, other.id)
    assert "api" == write.remember(store, SCOPE, "x").source


def test_an_explicit_value_wins(store: Store) -> None:
    """A value that is given is kept, also where the statement shows another."""
    made = write.remember(store, SCOPE, "WiFi password is hunter2", value="hunter2")
    assert "hunter2" == made.value


@pytest.mark.parametrize(
    "arguments",
    [{"text": ""}, {"text": " \n"}, {"text": "a", "value": ""}, {"text": "a", "attribute": " "},
     {"text": "a\ud800"}, {"text": None}, {"text": 3}, {"text": "a", "source": ""}],
)  # fmt: skip
def test_a_blank_statement_is_refused(store: Store, arguments: dict[str, str]) -> None:
    """Blank texts and half characters are refused by name, and nothing is stored."""
    with pytest.raises(InputError, match=r"^(text|value|attribute|source): "):
        write.remember(store, SCOPE, **arguments)
    assert () == write.current(store, SCOPE)


def test_a_turn_that_does_not_exist_is_not_found(store: Store) -> None:
    """A statement, correction or forget of an unknown turn names the turns, and does nothing."""
    say(store, "a")
    write.remember(store, SCOPE, "A", attribute="x")
    for call in (
        lambda: write.remember(store, SCOPE, "b", turn=2),
        lambda: write.correct(store, SCOPE, "b", attribute="x", turn=2),
        lambda: write.forget(store, SCOPE, attribute="x", turn=2),
        lambda: write.extend(store, SCOPE, 2, [Message(role="assistant", content="b")]),
        lambda: write.apply(store, SCOPE, Label(op="remember", attribute="x"), 2),
    ):
        with pytest.raises(NotFound, match=r"turn 2 does not exist .* go up to 1"):
            call()
    assert [(1, "A", None)] == rows(store, "x")


def test_remember_under_a_known_attribute_adds_a_row(store: Store) -> None:
    """A doubtful case adds: consolidation decides later."""
    write.remember(store, SCOPE, "A", attribute="x")
    write.remember(store, SCOPE, "A", attribute="x")
    assert [(1, "A", None), (2, "A", None)] == rows(store, "x")


def test_correct_supersedes_every_current_row(store: Store) -> None:
    """The old rows stay as history, replaced by the new one."""
    write.remember(store, SCOPE, "A", attribute="x")
    write.remember(store, SCOPE, "B", attribute="x")
    made = write.correct(store, SCOPE, "C", attribute="x")
    assert (made,) == write.current(store, SCOPE, "x")
    assert [(1, "A", 3), (2, "B", 3), (3, "C", None)] == rows(store, "x")


def test_correct_by_id_replaces_that_row_only(store: Store) -> None:
    """A row without attribute can be corrected, and its neighbours stay."""
    write.remember(store, SCOPE, "A")
    write.remember(store, SCOPE, "B")
    made = write.correct(store, SCOPE, "C", id=1)
    assert [2, 3] == [row.id for row in write.current(store, SCOPE)]
    assert [1, 3] == [row.id for row in write.history(store, SCOPE, id=made.id)]


def test_a_to_b_and_back_ends_with_a_new_row(store: Store) -> None:
    """Each correction is history: the first A was replaced by B, and B by the second A."""
    write.remember(store, SCOPE, "A", attribute="x")
    write.correct(store, SCOPE, "B", attribute="x")
    write.correct(store, SCOPE, "A", attribute="x")
    assert [(1, "A", 2), (2, "B", 3), (3, "A", None)] == rows(store, "x")


def test_correcting_to_the_same_text_is_a_repetition(store: Store) -> None:
    """Nothing new was said: the row is seen once more, and older ones give way to it."""
    write.remember(store, SCOPE, "B", attribute="x")
    write.remember(store, SCOPE, "A", attribute="x")
    made = write.correct(store, SCOPE, " A\n", attribute="x")
    assert (2, 2) == (made.id, made.seen)
    assert [(1, "B", 2), (2, "A", None)] == rows(store, "x")


def test_what_is_not_current_is_not_found(store: Store) -> None:
    """The error names the attributes that have something current."""
    write.remember(store, SCOPE, "A", attribute="city")
    write.correct(store, SCOPE, "B", attribute="city")
    for command in (write.forget, lambda s, c, **k: write.correct(s, c, "x", **k)):
        with pytest.raises(NotFound, match=r"'budget'.*with a current memory: 'city'"):
            command(store, SCOPE, attribute="budget")
        with pytest.raises(NotFound, match="there is no memory 9"):
            command(store, SCOPE, id=9)
        with pytest.raises(InputError, match="either an attribute or the id"):
            command(store, SCOPE)
        with pytest.raises(InputError, match="either an attribute or the id"):
            command(store, SCOPE, attribute="city", id=2)
    with pytest.raises(NotFound, match="memory 1 is not current: memory 2 replaced it"):
        write.correct(store, SCOPE, "C", id=1)


def test_forget_deletes_the_whole_chain(store: Store) -> None:
    """Every current row goes with all that it replaced; one record each says how many."""
    write.remember(store, SCOPE, "A1.", attribute="x")
    write.correct(store, SCOPE, "A2.", attribute="x")
    write.remember(store, SCOPE, "A3.", attribute="x")
    write.remember(store, SCOPE, "other", attribute="y")
    left = write.forget(store, SCOPE, attribute="x")
    assert [("x", 2), ("x", 1)] == [(item.attribute, item.rows) for item in left]
    assert [] == rows(store, "x")
    assert left == write.deletions(store, SCOPE)
    assert ["other"] == [row.text for row in write.current(store, SCOPE)]


def test_forget_by_id_of_a_replaced_row_leaves_what_replaced_it(store: Store) -> None:
    """The newer statement stays current; the older one is gone with what it had replaced."""
    for text in ("A.", "B.", "C."):
        if write.current(store, SCOPE, "x"):
            write.correct(store, SCOPE, text, attribute="x")
        else:
            write.remember(store, SCOPE, text, attribute="x")
    (left,) = write.forget(store, SCOPE, id=2)
    assert 2 == left.rows
    assert [(3, "C.", None)] == rows(store, "x")


def test_a_reason_never_quotes_what_is_forgotten(store: Store) -> None:
    """The record keeps the reason that was given, less the forgotten value."""
    write.remember(store, SCOPE, "My number is P1234567.", attribute="passport")
    (left,) = write.forget(store, SCOPE, attribute="passport", reason="P1234567 is private")
    assert "is private" == left.reason
    say(store, "Forget it.")
    write.remember(store, SCOPE, "My number is P7654321.", attribute="passport")
    (left,) = write.forget(store, SCOPE, attribute="passport", turn=1)
    assert "user request at turn-1" == left.reason


def test_a_forget_drops_the_digests_of_the_last_request(store: Store) -> None:
    """A digest would confirm a guess of what was forgotten."""
    store.requests.record(SCOPE, id="q", strategy="s", tokens=1, ledger="{}", prefix="[1]")
    write.remember(store, SCOPE, "A.", attribute="x")
    write.forget(store, SCOPE, attribute="x")
    assert store.requests.previous_prefix(SCOPE) is None


def test_apply_follows_the_label(store: Store) -> None:
    """A correction of nothing is a statement, and a forget of nothing is nothing."""
    say(store, "Porto.", "No, Rome.", "Forget the city.", "Forget it, please.")
    made = write.apply(store, SCOPE, Label(op="correct", attribute="city"), 1)
    assert made is not None
    assert ("Porto.", "turn-1", None) == (made.text, made.source, made.superseded_by)
    write.apply(store, SCOPE, Label(op="correct", attribute="city", value="Rome"), 2)
    assert [(1, "Porto.", 2), (2, "No, Rome.", None)] == rows(store, "city")
    assert "Rome" == write.current(store, SCOPE, "city")[0].value
    assert write.apply(store, SCOPE, Label(op="forget", attribute="city"), 3) is None
    assert write.apply(store, SCOPE, Label(op="forget", attribute="city"), 4) is None
    assert [2] == [item.rows for item in write.deletions(store, SCOPE)]


def test_an_append_only_store_never_changes_a_row(baseline: Store) -> None:
    """Corrections and forgets are refused by name; labels only add rows without attribute."""
    say(baseline, "Porto.", "No, Rome.", "Forget the city.")
    for number, op in ((1, "remember"), (2, "correct"), (3, "forget")):
        write.apply(baseline, SCOPE, Label(op=op, attribute="city"), number)  # type: ignore[arg-type]
    assert [("Porto.", None), ("No, Rome.", None)] == [
        (row.text, row.attribute) for row in write.current(baseline, SCOPE)
    ]
    with pytest.raises(InputError, match=r"correct: .*'append-only', a baseline"):
        write.correct(baseline, SCOPE, "x", id=1)
    with pytest.raises(InputError, match=r"forget: .*'append-only', a baseline"):
        write.forget(baseline, SCOPE, id=1)
    write.remember(baseline, SCOPE, "A", attribute="x")
    write.remember(baseline, SCOPE, "A", attribute="x")
    assert () == write.consolidate(baseline, SCOPE)
    assert 4 == write.storage(baseline, SCOPE).current_facts


def test_consolidation_keeps_the_oldest_of_equal_statements(store: Store) -> None:
    """A repetition is absorbed by the row that said it first."""
    write.remember(store, SCOPE, "A", attribute="x")
    write.remember(store, SCOPE, "A ", attribute="x")
    (done,) = write.consolidate(store, SCOPE)
    assert (1, 2, "same-text") == (done.kept, done.retired, done.rule)
    assert [(1, "A", None), (2, "A ", 1)] == rows(store, "x")
    assert 2 == write.current(store, SCOPE)[0].seen


def test_consolidation_keeps_the_newest_of_different_statements(store: Store) -> None:
    """The last thing said holds, also where an older row said it before."""
    for text in ("A", "B", "A", "A"):
        write.remember(store, SCOPE, text, attribute="x")
    done = write.consolidate(store, SCOPE)
    assert [(2, 1, "newer-statement"), (3, 2, "newer-statement"), (3, 4, "same-text")] == [
        (item.kept, item.retired, item.rule) for item in done
    ]
    assert [(1, "A", 2), (2, "B", 3), (3, "A", None), (4, "A", 3)] == rows(store, "x")
    assert done == write.resolutions(store, SCOPE)
    assert () == write.consolidate(store, SCOPE)


def test_consolidation_leaves_rows_without_attribute(store: Store) -> None:
    """Two equal statements that nobody named may be two facts."""
    write.remember(store, SCOPE, "A")
    write.remember(store, SCOPE, "A")
    assert () == write.consolidate(store, SCOPE)
    assert 2 == write.storage(store, SCOPE).current_facts


def test_a_failed_write_of_another_user_leaks_nothing(store: Store) -> None:
    """A user whose name begins with another's has nothing of theirs, also after a failure."""
    mine = Scope(user="test_user", conversation="c")
    theirs = Scope(user="test_user1", conversation="c")
    write.remember(store, mine, "My seat is 12A.", attribute="seat")
    with pytest.raises(InputError):
        write.remember(store, theirs, "", attribute="seat")
    found: list[tuple[Memory, ...]] = [
        write.current(store, theirs), write.current(store, theirs, "seat"),
        write.history(store, theirs, "seat"), write.history(store, theirs, id=1),
    ]  # fmt: skip
    assert [()] * 4 == found
    with pytest.raises(NotFound, match="with a current memory: none"):
        write.forget(store, theirs, id=1)
    assert ["My seat is 12A."] == [row.text for row in write.current(store, mine)]


@pytest.mark.parametrize("wrong", ["1", True, 1.0, b"1", [1]])
@pytest.mark.parametrize("name", ["id", "turn"])
def test_a_number_of_another_type_is_an_input_error(store: Store, name: str, wrong: Any) -> None:
    """Nothing is guessed from a text, a truth value or a fraction, and nothing is written."""
    write.remember(store, SCOPE, "My PIN is 9431.", attribute="pin")
    before = store.revision(SCOPE)
    commands: list[Callable[[], object]] = [
        lambda: write.correct(store, SCOPE, "My PIN is 1.", **{"attribute": "pin", name: wrong}),
        lambda: write.forget(store, SCOPE, **{"attribute": "pin", name: wrong}),
    ]
    if name == "turn":
        commands.append(lambda: write.remember(store, SCOPE, "Yes.", turn=wrong))
        commands.append(
            lambda: write.apply(store, SCOPE, Label(op="forget", attribute="pin"), wrong)
        )
    else:
        commands.append(lambda: write.history(store, SCOPE, id=wrong))
    for command in commands:
        with pytest.raises(InputError, match=f"{name}: .* is not a whole number"):
            command()
    assert before == store.revision(SCOPE)


@pytest.mark.parametrize("wrong", [5, b"pin", ["pin"], " ", "\u200b\u2060", "\x00"])
def test_a_text_of_another_type_is_an_input_error(store: Store, wrong: Any) -> None:
    """Attributes, values, sources and reasons are texts with words in them."""
    write.remember(store, SCOPE, "My PIN is 9431.", attribute="pin")
    before = store.revision(SCOPE)
    for command in (
        lambda: write.remember(store, SCOPE, "Yes.", attribute=wrong),
        lambda: write.remember(store, SCOPE, "Yes.", value=wrong),
        lambda: write.remember(store, SCOPE, "Yes.", source=wrong),
        lambda: write.correct(store, SCOPE, "My PIN is 1.", attribute=wrong),
        lambda: write.correct(store, SCOPE, "My PIN is 1.", attribute="pin", value=wrong),
        lambda: write.correct(store, SCOPE, "My PIN is 9431.", attribute="pin", source=wrong),
        lambda: write.correct(store, SCOPE, wrong, attribute="pin"),
        lambda: write.forget(store, SCOPE, attribute=wrong),
        lambda: write.forget(store, SCOPE, attribute="pin", reason=wrong),
        lambda: write.current(store, SCOPE, attribute=wrong),
        lambda: write.history(store, SCOPE, attribute=wrong),
    ):
        with pytest.raises(InputError, match="is not a text|is blank"):
            command()
    assert before == store.revision(SCOPE)


def test_two_spellings_of_one_attribute_are_one(store: Store) -> None:
    """Composed or decomposed, an attribute that looks the same is the same."""
    composed, decomposed = "Cl\u00e9", "Cle\u0301"
    write.remember(store, SCOPE, "The key is A.", attribute=decomposed)
    assert [composed] == [row.attribute for row in write.current(store, SCOPE)]
    assert 1 == len(write.current(store, SCOPE, attribute=decomposed))
    write.correct(store, SCOPE, "The key is B.", attribute=decomposed)
    assert 2 == len(write.history(store, SCOPE, attribute=composed))
    say(store, "Forget it.")
    write.apply(store, SCOPE, Label(op="forget", attribute=decomposed), 1)
    assert () == write.current(store, SCOPE)
    assert [composed] == [left.attribute for left in write.deletions(store, SCOPE)]
