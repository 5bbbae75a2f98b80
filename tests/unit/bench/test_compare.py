"""compare: which differences block, which wait for a blessing, and what cannot be compared."""

import dataclasses

import pytest

from palimpsest.bench.compare import compare
from tests.support.baselines import baseline, case, kinds, of, suite


def test_equal_runs_pass() -> None:
    """Nothing differs: status 0 and every case counted."""
    found = compare(of(case(), case("recent")), of(case(), case("recent")))
    assert ("pass", 0, (), 2) == (
        found.verdict, found.exit_status, found.findings, len(found.cases),
    )  # fmt: skip


def test_a_forgotten_fact_of_a_bound_strategy_blocks_always() -> None:
    """A baseline that has the leak allows nothing."""
    leaking = of(case(deleted=["4711"]))
    found = compare(leaking, leaking)
    assert ("regression", 1, ["forgotten"]) == (
        found.verdict, found.exit_status, kinds(found.findings),
    )  # fmt: skip
    assert found.findings[0].blocks
    assert "sends the forgotten '4711', which no baseline can allow" == found.findings[0].text


def test_a_baselines_own_leak_blocks_only_where_it_is_new() -> None:
    """Strategies that leak by design are held to what they leaked before, case by case."""
    old = of(case("recent", 5, deleted=["4711"]), case("recent", 7))
    assert "pass" == compare(old, old).verdict
    new = of(case("recent", 5, deleted=["4711"]), case("recent", 7, deleted=["4711"]))
    (found,) = compare(old, new).findings
    assert ("forgotten", 7, True) == (found.kind, found.after, found.blocks)


def test_a_stale_fact_blocks_where_the_baseline_did_not_have_it() -> None:
    """For any strategy; one that was blessed does not."""
    old, new = of(case(stale=["old"])), of(case(stale=["old", "older"]))
    assert "pass" == compare(old, old).verdict
    (found,) = compare(old, new).findings
    assert ("stale", "older", True) == (found.kind, found.fact, found.blocks)


def test_a_lost_fact_blocks_by_case_and_not_by_the_mean() -> None:
    """Two facts found elsewhere pay for none lost here."""
    old = of(case(after=5), case(after=7, missing=["b", "c"]))
    new = of(case(after=5, missing=["a"]), case(after=7))
    found = compare(old, new).findings
    assert ["lost", "gain", "gain"] == kinds(found)
    assert ("a", 5, True) == (found[0].fact, found[0].after, found[0].blocks)
    assert not found[1].blocks


def test_every_gain_is_a_finding_until_it_is_blessed() -> None:
    """A fact found, a stale and a forgotten one no longer sent: the check exits 1 for each."""
    old = of(case("recent", missing=["a"], stale=["b"], deleted=["c"]))
    found = compare(old, of(case("recent")))
    assert (1, ["gain"] * 3, ["a", "b", "c"]) == (
        found.exit_status, kinds(found.findings), [f.fact for f in found.findings],
    )  # fmt: skip


def test_a_changed_request_is_told_with_both_hashes_and_sizes() -> None:
    """Nothing else need differ; the hash alone makes the check exit 1."""
    found = compare(of(case(request="a", tokens=100)), of(case(request="b", tokens=98)))
    assert (1, ["changed"]) == (found.exit_status, kinds(found.findings))
    assert (
        f"sends another request: sha256:{'a' * 12} to sha256:{'b' * 12}, 100 to 98 tokens"
    ) == found.findings[0].text


def test_changed_storage_figures_are_told() -> None:
    """Each with its name, for the strategy whose store it is."""
    new = of(case(), storage={"managed": {"stored_rows": 3, "resolutions": 2}})
    (found,) = compare(of(case()), new).findings
    assert ("storage", "managed", None, "its store ends with resolutions 2, blessed 0") == (
        found.kind, found.strategy, found.after, found.text,
    )  # fmt: skip


