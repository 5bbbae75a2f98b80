"""The table of the tools: what each is given, what it answers and what it may change.

Invariant: a tool acts on the one conversation that the server was started for, by the core's
own commands, and a forget takes exactly what its plan showed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.forgetting import ForgetPlan
from palimpsest.integrations.mcp import arguments, reasons, results
from palimpsest.integrations.mcp.arguments import Arguments
from palimpsest.integrations.mcp.plans import SECONDS, Plans, Waiting
from palimpsest.integrations.mcp.results import Result
from palimpsest.types import Scope

LISTED = 50
"""Rows and pieces of a plan that are listed; the counts hold all of them."""
SOURCE = "mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What the tools of one server act on."""

    memory: Memory
    scope: Scope
    plans: Plans

    @property
    def talk(self) -> Conversation:
        """The conversation that the server was started for."""
        return self.memory.conversation(user=self.scope.user, id=self.scope.conversation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool."""

    title: str
    description: str
    takes: type[Arguments]
    gives: type[Result]
    run: Callable[[Bound, Any], Result]
    reads: bool = False
    """It changes nothing."""
    replaces: bool = False
    """It may change or delete what is there."""


def _remember(bound: Bound, given: arguments.Remember) -> results.Remembered:
    talk = bound.talk
    _check_forgotten(talk, given.text, given.value, given.attribute, again=given.said_again)
    made = talk.remember(given.text, attribute=given.attribute, value=given.value, source=SOURCE)
    return results.Remembered(memory=results.memory(made))


def _check_forgotten(talk: Conversation, *said: str | None, again: bool) -> None:
    """Keep what is old in a client's context from bringing back what was forgotten."""
    if again:
        return
    records = talk.forgotten("\n".join(filter(None, said)))
    if records:
        raise InputError(
            f"text: it says a value that was forgotten on {records[-1].created_at[:10]} (record "
            f"{records[-1].id}); only where the user has said it again since, call it with "
            "said_again=true"
        )


def _recall(bound: Bound, given: arguments.Recall) -> results.Recalled:
    found = bound.talk.recall(given.query, limit=given.limit)
    return results.Recalled(
        memories=[
            results.RecalledMemory(
                memory=results.memory(each.memory), reason=each.reason, semantic=each.semantic,
                lexical=each.lexical,
            )
            for each in found.memories
        ],
        found=found.found, rules=[results.memory(row) for row in found.rules[:LISTED]],
        degraded=results.words(found.degraded),
    )  # fmt: skip


def _memories(bound: Bound, given: arguments.Memories) -> results.Page:
    rows = [
        row for row in reversed(bound.talk.visible())
        if row.superseded_by is None and given.kind in (None, row.kind)
    ]  # fmt: skip
    behind = [row for row in rows if given.before is None or row.id < given.before]
    page = behind[: given.limit]
    return results.Page(
        memories=[results.memory(row) for row in page], found=len(rows),
        next=page[-1].id if len(behind) > len(page) else None,
    )  # fmt: skip


def _correct(bound: Bound, given: arguments.Correct) -> results.Corrected:
    talk = bound.talk
    named = (given.id, given.attribute, given.description)
    if sum(each is not None for each in named) != 1:
        raise InputError("name what is replaced by exactly one of: id, attribute, description")
    _check_forgotten(talk, given.text, given.value, again=given.said_again)
    made = talk.correct(
        given.text, attribute=given.attribute, id=given.id, words=given.description,
        value=given.value, source=SOURCE,
    )  # fmt: skip
    replaced = [row.id for row in talk.visible() if row.superseded_by == made.id]
    return results.Corrected(memory=results.memory(made), replaced=replaced)


def _plan_forget(bound: Bound, given: arguments.PlanForget) -> results.Plan:
    plan = bound.talk.plan_forget(
        given.description, attribute=given.attribute, id=given.id, value=given.value
    )
    token = None
    if not plan.ambiguous:
        token = bound.plans.keep(
            Waiting(
                id=given.id, attribute=given.attribute, description=given.description,
                value=given.value, seal=plan.seal,
            )
        )  # fmt: skip
    return _shown(plan, token)


def _shown(plan: ForgetPlan, token: str | None) -> results.Plan:
    meant = {each.memory.id for each in plan.rows}
    return results.Plan(
        token=token, seconds=int(SECONDS), ambiguous=plan.ambiguous,
        meant=[
            results.Scored(memory=results.memory(each.memory), score=each.score)
            for each in plan.rows[:LISTED]
        ],
        replaced=[results.memory(row) for row in plan.chain if row.id not in meant][:LISTED],
        stays=[
            results.Scored(memory=results.memory(each.memory), score=each.score)
            for each in plan.others[:LISTED]
        ],
        pieces=[
            results.TakenOut(
                conversation=results.words(each.place.conversation), turn=each.turn,
                role=each.role, text=results.words(each.text),
            )
            for each in plan.pieces[:LISTED]
        ],
        counts=dict(plan.counts),
    )  # fmt: skip


def _forget(bound: Bound, given: arguments.Forget) -> results.Forgot:
    plan = bound.plans.take(given.token)
    done = bound.talk.forget(
        attribute=plan.attribute, id=plan.id, value=plan.value, words=plan.description,
        seal=plan.seal, reason="asked for over MCP",
    )  # fmt: skip
    return results.Forgot(
        records=[results.forgotten(record) for record in done], scrubbed=bound.memory.scrubbed
    )


def _why(bound: Bound, given: arguments.Why) -> reasons.Reasons:
    return reasons.why(bound.talk, given)


def _observe(bound: Bound, given: arguments.Observe) -> results.Observed:
    talk = bound.talk
    numbers = {turn.number for turn in talk.observe(user=given.user, assistant=given.assistant)}
    talk.reflect()
    found = [each for each in talk.reflections() if each.turn in numbers]
    states = [each.status for each in found]
    return results.Observed(
        turns=sorted(numbers),
        read=next((s for s in ("failed", "pending") if s in states), "done"),
        error=results.words("; ".join(each.error for each in found if each.error)),
        verdicts=[
            reasons.verdict(each.action, each.rule, each.text, each.memory)
            for number in sorted(numbers)
            for each in talk.verdicts(turn=number)
        ],
    )  # fmt: skip


TOOLS: Mapping[str, Tool] = {
    "remember": Tool(
        title="Remember", run=_remember, takes=arguments.Remember, gives=results.Remembered,
        description=(
            "Keep one statement that the user made about themselves or their work, or asked to be "
            "kept. Do not keep guesses, or what you said yourself."
        ),
    ),
    "recall": Tool(
        title="Recall", run=_recall, takes=arguments.Recall, gives=results.Recalled, reads=True,
        description=(
            "Look for what is remembered about something before you answer. Gives the current "
            "memories only, the nearest first, with scores and reasons."
        ),
    ),
    "memories": Tool(
        title="List memories", run=_memories, takes=arguments.Memories, gives=results.Page,
        reads=True, description="List the current memories page by page, the newest first.",
    ),
    "correct": Tool(
        title="Correct", run=_correct, takes=arguments.Correct, gives=results.Corrected,
        replaces=True,
        description=(
            "Replace what is remembered by what holds now. Name what is replaced by exactly one of "
            "id, attribute and description."
        ),
    ),
    "plan_forget": Tool(
        title="Plan a forget", run=_plan_forget, takes=arguments.PlanForget, gives=results.Plan,
        reads=True,
        description=(
            "Show everything that forgetting something would take, and change nothing. Name it by "
            "exactly one of id, attribute, value and description. Show the plan to the user; where "
            "they agree, call forget with its token."
        ),
    ),
    "forget": Tool(
        title="Forget for good", run=_forget, takes=arguments.Forget, gives=results.Forgot,
        replaces=True,
        description=(
            "Delete exactly what a plan showed, everywhere and for good. Takes the token of "
            "plan_forget; refuses where anything else would go by now."
        ),
    ),
    "why": Tool(
        title="Why", run=_why, takes=arguments.Why, gives=reasons.Reasons, reads=True,
        description=(
            "Say why something is in the newest request or is not, and whether it is remembered, "
            "was replaced, or was forgotten and when. Ask about a text, the id of a memory or of a "
            "request; without any, about the newest request."
        ),
    ),
    "observe": Tool(
        title="Observe an exchange", run=_observe, takes=arguments.Observe, gives=results.Observed,
        replaces=True,
        description=(
            "Store one exchange word for word and let the program decide what to remember, correct "
            "or forget of it. Each proposal gets a verdict."
        ),
    ),
}  # fmt: skip
