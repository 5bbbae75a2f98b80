"""Conversations of any length whose newest turns and facts are the same."""

from __future__ import annotations

from pathlib import Path

from palimpsest import Memory
from palimpsest.protocols import Counter

ATTRIBUTES = ("city", "budget", "diet", "dates", "hotel", "flight", "seat", "team")
QUESTION = "What do we know so far?"
INSTRUCTIONS = "Answer from the conversation and from what was remembered."


def small_talk(back: int) -> tuple[str, str]:
    """The exchange that stands ``back`` turns before the end, whatever the length."""
    lines = " ".join(f"Point {i} of part {back % 97} is as agreed." for i in range(1 + back % 4))
    return f"Here is part {back}: {lines}", f"I have read part {back}."


def fill(path: Path, turns: int, counter: Counter, *, facts: int) -> Memory:
    """A database with ``turns`` turns and ``facts`` statements spread evenly over them.

    Statements go round ``ATTRIBUTES``, so most of them are corrections of earlier ones.
    """
    memory = Memory.open(path, counter=counter)
    talk = memory.conversation(user="u", id="c")
    said = []
    for back in range(turns, 0, -1):
        user, assistant = small_talk(back)
        said += [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
    talk.append(messages=said)
    step = turns / facts
    for number in range(facts):
        attribute = ATTRIBUTES[number % len(ATTRIBUTES)]
        text = f"For the {attribute} take option A-{number:06d}."
        turn = 1 + int(number * step)
        if number < len(ATTRIBUTES):
            talk.remember(text, attribute=attribute, turn=turn)
        else:
            talk.correct(text, attribute=attribute, turn=turn)
    return memory
