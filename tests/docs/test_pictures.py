"""The pictures of the README are there, and small enough to load."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LARGEST = 150_000


def test_each_picture_is_there_and_small() -> None:
    """`make docs` makes them from the screenshots of the browser tests."""
    named = re.findall(r"\]\((docs/images/[^)]+)\)", (ROOT / "README.md").read_text("utf-8"))
    sizes = {name: (ROOT / name).stat().st_size for name in named}

    assert len(sizes) == 2
    assert {} == {name: size for name, size in sizes.items() if size > LARGEST}
