"""Random histories in which values are told, echoed, passed on, corrected and forgotten.

Every value of a history is unlike every other, so that a leak can be seen by plain search in
a request and in the bytes of the file. ``Leaks`` plays one history and says what leaked.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palimpsest import Budget, Memory, Request
from palimpsest.conversation import Conversation

LETTERS = "bcdfghjklmnprstvwz"
CITIES = ("Porto", "Zürich", "Łódź", "Kraków", "Oslo", "Lisbon", "Aarhus", "Málaga", "Turin")
PEOPLE = ("Ana Ruiz", "Bob Okafor", "Jean-Luc Picot", "Mei Tanaka", "Søren Holm", "Zoë Adler")
WORDS = ("swordfish", "bluebird", "marzipan", "thunderclap", "quicksilver", "rhubarb", "tulipwood")
MONTHS = ("March", "June", "August", "November")


@dataclass(frozen=True)
class Kind:
    """One kind of value: what it is called, how one is made, and how it is told."""

    nouns: tuple[str, ...]
    make: Callable[[random.Random, int], str]
    forms: tuple[str, ...]


PLAIN = ("My {n} is {v}.", "{N} is {v}.", "Please note: the {n} is {v}.", "Our {n} was {v}.")
BESIDE = (
    *PLAIN, "My {n} for the Santander card is {v}.", "I am Anna, my {n} is {v}.",
    "My {n} is {v} and it ends in May 2031.", "The {n} at Acme is {v}, since 3 May.",
)  # fmt: skip


def _word(draw: random.Random, size: int) -> str:
    return "".join(draw.choice(LETTERS) for _ in range(size))


def _digits(draw: random.Random, size: int) -> str:
    # No year begins with these, and no value begins another.
    return draw.choice("3456789") + "".join(draw.choice("0123456789") for _ in range(size - 1))


KINDS = (
    Kind(("PIN", "passcode", "door code"), lambda d, i: _digits(d, 5) + str(i % 10), BESIDE),
    Kind(("password", "passphrase", "login"), lambda d, i: WORDS[i % 7] + _word(d, 4), PLAIN),
    Kind(("passphrase",), lambda d, i: f"{_word(d, 6)} {_word(d, 5)} {_word(d, 7)}", PLAIN),
    Kind(("token", "API key"), lambda d, i: f"sk-{_word(d, 6)}-{_digits(d, 4)}{i}", BESIDE),
    Kind(("passport number", "ticket"), lambda d, i: f"P{_digits(d, 6)}{i}", BESIDE),
    Kind(("e-mail", "address"), lambda d, i: f"{_word(d, 7)}.{i}@mail.io", BESIDE),
    Kind(("phone", "number"), lambda d, i: f"{_digits(d, 3)}-{_digits(d, 3)}-{_digits(d, 3)}", BESIDE),
    Kind(("page",), lambda d, i: f"https://{_word(d, 9)}.io/a?b={i}", BESIDE),
    Kind(("file",), lambda d, i: f"/srv/{_word(d, 8)}/x{i}.txt", BESIDE),
    Kind(("city", "venue"), lambda d, i: f"{CITIES[i % 9]} {_word(d, 5).title()}", PLAIN),
    Kind(("manager", "contact"), lambda d, i: f"{PEOPLE[i % 6]} {_word(d, 6).title()}", PLAIN),
    Kind(("budget", "rent"), lambda d, i: f"{_digits(d, 3)},{_digits(d, 3)} euros", PLAIN),
    Kind(("deadline",), lambda d, i: f"{d.randint(1, 28)} {d.choice(MONTHS)} {2100 + i}", PLAIN),
)  # fmt: skip


@dataclass
class Fact:
    """What an attribute says now."""

    kind: Kind
    noun: str
    value: str


@dataclass
class Leaks:
    """Plays one history into a conversation of a store in a file."""

    memory: Memory
    draw: random.Random
    parts: bool = True
    facts: dict[str, Fact] = field(default_factory=dict)
    older: dict[str, list[str]] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    made: int = 0
    waiting: list[tuple[str, str]] = field(default_factory=list)
    """Open calls, each with the attribute that its result will tell of."""

    @property
    def talk(self) -> Conversation:
        return self.memory.conversation(user="u", id="c")

    def play(self, steps: int) -> Iterator[str]:
        """Do ``steps`` random things; yields what each was."""
        for _ in range(steps):
            step = self.draw.choice(
                ("tell", "tell", "correct", "forget", "mention", "mention", "call", "late", "small")
            )
            getattr(self, f"_{step}")()
            yield step

    def request(self, strategy: str = "managed") -> Request:
        """A request with room for everything."""
        budget = Budget(window=10_000_000, answer=0)
        return self.talk.request("What holds?", budget=budget, strategy=strategy, record=True)

    def in_request(self, request: Request) -> list[str]:
        """What is gone and stands in a request all the same."""
        text = json.dumps(request.messages, ensure_ascii=False)
        return self._held(text, self.replaced | self.forgotten)

    def in_file(self, path: Path) -> list[str]:
        """What was forgotten and stands in a byte of the store all the same."""
        stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
        return self._held(stored.decode("utf-8", "replace"), self.forgotten)

    def _held(self, text: str, gone: Collection[str]) -> list[str]:
        forms = {value: {value, json.dumps(value)[1:-1]} for value in sorted(gone)}
        return [v for v, written in forms.items() if any(form in text for form in written)]

    # --- what is said -------------------------------------------------------------------

    def _small(self) -> None:
        self.talk.append(user="How are you?", assistant="Fine, and busy.")

    def _tell(self) -> None:
        self.made += 1
        kind = self.draw.choice(KINDS)
        fact = Fact(kind, self.draw.choice(kind.nouns), kind.make(self.draw, self.made))
        attribute = f"fact-{self.made}"
        self.facts[attribute], self.older[attribute] = fact, []
        turn = self._said(self._statement(fact), fact.value)
        self.talk.remember(
            self._statement_said, attribute=attribute, turn=turn, value=self._given(fact)
        )

    def _correct(self) -> None:
        if not self.facts:
            return self._tell()
        attribute = self.draw.choice(sorted(self.facts))
        fact = self.facts[attribute]
        self.made += 1
        new = Fact(fact.kind, fact.noun, fact.kind.make(self.draw, self.made))
        # Whoever answers may name the old value beside the new one.
        turn = self._said(self._statement(new), self.draw.choice((new.value, fact.value)))
        self.talk.correct(
            self._statement_said, attribute=attribute, turn=turn, value=self._given(new)
        )
        self.older[attribute].append(fact.value)
        self.replaced.add(fact.value)
        self.facts[attribute] = new

    def _forget(self) -> None:
        if not self.facts:
            return self._tell()
        attribute = self.draw.choice(sorted(self.facts))
        fact = self.facts.pop(attribute)
        said = self.draw.choice(("Forget my {n}.", "Please forget the {n} {v}!", "Drop {v}."))
        self._said(said.format(n=fact.noun, v=fact.value), fact.value)
        reason = self.draw.choice((None, f"they asked to drop {fact.value}"))
        self.talk.forget(attribute=attribute, reason=reason)
        gone = {fact.value, *self.older.pop(attribute)}
        self.replaced -= gone
        self.forgotten |= gone
        self.waiting = [(id, of) for id, of in self.waiting if of != attribute]

    def _mention(self) -> None:
        if not self.facts:
            return self._small()
        fact = self.facts[self.draw.choice(sorted(self.facts))]
        self._said(f"What of {fact.value}?", fact.value)

    def _call(self) -> None:
        """A call whose result comes late, when what it tells of may be replaced."""
        if not self.facts:
            return self._small()
        attribute = self.draw.choice(sorted(self.facts))
        self.made += 1
        id = f"late-{self.made}"
        call = self._tool_call(id, self.facts[attribute].value)
        self.talk.append(
            messages=[
                {"role": "user", "content": "Look it up."},
                {"role": "assistant", "content": None, "tool_calls": [call]},
            ]
        )
        self.waiting.append((id, attribute))

    def _late(self) -> None:
        if not self.waiting:
            return self._small()
        id, attribute = self.waiting.pop(0)
        told = [*self.older[attribute], self.facts[attribute].value]
        value = self.draw.choice(told)
        self.talk.append(
            messages=[
                {"role": "tool", "tool_call_id": id, "content": self._tool_text(value)},
                {"role": "assistant", "content": f"Found {self._echo(value)}"},
            ]
        )

    # --- how it is said -----------------------------------------------------------------

    def _statement(self, fact: Fact) -> str:
        form = self.draw.choice(fact.kind.forms)
        noun = fact.noun
        self._statement_said = form.format(n=noun, N=noun[0].upper() + noun[1:], v=fact.value)
        return self._statement_said

    def _given(self, fact: Fact) -> str | None:
        return fact.value if self.draw.random() < 0.3 else None

    def _said(self, user: str, value: str) -> int:
        style = self.draw.choice(
            ("plain", "plain", "openai", "anthropic" if self.parts else "openai")
        )
        before = self.draw.choice(("", "", "Hello. "))
        said: dict[str, Any] = {"role": "user", "content": before + user}
        if self.draw.random() < 0.2:
            said["name"] = self.draw.choice(("ana", value))
        if self.draw.random() < 0.2:
            said["metadata"] = {"subject": value, value: [1, None, {"v": value}]}
        answer = {
            "plain": self._plain, "openai": self._openai, "anthropic": self._anthropic
        }[style](value)  # fmt: skip
        return self.talk.append(messages=[said, *answer])[-1].number

    def _echo(self, value: str) -> str:
        forms = [
            "Got it, {v}.", "{v}, noted.", "It is _{v}_!", "**{v}** then", "`{v}`", '"{v}"?',
            "so __{v}__", "({v})", "{v}", "I kept {v}\nfor you", "*{v}*, {v} and {v}.", "<{v}>",
        ]  # fmt: skip
        if value.isdigit():
            forms += ["No.{v}", "{v}.OK"]
        return self.draw.choice(forms).format(v=value)

    def _plain(self, value: str) -> list[dict[str, Any]]:
        said: dict[str, Any] = {"role": "assistant", "content": self._echo(value)}
        if self.draw.random() < 0.3:
            said["reasoning_content"] = f"The user says {value}."
        if self.draw.random() < 0.2:
            said["thinking_blocks"] = [{"type": "thinking", "thinking": value, "signature": "ab"}]
        return [said]

    def _tool_call(self, id: str, value: str) -> dict[str, Any]:
        number: Any = int(value) if value.isdigit() else value
        arguments: Any = self.draw.choice(
            (
                json.dumps({"a": value, "b": [number, {"c": f"see {value}!"}]}),
                json.dumps({value: 1, "n": number}, ensure_ascii=False),
                {"a": value},
                json.dumps({"body": json.dumps({"deep": f"x\n{value}"})}),
                f"save {value}",
            )
        )
        function = {"name": "save", "arguments": arguments}
        return {"id": id, "type": "function", "function": function}

    def _tool_text(self, value: str) -> str:
        return self.draw.choice(
            (
                f"saved {value}", json.dumps({"saved": value, "log": f"a\n{value}\tb"}),
                f"<saved>{value}</saved>", json.dumps([json.dumps(value)]),
            )
        )  # fmt: skip

    def _openai(self, value: str) -> list[dict[str, Any]]:
        self.made += 1
        id = f"c-{self.made}"
        return [
            {"role": "assistant", "content": None, "tool_calls": [self._tool_call(id, value)]},
            {"role": "tool", "tool_call_id": id, "content": self._tool_text(value)},
            *self._plain(value),
        ]

    def _anthropic(self, value: str) -> list[dict[str, Any]]:
        self.made += 1
        id = f"t-{self.made}" if self.draw.random() < 0.8 else f"t {self.made}={value}"
        number: Any = int(value) if value.isdigit() else value
        result: Any = self.draw.choice(
            (
                self._tool_text(value), [value, "and more"], [f"saw {value}"],
                [{"type": "text", "text": self._echo(value)}, {"type": "text", "text": "x"}],
            )
        )  # fmt: skip
        thought = {"type": "thinking", "thinking": f"They say {value}", "signature": "c2ln"}
        return [
            {
                "role": "assistant",
                "content": [
                    thought,
                    {"type": "text", "text": self._echo(value)},
                    {
                        "type": "tool_use",
                        "id": id,
                        "name": "save",
                        "input": {"v": number, "w": [value]},
                    },
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": id, "content": result}],
            },
            {"role": "assistant", "content": [{"type": "text", "text": self._echo(value)}]},
        ]
