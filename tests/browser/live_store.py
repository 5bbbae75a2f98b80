"""A store with something of everything, so that each live page has something to show."""

from __future__ import annotations

from pathlib import Path

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from palimpsest.protocols import Tokenizer

SECRET = "Kestrel-90417-Quay"
PLACES = (
    "Turns", "Memories", "Requests", "Why is it missing?", "Verdicts", "Story",
    "Forgotten corners", "Forgotten", "Health", "Audit",
)  # fmt: skip
HOSTILE = (
    "<script>document.title='owned'</script>", "<img src=x onerror=document.title='owned'>",
    "\"><svg onload=document.title='owned'>", "'><b onmouseover=document.title='owned'>b",
    "{{ 7 * 7 }}{% raw %}%(x)s", "</pre></details></table><h1>x", "a\u202eb\u200bc",
    "nul\x00bell\x07", "javascript:document.title='owned'", "&lt;b&gt; &amp; ']]>",
)  # fmt: skip
HOSTILE_TALK = {"user": "mallory <i>all", "id": "all '\"><b>"}


def fill(path: Path, tokenizer: Tokenizer, turns: int = 600) -> None:
    """A long conversation, read, corrected and asked about; and a user of hostile texts."""
    with Memory.open(path, tokenizer=tokenizer) as memory:
        talk = memory.conversation(user="ada", id="trip / <b>")
        said = [{"role": role, "content": f"{role} {n}"} for n in range(turns)
                for role in ("user", "assistant")]  # fmt: skip
        talk.append(messages=said)
        for text in (f"My locker code is {SECRET}.", "My diet is vegetarian."):
            talk.observe(user=text, assistant="Noted.")
        talk.reflect()
        talk.correct("My diet is vegan.", id=talk.current()[-1].id)
        for number in range(60):
            talk.remember(f"Box {number} holds tiles of pattern {number * 37}.")
        ask(talk, "What do I eat?", times=12)
        poison(memory)


def ask(talk: Conversation, question: str, *, times: int) -> None:
    """Requests that have no room for most of what is stored."""
    for _ in range(times):
        talk.request(question, budget=Budget(window=512, answer=64, margin=16), strategy="seats")


def poison(memory: Memory) -> None:
    """Every hostile text in every field that a user, a model or an application fills."""
    talk = memory.conversation(**HOSTILE_TALK)
    for number, text in enumerate(HOSTILE):
        # Names of users and conversations hold no control characters.
        name = "".join(c for c in text if c.isprintable())
        memory.conversation(user=f"mallory {name}", id=f"talk {name}").append(
            user=text, assistant=text
        )
        talk.append(user=text, assistant=text)
        talk.observe(user=f"My name is {text}.", assistant=text)
        talk.reflect()
        talk.remember(text, attribute=text)
        gone = talk.remember(f"gone {number}", attribute=f"{text} gone")
        talk.forget(id=gone.id, reason=text)
        ask(talk, text, times=1)
    for text in ("My work phone number is 1.", "My home phone number is 2.",
                 f"Please forget my phone number. {HOSTILE[0]}"):  # fmt: skip
        talk.observe(user=text, assistant="ok")
    talk.reflect()
    talk = memory.conversation(user="mallory", id="large")
    talk.append(user="x" * 1_000_000, assistant=("<b>" + "z" * 297) * 3_000)
    talk.remember("<i>" * 30_000)
