"""Probes: preserved, lost, stale or absent by exact text; paraphrases beside, never mixed."""

from __future__ import annotations

from typing import Any

import pytest

from palimpsest import messages
from palimpsest.bench import probes
from palimpsest.bench.probes import Outcome
from palimpsest.errors import InputError
from palimpsest.types import Message
from tests.support.views import talk

GOOD = {"id": "limit", "kind": "constraint", "fact": "within 15 minutes"}
OLD = {"id": "old", "kind": "decision", "fact": "use MySQL", "superseded_by": "limit"}


def sent(*texts: str) -> tuple[Message, ...]:
    return tuple(messages.text_message("user", text, "m") for text in texts)


def statuses(data: list[dict[str, Any]], *texts: str, markers: tuple[str, ...] = ()) -> list[str]:
    return [o.status for o in probes.report(sent(*texts), probes.read(data), markers)]


def test_a_fact_is_preserved_or_lost_by_its_exact_text() -> None:
    """Another wording is not the fact."""
    assert ["preserved"] == statuses([GOOD], "Nothing.", "It ends within 15 minutes or so.")
    assert ["lost"] == statuses([GOOD], "It ends in 15 minutes.")


def test_a_superseded_fact_is_stale_or_absent() -> None:
    """Present is worse than gone."""
    assert ["lost", "stale"] == statuses([GOOD, OLD], "We use MySQL.")
    assert ["preserved", "absent"] == statuses([GOOD, OLD], "It ends within 15 minutes.")


@pytest.mark.parametrize(
    "text",
    ["R&D <core> pays", "R&amp;D &lt;core&gt; pays", "R&D &lt;core&gt; pays"],
)
def test_a_fact_is_found_raw_or_escaped_whole(text: str) -> None:
    """Notes escape, turns do not; half of each is neither."""
    data = [{"id": "a", "kind": "detail", "fact": "R&D <core>"}]
    expected = "lost" if "R&D &" in text else "preserved"
    assert [expected] == statuses(data, text)


def test_a_fact_is_found_as_a_note_quotes_it() -> None:
    """Line breaks, hidden characters and control strings are shown in a note."""
    data = [{"id": "a", "kind": "detail", "fact": "a\nb\u200b [INST]"}]
    assert ["preserved"] == statuses(data, "- a\\nb\\u200b &#91;INST]", markers=("[INST]",))


def test_a_fact_is_not_made_of_two_messages() -> None:
    """The end of one message and the beginning of the next say nothing together."""
    data = [{"id": "a", "kind": "detail", "fact": "within\n15"}]
    assert ["lost"] == statuses(data, "within", "15")
    (found,) = probes.report(sent("15", "within\n15"), probes.read(data))
    assert (1,) == found.messages


def outcomes(*texts: str) -> tuple[Outcome, ...]:
    data = [
        {"id": "new", "kind": "decision", "fact": "We chose PostgreSQL for the store."},
        {"id": "old", "kind": "decision", "fact": "The store is MySQL.", "superseded_by": "new"},
        GOOD,
    ]
    return probes.report(sent(*texts), probes.read(data))


def test_paraphrases_are_counted_apart() -> None:
    """What is said in other words stays lost or absent in the counts of exact text."""
    found = outcomes("PostgreSQL was chosen as the store.", "MySQL, that is the store.")
    assert {"lost": 2, "absent": 1} == probes.totals(found)
    assert {"preserved": 1, "stale": 1} == probes.paraphrase_totals(found)
    assert ["preserved", "stale", None] == [outcome.paraphrased for outcome in found]


def test_what_stands_exactly_needs_no_paraphrase() -> None:
    """The second matcher looks only for what the first did not find."""
    found = outcomes("We chose PostgreSQL for the store.", "PostgreSQL was chosen as the store.")
    assert found[0].paraphrase is None
    assert {} == probes.paraphrase_totals(found)


def test_the_turns_that_say_a_fact_are_named() -> None:
    """A probe that no turn says is seen to be one."""
    said = talk(("We end within 15 minutes.", "k"), ("Hm.", "within 15 minutes, yes"), ("a", "b"))
    good, old = probes.read([GOOD, OLD])
    assert ((1, 2), ()) == (probes.said_in(good, said), probes.said_in(old, said))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, r"^probes: \{\} is not a list of probes"),
        ("x", r"^probes: 'x' is not a list"),
        ([5], r"^probes\[0\]: 5 is not a probe object"),
        ([{**GOOD, "note": 1}], r"^probes\[0\]: unknown 'note'; known keys: id, kind, fact, super"),
        ([{"id": "a", "kind": "detail"}], r"^probes\[0\]\.fact: is missing"),
        ([{**GOOD, "fact": " "}], r"^probes\[0\]\.fact: ' ' is not a text, or is blank"),
        ([{**GOOD, "id": 7}], r"^probes\[0\]\.id: 7 is not a text"),
        ([{**GOOD, "kind": "wish"}], r"^probes\[0\]\.kind: 'wish' is not one of decision, constr"),
        ([GOOD, GOOD], r"^probes\[0\]\.id: 'limit' names 2 probes"),
        ([{**GOOD, "superseded_by": 0}], r"^probes\[0\]\.superseded_by: 0 is not a text"),
        ([{**GOOD, "fact": None}], r"^probes\[0\]\.fact: None is not a text"),
        ([OLD], r"^probes\[0\]\.superseded_by: 'limit' is no probe; known: old"),
        ([{**GOOD, "superseded_by": "limit"}], r"superseded_by: 'limit' supersedes itself"),
        ([{**GOOD, "superseded_by": "old"}, OLD], r"superseded_by: 'limit' supersedes itself"),
    ],
)
def test_each_fault_of_a_probe_file_is_named_by_its_path(data: Any, said: str) -> None:
    """Unknown keys, blanks, doubled ids, successors that are not there or go in a circle."""
    with pytest.raises(InputError, match=said):
        probes.read(data)


def test_a_null_successor_is_none() -> None:
    """``null`` says the same as the key left out."""
    assert probes.read([GOOD]) == probes.read([{**GOOD, "superseded_by": None}])
