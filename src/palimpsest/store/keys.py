"""The keys of the server: whom each lets a program speak for, and how it is known again.

Invariant: the key itself is shown once and never stored; what stands here is a salted scrypt
digest of it, found by a part of the key that is no secret. A revoked row stays, so a store
that had keys never answers without one again until its owner removes them all.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from palimpsest.errors import InputError, NotFound
from palimpsest.store.database import Database

OPENING = "plm"
"""What a key begins with, so that a leaked one is recognised by whoever searches for it."""
_PREFIX_BYTES, _SECRET_BYTES, _SALT_BYTES = 6, 32, 16
_COST = {"n": 1 << 14, "r": 8, "p": 1, "dklen": 32}
_LONGEST = 200
_COLUMNS = "name, prefix, salt, digest, users, tenant, created_at, revoked_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key without its secret."""

    name: str
    prefix: str
    """The part of it that is no secret."""
    users: tuple[str, ...] | None
    """The users it holds; ``None`` for everybody, and for a tenant's."""
    tenant: str
    salt: str
    digest: str
    created_at: str
    revoked_at: str | None = None


def m011_keys(db: Database) -> None:
    """The keys of the server, without their secrets."""
    db.write(
        """CREATE TABLE api_keys (
            name TEXT PRIMARY KEY, prefix TEXT NOT NULL UNIQUE, salt TEXT NOT NULL,
            digest TEXT NOT NULL, users TEXT, tenant TEXT NOT NULL DEFAULT '',
            created_at TEXT NOT NULL, revoked_at TEXT, CHECK (name <> '')
        ) STRICT, WITHOUT ROWID"""
    )


class Keys:
    """Makes, lists, revokes and recognises them."""

    def __init__(self, db: Database, now: Callable[[], str]) -> None:
        self._db = db
        self._now = now
        self._lock = threading.Lock()
        self._process = secrets.token_bytes(32)
        self._known: dict[str, tuple[str, bytes]] = {}

    def add(
        self, name: str, *, users: Iterable[str] | None = None, tenant: str = ""
    ) -> tuple[Key, str]:
        """Make a key; returns its row and the key itself, which is not to be had again.

        It holds ``users``, or a ``tenant``, or everybody where neither is given. Raises
        InputError for a name that is taken.
        """
        held = None if users is None else tuple(sorted(set(users)))
        _check(name, held, tenant)
        prefix = secrets.token_hex(_PREFIX_BYTES)
        salt = secrets.token_hex(_SALT_BYTES)
        secret = f"{OPENING}_{prefix}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        key = Key(
            name=name, prefix=prefix, users=held, tenant=tenant, salt=salt,
            digest=_digest(secret, salt), created_at=self._now(),
        )  # fmt: skip
        with self._db.transaction():
            if self._db.row("SELECT 1 FROM api_keys WHERE name = ?", (name,)):
                raise InputError(
                    f"key {name!r} is there already, perhaps revoked; 'palimpsest keys list' shows "
                    "all: take another name"
                )
            self._put(key)
        return key, secret

    def all(self) -> tuple[Key, ...]:
        """Every key that there was, by name."""
        return tuple(map(_key, self._db.rows(f"SELECT {_COLUMNS} FROM api_keys ORDER BY name")))

    def revoke(self, name: str) -> Key:
        """Let a key be refused from now on, in every process; raises NotFound."""
        with self._db.transaction():
            self._db.write(
                "UPDATE api_keys SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL",
                (self._now(), name),
            )
            found = self._db.row(f"SELECT {_COLUMNS} FROM api_keys WHERE name = ?", (name,))
            if found is None:
                known = ", ".join(repr(key.name) for key in self.all()) or "none"
                raise NotFound(f"there is no key {name!r}; keys: {known}")
            return _key(found)

    def remove_all(self) -> int:
        """Remove every key: the server then answers its own machine alone; how many went."""
        with self._db.transaction():
            return self._db.write("DELETE FROM api_keys")

    @property
    def asked_for(self) -> bool:
        """True once a key was made: nobody is answered without one any more."""
        return self._db.row("SELECT 1 FROM api_keys LIMIT 1") is not None

    @property
    def usable(self) -> bool:
        """True where some key is not revoked."""
        found = self._db.row("SELECT 1 FROM api_keys WHERE revoked_at IS NULL LIMIT 1")
        return found is not None

    def seen(self, secret: str) -> bool:
        """True where this process has verified the key before, so that it is known at once."""
        known = self._known.get(_prefix(secret))
        return known is not None and hmac.compare_digest(known[1], self._quick(secret))

    def verified(self, secret: str) -> Key | None:
        """The key that was sent, unless it is unknown or revoked; slow the first time only."""
        prefix = _prefix(secret)
        found = self._db.row(
            f"SELECT {_COLUMNS} FROM api_keys WHERE prefix = ? AND revoked_at IS NULL", (prefix,)
        )
        if not prefix or found is None:
            return None
        key, quick = _key(found), self._quick(secret)
        known = self._known.get(prefix)
        if known and known[0] == key.digest and hmac.compare_digest(known[1], quick):
            return key
        if not hmac.compare_digest(_digest(secret, key.salt), key.digest):
            return None
        with self._lock:
            self._known[prefix] = (key.digest, quick)
        return key

    def replace_all(self, keys: Iterable[Key]) -> None:
        """Take the keys of another store, and no others: an older copy revives none."""
        with self._db.transaction():
            self._db.write("DELETE FROM api_keys")
            for key in keys:
                self._put(key)

    def _put(self, key: Key) -> None:
        users = None if key.users is None else json.dumps(key.users, ensure_ascii=False)
        self._db.write(
            f"INSERT INTO api_keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (key.name, key.prefix, key.salt, key.digest, users, key.tenant, key.created_at,
             key.revoked_at),
        )  # fmt: skip

    def _quick(self, secret: str) -> bytes:
        # Of no use outside of this process: its key is drawn at the start and kept nowhere.
        return hmac.digest(self._process, secret.encode(), hashlib.sha256)


def _check(name: str, users: tuple[str, ...] | None, tenant: str) -> None:
    if not name.strip() or not name.isprintable():
        raise InputError(f"key {name!r}: is not a name; give one in printable characters")
    if users is not None and tenant:
        raise InputError("a key holds users or a tenant, not both; make two keys")
    if users is not None and not users:
        raise InputError("a key holds at least one user; name one with --user")
    for user in users or ():
        if not user.strip() or user != user.encode("utf-8", "ignore").decode():
            raise InputError(f"user {user!r} is not a name; give a text in UTF-8")
    if tenant and ("/" in tenant or not tenant.strip() or not tenant.isprintable()):
        raise InputError(
            f"tenant {tenant!r}: is not a name; printable characters without '/', which stands "
            "between a tenant and its users"
        )


def _prefix(secret: str) -> str:
    opening, _, rest = secret.partition("_")
    prefix, _, end = rest.partition("_")
    fits = opening == OPENING and end and secret.isascii() and len(secret) <= _LONGEST
    return prefix if fits else ""


def _digest(secret: str, salt: str) -> str:
    return hashlib.scrypt(secret.encode(), salt=bytes.fromhex(salt), **_COST).hex()


def _key(row: tuple[Any, ...]) -> Key:
    name, prefix, salt, digest, users, tenant, created_at, revoked_at = row
    return Key(
        name=name, prefix=prefix, salt=salt, digest=digest,
        users=None if users is None else tuple(json.loads(users)), tenant=tenant,
        created_at=created_at, revoked_at=revoked_at,
    )  # fmt: skip
