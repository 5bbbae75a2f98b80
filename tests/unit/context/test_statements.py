"""statements: what still holds is quoted, and nothing replaced stands without its correction."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from palimpsest.bench import builtin, compaction_suite
from palimpsest.config import Config, NotesSettings
from palimpsest.context.compaction_request import read
from palimpsest.context.cues import sentences
from palimpsest.context.statements import LISTED, Statements
from palimpsest.errors import SpecError
from palimpsest.language import packs
from palimpsest.language.reading import read as read_sentence
from palimpsest.protocols import Note
from palimpsest.types import Role, Turn
from tests.support.views import talk

Said = str | tuple[str, str]
MYSQL = "For the pilot we will use MySQL."
EXPORTS = "Exports must finish within 15 minutes."


def turns(said: Sequence[Said], first: int = 1) -> list[Turn]:
    pairs = [item if isinstance(item, tuple) else (item, "Ok.") for item in said]
    return [dataclasses.replace(t, number=first + i) for i, t in enumerate(talk(*pairs))]


def notes(
    *said: Said, shown: Sequence[Said] = (), roles: tuple[Role, ...] = ("user",), **changed: object
) -> list[tuple[int, str]]:
    """The notes as turn and text."""
    gone = turns(said)
    settings = dataclasses.replace(NotesSettings(roles=roles), **changed)
    found = Statements()(gone, turns(shown, len(gone) + 1), Config(notes=settings))
    return [(note.turn, text_of(note, gone)) for note in found]


def text_of(note: Note, gone: Sequence[Turn]) -> str:
    said = gone[note.turn - 1].messages[note.message].texts()[note.text]
    return said[note.start : note.end]


def texts(*said: Said, **more: object) -> list[str]:
    return [text for _, text in notes(*said, **more)]


# --- what is quoted ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "The export service is called ledger-export.",
        "It writes to ledger-export.",
        "Raise the pool from 10 to 20.",
        "The file is /etc/ledger/config.toml.",
        "The review is on Thursday.",
        "We pay 150 euros a night.",
        "Use `load_map` for that.",
        "We decided against a second mast.",
        "Could you keep answers under 200 words?",
        "Le service s'appelle export-grand-livre.",
        "La réunion commence à 14 h 30.",
        "Il faut garder les journaux.",
    ],
)
def test_decisions_names_and_exact_values_are_quoted(said: str) -> None:
    """A cue, a name, an identifier, a quantity or a date is worth a note."""
    assert [said] == texts(said)


@pytest.mark.parametrize(
    "said",
    ["How are you?", "What is the limit?", "Should we switch from MySQL to Redis?", "Thanks a lot.",
     "Now let us talk about the gate.", "Comment vas-tu ?", "Tell me about Porto."],
)  # fmt: skip
def test_questions_and_small_talk_are_not(said: str) -> None:
    """What states nothing makes no note."""
    assert [] == texts(said)


def test_cues_of_the_settings_count_as_well() -> None:
    """A person's own cue words work with this extractor too."""
    assert ["Beschluss: der Mast bleibt."] == texts(
        "Beschluss: der Mast bleibt.", cues=("Beschluss:",)
    )


def test_a_list_or_a_log_is_not_quoted_line_by_line() -> None:
    """Values in many lines of one text are not statements; a marked line among them is."""
    log = "\n".join(f"01:{n:02d} worker wrote batch {n}" for n in range(LISTED))
    assert [] == texts(log)
    assert ["We must keep batch 3."] == texts(log + "\nWe must keep batch 3.")
    assert LISTED - 1 == len(texts("\n".join(log.split("\n")[1:])))


def test_the_size_of_a_list_is_read_from_conversations(published: Path) -> None:
    """A person's own text has at most two bare values, a pasted one at least fourteen."""
    data = json.loads((published / "compaction-50" / "conversation.json").read_text("utf-8"))
    found = [(t["user"], t["assistant"]) for t in data["turns"]]
    for name in builtin.names():
        found += [(item.turn.user, item.turn.assistant) for item in builtin.load(name).turns]
    found += [(t.user, t.assistant) for t in read(compaction_suite.load("request")).history]
    known = packs.chosen("")
    counts = []
    for turn in turns(found):
        for role in ("user", "assistant"):
            own = [read_sentence(text, known) for _, text in sentences(turn, (role,))]
            counts.append(sum(r.exact and not r.marked for r in own))
    assert {0, 1, 2} >= {count for count in counts if count < LISTED}
    assert 14 <= min(count for count in counts if count >= LISTED)


# --- corrections ------------------------------------------------------------------------------

