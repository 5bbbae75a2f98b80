"""Recording: the unchanged requests, one call a seed, and no call twice or lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.bench.answers.asked import of_run
from palimpsest.bench.answers.record import Recorded
from palimpsest.bench.answers.session import Wanted, record_all
from palimpsest.bench.answers.subjects import of_replay
from palimpsest.bench.replay import Replayed
from palimpsest.chat import ChatReply, Sampling
from palimpsest.errors import InputError, ModelError
from palimpsest.models.recorded import recorded
from palimpsest.models.recordings import read
from palimpsest.models.scripted import Scripted
from palimpsest.protocols import ChatModel
from tests.support import suites

WANTED = Wanted(seeds=(1, 2))
CALLS = 16
"""Two checkpoints, four strategies, two seeds."""


def record_run(run: Replayed, wanted: Wanted, model: ChatModel, out: Path) -> Recorded:
    return record_all(of_replay(run, wanted.checkpoints), wanted, model, out)


@pytest.fixture(scope="module")
def run() -> Replayed:
    return suites.run(suites.meeting())


def scripted(*answers: str | ChatReply | Exception) -> Scripted:
    return Scripted(answers, digest="ab")


def numbered(count: int, start: int = 0) -> list[str]:
    return [f"answer {number}" for number in range(start, start + count)]


def test_every_request_is_sent_unchanged_once_a_seed(run: Replayed, tmp_path: Path) -> None:
    """Messages, tools, window and answer limit are those of the case; the seeds go round."""
    model = scripted(*numbered(CALLS))
    done = record_run(run, WANTED, model, tmp_path / "a.jsonl")
    assert Recorded(asked=CALLS, kept=0, same_count=0, other_count=0) == done
    built = [row.request for rows in run.rows.values() for row in rows]
    assert {r.sent for r in built} == {call.messages for call in model.calls}
    assert {(r.budget.window, r.budget.answer) for r in built} == {
        (call.window, call.limit) for call in model.calls
    }
    assert {Sampling(temperature=1.0, top_k=64, top_p=0.95, thinking=False)} == {
        call.sampling for call in model.calls
    }
    found = read(tmp_path / "a.jsonl")
    assert [1, 2] * 8 == [given.seed for given in found.answers]
    assert CALLS == len({(g.strategy, g.case, g.seed) for g in found.answers})
    for key, asked in found.requests.items():
        (row,) = [r for r in run.rows[key[0]] if f"turn {r.after}" == key[1]]
        assert row.request.messages == list(asked.messages)
        assert row.tokens == asked.tokens


@pytest.mark.parametrize("dies_at", [0, 1, 7, CALLS - 1])
def test_a_server_that_dies_costs_only_its_own_call(
    run: Replayed, tmp_path: Path, dies_at: int
) -> None:
    """What was answered is kept, the second run asks the rest, and nothing is asked twice."""
    out = tmp_path / "a.jsonl"
    broken = scripted(*numbered(dies_at), ModelError("the server broke off its answer"))
    with pytest.raises(ModelError, match=rf"broke off.*{dies_at} of {CALLS} answers are kept"):
        record_run(run, WANTED, broken, out)
    healthy = scripted(*numbered(CALLS - dies_at, start=dies_at))
    done = record_run(run, WANTED, healthy, out)
    assert (CALLS - dies_at, dies_at) == (done.asked, done.kept)
    assert numbered(CALLS) == [given.answer for given in read(out).answers]
    whole = tmp_path / "whole.jsonl"
    record_run(run, WANTED, scripted(*numbered(CALLS)), whole)
    assert whole.read_bytes().partition(b"\n")[2] == out.read_bytes().partition(b"\n")[2]


def test_a_line_that_was_torn_is_asked_again(run: Replayed, tmp_path: Path) -> None:
    """A crash in the middle of a write loses that one answer and no other."""
    out = tmp_path / "a.jsonl"
    record_run(run, WANTED, scripted(*numbered(CALLS)), out)
    out.write_bytes(out.read_bytes()[:-9])
    model = scripted("again")
    done = record_run(run, WANTED, model, out)
    assert (1, CALLS - 1) == (done.asked, done.kept)
    assert [*numbered(CALLS - 1), "again"] == [given.answer for given in read(out).answers]


def test_more_seeds_and_checkpoints_are_added_to_a_recording(run: Replayed, tmp_path: Path) -> None:
    """A recording grows by what it lacks."""
    out = tmp_path / "a.jsonl"
    first = Wanted(seeds=(1,), checkpoints=(2,))
    assert 4 == record_run(run, first, scripted(*numbered(4)), out).asked
    assert CALLS - 4 == record_run(run, WANTED, scripted(*numbered(12)), out).asked
    assert 0 == record_run(run, WANTED, scripted(), out).asked


def test_an_empty_answer_is_kept_and_not_asked_again(run: Replayed, tmp_path: Path) -> None:
    """Saying nothing is a result."""
    out = tmp_path / "a.jsonl"
    wanted = Wanted(seeds=(1,), checkpoints=(5,))
    record_run(run, wanted, scripted("", "", "", ""), out)
    assert 0 == record_run(run, wanted, scripted(), out).asked
    assert {""} == {given.answer for given in read(out).answers}


def test_another_request_of_the_same_case_is_refused(tmp_path: Path) -> None:
    """Answers to two versions of one request never stand in one file."""
    out = tmp_path / "a.jsonl"
    wanted = Wanted(seeds=(1,), checkpoints=(5,))
    first = suites.run(suites.meeting())
    record_run(first, wanted, scripted(*numbered(4)), out)
    text = out.read_text(encoding="utf-8")
    changed = suites.run(suites.meeting(), ["recent", "managed(quota=3)"])
    with pytest.raises(InputError, match="managed, turn 5 was recorded with another request"):
        record_run(changed, wanted, scripted(*numbered(4)), out)
    assert text == out.read_text(encoding="utf-8")


def test_a_checkpoint_that_is_not_there_names_those_that_are(run: Replayed) -> None:
    """A turn without a checkpoint has no request."""
    with pytest.raises(
        InputError, match="--checkpoint 3: 'meeting' has no checkpoint there; it has 2, 5"
    ):
        of_run(run, (2, 3))


def test_a_recording_can_be_played_again(run: Replayed, tmp_path: Path) -> None:
    """A recorded model gives the same file, answer by answer, and says whose answers they are."""
    out, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    replies = [ChatReply(text=t, stop="length", prompt_tokens=9) for t in numbered(CALLS)]
    record_run(run, WANTED, scripted(*replies), out)
    record_run(run, WANTED, recorded(str(out)), again)
    assert read(out).answers == read(again).answers
    first, second = read(out).head, read(again).head
    assert first is not None
    assert second is not None
    assert first.model == second.model


def test_the_servers_own_count_is_compared(run: Replayed, tmp_path: Path) -> None:
    """How often the server counted the prompt as we did is part of the result."""
    wanted = Wanted(seeds=(1,), checkpoints=(5,), strategies=("recent",))
    tokens = [rows[1].tokens for rows in run.rows.values()]
    replies = [ChatReply(text="x", stop="stop", prompt_tokens=count) for count in tokens]
    replies[0] = ChatReply(text="x", stop="stop", prompt_tokens=1)
    done = record_run(run, wanted, scripted(*replies), tmp_path / "a.jsonl")
    assert (3, 1) == (done.same_count, done.other_count)