def test_a_point_of_a_sweep_is_a_case_of_its_own() -> None:
    """A fact lost at one quota only is lost."""
    old = of(case(), case(variant="quota=120"))
    new = of(case(), case(variant="quota=120", missing=["a"]))
    (found,) = compare(old, new).findings
    assert "meeting managed turn 5 (quota=120)" == found.case


def test_findings_come_worst_first_and_are_explained() -> None:
    """Whatever the order of the suites, a leak opens the list; facts get turn and sentence."""
    old = baseline(suite(case("recent"), name="one"), suite(case(), name="two"))
    new = baseline(
        suite(case("recent", missing=["a"], request="b"), name="one"),
        suite(case(deleted=["x"]), name="two"),
    )
    found = compare(old, new, lambda suite, case, fact: f"{suite}/{case.after}/{fact}").findings
    assert ["forgotten", "lost", "changed"] == kinds(found)
    assert ["two/5/x", "one/5/a", ""] == [finding.why for finding in found]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"suite": "sha256:t"}, "meeting: the suite differs: blessed sha256:s, now sha256:t"),
        (
            {"config": "sha256:d", "settings": {"facts": {"quota": 120}, "new": 1}},
            "blessed sha256:c, now sha256:d (facts.quota 160 -> 120; new None -> 1)",
        ),
        ({"strategies": {"recent": "recent", "managed": "managed(quota=3)"}}, "strategies differ"),
        ({"bound": ()}, "strategies differ"),
        ({"cases": (case("recent"),)}, "meeting: the cases differ: blessed 1, now 1"),
        ({"name": "other"}, "suite 'meeting' (sha256:s) is in the baseline and was not run"),
    ],
)
def test_other_questions_are_refused(change: dict[str, object], told: str) -> None:
    """Suite, settings, strategies: the refusal says which differs, with both hashes."""
    new = baseline(dataclasses.replace(suite(case()), **change))  # type: ignore[arg-type]
    found = compare(of(case()), new)
    assert ("error", 2, ()) == (found.verdict, found.exit_status, found.findings)
    assert told in "; ".join(found.refusals)


@pytest.mark.parametrize(
    ("settings", "verdict"),
    [
        (
            {
                "facts": {"quota": 160, "order": "newest"},
                "dedup": {"threshold": 0.8, "ratio_from": 40},
            },
            "pass",
        ),
        ({"facts": {"quota": 160, "order": "oldest"}}, "error"),
        ({"facts": {"quota": 160}, "dedup": {"threshold": 0.9}}, "error"),
    ],
)
def test_a_setting_that_came_later_counts_as_its_default(
    settings: dict[str, object], verdict: str
) -> None:
    """A baseline that was blessed before a setting existed is comparable while it is unchanged."""
    new = dataclasses.replace(suite(case()), config="sha256:d", settings=settings)
    assert verdict == compare(of(case()), baseline(new)).verdict


def test_another_tokenizer_is_refused() -> None:
    """Other counts fit other turns; the fingerprints are named."""
    counted = dataclasses.replace(suite().tokenizer, fingerprint="words-2")
    found = compare(of(case()), of(case(), tokenizer=counted))
    assert (
        "meeting: the tokenizer differs: blessed words words-1, now words words-2",
    ) == found.refusals


def test_a_suite_that_the_baseline_lacks_is_refused() -> None:
    """A new built-in suite is in the gate only when it was blessed."""
    found = compare(of(case()), baseline(suite(case()), suite(case(), name="new")))
    assert ("suite 'new' (sha256:s) was run and is not in the baseline",) == found.refusals


def test_other_code_is_noted_and_compared() -> None:
    """A change of code is what the gate is for, so it refuses nothing."""
    found = compare(of(case()), baseline(suite(case()), palimpsest="2.0", code="sha256:new"))
    assert "pass" == found.verdict
    assert (
        "other code: blessed with palimpsest 1.0 sha256:code, compared with 2.0 sha256:new",
    ) == found.notes
