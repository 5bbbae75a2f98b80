"""The answer checks as a task of inspect-ai: ``inspect eval palimpsest/answers``.

The dataset is every request of a suite or case set, the solver sends it as it was built, and
the scorer is our grader. Invariant: equal answers get the grades of ``palimpsest answers
grade``; nothing is added to a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import (
        CORRECT,
        INCORRECT,
        NOANSWER,
        Metric,
        SampleScore,
        Score,
        Scorer,
        Target,
        accuracy,
        grouped,
        metric,
        scorer,
    )
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    from palimpsest.errors import NotPrepared

    raise NotPrepared(
        f"the task needs {str(error.name).partition('.')[0]!r}: "
        "pip install 'palimpsest-memory[inspect]'"
    ) from None

from palimpsest.bench.answers import keys as answer_keys
from palimpsest.bench.answers.asked import Ask
from palimpsest.bench.answers.grading import AnswerGrade, grade
from palimpsest.bench.answers.subjects import build, cases_of, find, keys_of
from palimpsest.bench.run import Options
from palimpsest.chat import Sampling
from palimpsest.errors import InputError
from palimpsest.integrations.inspect_messages import (
    call_data,
    chat_messages,
    offered,
    openai_messages,
)
from palimpsest.models.recordings import AskedRequest, GivenAnswer
from palimpsest.types import canonical

_VALUES = {"pass": CORRECT, "fail": INCORRECT, "incomplete": NOANSWER}
_SEEDS = 5


@task
def answers(
    suite: str = "travel-50",
    strategy: str | list[str] = "",
    checkpoint: int | list[int] | None = None,
    keys: str = "",
    config: str = "",
    tokenizer: str = "",
    seeds: int = _SEEDS,
) -> Task:
    """Does a model answer with the facts that its request holds?

    ``suite`` is a suite or case set, built in or a file; ``strategy``, ``checkpoint``,
    ``keys``, ``config`` and ``tokenizer`` are those of ``palimpsest answers``. Each epoch is
    a seed. Raises InputError, NotFound, SpecError or NotPrepared before anything is sent.
    """
    subject = find(suite)
    if not keys and keys_of(subject) is None:
        raise InputError(
            f"{subject.name}: has no keys, so its answers cannot be graded; write them into the "
            "suite, or give -T keys=FILE"
        )
    built = build(
        subject,
        Options(config=Path(config) if config else None, tokenizer=tokenizer or None, sweep=()),
        strategies=_several(strategy),
        checkpoints=(checkpoint,) if isinstance(checkpoint, int) else tuple(checkpoint or ()),
    )
    markers = list(built.frame.markers)
    return Task(
        dataset=MemoryDataset([_sample(ask, markers) for ask in built.asks], name=built.name),
        solver=as_built(),
        scorer=graded(suite=suite, keys=keys),
        epochs=seeds,
        metadata={"suite": built.name, "suite_hash": built.hash, "tokenizer": built.frame.name},
    )


def _several(given: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(filter(None, (given,) if isinstance(given, str) else given))


def _sample(ask: Ask, markers: list[str]) -> Sample:
    line = ask.line
    return Sample(
        input=chat_messages(line.messages),
        id=f"{line.strategy} {line.case}",
        metadata={
            "strategy": line.strategy, "case": line.case, "hash": line.hash, "window": line.window,
            "limit": line.limit, "tokens": line.tokens, "markers": markers,
            "tools": [dict(tool) for tool in line.tools],
        },
    )  # fmt: skip


@solver
def as_built() -> Solver:
    """Send the request of a sample and nothing else; the epoch is the seed."""
    drawn = Sampling()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.tools = offered(state.metadata["tools"])
        return await generate(
            state, tool_calls="none", max_tokens=state.metadata["limit"], seed=state.epoch,
            temperature=drawn.temperature, top_p=drawn.top_p, top_k=drawn.top_k,
        )  # fmt: skip

    return solve


@metric(scores="unreduced")
def stale_as_current() -> Metric:
    """How many answers state a replaced fact as current, over all seeds."""
    return _counting("stale")


@metric(scores="unreduced")
def forgotten() -> Metric:
    """How many answers state a value that the user asked to forget, over all seeds."""
    return _counting("forgotten")


def _counting(name: str) -> Metric:
    def count(scores: list[SampleScore]) -> int:
        return sum(bool((one.score.metadata or {}).get(name)) for one in scores)

    return count


@scorer(metrics=[grouped(accuracy(), "strategy"), stale_as_current(), forgotten()])
def graded(suite: str, keys: str = "") -> Scorer:
    """Our grader with its reasons; pass is C, fail is I, nothing said is N."""
    subject = find(suite)
    own = answer_keys.load(Path(keys)) if keys else keys_of(subject)
    assert own is not None, "the task refuses a suite without keys"
    cases = cases_of(subject)
    answer_keys.check(own, cases, set(cases))

    async def score(state: TaskState, target: Target) -> Score:
        told = state.metadata
        found = grade(cases[told["case"]], _given(state), own, _request(state), told["markers"])
        return _score(found, state.output.completion)

    return score


def _given(state: TaskState) -> GivenAnswer:
    """The answer of the model as a recording would hold it."""
    said = state.output
    calls = (said.message.tool_calls or []) if said.choices else []
    return GivenAnswer(
        strategy=state.metadata["strategy"],
        case=state.metadata["case"],
        seed=state.epoch,
        answer=said.completion,
        tool_calls=tuple(canonical(call_data(call)) for call in calls),
        stop="length" if said.choices and said.stop_reason == "max_tokens" else "stop",
    )


def _request(state: TaskState) -> AskedRequest:
    told, sent = state.metadata, state.input
    assert not isinstance(sent, str), "a sample holds messages"
    return AskedRequest(
        strategy=told["strategy"], case=told["case"], hash=told["hash"], window=told["window"],
        limit=told["limit"], tokens=told["tokens"], messages=tuple(openai_messages(sent)),
        tools=tuple(told["tools"]),
    )  # fmt: skip


def _score(found: AnswerGrade, said: str) -> Score:
    missing = {one.fact: one.where for one in found.missing}
    lines = [
        found.said or "every required fact",
        *(f"{f}: {where}" for f, where in missing.items()),
    ]
    return Score(
        value=_VALUES[found.verdict],
        answer=said,
        explanation="\n".join(lines),
        metadata={
            "verdict": found.verdict, "reason": found.reason, "said": found.said,
            "found": list(found.found), "required": found.required, "missing": missing,
            "stale": list(found.stale), "forgotten": list(found.forgotten), "cut": found.cut,
        },
    )  # fmt: skip
