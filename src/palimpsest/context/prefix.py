"""How much of a request's beginning its predecessor had too, in whole messages.

A server that caches prefixes reuses at least this much. Only salted digests are kept of
the predecessor, never its texts.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Sequence

from palimpsest.ledger import Request
from palimpsest.protocols import Counter
from palimpsest.types import canonical


def digests(request: Request, salt: str) -> list[str]:
    """One digest for the tools and one for each message, in order."""
    tools = canonical([tool.as_dict() for tool in request.tools])
    return [_digest(tools, salt), *(_digest(canonical(m.as_dict()), salt) for m in request.sent)]


def loads(kept: str | None) -> list[str]:
    """Read digests that were kept as JSON; none where nothing is kept."""
    return [str(digest) for digest in json.loads(kept)] if kept else []


def shared_tokens(
    request: Request, mine: Sequence[str], earlier: Sequence[str], counter: Counter
) -> int | None:
    """The tokens of the leading messages that both requests have.

    ``None`` where the template does not add up, since a part of a request then has no
    count of its own. Other tools share nothing: templates put them first.
    """
    if not counter.frame.additive:
        return None
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(mine, earlier, strict=False))
    number = max(0, len(list(pairs)) - 1)
    leading = request.sent[:number]
    if not leading:
        return 0
    return counter.opening(leading[0], request.tools) + counter.unit(leading)


def _digest(text: str, salt: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12, key=salt.encode()[:64]).hexdigest()
