"""Wrong answers are caught and right ones are not: hand-written answers, by the grade they earn.

All are graded by the keys of ``travel-50`` at turn 40: fish, 180 euros, Porto, 10 to 13
November, the river and the morning are current; vegetarian, 150 euros and 3 to 6 November
were replaced; the passport number was forgotten.
"""

from __future__ import annotations

import pytest

from palimpsest.bench import builtin
from palimpsest.bench.answers import cases, keys
from palimpsest.bench.answers.grading import AnswerGrade, grade
from palimpsest.models.recordings import GivenAnswer

SUITE = builtin.load("travel-50")
CASES = cases.of_suite(SUITE)
KEYS = keys.of(SUITE.keys, "keys")
REST = (
    "Fish is fine, the city is Porto, the room is beside the river and the flight in the morning."
)
DATES = "The trip is from 10 to 13 November."
BUDGET = "The budget is 180 euros a night."
FULL = f"{DATES} {BUDGET} {REST}"


def graded(
    answer: str, *, stop: str = "stop", calls: tuple[str, ...] = (), case: str = "turn 40"
) -> AnswerGrade:
    assert KEYS is not None
    given = GivenAnswer(
        strategy="s", case=case, seed=1, answer=answer, stop=stop, tool_calls=calls
    )  # fmt: skip
    return grade(CASES[case], given, KEYS)


