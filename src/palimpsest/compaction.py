"""Compaction for an application: reads a request, settles its settings, and compacts it.

No algorithm is here; it composes the contract, the tokenizer and the core.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palimpsest.config import Config
from palimpsest.context.compact import Compaction, compacted, drop_oldest
from palimpsest.context.compaction_request import CompactionRequest, read
from palimpsest.protocols import Counter, NoteExtractor, Tokenizer
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.prepared import resolve


def compact(
    request: CompactionRequest | Mapping[str, Any],
    *,
    extractor: str | NoteExtractor | None = None,
    tokenizer: Tokenizer | str | None = None,
    config: Config | None = None,
    counter: Counter | None = None,
) -> Compaction:
    """Compact one request: the newest complete turns, then cited notes from the others.

    ``request`` is a CompactionRequest or its JSON shape. ``extractor`` is a Spec text such as
    ``cues`` or ``statements``, or any function of the shape ``protocols.NoteExtractor``;
    ``drop-oldest`` is the baseline without notes. What the request names itself (window,
    answer, margin, notes reserve) beats ``config``, field by field; the other fields come from
    ``config``, and from the published defaults where it names no budget. Raises InputError with
    the path to a fault, RequiredContextTooLarge, TemplateError, SpecError, NotPrepared.
    """
    base = config or Config()
    given = read(request, limits=base.compaction)
    settings = given.settings(base)
    if counter is None:
        wanted = tokenizer or settings.tokenizer.name
        counter = TokenCounter(resolve(wanted, settings) if isinstance(wanted, str) else wanted)
    if extractor == "drop-oldest":
        return drop_oldest(given, counter=counter, config=settings)
    return compacted(
        given, extractor=extractor or settings.notes.extractor, counter=counter, config=settings
    )
