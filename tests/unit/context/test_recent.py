"""recent: the newest complete turns that fit, and an account of the others."""

from typing import Any

import pytest

from palimpsest import messages
from palimpsest.config import Config
from palimpsest.context.recent import Recent
from palimpsest.errors import InputError, RequiredContextTooLarge
from palimpsest.ledger import Request
from palimpsest.types import Turn
from tests.support.counters import Letters, tool
from tests.support.views import ListView, ask, talk

# "Be brief." 9+3, question "q" 1+3, frame 3: the required part is 19 letters.
REQUIRED = 19
# A turn ("aaaa", "bbbb") costs 4+3 + 4+3.
TURN = 14


def build(view: ListView, budget: int, counter: Letters | None = None, **kw: object) -> Request:
    return Recent().build(view, ask("q", budget, **kw), counter or Letters(), Config())


def fates(request: Request) -> list[tuple[int, int, str]]:
    return [(e.first, e.last, e.reason) for e in request.ledger.turns]


def turns(number: int) -> list[Turn]:
    return talk(*[("aaaa", "bbbb")] * number)


@pytest.mark.parametrize("mode", [Letters(), Letters(additive=False)])
def test_slack_of_zero_keeps_a_turn_and_slack_below_drops_it(mode: Letters) -> None:
    """A budget equal to the parts keeps them all; one token less keeps one turn less."""
    view = ListView(turns(2))

    assert 2 * TURN + REQUIRED == build(view, REQUIRED + 2 * TURN, mode).tokens
    assert [(1, 1, "no-room"), (2, 2, "kept")] == fates(build(view, REQUIRED + 2 * TURN - 1, mode))


@pytest.mark.parametrize("mode", [Letters(), Letters(additive=False)])
def test_it_stops_at_the_first_turn_that_does_not_fit(mode: Letters) -> None:
    """A long turn ends the walk: an older short one behind it is not taken instead."""
    view = ListView(talk(("a", "b"), ("x" * 500, "y"), ("c", "d")))

    request = build(view, 100, mode)

    assert [(1, 1, "behind-no-room"), (2, 2, "no-room"), (3, 3, "kept")] == fates(request)


@pytest.mark.parametrize("number", [0, 1, 2, 3, 7, 40, 200])
@pytest.mark.parametrize("room", [0, 1, 3, 10, 199, 300])
def test_bisection_finds_the_same_cut_as_adding_up(number: int, room: int) -> None:
    """Whole renders and sums keep the same turns."""
    view = ListView(turns(number))
    budget = REQUIRED + room * TURN + 5

    whole = build(view, budget, Letters(additive=False))

    assert build(view, budget, Letters()).sent == whole.sent
    assert min(room, number) == sum(e.last - e.first + 1 for e in whole.ledger.turns if e.kept)


def test_nothing_older_than_the_first_turn_that_does_not_fit_is_read() -> None:
    """The cost of a build is what fits, not the history."""
    view = ListView(turns(5000))
    counter = Letters()

    build(view, REQUIRED + 3 * TURN, counter)

    assert [5000, 4999, 4998, 4997] == view.read
    assert {"aaaa", "bbbb", "Be brief.", "q"} == set(counter.texts)


def test_a_sum_that_a_whole_render_contradicts_is_built_again_by_whole_renders() -> None:
    """A template that only looked additive still gives an exact count within the budget."""
    view = ListView(turns(10))
    liar = Letters(proven=False, whole_extra=1)

    request = build(view, REQUIRED + 4 * TURN, liar)

    assert liar.whole(request.sent, ()) == request.tokens
    assert request.tokens <= REQUIRED + 4 * TURN


def test_the_required_part_alone_too_large_is_refused_with_its_sizes() -> None:
    """Nothing is dropped to make the question fit; the error says what takes the room."""
    with pytest.raises(RequiredContextTooLarge) as caught:
        build(ListView(turns(3)), 30, tools=(tool("look"),))

    error = caught.value
    expected = {"question": 4, "open_turns": 0, "instructions": 12, "tools": 16, "frame": 3}
    assert expected == error.parts
    assert (35, 30) == (error.required, error.limit)
    assert "tools 16" in str(error)


def test_parts_add_up_to_the_tokens_of_the_request() -> None:
    """Every token of a request belongs to one part."""
    for counter in (Letters(), Letters(additive=False)):
        request = build(ListView(turns(3)), 200, counter, tools=(tool("look"),))

        assert request.tokens == sum(request.ledger.parts.values())
        assert 3 * TURN == request.ledger.parts["turns"]
        assert 16 == request.ledger.parts["tools"]


def test_without_instructions_the_oldest_kept_message_opens_the_request() -> None:
    """No system message is invented, and the count is still exact."""
    counter = Letters()
    request = build(ListView(turns(3)), 60, counter, instructions=None)

    assert "user" == request.sent[0].role
    assert counter.request(request.sent, ()) == request.tokens


def _calling(number: int, *items: dict[str, object]) -> Turn:
    return Turn(number=number, messages=messages.messages(list(items)))


CALL: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c9", "type": "function", "function": {"name": "f", "arguments": ""}}],
}


