"""The task of inspect-ai: the same requests, the same grades, run by inspect itself."""

from __future__ import annotations

import contextvars
import gc
import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall

from palimpsest.bench import suite as suites
from palimpsest.bench.answers import cases, keys, published
from palimpsest.bench.answers.graded import grade_all
from palimpsest.bench.answers.subjects import build, find
from palimpsest.errors import InputError, NotFound
from palimpsest.integrations.inspect_messages import chat_messages, offered, openai_messages
from palimpsest.integrations.inspect_task import answers, as_built
from palimpsest.models.recordings import Recording
from tests.support.model_server import ModelServer, serve
from tests.support.suites import MEETING, data, point

# Of inspect-ai: it names a parameter of its retry library in the old way, and leaves a stream
# to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]
KEYS = Path(__file__).parents[2] / "data" / "answer_keys" / "compaction-50.toml"
USAGE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
MEETING_KEYS = {"languages": ["en"], "facts": {"Birch & Co.": "birch", "room is Alder": "alder",
                                               "4711": "4711"}}  # fmt: skip


def said(text: str, stop: str = "stop", calls: list[ToolCall] | None = None) -> ModelOutput:
    message = ChatMessageAssistant(content=text, tool_calls=calls)
    made = ModelOutput.from_message(message, stop_reason=stop)  # type: ignore[arg-type]
    made.usage = USAGE
    return made


def ran(task: Any, outputs: Any, folder: Path, **more: Any) -> EvalLog:
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = evaluate(task, model=model, display="none", log_dir=str(folder / "logs"), **more)
    gc.collect()  # while the filters of this test stand
    assert "success" == log.status, log.error
    return log


def meeting(folder: Path) -> str:
    points = [point(2, [], ["room is Alder"][:0]), point(5, ["Birch & Co."], ["room is Alder"],
                                                         ["4711"])]  # fmt: skip
    made = data(MEETING, points[1:], name="meeting", keys=MEETING_KEYS,
                settings={"tokenizer": {"name": "estimate"}, "sweep": {"quota": []}})  # fmt: skip
    (folder / "meeting.json").write_text(json.dumps(made), encoding="utf-8")
    return str(folder / "meeting.json")


def test_published_answers_get_the_grades_of_answers_grade(
    published_answers: Path, tmp_path: Path
) -> None:
    """40 answers through inspect: each verdict, reason, fact and total is what grading gives."""
    place = published_answers / "conversation.json"
    recording = published.load(published_answers / "answers.json")
    given = {(one.strategy, one.case, one.seed): one for one in recording.answers}
    bare = Recording(head=None, requests={}, answers=recording.answers)
    groups = grade_all(bare, keys.load(KEYS), cases.of_suite(suites.load(place)))
    theirs = json.loads((published_answers / "grades.json").read_text(encoding="utf-8"))["graded"]
    task = answers(suite=str(place), keys=str(KEYS), checkpoint=[40, 50])

    def outputs(sent: list[ChatMessage], tools: Any, choice: Any, config: GenerateConfig) -> Any:
        one = given[(*ANSWERED.get(), config.seed)]
        return said(one.answer, "max_tokens" if one.stop == "length" else "stop")

    log = ran(task, outputs, tmp_path, solver=telling())
    ours = {
        (s.metadata["strategy"], s.metadata["case"], s.epoch): s.scores["graded"].metadata
        for s in log.samples or ()
    }
    graded = {(g.strategy, g.case, one.seed): one for g in groups for one in g.grades}
    assert (40, set(graded)) == (len(ours), set(ours))
    for (strategy, case, seed), wanted in graded.items():
        told = ours[strategy, case, seed]
        shown = (told["verdict"], told["said"], tuple(told["found"]), told["cut"])
        assert (wanted.verdict, wanted.said, wanted.found, wanted.cut) == shown
        assert {one.fact for one in wanted.missing} == set(told["missing"])
        assert theirs[f"{strategy} · {case}"][seed - 1] == told["verdict"]
    metrics = {name: m.value for s in log.results.scores for name, m in s.metrics.items()}
    assert sum(one.verdict == "pass" for one in graded.values()) / 40 == metrics["all"]
    assert sum(bool(one.stale) for one in graded.values()) == metrics["stale_as_current"]
    assert sum(bool(one.forgotten) for one in graded.values()) == metrics["forgotten"]


ANSWERED: contextvars.ContextVar[tuple[str, str]] = contextvars.ContextVar("answered")


@solver
def telling() -> Solver:
    """The solver of the task; it tells the model of the test which request is answered."""
    sends = as_built()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        ANSWERED.set((state.metadata["strategy"], state.metadata["case"]))
        return await sends(state, generate)

    return solve


@pytest.fixture
def published_answers(shared: Path) -> Path:
    return shared / "published" / "compaction-50"


def test_a_score_says_its_reason_and_where_a_missing_fact_was(tmp_path: Path) -> None:
    """What a person reads in the log viewer is the reason of our grader."""
    task = answers(suite=meeting(tmp_path), strategy=["managed", "recent"], seeds=1)
    replies = iter(["It is Birch & Co.", "The room is Alder, and the pin is 4711."])
    log = ran(task, lambda *_: said(next(replies)), tmp_path, max_samples=1)
    first, second = (sample.scores["graded"] for sample in log.samples or ())
    assert ("C", "every required fact") == (first.value, first.explanation)
    assert "I" == second.value
    assert second.explanation.startswith("states a forgotten value: 4711")
    assert "Birch & Co.: in the request, not used" in second.explanation
    assert {"stale": ["room is Alder"], "forgotten": ["4711"]} == {
        key: second.metadata[key] for key in ("stale", "forgotten")
    }


