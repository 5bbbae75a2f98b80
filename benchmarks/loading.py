"""How long the tokenizer takes to load, and the whole benchmark once it is there."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from palimpsest.bench import builtin
from palimpsest.bench.replay import DEFAULT_STRATEGIES, enter, replay
from palimpsest.bench.run import Options, config_of
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer

_LOAD = """
import time
start = time.perf_counter()
from palimpsest.tokens.prepared import load
tokenizer = load("gemma-4-e2b")
tokenizer.count_text("ready")
print(time.perf_counter() - start)
"""


def tokenizer_seconds() -> float:
    """From nothing to the first count, in a process of its own, imports included."""
    runs = [
        float(subprocess.run([sys.executable, "-c", _LOAD], capture_output=True, check=True).stdout)
        for _ in range(3)
    ]
    return statistics.median(runs)


def benchmark_seconds(tokenizer: LocalTokenizer) -> float:
    """``travel-50`` with its sweep: replay, requests and grades, with an empty cache."""
    runs = []
    for _ in range(3):
        start = time.perf_counter()
        suite = builtin.load("travel-50")
        config = config_of(suite, Options())
        replay(
            suite,
            entrants=enter(DEFAULT_STRATEGIES),
            counter=TokenCounter(tokenizer),
            config=config,
        )
        runs.append(time.perf_counter() - start)
    return statistics.median(runs)