REPLACING = [
    "We chose PostgreSQL for the application. It takes the place of MySQL.",
    "We chose PostgreSQL for the application. It replaces MySQL because we need row security.",
    "We will use PostgreSQL instead of MySQL.",
    "Instead of MySQL, we will use PostgreSQL.",
    "Please use PostgreSQL rather than MySQL.",
    "We switched from MySQL to PostgreSQL.",
    "Let us move from MySQL to PostgreSQL.",
    "I replaced MySQL with PostgreSQL.",
    "MySQL was replaced by PostgreSQL.",
    "We no longer use MySQL.",
    "MySQL is no longer used.",
    "Not MySQL but PostgreSQL.",
    "We use PostgreSQL, not MySQL.",
    "We picked PostgreSQL over MySQL.",
    "We dropped MySQL.",
    "On second thought, PostgreSQL instead of MySQL.",
    "Could you please switch from MySQL to PostgreSQL.",
]


@pytest.mark.parametrize("correction", REPLACING)
def test_of_a_correction_only_what_is_current_is_quoted(correction: str) -> None:
    """The replaced statement goes; every sentence of the correction stays."""
    found = notes(MYSQL, EXPORTS, correction)
    assert [(2, EXPORTS)] == found[:1]
    assert correction == " ".join(text for turn, text in found if turn == 3)
    assert MYSQL not in [text for _, text in found]


FRENCH = [
    "Nous avons choisi PostgreSQL. Il remplace MySQL car il faut une sécurité par ligne.",
    "Nous passons de MySQL à PostgreSQL.",
    "Nous utiliserons PostgreSQL au lieu de MySQL.",
    "Au lieu de MySQL, nous prenons PostgreSQL.",
    "Nous prenons PostgreSQL plutôt que MySQL.",
    "Remplaçons MySQL par PostgreSQL.",
    "MySQL est remplacé par PostgreSQL.",
    "Nous n’utilisons plus MySQL.",
]


@pytest.mark.parametrize("correction", FRENCH)
def test_french_corrections_are_told_as_well(correction: str) -> None:
    """The French pack works beside the English one, in one conversation."""
    first = "Pour le pilote, nous utiliserons MySQL."
    found = notes(first, EXPORTS, correction)
    assert [(2, EXPORTS)] == found[:1]
    assert correction == " ".join(text for turn, text in found if turn == 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The review is on Tuesday.", "The review moved to Thursday."),
        ("The review is on Tuesday.", "The review is now on Thursday."),
        ("Imports must finish within 5 minutes.", "Imports now finish within 9 minutes."),
        ("The open ticket is TKT-100.", "I misread it, the open ticket is TKT-1000."),
        ("Please stay under 150 euros a night.", "Actually, we can go up to 180 euros a night."),
        ("La réunion est mardi.", "La réunion passe à jeudi."),
        ("We will indent with tabs.", "We switched from tabs to spaces."),
        ("Labels must be red.", "Use blue labels instead of red ones."),
        ("We chose oak for the stage floor.", "None is left: take birch instead of oak."),
        ("We decided to heat the house with gas.", "Actually, heat the house with wood pellets."),
        ("We agreed to paint the hull in green.", "On second thought, paint the hull in dark red."),
        ("La pose est prévue mardi.", "La pose est repoussée au jeudi."),
    ],
)
def test_where_only_the_new_value_is_named_topic_and_kind_tell(old: str, new: str) -> None:
    """Another value of one kind about one topic is what is replaced."""
    assert [(2, new)] == notes(old, new)


def test_a_chain_of_corrections_leaves_its_end() -> None:
    """Each link replaces the one before, also through a pronoun."""
    end = "We switched from PostgreSQL to SQLite."
    assert [(3, end)] == notes(MYSQL, "We switched from MySQL to PostgreSQL.", end)
    assert [(3, end)] == notes(MYSQL, "We chose PostgreSQL. It replaces MySQL.", end)


def test_a_chain_that_returns_to_its_beginning_ends_there() -> None:
    """What was said again last is current, and is not behind what it takes back."""
    back = "Let us switch back from PostgreSQL to MySQL."
    assert [(3, back)] == notes(MYSQL, "We switched from MySQL to PostgreSQL.", back)
    moved = [
        "The review is on Tuesday.",
        "The review moved to Thursday.",
        "The review is on Tuesday.",
    ]
    gone = turns(moved)
    found = Statements()(gone, (), Config())
    assert [(2, 0), (3, 0)] == [(note.turn, note.rank) for note in found]


def test_the_assistant_alone_replaces_nothing_and_is_quoted_beside() -> None:
    """Its correction stands with the user's statement, whatever roles are quoted."""
    reply = "Done: we have switched from MySQL to PostgreSQL."
    for roles in (("user",), ("user", "assistant")):
        assert [(1, MYSQL), (2, reply)] == notes(MYSQL, ("And the store?", reply), roles=roles)


