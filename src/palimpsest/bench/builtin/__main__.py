"""Rewrites the stored built-in suites and case sets from their generators."""

from __future__ import annotations

from pathlib import Path

from palimpsest.bench import builtin
from palimpsest.bench.builtin import case_sets


def main() -> None:
    """Write each suite and case set beside its generator."""
    for made in (builtin, case_sets):
        for name in made.names():
            path = Path(__file__).parent / f"{name}.json"
            path.write_text(made.generated(name), encoding="utf-8")


if __name__ == "__main__":
    main()
