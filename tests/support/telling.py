"""An extractor that tells a prepared story, and conversations that it is told in."""

from __future__ import annotations

from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.proposals import Extraction, Position, Seen, Verdict
from palimpsest.settings import StorySettings

CONFIG = Config(
    story=StorySettings(anchors=2, positions=2, position_turns=3, state=("mood: -2..2 step 1",))
)


class Telling:
    """Gives one prepared extraction a turn."""

    trusted = False
    name = "telling"

    def __init__(self, *told: Extraction) -> None:
        self.told = list(told)

    def extract(self, seen: Seen, config: Config) -> Extraction:
        return self.told.pop(0) if self.told else Extraction()


def read(talk: Conversation, *told: tuple[str, Extraction]) -> list[Verdict]:
    """Say each, read all, and return the verdicts."""
    for said, _ in told:
        talk.observe(user=said, assistant="I see.")
    done = talk.reflect(extractor=Telling(*(extraction for _, extraction in told)))
    return [verdict for reading in done for verdict in reading.verdicts]


def tell(talk: Conversation, *told: tuple[str, Extraction]) -> list[tuple[str, str]]:
    """The same, each verdict by its action and rule."""
    return [(verdict.action, verdict.rule) for verdict in read(talk, *told)]


def position(text: str, evidence: str, subject: str = "the sea") -> Extraction:
    """A reading that proposes one position."""
    return Extraction(positions=(Position(subject=subject, text=text, justification=evidence),))