def test_the_assistant_reports_what_the_user_asked_for() -> None:
    """Where the user names the value in the same turn, the reply is a correction."""
    reply = "Done, PostgreSQL replaces MySQL."
    assert reply == texts(MYSQL, ("Move the data to PostgreSQL.", reply))[-1]
    assert MYSQL not in texts(MYSQL, ("Move the data to PostgreSQL.", reply))


@pytest.mark.parametrize(
    "said",
    [
        "Nothing replaces a good night's sleep.",
        "We switched from tea to coffee.",
        "Actually, I like tea.",
        "Now let us talk about the gate.",
        "We could replace MySQL with PostgreSQL.",
        "Should we replace MySQL with PostgreSQL?",
        "If we switched from MySQL to PostgreSQL, what would it cost?",
        "We are not switching from MySQL to PostgreSQL.",
        "PostgreSQL does not replace MySQL.",
        "We must never use PostgreSQL instead of MySQL.",
        'The memo says "PostgreSQL replaces MySQL".',
        "> PostgreSQL replaces MySQL",
        "The book “We switched from MySQL to PostgreSQL” is good.",
        "On pourrait passer de MySQL à PostgreSQL.",
        "Nous ne remplaçons pas MySQL par PostgreSQL.",
    ],
)
def test_a_phrase_that_replaces_nothing_takes_nothing(said: str) -> None:
    """Questions, suppositions, denials, quotations and other things leave the statement."""
    assert MYSQL in texts(MYSQL, said)


@pytest.mark.parametrize(
    "said",
    [
        "We refused to switch from MySQL to Oracle.",
        "We decided against switching from MySQL to Oracle.",
        "We almost switched from MySQL to Oracle.",
        "We failed to move from MySQL to Oracle.",
        "My uncle switched from MySQL to Oracle in 1999.",
        "My uncle uses Oracle instead of MySQL.",
        "Bob's old team moved from MySQL to Oracle.",
        "Our competitor no longer uses MySQL.",
        "We met a vendor who moved from MySQL to Oracle.",
        "They moved from MySQL to Oracle.",
        "Acme has replaced MySQL with Oracle.",
        "Carla dropped MySQL.",
        "Someone asked whether Oracle replaces MySQL.",
        "I heard that Oracle replaces MySQL.",
        "The vendor says PostgreSQL replaces MySQL in most firms.",
        "PostgreSQL replaces MySQL in most firms.",
        "Last year we moved from MySQL to Oracle and back again.",
        "We also use Oracle instead of MySQL.",
        "On a refusé de passer de MySQL à Oracle.",
        "On a failli passer de MySQL à Oracle.",
        "Mon oncle est passé de MySQL à Oracle en 1999.",
        "Le vendeur dit que PostgreSQL remplace MySQL.",
        "L'an dernier nous sommes passés de MySQL à Oracle.",
        "Nous utilisons aussi Oracle au lieu de MySQL.",
    ],
)
def test_what_is_not_this_conversations_own_decision_stands_beside(said: str) -> None:
    """Refusals, near misses, reports, third parties, the past and additions: both stay."""
    for chosen in ("We chose MySQL.", "Nous avons choisi MySQL."):
        assert [chosen, said] == texts(chosen, said)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("We must use port 8080.", "Actually, we must also use port 9090."),
        ("We must use port 8080.", "Actually, we must use port 9090 too"),
        ("We must use port 8080.", "Actually, we must use port 9090 as well."),
        ("Nous devons utiliser le port 8080.", "En fait, nous devons aussi utiliser le port 9090."),
        ("We chose PostgreSQL.", "Bob's old team moved from PostgreSQL to Oracle."),
    ],
)
def test_what_is_added_replaces_nothing(first: str, said: str) -> None:
    """A second value beside the first is no correction of it."""
    assert [first, said] == texts(first, said)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("The lesson is on Monday.", "We moved my daughter's lesson from Monday to Tuesday."),
        ("The lesson is on Monday.", "Move my daughter's lesson from Monday to Tuesday."),
        ("We chose MySQL.", "Now we use PostgreSQL instead of MySQL for our vendors."),
        ("We chose MySQL.", "We chose PostgreSQL. They replace MySQL."),
        ("My uncle is in Room 4.", "Actually, my uncle is in Room 5."),
    ],
)
def test_somebody_else_beside_our_own_decision_is_no_doubt(first: str, said: str) -> None:
    """Who does it counts, not who has to do with it."""
    assert first not in texts(first, said)


