"""A ledger as JSON and back. It holds no texts, so it may be kept."""

from __future__ import annotations

from pydantic import TypeAdapter

from palimpsest.ledger import Ledger

_ADAPTER = TypeAdapter(Ledger)


def dumps(ledger: Ledger) -> str:
    """The ledger as JSON text; fields at their defaults are left out."""
    return _ADAPTER.dump_json(ledger, exclude_defaults=True).decode()


def loads(text: str) -> Ledger:
    """Read what ``dumps`` wrote."""
    return _ADAPTER.validate_json(text)