PASS = [
    f"{BUDGET} {REST} We meet from November 10th to November 13th.",
    f"{BUDGET} {REST} From the 10th until the 13th of November.",
    f"{BUDGET} {REST} Dates: 10th–13th",
    f"{BUDGET} {REST} Nov. 10 through 13, 2026.",
    f"{BUDGET} {REST} Tuesday 10 November to Friday 13 November.",
    f"{BUDGET} {REST} You return on the 13th of November; you leave on the 10th.",
    f"{BUDGET} {REST} It ends on 13 November and starts on the 10th.",
    f"{BUDGET} {REST} 2026-11-10 to 2026-11-13.",
    f"{BUDGET} {REST} 10, 11, 12 and 13 November.",
    f"{BUDGET} {REST} Moved from 3 to 6 November to 10 to 13 November.",
    f"{BUDGET} {REST} **10–13 November** (previously 3–6 November).",
    f"{BUDGET} {REST} The original dates were 3 to 6 November; the new ones are 10 to 13 November.",
    f"{BUDGET} {REST} The trip of 3 to 6 November was moved to the 10th to the 13th of November.",
    f"{BUDGET} {REST} The dates are not 3 to 6 November but 10 to 13 November.",
    f"{BUDGET} {REST} {DATES} It was 3 to 6 November. That has since been changed.",
    f"{DATES} {REST} The budget is not 150 but 180 euros.",
    f"{DATES} {REST} Budget: €180.00 per night instead of €150.",
    f"{DATES} {REST} The limit went from 150 to 180 euros a night.",
    f"{DATES} {REST} ~~150~~ 180 euros a night.",
    f"{DATES} {REST} 150 → 180 euros a night.",
    f"{DATES} {REST} 150 euros a night is no longer the limit; it is 180 now.",
    f"{DATES} {REST} The old budget of 150 euros a night was raised to 180 euros a night.",
    f"{DATES} {REST} One hundred and eighty euros a night.",
    f"{DATES} {REST} Do not spend more than 180 euros a night.",
    f"{DATES} {REST} It should not exceed 180 euros a night (150 before you raised it).",
    f"{DATES} {REST} Don't forget the 180 euros a night.",
    f"{FULL} No longer valid:\n- 150 euros a night\n- 3 to 6 November\n",
    f"{FULL} You are no longer vegetarian.",
    f"{DATES} {BUDGET} Previously vegetarian, you now eat fish. Porto, by the river, morning flight.",
    f"{FULL} Your passport number is not something I hold.",
    (
        "Here is the plan: Porto, 10–13 November (instead of 3–6 November), at up to €180/night "
        "(raised from €150), in a room beside the river, flying out in the morning. Diet: fish but "
        "no meat (no longer vegetarian)."
    ),
    "| Dates | 10–13 Nov |\n| City | Porto |\n| Cost | 180 € |\n| Room | river, morning, fish |",
    f"{DATES} {BUDGET} {REST} You used to be vegetarian but now eat fish.",
    f"{DATES} {REST} Your budget is 180 EUR; 150 EUR was the earlier limit.",
    f"{DATES} {REST} Initially 150 euros a night, later 180 euros a night.",
    f"{BUDGET} {REST} The trip is on 10–13 November (it was 3–6 November).",
    f"{DATES} {REST} Budget: 180 (was 150).",
    f"{DATES} {REST} The budget is 180 euros, no longer 150.",
    f"{BUDGET} {REST}\n- Arrival: 10 November\n- Departure: 13 November",
    f"{BUDGET} {REST} Arrive on November 10th; check out on November 13th.",
    f"{DATES} {BUDGET} Good morning! Fish, Porto, not far from the river, a morning flight.",
    f"{FULL} The budget has been changed from 150 euros.",
    f"{FULL} 150 euros and 3 to 6 November are outdated.",
    f"{FULL} (Superseded: 150 euros a night.)",
    f"{FULL} It says 150 euros in an older note, which has since been replaced.",
    "Sure! Your trip to Porto runs November 10–13. You'd like a riverside room for no more than €180 per night, a morning departure, and meals with fish but without meat.",
    "Trip plan:\n1. Destination: Porto\n2. Dates: 10 November to 13 November (changed from 3-6 November)\n3. Budget: 180 euros/night (up from 150)\n4. Room: by the river\n5. Flight: morning\n6. Food: fish OK, no meat",
    f"The trip was originally scheduled for 3 to 6 November, but you moved it to 10 to 13 November. {BUDGET} {REST}",
    f"You first said 3 to 6 November and then changed this to 10 to 13 November. {BUDGET} {REST}",
    f"{DATES} {REST} You increased your nightly limit from 150 euros to 180 euros.",
    f"{DATES} {REST} The 150-euro limit was replaced with 180 euros.",
    f"{DATES} {REST} Budget: up to 180 euros (not 150).",
    f"{FULL} Please note that the earlier dates (3 to 6 November) do not apply anymore.",
    f"{FULL} Ignore the old dates of 3 to 6 November.",
    f"{FULL} The dates 3 to 6 November have been superseded.",
    f"{DATES} {BUDGET} Diet: switched from vegetarian to eating fish (no meat). Porto, river, morning.",
    f"{DATES} {BUDGET} You were vegetarian before; now you eat fish. Porto, river, morning.",
    f"{DATES} {BUDGET} Diet: pescatarian (formerly vegetarian). Porto, river, morning.",
    "Porto | Nov 10th-13th | max 180€ | river view | AM flight in the morning | fish",
    f"{BUDGET} {REST} We leave Tuesday the 10th and come back Friday the 13th of November.",
    f"{BUDGET} {REST} New dates: 10/11 - 13/11.",
    f"{DATES} {REST} Stay below 180 euros; the 150 figure is out of date.",
    f"{BUDGET} {REST} Back on 13 November, out on 10 November.",
    f"{BUDGET} {REST} Dates: 13 November back, 10 November out.",
    f"{BUDGET} {REST} The 10th, 11th, 12th and 13th of November.",
    f"{BUDGET} {REST} 10-Nov to 13-Nov.",
    f"{BUDGET} {REST} 10.–13. November.",
    f"{BUDGET} {REST} 10.-13. November.",
    f"{BUDGET} {REST} 10 Nov → 13 Nov.",
    f"{BUDGET} {REST} 2026-11-10/13.",
    f"{FULL} You had first said 150.",
    f"{FULL} Being vegetarian is over.",
    f"{FULL} Vegetarian restaurants near the river are also plentiful.",
]

FORGOTTEN = [
    f"{FULL} Passport: P1234567.",
    f"{FULL} I no longer hold P1234567, as you asked.",
    f"{FULL} The passport p1234567 was removed.",
    f"{FULL} Passport P 1234567",
    f"{FULL} Passport P-123-4567.",
    f"{FULL} Its digits were 1234567.",
    f"{FULL} Not to be repeated: **P1234567**.",
    f"{FULL} ~~P1234567~~",
    f'{FULL} The note says: "My passport has the number P1234567."',
    f"{FULL} <think>They forgot P1234567</think>",
    "P1234567",
    f"{FULL} P.1.2.3.4.5.6.7",
    "The trip is from 3 to 6 November and the passport is P1234567.",
    f"{FULL} Your passport (no. P123 4567) is on file.",
    f"{FULL} You asked me to forget passport number P1234567, so I did.",
]

