"""What a request to forget may mean is in no request until the person has said which.

A word of the request must name a memory: words that name nothing withhold nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory, cli
from palimpsest.conversation import Conversation
from palimpsest.ledger import Request
from palimpsest.proposals import Extraction, Proposal, Quote, Seen, Verdict
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Budget
from palimpsest.write import withholding

BUDGET = Budget(window=100_000, answer=0)
CODES = (
    ("My gym code is 4417.", "The gym code 4417 is noted."),
    ("My office code is 9921.", "Noted."),
    ("My sister lives in Oslo.", "Nice."),
)


@pytest.fixture
def memory(chatml: LocalTokenizer) -> Iterator[Memory]:
    with Memory.open(":memory:", tokenizer=chatml) as opened:
        yield opened


@pytest.fixture
def talk(memory: Memory) -> Conversation:
    made = memory.conversation(user="u", id="c")
    for user, assistant in CODES:
        say(made, user, assistant)
    return made


def say(talk: Conversation, user: str, assistant: str = "All right.") -> None:
    talk.observe(user=user, assistant=assistant)
    talk.reflect(extractor="rules")


def sent(talk: Conversation, strategy: str = "managed") -> str:
    request = talk.request("What holds?", budget=BUDGET, strategy=strategy)
    return json.dumps(request.messages, ensure_ascii=False)


def asked(talk: Conversation) -> Verdict:
    (verdict,) = talk.review()
    return verdict


def fates(request: Request) -> dict[int, str]:
    return {
        id: entry.reason
        for entry in request.ledger.memories
        for id in range(entry.first, entry.last + 1)
    }


@pytest.mark.parametrize("strategy", ["managed", "seats", 'managed(stale="allow-if-marked")'])
def test_candidates_are_withheld_from_lines_and_turns(talk: Conversation, strategy: str) -> None:
    """Neither the memory nor a quotation of it is sent, and the ledger says why."""
    assert "4417" in sent(talk, strategy)
    say(talk, "Please forget the code.")
    text = sent(talk, strategy)
    assert [False, False, True] == [word in text for word in ("4417", "9921", "Oslo")]
    request = talk.request("What holds?", budget=BUDGET, strategy=strategy)
    assert {1: "forget-pending", 2: "forget-pending"} == {
        id: why for id, why in fates(request).items() if id < 3
    }
    assert (1, 2) == asked(talk).candidates


def test_dismissing_gives_everything_back(talk: Conversation) -> None:
    """Nothing had been changed: what is sent afterwards is what would have been sent."""
    spans = [talk._store.redactions.of(talk.scope, n) for n in range(1, 5)]
    say(talk, "Please forget the code.")
    talk.dismiss(asked(talk).id)
    assert all(word in sent(talk) for word in ("4417", "9921", "gym code"))
    assert spans == [talk._store.redactions.of(talk.scope, n) for n in range(1, 5)]
    assert {} == talk._store.withheld.spans(talk.scope)


def test_accepting_forgets_the_one_and_gives_the_others_back(talk: Conversation) -> None:
    """The choice goes for good, the rest was only withheld."""
    say(talk, "Please forget the code.")
    talk.accept(asked(talk).id, memory=1)
    text = sent(talk)
    assert [False, True, True] == [word in text for word in ("4417", "9921", "Oslo")]
    assert ["deleted", "kept"] == ["kept" if talk.visible([id]) else "deleted" for id in (1, 2)]


def test_what_the_assistant_repeats_meanwhile_is_withheld_too(talk: Conversation) -> None:
    """Later turns, and answers that are joined to a turn, are looked at as they come."""
    say(talk, "Please forget the code.", "Do you mean 4417 or 9921?")
    say(talk, "Let me think.", "Take your time; 4417 is the gym.")
    talk.append(user="And?")
    talk.append(messages=[{"role": "assistant", "content": "It is 9921 at the office."}])
    assert not any(word in sent(talk) for word in ("4417", "9921"))
    talk.dismiss(asked(talk).id)
    assert "Do you mean 4417 or 9921?" in sent(talk)


class _Tells:
    """An extractor that writes a summary and an anchor."""

    name, trusted = "tells", False

    def extract(self, seen: Seen, config: object) -> Extraction:
        return Extraction(
            summary="There are codes: 4417.",
            anchors=("sister lives in Oslo", "4417 is the gym"),
        )


def test_the_story_does_not_tell_it(talk: Conversation) -> None:
    """A summary or an anchor that tells a candidate waits too, whenever it was written."""
    say(talk, "Please forget the code.")
    talk.observe(user="So my sister lives in Oslo, and 4417 is the gym.", assistant="Yes.")
    talk.reflect(extractor=_Tells())
    text = sent(talk)
    assert ["anchor", "anchor", "summary"] == [v.rule for v in talk.verdicts()][-3:]
    assert [False, False] == ["There are codes" in text, "anchor] 4417 is the gym" in text]
    assert {1, 2} == {anchor.id for anchor in talk.story().anchors}
    talk.dismiss(asked(talk).id)
    assert "There are codes: 4417." in sent(talk)


def test_a_forget_in_between_keeps_the_places_right(talk: Conversation) -> None:
    """Spans are found anew where text goes: nothing is shown and nothing else is hidden."""
    say(talk, "Please forget the code.")
    talk.forget(id=1)
    assert (2,) == asked(talk).candidates
    text = sent(talk)
    assert not any(word in text for word in ("4417", "9921"))
    assert "My sister lives in Oslo." in text
    talk.forget(id=2)
    assert () == asked(talk).candidates
    assert {} == talk._store.withheld.spans(talk.scope)


def test_a_replaced_statement_of_a_candidate_is_withheld_as_history(memory: Memory) -> None:
    """``allow-if-marked`` shows what was replaced, but not of what may be forgotten."""
    talk = memory.conversation(user="u", id="c")
    for text in ("My gym code is 4417.", "My office code is 9921."):
        say(talk, text)
    talk.correct("My gym code is 5512.", id=1)
    marked = 'managed(stale="allow-if-marked")'
    assert "4417" in sent(talk, marked)
    say(talk, "Please forget the code.")
    assert not any(word in sent(talk, marked) for word in ("4417", "5512", "9921"))


@pytest.mark.parametrize(
    "words",
    [
        "Forget about it, let's talk of trains.",
        "Oublie ça, parlons de trains.",
        "Vergiss es, reden wir über Züge.",
        "Olvídalo, hablemos de trenes.",
        "Lascia stare, parliamo di treni.",
        "Esquece, vamos falar de trens.",
    ],
)
def test_a_change_of_subject_withholds_nothing(memory: Memory, words: str) -> None:
    """It names nothing that is to go, not even where there is a memory of the new subject."""
    talk = memory.conversation(user="u", id="c")
    said = ("I love trains.", "J'adore les trains.", "Ich liebe Züge.", "Me encantan los trenes.",
            "Adoro i treni.", "Adoro trens.", "My gym code is 4417.")  # fmt: skip
    for text in said:
        talk.remember(text)
    say(talk, words)
    request = talk.request("What holds?", budget=BUDGET, strategy="managed(quota=4000)")
    assert "forget-pending" not in fates(request).values()
    assert len(said) == sum(1 for id in range(1, 8) if talk.visible([id]))


def test_words_that_fit_nothing_withhold_nothing(talk: Conversation) -> None:
    """The request waits, and every memory is sent meanwhile."""
    say(talk, "Please forget what I told you about the submarine.")
    assert ("unresolved-forget", ()) == (asked(talk).rule, asked(talk).candidates)
    assert all(word in sent(talk) for word in ("4417", "9921", "Oslo"))


class _Names:
    """An extractor that means every memory by one request."""

    name, trusted = "names", False

    def extract(self, seen: Seen, config: object) -> Extraction:
        quote = Quote(message=0, text=0, start=0, end=len(seen.turn.user))
        targets = tuple(row.id for row in seen.memories)
        told = Proposal(text=seen.turn.user, quote=quote, op="forget", targets=targets)
        return Extraction(proposals=(told,))


def test_never_more_than_so_many_are_withheld(memory: Memory) -> None:
    """The bound holds whatever an extractor names; those that the words fit best come first."""
    talk = memory.conversation(user="u", id="c")
    for number in range(60):
        talk.remember(f"Meeting number {number} is in room {100 + number}.")
    talk.remember("The gym code is 4417.")
    talk.observe(user="Forget the gym code or the meeting.", assistant="Which?")
    talk.reflect(extractor=_Names())
    found = asked(talk).candidates
    assert (withholding.MOST, True) == (len(found), 61 in found)


def test_a_global_candidate_is_withheld_in_every_conversation(memory: Memory) -> None:
    """What one conversation asks holds for all that can see the memory, and for no other user."""
    from palimpsest.store.store import Store
    from palimpsest.types import Traits
    from palimpsest.write import commands

    talk, other = (memory.conversation(user="u", id=name) for name in ("c", "d"))
    stranger = memory.conversation(user="v", id="c")
    store: Store = memory._store
    for text in ("My gym code is 4417.", "My office code is 9921."):
        commands.remember(store, talk.scope, text, traits=Traits(reach="global"))
        stranger.remember(text)
    other.append(user="Hello.", assistant="Your code 4417 is safe.")
    assert "4417" in sent(other)
    say(talk, "Please forget the code.")
    assert not any(word in sent(other) for word in ("4417", "9921"))
    assert "4417" in sent(stranger)
    talk.dismiss(asked(talk).id)
    assert "Your code 4417 is safe." in sent(other)


def test_it_holds_after_restart_and_export_and_import(
    tmp_path: Path, chatml: LocalTokenizer
) -> None:
    """What waits is in the file, and goes along where the conversation goes."""
    with Memory.open(tmp_path / "a.db", tokenizer=chatml) as memory:
        talk = memory.conversation(user="u", id="c")
        for user, assistant in CODES:
            say(talk, user, assistant)
        say(talk, "Please forget the code.")
    with Memory.open(tmp_path / "a.db", tokenizer=chatml) as memory:
        assert "4417" not in sent(memory.conversation(user="u", id="c"))
        memory.export(tmp_path / "a.jsonl")
    with Memory.open(tmp_path / "b.db", tokenizer=chatml) as memory:
        memory.import_file(tmp_path / "a.jsonl")
        talk = memory.conversation(user="u", id="c")
        assert "4417" not in sent(talk)
        talk.dismiss(asked(talk).id)
        assert "4417" in sent(talk)


def test_review_and_why_show_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], chatml: LocalTokenizer
) -> None:
    """The terminal says what is withheld, how it is answered, and why a memory was left out."""
    path = str(tmp_path / "a.db")
    with Memory.open(path, tokenizer=chatml) as memory:
        talk = memory.conversation(user="u", id="c")
        for user, assistant in CODES:
            say(talk, user, assistant)
        say(talk, "Please forget the code.")
        id = asked(talk).id
        talk.request("What holds?", budget=BUDGET)
    place = ["--store", path, "--user", "u", "--conversation", "c"]
    assert 0 == cli.run(["review", *place])
    out = capsys.readouterr().out
    assert "withheld: #1 #2" in out
    assert f"--accept {id} --memory 1 forgets that one, --dismiss {id} keeps them all" in out
    assert 0 == cli.run(["why", *place])
    assert "forget-pending" in capsys.readouterr().out
