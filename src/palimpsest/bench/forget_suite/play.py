"""Plays a case of the forget suite into a fresh store, and looks for what it must not hold.

Everything that the program can show of the conversation is searched: the requests of the
strategies that law 11 binds, turns, memories, verdicts, the story and the records.
Invariant: no model, no clock that matters, and the same outcome every time.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.bench.forget_suite.case import Case, Said
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import Ambiguous, NotFound
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.types import Budget

STRATEGIES = ("managed(quota=4000)", "seats(quota=4000)")
_BUDGET = Budget(window=200_000, answer=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a case: each fault in words that name no value."""

    case: Case
    leaks: tuple[str, ...]
    lost: tuple[str, ...]
    """Texts that should have stayed and are gone: collateral."""
    faults: tuple[str, ...]

    @property
    def held(self) -> bool:
        return not (self.leaks or self.lost or self.faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Old:
    """An extractor that proposes what was once said, whatever the transcript holds now."""

    said: Sequence[Said]
    name: str = "old-statements"
    trusted: bool = False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """See protocols.Extractor."""
        words = seen.turn.user
        quote = Quote(message=0, text=0, start=0, end=max(1, len(words)))
        told = [one for one in self.said if one.attribute]
        return Extraction(
            proposals=tuple(
                Proposal(text=one.text or one.user, quote=quote, attribute=one.attribute,
                         value=one.value)
                for one in told
            ),
            summary=" ".join(one.user for one in told),
            anchors=tuple(one.user for one in told),
        )  # fmt: skip


def played(case: Case, talk: Conversation) -> Outcome:
    """Play one case into an empty conversation and grade it."""
    faults: list[str] = []
    for said in case.said:
        say(talk, said, read="sentence" in case.forget)
    try:
        _forget(talk, case)
        if case.asks:
            faults.append("it was not asked which memory is meant")
    except Ambiguous:
        if not case.asks:
            faults.append("it asked which memory is meant")
    except NotFound:
        faults.append("nothing was found to forget")
    for said in case.later:
        say(talk, said)
    if case.again:
        _read_again(talk, case)
    if case.kind == "re-assertion" and not any(record.lifted for record in talk.deletions()):
        faults.append("no record says that it was lifted")
    held = list(shown(talk))
    return Outcome(
        case=case, faults=tuple(faults),
        leaks=tuple(
            f"{place}" for place, text in held for gone in case.gone if gone in text
        ),
        lost=tuple(
            kept for kept in case.kept if not any(p == STRATEGIES[0] and kept in t for p, t in held)
        ),
    )  # fmt: skip


def say(talk: Conversation, said: Said, *, read: bool = False) -> None:
    """Say one turn and remember its fact; or let the extractor ``rules`` read it."""
    if read:
        talk.observe(user=said.user, assistant=said.assistant)
        talk.reflect(extractor="rules")
        return
    (turn,) = talk.append(messages=_messages(said))
    if said.attribute is None:
        return
    text = said.text or said.user
    known = talk.current(said.attribute)
    if said.corrects and known:
        talk.correct(text, attribute=said.attribute, value=said.value, turn=turn.number)
    else:
        talk.remember(text, attribute=said.attribute, value=said.value, turn=turn.number)


def _messages(said: Said) -> list[dict[str, object]]:
    messages: list[dict[str, object]] = [{"role": "user", "content": said.user}]
    if said.tool is not None:
        call = {"id": "call-1", "type": "function",
                "function": {"name": "look_up", "arguments": said.tool}}  # fmt: skip
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call-1", "content": said.tool},
        ]
    return [*messages, {"role": "assistant", "content": said.assistant}]


def _forget(talk: Conversation, case: Case) -> None:
    if "sentence" in case.forget:
        say(talk, Said(user=case.forget["sentence"], assistant="Done."), read=True)
        return
    talk.forget(**case.forget)


def _read_again(talk: Conversation, case: Case) -> None:
    """Read every turn again, by the rules and by an extractor that remembers the old words."""
    for extractor in ("rules", _Old(said=case.said[1:])):
        for turn in talk.turns():
            talk.observe(user=f"Noted, turn {turn.number}.", assistant="Yes.")
        talk.reflect(extractor=extractor)
    talk.consolidate()


def shown(talk: Conversation) -> Iterator[tuple[str, str]]:
    """Every text that the program shows of a conversation, and where."""
    for strategy in STRATEGIES:
        request = talk.request("What holds?", budget=_BUDGET, strategy=strategy, record=False)
        yield strategy, json.dumps(request.messages, ensure_ascii=False)
    yield "turns", json.dumps([dataclasses.asdict(t) for t in talk.turns()], ensure_ascii=False)
    yield "memories", "\n".join(f"{m.text}\n{m.value}\n{m.attribute}" for m in talk.visible())
    yield "verdicts", "\n".join(verdict.text for verdict in talk.verdicts())
    story = talk.story()
    yield (
        "story",
        "\n".join(
            [story.summary, *(a.text for a in story.anchors), *(p.text for p in story.positions)]
        ),
    )
    yield "records", "\n".join(f"{d.attribute} {d.reason}" for d in talk.deletions())