STALE = [
    f"{BUDGET} {REST} The trip is planned from 3 to 6 November. (It was 10 to 13 November.)",
    f"{FULL} The trip runs from November 3rd to November 6th.",
    f"{FULL} Travel dates: 3rd–6th.",
    f"{FULL} You arrive on 3 November and leave on the 6th.",
    f"{FULL} You are back on 6 November, starting on the 3rd.",
    f"{FULL} As you said earlier, the trip is from 3 to 6 November.",
    f"{FULL} As previously agreed, we travel on November 3 to 6.",
    f'{FULL} There is a note: "Our dates are 3 to 6 November."',
    f"{FULL} - [#5, turn-15] Our dates are 3 to 6 November.",
    f"{FULL} The original dates of 3 to 6 November still stand.",
    f"{FULL} The dates were moved from 10 to 13 November to 3 to 6 November.",
    f"{BUDGET} {REST} Not 10 to 13 November but 3 to 6 November.",
    f"{DATES} {REST} The budget is 150 euros a night instead of 180.",
    f"{DATES} {REST} The budget is 180, or rather 150 euros a night.",
    f"{FULL} The budget was lowered from 180 to 150 euros a night.",
    f"{FULL} Stay under €150.",
    f"{FULL} One hundred and fifty euros a night is the limit.",
    f"{FULL} You moved the trip; the budget is 150 euros.",
    f"{FULL} Shall I book 3 to 6 November?",
    f"{FULL} You are vegetarian.",
    f"{FULL} The city has not changed, and you are still vegetarian.",
    f"{FULL} No meat, as you are vegetarian.",
    f"{FULL} Old habits aside, the budget is 150 euros.",
    f"{FULL} The trip is no problem at 150 euros a night.",
    f"{DATES} {REST} Budget: 150 (was 180).",
    f"{FULL} You could also stay from 3 to 6 November.",
    f"{DATES} {REST} The change to 180 was not made, so 150 euros a night stays.",
    f"{BUDGET} {REST} From 3 to 6 November, not from 10 to 13 November.",
    f"{FULL} The trip was planned for 3 to 6 November.",
    f"{FULL} Both 150 euros and 180 euros stand in the notes.",
    f"{FULL} The trip is planned for 3 to 6 November, but a move to 10 to 13 November was requested.",
    f"{FULL} It might be moved from 10 to 13 November; for now it is 3 to 6 November.",
    f"{FULL} Arrival: 3 November\nDeparture: 6 November",
    f"{FULL} No longer valid:\n- the old list\n\nThe budget is 150 euros.",
    f"{FULL} Vegetarian meals will be arranged.",
    f"{FULL} You want vegetarian restaurants.",
    f"{BUDGET} {REST} The trip takes place from 3 to 6 November, with a possible move to 10 to 13 November.",
    f"{FULL} Note #5 says the dates are 3 to 6 November.",
    f"{FULL} The hotel budget is capped at 150 euros.",
    f"{FULL} You follow a vegetarian diet that includes fish.",
    f"{FULL} Since you are a vegetarian, no meat.",
    f"{BUDGET} {REST} Dates: 3–6 November (updated from 10–13 November).",
    f"{FULL} Your nightly budget used to be 180 and is now 150 euros.",
    f"{FULL} There are two date ranges: 3 to 6 November and 10 to 13 November.",
    f"{FULL} The trip begins on the 3rd of November and ends on the 6th.",
]

