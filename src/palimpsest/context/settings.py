"""Lays the parameters of a strategy's Spec over the settings: the Spec is the strongest."""

from __future__ import annotations

import dataclasses

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
) -> Config:
    """The settings with the given parameters; ``None`` leaves a setting as it is."""
    facts, notes = config.facts, config.notes
    if quota is not None:
        facts = dataclasses.replace(facts, quota=_tokens("quota", quota))
    if order is not None:
        facts = dataclasses.replace(facts, order=_order(order))
    if reserve is not None:
        notes = dataclasses.replace(notes, reserve=_tokens("reserve", reserve))
    if step is not None:
        notes = dataclasses.replace(notes, step=_turns("step", step))
    return dataclasses.replace(config, facts=facts, notes=notes)


def _tokens(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SpecError(f"{name}={value!r} is not a whole number of tokens of at least 0")
    return value


def _turns(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SpecError(f"{name}={value!r} is not a whole number of turns of at least 1")
    return value


def _order(value: str) -> Order:
    if value == "newest":
        return "newest"
    if value == "oldest":
        return "oldest"
    raise SpecError(f"order={value!r} is not one of 'newest', 'oldest'")
