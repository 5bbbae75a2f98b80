"""Sweep plots: quota against found, stale and forgotten, as static SVG with its table.

The drawing comes from Vega-Lite through ``vl-convert`` (extra ``report``); without it the
table alone is shown. It is embedded as an image, so nothing in it can run or reach out.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

COLOURS = {"found": "#0072B2", "stale": "#B35900", "forgotten": "#CC0000"}
QUOTA = "Facts quota in tokens"
INSTALL = "pip install 'palimpsest-memory[report]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a sweep for one strategy."""

    at: str
    strategy: str
    found: int
    required: int
    stale: int
    forgotten: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One sweep."""

    title: str
    points: tuple[Point, ...]
    image: str
    """A ``data:`` address of the SVG; empty where nothing draws it."""


def plots(report: Mapping[str, Any]) -> tuple[Plot, ...]:
    """Every sweep of a suite's report."""
    found = []
    if swept := report.get("quota_sweep"):
        points = tuple(
            _point(quota, strategy, total)
            for quota, rows in swept.items() for strategy, total in rows.items()
        )  # fmt: skip
        found.append(_plot(QUOTA, points))
    for title, labels in report.get("sweeps", {}).items():
        points = tuple(
            _point(label, strategy, total)
            for label, point in labels.items()
            for strategy, total in point.get("totals", {}).items()
        )
        if points:
            found.append(_plot(title, points))
    return tuple(found)


def _point(at: str, strategy: str, total: Mapping[str, int]) -> Point:
    return Point(
        at=at, strategy=strategy, found=total["found"], required=total["required"],
        stale=total["stale"], forgotten=total["deleted"],
    )  # fmt: skip


def _plot(title: str, points: tuple[Point, ...]) -> Plot:
    return Plot(title=title, points=points, image=_drawn(title, points))


def _drawn(title: str, points: tuple[Point, ...]) -> str:
    try:
        import vl_convert
    except ImportError:
        return ""
    svg: str = vl_convert.vegalite_to_svg(_spec(title, points))
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _spec(title: str, points: tuple[Point, ...]) -> dict[str, Any]:
    values = [
        {"at": point.at, "strategy": point.strategy, "kind": kind, "facts": getattr(point, kind)}
        for point in points for kind in COLOURS
    ]  # fmt: skip
    order = list(dict.fromkeys(point.at for point in points))
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": values},
        "facet": {"field": "strategy", "type": "nominal", "title": None},
        "columns": 3,
        "spec": {
            "width": 200,
            "height": 140,
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": {"field": "at", "type": "ordinal", "title": title, "sort": order},
                "y": {"field": "facts", "type": "quantitative", "title": "facts"},
                "color": {
                    "field": "kind", "type": "nominal", "title": None,
                    "scale": {"domain": list(COLOURS), "range": list(COLOURS.values())},
                },
                "shape": {"field": "kind", "type": "nominal", "title": None},
            },
        },
        "config": {"background": "#ffffff", "font": "sans-serif"},
    }  # fmt: skip
