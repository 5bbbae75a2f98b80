"""The contexts of the report: every character, every fact and every token is in one place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from palimpsest.bench import builtin
from palimpsest.bench.replay import DEFAULT_STRATEGIES
from palimpsest.bench.report import report
from palimpsest.bench.run import Options, find_all, run_all
from palimpsest.web.budget import bars, pieces
from palimpsest.web.matrix import matrix
from palimpsest.web.viewer import Viewer, viewer

STRATEGIES = (*DEFAULT_STRATEGIES, "seats", "hybrid")
SUITES = builtin.names()


@cache
def _report(name: str) -> dict[str, Any]:
    made = run_all(find_all((name,)), Options(strategies=STRATEGIES, look_after=False), None)[0]
    return dict(report(made, sqlite="3", requests=True))


def _viewers(data: dict[str, Any]) -> Iterator[tuple[Viewer, dict[str, Any]]]:
    for at, (strategy, requests) in enumerate(data["requests"].items()):
        for place, request in enumerate(requests):
            yield viewer(data, strategy, at, place, "s0-"), request


@pytest.mark.parametrize("name", SUITES)
def test_the_pieces_of_a_message_are_its_text(name: str, gemma: object) -> None:
    """Joined, they are what was sent, character by character, in every request of every suite."""
    data = _report(name)
    for shown, request in _viewers(data):
        sent = ["".join(piece.text for piece in message.pieces) for message in shown.messages]

        assert [data["texts"][said] for said in request["said"]] == sent


@pytest.mark.parametrize("name", SUITES)
def test_what_a_message_carries_beside_text_is_shown(name: str, gemma: object) -> None:
    """Tool calls, results and ids stand below the words of the message that carries them."""
    carried = 0
    for shown, request in _viewers(_report(name)):
        for message, sent in zip(request["messages"], shown.messages, strict=True):
            rest = {key for key in message if key not in ("role", "content")}
            carried += bool(rest)

            assert bool(rest) == bool(sent.other)
            assert all(f'"{key}"' in sent.other for key in rest)
    assert (name == "atelier-60") == bool(carried)


@pytest.mark.parametrize("name", SUITES)
def test_every_listed_fact_has_one_cell_a_request(name: str, gemma: object) -> None:
    """And the cell says what the grade of that request says."""
    data = _report(name)
    count = len(next(iter(data["checkpoints"].values())))
    made = matrix(data, "s0-", range(count))
    for row in made.rows:
        assert len(STRATEGIES) * count == len(row.cells)
    for at, rows in enumerate(data["checkpoints"].values()):
        for place, graded in enumerate(rows):
            cells = {row.fact: row.cells[at * count + place] for row in made.rows}
            for key, state in (("missing", "missing"), ("stale", "stale"), ("deleted", "leaked")):
                found = {fact for fact, cell in cells.items() if cell.mark.state == state}

                assert set(graded[key]) == found
            assert graded["found"] == sum(cell.mark.state == "kept" for cell in cells.values())


@pytest.mark.parametrize("name", SUITES)
def test_a_bar_holds_every_token_once(name: str, gemma: object) -> None:
    """Its pieces lie side by side and sum to the budget; what is not free was sent."""
    data = _report(name)
    count = len(next(iter(data["checkpoints"].values())))
    for bar in bars(data, "s0-", range(count)):
        ends = [piece.x + piece.width for piece in bar.pieces]

        assert [0, *ends[:-1]] == [piece.x for piece in bar.pieces]
        assert data["input_budget"] == sum(piece.width for piece in bar.pieces)
        assert bar.tokens == sum(p.width for p in bar.pieces if p.part != "free")


def test_what_a_template_folds_together_is_a_piece_of_its_own() -> None:
    """Where the parts sum to less than the whole, the difference is shown and named."""
    made = pieces({"turns": 10, "question": 5}, tokens=18, budget=20)

    assert [("turns", 10), ("question", 5), ("between parts", 3), ("free", 2)] == [
        (piece.part, piece.width) for piece in made
    ]
