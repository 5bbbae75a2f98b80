"""Rewrites the stored built-in suites from their generators."""

from __future__ import annotations

from pathlib import Path

from palimpsest.bench import builtin


def main() -> None:
    """Write each suite beside its generator."""
    for name in builtin.names():
        path = Path(__file__).parent / f"{name}.json"
        path.write_text(builtin.generated(name), encoding="utf-8")


if __name__ == "__main__":
    main()
