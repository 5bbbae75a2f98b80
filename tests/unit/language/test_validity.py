"""From when and until when a statement holds, at the boundary, in six languages."""

from __future__ import annotations

import pytest

from palimpsest.language.validity import Validity, validity

MONDAY = "2026-11-30T10:00:00+00:00"
NIGHT_IS_OVER = "2026-12-01T06:00:00+00:00"
FRIDAY_IS_OVER = "2026-12-05T00:00:00+00:00"
TUESDAY_WEEK_IS_OVER = "2026-12-09T00:00:00+00:00"
THURSDAY_WEEK_IS_OVER = "2026-12-11T00:00:00+00:00"
TOMORROW = "2026-12-01T00:00:00+00:00"


@pytest.mark.parametrize(
    "text",
    [
        "I'm in Paris tonight",
        "Je suis à Paris ce soir",
        "Heute Abend bin ich in Paris",
        "Esta noche estoy en París",
        "Stasera sono a Parigi",
        "Hoje à noite estou em Paris",
    ],
)
def test_tonight_ends_in_the_morning(text: str) -> None:
    """It holds from now on, and no longer than the night."""
    assert Validity(valid_until=NIGHT_IS_OVER) == validity(text, MONDAY)


@pytest.mark.parametrize(
    "text",
    [
        "I'm in Paris until Friday",
        "Je suis à Paris jusqu'à vendredi",
        "Ich bin bis Freitag in Paris",
        "Estoy en París hasta el viernes",
        "Sono a Parigi fino a venerdì",
        "Estou em Paris até sexta-feira",
    ],
)
def test_until_friday_ends_when_friday_does(text: str) -> None:
    """The day that is named belongs to what it ends."""
    assert Validity(valid_until=FRIDAY_IS_OVER) == validity(text, MONDAY)


@pytest.mark.parametrize(
    ("tuesday", "thursday"),
    [
        ("I'm in Paris until next Tuesday", "I'm in Paris until next Thursday"),
        ("Je suis à Paris jusqu'à mardi prochain", "Je suis à Paris jusqu'à jeudi prochain"),
        ("Ich bin bis nächsten Dienstag hier", "Ich bin bis nächsten Donnerstag hier"),
        ("Estoy aquí hasta el próximo martes", "Estoy aquí hasta el próximo jueves"),
        ("Sono qui fino a martedì prossimo", "Sono qui fino a giovedì prossimo"),
        ("Estou aqui até a próxima terça-feira", "Estou aqui até a próxima quinta-feira"),
    ],
)
def test_next_tuesday_and_next_thursday_are_two_ends(tuesday: str, thursday: str) -> None:
    """Those of the week after this one."""
    found = (validity(tuesday, MONDAY).valid_until, validity(thursday, MONDAY).valid_until)
    assert (TUESDAY_WEEK_IS_OVER, THURSDAY_WEEK_IS_OVER) == found


@pytest.mark.parametrize(
    "text",
    [
        "Tomorrow I move to Oslo",
        "Demain je déménage à Oslo",
        "Morgen ziehe ich nach Oslo",
        "Mañana me mudo a Oslo",
        "Domani mi trasferisco a Oslo",
        "Amanhã mudo-me para Oslo",
    ],
)
def test_tomorrow_begins_and_has_no_end(text: str) -> None:
    """What is said of tomorrow may last: an end that nobody said would lose it."""
    assert Validity(valid_from=TOMORROW) == validity(text, MONDAY)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Oslo",
        "The report is due by Friday",
        "Our meeting is tonight",
        "We meet next Tuesday",
        "I was in Paris tonight a year ago",
        "Le rapport est à rendre avant vendredi",
        "Der Termin ist heute Abend",
        "La reunión es esta noche",
        "La riunione è stasera",
        "A reunião é hoje à noite",
    ],
)
def test_what_says_no_end_has_none(text: str) -> None:
    """Deadlines, appointments, what was, and what only happens on a day."""
    assert validity(text, MONDAY).valid_until is None


@pytest.mark.parametrize(
    ("said_at", "until"),
    [
        # 23:30 in New York is the next day of UTC; the days of a text are those of UTC.
        ("2026-12-03T23:30:00-05:00", "2026-12-05T00:00:00+00:00"),
        ("2026-12-04T04:30:00+00:00", "2026-12-05T00:00:00+00:00"),
        ("2026-12-03T23:59:59.999999+00:00", "2026-12-04T00:00:00+00:00"),
        ("2026-12-04T00:00:00+00:00", "2026-12-05T00:00:00+00:00"),
        # Without an offset it is UTC.
        ("2026-12-03T12:00:00", "2026-12-04T00:00:00+00:00"),
        # The last days of a month and of a year.
        ("2026-12-31T23:00:00+00:00", "2027-01-01T00:00:00+00:00"),
        ("2028-02-28T23:30:00-01:00", "2028-03-01T00:00:00+00:00"),
    ],
)
def test_days_are_counted_from_the_moment_of_saying(said_at: str, until: str) -> None:
    """In UTC, whatever offset the moment is written with."""
    assert until == validity("I'm at home today", said_at).valid_until


@pytest.mark.parametrize("said_at", ["", "yesterday", "2026-13-01T00:00:00+00:00"])
def test_a_moment_that_cannot_be_read_gives_no_end(said_at: str) -> None:
    """Nothing is lost for a clock that nobody understands."""
    assert Validity() == validity("I'm in Paris tonight", said_at)


def test_a_day_that_is_today_means_the_next_one() -> None:
    """ "Until Monday", said on a Monday, lasts a week; "today" is how one says today."""
    assert "2026-12-08T00:00:00+00:00" == validity("I'm here until Monday", MONDAY).valid_until


@pytest.mark.parametrize(
    "text",
    [
        "I lived in Oslo until May.",
        "Tom was my boss until June.",
        "I used to smoke until March.",
        "I didn't learn to drive until March 2020.",
        "My old passport is good until 3 May 2019.",
        "J'habitais à Lyon jusqu'en mai.",
        "Ich wohnte bis Mai in Wien.",
        "Trabajaba en Acme hasta mayo.",
        "Abitavo a Roma fino a maggio.",
        "Eu morava em Lisboa até maio.",
        "Trabajé en Acme durante diez años.",
        "Trabalhei na Acme por dez anos.",
        "My doctor told me today that I'm diabetic.",
        "I quit my job today.",
    ],
)
def test_what_is_past_stays_true(text: str) -> None:
    """An end that lies in the past, or that belongs to what is past, ends no memory."""
    assert Validity() == validity(text, MONDAY)


def test_a_past_clause_does_not_touch_the_end_of_the_next_one() -> None:
    """Only the clause that names the end is asked for its tense."""
    text = "I was in Rome, now I'm in Oslo until Friday."
    assert Validity(valid_until=FRIDAY_IS_OVER) == validity(text, MONDAY)


@pytest.mark.parametrize(
    "text",
    [
        "We are renting a house for two weeks in August.",
        "I'm away for two weeks next month.",
        "From Monday I'm in Rome for three days.",
        "En août nous louons une maison pour deux semaines.",
        "Ab Montag bin ich für drei Tage in Rom.",
        "En agosto estoy en Roma por dos semanas.",
        "Ad agosto sto a Roma per due settimane.",
        "Em agosto fico em Roma por duas semanas.",
    ],
)
def test_a_span_that_begins_later_has_no_known_end(text: str) -> None:
    """Counted from now it would end before it began."""
    assert Validity() == validity(text, MONDAY)
