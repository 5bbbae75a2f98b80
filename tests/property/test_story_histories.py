"""Whatever is told, corrected, forgotten and undone, a story holds whole and current sentences."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import Memory
from palimpsest.errors import InputError
from palimpsest.language.whole_sentences import whole_sentences
from palimpsest.proposals import Extraction
from tests.support.telling import CONFIG, position, read

NAMES = ("port", "room")
PARTS = ("summary", "anchor", "position")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), st.sets(st.sampled_from(NAMES), min_size=1), st.booleans()),
        st.tuples(st.just("correct"), st.sampled_from(NAMES), st.none()),
        st.tuples(st.just("forget"), st.sampled_from(NAMES), st.none()),
        st.tuples(st.just("undo"), st.integers(0, 3), st.none()),
    ),
    min_size=8,
    max_size=16,
)


def _sentence(name: str, value: str) -> str:
    return f"In the end the {name} is {value}, after some debate."


class History:
    """A conversation, and what of it may never be told again."""

    def __init__(self, memory: Memory) -> None:
        self.talk = memory.conversation(user="ana", id="tale")
        self.now: dict[str, str] = {}
        self.before: dict[str, list[str]] = {name: [] for name in NAMES}
        self.drawn = 1000
        for name in (*NAMES, *NAMES):
            self.say(name)

    def say(self, name: str) -> None:
        self.drawn += 7
        value = f"K-{self.drawn}"
        said = _sentence(name, value)
        if name in self.now:
            self.before[name].append(self.now[name])
            self.talk.correct(said, attribute=name)
        else:
            self.talk.remember(said, attribute=name)
        self.now[name] = value

    def tell(self, names: set[str], old: bool) -> None:
        """A reading tells what holds, or goes on telling what held before."""
        told = ["They met."]
        for name in sorted(names):
            if old and self.before[name]:
                told.append(_sentence(name, self.before[name][-1]))
            elif name in self.now:
                told.append(_sentence(name, self.now[name]))
        whole = " ".join([*told, "It rained."])
        evidence = told[-1]
        view = position("It is well.", evidence[:25], subject=evidence).positions
        read(self.talk, (whole, Extraction(summary=whole, anchors=(evidence,), positions=view)))

    def forget(self, name: str) -> list[str]:
        if name not in self.now:
            return []
        self.talk.forget(attribute=name)
        gone = [self.now.pop(name), *self.before[name]]
        self.before[name] = []
        return gone

    def undo(self, back: int) -> None:
        verdicts = self.talk.verdicts()
        if back < len(verdicts):
            try:
                self.talk.undo(verdicts[-1 - back].id)
            except InputError:
                return


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_a_story_tells_nothing_that_was_replaced_or_forgotten(
    steps: list[tuple[str, object, object]],
) -> None:
    """Not after a correction, a forget, a model that goes on telling it, or an undo."""
    gone: list[str] = []
    with Memory.open(":memory:", config=CONFIG) as memory:
        history = History(memory)
        for step, what, how in steps:
            if step == "tell":
                history.tell(what, bool(how))  # type: ignore[arg-type]
            elif step == "correct":
                history.say(str(what))
            elif step == "forget":
                gone += history.forget(str(what))
            else:
                history.undo(what)  # type: ignore[arg-type]
            _check(history, gone)


def _check(history: History, gone: list[str]) -> None:
    story = history.talk.story()
    replaced = [value for values in history.before.values() for value in values]
    held = [story.summary, *(a.text for a in story.anchors),
            *(f"{p.subject} {p.text} {p.justification}" for p in story.positions)]  # fmt: skip
    for value in (*gone, *replaced):
        assert not any(value in text for text in held), (value, held)
    assert not any(value in str(story) for value in gone), "the log of released anchors"
    known = {"They met.", "It rained."}
    for text in (story.summary, *(anchor.text for anchor in story.anchors)):
        for start, end in whole_sentences(text):
            sentence = text[start:end]
            whole = sentence.startswith("In the end the ") and sentence.endswith(
                "after some debate."
            )
            assert sentence in known or whole, sentence
