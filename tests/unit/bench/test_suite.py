"""A suite file loads into plain records, or is refused with the path to its fault."""

import json
from pathlib import Path
from typing import Any

import pytest

from palimpsest.bench import suite
from palimpsest.errors import InputError
from palimpsest.types import Budget, Label
from tests.support.suites import MEETING, data, made, point, read, turn

GOOD = data([turn(1, "We are vegan.")], [point(1, ["vegan"])])


def refused(value: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(value)
    return str(caught.value)


def with_turn(**keys: Any) -> dict[str, Any]:
    return {**GOOD, "turns": [{"turn": 1, "user": "We are vegan.", "assistant": "Ok.", **keys}]}


def test_a_turn_keeps_its_number_words_and_label() -> None:
    """A spoken turn becomes a user message, an assistant message and a label."""
    loaded = made(MEETING, [point(1, ["Alder"])])

    first = loaded.turns[0]
    assert (1, "The room is Alder.", "Alder it is.") == (
        first.number, first.turn.user, first.turn.assistant,
    )  # fmt: skip
    assert Label(op="remember", attribute="room") == first.label
    assert loaded.turns[4].label is None


@pytest.mark.parametrize(
    "budget",
    [
        {"window": 512, "answer": 128, "margin": 32},
        {"context_limit": 512, "max_new_tokens": 128, "margin": 32},
    ],
)
def test_a_budget_is_read_in_both_spellings(budget: dict[str, int]) -> None:
    """The published spelling and ours mean the same budget."""
    assert Budget(window=512, answer=128, margin=32) == read({**GOOD, "budget": budget}).budget


def test_a_turn_may_be_given_as_messages_with_tool_calls() -> None:
    """A call, its result and the answer make one turn."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    said = [
        {"role": "user", "content": "Which room?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "Room Cedar."},
        {"role": "assistant", "content": "Cedar."},
    ]
    loaded = made([{"turn": 1, "messages": said}], [point(1, ["Room Cedar."])])

    assert ["user", "assistant", "tool", "assistant"] == [
        message.role for message in loaded.turns[0].turn.messages
    ]


def test_user_texts_may_be_lists_of_parts() -> None:
    """A list of plain text parts is one text; other parts are kept."""
    picture = {"type": "image_url", "image_url": {"url": "data:,x"}}
    parts = [{"type": "text", "text": "We are "}, {"type": "text", "text": "vegan."}]
    assert "We are vegan." == read(with_turn(user=parts)).turns[0].turn.user
    mixed = read(with_turn(user=[{"type": "text", "text": "vegan"}, picture]))
    assert 2 == len(mixed.turns[0].turn.messages[0].parts)


def test_the_name_is_the_files_unless_the_suite_gives_one(tmp_path: Path) -> None:
    """A suite without a name is called after its file."""
    path = tmp_path / "trip.json"
    path.write_text(json.dumps(GOOD))
    assert "trip" == suite.load(path).name
    path.write_text(json.dumps({**GOOD, "name": "Porto"}))
    assert "Porto" == suite.load(path).name


def test_the_fingerprint_is_of_the_content_and_not_of_the_layout() -> None:
    """Spaces and key order do not change a fingerprint, a word does."""
    turned = dict(reversed(GOOD.items()))
    spaced = suite.read(json.dumps(turned, indent=4), where="x", name="x")
    assert read(GOOD).fingerprint == spaced.fingerprint
    assert read(GOOD).fingerprint != read(with_turn(user="We are vegan!")).fingerprint


def test_settings_are_laid_over_the_defaults() -> None:
    """A suite brings settings of its own, in the tables of a settings file."""
    loaded = read({**GOOD, "settings": {"facts": {"quota": 90}}})
    assert 90 == loaded.config().facts.quota
    assert 96 == loaded.config().notes.reserve


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({**GOOD, "turn": []}, "small.json: unknown key 'turn'; did you mean 'turns'?"),
        (with_turn(usr="x"), "small.json: turns[0]: unknown key 'usr'; did you mean 'user'?"),
        (with_turn(user=5), "small.json: turns[0].user: 5 (int)"),
        (with_turn(user=None), "small.json: turns[0].user: null"),
        (with_turn(user=[{"type": "text"}]), "small.json: turns[0].user[0].text: null"),
        (with_turn(user="\ud800"), "small.json: turns[0].user: character 0 is half"),
        (with_turn(turn=True), "small.json: turns[0].turn: True (bool)"),
        (with_turn(turn="1"), "small.json: turns[0].turn: '1' (str)"),
        (with_turn(memory={"op": "forgot", "attribute": "a"}), "small.json: turns[0].memory.op:"),
        (with_turn(memory={"op": "forget"}), "small.json: turns[0].memory.attribute: is missing"),
        ({**GOOD, "turns": []}, "small.json: turns: "),
        ({**GOOD, "turns": [3]}, "small.json: turns[0]: 3 (int) is not an object"),
        ({**GOOD, "turns": [{"turn": 1, "messages": []}]}, "small.json: turns[0].messages: "),
        ({**GOOD, "budget": {"window": 9, "answer": 9}}, "small.json: budget: window 9 leaves"),
        ({**GOOD, "budget": {"window": "9", "answer": 1}}, "small.json: budget.window: '9'"),
        ({**GOOD, "budget": {"window": 9, "max_new_tokens": 1}}, "small.json: budget: unknown key"),
        ({**GOOD, "settings": {"facts": {"qota": 1}}}, "small.json: settings: facts: unknown"),
        ({**GOOD, "settings": {"budget": {}}}, "small.json: settings.budget: "),
        ({**GOOD, "checkpoints": [point(1, [""])]}, "small.json: checkpoints[0].required[0]: "),
        ([], "small.json: [] (list) is not an object"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_file_and_path(fault: Any, told: str) -> None:
    """Every refusal opens with the file and the path to the fault inside it."""
    assert told == refused(fault)[: len(told)]


def test_a_missing_key_is_told() -> None:
    """What a suite lacks is named."""
    assert "small.json: budget: is missing" == refused({k: GOOD[k] for k in GOOD if k != "budget"})


def test_a_system_message_belongs_to_the_instructions() -> None:
    """A system message inside a turn is refused with the place for it."""
    said = [{"role": "system", "content": "x"}, {"role": "user", "content": "We are vegan."}]
    assert "instructions" in refused({**GOOD, "turns": [{"turn": 1, "messages": said}]})


def test_a_result_without_its_call_is_refused() -> None:
    """A tool result must answer a call of its own turn."""
    said = [
        {"role": "user", "content": "We are vegan."},
        {"role": "tool", "tool_call_id": "c9", "content": "x"},
    ]
    assert "turns[0]: a tool result answers the call 'c9'" in refused(
        {**GOOD, "turns": [{"turn": 1, "messages": said}]}
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"turns": [\n  {"turn": 1,', "is not valid JSON at line 2, column 14"),
        ("", "is not valid JSON at line 1, column 1"),
        ('{"name": "a", "name": "b"}', "the key 'name' stands twice"),
        ('{"turns": NaN}', "NaN is not a JSON number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_broken_json_is_told_with_its_place(text: str, told: str) -> None:
    """Truncated or ambiguous JSON is an error of the input, with line and column."""
    with pytest.raises(InputError, match=r"^cut\.json: ") as caught:
        suite.read(text, where="cut.json", name="cut")
    assert told in str(caught.value)


def test_what_is_no_suite_file_is_told(tmp_path: Path) -> None:
    """A folder, a binary file and a missing file are each told for what they are."""
    binary = tmp_path / "suite.json"
    binary.write_bytes(b"\x80\x00\xff")
    for path, told in [
        (tmp_path, "is a directory"),
        (binary, "is not UTF-8 text"),
        (tmp_path / "none.json", "cannot be read"),
    ]:
        with pytest.raises(InputError, match=told):
            suite.load(path)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """A file that an editor saved with a byte order mark loads."""
    path = tmp_path / "trip.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8-sig")
    assert 1 == len(suite.load(path).turns)
