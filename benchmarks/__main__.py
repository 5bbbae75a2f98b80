"""Prints every figure of the project's speed, writes them as JSON, exits 1 over a limit.

python -m benchmarks [--json PATH]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    adding,
    cost,
    dedup,
    forgets,
    http_api,
    imports,
    loading,
    pages,
    peers,
    proxy,
    recall,
    seats,
)  # fmt: skip
from palimpsest.tokens.prepared import load

WARM_RATIO = 2.0
"""A warm request at 50,000 turns may take this many times one at 50."""
BENCHMARK_S = 1.0
LOAD_S = 3.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything; 0 within the limits, 1 over one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args(arguments)
    console = Console(width=max(120, Console().width))
    tokenizer = load("gemma-4-e2b")
    with console.status("counting, trimming, timing ..."):
        costs = cost.measure(tokenizer)
        beside = peers.measure(tokenizer)
        seated = seats.measure(tokenizer)
        compared = dedup.measure()
        forgot = forgets.measure()
        searched = recall.measure()
        logs = imports.measure()
        drawn, paged = pages.measure(), pages.paging()
        called = http_api.measure()
        seconds = {"tokenizer": loading.tokenizer_seconds(),
                   "travel-50": loading.benchmark_seconds(tokenizer)}  # fmt: skip
        proxied, crowded = proxy.measure(), proxy.load()
    added = adding.measure(console)
    console.print(_costs(costs))
    console.print(_peers(beside))
    console.print(seats.table(seated))
    console.print(dedup.table(compared))
    console.print(forgets.table(forgot))
    console.print(pages.table(drawn))
    console.print(pages.paging_table(paged))
    console.print(recall.table(searched))
    console.print(http_api.table(called))
    console.print(imports.table(logs))
    console.print(adding.table(added))
    console.print(proxy.table(proxied, crowded))
    console.print(f"tokenizer from the cache: {seconds['tokenizer']:.2f} s (limit {LOAD_S:g})")
    console.print(f"travel-50 with its sweep: {seconds['travel-50']:.2f} s (limit {BENCHMARK_S:g})")
    found = (
        _over(costs, seconds)
        + seats.over(seated)
        + dedup.over(compared)
        + forgets.over(forgot)
        + recall.over(searched)
        + imports.over(logs)
        + pages.over(drawn)
        + pages.paging_over(paged)
        + proxy.over(proxied, crowded)
    )
    for finding in found:
        console.print(f"over the limit: {finding}", style="bold red")
    if options.json:
        figures = {"cost": [dataclasses.asdict(item) for item in costs],
                   "peers": [dataclasses.asdict(item) for item in beside],
                   "seats": [dataclasses.asdict(item) for item in seated],
                   "dedup": dataclasses.asdict(compared),
                   "forgets": dataclasses.asdict(forgot),
                   "imports": [dataclasses.asdict(item) for item in logs],
                   "recall": [dataclasses.asdict(item) for item in searched],
                   "pages": [dataclasses.asdict(item) for item in drawn],
                   "paging": [dataclasses.asdict(item) for item in paged],
                   "http_api": [dataclasses.asdict(item) for items in called for item in items],
                   "adding": [dataclasses.asdict(item) for item in added],
                   "proxy": [dataclasses.asdict(item) for item in proxied],
                   "crowd": dataclasses.asdict(crowded),
                   "seconds": seconds, "over": found}  # fmt: skip
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if found else 0


def _costs(costs: Sequence[cost.Cost]) -> Table:
    table = Table("strategy", title="one request of at most 352 tokens, from an SQLite file")
    for name in (
        "turns", "tokens", "cold ms", "cold encoded", "at most", "warm ms", "unrecorded ms",
        "warm encoded", "SQLite steps",
    ):  # fmt: skip
        table.add_column(name, justify="right")
    for item in costs:
        table.add_row(
            item.strategy, f"{item.turns:,}", str(item.tokens), f"{item.cold_ms:.2f}",
            str(item.cold_encoded), str(item.cold_needed), f"{item.warm_ms:.2f}",
            f"{item.build_ms:.2f}", str(item.warm_encoded), f"{item.steps:,}",
        )  # fmt: skip
    return table


def _peers(costs: Sequence[peers.PeerCost]) -> Table:
    table = Table("peer", title="the same trimming, history in memory, the same tokenizer")
    for name in ("turns", "cold ms", "warm ms"):
        table.add_column(name, justify="right")
    for item in costs:
        shown = [
            f"over {peers.PATIENCE_S} s" if ms is None else f"{ms:,.2f}"
            for ms in (item.cold_ms, item.warm_ms)
        ]
        table.add_row(item.peer, f"{item.turns:,}", *shown)
    return table


def _over(costs: Sequence[cost.Cost], seconds: dict[str, float]) -> list[str]:
    found = []
    for strategy in cost.STRATEGIES:
        mine = {item.turns: item for item in costs if item.strategy == strategy}
        first, last = mine[min(mine)], mine[max(mine)]
        if last.warm_ms > WARM_RATIO * first.warm_ms:
            found.append(f"{strategy}: warm {last.warm_ms:.2f} ms against {first.warm_ms:.2f} ms")
        if last.build_ms > WARM_RATIO * first.build_ms:
            found.append(f"{strategy}: {last.build_ms:.2f} ms against {first.build_ms:.2f} ms")
        if last.steps > WARM_RATIO * first.steps:
            found.append(f"{strategy}: {last.steps} steps against {first.steps}")
        found += [
            f"{strategy} at {item.turns}: {item.cold_encoded} tokens encoded, "
            f"{item.cold_needed} needed"
            for item in mine.values()
            if item.cold_encoded > item.cold_needed
        ]
    limits = (("tokenizer", LOAD_S), ("travel-50", BENCHMARK_S))
    return found + [f"{n}: {seconds[n]:.2f} s" for n, limit in limits if seconds[n] > limit]


if __name__ == "__main__":
    sys.exit(main())
