"""A compaction request is checked whole, and each fault is named by its path."""

from __future__ import annotations

import pytest

from palimpsest import Budget, Config
from palimpsest.config import CompactionSettings, NotesSettings
from palimpsest.context.compaction_request import CompactionRequest, read
from palimpsest.errors import InputError
from palimpsest.types import Turn

GOOD: dict[str, object] = {
    "instructions": "Be brief.",
    "current": "And now?",
    "history": [{"user": "We must go.", "assistant": "Yes."}],
    "context_limit": 512,
    "max_new_tokens": 128,
    "margin": 32,
    "notes_reserve": 160,
}
BARE: dict[str, object] = {"instructions": "a", "current": "b"}


def test_the_published_shape_is_read() -> None:
    """Budget and reserve under the published names, turns as user and assistant."""
    found = read(GOOD)
    assert Budget(window=512, answer=128, margin=32) == found.settings(Config()).budget
    assert 160 == found.notes_reserve
    assert [("We must go.", "Yes.")] == [(t.user, t.assistant) for t in found.history]


def test_what_is_left_out_has_the_published_defaults() -> None:
    """A window of 8,192 with 1,024 for the answer and 64 of margin; notes as the settings say."""
    config = read({"instructions": "a", "current": "b"}).settings(Config())
    assert Budget(window=8192, answer=1024, margin=64) == config.budget
    assert Config().notes.reserve == config.notes.reserve
    own = Config(budget=Budget(window=99, answer=9), notes=NotesSettings(reserve=7))
    assert own == read({"instructions": "a", "current": "b"}).settings(own)
    assert 0 == read({**GOOD, "notes_reserve": 0}).settings(own).notes.reserve
    assert Budget(window=2000, answer=1024, margin=64) == (
        read({**BARE, "context_limit": 2000}).settings(Config()).budget
    )


@pytest.mark.parametrize(
    ("named", "budget"),
    [
        ({"context_limit": 2000}, (2000, 1000, 10)),
        ({"max_new_tokens": 5}, (100_000, 5, 10)),
        ({"margin": 0}, (100_000, 1000, 0)),
        ({"context_limit": 900, "max_new_tokens": 7, "margin": 3}, (900, 7, 3)),
        ({"notes_reserve": 9000}, (100_000, 1000, 10)),
    ],
    ids=str,
)
def test_what_a_request_names_beats_the_settings_field_by_field(
    named: dict[str, int], budget: tuple[int, int, int]
) -> None:
    """The other fields stay as the settings' budget has them, and once is as good as twice."""
    base = Config(budget=Budget(window=100_000, answer=1000, margin=10))
    request = read({**BARE, **named})
    found = request.settings(base)
    assert Budget(window=budget[0], answer=budget[1], margin=budget[2]) == found.budget
    assert named.get("notes_reserve", base.notes.reserve) == found.notes.reserve
    assert found == request.settings(found)


def test_reserves_are_held_against_the_budget_in_force() -> None:
    """A field of the settings counts in the check as one of the request does."""
    base = Config(budget=Budget(window=3000, answer=1000, margin=10))
    for named in ({"context_limit": 1010}, {"notes_reserve": 1990}, {"max_new_tokens": 2990}):
        with pytest.raises(InputError, match=r"^my\.json: max_new_tokens .* leave no input space"):
            read({**BARE, **named}).settings(base, where="my.json")
    assert 1989 == read({**BARE, "notes_reserve": 1989}).settings(base).notes.reserve