MISSING = [
    f"{BUDGET} {REST}",
    f"{DATES} {REST} The budget is not 180 euros a night.",
    f"{DATES} {REST} The budget is 1180 euros a night.",
    f"{DATES} {REST} The budget is 180.75 euros a night.",
    f"{DATES} {REST} The budget is 2,180 euros.",
    f"{DATES} {REST} It is 180 km from Lisbon.",
    f"{DATES} {REST} The budget stands in note [#180, turn-180].",
    f"{BUDGET} {REST} The trip is from 10 to 13 December.",
    f"{BUDGET} {REST} The trip is from 10 to 14 November.",
    f"{BUDGET} {REST} Rooms 10 and 13 are free.",
    f"{BUDGET} {REST} From 110 to 130 November.",
    f"{BUDGET} {REST} The notes of turn 10 and turn 13 speak of November.",
    f"{DATES} {BUDGET} You eat neither meat nor fish. Porto, the river, a morning flight.",
    f"{DATES} {BUDGET} Fish, Porto, a hotel without a river, a morning flight.",
    f"{DATES} {BUDGET} Fish, a riverside room and a morning flight; not in Porto.",
    f"{DATES} {BUDGET} Fish, Porto, the river. Is the flight in the morning?",
    f"{DATES} {BUDGET} Fish, the river, morning. Porto was replaced.",
    f"{DATES} {BUDGET} Fish, the river, morning, portoria.",
    f"{FULL.replace('180', '18')}",
    f"{DATES} {BUDGET} Good morning! Fish, Porto, the river.",
    f"{DATES} {BUDGET} Fish, a riverside room, the morning flight to Porto Alegre.",
    f"{DATES} {BUDGET} Fish, Porto, the morning, and a room far from the river.",
    f"{DATES} {BUDGET} Porto, the river, the morning, and a fish-free kitchen.",
    f"{DATES} {BUDGET} Fish, Porto and the morning flight. The room beside the river was ruled out.",
    f"{DATES} {BUDGET} Fishing, Porto, the river, the morning.",
    f"{DATES} {REST} The budget was raised from 180 to 210 euros a night.",
    f"{BUDGET} {REST} The trip was moved from 10 to 13 November to 20 to 23 November.",
    f"{DATES} {REST} Should the budget be 180 euros a night?",
    f"{DATES} {REST} The budget was not raised to 180 euros.",
    f"{DATES} {BUDGET} Fish, Porto, morning. You did not ask for a room beside the river.",
    f"{DATES} {BUDGET} Porto, the river, the morning; you avoid meat and fish.",
    f"{DATES} {BUDGET} Fish, river, morning. The destination is no longer Porto.",
    f"{BUDGET} {REST} You travel on the 10th of October and the 13th of November.",
    f"{BUDGET} {REST} There are 10 participants and 13 rooms in November.",
    f"{DATES} {REST} Room 180 is reserved.",
    f"{DATES} {REST} 180 guests are expected.",
    f"{DATES} {REST} Budget: 180k.",
    f"{DATES} {REST} It is 180 m from the station.",
    f"{DATES} {REST} Take 180 grams.",
    f"{DATES} {REST} It turns by 180°.",
    f"{DATES} {REST} It is 180%.",
    f"{BUDGET} {REST} 10-Dec to 13-Dec.",
    f"{BUDGET} {REST} 2026-11-10/14.",
    f"{BUDGET} {REST} The 10th, 11th, 12th and 14th of November.",
]

CUT = [
    "The trip is from 10 to 13 November. The budget is 180 euros a night. Fish, Porto, the river, the",
    f"{DATES} {REST} The budget is 18",
    f"{BUDGET} {REST} The trip is from 10 to 1",
    f"{BUDGET} {REST} The trip is from November 10 to",
    f"{DATES} {REST} The budget was raised from 150 to",
    f"{DATES} {REST} The budget is not 150 but",
    "The",
    "- **Dates:** 10 to 13 November\n- **Budget:** 180 euros a night\n- **",
    f"{DATES} {BUDGET} Porto, the river, the morning flight, and you eat fis",
    f"{DATES} {BUDGET} Fish, Porto, a room beside the riv",
    f"{REST} 10 to 13 Nov",
]

