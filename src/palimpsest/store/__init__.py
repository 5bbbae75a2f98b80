"""The truth on disk: SQLite and nothing else; no algorithm lives here."""

from palimpsest.store.opening import open_store
from palimpsest.store.requests import StoredRequest
from palimpsest.store.store import Store
from palimpsest.store.view import StoreView

__all__ = ["Store", "StoreView", "StoredRequest", "open_store"]
