"""Every golden file equals what the code makes today."""

from pathlib import Path

import pytest

from palimpsest.tokens.local import LocalTokenizer
from tests.golden.made import GOLDENS, ROOT


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.name)
def test_a_golden_file_is_what_the_code_makes(path: Path, gemma: LocalTokenizer) -> None:
    """A changed report, table, trace, suite or schema is renewed by `make goldens` and reviewed."""
    assert path.read_text(encoding="utf-8") == GOLDENS[path](), (
        f"{path.relative_to(ROOT)} differs; run `make goldens` and review the difference"
    )
