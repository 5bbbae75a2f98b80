"""A suite with tool calls replays under a template that has them, whole turns at a time."""

import json
from typing import Any

import pytest

from palimpsest.bench.replay import Replayed, enter, replay
from palimpsest.bench.trace import subject, trace
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from tests.support.suites import made, point, turn


def call(id: str, place: str) -> dict[str, Any]:
    function = {"name": "weather", "arguments": json.dumps({"place": place})}
    return {"id": id, "type": "function", "function": function}


TOOL = {
    "type": "function",
    "function": {"name": "weather", "description": "The weather.", "parameters": {}},
}
ASKED = {
    "turn": 2,
    "messages": [
        {"role": "user", "content": "How is it in Braga?"},
        {"role": "assistant", "content": None, "tool_calls": [call("c1", "Braga")]},
        {"role": "tool", "tool_call_id": "c1", "content": "Rain, code R-77."},
        {"role": "assistant", "content": "It rains."},
    ],
}
WAITING = {
    "turn": 3,
    "messages": [
        {"role": "user", "content": "And in Faro?"},
        {"role": "assistant", "content": None, "tool_calls": [call("c2", "Faro")]},
        {"role": "tool", "tool_call_id": "c2", "content": "Sun, code S-12."},
    ],
}


@pytest.fixture
def run(chatml: LocalTokenizer) -> Replayed:
    turns = [turn(1, "We go to Braga.", "remember", "city"), ASKED, WAITING]
    points = [point(2, ["We go to Braga", "R-77"]), point(3, ["S-12"], question=None)]
    suite = made(turns, points, 4000, tools=[TOOL])
    entrants = enter(["recent", "managed"])
    return replay(suite, entrants=entrants, counter=TokenCounter(chatml), config=suite.config())


def test_a_fact_of_a_tool_result_is_found(run: Replayed) -> None:
    """What a tool said is graded like what a person said."""
    assert [(2, 2), (1, 1)] == [(row.grade.found, row.grade.required) for row in run.rows["recent"]]


def test_a_question_of_null_continues_after_the_result(run: Replayed) -> None:
    """The last turn stays open and ends the request; no question is added."""
    sent = run.rows["recent"][1].request.sent
    assert ("tool", "Sun, code S-12.") == (sent[-1].role, sent[-1].content)


def test_the_trace_names_the_turn_of_a_tool_message(run: Replayed) -> None:
    """A call, a result and an answer belong to their turn."""
    found = trace(run, subject(run.suite, "R-77"))
    places = [
        [(s.part, s.turn, s.role) for s in fate.sightings]
        for at in found.facts[0].checkpoints
        for fate in at.fates
        if fate.strategy == "recent"
    ]
    assert [[("turn", 2, "tool")], [("turn", 2, "tool")]] == places
    faro = trace(run, subject(run.suite, "Faro")).facts[0].checkpoints[0].fates[0]
    assert [("user", 3), ("assistant", 3)] == [(s.role, s.turn) for s in faro.sightings]


def test_the_tools_of_a_suite_are_counted(run: Replayed) -> None:
    """The schemas are sent with every request and take their tokens."""
    assert run.rows["recent"][0].request.ledger.parts["tools"] > 0
