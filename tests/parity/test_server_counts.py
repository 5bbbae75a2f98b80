"""The proof that counting is exact: a running model server counts what we count.

SmolLM2 is served on the loopback by ``xllamacpp``. Its own chat template and its own
tokenizer are asked about the requests of every built-in suite, and real completions about a
few of different shape. What its template cannot express is a typed error of ours; rendered
and refused requests are both counted, in what this prints.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from palimpsest import messages, registry
from palimpsest.bench import builtin, compaction_suite
from palimpsest.bench.builtin import case_sets
from palimpsest.bench.case_run import CaseOptions, run_named
from palimpsest.bench.compaction import BESIDE
from palimpsest.bench.run import Options, run_all
from palimpsest.bench.selection import DEFAULT_STRATEGIES as CASE_STRATEGIES
from palimpsest.chat import ChatCall
from palimpsest.compaction import compact
from palimpsest.context.compact import DROP_OLDEST
from palimpsest.errors import TemplateError
from palimpsest.ledger import Request
from palimpsest.models import weights
from palimpsest.models.api import Api
from palimpsest.models.local import LocalModel, smollm2
from palimpsest.tokens import prepared
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Message, Tool

WINDOW = 4096
COMPLETIONS = 6
STRATEGIES = registry.names("strategies")
NAMES = (*builtin.names(), *case_sets.names())


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request of a suite, and what the tokenizer of the served model makes of it."""

    suite: str
    name: str
    sent: tuple[Message, ...]
    tools: tuple[Tool, ...]
    tokens: int | None
    """``None`` where the template refuses it."""


@pytest.fixture(scope="module")
def tokenizer() -> LocalTokenizer:
    weights.prepare()
    return prepared.load("smollm2-135m")


@pytest.fixture(scope="module")
def model(tokenizer: LocalTokenizer) -> Iterator[LocalModel]:
    opened = smollm2()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server(model: LocalModel) -> Api:
    return model.serve(WINDOW)


@pytest.fixture(scope="module")
def asked(tokenizer: LocalTokenizer, gemma: LocalTokenizer) -> tuple[Asked, ...]:
    """The requests of every built-in suite, whatever their content."""
    found: list[Asked] = []
    for name in NAMES:
        made = _of_set(name) if name in case_sets.names() else _of_suite(name)
        found += [_asked(name, where, request, tokenizer) for where, request in made]
    for key in (*BESIDE, DROP_OLDEST):
        compacted = compact(compaction_suite.load("request"), extractor=key, tokenizer=tokenizer)
        found.append(_asked(compaction_suite.NAME, key, compacted.request, tokenizer))
    return tuple(found)


def _of_set(name: str) -> Iterator[tuple[str, Request]]:
    options = Options(strategies=CASE_STRATEGIES, tokenizer="smollm2-135m")
    made = run_named(name, CaseOptions(run=options))
    for key, rows in made.rows.items():
        for row in rows:
            yield f"{key}, {row.case.id}", row.request


def _of_suite(name: str) -> Iterator[tuple[str, Request]]:
    suite = builtin.load(name)
    try:
        options = Options(
            strategies=STRATEGIES, tokenizer="smollm2-135m", sweep=(), look_after=False
        )
        (run,) = run_all([suite], options)
    except TemplateError:
        # It has turns that this model cannot read, so its requests are built for another one.
        (run,) = run_all([suite], Options(strategies=STRATEGIES, sweep=(), look_after=False))
    for key, rows in run.rows.items():
        for row in rows:
            yield f"{key}, turn {row.after}", row.request


def _asked(suite: str, name: str, request: Request, tokenizer: LocalTokenizer) -> Asked:
    try:
        tokens: int | None = tokenizer.count_request(request.sent, request.tools)
    except TemplateError:
        tokens = None
    return Asked(
        suite=suite, name=name, sent=request.sent, tools=request.tools, tokens=tokens
    )  # fmt: skip


def counted(server: Api, sent: Sequence[Message]) -> int:
    """What the server's own template and tokenizer make of some messages."""
    prompt = server.post("/apply-template", {"messages": [m.as_dict() for m in sent]})["prompt"]
    body = {"content": prompt, "add_special": False, "parse_special": True}
    return len(server.post("/tokenize", body)["tokens"])


