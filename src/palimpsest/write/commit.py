"""Commits what a reading proposed: every proposal decided, applied and recorded.

Invariant: one transaction a turn, together with the mark that the turn was read. Nothing is
applied twice, and a turn that changed since it was read (a forget, say) commits nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.proposals import Extraction, Proposal, Reflection, Seen, Verdict
from palimpsest.settings import DedupSettings, StorySettings
from palimpsest.types import Memory, Scope, canonical
from palimpsest.write import commands, known_again, late_words, proposed, story, withholding
from palimpsest.write.decide import Decision, Trust, decide
from palimpsest.write.direction import keeps
from palimpsest.write.forget_value import forget_value
from palimpsest.write.forgetting import forget_rows
from palimpsest.write.nearest import nearest
from palimpsest.write.parts import WriteStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an extractor made of a turn, and under which rules it is to be decided."""

    seen: Seen
    extraction: Extraction
    extractor: str
    """The printed Spec."""
    trust: Trust
    dedup: DedupSettings
    story: StorySettings
    rejected: tuple[str | None, ...]
    """For each proposal the rule of the filter that rejects it, or ``None``."""
    retirements: Mapping[Scope, int]
    """Of every conversation that holds what was seen, as they were then."""


def commit(store: WriteStore, scope: Scope, reading: Reading) -> Reflection | None:
    """Decide and apply a whole reading; ``None`` where it is void.

    Void: another reading of the turn was committed first, or the turn or a memory that was
    shown is no longer what was read. Then it still waits, and is to be read again.
    """
    number = reading.seen.turn.number
    with store.transaction():
        waiting = store.reflections.get(scope, number)
        if waiting is None or waiting.status == "done":
            return None
        if _changed(store, scope, reading):
            return None
        settled: list[Verdict] = []
        for proposal, refused in zip(reading.extraction.proposals, reading.rejected, strict=True):
            placed = _placed(proposal, settled)
            settled.append(_settle(store, scope, placed, refused, reading))
        made = (*settled, *_told(store, scope, reading))
        if reading.extraction.summary is not None or reading.extraction.anchors:
            withholding.renew(store, scope)
        store.reflections.finish(
            scope, number, status="done", extractor=reading.extractor,
            usage=reading.extraction.usage, read=len(reading.seen.turn.messages),
        )  # fmt: skip
        done = store.reflections.get(scope, number)
        assert done is not None
    return dataclasses.replace(done, verdicts=made)


def _told(store: WriteStore, scope: Scope, reading: Reading) -> Iterator[Verdict]:
    """Change the story; a verdict on each part, also on those that say what was forgotten."""
    number, extractor = reading.seen.turn.number, reading.extractor
    extraction, refused = known_again.told(store, scope, reading.extraction)
    for _ in refused:
        yield store.verdicts.add(
            scope, turn=number, action="reject", rule=known_again.RULE, text="",
            extractor=extractor,
        )  # fmt: skip
    for told in story.apply(store, scope, reading.seen, extraction, reading.story):
        yield store.verdicts.add(
            scope, turn=number, action=told.action, rule=told.rule, text=told.text,
            extractor=extractor, undo=told.undo,
        )  # fmt: skip


def _changed(store: WriteStore, scope: Scope, reading: Reading) -> bool:
    """True where a forget or a correction came in between: it wins over what was read before."""
    if store.turns.get(scope, reading.seen.turn.number) != reading.seen.turn:
        return True
    return any(store.conversations.retirements(at) != n for at, n in reading.retirements.items())


def _placed(proposal: Proposal, settled: Sequence[Verdict]) -> Proposal:
    """A proposal that means another one of its reading means the memory which that one became.

    Where it became none the target goes, and a request to forget then names nothing that is held.
    """
    if all(id > 0 for id in proposal.targets):
        return proposal
    became = {-place: verdict.memory for place, verdict in enumerate(settled, 1)}
    ids = (id if id > 0 else became.get(id) for id in proposal.targets)
    held = tuple(id for id in ids if id is not None)
    attribute = proposal.attribute if held or proposal.op != "forget" else None
    return dataclasses.replace(proposal, targets=held, attribute=attribute)