def test_a_call_or_nothing_is_no_answer(tmp_path: Path) -> None:
    """N is what inspect calls an answer that was not given; it counts as no success."""
    call = ToolCall(id="c", function="look", arguments={"a": 1})
    replies = iter([said("", calls=[call]), said("   ")])
    task = answers(suite=meeting(tmp_path), strategy="managed", seeds=2)
    log = ran(task, lambda *_: next(replies), tmp_path, max_samples=1)
    scores = [sample.scores["graded"] for sample in log.samples or ()]
    assert ["N", "N"] == [score.value for score in scores]
    assert ["tool-call", "empty"] == [score.metadata["reason"] for score in scores]


def test_what_is_sent_is_the_request_as_it_was_built(tmp_path: Path) -> None:
    """Every message of every request, its tools and its limit; one sample a request."""
    asked: list[Any] = []

    def outputs(sent: list[ChatMessage], tools: Any, choice: Any, config: GenerateConfig) -> Any:
        asked.append((openai_messages(sent), sorted(tool.name for tool in tools)))
        return said("Fine.")

    task = answers(suite="travel-50", strategy="managed", tokenizer="estimate", seeds=1)
    ran(task, outputs, tmp_path, max_samples=1)
    from palimpsest.bench.run import Options

    built = build(
        find("travel-50"), Options(tokenizer="estimate", sweep=()), strategies=["managed"]
    )
    assert [[dict(m) for m in one.line.messages] for one in built.asks] == [m for m, _ in asked]


def test_calls_results_and_schemas_go_through() -> None:
    """The shapes of a request with tools, and back, lose nothing."""
    call = {"id": "c1", "type": "function",
            "function": {"name": "book", "arguments": '{"day": "Ω"}'}}  # fmt: skip
    sent = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Book it."}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "Done."},
    ]
    made = chat_messages(sent)
    assert isinstance(made[3], ChatMessageTool)
    assert "book" == made[3].function
    back = openai_messages(made)
    assert ["Be brief.", "Book it.", "", "Done."] == [row["content"] for row in back]
    assert [call] == back[2]["tool_calls"]
    schema = {"type": "function", "function": {"name": "pay", "description": "Pays.", "parameters": {
        "type": "object", "properties": {"sum": {"type": "number", "description": "Euros"}}}}}  # fmt: skip
    assert 1 == len(offered([schema]))
    with pytest.raises(InputError, match=r"messages\[0\].content\[0\]: a 'input_audio' part"):
        chat_messages([{"role": "user", "content": [{"type": "input_audio"}]}])


def test_what_cannot_be_graded_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    """No keys, no such suite, no such checkpoint."""
    bare = json.loads(Path(meeting(tmp_path)).read_text(encoding="utf-8"))
    del bare["keys"]
    (tmp_path / "bare.json").write_text(json.dumps(bare), encoding="utf-8")
    with pytest.raises(InputError, match="has no keys"):
        answers(suite=str(tmp_path / "bare.json"))
    with pytest.raises(NotFound, match="did you mean 'travel-50'"):
        answers(suite="travel-5O")
    with pytest.raises(InputError, match="no checkpoint there"):
        answers(suite=meeting(tmp_path), checkpoint=3)


def test_it_runs_by_its_name_with_a_server_on_the_loopback(tmp_path: Path) -> None:
    """`inspect eval palimpsest/answers`, as a wheel is installed, against an OpenAI API."""
    site = tmp_path / "site-packages"
    import palimpsest

    shutil.copytree(Path(palimpsest.__file__).parent, site / "palimpsest",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    info = site / "palimpsest_memory-0.1.0.dist-info"
    info.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        text = metadata.distribution("palimpsest-memory").read_text(name)
        assert text is not None
        (info / name).write_text(text, encoding="utf-8")
    with serve(ModelServer(answers=["It is Birch & Co."])) as server:
        done = subprocess.run(
            [sys.executable, "-m", "inspect_ai", "eval", "palimpsest/answers", "--display", "none",
             "--model", "openai-api/loop/toy", "-T", f"suite={meeting(tmp_path)}",
             "-T", "strategy=managed", "-T", "seeds=1", "--log-dir", str(tmp_path / "logs")],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=180,
            env={**os.environ, "PYTHONPATH": str(site), "LOOP_API_KEY": "none",
                 "LOOP_BASE_URL": f"{server.url}/v1"},
        )  # fmt: skip
    assert 0 == done.returncode, done.stdout + done.stderr
    (place,) = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(place))
    assert ("success", "palimpsest/answers") == (log.status, log.eval.task), log.error
    (sample,) = log.samples or ()
    assert "C" == sample.scores["graded"].value
    (body,) = server.asked
    assert "Birch & Co." in json.dumps(body["messages"])
    assert 1 == body["seed"]


WITHOUT = (
    "import sys; sys.modules['inspect_ai'] = None; import palimpsest.integrations.inspect_task"
)


def test_a_missing_extra_says_the_install_line() -> None:
    """Without inspect-ai the module is an error with the line that brings it."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "pip install 'palimpsest-memory[inspect]'" in done.stderr
