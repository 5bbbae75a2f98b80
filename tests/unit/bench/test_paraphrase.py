"""The paraphrase matcher: what it takes for a fact said in other words, and what it must not."""

import pytest

from palimpsest.bench import paraphrase

SAME = [
    ("keep 400 days of history", "A history of 400 days is to be kept."),
    ("keep 400 days of history", "Audit logs: history of 400 days."),
    ("We chose PostgreSQL for the application.", "The application runs on PostgreSQL, as chosen."),
    ("We chose PostgreSQL for the application.", "For the applications PostgreSQL was chosen."),
    ("Exports must finish within 15 minutes.", "Exports have to be finished in 15 minutes."),
    ("Exports must finish within 15 minutes.", "15-minute exports: they must finish by then."),
    ("The review is on Thursday.", "Thursday: the review."),
    ("The budget is 180 euros a night.", "At most 180 euros a night, that is the budget."),
    ("ledger-export", "The service (ledger export) was named."),
    ("The ticket is TKT-1000.", "Ticket TKT-1000 is open."),
    ("It replaces MySQL because of row security.", "Row security is why MySQL is replaced by it."),
    ("Never rename load_map.", "The function load_map is never to be renamed."),
    ("La réunion est jeudi à 14 h.", "Jeudi à 14 h se tient la réunion."),
]
OTHER = [
    ("keep 400 days of history", "A history of 40 days is kept."),
    ("keep 400 days of history", "A history of 400 hours is kept."),
    ("keep 400 days of history", "We waited 400 days."),
    ("We chose PostgreSQL for the application.", "We chose MySQL for the application."),
    ("We chose PostgreSQL for the application.", "PostgreSQL was not chosen for the application."),
    ("We chose PostgreSQL for the application.", "Did we choose PostgreSQL for the application?"),
    ("We chose PostgreSQL for the application.", "We might choose PostgreSQL for the application."),
    ("we will use MySQL", "We use PostgreSQL instead of MySQL."),
    ("we will use MySQL", "We switched from MySQL to PostgreSQL for all use."),
    ("Exports must finish within 15 minutes.", "Exports must finish within 115 minutes."),
    ("Exports must finish within 15 minutes.", "Exports must finish within 15.5 minutes."),
    ("Exports must finish within 15 minutes.", "Imports must finish within 15 minutes."),
    ("The review is on Thursday.", "The retro is on Thursday."),
    ("The review is on Thursday.", "The review is on Tuesday."),
    ("The ticket is TKT-1000.", "The ticket is TKT-100."),
    ("The budget is 180 euros a night.", "The budget is 150 euros a night, 180 at the weekend."),
    ("Never rename load_map.", "Rename load_map."),
    ("Invoices and exports come first.", "Invoices come first."),
    ("It replaces MySQL because of row security.", "MySQL has row security."),
]


@pytest.mark.parametrize(("fact", "said"), SAME, ids=[said for _, said in SAME])
def test_a_fact_in_other_words_is_accepted(fact: str, said: str) -> None:
    """Every carrier stands in the sentence, with half of the other words, in any order."""
    found = paraphrase.find(fact, ["Nothing of it here.", f"Hello. {said} Bye."])
    assert found is not None
    assert (1, said) == (found.message, found.sentence)


@pytest.mark.parametrize(("fact", "said"), OTHER, ids=[said for _, said in OTHER])
def test_another_fact_is_refused(fact: str, said: str) -> None:
    """Another number, unit, name or topic, a denial, a question, a replaced value."""
    assert paraphrase.find(fact, [said]) is None


def test_the_share_is_the_measured_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any share up to a half takes every true pair; any above nought refuses every false one."""
    for share, same in ((0.01, len(SAME)), (0.5, len(SAME)), (0.51, len(SAME) - 5)):
        monkeypatch.setattr(paraphrase, "SHARE", share)
        assert same == sum(paraphrase.find(fact, [said]) is not None for fact, said in SAME)
        assert [] == [said for fact, said in OTHER if paraphrase.find(fact, [said]) is not None]


def test_the_citation_of_a_note_is_no_word_of_it() -> None:
    """A turn number in brackets cannot stand for a number of the fact."""
    assert paraphrase.find("We pay 5 euros for tea.", ["- [turn 5, user] Tea is paid."]) is None
    found = paraphrase.find(
        "R&D <core> pays 5 euros.", ["- [turn 1, user] 5 euros: R&amp;D &lt;core&gt; pays."]
    )
    assert found is not None
    assert "5 euros: R&D <core> pays." == found.sentence


def test_what_was_accepted_can_be_reviewed() -> None:
    """Its carriers, the words it shares and those it misses stand beside the sentence."""
    found = paraphrase.find("keep 400 days of history", ["A history of 400 days is stored."])
    assert found is not None
    assert (("400 days",), ("histori",), ("keep",)) == (found.carriers, found.words, found.missing)
