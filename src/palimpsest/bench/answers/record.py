"""Asks a model every request once per seed, and keeps each answer the moment it arrives.

What a recording already holds is not asked again, so a run that was interrupted goes on
where it stopped. Invariant: after any interruption, a second run asks exactly the calls
that have no answer on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.bench.answers.asked import Ask
from palimpsest.chat import ChatCall, Sampling
from palimpsest.errors import InputError, ModelError
from palimpsest.models.recordings import GivenAnswer, Journal
from palimpsest.protocols import ChatModel

Step = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What one run of recording did."""

    asked: int
    """Calls that were made now."""
    kept: int
    """Answers that the file already held."""
    same_count: int
    """Answers whose prompt the server counted as this package did."""
    other_count: int
    """Answers whose prompt it counted otherwise."""


def record(
    journal: Journal,
    model: ChatModel,
    asks: Sequence[Ask],
    *,
    seeds: Sequence[int],
    sampling: Sampling,
    step: Step | None = None,
) -> Recorded:
    """Ask what is not answered yet; ``step(done, of)`` is told of every answer.

    Raises ModelError where the model fails; what was answered before is kept.
    """
    before = journal.recording
    answers = {(given.strategy, given.case, given.seed): given for given in before.answers}
    _check(asks, journal)
    plan = [(ask, seed) for ask in asks for seed in seeds]
    wanted = {(ask.line.strategy, ask.line.case, seed) for ask, seed in plan}
    kept = len(wanted & set(answers))
    written = set(before.requests)
    for ask, seed in plan:
        line = ask.line
        if (line.strategy, line.case, seed) in answers:
            continue
        if (line.strategy, line.case) not in written:
            journal.add_request(line)
            written.add((line.strategy, line.case))
        given = _asked(model, ask, seed, sampling, done=len(wanted & set(answers)), of=len(plan))
        journal.add_answer(given)
        answers[line.strategy, line.case, seed] = given
        if step:
            step(len(wanted & set(answers)), len(plan))
    return _result(asks, [answers[key] for key in wanted], asked=len(plan) - kept, kept=kept)


def _asked(
    model: ChatModel, ask: Ask, seed: int, sampling: Sampling, *, done: int, of: int
) -> GivenAnswer:
    line = ask.line
    call = ChatCall(
        messages=ask.messages, tools=ask.tools, window=line.window, limit=line.limit,
        seed=seed, sampling=sampling,
    )  # fmt: skip
    try:
        reply = model.answer(call)
    except ModelError as error:
        raise ModelError(
            f"{error} ({line.strategy}, {line.case}, seed {seed}); {done} of {of} answers are "
            "kept, and the same command goes on from there"
        ) from None
    return GivenAnswer(
        strategy=line.strategy,
        case=line.case,
        seed=seed,
        answer=reply.text,
        tool_calls=reply.tool_calls,
        stop=reply.stop,
        prompt_tokens=reply.prompt_tokens,
        answer_tokens=reply.answer_tokens,
    )


def _check(asks: Sequence[Ask], journal: Journal) -> None:
    """Refuse to mix answers to two versions of one request."""
    for ask in asks:
        line = ask.line
        found = journal.recording.requests.get((line.strategy, line.case))
        if found is not None and (found.hash, found.window, found.limit) != (
            line.hash, line.window, line.limit,
        ):  # fmt: skip
            raise InputError(
                f"{journal.path}: {line.strategy}, {line.case} was recorded with another request "
                f"({found.hash[:19]}..., now {line.hash[:19]}...); name another file with --out"
            )


def _result(
    asks: Sequence[Ask], answers: Sequence[GivenAnswer], *, asked: int, kept: int
) -> Recorded:
    tokens = {(ask.line.strategy, ask.line.case): ask.line.tokens for ask in asks}
    counted = [given for given in answers if given.prompt_tokens is not None]
    same = sum(tokens[given.strategy, given.case] == given.prompt_tokens for given in counted)
    return Recorded(asked=asked, kept=kept, same_count=same, other_count=len(counted) - same)
