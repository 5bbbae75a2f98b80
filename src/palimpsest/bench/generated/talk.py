"""Writes a chat: a block a language, in each the life of a dozen facts between small talk.

Statements come in many forms, alone or inside a longer message; some are corrected, the
secret ones are taken back, one is repeated in five wordings, and beside them stand
questions, quotes, pastes and values that are nobody's fact.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.bench.generated.templates import (
    FAMILIES,
    LANGUAGES,
    FactTemplate,
    Language,
    language,
)
from palimpsest.bench.generated.values import Values
from palimpsest.errors import InputError

_CORRECTED = 4
"""Facts of a block that a later turn corrects."""
_PASTED_LINES = 24
_CLOSING_CHAT = 3
"""Turns of small talk before the checkpoint that ends a block, a paste among them; one more
paste stands before the checkpoint in its middle."""


@dataclass(slots=True)
class _Life:
    """What is true of one fact so far."""

    template: FactTemplate
    steps: list[str]
    value: str = ""
    replaced: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    wordings: list[str] = field(default_factory=list)


def talk(
    *,
    seed: int,
    languages: Sequence[str] = LANGUAGES,
    turns: int = 0,
    name: str = "",
    family: str = "first",
) -> dict[str, Any]:
    """A suite of one conversation; ``turns`` of 0 takes as many as the facts suggest.

    Raises InputError for a language or family that has no templates and for too few turns.
    """
    if family not in FAMILIES:
        raise InputError(f"family: {family!r} is none of {', '.join(FAMILIES)}")
    unknown = [code for code in languages if code not in LANGUAGES]
    if unknown or not languages or len(set(languages)) != len(languages):
        raise InputError(
            f"languages: {list(languages)!r}; give one or more of {', '.join(LANGUAGES)}, each once"
        )
    return _Writer(seed, languages, turns, name, family).suite()


class _Writer:
    def __init__(
        self, seed: int, languages: Sequence[str], turns: int, name: str, family: str
    ) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - it has to repeat itself
        self.seed = seed
        self.family = FAMILIES[family]
        self.languages = [language(code, family) for code in languages]
        self.values = Values(self.chance)
        self.name = name or f"generated-{'-'.join(languages)}-{seed}"
        self.wanted = turns
        self.turns: list[dict[str, Any]] = []
        self.checkpoints: list[dict[str, Any]] = []
        self.lives: list[_Life] = []

    def suite(self) -> dict[str, Any]:
        """The whole suite as JSON data."""
        plans = [self._plan(spoken) for spoken in self.languages]
        least = sum(len(plan) for plan in plans) + (_CLOSING_CHAT + 1) * len(plans)
        spare = self._spare(least)
        for place, (spoken, plan) in enumerate(zip(self.languages, plans, strict=True)):
            share = spare // len(plans) + (place < spare % len(plans))
            self._block(spoken, plan, share)
        return {
            "name": self.name,
            "description": f"A generated chat in {', '.join(p.code for p in self.languages)}, "
            f"seed {self.seed}: facts between small talk.",
            "instructions": "Answer from the conversation and the stored memories.",
            "turns": self.turns,
            "checkpoints": self.checkpoints,
            "budget": {"window": self.family.window, "answer": 128, "margin": 32},
            "settings": {"facts": {"quota": self.family.quota}},
        }

    def _spare(self, least: int) -> int:
        """The turns of small talk beside those that every block needs."""
        if not self.wanted:
            return least // 2
        if self.wanted < least:
            raise InputError(
                f"turns: {self.wanted} is too few, the facts of {len(self.languages)} languages "
                f"take {least}; raise --turns or name fewer --languages"
            )
        return self.wanted - least

    def _plan(self, spoken: Language) -> list[_Life]:
        """The lives of a block in the order of their steps; each life stands once a step."""
        lives = []
        plain = [t for t in spoken.facts if not t.secret and not t.repeated]
        corrected = {t.attribute for t in self.chance.sample(plain, _CORRECTED)}
        dropped = self.chance.choice([t.attribute for t in plain if t.attribute not in corrected])
        for template in spoken.facts:
            steps = ["state"]
            if template.repeated:
                steps = ["repeat"] * len(template.repeated)
            elif template.attribute in corrected:
                steps += ["correct"]
            elif template.secret or template.attribute == dropped:
                steps += ["forget"]
            lives.append(_Life(template=template, steps=steps))
        return list(self._shuffled(lives))

    def _shuffled(self, lives: Sequence[_Life]) -> Iterator[_Life]:
        """A random order in which no life has two steps in a row."""
        left = {index: len(life.steps) for index, life in enumerate(lives)}
        last = -1
        while left:
            free = [index for index in left if index != last] or list(left)
            # What has most steps left goes sooner, so that none piles up at the end.
            last = self.chance.choices(free, [left[index] ** 2 for index in free])[0]
            left[last] -= 1
            if not left[last]:
                del left[last]
            yield lives[last]

    def _block(self, spoken: Language, plan: Sequence[_Life], spare: int) -> None:
        between = [0] * (len(plan) + 1)
        for _ in range(spare):
            between[self.chance.randrange(len(between))] += 1
        mine: list[_Life] = []
        amid = {len(plan) * part // of for part, of in self.family.amid}
        for place, life in enumerate(plan):
            self._small_talk(spoken, between[place])
            if life not in mine:
                mine.append(life)
                self.lives.append(life)
            self._step(spoken, life)
            if place in amid:
                self._paste(spoken)
                self._checkpoint(spoken, mine)
        self._small_talk(spoken, between[-1] + _CLOSING_CHAT - 2)
        self._paste(spoken)
        self._small_talk(spoken, 1)
        self._checkpoint(spoken, mine, last=spoken is self.languages[-1])

    def _step(self, spoken: Language, life: _Life) -> None:
        template, step = life.template, life.steps.pop(0)
        attribute = f"{spoken.code}.{template.attribute}"
        if step == "forget":
            self._say(
                self.chance.choice(template.forget), self.chance.choice(spoken.acks),
                {"op": "forget", "attribute": attribute},
            )  # fmt: skip
            life.forgotten, life.value = [life.value, *life.replaced], ""
            life.replaced = []
            return
        if step == "repeat":
            life.value = life.value or self.values.draw(template.kind, spoken)
            life.wordings = life.wordings or list(template.repeated)
            wording = life.wordings.pop(0)
        else:
            if life.value:
                life.replaced.append(life.value)
            life.value = self.values.draw(template.kind, spoken)
            wording = self.chance.choice(template.corrected if life.replaced else template.stated)
        said = self._dressed(spoken, wording.format(v=life.value), life.value)
        label = {
            "op": "correct" if step == "correct" else "remember",
            "attribute": attribute,
            "value": life.value,
        }
        self._say(said, self._reply(spoken, life.value), label)

    def _dressed(self, spoken: Language, text: str, value: str) -> str:
        """The statement alone, after an opening, or before something else."""
        form = self.chance.random()
        if form < 0.3:
            opener = self.chance.choice(spoken.openers)
            keeps = text.startswith((value, "I ", "I'")) or spoken.code == "de"
            return opener + (text if keeps else text[0].lower() + text[1:])
        if form < 0.55:
            return text + self.chance.choice(spoken.closers)
        if form < 0.7:
            return f"{self.chance.choice(spoken.chat)[0]} {text}"
        return text

    def _reply(self, spoken: Language, value: str) -> str:
        if self.chance.random() < 0.3:
            return self.chance.choice(spoken.echoes).format(v=value)
        return self.chance.choice(spoken.acks)

    def _small_talk(self, spoken: Language, count: int) -> None:
        for _ in range(count):
            if self.chance.random() < 0.2:
                kind, asked, answer = self.chance.choice(spoken.asides)
                self._say(asked.format(v=self.values.draw(kind, spoken)), answer)
            else:
                self._say(*self.chance.choice(spoken.chat))

    def _paste(self, spoken: Language) -> None:
        lines = (spoken.paste_line.format(i=i + 1) for i in range(_PASTED_LINES))
        self._say(" ".join([spoken.paste, *lines]), self.chance.choice(spoken.acks))

    def _say(self, user: str, assistant: str, label: dict[str, str] | None = None) -> None:
        turn: dict[str, Any] = {"turn": len(self.turns) + 1, "user": user, "assistant": assistant}
        if label is not None:
            turn["memory"] = label
        self.turns.append(turn)

    def _checkpoint(self, spoken: Language, mine: Sequence[_Life], *, last: bool = False) -> None:
        """Ask for the facts of this block, and list what it replaced and forgot.

        The last checkpoint lists what any block replaced or forgot, so that a late leak of an
        early block is not lost, and each language can still be read by itself.
        """
        listed = self.lives if last else mine
        self.checkpoints.append(
            {
                "after": len(self.turns),
                "question": spoken.question,
                "required": [life.value for life in mine if life.value],
                "stale": [value for life in listed for value in life.replaced],
                "deleted": [value for life in listed for value in life.forgotten],
            }
        )
