"""What a correction or a forget takes out of the transcript, and what it leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from palimpsest import write
from palimpsest.language.redact_text import redacted
from palimpsest.messages import message
from palimpsest.store import Store, open_store
from palimpsest.types import Message, Redaction, Scope, Turn
from palimpsest.write.redaction import merged, shifted

SCOPE = Scope(user="ana", conversation="trip")


@pytest.fixture
def store() -> Iterator[Store]:
    """A managed store in memory."""
    with open_store(":memory:") as made:
        yield made


def say(store: Store, user: object, assistant: object = "Ok.", *more: dict[str, Any]) -> int:
    """Append one turn; its number."""
    number = store.turns.last(SCOPE) + 1
    made = [message({"role": "user", "content": user}), *map(message, more)]
    if assistant is not None:
        made.append(message({"role": "assistant", "content": assistant}))
    write.append(store, SCOPE, [Turn(number=number, messages=tuple(made))])
    return number


def shown(store: Store, number: int) -> list[str]:
    """The texts of a turn as a managed request shows them, ``#`` for each redacted span."""
    turn = store.turns.get(SCOPE, number)
    assert turn is not None
    turn = redacted(turn, store.redactions.of(SCOPE, number), "#")
    return [text for item in turn.messages for text in item.texts()]


def stored(store: Store, number: int) -> list[str]:
    """The texts of a turn as they are stored."""
    turn = store.turns.get(SCOPE, number)
    assert turn is not None
    return [text for item in turn.messages for text in item.texts()]


def fact(store: Store, text: str, attribute: str, turn: int, value: str | None = None) -> None:
    """Remember a statement."""
    write.remember(store, SCOPE, text, attribute=attribute, turn=turn, value=value)


def test_a_corrected_turn_shows_the_marker_and_keeps_its_text(store: Store) -> None:
    """The transcript is history: a correction marks the statement and deletes nothing."""
    fact(store, "I am vegetarian.", "diet", say(store, "I am vegetarian."))
    write.correct(store, SCOPE, "I eat fish.", attribute="diet", turn=say(store, "I eat fish."))
    assert ["#", "Ok."] == shown(store, 1)
    assert ["I am vegetarian.", "Ok."] == stored(store, 1)
    assert ["I eat fish.", "Ok."] == shown(store, 2)


def test_a_forgotten_turn_loses_its_text(store: Store) -> None:
    """What was forgotten is not stored; only the place of it is marked."""
    fact(store, "My PIN is 9431.", "pin", say(store, "My PIN is 9431."))
    write.forget(store, SCOPE, attribute="pin", turn=say(store, "Forget my PIN."))
    assert ["", "Ok."] == stored(store, 1)
    assert ["#", "Ok."] == shown(store, 1)
    assert [(0, 0, "forgotten")] == [
        (span.start, span.end, span.reason) for span in store.redactions.of(SCOPE, 1)
    ]


def test_only_the_statement_goes_where_the_turn_said_more(store: Store) -> None:
    """A memory that quotes part of a turn takes that part and leaves the rest."""
    number = say(store, "Hello. I am vegetarian. What is new?")
    fact(store, "I am vegetarian.", "diet", number)
    write.correct(store, SCOPE, "I eat fish.", attribute="diet", turn=say(store, "I eat fish."))
    assert "Hello. # What is new?" == shown(store, number)[0]


def test_a_paraphrased_statement_takes_every_user_text_of_its_turn(store: Store) -> None:
    """Where the words cannot be found, all that the user said in the turn goes."""
    parts = [{"type": "text", "text": "I eat"}, {"type": "text", "text": "no meat", "n": 1}]
    number = say(store, parts)
    fact(store, "User is vegetarian.", "diet", number)
    write.correct(store, SCOPE, "User eats fish.", attribute="diet", turn=number)
    assert ["#", "#", "Ok."] == shown(store, number)


