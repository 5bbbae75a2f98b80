"""Rewrites the stored built-in suites and case sets from their generators."""

from __future__ import annotations

from pathlib import Path

from palimpsest.bench import builtin
from palimpsest.bench.builtin import case_sets


def main() -> None:
    """Write each suite and case set beside its generator."""
    texts = {name: builtin.generated(name) for name in builtin.known()}
    texts |= {name: case_sets.generated(name) for name in case_sets.names()}
    for name, text in texts.items():
        (Path(__file__).parent / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