def result(content: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": "c9", "content": content}


def test_a_turn_with_its_calls_is_one_unit() -> None:
    """A cut never falls between a call and its result."""
    turn = _calling(1, {"role": "user", "content": "go"}, CALL, result("r" * 40),
                    {"role": "assistant", "content": "done"})  # fmt: skip
    view = ListView([turn, *(Turn(number=2, messages=t.messages) for t in turns(1))])

    roles = [[m.role for m in build(view, size).sent] for size in range(REQUIRED, 250)]

    whole = ["system", "user", "assistant", "tool", "assistant", "user", "assistant", "user"]
    assert whole in roles
    assert all(("tool" in found) == (found == whole) for found in roles)


def test_a_call_without_its_final_result_is_never_dropped() -> None:
    """An open call stays, however many turns went by, or the request is refused."""
    waiting = _calling(1, {"role": "user", "content": "go"}, CALL, result("pending"))
    later = [Turn(number=t.number + 1, messages=t.messages) for t in turns(30)]
    view = ListView([waiting, *later])

    request = build(view, 140)

    assert (1, 1, "open") == fates(request)[0]
    assert (2, "behind-no-room") == (fates(request)[1][0], fates(request)[1][2])
    with pytest.raises(RequiredContextTooLarge) as caught:
        build(view, 60)
    assert caught.value.parts["open_turns"] > 0


def test_a_late_result_replaces_the_interim_one_and_its_turn_comes_last() -> None:
    """The pair is sent together, once, where the model can go on from it."""
    waiting = _calling(1, {"role": "user", "content": "go"}, CALL, result("pending"),
                       {"role": "assistant", "content": "I wait."}, result("approved"))  # fmt: skip
    later = [Turn(number=t.number + 1, messages=t.messages) for t in turns(30)]

    request = Recent().build(ListView([waiting, *later]), ask(None, 160), Letters(), Config())

    assert ["user", "assistant", "tool"] == [m.role for m in request.sent[-3:]]
    assert "approved" == request.sent[-1].content
    assert ["c9"] == [m.tool_call_id for m in request.sent if m.role == "tool"]
    assert "I wait." not in [m.content for m in request.sent]


def test_a_call_id_that_is_used_again_is_another_call() -> None:
    """Servers that number the calls of each message anew lose no result."""
    again = _calling(
        1, {"role": "user", "content": "go"}, CALL, result("Rome 31"), CALL, result("Oslo 4"),
        {"role": "assistant", "content": "done"},
    )  # fmt: skip

    request = build(ListView([again]), 2000)

    assert list(again.messages) == list(request.sent[1:-1])


def test_a_late_result_in_a_users_part_is_settled_like_any_other() -> None:
    """The other usual shape of calls and results gets the same treatment."""

    def answer(text: str) -> dict[str, object]:
        part = {"type": "tool_result", "tool_use_id": "t", "content": text}
        return {"role": "user", "content": [part]}

    use = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
    }
    turn = _calling(1, {"role": "user", "content": "go"}, use, answer("pending"),
                    {"role": "assistant", "content": "I wait."}, answer("approved"))  # fmt: skip

    request = Recent().build(ListView([turn]), ask(None, 900), Letters(), Config())

    assert [turn.messages[0], turn.messages[1], turn.messages[4]] == list(request.sent[1:])


def test_a_turn_is_continued_only_when_all_its_calls_are_answered() -> None:
    """Half a pair of results is no request: the error says what is missing."""
    two = {**CALL, "tool_calls": [*CALL["tool_calls"], {"id": "c8", "type": "function",
                                                       "function": {"name": "f"}}]}  # fmt: skip
    turn = _calling(1, {"role": "user", "content": "go"}, two, result("one"))

    with pytest.raises(InputError, match="append the tool result first"):
        Recent().build(ListView([turn]), ask(None, 900), Letters(), Config())


def test_no_question_and_nothing_to_continue_is_an_error() -> None:
    """A question of None needs a turn that waits for the model."""
    with pytest.raises(InputError, match="no turn does"):
        Recent().build(ListView(turns(2)), ask(None, 200), Letters(), Config())


def test_a_template_without_system_role_gets_the_system_text_once_in_the_first_user_turn() -> None:
    """Neighbours of one role are joined where the template refuses them; no word is lost."""
    two = Turn(number=1, messages=messages.messages([
        {"role": "user", "content": "First part."}, {"role": "user", "content": "Second part."},
        {"role": "assistant", "content": "Ok."}, {"role": "assistant", "content": "And more."},
    ]))  # fmt: skip
    strict = Letters(additive=False, alternates=True, system_role=False)

    request = build(ListView([two]), 300, strict)

    assert ["user", "assistant", "user"] == [m.role for m in request.sent]
    assert "Be brief.\n\nFirst part.\n\nSecond part." == request.sent[0].content
    assert "Ok.\n\nAnd more." == request.sent[1].content
    assert strict.whole(request.sent, ()) == request.tokens


def test_a_turn_that_opens_with_the_assistant_is_left_out_where_the_template_refuses_it() -> None:
    """It is accounted for with the reason ``template``, never sent in a broken order."""
    greeting = Turn(number=1, messages=messages.messages([{"role": "assistant", "content": "Hi"}]))
    strict = Letters(additive=False, alternates=True)

    request = build(ListView([greeting, *(Turn(number=2, messages=turns(1)[0].messages),)]), 300,
                    strict)  # fmt: skip

    assert [(1, 1, "template"), (2, 2, "kept")] == fates(request)
    assert [(1, 1, "kept"), (2, 2, "kept")] == fates(
        build(ListView([greeting, Turn(number=2, messages=turns(1)[0].messages)]), 300)
    )
