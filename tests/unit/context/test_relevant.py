"""relevant and hybrid: turns that share words with the question, skipping what does not fit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest import messages, registry
from palimpsest.config import Config
from palimpsest.context.relevant import Hybrid, Relevant
from palimpsest.errors import RequiredContextTooLarge, SpecError
from palimpsest.language.words import plain_words
from palimpsest.ledger import Request
from palimpsest.protocols import Strategy
from palimpsest.types import Message, Tool, Turn
from tests.support.counters import Letters, tool
from tests.support.views import ListView, ask, talk

MODES = [Letters(), Letters(additive=False), Letters(proven=False, whole_extra=1)]
modes = pytest.mark.parametrize("counter", MODES, ids=["additive", "whole", "probed"])
# "Be brief." 9+3, the frame 3, and the question with its 3.
FRAME = 18


def build(
    strategy: Strategy, turns: Sequence[Turn], question: str | None, room: int,
    counter: Letters | None = None, **kw: object,
) -> Request:  # fmt: skip
    budget = FRAME + len(question or "") + room
    view = ListView(turns)
    return strategy.build(view, ask(question, budget, **kw), counter or Letters(), Config())


def kept(request: Request) -> list[int]:
    return [e.first for e in request.ledger.turns if e.kept]


def fates(request: Request) -> list[tuple[int, int, str]]:
    return [(e.first, e.last, e.reason) for e in request.ledger.turns]


SHELF = talk(
    ("the oak shelf", "ok"), ("rain again", "yes"), ("oak shelf glue", "ok"), ("x" * 400, "shelf"),
    ("shelf", "ok"), ("sun today", "yes"),
)  # fmt: skip


@modes
def test_turns_with_shared_words_are_sent_in_their_order(counter: Letters) -> None:
    """Whatever their rank, turns stand in the order in which they were said."""
    request = build(Relevant(), SHELF, "oak shelf", 300, counter)
    assert [1, 3, 5] == kept(request)
    assert ["the oak shelf", "oak shelf glue", "shelf"] == [
        m.content for m in request.sent[1:-1] if m.role == "user"
    ]
    assert counter.whole(request.sent, ()) == request.tokens


@modes
def test_the_most_shared_words_come_first_and_of_equals_the_newest(counter: Letters) -> None:
    """With room for one turn, the newest of those with two shared words is it."""
    assert [3] == kept(build(Relevant(), SHELF, "oak shelf", 26, counter))


@modes
def test_a_turn_that_does_not_fit_is_skipped(counter: Letters) -> None:
    """The long turn is passed over and the ones behind it are tried."""
    request = build(Relevant(), SHELF, "oak shelf", 300, counter)
    assert "no-room" == request.ledger.turn(4).reason


@modes
def test_every_turn_has_its_reason(counter: Letters) -> None:
    """Neighbours of one fate share an entry; a turn that is sent has its own."""
    turns = talk(("a b", "c"), ("d", "e"), ("f", "oak"), ("g", "h"), ("i", "j"))
    assert [(1, 2, "no-match"), (3, 3, "kept"), (4, 5, "no-match")] == fates(
        build(Relevant(), turns, "oak", 100, counter)
    )


@modes
def test_hybrid_tries_the_newest_turn_before_all_others(counter: Letters) -> None:
    """It is sent without a shared word, and relevant turns take what is left."""
    assert [1, 3, 5, 6] == kept(build(Hybrid(), SHELF, "oak shelf", 300, counter))
    assert [6] == kept(build(Hybrid(), SHELF, "oak shelf", 24, counter))


@modes
def test_hybrid_goes_on_where_the_newest_turn_does_not_fit(counter: Letters) -> None:
    """Even the newest turn is skipped, never cut."""
    turns = talk(("oak", "yes"), ("y" * 500, "ok"))
    request = build(Hybrid(), turns, "oak", 100, counter)
    assert [(1, 1, "kept"), (2, 2, "no-room")] == fates(request)


def test_hybrid_takes_a_relevant_newest_turn_once() -> None:
    """The newest turn is not sent twice for being relevant too."""
    request = build(Hybrid(), talk(("rain", "ok"), ("oak", "ok")), "oak", 100)
    assert [(1, 1, "no-match"), (2, 2, "kept")] == fates(request)


@pytest.mark.parametrize("strategy", [Relevant(), Hybrid()])
def test_a_question_of_stop_words_shares_nothing(strategy: Strategy) -> None:
    """Only hybrid's newest turn is left then."""
    request = build(strategy, talk(("we will", "you are"), ("it is", "on it")), "Who are you?", 200)
    assert ([2] if isinstance(strategy, Hybrid) else []) == kept(request)


def test_an_empty_conversation_is_a_request_without_turns() -> None:
    """Nothing to rank is no fault."""
    for strategy in (Relevant(), Hybrid()):
        assert () == build(strategy, (), "oak", 0).ledger.turns


@modes
def test_stems_find_what_the_published_rule_misses(counter: Letters) -> None:
    """A question in the singular finds turns in the plural, and only with stems."""
    turns = talk(("Bookings close early.", "ok"), ("rain", "ok"))
    for strategy in (Relevant, Hybrid):
        plain = build(strategy(), turns, "Which booking?", 200, counter)
        assert "no-match" == plain.ledger.turn(1).reason
        stemmed = build(strategy(stem=True), turns, "Which booking?", 200, counter)
        assert "kept" == stemmed.ledger.turn(1).reason


