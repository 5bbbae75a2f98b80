"""``gguf:PATH[@DIGEST]`` and ``smollm2``: a model file that answers in this process.

``xllamacpp`` serves it on a free port of the loopback, and it is asked over HTTP like any
other. The context of a case is given to the server when it starts, so it starts at the first
call. The file is hashed before that. Invariant: an answer depends on the file, the request,
the sampling, the seed and the number of threads, not on what was asked before (no prompt is
cached). One thread is the default: two that spin on busy cores are slower, and with another
number of threads sums are rounded otherwise, so the same seed draws another answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from palimpsest.chat import ChatCall, ChatReply, ModelIdentity
from palimpsest.errors import ModelError, SpecError
from palimpsest.models import pins, streams, weights
from palimpsest.models.api import ANSWER_SECONDS, Api
from palimpsest.models.openai import body, reply_of

PACKAGE = "xllamacpp"
_PATH = "/v1/chat/completions"
# min_p is this server's own default cut; the published sampling has none.
_OWN: Mapping[str, object] = {"min_p": 0.0, "cache_prompt": False}


def gguf(name: str, threads: int = 1, timeout: float = ANSWER_SECONDS) -> LocalModel:
    """The factory of the entry point; ``name`` is a path that may end in ``@DIGEST``."""
    wanted = pins.split(name)
    path = Path(wanted.name).expanduser()
    digest = weights.sum_of(path)
    title = f"gguf:{path.name}"
    pins.check(title, wanted.digest, digest)
    return LocalModel(path, title=title, digest=digest, threads=threads, timeout=timeout)


def smollm2(threads: int = 1, timeout: float = ANSWER_SECONDS) -> LocalModel:
    """SmolLM2-135M-Instruct, prepared before."""
    return LocalModel(
        weights.verified(), title=weights.NAME, digest=weights.digest(), threads=threads,
        timeout=timeout,
    )  # fmt: skip


class LocalModel:
    """See protocols.ChatModel. It is pinned: the file that is hashed is the one that answers."""

    def __init__(
        self, path: Path, *, title: str, digest: str, threads: int = 1,
        timeout: float = ANSWER_SECONDS,
    ) -> None:  # fmt: skip
        if threads < 1:
            raise SpecError(f"{title}: threads is {threads}; it must be at least 1")
        self._path = path
        self._title = title
        self._threads = threads
        self._timeout = timeout
        self._window = 0
        self._server: Any = None
        self._api: Api | None = None
        self._library = _library(title)
        self.identity = ModelIdentity(
            model=title,
            digest=digest,
            pinned=True,
            server=f"{PACKAGE} {metadata.version(PACKAGE)}",
            unsent=("thinking",),
            details={"threads": str(threads)},
        )

    def answer(self, call: ChatCall) -> ChatReply:
        """One call of the server in this process."""
        sent = {**body(self._title, call), **_OWN}
        return reply_of(self.serve(call.window).post(_PATH, sent), self._title)

    def stream(self, call: ChatCall) -> Iterator[str]:
        """The same call, its text piece by piece."""
        sent = {**body(self._title, call), **_OWN, "stream": True}
        with self.serve(call.window).streaming(_PATH, sent) as response:
            yield from streams.events(response, self._title)

    def serve(self, window: int) -> Api:
        """The running server with a context of at least ``window`` tokens."""
        if self._api is None or window != self._window:
            self.close()
            self._server = self._started(window)
            self._window = window
            self._api = Api(self._title, self._server.listening_address, timeout=self._timeout)
        return self._api

    def close(self) -> None:
        """Stop the server."""
        if self._api is not None:
            self._api.close()
        self._api = self._server = None

    def _started(self, window: int) -> Any:
        params = self._library.CommonParams()
        params.model.path = str(self._path)
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.n_ctx = window
        params.n_parallel = 1
        params.cpuparams.n_threads = self._threads
        params.cpuparams_batch.n_threads = self._threads
        params.cache_prompt = False
        params.warmup = False
        params.ui = False
        params.verbosity = 0
        try:
            return self._library.Server(params)
        except RuntimeError as error:
            raise ModelError(
                f"{self._title}: {PACKAGE} cannot serve {self._path} ({error}); is it a GGUF file "
                "of a chat model?"
            ) from None


def _library(title: str) -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise ModelError(
            f"{title}: answering in this process needs {PACKAGE}; install the extra: "
            "pip install 'palimpsest-memory[local]'"
        ) from None
    return xllamacpp
