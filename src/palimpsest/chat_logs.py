"""Takes chat logs of other programs over: each conversation whole, once, in one transaction.

Invariant: a log that was taken over changes nothing when it comes again, one that grew adds
what is new, one that was edited makes a branch; and what the user had forgotten does not come
back with old words. Nothing is read for memories here: the turns wait as observed ones do.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Literal

from palimpsest import write
from palimpsest.errors import InputError
from palimpsest.importers import Format, Left, Source, Talk, recognised
from palimpsest.importers.reasons import REASONS
from palimpsest.importers.trees import faults, ways
from palimpsest.importers.turns import Way, way_of
from palimpsest.known_openings import KnownOpenings
from palimpsest.log_agreement import Agreement, agreement
from palimpsest.store.conversations import NO_KEY
from palimpsest.store.store import Store
from palimpsest.types import Scope, Turn

Fate = Literal["added", "branch", "grown", "known"]
_LONGEST_ID = 120
_EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of one conversation, or of one branch of it."""

    name: str
    """What it is called here."""
    fate: Fate
    turns: int
    """How many turns are new, or longer than they were."""


@dataclass(slots=True, kw_only=True)
class LogImport:
    """What became of a file."""

    format: str
    title: str
    fates: Counter[Fate] = field(default_factory=Counter)
    turns: int = 0
    """New turns, each of which waits to be read."""
    left: Counter[str] = field(default_factory=Counter)
    """How often each reason left or changed something."""
    examples: dict[str, list[str]] = field(default_factory=dict)
    """The first places of each reason."""

    @property
    def damaged(self) -> int:
        """How many parts of the file could not be read."""
        return sum(n for reason, n in self.left.items() if REASONS[reason].fate == "damaged")

    def note(self, found: Taken | Left) -> None:
        """Count one outcome."""
        if isinstance(found, Taken):
            self.fates[found.fate] += 1
            self.turns += found.turns
            return
        self.left[found.reason] += 1
        places = self.examples.setdefault(found.reason, [])
        if len(places) < _EXAMPLES:
            places.append(found.where)


Told = Callable[[Taken | Left], None]
Progress = Callable[[int, int], None]
"""Called with the bytes that were read and the bytes there are."""


def take_log(
    store: Store, path: Path, *, user: str, format: str = "", tools: bool = True,
    branches: bool = True, dry_run: bool = False, told: Told = lambda found: None,
    progress: Progress = lambda at, of: None,
) -> LogImport:  # fmt: skip
    """Take the conversations of ``path`` over as those of ``user``.

    ``format`` names a format instead of recognising it; without ``tools`` tool work is left
    out, without ``branches`` all but the main way; ``dry_run`` compares and writes nothing.
    ``told`` hears of every outcome. Raises InputError where nothing can be read.
    """
    done: LogImport | None = None
    for source in Source.all_of(path):
        kind = recognised(source, forced=format)
        if kind.format is None:
            raise InputError(f"{source.name}: is an export of palimpsest and no chat log")
        source.tell(progress)
        done = done or LogImport(format=kind.format.name, title=kind.format.title)
        taking = _Taking(store, user, kind.format, tools=tools, branches=branches, dry_run=dry_run)
        for found in kind.format.read(source, kind.mode, kind.key):
            # A conversation is counted when it is in: a stop in the middle takes it back whole.
            for outcome in [found] if isinstance(found, Left) else taking.talk(found):
                done.note(outcome)
                told(outcome)
    assert done is not None
    return done


