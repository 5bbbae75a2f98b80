"""The steps of one request: what recall looks for, the build, and the ledger that is kept.

Invariant: an embedder is asked while no lock of the store is held; the build reads one state of
the store and writes nothing; the ledger is kept after it, without texts.
"""

from __future__ import annotations

import dataclasses
import secrets

from palimpsest import asking
from palimpsest.config import Config
from palimpsest.context import ledger_json, prefix
from palimpsest.errors import NotFound
from palimpsest.ledger import Ledger, Recall, Request
from palimpsest.memory_runs import RECALLED, seated
from palimpsest.protocols import Counter, Strategy
from palimpsest.recall.recaller import Asked, scores
from palimpsest.recall.recallers import Recallers
from palimpsest.store.store import Store
from palimpsest.types import Ask, Scope, canonical


def recalls(chosen: Strategy) -> bool:
    """Whether a strategy takes scores at all."""
    return bool(getattr(chosen, "recalls", False))


def words(store: Store, scope: Scope, ask: Ask, chosen: Strategy, settings: Config) -> str | None:
    """What recall looks for; ``None`` for a strategy that recalls nothing."""
    if not recalls(chosen):
        return None
    with store.reading():
        return asking.query(ask, store.view(scope), settings.query)


def asked(
    recallers: Recallers, words: str | None, chosen: Strategy, settings: Config
) -> Asked | None:
    """The words, embedded; ``None`` for no recall."""
    if words is None:
        return None
    embedder = getattr(chosen, "embedder", None) or settings.recall.embedder
    return recallers.ask(words, embedder=embedder, prefix=settings.query.prefix)


def build(
    store: Store, scope: Scope, ask: Ask, chosen: Strategy, counter: Counter, settings: Config,
    asked: Asked | None,
) -> Request:  # fmt: skip
    """The request, without an id; raises what the strategy raises."""
    with store.reading():
        recall = scores(store, scope, asked) if asked else Recall()
        view = store.view(scope, recall=recall, now=store.now())
        built = chosen.build(view, asking.once(ask, view), counter, settings)
    return dataclasses.replace(built, degraded=recall.degraded)


def recorded(
    store: Store, scope: Scope, request: Request, counter: Counter, *, counted: bool
) -> Request:
    """Keep the ledger of a request under its id, which is drawn where it has none."""
    mine = prefix.digests(request, store.salt)
    with store.transaction():
        earlier = prefix.loads(store.requests.previous_prefix(scope))
        kept = store.requests.record(
            scope, id=request.id or new_id(), strategy=request.strategy, tokens=request.tokens,
            ledger=ledger_json.dumps(request.ledger), prefix=canonical(mine),
            degraded=request.degraded,
        )  # fmt: skip
        if counted:
            served = seated(request.ledger)
            store.counting.request(
                scope, served=[e.first for e in served],
                recalled=[e.first for e in served if e.reason in RECALLED],
                degraded=bool(request.degraded),
            )  # fmt: skip
    shared = prefix.shared_tokens(request, mine, earlier, counter)
    return dataclasses.replace(request, id=kept.id, shared_prefix=shared)


def kept_ledger(store: Store, scope: Scope, id: str) -> Ledger:
    """The ledger of a request that a conversation built; raises NotFound."""
    found = store.requests.get(scope, id)
    if found is None:
        known = ", ".join(store.requests.newest(scope, 3)) or "none"
        raise NotFound(
            f"request {id!r} is not kept in conversation {scope.conversation!r} of user "
            f"{scope.user!r}; the newest are: {known}"
        )
    return ledger_json.loads(found.ledger)


def new_id() -> str:
    """An id that no request has."""
    return secrets.token_hex(8)