@pytest.mark.parametrize(
    ("first", "said", "stays"),
    [
        ("The timeout must be 30 s.", "Correction: 45 s.", True),
        ("The limit is 150 requests per second.", "Scrap that, make it 180.", True),
        ("The limit is 150 requests per second.", "Make that 180.", True),
        ("The database must be Oracle.", "Forget Oracle. We take SQLite.", False),
        ("We chose Vue.", "Vue is out, Angular is in.", False),
        ("The release must be called Falcon.", "Rename the release to Osprey.", True),
        ("Nous devons utiliser Oracle.", "Oublie Oracle, on prend SQLite.", False),
        ("Nous avons choisi Vue.", "Vue est abandonné, on prend Angular.", False),
        ("Le projet s'appelle Faucon.", "Le projet est rebaptisé Balbuzard.", True),
    ],
)
def test_a_short_correction_is_never_lost(first: str, said: str, stays: bool) -> None:
    """Whole, beside the old statement, or instead of it where that is certain."""
    assert " ".join([first, said] if stays else [said]) == " ".join(texts(first, said))


def test_two_interleaved_topics_do_not_replace_each_other() -> None:
    """The topic chooses between two statements of one value."""
    billing, audit = "The billing service will use MySQL.", "The audit service will use MySQL."
    for order in ((billing, audit), (audit, billing)):
        found = texts(*order, "We switched billing from MySQL to PostgreSQL.")
        assert [audit, "We switched billing from MySQL to PostgreSQL."] == found
    imports, now = "Imports must finish within 5 minutes.", "Imports now finish within 9 minutes."
    assert [EXPORTS, now] == texts(EXPORTS, imports, now)
    code, design = "The code review is on Tuesday.", "The design review is now on Thursday."
    assert [code, design] == texts(code, design)


@pytest.mark.parametrize(
    "said",
    [
        "MySQL backups are kept for 30 days.",
        "Bob administers the MySQL server.",
        "We will use MySQL and exports must finish within 15 minutes.",
        "We do not use MySQL for the audit.",
    ],
)
def test_a_sentence_that_says_more_or_other_is_kept_beside_the_correction(said: str) -> None:
    """An overwritten fact is lost, a repetition is visible: both stay."""
    found = texts(said, "We switched from MySQL to PostgreSQL.", cues=("MySQL",))
    assert [said, "We switched from MySQL to PostgreSQL."] == found


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("We decided to keep red wine in the cellar.", "Use blue labels instead of red ones."),
        ("We must mark the cost centre on every sheet.", "The cost centre becomes Q&A <beta>."),
        ("We must heat the house in winter.", "Actually, heat the barn in spring."),
        ("We must heat the house with gas, and paint it.", "Actually, heat the house with wood."),
        ("We agreed to paint the hull.", "Actually, paint the hull in dark red."),
    ],
)
def test_a_sentence_about_something_near_stays(said: str, later: str) -> None:
    """A word or a frame in common is not yet the same matter."""
    assert said in texts(said, later)


def test_a_correction_in_a_shown_turn_or_in_the_question_counts() -> None:
    """What the request shows need not be quoted, and what it replaces is not."""
    for correction in ("We use PostgreSQL instead of MySQL.", "It is not MySQL but PostgreSQL."):
        assert [(2, EXPORTS)] == notes(MYSQL, EXPORTS, shown=[correction])


def test_a_corrected_correction_stays_while_something_needs_it() -> None:
    """A statement that is only doubtful keeps its correction beside it, even a replaced one."""
    more = "We will use MySQL and exports must finish within 15 minutes."
    middle = "We switched from MySQL to PostgreSQL."
    end = "We switched from PostgreSQL to SQLite."
    assert [more, middle, end] == texts(more, middle, end)


def test_hidden_characters_do_not_hide_a_correction() -> None:
    """A zero-width mark inside a phrase or a name changes nothing."""
    assert 1 == len(
        texts("We will use My\u200bSQL.", "We swit\u200bched from MySQL to PostgreSQL.")
    )


def test_a_repeated_sentence_is_quoted_where_it_was_said_last() -> None:
    """``unique = "no"`` quotes every saying."""
    assert [(3, EXPORTS)] == notes(EXPORTS, "Hm.", EXPORTS)
    assert [(1, EXPORTS), (3, EXPORTS)] == notes(EXPORTS, "Hm.", EXPORTS, unique="no")


def test_languages_can_be_chosen_and_an_unknown_one_is_named() -> None:
    """The Spec takes the codes of packs."""
    gone = turns(["Nous utiliserons MySQL.", "Nous passons de MySQL à PostgreSQL."])
    assert 1 == len(Statements(languages="fr")(gone, (), Config()))
    assert 2 == len(Statements(languages="en")(gone, (), Config()))
    with pytest.raises(SpecError, match="'de' has no pack; known: en, fr"):
        Statements(languages="en, de")(gone, (), Config())


def test_a_pasted_line_states_nothing_and_costs_little() -> None:
    """A "sentence" of many thousand characters is a document, whatever words are in it."""
    for piece in ("MySQL ", "we must 1 ", "switched from A to B, ", "abc-", "`"):
        began = time.perf_counter()
        assert [EXPORTS] == texts(piece * 20_000, EXPORTS)
        assert time.perf_counter() - began < 2