def test_the_value_goes_wherever_it_stands_before_the_correction(store: Store) -> None:
    """In the reply, in later turns, in earlier quotes, in tool results: in texts of any role."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '"Porto"'}}
    say(store, "Is Porto nice?", "Porto is nice.")
    fact(store, "We go to Porto.", "city", say(store, "We go to Porto.", "Porto, noted."))
    say(
        store, "Weather?", "Sunny in Porto.",
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "Porto: 20 degrees"},
    )  # fmt: skip
    last = say(store, "Not Porto but Rome.", "Rome instead of Porto.")
    write.correct(store, SCOPE, "We go to Rome.", attribute="city", turn=last)
    assert ["Is # nice?", "# is nice."] == shown(store, 1)
    assert ["#", "#, noted."] == shown(store, 2)
    assert ["Weather?", "#: 20 degrees", "Sunny in #."] == shown(store, 3)
    assert ["Not # but Rome.", "Rome instead of #."] == shown(store, 4)
    turn = store.turns.get(SCOPE, 3)
    assert turn is not None
    assert turn.messages[1].tool_calls[0].json.count("Porto")


def test_the_statement_goes_where_it_is_quoted(store: Store) -> None:
    """A statement without a value is still found word for word, full stop or not."""
    fact(store, "I am vegetarian.", "diet", say(store, "I am vegetarian."))
    say(store, "So?", 'It said "I am vegetarian", and vegetarian food it is.')
    write.correct(store, SCOPE, "I eat fish.", attribute="diet", turn=say(store, "I eat fish."))
    assert 'It said "#", and vegetarian food it is.' == shown(store, 2)[1]


def test_a_current_statement_is_never_touched(store: Store) -> None:
    """The correction may name what it corrects, and so may a fact about something else."""
    fact(store, "The store is MySQL.", "store", say(store, "The store is MySQL."))
    fact(store, "MySQL runs at Acme.", "host", say(store, "MySQL runs at Acme.", "MySQL, ok."))
    last = say(store, "Switch from MySQL to PostgreSQL.", "Done: no MySQL.")
    write.correct(store, SCOPE, "Switch from MySQL to PostgreSQL.", attribute="store", turn=last)
    assert [["#", "Ok."], ["MySQL runs at Acme.", "#, ok."]] == [shown(store, n) for n in (1, 2)]
    assert ["Switch from MySQL to PostgreSQL.", "Done: no #."] == shown(store, 3)
    write.forget(store, SCOPE, attribute="store", turn=say(store, "Forget the store."))
    assert ["MySQL runs at Acme.", ", ok."] == stored(store, 2)
    assert ["", "Done: no ."] == stored(store, 3)


def test_values_match_at_word_boundaries_and_escaped(store: Store) -> None:
    """TKT-100 is not in TKT-1000, and an escaped value is the value."""
    fact(store, "It is TKT-100.", "ticket", say(store, "It is TKT-100.", "TKT-1000? (TKT-100)"))
    fact(store, "Team is R&D <x>.", "team", say(store, "Team is R&D <x>."), value="R&D <x>")
    say(store, "?", "R&amp;D &lt;x&gt; / R&D <x> / TKT-10\u200b0.")
    last = say(store, "Both changed.")
    write.correct(store, SCOPE, "It is TKT-7.", attribute="ticket", turn=last)
    write.correct(store, SCOPE, "Team is QA.", attribute="team", turn=last)
    assert "TKT-1000? (#)" == shown(store, 1)[1]
    assert "# / # / #." == shown(store, 3)[1]


def test_after_a_correction_only_the_users_own_words_stay(store: Store) -> None:
    """An assistant that repeats the replaced value is redacted; a user who says it is not."""
    fact(store, "We go to Porto.", "city", say(store, "We go to Porto."))
    write.correct(store, SCOPE, "We go to Rome.", attribute="city", turn=say(store, "To Rome."))
    result = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "Porto: sunny"},
            {"type": "text", "text": "Porto was nicer."},
        ],
    }
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f"}]}
    say(store, "I liked Porto.", "Porto is lovely.", call, result)
    assert ["I liked Porto.", "#: sunny", "Porto was nicer.", "# is lovely."] == shown(store, 3)


def test_turns_between_the_correction_and_now_count_as_later(store: Store) -> None:
    """A correction that comes in late reaches back from the turn that said so."""
    fact(store, "We go to Porto.", "city", say(store, "We go to Porto."))
    said = say(store, "To Rome.")
    say(store, "I liked Porto.", "Porto it was.")
    write.correct(store, SCOPE, "We go to Rome.", attribute="city", turn=said)
    assert ["I liked Porto.", "# it was."] == shown(store, 3)
    write.remember(store, SCOPE, "My PIN is 9431.", attribute="pin", turn=3)
    write.forget(store, SCOPE, attribute="pin", turn=said)


def test_back_to_the_first_value_shows_it_again(store: Store) -> None:
    """A, then B, then A again: from then on A may be said, and B may not."""
    fact(store, "We go to Porto.", "city", say(store, "We go to Porto."))
    write.correct(store, SCOPE, "We go to Rome.", attribute="city", turn=say(store, "To Rome."))
    back = say(store, "We go to Porto.", "Not Rome.")
    write.correct(store, SCOPE, "We go to Porto.", attribute="city", turn=back)
    say(store, "Ok?", "Porto and Rome.")
    assert ["#", "#"] == [shown(store, 1)[0], shown(store, 2)[0]]
    assert ["We go to Porto.", "Not #."] == shown(store, 3)
    assert "Porto and #." == shown(store, 4)[1]


def test_forgetting_one_of_two_equal_values_leaves_the_current_one(store: Store) -> None:
    """The old row of A -> B -> A can be forgotten; the current A stays where it stands."""
    fact(store, "We go to Porto.", "city", say(store, "We go to Porto.", "Porto!"))
    write.correct(store, SCOPE, "Rome, please.", attribute="city", turn=say(store, "Rome, please."))
    write.correct(store, SCOPE, "Porto again.", attribute="city", turn=say(store, "Porto again."),
                  value="Porto")  # fmt: skip
    write.forget(store, SCOPE, id=1)
    assert "Porto again." == stored(store, 3)[0]
    assert ["Porto again."] == [row.text for row in write.current(store, SCOPE)]


def test_a_forget_request_that_quotes_the_value_loses_it(store: Store) -> None:
    """The request to forget is searched like every turn before it."""
    fact(store, "My PIN is 9431.", "pin", say(store, "My PIN is 9431.", "9431, noted."))
    last = say(store, "Forget my PIN 9431!", "I forgot 9431.")
    write.forget(store, SCOPE, attribute="pin", turn=last)
    assert [["", ", noted."], ["Forget my PIN !", "I forgot ."]] == [
        stored(store, 1), stored(store, 2),
    ]  # fmt: skip
    assert ["Forget my PIN #!", "I forgot #."] == shown(store, 2)


def test_a_fact_restated_after_its_forget_stays(store: Store) -> None:
    """The user saying it again brings it back, and only what is said again."""
    fact(store, "My PIN is 9431.", "pin", say(store, "My PIN is 9431."))
    write.forget(store, SCOPE, attribute="pin", turn=say(store, "Forget my PIN."))
    fact(store, "My PIN is 9431.", "pin", say(store, "My PIN is 9431.", "9431."))
    assert [["", "Ok."], ["My PIN is 9431.", "9431."]] == [stored(store, 1), stored(store, 3)]


@pytest.mark.parametrize(
    ("statement", "echo", "left"),
    [
        ("My PIN for the Santander card is 4417.", "4417, noted.", ", noted."),
        ("P1234567, and it expires in May 2031.", "P1234567 then", " then"),
        ("I am Anna, my number is 555-123-456.", "555-123-456 or 555123456?", " or ?"),
        ("My seat on the Porto flight is 14C.", "Seat 14C it is.", "Seat  it is."),
        ("Ana said the Wi-Fi password is swordfish.", '"swordfish"', '""'),
        ("My login is ana.silva and my PIN is 441.", "ana.silva, 441", ", "),
    ],
)
def test_an_identifier_beside_other_carriers_is_forgotten_by_itself(
    store: Store, statement: str, echo: str, left: str
) -> None:
    """An echo of the secret alone gives it away, whatever else the statement holds."""
    fact(store, statement, "it", say(store, statement, echo))
    write.forget(store, SCOPE, attribute="it")
    assert ["", left] == stored(store, 1)


def test_an_identifier_that_a_current_statement_holds_stays(store: Store) -> None:
    """What is replaced is the day and not the ticket, until the ticket is replaced too."""
    fact(store, "TKT-100 is due Monday.", "due", say(store, "TKT-100 is due Monday.", "TKT-100!"))
    last = say(store, "TKT-100 is due Tuesday.", "TKT-100 moved.")
    write.correct(store, SCOPE, "TKT-100 is due Tuesday.", attribute="due", turn=last)
    assert ["#", "TKT-100!"] == shown(store, 1)
    assert "TKT-100 moved." == shown(store, 2)[1]
    last = say(store, "TKT-200 is due Tuesday.", "Not TKT-100.")
    write.correct(store, SCOPE, "TKT-200 is due Tuesday.", attribute="due", turn=last)
    assert ["#!", "# moved.", "Not #."] == [shown(store, number)[1] for number in (1, 2, 3)]


def test_a_value_given_by_name_is_searched_beside_the_identifiers(store: Store) -> None:
    """The label says what the fact is; the card number of a forgotten statement goes too."""
    text = "The PIN of card 5555-4444 is blue."
    fact(store, text, "pin", say(store, text, "Card 5555-4444: blue."), value="blue")
    write.forget(store, SCOPE, attribute="pin")
    assert "Card : ." == stored(store, 1)[1]


def test_a_short_statement_is_no_beginning_of_longer_words(store: Store) -> None:
    """A memory that is not what the turn said word for word takes all that the user said."""
    number = say(store, "The code is 4417. I am allergic.")
    fact(store, "I am all", "odd", number)
    fact(store, "The code is 44", "code", number)
    write.forget(store, SCOPE, attribute="odd")
    assert "" == stored(store, number)[0]
    number = say(store, "The code island is far.", "The code is land.")
    fact(store, "The code is ", "short", say(store, "The code is "))
    write.correct(store, SCOPE, "There is none.", attribute="short")
    assert ["The code island is far.", "# land."] == shown(store, number)


def test_a_forget_moves_the_spans_of_a_correction(store: Store) -> None:
    """Text taken out before a marked span shifts the span; it still covers the same words."""
    number = say(store, "PIN 9431. I am vegetarian. PIN 9431.")
    fact(store, "I am vegetarian.", "diet", number)
    fact(store, "PIN 9431.", "pin", number)
    write.correct(store, SCOPE, "I eat fish.", attribute="diet", turn=number)
    assert "PIN 9431. # PIN 9431." == shown(store, number)[0]
    write.forget(store, SCOPE, attribute="pin", turn=number)
    assert " I am vegetarian. " == stored(store, number)[0]
    assert "# # #" == shown(store, number)[0]


def test_a_forget_reaches_the_replaced_statements_of_other_facts(store: Store) -> None:
    """A replaced memory that names the forgotten value loses it; a current one keeps it."""
    first = say(store, "Ana pays from account 77120.")
    fact(store, "Ana pays from account 77120.", "payer", first)
    fact(store, "The account is 77120.", "account", first)
    write.correct(store, SCOPE, "Bob pays.", attribute="payer", turn=say(store, "Bob pays."))
    write.forget(store, SCOPE, attribute="account", turn=say(store, "Forget the account."))
    assert ["Ana pays from account .", "Bob pays."] == [
        row.text for row in write.history(store, SCOPE, "payer")
    ]


def test_consolidation_redacts_like_a_correction(store: Store) -> None:
    """The newer statement replaces the older one in the transcript too; repetitions do not."""
    fact(store, "We go to Porto.", "city", say(store, "We go to Porto.", "Porto!"))
    fact(store, "We go to Rome.", "city", say(store, "We go to Rome.", "Not Porto."))
    fact(store, "We go to Rome.", "city", say(store, "We go to Rome.", "Rome!"))
    write.consolidate(store, SCOPE)
    assert [["#", "#!"], ["We go to Rome.", "Not #."], ["We go to Rome.", "Rome!"]] == [
        shown(store, number) for number in (1, 2, 3)
    ]


def test_a_late_tool_result_is_checked(store: Store) -> None:
    """What joins a turn later is searched for replaced values; what was forgotten stays gone."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    number = say(store, "We go to Porto. PIN 9431.", None, asked)
    fact(store, "We go to Porto.", "city", number)
    fact(store, "PIN 9431.", "pin", number)
    write.correct(store, SCOPE, "We go to Rome.", attribute="city", turn=number)
    write.forget(store, SCOPE, attribute="pin", turn=number)
    late = Message(role="tool", tool_call_id="c1", content="Porto: sunny")
    turn = write.extend(store, SCOPE, number, [late])
    assert turn == store.turns.get(SCOPE, number)
    assert ["# #", "#: sunny"] == shown(store, number)
    assert ["We go to Porto. ", "Porto: sunny"] == stored(store, number)


