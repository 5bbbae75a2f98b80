"""One thread that reads the turns that wait, oldest first, while the application goes on.

The thread belongs to an open Memory. The extractor works in a thread of its own with a deadline,
so one that hangs fails its turn and holds up nothing; what it answers later is dropped.
Invariant: what was read is committed whole by ``reflecting``, so a turn whose reading was broken
off, by the end of the thread or of the process, still waits; no failure here reaches a turn.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from palimpsest import reflecting
from palimpsest.config import Config
from palimpsest.errors import ModelError, PalimpsestError
from palimpsest.proposals import Extraction, Seen
from palimpsest.protocols import Extractor
from palimpsest.store.store import Store
from palimpsest.types import Scope
from palimpsest.write import filters, story

LOOK = 5.0
"""Seconds after which it looks for turns that another process left, or that had to wait."""
GRACE = 5.0
"""Seconds that a reading may still take when the Memory is closed; then its turn waits."""
_TICK = 0.25
"""Seconds between looks at whether the program has ended without closing the Memory."""
QUIET, LONGEST = 0.05, 1.0
"""Seconds without a new turn before what waits is read, and the most that it waits for them: a
turn that is being built goes before one that was answered."""
_MOST_STUCK = 4
"""Extractors that hang at one time before no other is started."""


_LOG = logging.getLogger("palimpsest.background")


class Stopping(BaseException):
    """The Memory is closed: the turn is left as it is. No plug-in may swallow it."""


class Worker:
    """Reads what waits in a store until it is closed; ``wake`` says that there is something."""

    def __init__(
        self, store: Store, config: Config, extractor: str | Extractor | None = None
    ) -> None:
        """Start the thread; raises SpecError and ConfigError before there is one."""
        story.fields(config.story.state)
        self._asked = filters.chosen(config.reflection.filters)
        self._store, self._config = store, config
        self._given = extractor or config.reflection.extractor
        self._extractor, self._name = reflecting.resolved(self._given)
        self._changed = threading.Condition()
        self._woken, self._stop = True, False
        self._idle = False
        self._last, self._hurry = 0.0, 0
        self._stuck: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._work, name="palimpsest-reflection")
        self._thread.start()

    def wake(self) -> None:
        """Say that a turn waits; returns at once."""
        with self._changed:
            self._woken, self._idle, self._last = True, False, time.monotonic()
            self._changed.notify_all()

    def settled(self, seconds: float) -> bool:
        """Wait until every turn that can be read was; False where that took longer."""
        with self._changed:
            self._hurry += 1
            self._changed.notify_all()
            try:
                return self._changed.wait_for(lambda: self._idle or self._stop, seconds)
            finally:
                self._hurry -= 1

    def close(self) -> None:
        """Finish the reading that is under way, or leave its turn waiting; then end."""
        with self._changed:
            self._stop = True
            self._changed.notify_all()
        self._thread.join()

    # --- in the thread ------------------------------------------------------------------

    def _work(self) -> None:
        try:
            while not self._ended():
                self._rest(drained=self._drain())
        except Stopping:
            pass
        finally:
            self._let_go()

    def _drain(self) -> bool:
        """Read every turn that waits once; False where the store or the extractor held it up."""
        left: set[tuple[Scope, int]] = set()
        with self._changed:
            self._woken = False
        while not self._ended():
            try:
                places = self._store.reflections.waiting()
                place = next((place for place in places if place not in left), None)
                if place is None or self._all_stuck():
                    return place is None
                left.add(place)
                reflecting.read(
                    self._store, *place, _Timed(self._extractor, self), self._name, self._asked,
                    self._config,
                )  # fmt: skip
            except PalimpsestError:
                # The store is busy or full: the turn waits, and the next look tries again.
                return False
            except Exception as fault:  # noqa: BLE001
                # A row of one user that cannot be read must not hold up everybody's turns.
                _LOG.error("a turn that waits cannot be read: %s", type(fault).__name__)
        return False

    def _all_stuck(self) -> bool:
        """True while so many extractors hang that no other is started."""
        self._stuck = [thread for thread in self._stuck if thread.is_alive()]
        return len(self._stuck) >= (_MOST_STUCK if isinstance(self._given, str) else 1)

    def _rest(self, *, drained: bool) -> None:
        """Wait for a turn, and look from time to time whether there is one."""
        until = time.monotonic() + LOOK
        with self._changed:
            self._idle = drained and not self._woken
            self._changed.notify_all()
            while not (self._woken or self._ended()) and time.monotonic() < until:
                self._changed.wait(_TICK)
            latest = time.monotonic() + LONGEST
            while not (self._hurry or self._ended()):
                left = min(self._last + QUIET, latest) - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)

    def _ended(self) -> bool:
        # The thread is no daemon, so the interpreter waits for it: it must see that itself.
        return self._stop or not threading.main_thread().is_alive()

    def awaited(self, reading: _Reading, seconds: float) -> bool:
        """True when a reading came to its end in time; raises Stopping when there is none."""
        late = time.monotonic() + seconds
        stopped: float | None = None
        while not reading.done.wait(_TICK):
            now = time.monotonic()
            if self._ended():
                stopped = stopped or now
                if now > stopped + GRACE:
                    raise Stopping
            if now > late:
                self._give_up(reading)
                return False
        return True

    def _give_up(self, reading: _Reading) -> None:
        """Leave a hanging extractor to itself; where it has a Spec, go on with another."""
        self._stuck.append(reading.thread)
        if isinstance(self._given, str):
            self._extractor, _ = reflecting.resolved(self._given)

    def _let_go(self) -> None:
        """Close what was opened here, unless it hangs."""
        close = getattr(self._extractor, "close", None)
        if close is not None and isinstance(self._given, str):
            close()


class _Reading:
    """One call of an extractor, in a thread that nobody has to wait for."""

    def __init__(self, extractor: Extractor, seen: Seen, config: Config) -> None:
        self.done = threading.Event()
        self.found: Extraction | None = None
        self.fault: BaseException | None = None
        self._call = (extractor, seen, config)
        self.thread = threading.Thread(target=self._run, name="palimpsest-extractor", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        extractor, seen, config = self._call
        try:
            self.found = extractor.extract(seen, config)
        except BaseException as fault:  # noqa: BLE001 - a plug-in may even ask the program to end
            self.fault = fault
        finally:
            self.done.set()


class _Timed:
    """An extractor with a deadline; all else of it is its own."""

    def __init__(self, extractor: Extractor, worker: Worker) -> None:
        self._extractor, self._worker = extractor, worker

    def __getattr__(self, name: str) -> Any:
        return getattr(self._extractor, name)

    @property
    def trusted(self) -> bool:
        return self._extractor.trusted

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """See protocols.Extractor; raises ModelError where it does not answer in time."""
        seconds = config.reflection.seconds
        reading = _Reading(self._extractor, seen, config)
        if not self._worker.awaited(reading, seconds):
            raise ModelError(f"the extractor gave no answer within {seconds:g} seconds")
        if isinstance(reading.fault, Exception):
            raise reading.fault
        if reading.fault is not None:
            raise ModelError(f"the extractor ended with {type(reading.fault).__name__}")
        assert reading.found is not None
        return reading.found
