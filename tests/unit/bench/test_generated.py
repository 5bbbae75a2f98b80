"""Generated suites: the same from the same seed, fair to grade, and whole by their labels."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from palimpsest.bench import builtin, gate, suite
from palimpsest.bench.generated import LANGUAGES, many, talk
from palimpsest.bench.generated.templates import FAMILIES, Language, language
from palimpsest.bench.run import Options, find_all, run_all
from palimpsest.errors import InputError
from palimpsest.tokens.local import LocalTokenizer

SEEDS = (1, 2, 3)


def _values(data: dict[str, Any]) -> set[str]:
    return {t["memory"]["value"] for t in data["turns"] if "value" in t.get("memory", {})}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_writes_one_suite(seed: int) -> None:
    """The same twice, another with another seed, and each passes the checks of any suite."""
    texts = [json.dumps(talk(seed=n)) for n in (seed, seed, seed + 1)]
    assert texts[0] == texts[1] != texts[2]
    suite.read(texts[0], where="generated", name="generated")


@pytest.mark.parametrize("seed", SEEDS)
def test_no_value_is_found_by_the_words_of_another(seed: int) -> None:
    """A grader looks for exact text, so no value stands inside another or in small talk."""
    for data in (talk(seed=seed), talk(seed=seed, family="second"), many(seed=seed, facts=120)):
        values = _values(data)
        assert [] == [pair for pair in permutations(values, 2) if pair[0] in pair[1]]
        chat = "\n".join(turn["user"] for turn in data["turns"] if "memory" not in turn)
        assert [] == [value for value in values if value in chat]


@pytest.mark.parametrize(("family", "checkpoints"), [("first", 2), ("second", 3)])
@pytest.mark.parametrize("code", LANGUAGES)
def test_labels_feed_every_fact_of_a_language(
    code: str, family: str, checkpoints: int, gemma: LocalTokenizer
) -> None:
    """With perfect extraction nothing is missing, so what is missing later is the extractor's."""
    data = talk(seed=11, languages=[code], family=family)
    (run,) = run_all(
        [suite.parse(data, where=code, name=code)],
        Options(strategies=("managed",), look_after=False),
    )
    assert [((), (), ())] * checkpoints == [
        (row.grade.missing, row.grade.stale, row.grade.deleted) for row in run.rows["managed"]
    ]


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_second_family_shares_no_sentence_with_the_first(code: str) -> None:
    """What was learnt from the misses of the first does not carry over as words."""
    first, second = language(code), language(code, "second")
    assert set() == _sentences(first) & _sentences(second)
    assert set() == {fact.attribute for fact in first.facts} & {f.attribute for f in second.facts}


def _sentences(spoken: Language) -> set[str]:
    said = [
        form
        for fact in spoken.facts
        for form in (*fact.stated, *fact.corrected, *fact.forget, *fact.repeated)
    ]
    return {*said, *spoken.openers, *spoken.closers, *(pair[0] for pair in spoken.chat)}


def test_the_held_out_suite_asks_enough_of_each_language() -> None:
    """Three checkpoints each and 18 required facts at least, corrections and forgets between."""
    found = builtin.load("generated-6b")
    assert 18 == len(found.checkpoints)
    for place, code in enumerate(LANGUAGES):
        mine = found.checkpoints[place * 3 : place * 3 + 3]
        assert sum(len(at.required) for at in mine) >= 18
        labels = [t.label for t in found.turns if t.label and t.label.attribute.startswith(code)]
        ops = Counter(label.op for label in labels)
        assert (ops["correct"], ops["forget"]) == (4, 3)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_says_its_facts_in_many_forms(code: str, family: str) -> None:
    """Each has statements, corrections, requests to forget, a reservation and five wordings."""
    facts = language(code, family).facts
    assert all("{v}" in form for fact in facts for form in (*fact.stated, *fact.corrected))
    assert [5] == [len(fact.repeated) for fact in facts if fact.repeated]
    assert {fact.attribute for fact in language("en", family).facts} == {f.attribute for f in facts}
    assert any(fact.hedged for fact in facts)
    assert sum(fact.secret for fact in facts) == 2


def test_more_turns_are_more_small_talk() -> None:
    """The facts stay, whatever the length."""
    short, long = talk(seed=4, languages=["en"]), talk(seed=4, languages=["en"], turns=80)
    assert 80 == len(long["turns"])
    assert sum("memory" in t for t in short["turns"]) == sum("memory" in t for t in long["turns"])


def test_many_facts_are_current_at_the_end() -> None:
    """As many as were asked for, with corrections and forgets among them."""
    data = many(seed=5, facts=320)
    current: dict[str, str] = {}
    for turn in data["turns"]:
        label = turn.get("memory")
        if label and label["op"] == "forget":
            del current[label["attribute"]]
        elif label:
            current[label["attribute"]] = label["value"]
    assert len(current) >= 320
    ops = [t["memory"]["op"] for t in data["turns"] if "memory" in t]
    assert min(ops.count("correct"), ops.count("forget")) >= 10
    last = data["checkpoints"][-1]
    assert set(last["required"]) <= set(current.values())
    assert set() == set(last["stale"] + last["deleted"]) & set(current.values())
    assert all(1 <= len(at["required"]) <= 3 for at in data["checkpoints"])


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: talk(seed=1, languages=["en", "xx"]), "languages: "),
        (lambda: talk(seed=1, languages=["en", "en"]), "each once"),
        (lambda: talk(seed=1, family="third"), "family: 'third' is none of first, second"),
        (lambda: talk(seed=1, languages=["en"], turns=5), "turns: 5 is too few"),
        (lambda: many(seed=1, facts=5), "facts: 5 is not from 24 to 400"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_said(made: Any, message: str) -> None:
    """The error names what was given and what there is."""
    with pytest.raises(InputError, match=message):
        made()


def test_a_suite_that_runs_only_where_it_is_named_is_not_in_the_default_run() -> None:
    """The default run and its gate stay what they were; both are found by name."""
    assert set(builtin.SEEDED).isdisjoint(suite.name for suite in find_all([]))
    assert ["generated-6", "generated-6b", "generated-320"] == [
        s.name for s in find_all(list(builtin.SEEDED))
    ]


def test_a_baseline_names_a_generated_suite_and_not_a_file() -> None:
    """What is built in is found wherever the baseline lies."""
    assert "generated-6" == gate.suite_from(Path("elsewhere"), "generated-6")
    assert "generated-6" == gate._suite_at(Path("elsewhere"), "generated-6")
