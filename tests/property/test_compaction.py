"""The rules of compaction over random conversations, for every extractor and step."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Compaction, Config, compact
from palimpsest.config import NotesSettings
from palimpsest.context.quote import quoted
from palimpsest.errors import RequiredContextTooLarge
from palimpsest.protocols import Tokenizer
from palimpsest.tokens.counter import TokenCounter
from tests.support.histories import texts

EXTRACTORS = ("cues", "statements", "drop-oldest")
laws = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
spoken = st.one_of(
    texts.filter(lambda text: bool(text.strip())),
    st.sampled_from(
        ["We must use MySQL.", "It replaces MySQL. Really?", "Nous passons de MySQL à Redis.",
         "Actually, 5 km instead of 3 km.", "We no longer use Redis; now use Kafka."]
    ),
)  # fmt: skip
histories = st.lists(st.fixed_dictionaries({"user": spoken, "assistant": spoken}), max_size=30)


@pytest.fixture(scope="module")
def counter(gemma: Tokenizer) -> TokenCounter:
    return TokenCounter(gemma)


def compacted(
    counter: TokenCounter, extractor: str, window: int, reserve: int, step: int, history: Any
) -> Compaction | None:
    config = Config(notes=NotesSettings(reserve=reserve, step=step, roles=("user", "assistant")))
    data = {"instructions": "Be brief.", "current": "And now?", "history": history,
            "context_limit": window + 1, "max_new_tokens": 1, "margin": 0}  # fmt: skip
    try:
        return compact(data, extractor=extractor, counter=counter, config=config)
    except RequiredContextTooLarge:
        return None


@laws
@given(
    history=histories, extractor=st.sampled_from(EXTRACTORS), window=st.integers(20, 900),
    reserve=st.integers(0, 300), step=st.integers(1, 7),
)  # fmt: skip
def test_a_compaction_fits_adds_up_and_cites(
    counter: TokenCounter, history: Any, extractor: str, window: int, reserve: int, step: int
) -> None:
    """Within the budget and exact; turns add up; each note is its span, and in the block."""
    found = compacted(counter, extractor, window, reserve, step, history)
    if found is None:
        return
    assert counter.tokenizer.count_request(found.request.sent, ()) == found.input_tokens <= window
    assert len(history) == found.kept_turns + found.removed_turns
    assert (
        found.removed_turns % step == 0
        or extractor == "drop-oldest"
        or found.kept_turns == 0
        or (found.removed_turns + (-found.removed_turns) % step >= len(history))
    )
    content = found.messages[-1]["content"]
    markers = counter.frame.markers
    for note in (*found.notes, *found.dropped_notes):
        assert note.turn <= found.removed_turns
        assert history[note.turn - 1][note.role][note.start : note.end] == note.text
    assert all(f"] {quoted(note.text, markers)}" in content for note in found.notes)
    assert content.count("</notes>") == bool(found.notes)
    assert content.endswith("And now?")


TOPICS, VALUES = ("billing", "audit", "search"), ("MySQL", "PostgreSQL", "SQLite", "DuckDB")
events = st.lists(
    st.tuples(st.sampled_from(TOPICS), st.sampled_from(VALUES), st.booleans()),
    min_size=1, max_size=14,
)  # fmt: skip


@dataclasses.dataclass
class Story:
    """Turns that state and correct, with the sentence that is current for each topic."""

    history: list[dict[str, str]] = dataclasses.field(default_factory=list)
    current: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    """By topic, its value and the sentence that states it."""
    replaced: dict[str, str] = dataclasses.field(default_factory=dict)
    """Each replaced sentence, and the one that replaced it."""

    def tell(self, topic: str, value: str, *, pad: bool) -> None:
        old = self.current.get(topic)
        if old is None:
            text = f"The {topic} store will use {value}."
        elif old[0] == value:
            text = "Hm, let me think of something else."
        else:
            text = f"We switched the {topic} store from {old[0]} to {value}."
        if old is None or old[0] != value:
            if old is not None:
                self.replaced[old[1]] = text
            self.replaced.pop(text, None)
            self.current[topic] = (value, text)
        self.history.append({"user": text, "assistant": "Well, " * 9 if pad else "Ok."})


def told(steps: list[tuple[str, str, bool]]) -> Story:
    story = Story()
    for topic, value, pad in steps:
        story.tell(topic, value, pad=pad)
    return story


@laws
@given(steps=events, window=st.integers(30, 700), reserve=st.integers(0, 300))
def test_no_replaced_statement_stands_without_its_correction(
    counter: TokenCounter, steps: list[tuple[str, str, bool]], window: int, reserve: int
) -> None:
    """At every budget: what a note says was replaced has its correction in the request."""
    story = told(steps)
    found = compacted(counter, "statements", window, reserve, 1, story.history)
    if found is None:
        return
    sent = "\n".join(str(message["content"]) for message in found.messages)
    stale = [note.text for note in found.notes if note.text in story.replaced]
    assert [] == [text for text in stale if story.replaced[text] not in sent]


@laws
@given(steps=events)
def test_with_room_the_notes_are_the_current_statements(
    counter: TokenCounter, steps: list[tuple[str, str, bool]]
) -> None:
    """Three interleaved topics: each has its newest statement and no other."""
    story = told(steps)
    story.history.append({"user": "word " * 3000, "assistant": "Ok."})
    found = compacted(counter, "statements", 2000, 1900, 1, story.history)
    assert found is not None
    assert {text for _, text in story.current.values()} == {note.text for note in found.notes}