def test_stems_are_those_of_the_language() -> None:
    """French stop words and stems for French conversations."""
    turns = talk(("Les réservations sont closes.", "D'accord."), ("Le pont est fermé.", "Bien."))
    request = build(Relevant(stem=True, language="fr"), turns, "Quand réserver le train ?", 200)
    assert [1] == kept(request)
    assert "relevant(language='fr', stem=true)" == request.strategy


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("relevant(stem=1)", "stem=1 is not true or false"),
        ("hybrid(stem=true, language='xx')", "language='xx' has no stems"),
        ("hybrid(stem=true, language=3)", "language=3 is not a quoted language code"),
        ("relevant(language='fr')", "add stem=true"),
    ],
)
def test_wrong_parameters_are_refused_when_the_strategy_is_made(spec: str, told: str) -> None:
    """A run that cannot work does not begin."""
    with pytest.raises(SpecError, match=told):
        registry.load("strategies", registry.parse(spec))


def test_what_tools_wrote_is_compared_too() -> None:
    """A fact that a tool reported is found by its words, with the whole turn."""
    call = {"id": "c9", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    turn = Turn(number=1, messages=messages.messages([
        {"role": "user", "content": "look"}, {"role": "assistant", "content": None,
                                             "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c9", "content": "oak in stock"},
        {"role": "assistant", "content": "there is some"},
    ]))  # fmt: skip
    request = build(Relevant(), [turn], "oak", 300)
    assert ["user", "assistant", "tool", "assistant"] == [m.role for m in request.sent[1:-1]]


def test_a_turn_that_waits_for_a_tool_is_sent_whatever_it_says() -> None:
    """Its fate is open, and it is not ranked."""
    call = {"id": "c9", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    waiting = Turn(number=1, messages=messages.messages([
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]))  # fmt: skip
    later = Turn(number=2, messages=talk(("oak", "yes"))[0].messages)
    request = build(Relevant(), [waiting, later], "oak", 300)
    assert [(1, 1, "open"), (2, 2, "kept")] == fates(request)


def test_without_a_question_the_words_of_the_continued_turn_are_compared() -> None:
    """After a tool result, the user's words of that turn are what is asked."""
    turns = talk(("oak", "yes"), ("rain", "yes"), ("any oak left?", None))
    request = build(Relevant(), turns, None, 300)
    assert [(1, 1, "kept"), (2, 2, "no-match"), (3, 3, "open")] == fates(request)


class Opening(Letters):
    """A template that writes more where the assistant speaks first."""

    def opening(self, first: Message, tools: Sequence[Tool]) -> int:
        return super().opening(first, tools) + (11 if first.role == "assistant" else 0)


@pytest.mark.parametrize("strategy", [Relevant(), Hybrid()])
def test_without_instructions_the_count_is_exact_whatever_opens_the_request(
    strategy: Strategy,
) -> None:
    """The first message moves when an older turn is taken, and what is before it with it."""
    greeting = Turn(number=1, messages=messages.messages([{"role": "assistant", "content": "oak"}]))
    later = [Turn(number=t.number + 1, messages=t.messages) for t in SHELF]
    counter, opened = Opening(), set()
    for room in range(150):
        request = build(strategy, [greeting, *later], "oak shelf", room, counter, instructions=None)
        assert counter.request(request.sent, ()) == request.tokens
        assert request.tokens <= request.budget.input
        opened.add(request.sent[0].role)
    assert {"user", "assistant"} == opened


def test_a_template_that_wants_a_user_first_gets_no_turn_that_opens_otherwise() -> None:
    """Such a turn is accounted for with the reason ``template``."""
    greeting = Turn(number=1, messages=messages.messages([{"role": "assistant", "content": "oak"}]))
    later = Turn(number=2, messages=talk(("oak", "yes"))[0].messages)
    strict = Letters(additive=False, alternates=True)
    request = build(Relevant(), [greeting, later], "oak", 300, strict)
    assert [(1, 1, "template"), (2, 2, "kept")] == fates(request)


def test_the_required_part_alone_too_large_is_refused() -> None:
    """No turn is given up for it, since none was taken."""
    with pytest.raises(RequiredContextTooLarge):
        build(Hybrid(), SHELF, "oak", -1, tools=(tool("look"),))


WORDS = st.sampled_from(["oak", "ash", "elm", "the", "saw", "x" * 40, ""])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)


def published(turns: Sequence[Turn], question: str, limit: int, *, newest: bool) -> list[int]:
    """The published rules over letters, said again as plainly as they can be."""

    def size(numbers: set[int]) -> int:
        said = [m for turn in turns if turn.number in numbers for m in turn.messages]
        return FRAME + len(question) + sum(3 + len(m.content or "") for m in said)

    def shared(turn: Turn) -> int:
        return len(plain_words(question) & plain_words(f"{turn.user} {turn.assistant}"))

    order = sorted((t for t in turns if shared(t)), key=lambda t: (-shared(t), -t.number))
    if newest:
        order = [*turns[-1:], *(turn for turn in order if turn not in turns[-1:])]
    found: set[int] = set()
    for turn in order:
        if size(found | {turn.number}) <= limit:
            found.add(turn.number)
    return sorted(found)


@given(
    pairs=st.lists(st.tuples(TEXTS, TEXTS), max_size=12), question=TEXTS, room=st.integers(0, 300),
    mode=st.sampled_from([True, False]),
)  # fmt: skip
def test_the_choice_is_that_of_the_published_rules(
    pairs: list[tuple[str, str]], question: str, room: int, mode: bool
) -> None:
    """Same turns under sums and under whole renders, for any words and any room."""
    turns = talk(*pairs)
    limit = FRAME + len(question) + room
    for strategy in (Relevant(), Hybrid()):
        request = build(strategy, turns, question, room, Letters(additive=mode))
        wanted = published(turns, question, limit, newest=isinstance(strategy, Hybrid))
        assert wanted == kept(request)
        numbers = [n for e in request.ledger.turns for n in range(e.first, e.last + 1)]
        assert [turn.number for turn in turns] == numbers
