"""Rewrites every golden file; the difference is the review. Run by `make goldens`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.golden.made import GOLDENS, ROOT


def main() -> None:
    """Write each golden whose text changed, and name it."""
    for path, make in GOLDENS.items():
        text = make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"rewritten: {path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
