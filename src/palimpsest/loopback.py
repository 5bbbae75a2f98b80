"""Which addresses, hosts and Host headers are this machine's own.

Invariant: nothing is looked up; of names, ``localhost`` alone is one of this machine.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
"""What a browser on this machine names a server on it."""


def is_loopback(address: str) -> bool:
    """Whether an address of a peer is this machine's own; a name is none."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def is_here(host: str) -> bool:
    """Whether the host of an address that somebody wrote is this machine."""
    return host == "localhost" or is_loopback(host)


def host_of(header: str) -> str:
    """The host that a Host header names, without its port; empty where it names none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
