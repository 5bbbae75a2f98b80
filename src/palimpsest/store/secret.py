"""The key of deletion records and trails: random, made when first needed, never in the database.

It is a file of mode 0600 beside the database, or where the user says; a store in memory keeps
it in memory. Invariant: a key that is there is never replaced, and one that others can read
is refused.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import tempfile
from pathlib import Path

from palimpsest.errors import InputError, StoreError
from palimpsest.store.faults import MEMORY

SIZE = 32
"""Bytes of a key."""
_HASH = 16
"""Bytes of a hash that are kept: enough that no two values meet."""
_FINGERPRINT = "which key is this"


class Secret:
    """The key of one store; read when it is first needed."""

    def __init__(self, database: str, path: str | os.PathLike[str] | None = None) -> None:
        self._memory = database == MEMORY and path is None
        self._path = Path(path if path is not None else f"{database}.key")
        self._key: bytes | None = None

    @property
    def path(self) -> str | None:
        """Where the key is kept; ``None`` for one in memory."""
        return None if self._memory else str(self._path)

    @property
    def fingerprint(self) -> str:
        """Which key this is, without telling it."""
        return self.hash(_FINGERPRINT)[:16]

    def hash(self, text: str) -> str:
        """The keyed hash (HMAC-SHA-256, hex) of a text; makes the key where there is none."""
        whole = hmac.digest(self._read(), text.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return whole[:_HASH].hex()

    def exists(self) -> bool:
        """True where the key was made before."""
        return self._key is not None or (not self._memory and self._path.exists())

    def check(self, fingerprint: str) -> None:
        """Refuse a key that is not the one of the records; raises StoreError."""
        if not self.exists():
            raise StoreError(
                f"the key of the deletion records is not at {str(self._path)!r}; put the file back "
                "there, or name it with '[forget] key_file' in the settings"
            )
        if self.fingerprint != fingerprint:
            raise StoreError(
                f"{str(self._path)!r} is not the key that the deletion records were made with; "
                "put that file back, or name it with '[forget] key_file' in the settings"
            )

    def take_over(self, fingerprint: str, where: str, as_user: str | None) -> None:
        """Refuse a record of a deletion that could know nothing again here; raises InputError."""
        if as_user is not None:
            raise InputError(
                f"{where}: what was forgotten is hashed with its user's name, so it cannot become "
                f"{as_user!r}; import the file without --as-user into a new store"
            )
        try:
            self.check(fingerprint)
        except StoreError as error:
            raise InputError(f"{where}: {error}; nothing was imported") from None

    def _read(self) -> bytes:
        if self._key is None:
            self._key = secrets.token_bytes(SIZE) if self._memory else self._of_file()
        return self._key

    def _of_file(self) -> bytes:
        try:
            if not self._path.exists():
                self._make()
            mode = stat.S_IMODE(self._path.stat().st_mode)
            key = self._path.read_bytes()
        except OSError as error:
            raise StoreError(
                f"the key file {str(self._path)!r} cannot be used ({error.strerror}); check its "
                "directory, or name another with '[forget] key_file' in the settings"
            ) from None
        if os.name == "posix" and mode & 0o077:
            raise StoreError(
                f"the key file {str(self._path)!r} can be read by others (mode {mode:04o}); run "
                f"'chmod 600 {self._path}'"
            )
        if len(key) != SIZE:
            raise StoreError(f"the key file {str(self._path)!r} has {len(key)} bytes, not {SIZE}")
        return key

    def _make(self) -> None:
        """Write the whole key elsewhere first: another process never reads half of one."""
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(SIZE))
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(name, self._path)
            except FileExistsError:
                return
        finally:
            os.unlink(name)