def test_turns_may_be_messages_with_tools_or_one_flat_list() -> None:
    """The three shapes give the same turns where they say the same."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    flat = [
        {"role": "user", "content": "We must go."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": [{"type": "text", "text": "And?"}]},
        {"role": "assistant", "content": "No."},
    ]
    listed = read({**GOOD, "history": flat}).history
    turns = [{"messages": flat[:4]}, {"user": "And?", "assistant": "No."}]
    assert listed == read({**GOOD, "history": turns}).history
    assert [1, 2] == [turn.number for turn in listed]
    assert all(isinstance(turn, Turn) for turn in listed)


def test_a_finished_request_is_taken_as_it_is() -> None:
    """An application may build the record itself."""
    request = read(GOOD)
    assert isinstance(request, CompactionRequest)
    assert request is read(request)


FAULTS: list[tuple[object, str]] = [
    ([], r"request: \[\] \(list\) is not an object; a request holds instructions, current"),
    ({"summary": "x"}, r"request: unknown 'summary'; known keys: instructions, current, history"),
    ({"current": None}, r"request.current: null is not a text"),
    ({"current": " \n"}, r"request.current: is blank"),
    ({"instructions": ""}, r"request.instructions: is blank"),
    ({"instructions": [{"type": "text", "text": " "}]}, r"request.instructions: is blank"),
    ({"current": 5}, r"request.current.content: 5 \(int\) is not a text"),
    ({"current": "\ud800"}, r"request.current.content: character 0 is half"),
    ({"history": {}}, r"request.history: \{\} \(dict\) is not a list of turns"),
    ({"history": "x"}, r"request.history: 'x' \(str\) is not a list"),
    ({"history": [5]}, r"request.history\[0\]: 5 \(int\) is not a turn object"),
    ({"history": [{"user": "x"}]}, r"request.history\[0\]: holds 'user'; a turn has exactly"),
    ({"history": [{}]}, r"request.history\[0\]: holds nothing; a turn has exactly"),
    (
        {"history": [{"user": "x", "assistant": "y", "turn": 1}]},
        r"request.history\[0\]: holds 'user', 'assistant', 'turn'",
    ),
    (
        {"history": [{"user": "x", "assistant": "y"}, {"user": "x", "assistant": " "}]},
        r"request.history\[1\].assistant: is blank",
    ),
    (
        {"history": [{"messages": [{"role": "clown", "content": "x"}]}]},
        r"request.history\[0\].messages\[0\].role: 'clown' is not one of",
    ),
    ({"history": [{"messages": []}]}, r"request.history\[0\].messages: makes 0 turns"),
    ({"history": [{"role": "system", "content": "x"}]}, r"request.history\[0\].role: a system"),
    ({"context_limit": True}, r"request.context_limit: True \(bool\) is not a whole number"),
    ({"notes_reserve": 1.5}, r"request.notes_reserve: 1.5 \(float\) is not a whole number"),
    ({"margin": "32"}, r"request.margin: '32' \(str\) is not a whole number"),
    ({"notes_reserve": -1}, r"request.notes_reserve: -1 is not from 0 to 16000000 tokens"),
    ({"max_new_tokens": 0}, r"request.max_new_tokens: 0 is not from 1 to"),
    ({"context_limit": 10**9}, r"request.context_limit: 1000000000 is not from 1 to"),
    ({"notes_reserve": 352}, r"request: max_new_tokens 128, margin 32 and notes_reserve 352 leave"),
    ({"max_new_tokens": 480}, r"leave no input space in context_limit 512"),
    ({"notes_reserve": 352, "margin": 0}, None),
]  # type: ignore[list-item]


@pytest.mark.parametrize(("change", "said"), FAULTS, ids=[str(c)[:50] for c, _ in FAULTS])
def test_each_fault_is_named_by_its_path(change: object, said: str | None) -> None:
    """Unknown fields, blank text, booleans for integers, reserves without room, and the rest."""
    data = {**GOOD, **change} if isinstance(change, dict) else change
    if said is None:
        assert 352 == read(data).settings(Config()).notes.reserve
        return
    with pytest.raises(InputError, match=f"^{said}" if said.startswith("request") else said):
        read(data).settings(Config())


@pytest.mark.parametrize("key", ["instructions", "current"])
def test_what_is_required_is_named_where_it_is_missing(key: str) -> None:
    """Instructions and the question are the required part."""
    data = {name: value for name, value in GOOD.items() if name != key}
    with pytest.raises(InputError, match=rf"^request\.{key}: is missing"):
        read(data)


def test_a_reserve_without_a_budget_is_held_against_the_default() -> None:
    """Reserves may not leave the published default window without input."""
    with pytest.raises(InputError, match="leave no input space in context_limit 8192"):
        read({**BARE, "notes_reserve": 8000}).settings(Config())


def test_the_limits_are_settings_with_generous_defaults() -> None:
    """Far more than the published 64 turns of 16,384 characters is read, and each limit binds."""
    many = [{"user": "x", "assistant": "y"}] * 1000
    assert 1000 == len(read({**GOOD, "history": many}).history)
    assert 100_000 == len(read({**GOOD, "current": "x" * 100_000}).current.texts()[0])
    small = CompactionSettings(turns=2, characters=20, window=600)
    with pytest.raises(InputError, match=r"request.history: 1000 turns; at most 2 are read"):
        read({**GOOD, "history": many}, limits=small)
    with pytest.raises(InputError, match=r"request.current: 21 characters; at most 20 are read"):
        read({**GOOD, "current": "x" * 21}, limits=small)
    with pytest.raises(InputError, match=r"history\[0\].assistant: 21 characters"):
        read({**GOOD, "history": [{"user": "x", "assistant": "y" * 21}]}, limits=small)
    with pytest.raises(InputError, match=r"context_limit: 601 is not from 1 to 600"):
        read({**GOOD, "context_limit": 601}, limits=small)


def test_the_place_of_the_data_opens_every_error() -> None:
    """A file's own name leads to the fault."""
    with pytest.raises(InputError, match=r"^my\.json\.current: is blank"):
        read({**GOOD, "current": ""}, where="my.json")