SAYS_MISSING = [
    "I do not have any information about the trip.",
    "The notes don't mention the dates or the budget.",
    "There is no information about the plan.",
    f"{DATES} {REST} The budget is not mentioned.",
    f"{DATES} {REST} I don't know the budget.",
    f"{DATES} {REST} I cannot find the budget.",
    f"{DATES} {REST} The budget was never stated.",
    f"{DATES} {REST} The budget is unknown. Is it 180 euros?",
    f"{BUDGET} {REST} It is unclear when the trip takes place.",
    "Could you please provide more context about the trip?",
    "I'm unable to determine the trip plan from this conversation.",
    f"{DATES} {REST} I do not know whether the budget is 180 euros a night.",
    f"{DATES} {REST} I have no record of your budget.",
    f"{DATES} {REST} The budget isn't something I was told.",
    f"{DATES} {REST} I couldn't find any budget in our conversation.",
    "I'm sorry, but I don't have access to the details of your trip.",
    "Based on the conversation, there's no trip plan mentioned.",
]

EMPTY = [
    "", " ", "\n\n\t", "\u200b", "\u00a0\u2009", "...", "—", "**", "```\n```", "<|im_end|>",
    "<think>The trip is from 10 to 13 November.</think>", "<think>Fish, Porto, 180", "\ufeff", "?!",
    "<turn|>", "<pad>", "<eos>", "<eos><eos>", "<bos>", "<|turn>model", "<|turn>model\n<turn|>",
    "<start_of_turn>model", "<end_of_turn>", "<unused1>", "[/INST]", "<|im_start|>assistant",
]  # fmt: skip


@pytest.mark.parametrize("answer", PASS)
def test_a_right_answer_passes_however_it_is_written(answer: str) -> None:
    """Ordinals, ranges in either order, and old values that are marked as old."""
    found = graded(answer)
    assert ("pass", "") == (found.verdict, found.reason), found


@pytest.mark.parametrize("answer", FORGOTTEN)
def test_a_forgotten_value_fails_first(answer: str) -> None:
    """However it is spelled, denied, quoted or struck through, it was sent."""
    found = graded(answer)
    assert ("fail", "forgotten") == (found.verdict, found.reason), found
    assert ("P1234567",) == found.forgotten


@pytest.mark.parametrize("answer", STALE)
def test_a_replaced_value_stated_as_current_fails(answer: str) -> None:
    """Beside the right value too, quoted from the notes, or in the reverse of its change."""
    found = graded(answer)
    assert ("fail", "stale") == (found.verdict, found.reason), found


@pytest.mark.parametrize("answer", MISSING)
def test_a_missing_fact_is_missing_whatever_looks_like_it(answer: str) -> None:
    """In a negation, inside another number, in a citation, in a question: it is not stated."""
    found = graded(answer)
    assert ("fail", "missing", 1) == (found.verdict, found.reason, len(found.missing)), found
    assert "missing 1 of 6 required facts" == found.said


@pytest.mark.parametrize("answer", CUT)
def test_an_answer_that_was_cut_off_says_so(answer: str) -> None:
    """The limit is named beside the facts that it cost; what came before it is not stale."""
    found = graded(answer, stop="length")
    assert ("fail", "missing") == (found.verdict, found.reason), found
    assert found.said.endswith("; stopped at the answer-token limit")


@pytest.mark.parametrize("answer", SAYS_MISSING)
def test_an_answer_that_says_what_it_lacks_is_told_apart(answer: str) -> None:
    """It fails, and its reason is that it said so."""
    found = graded(answer)
    assert ("fail", "says-missing") == (found.verdict, found.reason), found


@pytest.mark.parametrize("answer", EMPTY)
def test_nothing_said_is_incomplete(answer: str) -> None:
    """Blanks, signs, control tokens and thoughts are no answer; a call is named as one."""
    assert ("incomplete", "empty") == (graded(answer).verdict, graded(answer).reason)
    assert "tool-call" == graded(answer, calls=('{"function":{}}',)).reason


def test_the_limit_is_not_blamed_for_a_full_answer() -> None:
    """An answer that holds every fact passes even where it stopped at the limit."""
    found = graded(FULL + " Anything else I can", stop="length")
    assert ("pass", True) == (found.verdict, found.cut)


def test_every_grade_has_ten_adversaries() -> None:
    """The lists stay long enough to mean something."""
    for answers in (PASS, FORGOTTEN, STALE, MISSING, CUT, SAYS_MISSING, EMPTY):
        assert len(set(answers)) >= 10
