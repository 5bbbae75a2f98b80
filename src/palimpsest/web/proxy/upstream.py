"""The model server behind the proxy: where it is, and which headers pass in either direction.

Invariant: a key of this server never reaches the upstream, and the upstream's key never reaches
a client, a log or a printed record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import httpx

from palimpsest.errors import InputError
from palimpsest.loopback import is_here
from palimpsest.web.access import Access

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 600.0
"""Between two pieces of an answer; a small model on a busy machine is slow to begin."""
_HOP = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade",
     "proxy-authenticate", "proxy-authorization", "proxy-connection"}
)  # fmt: skip
_OURS = frozenset(
    {"host", "content-length", "content-type", "accept-encoding", "authorization", "cookie",
     "expect", "origin", "referer", "forwarded", "x-real-ip"}
)  # fmt: skip
_THEIRS = frozenset({"date", "server"})
OWN = "x-palimpsest-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """An OpenAI-compatible server."""

    base: str
    """Its base URL, as a client of the OpenAI API is given it: ``http://127.0.0.1:11434/v1``."""
    key: str = field(default="", repr=False)
    """Sent in place of what the client sends; empty passes a client's on, where we ask for none."""
    model: str = ""
    """Asked where a client names none."""
    connect_seconds: float = CONNECT_SECONDS
    answer_seconds: float = ANSWER_SECONDS

    def url(self, path: str) -> str:
        """The address of an operation, such as ``chat/completions``."""
        return f"{self.base}/{path}"


def upstream(
    base: str, *, key: str = "", model: str = "", answer_seconds: float = ANSWER_SECONDS
) -> Upstream:
    """An upstream by its base URL, to which ``/v1`` is added where it has no path."""
    try:
        url = httpx.URL(base)
    except httpx.InvalidURL as error:
        raise InputError(f"--upstream {base!r}: is not a URL ({error})") from None
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
        raise InputError(
            f"--upstream {base!r}: is not a base URL; write it as for any client of the API, such "
            "as http://127.0.0.1:11434/v1"
        )
    if url.userinfo:
        raise InputError("--upstream: name the key with --upstream-key-env, not in the URL")
    found = str(url).rstrip("/")
    return Upstream(
        base=found if url.path.strip("/") else f"{found}/v1", key=key, model=model,
        answer_seconds=answer_seconds,
    )  # fmt: skip


def client(to: Upstream) -> httpx.AsyncClient:
    """A client whose connections stay open between requests."""
    return httpx.AsyncClient(
        timeout=httpx.Timeout(to.answer_seconds, connect=to.connect_seconds, pool=None),
        # Shorter than servers keep a connection (5 s, often): one that is used while it is being
        # closed would fail a chat.
        limits=httpx.Limits(
            max_connections=None, max_keepalive_connections=64, keepalive_expiry=2.0
        ),
        # A proxy of the environment cannot reach a server of this machine.
        trust_env=not is_here(httpx.URL(to.base).host),
        follow_redirects=False,
    )  # fmt: skip


def sent_on(given: Mapping[str, str], to: Upstream, access: Access) -> dict[str, str]:
    """The headers of a client that go to the upstream, with whose key."""
    kept = {
        name: value for name, value in given.items()
        if name not in _HOP | _OURS and not name.startswith((OWN, "x-forwarded-", "sec-"))
    }  # fmt: skip
    if to.key:
        kept["authorization"] = f"Bearer {to.key}"
    elif not access.key and "authorization" in given:
        kept["authorization"] = given["authorization"]
    # The bytes are passed on as they are, and a copy of them is read.
    return {**kept, "content-type": "application/json", "accept-encoding": "identity"}


def sent_back(given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of the upstream that go to the client."""
    left = (*_HOP, *_THEIRS)
    found = ((name.lower(), value) for name, value in given)
    return [
        (name, value) for name, value in found
        if name.decode("latin-1") not in left and not name.startswith(OWN.encode())
    ]  # fmt: skip
