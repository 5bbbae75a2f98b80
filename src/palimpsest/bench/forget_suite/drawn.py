"""Random conversations in which values are told, quoted, corrected, forgotten and said again.

Several people, six languages, compound sentences; whoever answers goes on repeating in other
forms. Every value of a conversation is unlike every other, so a leak is seen by plain search.
Invariant: the same seed draws the same conversation.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import num2words

from palimpsest.conversation import Conversation
from palimpsest.engine import Memory
from palimpsest.types import Budget

_LETTERS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_PEOPLE = ("my", "Berta's", "Cosmo's", "Dunja's")
_ROOM = Budget(window=1_000_000, answer=0)
_STATED: Mapping[str, tuple[str, ...]] = {
    "en": ("{p} {n} is {v}.", "For the record, {p} {n} is {v}.", "{p} {n}: {v}."),
    "fr": ("{p} {n} est {v}.", "Note que {p} {n} est {v}."),
    "de": ("{p} {n} ist {v}.", "Bitte merken: {p} {n} ist {v}."),
    "es": ("{p} {n} es {v}.", "Apunta que {p} {n} es {v}."),
    "it": ("{p} {n} è {v}.", "Segna che {p} {n} è {v}."),
    "pt": ("{p} {n} é {v}.", "Anota que {p} {n} é {v}."),
}
_MINE = {"en": "my", "fr": "mon", "de": "mein", "es": "mi", "it": "il mio", "pt": "o meu"}
_AND = {"en": "and", "fr": "et", "de": "und", "es": "y", "it": "e", "pt": "e"}
_CORRECTED = {
    "en": "Actually {p} {n} is now {v}.", "fr": "En fait {p} {n} est maintenant {v}.",
    "de": "Jetzt ist {p} {n} {v}.", "es": "Ahora {p} {n} es {v}.", "it": "Adesso {p} {n} è {v}.",
    "pt": "Agora {p} {n} é {v}.",
}  # fmt: skip
_FORGET = {
    "en": "Please forget {v}.", "fr": "Oublie {v}.", "de": "Vergiss {v}.", "es": "Olvida {v}.",
    "it": "Dimentica {v}.", "pt": "Esquece {v}.",
}  # fmt: skip
_CHAT = (
    "How is the weather?",
    "Tell me a joke.",
    "Ça va ?",
    "Wie geht's?",
    "¿Qué tal?",
    "Tudo bem?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    noun: str
    make: Callable[[random.Random, int], str]
    forms: Callable[[str, str], Sequence[str]]


def _digits(draw: random.Random, at: int) -> str:
    return f"{draw.randint(31, 99)}{draw.randint(100, 999)}{at % 10}"


def _word(draw: random.Random, size: int) -> str:
    return "".join(draw.choice(_LETTERS) + draw.choice(_VOWELS) for _ in range(size))


def _spelled(value: str, language: str) -> list[str]:
    digits = [d for d in value if d.isdigit()]
    return [
        " ".join(num2words.num2words(int(d), lang=language) for d in digits), " ".join(digits),
        f"{value[:3]}-{value[3:]}", value.translate({ord(str(d)): chr(0xFF10 + d) for d in range(10)}),
    ]  # fmt: skip


_KINDS = (
    _Kind(noun="PIN", make=_digits, forms=_spelled),
    _Kind(
        noun="ticket", make=lambda d, i: f"{_word(d, 2)[:3].upper()}-{d.randint(3000, 9999)}{i}",
        forms=lambda v, _: [v.lower(), v.replace("-", " "), v.replace("-", "")],
    ),
    _Kind(
        noun="e-mail", make=lambda d, i: f"{_word(d, 3)}.{i}@{_word(d, 2)}.io",
        forms=lambda v, _: [v.upper(), v.replace("@", " (at) "), v.replace("@", " at ").replace(".", " dot ")],
    ),
    _Kind(
        noun="contact", make=lambda d, i: f"{_word(d, 3).title()} {_word(d, 4).title()}",
        forms=lambda v, _: [v.upper(), v.lower(), ", ".join(reversed(v.split()))],
    ),
    _Kind(
        noun="password", make=lambda d, i: f"{_word(d, 3)}-{_word(d, 3)}",
        forms=lambda v, _: [v.replace("-", " "), v.title()],
    ),
    _Kind(
        noun="budget", make=lambda d, i: f"{d.randint(11, 99)},{d.randint(100, 999)} euros",
        forms=lambda v, _: [v.replace(",", "."), "€" + v.removesuffix(" euros"), v.replace(",", "")],
    ),
)  # fmt: skip


@dataclass(slots=True)
class _Fact:
    attribute: str
    kind: _Kind
    person: str
    language: str
    value: str
    older: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Drawn:
    """One conversation that is drawn and played, and what was found wrong with it."""

    talk: Conversation
    draw: random.Random
    facts: dict[str, _Fact] = field(default_factory=dict)
    past: list[_Fact] = field(default_factory=list)
    stale: dict[str, None] = field(default_factory=dict)
    forgotten: dict[str, None] = field(default_factory=dict)
    """Values and forms that must be nowhere."""
    faults: list[str] = field(default_factory=list)
    forgets: int = 0
    made: int = 0

    def play(self, steps: int, after_forget: Callable[[], Iterator[str]]) -> None:
        """Draw ``steps`` steps; the request is looked at after every forget and at the end."""
        plays = (self._tell, self._tell, self._compound, self._correct, self._forget, self._quote,
                 self._echo, self._restate, self._chat)  # fmt: skip
        for _ in range(steps):
            before = self.forgets
            self.draw.choice(plays)()
            if self.forgets > before:
                self._look()
                self.faults += after_forget()
        self._look()

    def gone(self) -> tuple[str, ...]:
        """Everything that was written of what is forgotten."""
        return tuple(self.forgotten)

    # --- what is said -------------------------------------------------------------------

    def _new(self) -> _Fact:
        self.made += 1
        kind = self.draw.choice(_KINDS)
        language = self.draw.choice(list(_STATED))
        person = self.draw.choice(_PEOPLE)
        return _Fact(
            attribute=f"fact-{self.made}", kind=kind, language=language, person=person,
            value=kind.make(self.draw, self.made),
        )  # fmt: skip

    def _words(self, fact: _Fact, form: str) -> str:
        person = _MINE[fact.language] if fact.person == "my" else fact.person
        said = form.format(p=person, n=fact.kind.noun, v=fact.value)
        return said[0].upper() + said[1:]

    def _keep(self, fact: _Fact, text: str, turn: int) -> None:
        self.facts[fact.attribute] = fact
        self.talk.remember(text, attribute=fact.attribute, value=fact.value, turn=turn)

    def _say(self, user: str, assistant: str) -> int:
        return self.talk.append(user=user, assistant=assistant)[-1].number

    def _tell(self) -> None:
        fact = self._new()
        text = self._words(fact, self.draw.choice(_STATED[fact.language]))
        self._keep(fact, text, self._say(text, f"Noted: {self._form(fact)}."))

    def _compound(self) -> None:
        """Two facts in one sentence, each remembered by its own half."""
        one, two = self._new(), self._new()
        two.language, two.person = one.language, "my"
        first = self._words(one, _STATED[one.language][0]).rstrip(".")
        second = self._words(two, _STATED[one.language][0])
        second = second[0].lower() + second[1:]
        turn = self._say(f"{first} {_AND[one.language]} {second}", "Both are noted.")
        self._keep(one, first, turn)
        self._keep(two, second, turn)

    def _correct(self) -> None:
        if not self.facts:
            return self._tell()
        fact = self.draw.choice(list(self.facts.values()))
        old, self.made = fact.value, self.made + 1
        fact.value = fact.kind.make(self.draw, self.made)
        text = self._words(fact, _CORRECTED[fact.language])
        turn = self._say(text, f"So it is no longer {old}.")
        self.talk.correct(text, attribute=fact.attribute, value=fact.value, turn=turn)
        fact.older.append(old)
        self.stale[old] = None

    def _forget(self) -> None:
        if not self.facts:
            return self._tell()
        fact = self.facts.pop(self.draw.choice(list(self.facts)))
        said = _FORGET[fact.language].format(v=self.draw.choice((fact.value, fact.kind.noun)))
        turn = self._say(said, f"{fact.value} is forgotten.")
        if self.draw.random() < 0.3 and not fact.older:
            self.talk.forget(value=fact.value, turn=turn)
        else:
            self.talk.forget(attribute=fact.attribute, turn=turn)
        self.forgets += 1
        self.past.append(fact)
        for value in (fact.value, *fact.older):
            self.stale.pop(value, None)
            self.forgotten |= dict.fromkeys((value, *fact.kind.forms(value, fact.language)))

    def _quote(self) -> None:
        if self.facts:
            fact = self.draw.choice(list(self.facts.values()))
            form = self._form(fact)
            self._say(f"So {form}?", f"Yes, {form}.")

    def _echo(self) -> None:
        """Whoever answers repeats what was corrected or forgotten, in whatever form."""
        known = [*self.stale, *self.forgotten]
        if known:
            self._say("What was it before?", f"Before, it was {self.draw.choice(known)}.")

    def _restate(self) -> None:
        """The user says again what was forgotten: it is a fact again."""
        if not self.past:
            return
        fact = self.past.pop(self.draw.randrange(len(self.past)))
        for form in (fact.value, *fact.kind.forms(fact.value, fact.language)):
            self.forgotten.pop(form, None)
        fact.older = []
        self.made += 1
        fact.attribute = f"fact-{self.made}"
        text = self._words(fact, _STATED[fact.language][0])
        self._keep(fact, text, self._say(text, f"Again: {fact.value}."))

    def _chat(self) -> None:
        self._say(self.draw.choice(_CHAT), "I cannot say.")

    def _form(self, fact: _Fact) -> str:
        return self.draw.choice((fact.value, *fact.kind.forms(fact.value, fact.language)))

    # --- what must hold -----------------------------------------------------------------

    def _look(self) -> None:
        request = self.talk.request(
            "What holds?", budget=_ROOM, strategy="managed(quota=100000)", record=False
        )
        text = json.dumps(request.messages, ensure_ascii=False)
        for name, gone in (("forgotten", self.forgotten), ("stale", self.stale)):
            self.faults += [f"{name} {value!r} in a request" for value in gone if value in text]
        for fact in self.facts.values():
            if fact.value not in text:
                self.faults.append(f"required {fact.value!r} is missing")


def play(memory: Memory, seed: int, *, steps: int = 24, place: Path | None = None) -> Drawn:
    """Draw and play one conversation; with ``place`` the store's files are searched as well."""
    drawn = Drawn(
        talk=memory.conversation(user=f"user-{seed}", id="talk"),
        draw=random.Random(seed),  # noqa: S311 - it has to repeat itself
    )

    def scan() -> Iterator[str]:
        if place is not None:
            stored = b"".join(f.read_bytes() for f in place.iterdir() if f.suffix != ".key")
            yield from (
                f"forgotten {value!r} in a file" for value in drawn.gone()
                if len(value) >= _SEEN and value.encode() in stored
            )  # fmt: skip

    drawn.play(steps, scan)
    return drawn


_SEEN = 8
"""Characters from which on a value is searched byte for byte: a shorter one may be there by chance."""
