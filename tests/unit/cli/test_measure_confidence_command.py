"""The command that measures what confidences say."""

import json
from pathlib import Path

from click.testing import CliRunner

from palimpsest import Memory
from palimpsest.bench.confidence import EDGES, Band, of_exchanges
from palimpsest.cli.measure import measure
from palimpsest.config import Config
from palimpsest.proposals import Extraction, Proposal, Quote, Seen


class Sure:
    """An extractor that proposes each user message with one confidence."""

    name = "sure"
    trusted = False

    def __init__(self, confidence: float | None) -> None:
        self._confidence = confidence

    def extract(self, seen: Seen, config: Config) -> Extraction:
        """One proposal, the whole message."""
        text = str(seen.turn.messages[0].content)
        quote = Quote(message=0, text=0, start=0, end=len(text))
        said = Proposal(text=text, quote=quote, confidence=self._confidence)
        return Extraction(proposals=(said,))


def test_a_zero_count_of_eleven_refutes_little() -> None:
    """With 11 candidates and none in a band, a share of 15 % shows nothing one time in six."""
    band = Band(least=0.60, count=0, of=11)
    assert (0.1673, 0.2384) == (round(band.chance(0.15) or 0, 4), round(band.bound or 0, 4))


def test_a_band_with_a_candidate_has_no_bound_of_zero() -> None:
    """Neither a bound nor a chance is told where something was seen, or where nothing was read."""
    seen, unread = Band(least=0.6, count=1, of=11), Band(least=0.6, count=0, of=0)
    assert [None] * 4 == [seen.bound, seen.chance(0.15), unread.bound, unread.chance(0.15)]


def test_every_exchange_is_read_once_a_draw() -> None:
    """Two draws read the 24 exchanges twice, and each candidate is in one band."""
    found = of_exchanges(Sure(0.85), Config(), draws=2)
    assert [12] * 4 == [grade.read for grade in found.grades]
    assert (list(EDGES), [0, 0, 48]) == (
        [band.least for band in found.bands], [band.count for band in found.bands]
    )  # fmt: skip


def test_the_command_reads_the_built_in_exchanges() -> None:
    """The rules tell no confidence, so every candidate of theirs is counted apart."""
    done = CliRunner().invoke(measure, ["confidence", "--json", "-"])
    told = json.loads(done.stdout)
    assert [0, 0, 0] == [band["count"] for band in told["bands"]]
    assert told["untold"] > 0
    assert {"clear": 6, "hesitant": 6, "hinted": 6, "small talk": 6} == {
        grade["name"]: grade["read"] for grade in told["grades"]
    }


def test_the_command_counts_the_memories_of_a_store(tmp_path: Path) -> None:
    """With a store its current memories are counted, and nothing is read."""
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        talk = memory.conversation(user="me", id="default")
        talk.observe(user="I keep bees.", assistant="Nice.")
        talk.reflect(extractor=Sure(0.7))
        talk.remember("I live in Ghent.")
    done = CliRunner().invoke(measure, ["confidence", "--store", str(path), "--json", "-"])
    told = json.loads(done.stdout)
    assert ([0, 1, 0], 1) == ([band["count"] for band in told["bands"]], told["untold"])
    table = CliRunner().invoke(measure, ["confidence", "--store", str(path)]).stdout
    assert "none of 1: a share up to 95% is not refuted" in table
