"""The filters: what must not become a memory, each a pure function with one verdict.

A filter takes a proposal and what its extractor saw, and returns the rule that rejects it or
``None``. They are named in ``[reflection] filters`` and found in the entry-point group
``palimpsest.filters``; a Spec's parameters are keyword arguments of the function. The order is
that of the questions: are these the user's words (``no-quote``, ``recalled-text``), do they
state anything (``instruction``), of whom (``assistant-attitude``, ``not-about-the-user``), and
does the text say what they say (``negation-flipped``, ``invented``). Invariant: the first filter
that rejects decides, the user's words are asked for always, and none reads or writes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from palimpsest import registry
from palimpsest.proposals import Proposal, Seen
from palimpsest.write.filters.quoted import quoted

Filter = Callable[[Proposal, Seen], str | None]


class Named(NamedTuple):
    """A filter under its printed Spec."""

    name: str
    ask: Filter


ALWAYS = Named("no-quote", quoted)
"""Asked first, whether it is named or not: without the user's words there is no evidence."""


class FilterFailure(Exception):
    """A filter that raised, or that answered with no rule; ``args`` name it and the fault."""


def chosen(names: Sequence[str]) -> tuple[Named, ...]:
    """The filters of some Spec texts, in their order; raises SpecError."""
    specs = dict.fromkeys(registry.render(registry.parse(name)) for name in names)
    loaded = (Named(name, registry.bound("filters", registry.parse(name))) for name in specs)
    return (ALWAYS, *(found for found in loaded if found.name != ALWAYS.name))


def rejected(filters: Sequence[Named], proposal: Proposal, seen: Seen) -> str | None:
    """The rule that rejects a proposal; ``None`` where none does. Raises FilterFailure."""
    for name, ask in filters:
        try:
            rule = ask(proposal, seen)
        except Exception as error:
            raise FilterFailure(f"{type(error).__name__} in the filter {name}") from error
        if rule is not None:
            if not isinstance(rule, str) or not rule.strip():
                raise FilterFailure(f"the filter {name} answered neither a rule nor None")
            return rule
    return None
