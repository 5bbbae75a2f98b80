"""The recallers of one store: the embedder of the settings, and any that a strategy names.

Invariant: one recaller an embedder and store; a name that cannot be used is refused when it
is named, not in the middle of a turn.
"""

from __future__ import annotations

import threading
from typing import Literal

from palimpsest import registry
from palimpsest.errors import InputError
from palimpsest.protocols import Embedder
from palimpsest.recall import checked
from palimpsest.recall.recaller import Asked, Background, Inline, Recaller
from palimpsest.settings import RecallSettings
from palimpsest.store.store import Store

Indexing = Literal["background", "inline"]


class Recallers:
    """Made with the store that they recall from; ``close`` ends their threads."""

    def __init__(
        self, store: Store, settings: RecallSettings, *, embedder: str | Embedder | None = None,
        indexing: Indexing = "background",
    ) -> None:  # fmt: skip
        self._store = store
        self._settings = settings
        self._indexing = indexing
        self._lock = threading.Lock()
        self._made: dict[str, Recaller] = {}
        self._given: Recaller | None = None
        if embedder is not None and not isinstance(embedder, str):
            if not isinstance(embedder, Embedder):
                raise InputError(f"embedder: {embedder!r} is neither a Spec text nor an Embedder")
            self._given = self._recaller(checked.promised(embedder))
        self._default = embedder if isinstance(embedder, str) else settings.embedder
        self.of(None)
        store.after_commit(self._nudge)

    def of(self, name: str | None) -> Recaller | None:
        """The recaller of a Spec text, by default that of the settings; ``None`` for none.

        Raises SpecError and NotPrepared.
        """
        if name is None and self._given is not None:
            return self._given
        named = self._default if name is None else name
        if not named.strip():
            return None
        spec = registry.parse(named)
        key = registry.render(spec)
        with self._lock:
            if key not in self._made:
                self._made[key] = self._recaller(load(named))
            return self._made[key]

    def ask(self, words: str, *, embedder: str = "", prefix: str = "") -> Asked:
        """A question, embedded by the embedder of that Spec text or the default one."""
        recaller = self.of(embedder or None)
        if recaller is None or not words.strip():
            return Asked(words=words)
        return recaller.ask(words, prefix=prefix)

    def close(self) -> None:
        """End every thread; one that hangs in its embedder is left to itself."""
        for recaller in self._all():
            recaller.close()

    def _all(self) -> tuple[Recaller, ...]:
        given = () if self._given is None else (self._given,)
        with self._lock:
            return (*given, *self._made.values())

    def _nudge(self) -> None:
        for recaller in self._all():
            recaller.nudge()

    def _recaller(self, embedder: Embedder) -> Recaller:
        if self._indexing == "inline":
            return Inline(self._store, embedder)
        return Background(self._store, embedder, self._settings)


def load(name: str) -> Embedder:
    """The embedder of a Spec text; raises SpecError and NotPrepared."""
    made = registry.load("embedders", registry.parse(name))
    if not isinstance(made, Embedder):
        raise InputError(f"embedder: {name!r} makes {made!r}, which is no Embedder")
    return checked.promised(made)