def test_the_server_renders_and_counts_every_request_as_we_do(
    asked: tuple[Asked, ...], server: Api
) -> None:
    """Its own template and tokenizer give our count; what we refuse is tools, calls or media."""
    rendered = [one for one in asked if one.tokens is not None]
    refused = [one for one in asked if one.tokens is None]
    theirs = {(one.suite, one.name): counted(server, one.sent) for one in rendered}
    ours = {(one.suite, one.name): one.tokens for one in rendered}
    for name in (*NAMES, compaction_suite.NAME):
        lines = (
            sum(one.suite == name for one in rendered),
            sum(one.suite == name for one in refused),
        )
        sys.stdout.write(f"\n{name}: {lines[0]} requests rendered and counted, {lines[1]} refused")
    sys.stdout.write("\n")
    assert ours == theirs
    assert len(rendered) >= 40
    assert [] == [one.name for one in refused if not _has_more_than_text(one)]


def _has_more_than_text(one: Asked) -> bool:
    return bool(one.tools) or any(m.tool_calls or m.parts or m.role == "tool" for m in one.sent)


def test_a_completion_counts_its_prompt_as_we_do(
    asked: tuple[Asked, ...], model: LocalModel, server: Api
) -> None:
    """usage.prompt_tokens of a real completion is our count, for requests of different shape."""
    chosen = shapes([one for one in asked if one.tokens is not None])
    assert len(chosen) >= COMPLETIONS
    for one in chosen:
        call = ChatCall(messages=one.sent, tools=one.tools, window=WINDOW, limit=1, seed=1)
        assert one.tokens == model.answer(call).prompt_tokens, (one.suite, one.name)
    sys.stdout.write(f"\n{len(chosen)} completions counted their prompts as we do\n")


def shapes(rendered: Sequence[Asked]) -> list[Asked]:
    """The smallest request of each shape: turns sent, a block in the question, the suite."""
    found: dict[tuple[str, int, bool], Asked] = {}
    for one in sorted(rendered, key=lambda one: one.tokens or 0):
        block = "</notes>" in (one.sent[-1].content or "")
        found.setdefault((one.suite, min(len(one.sent), 8), block), one)
    return list(found.values())[: COMPLETIONS + 4]


@pytest.mark.parametrize(
    "sent",
    [
        [{"role": "user", "content": "No system message, so the template adds its own."}],
        [{"role": "system", "content": "Rules."}, {"role": "user", "content": "  blanks \n"}],
        [{"role": "user", "content": "é ü 你好 🎉 \u200b <|im_start|> <|im_end|> </s>"}],
        [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}],
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": ""},
         {"role": "user", "content": "b"}],
        [{"role": "user", "content": "12345678901234567890 x = [[1], {2}];\n\n\tif (a) b();"}],
    ],
    ids=["no-system", "blanks", "signs", "text-parts", "empty-reply", "code"],
)  # fmt: skip
def test_unusual_texts_are_counted_alike(
    sent: list[dict[str, object]], server: Api, tokenizer: LocalTokenizer
) -> None:
    """Control strings, blanks, scripts and numbers: the two vocabularies agree."""
    read = messages.messages(sent)
    assert counted(server, read) == tokenizer.count_request(read, ())


@pytest.mark.parametrize(
    ("sent", "tools", "said"),
    [
        ([{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
          {"role": "tool", "tool_call_id": "a", "content": "found"}], None, "look"),
        ([{"role": "user", "content": "x"}],
         [{"type": "function", "function": {"name": "look", "parameters": {}}}], "'look'"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}],
         None, "media"),
    ],
    ids=["calls", "tools", "media"],
)  # fmt: skip
def test_what_its_template_cannot_express_is_a_typed_error(
    sent: list[dict[str, object]], tools: object, said: str, tokenizer: LocalTokenizer
) -> None:
    """The template drops calls, tools and media in silence; we refuse to count them."""
    with pytest.raises(TemplateError, match=said):
        tokenizer.count_request(messages.messages(sent), messages.tools(tools))
