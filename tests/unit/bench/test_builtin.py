"""The built-in suites equal their generators and tell the story they were written for."""

import re
from pathlib import Path

import pytest

from palimpsest.bench import builtin
from palimpsest.bench.builtin import travel
from palimpsest.config import Config
from palimpsest.context.cue_notes import cue_pattern


@pytest.mark.parametrize("name", builtin.known())
def test_a_stored_suite_equals_its_generator(name: str) -> None:
    """A suite is changed in its generator, and `make goldens` stores it."""
    assert builtin.generated(name) == builtin.stored(name)


def test_travel_has_the_skeleton_of_the_published_conversation() -> None:
    """Fifty turns, thirteen events, five checkpoints, the published budget and quotas."""
    suite = builtin.load("travel-50")
    events = [item.number for item in suite.turns if item.label]
    assert [3, 5, 8, 12, 15, 18, 22, 27, 31, 35, 40, 44, 47] == events
    assert [10, 20, 30, 40, 50] == [point.after for point in suite.checkpoints]
    assert [3, 5, 5, 6, 7] == [len(point.required) for point in suite.checkpoints]
    assert (50, 352) == (len(suite.turns), suite.budget.input)
    config = suite.config()
    assert (160, 96, (120, 160, 240)) == (
        config.facts.quota, config.notes.reserve, config.sweep.quota,
    )  # fmt: skip


def test_travel_pastes_a_long_text_at_every_fourth_filler_turn() -> None:
    """Long turns are what pushes facts out of the budget."""
    suite = builtin.load("travel-50")
    long = [item.number for item in suite.turns if len(item.turn.user) > 500]
    assert [4, 16, 20, 24, 28, 32, 36, 48] == long


def test_no_event_of_travel_holds_a_cue_word() -> None:
    """Facts are told as plans and wishes, which is why cue-word notes find none."""
    cue = cue_pattern(Config().notes.cues)
    assert cue is not None
    assert [] == [text for text, *_ in travel.EVENTS.values() if cue.search(text)]


def test_travel_is_written_in_our_own_sentences(published: Path) -> None:
    """Facts carry over from the published conversation, sentences do not."""
    theirs = (published / "compaction-50" / "conversation.json").read_text(encoding="utf-8")
    ours = {
        sentence
        for item in builtin.load("travel-50").turns
        for text in (item.turn.user, item.turn.assistant)
        for sentence in re.split(r"(?<=[.!?]) ", text)
    }
    assert [] == [sentence for sentence in ours if len(sentence) > 9 and sentence in theirs]


def test_edges_checks_one_turn_after_each_change() -> None:
    """Each checkpoint but the last two stands right after a correction or a forget."""
    suite = builtin.load("edges")
    changes = [i.number for i in suite.turns if i.label and i.label.op != "remember"]
    assert {point.after - 1 for point in suite.checkpoints} - {18} <= set(changes)


def test_atelier_is_another_conversation_in_another_language() -> None:
    """Sixty turns, its own budget and tokenizer, and no fact of the other suites."""
    suite = builtin.load("atelier-60")
    assert (60, 864) == (len(suite.turns), suite.budget.input)
    assert [12, 24, 36, 51, 60] == [point.after for point in suite.checkpoints]
    assert 'gemma-4-e2b(frame="tool-text")' == suite.config().tokenizer.name
    operations = [item.label.op for item in suite.turns if item.label]
    assert {"remember": 14, "correct": 5, "forget": 2} == {
        op: operations.count(op) for op in ("remember", "correct", "forget")
    }
    mine = {fact for point in suite.checkpoints for fact in point.facts}
    others = {
        fact
        for name in ("travel-50", "edges")
        for point in builtin.load(name).checkpoints
        for fact in point.facts
    }
    assert not mine & others


def test_atelier_has_tools_parts_a_photograph_and_an_open_call() -> None:
    """What a text-only conversation cannot show: each kind of message, some with facts in them."""
    suite = builtin.load("atelier-60")
    assert ["stock", "message"] == [tool.name for tool in suite.tools]
    assert [21, 36, 48, 60] == [item.number for item in suite.turns if item.turn.has_calls]
    parts = {
        item.number: [part.kind for part in item.turn.messages[0].parts]
        for item in suite.turns
        if item.turn.messages[0].parts
    }
    assert {29: ["text"], 33: ["text", "media"]} == parts
    assert suite.turns[59].turn.open
    assert suite.checkpoints[-1].question is None
    for number, value in ((21, "7B31K"), (48, "06 12 98 40 55")):
        said = suite.turns[number - 1].turn.messages
        assert value in said[1].tool_calls[0].json
        assert value in (said[2].content or "")


def test_every_label_of_atelier_that_states_something_writes_its_value() -> None:
    """The engine reads values with English word lists, so a French suite gives them."""
    labels = [item.label for item in builtin.load("atelier-60").turns if item.label]
    assert [] == [label for label in labels if label.op != "forget" and label.value is None]
