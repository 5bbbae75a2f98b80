"""Lays the parameters of a strategy's Spec over the settings: the Spec is the strongest."""

from __future__ import annotations

import dataclasses
from typing import Literal

from palimpsest.config import Config
from palimpsest.errors import SpecError
from palimpsest.settings import Order


def overridden(
    config: Config,
    *,
    quota: int | None = None,
    order: str | None = None,
    reserve: int | None = None,
    step: int | None = None,
    limit: int | None = None,
    semantic: int | None = None,
    share: float | None = None,
    stale: str | None = None,
) -> Config:
    """The settings with the given parameters; ``None`` leaves a setting as it is."""
    facts, notes, seats = config.facts, config.notes, config.seats
    if quota is not None:
        facts = dataclasses.replace(facts, quota=_whole("quota", quota, "tokens"))
    if order is not None:
        facts = dataclasses.replace(facts, order=_order(order))
    if reserve is not None:
        notes = dataclasses.replace(notes, reserve=_whole("reserve", reserve, "tokens"))
    if step is not None:
        notes = dataclasses.replace(notes, step=_turns("step", step))
    if limit is not None:
        seats = dataclasses.replace(seats, limit=_whole("limit", limit, "seats"))
    if semantic is not None:
        seats = dataclasses.replace(seats, semantic=_whole("semantic", semantic, "seats"))
    if share is not None:
        seats = dataclasses.replace(seats, share=_share(share))
    if stale is not None:
        context = dataclasses.replace(config.context, stale=_stale(stale))
        config = dataclasses.replace(config, context=context)
    return dataclasses.replace(config, facts=facts, notes=notes, seats=seats)


def _whole(name: str, value: object, of: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SpecError(f"{name}={value!r} is not a whole number of {of} of at least 0")
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise SpecError(f"share={value!r} is not a part of the seats from 0 to 1")
    return float(value)


def _turns(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SpecError(f"{name}={value!r} is not a whole number of turns of at least 1")
    return value


def _stale(value: str) -> Literal["strict", "allow-if-marked"]:
    if value == "strict":
        return "strict"
    if value == "allow-if-marked":
        return "allow-if-marked"
    raise SpecError(f"stale={value!r} is not one of 'strict', 'allow-if-marked'")


def _order(value: str) -> Order:
    if value == "newest":
        return "newest"
    if value == "oldest":
        return "oldest"
    raise SpecError(f"order={value!r} is not one of 'newest', 'oldest'")
