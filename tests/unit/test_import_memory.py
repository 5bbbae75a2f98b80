"""A large log is imported in the memory that a small one takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.chat_log_files import large

ROOT = Path(__file__).resolve().parents[2]
MORE = 10
"""Megabytes that a file may take beyond one of 0.3 megabytes: less than it is long."""
_PROGRAM = """
import resource, sys
from pathlib import Path
from palimpsest import Memory
with Memory.open(sys.argv[2]) as memory:
    done = memory.import_log(Path(sys.argv[1]), user="me")
print(done.turns, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _peak(log: Path) -> tuple[int, float]:
    """The turns of an import in a process of its own, and its peak in megabytes."""
    command = [sys.executable, "-c", _PROGRAM, str(log), f"{log}.db"]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    turns, peak = map(int, told.split())
    return turns, peak / 1024


def test_twelve_megabytes_are_imported_in_bounded_memory(tmp_path: Path) -> None:
    """The peak depends on the largest conversation, not on the file."""
    counts = [large(tmp_path / name, size) for name, size in (("s", 300_000), ("l", 12_000_000))]
    (few, small), (many, big) = _peak(tmp_path / "s"), _peak(tmp_path / "l")
    assert [20 * count for count in counts] == [few, many]
    assert big - small < MORE
