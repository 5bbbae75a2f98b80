"""Digests: reads the one that a name asks for and compares it with what is served.

A pin is 12 to 64 hex digits of a SHA-256 behind the last ``@`` of a name. Invariant: a model
counts as pinned only when such a digest, or one of this package's manifest, was equal.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from palimpsest.errors import ModelError

_PIN = re.compile(r"^(?P<name>.+)@(?:sha256:)?(?P<digest>[0-9a-fA-F]{12,64})$")


class Named(NamedTuple):
    """A model's name and the digest that it must have, where one is asked for."""

    name: str
    digest: str | None


def split(text: str) -> Named:
    """``gemma4:e2b@b37049369adf`` into name and digest."""
    found = _PIN.match(text)
    if found is None:
        return Named(text, None)
    return Named(found["name"], found["digest"].lower())


def bare(digest: str) -> str:
    """The hex digits of a digest in either spelling."""
    return digest.removeprefix("sha256:").lower()


def check(model: str, wanted: str | None, served: str | None) -> bool:
    """True when the pin holds, False where none was asked for; a mismatch is a ModelError."""
    if wanted is None:
        return False
    if served is None or not served.startswith(wanted):
        raise ModelError(
            f"{model}: the pinned digest is {wanted}, and what is served has "
            f"{served or 'none'}; nothing was sent. Serve the pinned build, or pin the served one"
        )
    return True


def require(model: str, digest: str | None, *, pinned: bool, unpinned_is_fine: bool) -> None:
    """Refuse a model that is not pinned unless that was asked for."""
    if pinned or unpinned_is_fine:
        return
    way = f"pin it: {model}@{digest}" if digest else "this kind of server gives no digest to pin"
    raise ModelError(
        f"{model}: is not pinned, so nobody could record the same model again; {way}; or give "
        "--unpinned, and the record says so"
    )