class _Taking:
    """Takes the conversations of one source over."""

    def __init__(
        self, store: Store, user: str, format: Format, *, tools: bool, branches: bool,
        dry_run: bool,
    ) -> None:  # fmt: skip
        self._store, self._user, self._format = store, user, format
        self._tools, self._branches, self._dry_run = tools, branches, dry_run
        self._openings = KnownOpenings(store.origins.openings(user, format.name))
        self._watch = write.Watch()

    def talk(self, talk: Talk) -> Sequence[Taken | Left]:
        """One conversation with its branches, wholly or not at all."""
        if talk.id and write.names_forgotten(self._store, self._user, talk.id):
            talk = replace(talk, id="")  # known by how it begins
        left = list(talk.left)
        found = _ways(talk, left, tools=self._tools)
        if not self._branches:
            left += [Left(where=talk.where, reason="branch-left-out")] * len(found[1:])
            found = found[:1]
        with self._scope_of_work():
            taken = [self._way(talk, way, found[:i]) for i, way in enumerate(found)]
        return (*taken, *left)

    def _scope_of_work(self) -> AbstractContextManager[None]:
        return self._store.reading() if self._dry_run else self._store.transaction()

    def _way(self, talk: Talk, way: Way, earlier: Sequence[Way]) -> Taken:
        names = (
            self._store.origins.named(self._user, self._format.name, talk.id)
            if talk.id
            else self._openings.like(way.turns)
        )
        agreed = [(agreement(self._store, self._place(name), way.turns), name) for name in names]
        if talk.id and not names:
            agreed = self._own(talk.id, way)
        for found, name in agreed:
            if found.fate == "known":
                return Taken(name=name, fate="known", turns=0)
        grown = [pair for pair in agreed if pair[0].fate == "grown"]
        if grown:
            found, name = max(grown, key=lambda pair: pair[0].shared)
            return self._grow(talk, name, way, found)
        if self._dry_run and earlier and talk.id:
            # The ways before it would be in by now.
            shared = max(_shared(way, other) for other in earlier)
            return Taken(name=f"{self._format.name}/{_short(talk.id)}", fate="branch",
                         turns=len(way.turns) - shared)  # fmt: skip
        return self._add(talk, way, agreed)

    def _own(self, name: str, way: Way) -> list[tuple[Agreement, str]]:
        """The conversation that a transcript of this store's own was written from."""
        scope = self._place(name)
        if not self._store.turns.last(scope):
            return []
        found = agreement(self._store, scope, way.turns)
        # More than is here may be another talk of that name; only a copy is told by its words.
        return [(found, name)] if found.fate == "known" else []

    def _add(self, talk: Talk, way: Way, agreed: Sequence[tuple[Agreement, str]]) -> Taken:
        # Where the source gives no names, what differs is another conversation.
        branch = bool(agreed and talk.id)
        near = max(agreed, key=lambda pair: pair[0].shared) if branch else None
        shared = near[0].shared if near else 0
        name = self._free(talk.id, len(agreed))
        if not self._dry_run:
            scope = self._place(name)
            if near:
                # Also where not one whole turn is shared: a forget in one reaches the others.
                write.branch(self._store, scope, self._place(near[1]), shared)
            self._say(scope, way.turns[shared:], way.times[shared:])
            self._store.origins.put(scope, format=self._format.name, source=talk.id)
            if not talk.id:
                self._openings.add(name, way.turns)
        fate: Fate = "branch" if branch else "added"
        return Taken(name=name, fate=fate, turns=len(way.turns) - shared)

    def _grow(self, talk: Talk, name: str, way: Way, found: Agreement) -> Taken:
        scope, known = self._place(name), found.shared
        new = way.turns[known:]
        if not self._dry_run:
            if found.longer:
                self._lengthen(scope, new[0], found.longer, len(way.turns))
            after = new[1:] if found.longer else new
            self._say(scope, after, way.times[len(way.turns) - len(after) :])
            if not talk.id:
                self._openings.add(name, way.turns)
        return Taken(name=name, fate="grown", turns=len(new))

    def _lengthen(self, scope: Scope, turn: Turn, stored: int, until: int) -> None:
        """Add to the last stored turn what it has now and had not then."""
        write.guard(self._store, scope, turn.messages, until=until)
        number = self._store.turns.last(scope)
        write.extend(self._store, scope, number, turn.messages[stored:], watch=self._watch)
        self._store.reflections.expect(scope, number, messages=len(turn.messages))

    def _say(self, scope: Scope, turns: Sequence[Turn], times: Sequence[str]) -> None:
        """Store turns, which wait to be read."""
        if not turns:
            return
        # Before a word is stored: what was forgotten is to be known again in all of them.
        said = [message for turn in turns for message in turn.messages]
        write.guard(self._store, scope, said, until=turns[-1].number)
        write.append(self._store, scope, turns, watch=self._watch, times=times)
        for turn in turns:
            self._store.reflections.expect(scope, turn.number, messages=len(turn.messages))

    def _place(self, name: str) -> Scope:
        return Scope(user=self._user, conversation=name)

    def _free(self, id: str, members: int) -> str:
        """A name that no conversation of the user has."""
        if not id:
            return self._next_number()
        base = f"{self._format.name}/{_short(id)}"
        number = members + 1
        while True:
            name = base if number == 1 else f"{base}~{number}"
            if self._store.conversations.key(self._place(name)) == NO_KEY:
                return name
            number += 1

    def _next_number(self) -> str:
        while True:
            name = f"{self._format.name}/{self._openings.next_number()}"
            if self._store.conversations.key(self._place(name)) == NO_KEY:
                return name


def _ways(talk: Talk, left: list[Left], *, tools: bool) -> tuple[Way, ...]:
    """The ways that hold something of their own, the main one first; what is left is noted."""
    left += faults(talk)
    kept: list[Way] = []
    noted: set[Left] = set()
    for found in ways(talk):
        if isinstance(found, Left):
            left.append(found)
            continue
        way = way_of(found, began=talk.began, tools=tools)
        left += [each for each in way.left if each not in noted]
        noted.update(way.left)
        if not way.turns or any(_begins(other, way) for other in kept):
            continue
        shorter = next((i for i, other in enumerate(kept) if _begins(way, other)), None)
        if shorter is None:
            kept.append(way)
        else:
            kept[shorter] = way
    return tuple(kept)


def _shared(one: Way, other: Way) -> int:
    """How many turns two ways begin with."""
    pairs = zip(one.turns, other.turns, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _begins(longer: Way, shorter: Way) -> bool:
    """True where ``longer`` begins with all that ``shorter`` says."""
    last = len(shorter.turns) - 1
    if last >= len(longer.turns) or longer.turns[:last] != shorter.turns[:last]:
        return False
    said = shorter.turns[last].messages
    return longer.turns[last].messages[: len(said)] == said and (
        last == len(longer.turns) - 1 or longer.turns[last].messages == said
    )


def _short(id: str) -> str:
    if len(id) <= _LONGEST_ID:
        return id
    return f"{id[:_LONGEST_ID]}-{hashlib.sha256(id.encode()).hexdigest()[:16]}"