def _settle(
    store: WriteStore, scope: Scope, proposal: Proposal, refused: str | None, reading: Reading
) -> Verdict:
    known = store.memories.visible(scope)
    if known_again.refused(store, scope, proposal, reading.seen, lift=refused is None):
        refused = known_again.RULE
    near = (
        None
        if refused or proposal.op == "forget"
        else nearest(store, scope, proposal, known, reading.dedup)
    )
    also = store.memories.replaced(scope) if proposal.op == "forget" else ()
    decision = decide(
        proposal, (*known, *also) if proposal.targets else known, near, rejected=refused,
        trust=reading.trust,
    )  # fmt: skip
    decision = late_words.held_back(store, scope, decision, reading.seen.said_at)
    done = _applied(store, scope, proposal, decision, reading)
    verdict = store.verdicts.add(
        scope, turn=reading.seen.turn.number, action=decision.action, rule=decision.rule,
        # A forget request holds what is to be gone; its words are kept nowhere.
        text="" if proposal.op == "forget" or refused == known_again.RULE else proposal.text,
        extractor=reading.extractor, memory=done.memory, other=done.other, score=decision.score,
        undo=done.undo,
    )  # fmt: skip
    if decision.rule in withholding.RULES:
        held = withholding.candidates(proposal, decision.rows, known)
        withholding.hold(store, scope, verdict.id, held)
        return dataclasses.replace(verdict, candidates=held)
    return verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    memory: int | None = None
    other: int | None = None
    undo: str = ""


def _applied(
    store: WriteStore, scope: Scope, proposal: Proposal, decision: Decision, reading: Reading
) -> _Done:
    turn, rows = reading.seen.turn.number, decision.rows
    first = rows[0].id if rows else None
    if decision.action == "merge":
        late = late_words.overruled(store, scope, rows, reading.seen.said_at)
        return _merged(store, scope, rows[0], proposal, turn, late=late)
    if decision.rule == "forget-value":
        forget_value(store, scope, proposal.value or "", turn=turn)
        return _Done()
    if decision.action == "forget":
        if rows:
            forget_rows(store, scope, [row.id for row in rows], turn=turn, asked_by="user")
        return _Done(memory=first)
    if decision.action in ("reject", "review") and decision.rule != "undecided-conflict":
        waits = proposal.op != "forget" and decision.action == "review"
        return _Done(other=first, undo=proposed.written(proposal) if waits else "")
    traits = proposed.traits(proposal, trusted=reading.trust.trusted)
    if decision.action == "supersede":
        traits = commands.inherited(traits, rows)
    made = commands.remember(
        store, scope, proposal.text, attribute=proposal.attribute, value=proposal.value, turn=turn,
        traits=traits,
    )  # fmt: skip
    if decision.action == "supersede":
        for row in rows:
            commands.replace(store, row, made, until=_own_turn(row, scope, turn))
        undo = {"added": made.id, "superseded": [[r.scope.conversation, r.id] for r in rows]}
        return _Done(memory=made.id, other=rows[-1].id, undo=canonical(undo))
    last = rows[-1].id if rows else None
    return _Done(memory=made.id, other=last, undo=canonical({"added": made.id}))


def _merged(
    store: WriteStore, scope: Scope, row: Memory, proposal: Proposal, turn: int, *, late: bool
) -> _Done:
    """One statement more; the newer wording stands unless it says less."""
    undo = {"merged": row.id, "home": row.scope.conversation, "text": row.text, "value": row.value}
    store.memories.see(row.scope, row.id)
    # The wording that gives way was said in a turn, and must go with the memory one day.
    newer = not late and not keeps(row.text, proposal.text)
    if newer and row.turn is not None:
        store.wordings.add(row, row.scope, turn=row.turn, text=row.text)
    store.wordings.add(row, scope, turn=turn, text=proposal.text)
    if newer:
        store.memories.rewrite(
            row.scope, row.id, text=proposal.text, value=proposal.value or row.value
        )
    return _Done(memory=row.id, other=row.id, undo=canonical(undo))


def _own_turn(row: Memory, scope: Scope, turn: int) -> int | None:
    """The turn that something is said at, in the conversation of the row; else its newest."""
    return turn if row.scope == scope else None
