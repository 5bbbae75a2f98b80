"""The table of docs/seats.md: seats beside the other strategies, at three budgets."""

from __future__ import annotations

from palimpsest.bench import builtin
from palimpsest.bench.report import totals
from palimpsest.bench.run import Options, run_all
from palimpsest.bench.sweep import parse_all

SUITE = "generated-320"
SWEEP = "window=640,1024,2048"
STRATEGIES = (
    "seats", "seats(quota=440)", "managed", "managed(quota=440)", "relevant", "hybrid",
)  # fmt: skip


def seats_table() -> str:
    """Found, stale and forgotten over all checkpoints, a row a strategy and budget."""
    options = Options(
        strategies=STRATEGIES, sweep=(), sweeps=parse_all([SWEEP]).others, look_after=False
    )
    run = run_all([builtin.load(SUITE)], options)[0]
    turns, points = len(run.suite.turns), len(run.suite.checkpoints)
    rows = [f"{SUITE}: {turns} turns, {points} checkpoints, counted by {run.frame.name}", ""]
    rows.append(f"{'strategy':<20}{'input':>7}{'found':>9}{'stale':>7}{'forgotten':>11}")
    for key in (entrant.key for entrant in run.entrants):
        for point in run.varied:
            budget, found = point.variant.budget, totals(point.rows[key])
            assert budget is not None
            held = f"{found['found']}/{found['required']}"
            rows.append(
                f"{key:<20}{budget.input:>7}{held:>9}{found['stale']:>7}{found['deleted']:>11}"
            )
    return "\n".join(rows) + "\n"