def calling(arguments: object) -> dict[str, Any]:
    """A message that calls a tool."""
    function = {"name": "note", "arguments": arguments}
    return {"role": "assistant", "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}]}  # fmt: skip


RESULT = {"role": "tool", "tool_call_id": "c1", "content": "done"}


def test_a_call_that_passes_a_value_on_loses_it(store: Store) -> None:
    """Whatever the shape of the arguments, a forget reaches them in the store itself."""
    value = "K-4471"
    for given, expected in (
        ('{"code":"K-4471","for":"ana"}', '{"code":"","for":"ana"}'),
        ({"code": "the K-4471 please", "n": 1}, {"code": "the  please", "n": 1}),
        ('{"K-4471": ["K\\u002d4471", 7]}', '{"":["",7]}'),
        ("note K-4471 down", "note  down"),
    ):
        said = say(store, f"The code is {value}.", "Ok.", calling(given), RESULT)
        fact(store, f"The code is {value}.", "code", said, value)
        write.forget(store, SCOPE, attribute="code", turn=say(store, "Forget the code."))
        turn = store.turns.get(SCOPE, said)
        assert turn is not None
        call = turn.messages[1].as_dict()["tool_calls"][0]
        assert ("c1", {"name": "note", "arguments": expected}) == (call["id"], call["function"])


def test_a_number_and_a_tool_use_part_lose_the_value_too(store: Store) -> None:
    """The other shape of a call is searched as well, and a number is a text there."""
    part = {"type": "tool_use", "id": "c1", "name": "note", "input": {"pin": 447190, "x": [447190]}}
    answer = {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": "done"}]}  # fmt: skip
    said = say(store, "My pin is 447190.", "Ok.", {"role": "assistant", "content": [part]}, answer)
    fact(store, "My pin is 447190.", "pin", said, "447190")
    write.forget(store, SCOPE, attribute="pin", turn=say(store, "Forget the pin."))
    turn = store.turns.get(SCOPE, said)
    assert turn is not None
    assert [{**part, "input": {"pin": "", "x": [""]}}] == turn.messages[1].as_dict()["content"]


def test_a_servers_own_key_loses_the_value_too(store: Store) -> None:
    """Reasoning that came beside an answer is sent back with it, so it is searched."""
    answer = {"role": "assistant", "content": "Noted.", "reasoning_content": "PIN 447190, then."}
    said = say(store, "My pin is 447190.", None, answer)
    fact(store, "My pin is 447190.", "pin", said, "447190")
    write.forget(store, SCOPE, attribute="pin", turn=say(store, "Forget the pin."))
    turn = store.turns.get(SCOPE, said)
    assert turn is not None
    assert "PIN , then." == turn.messages[1].as_dict()["reasoning_content"]


def test_a_programs_key_on_a_users_message_is_not_the_users_words(store: Store) -> None:
    """A paraphrased statement takes every user text of its turn, and no metadata."""
    said = {
        "role": "user",
        "content": "So, the quay then.",
        "metadata": {"id": "m-1", "to": "Porto"},
    }
    number = store.turns.last(SCOPE) + 1
    write.append(store, SCOPE, [Turn(number=number, messages=(message(said),))])
    fact(store, "We go to Porto.", "city", number)
    write.forget(store, SCOPE, attribute="city")
    turn = store.turns.get(SCOPE, number)
    assert turn is not None
    assert {"role": "user", "content": "", "metadata": {"id": "m-1", "to": ""}} == (
        turn.messages[0].as_dict()
    )


def test_a_call_with_a_replaced_value_shows_the_marker(store: Store) -> None:
    """A correction marks the argument, before it and in what others say after it."""
    before = say(store, "We go to Porto.", "Ok.", calling('{"to":"Porto"}'), RESULT)
    fact(store, "We go to Porto.", "city", before)
    write.correct(
        store, SCOPE, "We go to Faro.", attribute="city", turn=say(store, "We go to Faro.")
    )
    after = say(store, "And the weather?", "Ok.", calling('{"to":"Porto"}'), RESULT)
    for number in (before, after):
        turn = store.turns.get(SCOPE, number)
        assert turn is not None
        sent = redacted(turn, store.redactions.of(SCOPE, number), "#").messages[1].as_dict()
        assert '{"to":"#"}' == sent["tool_calls"][0]["function"]["arguments"]
        assert "Porto" in turn.messages[1].tool_calls[0].json


def test_an_append_only_store_marks_nothing() -> None:
    """The baseline replays the untouched transcript."""
    with open_store(":memory:", policy="append-only") as store:
        fact(store, "We go to Porto.", "city", say(store, "We go to Porto."))
        fact(store, "We go to Rome.", "city", say(store, "We go to Rome.", "Not Porto."))
        write.consolidate(store, SCOPE)
        assert [(), ()] == [store.redactions.of(SCOPE, number) for number in (1, 2)]


def test_a_rolled_back_correction_is_not_watched_for(store: Store) -> None:
    """What new turns are checked against is what the store holds, never what it nearly held."""
    watch = write.Watch()
    fact(store, "We go to Porto.", "city", say(store, "We go to Porto."))

    def append(text: str) -> None:
        messages = (Message(role="user", content="?"), Message(role="assistant", content=text))
        number = store.turns.last(SCOPE) + 1
        write.append(store, SCOPE, [Turn(number=number, messages=messages)], watch=watch)

    def fail() -> None:
        with store.transaction():
            write.correct(store, SCOPE, "We go to Rome.", attribute="city")
            append("Porto was the plan.")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    append("Porto and Rome.")
    assert "Porto and Rome." == shown(store, 2)[1]
    write.correct(store, SCOPE, "We go to Oslo.", attribute="city")
    append("Porto and Rome.")
    assert "# and Rome." == shown(store, 3)[1]
    write.correct(store, SCOPE, "We go to Rome.", attribute="city")
    append("Porto, Oslo and Rome.")
    assert "#, # and Rome." == shown(store, 4)[1]


def span(start: int, end: int, reason: Any = "corrected", text: int = 0) -> Redaction:
    """A span of turn 1."""
    return Redaction(turn=1, message=0, text=text, start=start, end=end, reason=reason)


def test_spans_that_touch_become_one() -> None:
    """Two markers never stand side by side."""
    assert (span(0, 9),) == merged([span(0, 4), span(6, 9)], [span(4, 7)])
    assert (span(0, 4), span(5, 9)) == merged([span(5, 9)], [span(0, 4)])
    assert (span(0, 4), span(0, 4, text=1)) == merged([span(0, 4)], [span(0, 4, text=1)])
    assert (span(3, 3, "forgotten"),) == merged([span(3, 3)], [span(3, 3, "forgotten")])


def test_spans_shift_by_what_was_taken_out_before_them() -> None:
    """A span inside the erased text becomes its place; one around it shrinks."""
    gone = [span(2, 5, "forgotten"), span(10, 12, "forgotten")]
    assert (span(0, 1), span(2, 2, "forgotten"), span(3, 9), span(12, 14)) == shifted(
        [span(0, 1), span(3, 4), span(6, 14), span(17, 19)], gone
    )
