"""What Prometheus reads: how many answers, how long builds take, how far the indexes are.

Invariant: a label is a path of the route tables, a method, a status or the Spec of an
embedder, so no name and no text of a user's is ever one, and their number is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.requests import Request

from palimpsest.engine import Memory

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT = "text/plain; version=0.0.4; charset=utf-8"


class Meters:
    """The figures of one server."""

    def __init__(self, memory: Memory) -> None:
        self._registry = CollectorRegistry()
        self._answers = Counter(
            "palimpsest_requests", "Answers by route and status.", ("route", "method", "status"),
            registry=self._registry,
        )  # fmt: skip
        self._answering = Histogram(
            "palimpsest_request_seconds", "Seconds until the last byte.", ("route",),
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._builds = Histogram(
            "palimpsest_build_seconds", "Seconds that building a request took.",
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._degraded = Counter(
            "palimpsest_degraded_turns", "Requests built without recall by meaning.",
            registry=self._registry,
        )  # fmt: skip
        self._registry.register(_Indexes(memory))

    def told(self, request: Request, status: int, seconds: float) -> None:
        """Count one answer; status 0 is a client that left before it began."""
        route = getattr(request.scope.get("route"), "path", None) or "other"
        method = request.method if request.method in _METHODS else "other"
        self._answers.labels(route, method, str(status)).inc()
        self._answering.labels(route).observe(seconds)

    def built(self, seconds: float, degraded: bool) -> None:
        """Count one request that was built."""
        self._builds.observe(seconds)
        if degraded:
            self._degraded.inc()

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)


class _Indexes(Collector):
    """Read when it is asked for: how many memories, and how many wait for a vector."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def describe(self) -> Iterator[Metric]:
        """Nothing is read before the first scrape."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """The gauges of this moment."""
        status = self._memory.index_status()
        yield GaugeMetricFamily(
            "palimpsest_memories", "Current memories of all users.", value=status.memories
        )
        lag = GaugeMetricFamily(
            "palimpsest_index_lag_memories", "Memories without a vector.", labels=["embedder"]
        )
        for each in status.vectors:
            lag.add_metric([each.name], each.missing)
        yield lag
