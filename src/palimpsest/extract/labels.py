"""The perfect extractor: it proposes what the labels of a conversation say, and nothing else.

It is the upper bound that every other extractor is measured against, on the same path from
proposal to request. Invariant: it reads no words but to quote them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.config import Config
from palimpsest.errors import InputError
from palimpsest.proposals import Extraction, Proposal, Quote, Seen
from palimpsest.types import Label, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Proposes by the label of each turn; turns without one propose nothing.

    ``labels`` goes from turn numbers to labels. A suite's are given by the benchmark; for
    a conversation of your own write them down: ``Labels(labels={3: Label(op=..., ...)})``.
    """

    labels: Mapping[int, Label]

    @property
    def name(self) -> str:
        """What verdicts name it by."""
        return "labels"

    @property
    def trusted(self) -> bool:
        """Its attributes are given."""
        return True

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """See protocols.Extractor; raises InputError where a labelled turn has no user's words."""
        label = self.labels.get(seen.turn.number)
        if label is None:
            return Extraction()
        return Extraction(proposals=(_proposal(label, seen.turn),))


def _proposal(label: Label, turn: Turn) -> Proposal:
    return Proposal(
        text=turn.user, quote=_quote(turn), op=label.op, attribute=label.attribute,
        value=label.value,
    )  # fmt: skip


def _quote(turn: Turn) -> Quote:
    """The first text of the user that has words."""
    for place, message in enumerate(turn.messages):
        if message.role == "user":
            for index, text in enumerate(message.texts()):
                if text.strip():
                    return Quote(message=place, text=index, start=0, end=len(text))
    raise InputError(f"turn {turn.number} has a label and no words of its user")
