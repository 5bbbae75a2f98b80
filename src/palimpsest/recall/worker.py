"""The one thread that owns an embedder: it answers questions first and indexes in between.

Nobody else calls the embedder, so nobody waits for a lock that a call holds. Invariant:
``ask`` returns by its deadline, whatever the embedder does; the thread never keeps the
process from ending.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from palimpsest.errors import StoreError
from palimpsest.protocols import Embedder, Vectors
from palimpsest.recall import checked
from palimpsest.recall.breaker import Breaker
from palimpsest.recall.follow import Follow, Job
from palimpsest.recall.indexing import PROBE, Indexed
from palimpsest.settings import RecallSettings
from palimpsest.store.store import Store

T = TypeVar("T")

_ENDED = "the embedder's thread has ended"
_LONGEST_WAIT = 3600.0
_CLOSE_SECONDS = 1.0
"""How long closing waits for the batch that is being embedded."""


class Worker:
    """Starts at its first question or nudge; ``close`` ends it."""

    def __init__(self, store: Store, embedder: Embedder, settings: RecallSettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._turn = threading.Condition()
        self._jobs: deque[Job] = deque()
        self._nudged = True
        self._stopped = False
        self._thread: threading.Thread | None = None
        self._busy_since: float | None = None
        self._follow: Follow | None = None
        self.breaker = Breaker(failures=settings.failures, retry=settings.retry)

    def ask(self, text: str, until: float) -> tuple[Vectors | None, str]:
        """The vector of a question, or ``None`` and why, before ``until`` (monotonic)."""
        if self.breaker.open:
            return None, f"the embedder rests after failures ({self.breaker.why})"
        busy = self._busy_for()
        if busy > self._settings.deadline:
            return None, f"the embedder has been busy for {busy:.0f} seconds"
        job = self._put(Job(text=text))
        if not job.done.wait(max(0.0, until - time.monotonic())):
            job.dropped = True
            why = f"the embedder gave no answer within {self._settings.deadline:g} seconds"
            self.breaker.failed(why)
            return None, why
        made: Vectors | None = job.result
        return made, job.error

    def index(self, timeout: float | None = None) -> Indexed | None:
        """Embed all that is missing now; ``None`` where that failed or took longer."""
        job = self._put(Job(text=None))
        found: Indexed | None = job.result if job.done.wait(timeout) else None
        return found

    def nudge(self) -> None:
        """Look soon for what is missing: something was written."""
        with self._turn:
            self._nudged = True
            self._start()
            self._turn.notify()

    def close(self) -> None:
        """End the thread; one that hangs in the embedder is left to itself."""
        with self._turn:
            self._stopped = True
            self._turn.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_CLOSE_SECONDS)
            if self._thread.is_alive():
                self._let_go()

    def _put(self, job: Job) -> Job:
        with self._turn:
            if self._stopped:
                job.finish(None, _ENDED)
                return job
            self._jobs.append(job)
            self._start()
            self._turn.notify()
        return job

    def _start(self) -> None:
        if self._thread is None and not self._stopped:
            # A daemon: an embedder that hangs must not keep the process from ending.
            self._thread = threading.Thread(
                target=self._run, name=f"palimpsest {self._embedder.name}", daemon=True
            )
            self._thread.start()

    def _busy_for(self) -> float:
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    # --- the thread ---------------------------------------------------------------------

    def _run(self) -> None:
        try:
            with self._store.vectors_apart() as stored:
                self._follow = Follow(stored, self._embedder, loop=self._settings.loop)
                self._serve(self._follow)
        except StoreError:
            return  # the store was closed, or its disk is gone: whoever asks next is told
        finally:
            self._let_go()

    def _serve(self, follow: Follow) -> None:
        while True:
            job = self._next(follow)
            if self._stopped:
                if job is not None:
                    job.finish(None, _ENDED)
                return
            if job is not None and job.text is not None:
                self._answer(job.text, job)
            elif job is not None:
                follow.want(job)
            elif self.breaker.open:
                self._guarded(lambda: checked.query(self._embedder, PROBE))
            else:
                follow.step(self._guarded)

    def _next(self, follow: Follow) -> Job | None:
        """The next question; ``None`` where it is time to index, to probe or to stop."""
        with self._turn:
            while not self._stopped:
                while self._jobs:
                    job = self._jobs.popleft()
                    if not job.dropped:
                        return job
                if self.breaker.open:
                    wait = self.breaker.until_probe()
                else:
                    wait = 0.0 if self._nudged else follow.wait()
                    self._nudged = False
                if wait <= 0:
                    return None
                self._turn.wait(min(wait, _LONGEST_WAIT))
        return None

    def _answer(self, text: str, job: Job) -> None:
        made = self._guarded(lambda: checked.query(self._embedder, text))
        job.finish(made, "" if made is not None else self.breaker.why)

    def _guarded(self, call: Callable[[], T]) -> T | None:
        """Run one call of the embedder; ``None`` where it failed, and the breaker counts.

        One that took longer than the deadline is no sign of health, whatever it gave.
        """
        began = self._busy_since = time.monotonic()
        try:
            made = call()
        except StoreError:
            raise
        except BaseException as error:  # noqa: BLE001 - no Ctrl-C comes to this thread
            self.breaker.failed(checked.reason(error, self._embedder.name))
            return None
        finally:
            self._busy_since = None
        took = time.monotonic() - began
        if took <= self._settings.deadline:
            self.breaker.succeeded()
        elif self.breaker.open:
            self.breaker.failed(f"an answer took {took:.1f} seconds")
        return made

    def _let_go(self) -> None:
        """Nobody will answer what is still asked."""
        with self._turn:
            self._stopped = True
            for job in self._jobs:
                job.finish(None, _ENDED)
            self._jobs.clear()
        if self._follow is not None:
            self._follow.end()
