"""The requests of a run that a model is asked: exactly those that the benchmark built.

Invariant: nothing is added to a request and nothing is left out; its hash is that of the
messages and tools that its strategy returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.bench.answers.cases import id_of
from palimpsest.bench.replay import Replayed
from palimpsest.chat import request_hash
from palimpsest.errors import InputError
from palimpsest.ledger import Request
from palimpsest.models.recordings import AskedRequest
from palimpsest.types import Message, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request as records, and as the line that a recording keeps of it."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    line: AskedRequest


def of_run(run: Replayed, checkpoints: Sequence[int] = ()) -> tuple[Ask, ...]:
    """Every request of a replay, checkpoint by checkpoint; only some where they are named."""
    known = [point.after for point in run.suite.checkpoints]
    wrong = [after for after in checkpoints if after not in known]
    if wrong:
        raise InputError(
            f"--checkpoint {wrong[0]}: {run.suite.name!r} has no checkpoint there; it has "
            f"{', '.join(map(str, known))}"
        )
    wanted = [after for after in known if not checkpoints or after in checkpoints]
    return tuple(
        ask(row.request, strategy=key, case=id_of(after))
        for after in wanted
        for key, rows in run.rows.items()
        for row in rows
        if row.after == after
    )


def ask(request: Request, *, strategy: str, case: str) -> Ask:
    """One built request as it will be sent."""
    return Ask(
        messages=request.sent,
        tools=request.tools,
        line=AskedRequest(
            strategy=strategy,
            case=case,
            hash=request_hash(request.sent, request.tools),
            window=request.budget.window,
            limit=request.budget.answer,
            tokens=request.tokens,
            messages=tuple(request.messages),
            tools=tuple(tool.as_dict() for tool in request.tools),
        ),
    )
