"""Withholds what an unanswered request to forget may mean, until the person answers.

"Forget the code" may mean two codes, or one that nobody called so. Until it is said which, a
request carries neither: not as a memory, not where a turn quotes it, not in the story.
Invariant: nothing is changed that an answer could not give back; and only what the words of the
request name is withheld, so words that name nothing withhold nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache

from palimpsest.language.occurrences import Span
from palimpsest.proposals import Proposal
from palimpsest.types import Memory, Redaction, Scope, Turn
from palimpsest.write import describing
from palimpsest.write.erasing import StoryLoses, plan, searched_for
from palimpsest.write.lost import Search
from palimpsest.write.parts import WriteStore
from palimpsest.write.redaction import statements, united

RULES = ("ambiguous-forget", "unresolved-forget", "whole-forget")
"""The rules of verdicts on requests to forget that wait."""
MOST = 24
"""The most candidates of one request: as many as a request has seats."""
SUMMARY = 0


def candidates(
    proposal: Proposal, meant: Sequence[Memory], known: Sequence[Memory]
) -> tuple[int, ...]:
    """The memories that a request which waits may mean, those that its words fit best first.

    Those that the extractor named; where it named none, those that the words describe, by the
    same score as a forget by description. Everything of which a word, the value or the
    attribute is named in the request, and nothing else.
    """
    if describing.means_everything(proposal.text):
        # All is named, in so many words: then no bound would be what was asked for.
        return tuple(row.id for row in known)
    if meant:
        ranked = {
            each.memory.id: each.score for each in _described(proposal.text, meant)
        }  # fmt: skip
        rows = sorted(meant, key=lambda row: (-ranked.get(row.id, 0.0), -row.id))
        return tuple(row.id for row in rows[:MOST])
    return tuple(each.memory.id for each in _described(proposal.text, known)[:MOST])


def _described(words: str, rows: Sequence[Memory]) -> tuple[describing.Candidate, ...]:
    found = describing.meant(words, rows)
    return (*found.rows, *found.others)


def hold(store: WriteStore, scope: Scope, verdict: int, memories: Sequence[int]) -> None:
    """Withhold memories until a verdict is settled."""
    if memories:
        store.withheld.hold(scope, verdict, memories)
        renew(store, scope)


def renew(store: WriteStore, scope: Scope) -> None:
    """Find anew where what is withheld stands, in every conversation that it reaches.

    After an answer, a forget, a correction or a new story: what is kept follows from them.
    """
    waiting = store.withheld.waiting(scope.user)
    places = dict.fromkeys((*store.withheld.places(scope.user), *(home for home, *_ in waiting)))
    if any(_reaches_far(store, home, ids) for home, _, _, ids in waiting):
        names = store.conversations.of(scope.user)
        places |= dict.fromkeys(Scope(user=scope.user, conversation=name) for name in names)
    for place in places:
        _renew(store, place)


def _reaches_far(store: WriteStore, home: Scope, ids: Sequence[int]) -> bool:
    return any(row.reach == "global" for row in store.memories.visible(home) if row.id in ids)


def _renew(store: WriteStore, place: Scope) -> None:
    searches = _searches(store, place)
    protected = cache(lambda: statements(_others(store, place)))
    spans: list[Redaction] = []
    for search in searches:
        left = {item.stated for item in search.items if item.stated}
        for turn in store.turns.passing(place, search.may_hold):
            left.discard(turn.number)
            spans += plan(turn, search, protected)
        for number in sorted(left):
            if (stated := store.turns.get(place, number)) is not None:
                spans += plan(stated, search, protected)
    told: set[int] = set()
    story = store.stories.of(place)
    for search in searches:
        loses = StoryLoses(search=search, protected=protected)
        told |= {anchor.id for anchor in story.anchors if loses.holds(anchor.text)}
        told |= {SUMMARY} if loses.holds(story.summary) else set()
    store.withheld.put(place, _united(spans), told)
    store.requests.clear_prefix(place)


def watch(store: WriteStore, scope: Scope, turn: Turn) -> None:
    """Withhold what others than the user repeat of it in a new turn."""
    if store.policy != "managed" or not store.withheld.memories(scope.user):
        return
    held = store.withheld.spans(scope)
    protected = cache(lambda: statements(_others(store, scope)))
    found = [s for search in _searches(store, scope) for s in plan(turn, search, protected)]
    if found:
        others = [s for number, spans in held.items() if number != turn.number for s in spans]
        store.withheld.put(scope, [*others, *_united(found)], store.withheld.story(scope))


def _searches(store: WriteStore, place: Scope) -> tuple[Search, ...]:
    """What is looked for in a conversation, for each request that waits."""
    seen = {
        row.id: row for row in (*store.memories.visible(place), *store.memories.replaced(place))
    }
    others = _others(store, place)
    found = []
    for scope, _, turn, ids in store.withheld.waiting(place.user):
        rows = [row for id in ids if id in seen for row in store.memories.chain(seen[id].scope, id)]
        said = [*rows, *store.wordings.of(rows, place)]
        mine = [m if m.scope == place else dataclasses.replace(m, turn=None) for m in said]
        until = turn if scope == place else store.turns.last(place)
        if mine:
            found.append(searched_for(others, mine, until=until))
    return tuple(found)


def _others(store: WriteStore, place: Scope) -> list[Memory]:
    held = store.withheld.memories(place.user)
    return [row for row in store.memories.visible(place) if row.id not in held]


def _united(spans: Sequence[Redaction]) -> tuple[Redaction, ...]:
    places: dict[tuple[int, int, int], list[Redaction]] = {}
    for span in spans:
        places.setdefault((span.turn, span.message, span.text), []).append(span)
    return tuple(
        Redaction(turn=turn, message=message, text=text, start=s, end=e, reason="pending")
        for (turn, message, text), here in sorted(places.items())
        for s, e in united(Span(one.start, one.end) for one in here)
    )
