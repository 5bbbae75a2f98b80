"""With one user's canary in the store, no call of another user returns it.

Every public method of a conversation is called as the other user, with ids, attributes and
words that would fit; what it returns and what its errors say is searched.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import Budget, Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import PalimpsestError
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.prepared import resolve
from palimpsest.types import Label, Message, Turn

CANARY = "QX77canary"
SAID = f"My code is {CANARY}."
ROOM = Budget(window=100_000, answer=0)
COUNTER = TokenCounter(resolve("estimate", Config()))
names = st.sampled_from(("a", "A", "a ", "a%", "a_", "ab", "á", "a\x00", "a';--"))
TURN = Turn(number=1, messages=(Message(role="user", content="Hi."),))

CALLS: dict[str, Callable[[Conversation], Any]] = {
    "append": lambda t: t.append(user="What is the code?", assistant="Who knows."),
    "observe": lambda t: t.observe(user="I like tea.", assistant="Ok."),
    "resume": lambda t: t.resume([{"role": "user", "content": "Hi."}]),
    "observe_held": lambda t: t.observe_held([{"role": "user", "content": "Hi."}]),
    "append_turn": lambda t: t.append_turn(TURN),
    "observe_turn": lambda t: t.observe_turn(TURN),
    "take_back": lambda t: t.take_back(),
    "turns": lambda t: t.turns(),
    "last_turn": lambda t: t.last_turn(),
    "turns_saying": lambda t: t.turns_saying("code"),
    "day_tokens": lambda t: t.day_tokens(),
    "remember": lambda t: t.remember("I like milk.", attribute="drink"),
    "correct": lambda t: t.correct("My code is 1.", id=1),
    "forget": lambda t: t.forget(value=CANARY),
    "plan_forget": lambda t: t.plan_forget("my code"),
    "apply": lambda t: t.apply(Label(op="forget", attribute="code"), turn=1),
    "reflect": lambda t: t.reflect(),
    "verdicts": lambda t: t.verdicts(),
    "undo": lambda t: t.undo(1),
    "review": lambda t: t.review(),
    "accept": lambda t: t.accept(1),
    "dismiss": lambda t: t.dismiss(1),
    "pin": lambda t: t.pin(1),
    "reflections": lambda t: t.reflections(),
    "story": lambda t: t.story(),
    "consolidate": lambda t: t.consolidate(),
    "current": lambda t: t.current("code"),
    "history": lambda t: t.history("code"),
    "deletions": lambda t: t.deletions(),
    "resolutions": lambda t: t.resolutions(),
    "storage": lambda t: t.storage(),
    "request": lambda t: [
        t.request(f"Is it {CANARY[:4]}?", budget=ROOM, strategy=s)
        for s in ("managed", "seats", "recent", "notes", "append-only")
    ],
    "recall": lambda t: t.recall("What is my code?"),
    "forgotten": lambda t: t.forgotten("My old code was ZZ99canary."),
    "requests": lambda t: t.requests(),
    "kept_request": lambda t: t.kept_request("1"),
    "visible": lambda t: (t.visible(), t.visible([1, 2])),
    "home_of": lambda t: t.home_of(1),
    "counts": lambda t: t.counts(),
    "count": lambda t: t.count(1),
    "turnout": lambda t: t.turnout(),
    "ledger": lambda t: t.ledger("1"),
}


def test_every_public_method_is_called() -> None:
    """A method that comes later has to be added here."""
    public = {
        name for name, _ in inspect.getmembers(Conversation, inspect.isfunction)
        if not name.startswith("_")
    }  # fmt: skip
    assert public == set(CALLS)


def filled(memory: Memory) -> None:
    """The canary of user ``a`` in turns, memories, verdicts, story, requests and deletions."""
    talk = memory.conversation(user="a", id="c")
    talk.observe(user=SAID, assistant=f"{CANARY}, noted.")
    talk.reflect(extractor="rules")
    row = talk._store.memories.insert(
        talk.scope, text=SAID, source="api", attribute="code", value=CANARY, turn=1
    )
    talk._store.stories.summarize(talk.scope, SAID)
    talk._store.stories.anchor(talk.scope, SAID, 1)
    talk.request("?", budget=ROOM)
    talk.remember("My old code was ZZ99canary.", attribute="old")
    talk.forget(attribute="old")
    assert row.id


@settings(max_examples=25, deadline=None)
@given(names.filter(lambda name: name != "a"), st.permutations(sorted(CALLS)))
def test_no_call_of_another_user_returns_the_canary(user: str, order: list[str]) -> None:
    """Not in a result, not in an error; and what user ``a`` has stays as it was."""
    with Memory.open(":memory:", counter=COUNTER) as memory:
        filled(memory)
        mine = memory.conversation(user="a", id="c")
        before = (mine.turns(), mine.visible(), mine.verdicts(), mine.story(), mine.deletions())
        other = memory.conversation(user=user, id="c")
        for name in order:
            try:
                shown = repr(CALLS[name](other))
            except PalimpsestError as error:
                shown = str(error)
            # The other user's own words are theirs: a value that they name is no leak.
            if name != "forget":
                assert CANARY not in shown, name
        after = (mine.turns(), mine.visible(), mine.verdicts(), mine.story(), mine.deletions())
        assert before == after
        held = json.dumps([turn.user for turn in other.turns()])
        assert "canary" not in held
