"""Which conversation a history belongs to that a client sends again, and how far it is known.

Everything said up to a message has a keyed hash, and the trail of a conversation has those of
its turns: one look finds the conversation, however long it is; a forget leaves them. Where words
were taken out of a turn before it had one, what the client still has in their place is compared
word for word, and what was recognised so is remembered by its hash while the store is open.

Invariant: a history is recognised turn by turn from its first message, or not at all; only
conversations of the user are looked at.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.store.store import Store
from palimpsest.store.trails import End
from palimpsest.types import Message, Scope, Turn
from palimpsest.write import normal
from palimpsest.write.known_again import known

_REMEMBERED = 4096
_CHUNK = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """How much of a history a conversation holds."""

    conversation: str
    turns: int
    """Its first turns, which the history repeats."""
    messages: int
    """How many messages of the history these are."""
    last: int
    """The newest turn of the conversation."""

    @property
    def goes_on(self) -> bool:
        """True where nothing follows in the conversation."""
        return self.turns == self.last


class Recogniser:
    """Finds conversations by what was said in them; threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: OrderedDict[str, tuple[str, int]] = OrderedDict()

    def find(self, user: str, given: Sequence[Message], names: Sequence[str] = ()) -> Known | None:
        """The conversation that repeats most of ``given``, of ``names`` only where given.

        Of several one that ends there is taken before one that goes on, and then the newest.
        """
        self.catch_up(user, names)
        hashes = self._hashes(user, given)
        with self._store.reading():
            ends = self._store.trails.ends(user, hashes, names)
            found = [self._known(end, hashes) for end in ends]
            broken = self._store.trails.broken(user, names)
            starts = [self._known(e, hashes) for e in broken if not e.hash or e.hash in hashes]
            starts = [self._remembered(start, hashes) for start in starts]
            found += [self._followed(user, start, given) for start in starts]
        if not found:
            return None
        best = max(found, key=lambda known: (known.messages, known.goes_on))
        if any(start.conversation == best.conversation for start in starts) and best.messages:
            self._remember(hashes[best.messages - 1], best)
        return best if best.messages else None

    def catch_up(self, user: str, names: Sequence[str] = ()) -> None:
        """Bring the trails of a user's conversations to their newest turns."""
        behind = self._store.trails.behind(user)
        for name in behind:
            if not names or name in names:
                self.extend(Scope(user=user, conversation=name))

    def extend(self, scope: Scope) -> None:
        """Bring one trail to the newest turn."""
        store = self._store
        with store.transaction():
            turn, hash = store.trails.end(scope)
            lost, rows = store.trails.lost(scope, turn + 1), []
            void = turn > 0 and not hash
            for said in store.turns.between(scope, turn + 1, store.turns.last(scope)):
                void = void or (lost is not None and said.number >= lost)
                for message in () if void else said.messages:
                    hash = store.trails.hash(scope.user, hash, normal.said(message))
                rows.append((said.number, "" if void else hash))
            store.trails.put(scope, rows)

    def _hashes(self, user: str, given: Sequence[Message]) -> list[str]:
        found, hash = [], ""
        for message in given:
            hash = self._store.trails.hash(user, hash, normal.said(message))
            found.append(hash)
        return found

    def _known(self, end: End, hashes: Sequence[str]) -> Known:
        messages = hashes.index(end.hash) + 1 if end.hash else 0
        return Known(
            conversation=end.conversation, turns=end.turn, messages=messages, last=end.last
        )

    def _remembered(self, start: Known, hashes: Sequence[str]) -> Known:
        """The same from where this very history was recognised before."""
        for place in range(len(hashes), start.messages, -1):
            name, turns = self._seen.get(hashes[place - 1], ("", 0))
            if name == start.conversation and turns <= start.last:
                return Known(conversation=name, turns=turns, messages=place, last=start.last)
        return start

    def _remember(self, hash: str, known: Known) -> None:
        self._seen[hash] = (known.conversation, known.turns)
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)

    def _followed(self, user: str, start: Known, given: Sequence[Message]) -> Known:
        """Turn after turn as far as the words agree."""
        scope = Scope(user=user, conversation=start.conversation)
        turns, messages = start.turns, start.messages
        while messages < len(given) and turns < start.last:
            chunk = self._store.turns.between(scope, turns + 1, min(turns + _CHUNK, start.last))
            for turn in chunk:
                some = given[messages : messages + len(turn.messages)]
                if not self._repeats(scope, turn, some):
                    return Known(
                        conversation=start.conversation, turns=turns, messages=messages,
                        last=start.last,
                    )  # fmt: skip
                turns, messages = turn.number, messages + len(some)
            if not chunk:
                break
        return Known(
            conversation=start.conversation, turns=turns, messages=messages, last=start.last
        )

    def _repeats(self, scope: Scope, turn: Turn, given: Sequence[Message]) -> bool:
        if len(given) < len(turn.messages):
            return False
        spans = self._store.redactions.of(scope, turn.number)
        gone = [span for span in spans if span.reason == "forgotten"]
        return all(
            normal.same(
                stored, message, [gap for gap in gone if gap.message == place], lost=bool(gone)
            )
            and self._is_meant(scope, stored, message)
            for place, (stored, message) in enumerate(zip(turn.messages, given, strict=True))
        )

    def _is_meant(self, scope: Scope, stored: Message, given: Message) -> bool:
        """Where nothing is left of the user's words, only what was forgotten stands for them."""
        if stored.role != "user" or any(text.strip() for text in stored.texts()):
            return True
        return stored == given or any(known(self._store, scope, text) for text in given.texts())
