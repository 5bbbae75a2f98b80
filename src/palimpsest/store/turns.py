"""Turns, kept as they were said and read lazily from the newest.

Invariant: numbers grow within a conversation and are never given twice; a read costs what
it yields, whatever the conversation holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from palimpsest.errors import InputError
from palimpsest.language.invisible import INVISIBLE
from palimpsest.store.codec import decode, encode
from palimpsest.store.conversations import Conversations
from palimpsest.store.database import Database, Row
from palimpsest.types import Scope, Turn

_FIRST_CHUNK = 8
_LARGEST_CHUNK = 256
_MOST_NEEDLES = 64
_JOINERS = ("\u200c", "\u200d")


class Turns:
    """The turns of every conversation."""

    def __init__(self, db: Database, conversations: Conversations, now: Callable[[], str]) -> None:
        self._db = db
        self._conversations = conversations
        self._now = now

    def add(self, scope: Scope, turns: Sequence[Turn], *, times: Sequence[str] = ()) -> None:
        """Store new turns, oldest first; each number must be above every earlier one.

        ``times`` say when each was said (ISO 8601, UTC); where one is empty it is now.
        """
        with self._db.transaction():
            key, last = self._conversations.ensure(scope), self.last(scope)
            for turn in turns:
                if turn.number <= last:
                    raise InputError(
                        f"turn {turn.number}: turns are numbered upward and {last} is taken; "
                        f"the next number is {last + 1}"
                    )
                last = turn.number
            now, said = self._now(), [(turn, encode(turn.messages)) for turn in turns]
            dated = [time or now for time in times] or [now] * len(said)
            self._db.write_many(
                "INSERT INTO turns (conversation, number, messages, open, created_at, hidden) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (key, t.number, text, int(t.open), time, _hides(text))
                    for (t, text), time in zip(said, dated, strict=True)
                ],
            )
            self._db.write("UPDATE conversations SET last_turn = ? WHERE key = ?", (last, key))
            self._conversations.touch(key)

    def replace(self, scope: Scope, turn: Turn) -> None:
        """Write other messages for a turn that exists."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            stored = encode(turn.messages)
            changed = self._db.write(
                "UPDATE turns SET messages = ?, open = ?, hidden = ? "
                "WHERE conversation = ? AND number = ?",
                (stored, int(turn.open), _hides(stored), key, turn.number),
            )
            assert changed == 1, f"turn {turn.number} does not exist"
            self._conversations.touch(key)

    def erase(self, scope: Scope, turn: Turn) -> None:
        """Write what is left of a turn that lost words.

        Its client still sends them: the keyed hashes of what was said up to here stay, or any
        other history could stand where nothing is left.
        """
        with self._db.transaction():
            key = self._conversations.key(scope)
            known = self._db.rows(
                "SELECT * FROM trails WHERE conversation = ? AND turn >= ?", (key, turn.number)
            )
            self.replace(scope, turn)
            self._db.write_many("INSERT INTO trails VALUES (?, ?, ?)", known)

    def remove(self, scope: Scope, number: int) -> None:
        """Take a turn away; its number is not given again."""
        with self._db.transaction():
            key = self._conversations.key(scope)
            self._db.write("DELETE FROM turns WHERE conversation = ? AND number = ?", (key, number))
            self._conversations.touch(key)

    def get(self, scope: Scope, number: int) -> Turn | None:
        """One turn, or ``None``."""
        if not 0 < number < 2**63:
            return None
        found = self._db.row(
            "SELECT number, messages FROM turns WHERE conversation = ? AND number = ?",
            (self._conversations.key(scope), number),
        )
        return _turn(found) if found else None

    def said_at(self, scope: Scope, number: int) -> str:
        """When a turn was said, ISO 8601, UTC; empty where there is none."""
        found = self._db.row(
            "SELECT created_at FROM turns WHERE conversation = ? AND number = ?",
            (self._conversations.key(scope), number),
        )
        return str(found[0]) if found else ""

    def newest(self, scope: Scope) -> Iterator[Turn]:
        """Turns from the newest to the oldest; rows are read in growing chunks."""
        key, below, size = self._conversations.key(scope), 2**62, _FIRST_CHUNK
        while True:
            rows = self._db.rows(
                "SELECT number, messages FROM turns WHERE conversation = ? AND number < ? "
                "ORDER BY number DESC LIMIT ?",
                (key, below, size),
            )
            yield from map(_turn, rows)
            if len(rows) < size:
                return
            below, size = rows[-1][0], min(size * 2, _LARGEST_CHUNK)

    def between(self, scope: Scope, first: int, last: int) -> tuple[Turn, ...]:
        """Turns ``first`` to ``last`` inclusive, oldest first."""
        rows = self._db.rows(
            "SELECT number, messages FROM turns WHERE conversation = ? AND number BETWEEN ? AND ? "
            "ORDER BY number",
            (self._conversations.key(scope), first, last),
        )
        return tuple(map(_turn, rows))

    def holding(
        self, scope: Scope, needles: Sequence[str], *, any_case: bool = False
    ) -> Iterator[Turn]:
        """Turns, oldest first, whose stored text may hold one of the needles.

        A turn with characters that nobody sees always comes, since they can hide a needle;
        so does every turn when a needle is empty. Needles are letters and digits, which stand
        in the stored text as they were said; the database looks for them itself. With
        ``any_case`` they are small letters of ASCII, and stand in it in any case.
        """
        key, above = self._conversations.key(scope), 0
        chosen = tuple(dict.fromkeys(needles))[:_MOST_NEEDLES]
        # Whoever looks for very many reads every turn: one pass over each finds any of them.
        every = "" in chosen or len(set(needles)) > _MOST_NEEDLES
        looked = "lower(messages)" if any_case else "messages"
        held = " OR ".join(["hidden = 1", *[f"instr({looked}, ?) > 0"] * len(chosen)])
        while True:
            rows = self._db.rows(
                "SELECT number, messages FROM turns WHERE conversation = ? AND number > ? "
                f"{'' if every else f'AND ({held}) '}ORDER BY number LIMIT ?",
                (key, above, *(() if every else chosen), _LARGEST_CHUNK),
            )
            yield from map(_turn, rows)
            if len(rows) < _LARGEST_CHUNK:
                return
            above = rows[-1][0]

    def passing(self, scope: Scope, keep: Callable[[str], bool]) -> Iterator[Turn]:
        """Turns, oldest first, whose stored text passes ``keep``."""
        key, above = self._conversations.key(scope), 0
        while True:
            rows = self._db.rows(
                "SELECT number, messages FROM turns WHERE conversation = ? AND number > ? "
                "ORDER BY number LIMIT ?",
                (key, above, _LARGEST_CHUNK),
            )
            yield from (_turn(row) for row in rows if keep(row[1]))
            if len(rows) < _LARGEST_CHUNK:
                return
            above = rows[-1][0]

    def open(self, scope: Scope) -> tuple[Turn, ...]:
        """The turns that still wait for an answer, oldest first."""
        rows = self._db.rows(
            "SELECT number, messages FROM turns WHERE conversation = ? AND open = 1 "
            "ORDER BY number",
            (self._conversations.key(scope),),
        )
        return tuple(map(_turn, rows))

    def first(self, scope: Scope) -> int | None:
        """The number of the oldest turn; ``None`` in an empty conversation."""
        return (
            self._db.number(
                "SELECT min(number) FROM turns WHERE conversation = ?",
                (self._conversations.key(scope),),
            )
            or None
        )

    def last(self, scope: Scope) -> int:
        """The highest number that was ever given; 0 in an empty conversation."""
        return self._db.number(
            "SELECT last_turn FROM conversations WHERE key = ?", (self._conversations.key(scope),)
        )

    def count(self, scope: Scope) -> int:
        """How many turns the conversation has."""
        return self._db.number(
            "SELECT count(*) FROM turns WHERE conversation = ?", (self._conversations.key(scope),)
        )


def _turn(row: Row) -> Turn:
    return Turn(number=row[0], messages=decode(row[1]))


def _hides(stored: str) -> int:
    """1 where a needle may stand in a stored text without being found by its letters.

    Characters that nobody sees can stand inside it; escapes of JSON can be any character.
    """
    joined = any(joiner in stored for joiner in _JOINERS)
    return int(joined or "\\u" in stored or bool(INVISIBLE.search(stored)))
