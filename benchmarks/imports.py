"""How fast large chat logs come in, and how much memory that takes, whatever their size."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

SIZE = 100_000_000
MORE = 64
"""Megabytes that an import may take beyond what the program takes before it reads."""
_WORDS = "What was said here is as long as an answer of a model, with é and ü and 12 too. " * 6
_START = 1_700_000_000.0
_PROGRAM = """
import json, resource, sys, time
from pathlib import Path
from palimpsest import Memory
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with Memory.open(sys.argv[2]) as memory:
    before, start = peak(), time.perf_counter()
    first = memory.import_log(Path(sys.argv[1]), user="me")
    middle = time.perf_counter()
    second = memory.import_log(Path(sys.argv[1]), user="me")
    print(json.dumps({"before": before, "peak": peak(), "first": middle - start,
                      "again": time.perf_counter() - middle, "turns": first.turns,
                      "fates": [dict(first.fates), dict(second.fates)]}))
"""
Write = Callable[[Path, int], int]


@dataclass(frozen=True, kw_only=True)
class ImportCost:
    """One log: its size, how long it took, and how much more memory than before it."""

    name: str
    bytes: int
    conversations: int
    turns: int
    first_s: float
    again_s: float
    """The second time, when nothing is new."""
    peak_mb: float
    more_mb: float


def measure(size: int = SIZE) -> list[ImportCost]:
    """An export of ChatGPT and a file of Claude Code whose sessions run side by side."""
    return [
        _cost("ChatGPT, one array", chatgpt, size),
        _cost("Claude Code, ten sessions side by side", claude_code, size),
    ]


def _cost(name: str, write: Write, size: int) -> ImportCost:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        count = write(log, size)
        command = [sys.executable, "-c", _PROGRAM, str(log), str(Path(folder) / "m.db")]
        told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        assert told["fates"] == [{"added": count}, {"known": count}], told
        return ImportCost(
            name=name, bytes=log.stat().st_size, conversations=count, turns=told["turns"],
            first_s=told["first"], again_s=told["again"], peak_mb=told["peak"] / 1024,
            more_mb=(told["peak"] - told["before"]) / 1024,
        )  # fmt: skip


def chatgpt(path: Path, size: int) -> int:
    """Write conversations of forty messages; how many there are."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        while file.tell() < size:
            file.write(("," if count else "") + json.dumps(_tree(count)))
            count += 1
        file.write("]")
    return count


def _tree(number: int) -> dict[str, object]:
    mapping: dict[str, object] = {"root": {"id": "root", "parent": None, "message": None}}
    for i in range(40):
        content = {"content_type": "text", "parts": [f"{number}.{i}: {_WORDS}"]}
        mapping[f"n{i}"] = {
            "id": f"n{i}", "parent": f"n{i - 1}" if i else "root",
            "message": {"author": {"role": ("user", "assistant")[i % 2]}, "content": content,
                        "create_time": _START + 60 * i},
        }  # fmt: skip
    return {"id": f"c{number}", "current_node": "n39", "mapping": mapping}


def claude_code(path: Path, size: int) -> int:
    """Write sessions of two hundred records, ten of them at a time; how many there are."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < size:
            for i in range(200):
                for session in range(count, count + 10):
                    file.write(json.dumps(_record(f"s{session}", i)) + "\n")
            count += 10
    return count


def _record(session: str, i: int) -> dict[str, object]:
    role = ("user", "assistant")[i % 2]
    return {
        "type": role, "uuid": f"{session}-{i}", "sessionId": session,
        "parentUuid": f"{session}-{i - 1}" if i else None,
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_START + 60 * i)),
        "message": {"role": role, "content": f"{session}.{i}: {_WORDS}"},
    }  # fmt: skip


def table(costs: list[ImportCost]) -> Table:
    """The figures, a log a row."""
    made = Table("log", "MB", "conversations", "turns", "MB/s", "MB/s again", "peak MB", "more MB")
    for cost in costs:
        size = cost.bytes / 1e6
        made.add_row(
            cost.name, f"{size:,.0f}", f"{cost.conversations:,}", f"{cost.turns:,}",
            f"{size / cost.first_s:.1f}", f"{size / cost.again_s:.1f}", f"{cost.peak_mb:.0f}",
            f"{cost.more_mb:.1f}",
        )  # fmt: skip
    return made


def over(costs: list[ImportCost]) -> list[str]:
    """What is over the limit of memory."""
    return [
        f"import of {cost.name}: {cost.more_mb:.0f} MB more than before it, the limit is {MORE}"
        for cost in costs
        if cost.more_mb > MORE
    ]
