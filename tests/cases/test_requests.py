"""The situations in which other tools lost, leaked or broke something while building a request.

Each row of the shared case file is played into a real engine and its machine checks are
held against the request. The rows are read from beside the repository; every kind has
tests of its own in the suites that this file names.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Budget, Config, Memory, Request
from palimpsest import messages as reading
from palimpsest.config import NotesSettings
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError, RequiredContextTooLarge
from palimpsest.protocols import Tokenizer
from palimpsest.types import calls_of, results_of
from tests.support.small_tokenizers import STRICT, small

STRATEGIES = ("recent", "notes", "relevant", "hybrid", "append-only", "managed")
WALKING = ("recent", "notes", "append-only", "managed")
"""Those that keep the newest turns, whatever they say."""
ROWS = ("05", "07", "09", "11", "13", "15", "23", "25", "27", "29", "31", "33", "43", "45")


@pytest.fixture(scope="session")
def rows(shared: Path) -> dict[str, dict[str, Any]]:
    """The rows by id."""
    lines = (shared / "cases" / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


OPEN: list[Memory] = []


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    """Close what the cases of a test opened."""
    yield
    while OPEN:
        OPEN.pop().close()


class Case:
    """One row, or one variant of it, in a fresh conversation."""

    def __init__(
        self, given: Mapping[str, Any], tokenizer: Tokenizer, config: Config | None = None
    ) -> None:
        self.given = given
        self.memory = Memory.open(":memory:", tokenizer=tokenizer, config=config)
        OPEN.append(self.memory)
        self.talk: Conversation = self.memory.conversation(user="u", id="c")
        if given.get("messages"):
            self.talk.append(messages=given["messages"])

    def budget(self, shape: object | None = None) -> Budget:
        shape = self.given["budget"] if shape is None else shape
        reserve = self.given.get("reserve_output", 0)
        if isinstance(shape, int):
            return Budget(window=shape, answer=reserve)
        assert isinstance(shape, Mapping)
        return Budget(window=self._size(shape["parts"]) + shape["slack"], answer=0)

    def _size(self, parts: Sequence[str]) -> int:
        turns = {turn.number: turn for turn in self.talk.turns()}
        found = []
        for part in parts:
            if part == "system":
                found.append(reading.text_message("system", self.given["system"], part))
            elif part == "current":
                found.append(reading.text_message("user", self.given["current"], part))
            else:
                found += turns[int(part.removeprefix("turn:"))].messages
        return self.memory.counter.whole(found, ())

    def request(self, strategy: str = "managed", **changed: Any) -> Request:
        budget = changed.pop("budget", None) or self.budget()
        return self.talk.request(
            self.given.get("current"), budget=budget, strategy=strategy,
            instructions=self.given["system"], tools=self.given.get("tools"), **changed,
        )  # fmt: skip

    def all(self) -> Iterator[Request]:
        """The request of every strategy, with what no request may break."""
        for strategy in STRATEGIES:
            request = self.request(strategy)
            check(request, self)
            yield request


def check(request: Request, case: Case) -> None:
    """Within the budget, exact, pairs whole, one system message, first."""
    assert request.tokens <= request.budget.input
    assert case.memory.counter.whole(request.sent, request.tools) == request.tokens
    made = [id for message in request.sent for id in calls_of(message)]
    answered = [id for message in request.sent for id in results_of(message)]
    assert set(answered) <= set(made)
    assert "tool" != request.sent[0].role
    if case.memory.counter.frame.system_role:
        assert [0] == [i for i, m in enumerate(request.sent) if m.role == "system"]


def text(request: Request) -> str:
    return "\n".join(t for message in request.sent for t in message.texts())


def notes(request: Request) -> str:
    found = re.search(r"<notes>\n(.*)\n</notes>", text(request), re.DOTALL)
    return found.group(1) if found else ""


def kept(request: Request) -> int:
    return sum(e.last - e.first + 1 for e in request.ledger.turns if e.kept)


def test_req_05_a_superseded_decision_is_on_no_surface(
    rows: dict[str, Any], gemma: Tokenizer
) -> None:
    """Only the current statement names the old value; the history still knows it."""
    given = rows["req-05"]["minimal_input"]
    case = Case(given, gemma)
    for op in given["ops"]:
        said = case.talk.turns()[op["turn"] - 1].user
        act = case.talk.remember if op["op"] == "remember" else case.talk.correct
        act(said, attribute=op["key"], value=op["value"], turn=op["turn"])
    current = case.talk.current("store")

    assert ["PostgreSQL"] == [row.value for row in current]
    assert "MySQL" in [row.value for row in case.talk.history("store")]
    for window in range(150, 800, 40):
        request = case.request(budget=Budget(window=window, answer=32))
        check(request, case)
        assert "PostgreSQL" in text(request)
        assert "MySQL" not in text(request).replace(current[0].text, "")


def test_req_07_the_system_message_is_identical_first_and_single(
    rows: dict[str, Any], gemma: Tokenizer
) -> None:
    """It is never summarised, moved or shortened, however often a request is built."""
    given = rows["req-07"]["minimal_input"]
    case = Case(given, gemma)
    for op in given["ops"]:
        if op["op"] == "append_turn":
            case.talk.append(user=op["user"], assistant=op["assistant"])
        for request in case.all():
            assert given["system"] == request.sent[0].content


def test_req_09_a_call_and_its_result_are_one_unit(rows: dict[str, Any], chatml: Tokenizer) -> None:
    """All of a turn or none of it; an open group that cannot fit is a typed error."""
    row = rows["req-09"]["minimal_input"]
    first, second = ({**row, **variant} for variant in row["variants"])
    for request in Case(first, chatml).all():
        # The strategy notes keeps its reserve free, and this budget holds one turn only.
        assert ("notes" == request.strategy) != ("And shelf four?" in text(request))
    for strategy in STRATEGIES:
        case = Case(second, chatml)
        with pytest.raises(RequiredContextTooLarge) as caught:
            case.request(strategy)
        assert caught.value.parts["question"] > 90


def test_req_11_an_open_call_is_pinned_and_its_late_result_is_sent_with_it(
    rows: dict[str, Any], chatml: Tokenizer
) -> None:
    """An interim result does not close the call; the final one comes in the same pair."""
    given = rows["req-11"]["minimal_input"]
    case = Case(given, chatml)
    # This small vocabulary spells most words out, so the window is sized by parts.
    size = case.memory.counter.whole(
        [reading.text_message("system", given["system"], "s"), *case.talk.turns()[0].messages], ()
    )
    budget = Budget(window=size + 60, answer=0)
    for op in given["ops"]:
        result = {"role": "tool", "tool_call_id": op["tool_call_id"], "content": op["content"]}
        case.talk.append(messages=[result])
    for strategy in STRATEGIES:
        request = case.request(strategy, budget=budget)
        check(request, case)
        assert ["c9"] == [id for message in request.sent for id in calls_of(message)]
        assert ["c9"] == [id for message in request.sent for id in results_of(message)]
        assert "approved" in text(request)
        assert "pending" not in text(request)
        assert request.ledger.turn(1).reason == "open"


def test_req_13_tools_and_system_are_inside_the_budget(
    rows: dict[str, Any], chatml: Tokenizer
) -> None:
    """Tool schemas count; where they and the rules exceed the budget, an error says so."""
    given = rows["req-13"]["minimal_input"]
    case = Case(given, chatml)
    with pytest.raises(RequiredContextTooLarge) as caught:
        case.request()
    needed = caught.value
    assert min(needed.parts[part] for part in ("tools", "instructions", "frame", "question")) > 0
    for room in (0, 100, 1000):
        budget = Budget(window=needed.required + room, answer=0)
        for strategy in STRATEGIES:
            request = case.request(strategy, budget=budget)
            check(request, case)
            assert needed.parts["tools"] == request.ledger.parts["tools"]


def test_req_15_the_count_is_that_of_the_template_to_the_token(
    rows: dict[str, Any], gemma: Tokenizer, chatml: Tokenizer
) -> None:
    """Slack 0 keeps both turns, slack -1 keeps one."""
    given = rows["req-15"]["minimal_input"]
    for tokenizer in (gemma, chatml):
        case = Case(given, tokenizer)
        for expected in given["cases"]:
            request = case.request("recent", budget=case.budget(expected["budget"]))
            check(request, case)
            assert expected["turns_kept"] == kept(request)


def test_req_23_a_media_part_costs_its_declared_size_in_every_shape(
    rows: dict[str, Any], chatml: Tokenizer
) -> None:
    """Base64 is never counted, quoted or searched."""
    given = json.loads(json.dumps(rows["req-23"]["minimal_input"]))
    turns = [m["content"] for m in given["messages"]]
    url = turns[0][1]["image_url"]
    shapes = (turns[0][1], {"type": "image_url", "image_url": {"url": url}},
              {"type": "image", "source": {"type": "base64", "data": url}})  # fmt: skip
    sizes = set()
    for shape in shapes:
        given["messages"][0]["content"][1] = shape
        case = Case(given, chatml)
        budget = Budget(window=1200, answer=0)
        requests = [case.request(strategy, budget=budget) for strategy in WALKING]
        assert min(map(kept, requests)) >= 3
        assert "AAAA" not in "".join(map(notes, requests))
        sizes.add(requests[0].tokens)
    assert 1 == len(sizes)


def test_req_25_a_list_of_text_parts_is_the_text_that_it_spells(
    rows: dict[str, Any], gemma: Tokenizer
) -> None:
    """Lists and strings give the same count and notes; an unknown part raises."""
    given = rows["req-25"]["minimal_input"]
    flat = json.loads(json.dumps(given))
    for holder in (*flat["messages"], flat):
        for key in ("content", "system", "current"):
            if isinstance(holder.get(key), list):
                holder[key] = "".join(part["text"] for part in holder[key])
    config = Config(notes=NotesSettings(reserve=64))
    for listed, plain in zip(
        Case(given, gemma, config).all(), Case(flat, gemma, config).all(), strict=True
    ):
        assert (plain.sent, plain.tokens) == (listed.sent, listed.tokens)
        assert "How tall is the mast?" in text(listed)
    assert "the mast is 9 m" in notes(Case(given, gemma, config).request("notes"))
    with pytest.raises(InputError, match=r"messages\[0\]\.content\[0\]\.type"):
        Case(given, gemma).talk.append(messages=[{"role": "user", "content": [{"text": "x"}]}])


def test_req_27_the_models_own_tokenizer_decides_and_an_estimate_says_so(
    rows: dict[str, Any], gemma: Tokenizer
) -> None:
    """An estimate is labelled and never below the exact count of these scripts."""
    given = rows["req-27"]["minimal_input"]
    exact = Case(given, gemma)
    for request in exact.all():
        assert not request.estimated
    guessed = Case(given, "estimate").request("recent")
    assert guessed.estimated
    assert exact.memory.counter.whole(guessed.sent, ()) <= guessed.tokens


def test_req_29_hidden_characters_are_shown_and_honest_text_stays(
    rows: dict[str, Any], gemma: Tokenizer
) -> None:
    """Overrides, zero-width and tag characters are escapes; Hebrew stays in its order."""
    given = rows["req-29"]["minimal_input"]
    config = Config(notes=NotesSettings(reserve=150, cues=tuple(given["cue_words"])))
    request = Case(given, gemma, config).request("notes")
    assert not [mark for mark in given["expect"]["not_in_notes"] if mark in notes(request)]
    assert "החלטה: השער נפתח ב-8" in notes(request)
    assert "\\u202eDENIED" in notes(request)


def test_req_31_the_system_message_is_kept_or_the_request_refused(
    rows: dict[str, Any], gemma: Tokenizer
) -> None:
    """Never a request without the rules."""
    row = rows["req-31"]["minimal_input"]
    first, second = ({**row, **variant} for variant in row["variants"])
    for request in Case(first, gemma).all():
        assert first["system"] == request.sent[0].content
    for strategy in STRATEGIES:
        with pytest.raises(RequiredContextTooLarge) as caught:
            Case(second, gemma).request(strategy)
        assert caught.value.parts["instructions"] > 60


def test_req_33_roles_alternate_where_the_template_demands_it(rows: dict[str, Any]) -> None:
    """Neighbours are joined, the system text opens the first user message, once."""
    given = rows["req-33"]["minimal_input"]
    case = Case(given, small(STRICT, name="strict"))
    for strategy in STRATEGIES:
        check(case.request(strategy, budget=Budget(window=600, answer=0)), case)
    for strategy in WALKING:
        request = case.request(strategy, budget=Budget(window=600, answer=0))
        roles = [message.role for message in request.sent]
        assert "user" == roles[0]
        assert not [a for a, b in itertools.pairwise(roles) if a == b]
        assert 1 == text(request).count(given["system"])
        assert "First part.\n\nSecond part." in text(request)


def test_req_43_a_user_whose_name_begins_like_anothers_sees_nothing_of_theirs(
    rows: dict[str, Any], gemma: Tokenizer
) -> None:
    """Exact match on the full scope on every read path, also after a failed write."""
    given = rows["req-43"]["minimal_input"]
    with Memory.open(":memory:", tokenizer=gemma) as memory:
        for op in given["ops"]:
            talk = memory.conversation(user=op["user"], id="c")
            if op["op"] == "remember" and op.get("fail"):
                with pytest.raises(InputError):
                    talk.remember("", attribute=op["key"])
            elif op["op"] == "remember":
                talk.remember(f"My {op['key']} is {op['value']}.", attribute=op["key"])
            else:
                budget = Budget(window=300, answer=0)
                requests = [
                    talk.request(op["query"], budget=budget, strategy=s) for s in STRATEGIES
                ]
                assert () == talk.current() == talk.history(op["query"]) == talk.deletions()
                assert not [r for r in requests if "12A" in text(r) or r.ledger.memories]
        with pytest.raises(InputError, match="user"):
            memory.conversation(user="", id="c").current()


def test_req_45_a_signed_message_is_whole_or_absent(
    rows: dict[str, Any], chatml: Tokenizer
) -> None:
    """Thinking is counted when sent, and never used for notes."""
    given = rows["req-45"]["minimal_input"]
    signed = next(
        reading.message(m)
        for m in given["messages"]
        if m["role"] == "assistant" and "signature" in str(m)
    )
    config = Config(notes=NotesSettings(roles=("user", "assistant", "tool"), cues=("secret", "42")))
    seen = set()
    for window in range(150, 1500, 25):
        case = Case(given, chatml, config)
        for strategy in STRATEGIES:
            try:
                request = case.request(strategy, budget=Budget(window=window, answer=0))
            except RequiredContextTooLarge:
                continue
            check(request, case)
            whole = [m for m in request.sent if m.parts and m.role == "assistant"]
            assert all(message == signed for message in whole)
            assert "secret plan" not in notes(request)
            seen.add(bool(whole))
    assert {True, False} == seen


def test_every_row_that_the_issue_names_has_its_test(rows: dict[str, Any]) -> None:
    """A row cannot be left out in silence."""
    tested = {name[9:11] for name in globals() if name.startswith("test_req_")}
    assert set(ROWS) == tested
    assert {f"req-{row}" for row in ROWS} <= set(rows)
