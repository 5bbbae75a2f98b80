"""Measures extractors: one conversation, one strategy, fed by labels and by what reads text.

The difference to ``labels`` is the cost of imperfect extraction. Invariant: an extractor is
handed the turns alone; the labels of a suite are taken off before it runs, and come back
only to say which rows nobody asked for and which turn a leak began at.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from palimpsest import registry
from palimpsest.bench.misses import Miss, misses
from palimpsest.bench.replay import Entrant, Replayed, enter, replay
from palimpsest.bench.run import Options, config_of
from palimpsest.bench.suite import Suite
from palimpsest.config import Config
from palimpsest.errors import InputError, SpecError
from palimpsest.extract.labels import Labels
from palimpsest.protocols import Extractor
from palimpsest.tokens import prepared
from palimpsest.tokens.counter import TokenCounter
from palimpsest.types import Label, Memory

SUITES = ("travel-50", "atelier-60", "edges", "generated-6", "generated-6b")
EXTRACTORS = ("labels", "rules")
STRATEGIES = ("managed",)
WRITTEN_ON = {
    "labels": "the labels of the suite itself: what perfect extraction would propose",
    "rules": "with travel-50, atelier-60, edges and the published conversation in view, and since "
    "30 November 2026 with the misses and templates of generated-6 too: a development suite; of "
    "generated-6b no sentence and no miss was shown to whoever changes it, only totals",
}
"""What an extractor had been seen with before it was measured; others say it themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fed:
    """One suite replayed with one extractor."""

    extractor: str
    """The printed Spec."""
    written_on: str
    trusted: bool
    replayed: Replayed
    misses: tuple[Miss, ...]
    held: tuple[Memory, ...]
    """The memories that are current at the last checkpoint."""
    extra: tuple[Memory, ...] | None
    """Those of them that no label asked for; ``None`` where the suite has no labels."""
    repeated: Mapping[str, int]
    """By attribute, for each value that was said again in other words: the rows that hold it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One suite under every extractor that was asked for, in their order."""

    suite: Suite
    fed: tuple[Fed, ...]


def measure(
    suites: Sequence[Suite],
    extractors: Sequence[str],
    options: Options,
    step: Callable[[str, int, int], None] | None = None,
) -> tuple[Gap, ...]:
    """Replay every suite with every extractor; raises SpecError and InputError.

    The strategies of ``options`` that are not built from a managed store are left out: no
    extractor feeds them.
    """
    entrants = [one for one in enter(options.strategies) if fed(one)]
    if not entrants:
        raise InputError(
            f"--strategy: {', '.join(options.strategies)}: none is built from a managed store, "
            "which is what an extractor feeds; name managed for instance"
        )
    if len(set(extractors)) < len(extractors):
        raise SpecError(f"an extractor is given twice in {', '.join(extractors)}; name each once")
    return tuple(
        Gap(
            suite=suite,
            fed=tuple(_fed(suite, text, entrants, options, step) for text in extractors),
        )
        for suite in suites
    )


def fed(entrant: Entrant) -> bool:
    """True where a strategy sends what an extractor can change."""
    return entrant.strategy.memory and entrant.policy == "managed"


def without_labels(suite: Suite) -> Suite:
    """The same conversation and checkpoints, and nothing of what its labels say."""
    bare = tuple(dataclasses.replace(item, label=None) for item in suite.turns)
    return dataclasses.replace(suite, turns=bare)


def extractor_of(text: str, suite: Suite) -> tuple[str, Extractor]:
    """An extractor by its Spec text, with its printed Spec; ``labels`` is that of the suite."""
    spec = registry.parse(text)
    if spec.name != "labels":
        made: Extractor = registry.load("extractors", spec)
        return registry.render(registry.spec_of(spec.name, made)), made
    if spec.params:
        raise SpecError(f"{text!r}: labels takes no parameters; the suite has its labels")
    labels = {item.number: item.label for item in suite.turns if item.label is not None}
    if not labels:
        raise InputError(
            f"suite {suite.name!r} has no labels to feed managed memory with; leave labels out"
        )
    return "labels", Labels(labels=labels)


def _fed(
    suite: Suite,
    text: str,
    entrants: Sequence[Entrant],
    options: Options,
    step: Callable[[str, int, int], None] | None,
) -> Fed:
    name, extractor = extractor_of(text, suite)
    config = config_of(suite, options)
    try:
        run = replay(
            without_labels(suite),
            entrants=entrants,
            counter=_counter(config),
            config=config,
            extractor=extractor,
            step=None if step is None else lambda turn, of: step(f"{suite.name} {name}", turn, of),
        )
    finally:
        close = getattr(extractor, "close", None)
        if close is not None:
            close()
    last = suite.checkpoints[-1].after
    held = tuple(row for row in run.facts["managed", last] if row.superseded_by is None)
    return Fed(
        extractor=name,
        written_on=_written_on(text, extractor),
        trusted=extractor.trusted,
        replayed=run,
        misses=misses(suite, run),
        held=held,
        extra=_extra(suite, held),
        repeated=_repeated(suite, held),
    )


def _counter(config: Config) -> TokenCounter:
    return TokenCounter(prepared.resolve(config.tokenizer.name, config))


def _written_on(text: str, extractor: Extractor) -> str:
    known = WRITTEN_ON.get(registry.parse(text).name, "its author does not say")
    return str(getattr(extractor, "written_on", known))


def _extra(suite: Suite, held: Sequence[Memory]) -> tuple[Memory, ...] | None:
    """The rows of turns without a statement, and those beside the value that a label names."""
    labels = {i.number: i.label for i in suite.turns if i.label is not None}
    if not labels:
        return None
    return tuple(row for row in held if not _asked(row, labels.get(row.turn or 0)))


def _asked(row: Memory, label: Label | None) -> bool:
    if label is None or label.op == "forget":
        return False
    return label.value is None or label.value in row.text


def _repeated(suite: Suite, held: Sequence[Memory]) -> dict[str, int]:
    """One row a fact is right: dedup, or the attribute, saw that nothing new was said."""
    wordings: dict[tuple[str, str], set[str]] = {}
    for item in suite.turns:
        if item.label is not None and item.label.op == "remember" and item.label.value:
            said = wordings.setdefault((item.label.attribute, item.label.value), set())
            said.add(item.turn.user)
    return {
        attribute: sum(value in row.text for row in held)
        for (attribute, value), said in wordings.items()
        if len(said) > 1
    }
