"""A request that was built is kept, and found again: its ledger without texts, and who was served.

Invariant: one transaction keeps all of it, and it changes nothing that a request is built of.
"""

from __future__ import annotations

import dataclasses
import secrets

from palimpsest.context import ledger_json, prefix
from palimpsest.errors import NotFound
from palimpsest.ledger import Ledger, Request
from palimpsest.memory_runs import RECALLED, seated
from palimpsest.protocols import Counter
from palimpsest.store.store import Store
from palimpsest.types import Scope, canonical


def recorded(
    store: Store, scope: Scope, request: Request, counter: Counter, *, counted: bool
) -> Request:
    """The request with its id, and with the prefix that it shares with the one before it."""
    mine = prefix.digests(request, store.salt)
    with store.transaction():
        earlier = prefix.loads(store.requests.previous_prefix(scope))
        kept = store.requests.record(
            scope, id=secrets.token_hex(8), strategy=request.strategy, tokens=request.tokens,
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
