"""Reads the turns that wait: the extractor proposes outside any transaction, the code commits.

Invariant: a reading that fails changes no memory and is recorded; what a turn proposed is
applied once, whoever reads it and however often.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from palimpsest import registry, write
from palimpsest.config import Config
from palimpsest.errors import InputError, PalimpsestError
from palimpsest.language.identifiers import identifiers
from palimpsest.language.redact_text import redacted
from palimpsest.proposals import DayTokens, Extraction, Reflection, Seen, Usage
from palimpsest.protocols import Extractor
from palimpsest.store.store import Store
from palimpsest.types import Scope, Turn
from palimpsest.write import filters, story
from palimpsest.write.decide import Trust

_TRIES = 3
"""How often a turn is read anew because it changed while it was read."""

_RUN = 16
"""So many characters in a row of what was said are a quotation of it."""


def reflect(
    store: Store,
    scope: Scope,
    *,
    config: Config,
    extractor: str | Extractor | None = None,
    retry: bool = False,
    step: Callable[[int, int], None] = lambda at, of: None,
) -> tuple[Reflection, ...]:
    """Read every turn that waits, oldest first; those that failed before too with ``retry``."""
    story.fields(config.story.state)
    asked = filters.chosen(config.reflection.filters)
    chosen, name = resolved(extractor or config.reflection.extractor)
    waiting = store.reflections.pending(scope, failed=retry)
    found: list[Reflection | None] = []
    try:
        for at, turn in enumerate(waiting, 1):
            found.append(read(store, scope, turn, chosen, name, asked, config))
            step(at, len(waiting))
    finally:
        close = getattr(chosen, "close", None)
        if close is not None and isinstance(extractor or "", str):
            close()
    return tuple(reflection for reflection in found if reflection is not None)


def resolved(given: str | Extractor) -> tuple[Extractor, str]:
    """An extractor by its Spec text, or the instance itself, with its printed Spec."""
    if isinstance(given, str):
        spec = registry.parse(given)
        made: Extractor = registry.load("extractors", spec)
        return made, registry.render(registry.spec_of(spec.name, made))
    if not isinstance(given, Extractor):
        raise InputError(f"extractor: {given!r} is neither a Spec text nor an Extractor")
    name = getattr(given, "name", type(given).__name__.lower())
    return given, registry.render(registry.spec_of(str(name), given))


def read(
    store: Store, scope: Scope, number: int, extractor: Extractor, name: str,
    asked: Sequence[filters.Named], config: Config,
) -> Reflection | None:  # fmt: skip
    """Read one turn that waits; ``None`` where another reading was committed first."""
    for _ in range(_TRIES):
        shown = _shown(store, scope, number, config)
        if shown is None:
            return None
        seen, retirements = shown
        if _spent(store, scope, extractor, config):
            return store.reflections.get(scope, number)
        try:
            extraction = extractor.extract(seen, config)
        except PalimpsestError as error:
            spent = getattr(extractor, "spent", Usage())
            return _failed(store, scope, number, name, fault(error, seen), spent)
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
            return _failed(store, scope, number, name, f"{type(error).__name__} in {name}")
        try:
            rejected = tuple(filters.rejected(asked, p, seen) for p in extraction.proposals)
        except filters.FilterFailure as failure:
            return _failed(store, scope, number, name, str(failure), extraction.usage)
        made = _reading(seen, extraction, rejected, extractor, name, config, retirements)
        done = write.commit(store, scope, made)
        if done is not None:
            return done
        waiting = store.reflections.get(scope, number)
        if waiting is None or waiting.status == "done":
            return None
    return _failed(store, scope, number, name, f"the turn changed {_TRIES} times while it was read")


def fault(error: PalimpsestError, seen: Seen) -> str:
    """What went wrong, by its code alone where its words repeat the conversation's.

    A reflection's error outlives a forget, so it must hold nothing that was said.
    """
    words = str(error)
    said = [text for t in (seen.turn, *seen.before) for m in t.messages for text in m.texts()]
    said += [memory.text for memory in seen.memories]
    quoted = any(_repeats(text, words) for text in said)
    return error.code if quoted else f"{error.code}: {words}"


def _repeats(said: str, words: str) -> bool:
    """True where ``words`` hold an identifier or a run of what was said."""
    if any(identifier in words for identifier in identifiers(said)):
        return True
    run = min(len(said), _RUN)
    return run > 0 and any(said[at : at + run] in words for at in range(len(said) - run + 1))


def _shown(
    store: Store, scope: Scope, number: int, config: Config
) -> tuple[Seen, dict[Scope, int]] | None:
    """What an extractor is shown, and the retirements of the places that it comes from."""
    with store.reading():
        seen = _seen(store, scope, number, config)
        if seen is None:
            return None
        homes = tuple(map(operator.attrgetter("scope"), seen.memories))
        # Rows share their scope, so few are left by identity; hashing each one is slow.
        few = dict(zip(map(id, homes), homes, strict=True)).values()
        places = dict.fromkeys((scope, *few))
        return seen, {place: store.conversations.retirements(place) for place in places}


def day_tokens(store: Store, scope: Scope, config: Config) -> DayTokens:
    """What the readings of a user took today, of what the settings allow."""
    used = store.reflections.used_on(scope, store.now()[:10])
    return DayTokens(used=int(used), most=config.reflection.day_tokens)


def _spent(store: Store, scope: Scope, extractor: Extractor, config: Config) -> bool:
    """True where one more call could go over the tokens of a day; the turn then waits."""
    most = getattr(extractor, "most_tokens", None)
    if most is None:
        return False
    day = day_tokens(store, scope, config)
    return bool(day.used + most(config) > day.most)


def _seen(store: Store, scope: Scope, number: int, config: Config) -> Seen | None:
    turn = store.turns.get(scope, number)
    if turn is None:
        return None
    waiting = store.reflections.get(scope, number)
    before = [store.turns.get(scope, n) for n in _before(number, config.reflection.before)]
    return Seen(
        turn=turn,
        unread=waiting.read if waiting is not None else 0,
        before=tuple(_clean(store, scope, t, config) for t in before if t is not None),
        memories=store.memories.visible(scope),
        replaced=store.memories.replaced(scope),
        story=store.stories.of(scope),
        said_at=store.turns.said_at(scope, number),
    )


def _before(number: int, many: int) -> Sequence[int]:
    return range(max(1, number - many), number)


def _clean(store: Store, scope: Scope, turn: Turn, config: Config) -> Turn:
    """A turn without what was corrected or forgotten."""
    spans = store.redactions.of(scope, turn.number)
    return redacted(turn, spans, config.context.redaction_marker) if spans else turn


def _reading(
    seen: Seen, extraction: Extraction, rejected: tuple[str | None, ...], extractor: Extractor,
    name: str, config: Config, retirements: Mapping[Scope, int],
) -> write.Reading:  # fmt: skip
    waits = config.reflection.review == "proposals"
    return write.Reading(
        seen=seen, extraction=extraction, extractor=name, dedup=config.dedup,
        story=config.story,
        trust=Trust(trusted=extractor.trusted, waits=waits), rejected=rejected,
        retirements=retirements,
    )  # fmt: skip


def _failed(
    store: Store, scope: Scope, number: int, name: str, error: str, spent: Usage | None = None
) -> Reflection | None:
    with store.transaction():
        store.reflections.finish(
            scope, number, status="failed", extractor=name, usage=spent or Usage(), error=error
        )
        return store.reflections.get(scope, number)
