"""Forgets and corrections by a description: planned, shown, and then done as it was shown.

It composes the scorer of ``write.describing`` with the words of the grammars. Invariant: a
plan changes nothing, and what is ambiguous is named and never guessed.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest import write
from palimpsest.chat import ChatCall, Sampling
from palimpsest.errors import Ambiguous, InputError
from palimpsest.extract import grammar as grammars
from palimpsest.language.identifiers import identifiers
from palimpsest.protocols import ChatModel
from palimpsest.store.store import Store
from palimpsest.types import Deletion, Memory, Message, Scope, canonical
from palimpsest.write import Candidate, Meant, Piece

_MOST_FORMS = 24
_SHORTEST = 4
_ALL = "everything about me"
_LONGEST = 80
_WINDOW, _ANSWER = 2_048, 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan:
    """What a forget would take: nothing of it has happened."""

    asked: str
    rows: tuple[Candidate, ...]
    """The memories that are meant, with their scores; 1.0 where they were named."""
    others: tuple[Candidate, ...]
    """What was described less well, the best first: these stay."""
    ambiguous: bool
    """Several memories are as likely: nothing is forgotten until one is named."""
    chain: tuple[Memory, ...]
    """Every row that would be deleted, the replaced ones too."""
    pieces: tuple[Piece, ...]
    """Every piece of a turn that would be taken out."""
    counts: Mapping[str, int]
    values: tuple[str, ...] = ()
    """The values that were named by themselves."""
    everything: bool = False
    """All that the conversation holds is meant: it goes only with ``everything=True``."""

    @property
    def seal(self) -> str:
        """Equal for two plans that take the very same rows and pieces, and for no others."""
        rows = [
            [*dataclasses.astuple(row.scope), row.id, row.text, row.value] for row in self.chain
        ]
        pieces = [dataclasses.astuple(piece) for piece in self.pieces]
        taken = [rows, pieces, sorted(self.counts.items()), self.values]
        return hashlib.sha256(canonical(taken).encode()).hexdigest()

    @property
    def audited(self) -> tuple[str, ...]:
        """What an audit looks for once it is done: each value, or the words that have none."""
        gone = [*(row.value or row.text for row in self.chain), *self.values]
        return tuple(dict.fromkeys(text for text in gone if text.strip()))


def plan(
    store: Store, scope: Scope, *, words: str | None = None, attribute: str | None = None,
    id: int | None = None, value: str | None = None, turn: int | None = None,
    forms: Sequence[str] = (),
) -> ForgetPlan:  # fmt: skip
    """Resolve what is meant and rehearse its forget; raises InputError and NotFound."""
    if words is not None and write.means_everything(words):
        return _of_everything(store, scope, words)
    given = {"words": words, "attribute": attribute, "id": id, "value": value}
    named = {name: it for name, it in given.items() if it is not None}
    if len(named) != 1:
        raise InputError(
            "name one of: words that describe it, an attribute, the id of a memory, a value"
        )
    with store.transaction():
        found, values = _resolved(store, scope, words, attribute, id, value)
        if not found.rows and not values:
            found.settled("forget")
        forgot = None
        if not found.ambiguous:
            ids = [each.memory.id for each in found.rows]
            forgot = write.rehearsed(store, scope, ids, values=(*values, *forms), turn=turn)
    asked = ", ".join(f"{name} {it!r}" for name, it in named.items())
    return ForgetPlan(
        asked=asked, rows=found.rows, others=found.others, ambiguous=found.ambiguous,
        chain=forgot.rows if forgot else (), pieces=forgot.pieces if forgot else (),
        counts=dict(forgot.counts) if forgot else {}, values=values,
    )  # fmt: skip


def _of_everything(store: Store, scope: Scope, words: str) -> ForgetPlan:
    forgot = write.rehearsed_all(store, scope)
    return ForgetPlan(
        asked=f"words {words!r}", others=(), ambiguous=False, chain=forgot.rows,
        rows=tuple(
            Candidate(memory=row, score=1.0) for row in forgot.rows if row.superseded_by is None
        ),
        pieces=forgot.pieces, counts=dict(forgot.counts), everything=True,
    )  # fmt: skip


def carry_out(
    store: Store, scope: Scope, *, attribute: str | None = None, id: int | None = None,
    value: str | None = None, words: str | None = None, turn: int | None = None,
    reason: str | None = None, forms: Sequence[str] = (), everything: bool = False,
    seal: str | None = None,
) -> tuple[Deletion, ...]:  # fmt: skip
    """Forget what is named by one of these; raises InputError, Ambiguous and NotFound."""
    if seal is not None:
        with store.transaction():
            _check_seal(
                seal, plan(store, scope, words=_ALL if everything else words, id=id, turn=turn,
                           attribute=attribute, value=value, forms=forms)
            )  # fmt: skip
            return carry_out(
                store, scope, attribute=attribute, id=id, value=value, words=words, turn=turn,
                reason=reason, forms=forms, everything=everything,
            )  # fmt: skip
    if everything:
        if any(each is not None for each in (attribute, id, value)):
            raise InputError("everything: name no attribute, id or value beside it")
        return write.forget_all(store, scope, turn=turn, reason=reason).records
    if words is not None and write.means_everything(words):
        raise Ambiguous(
            f"forget: these words mean all that conversation {scope.conversation!r} holds; to do "
            "that, say so: everything=True, or 'palimpsest forget --everything'"
        )
    if words is None:
        return write.forget(
            store, scope, attribute=attribute, id=id, value=value, turn=turn, reason=reason,
            forms=forms,
        )  # fmt: skip
    if any(each is not None for each in (attribute, id, value)):
        raise InputError("name an attribute, an id, a value or words, and only one of them")
    with store.transaction():
        found, values = _resolved(store, scope, words, None, None, None)
        rows = found.settled("forget") if found.rows or not values else ()
        return write.forget_rows(
            store, scope, [row.id for row in rows], values=(*values, *forms), turn=turn,
            reason=reason,
        ).records  # fmt: skip


def _check_seal(seal: str, now: ForgetPlan) -> None:
    """Refuse what is not what was shown, before a row is touched; raises Ambiguous."""
    if not hmac.compare_digest(seal.encode(), now.seal.encode()):
        raise Ambiguous(
            "forget: the store has changed since the plan: what would go now "
            f"({len(now.chain)} memories and {len(now.pieces)} pieces of turns) is not what it "
            "showed; nothing was forgotten: make a new plan"
        )


def corrected(
    store: Store, scope: Scope, words: str | None, attribute: str | None, id: int | None
) -> tuple[str | None, int | None]:
    """The attribute or the id that a correction means; raises InputError, Ambiguous, NotFound."""
    if words is None:
        return attribute, id
    if attribute is not None or id is not None:
        raise InputError("name an attribute, an id or words, and only one of them")
    rows = write.meant(words, store.memories.visible(scope), fields=fields()).settled("correct")
    if len({row.attribute for row in rows}) > 1:
        named = ", ".join(f"#{row.id}" for row in rows)
        raise Ambiguous(f"correct: these words mean {len(rows)} memories ({named}); name one")
    row = rows[-1]
    return row.attribute, None if row.attribute is not None else row.id


@functools.cache
def fields() -> Mapping[str, tuple[str, ...]]:
    """The words of each field of life, of all languages together."""
    found: dict[str, tuple[str, ...]] = {}
    for language in grammars.names():
        for name, words in grammars.load(language).domains.items():
            found[name] = (*found.get(name, ()), *words)
    return found


def further_forms(model: ChatModel, values: Sequence[str], *, seed: int = 1) -> tuple[str, ...]:
    """Ask a chat model how else the values may be written; what it says is only looked for.

    A form that is very short, very long or made of small words alone is left out, since it
    would take other things too. Raises ModelError.
    """
    asked = (
        "List other ways in which each of these texts may be written in a conversation: spelled "
        "out, transliterated, translated, abbreviated, with typing mistakes. Answer with a JSON "
        "array of strings and nothing else.\n" + json.dumps(list(values), ensure_ascii=False)
    )
    reply = model.answer(
        ChatCall(
            messages=(Message(role="user", content=asked),), window=_WINDOW, limit=_ANSWER,
            seed=seed, sampling=Sampling(temperature=0.0, top_k=0),
        )
    )  # fmt: skip
    listed = re.findall(r'"((?:[^"\\]|\\.)*)"', reply.text)
    forms = (json.loads(f'"{text}"', strict=False).strip() for text in listed)
    kept = (f for f in forms if _SHORTEST <= len(f) <= _LONGEST and write.tells(f))
    return tuple(dict.fromkeys(kept))[:_MOST_FORMS]


def _resolved(
    store: Store, scope: Scope, words: str | None, attribute: str | None, id: int | None,
    value: str | None,
) -> tuple[Meant, tuple[str, ...]]:  # fmt: skip
    if words is None:
        rows = write.named(store, scope, attribute=attribute, id=id, value=value)
        found = tuple(Candidate(memory=row, score=1.0) for row in rows)
        values: tuple[str, ...] = (value,) if value is not None else ()
        return Meant(words="", rows=found, others=(), ambiguous=False), values
    meant = write.meant(
        words, store.memories.visible(scope), store.memories.replaced(scope), fields()
    )
    if meant.rows:
        return meant, ()
    # Nobody remembered it, and the words name it: then it is looked for as it is.
    return meant, tuple(v for v in identifiers(words) if write.is_strong(v, words))
