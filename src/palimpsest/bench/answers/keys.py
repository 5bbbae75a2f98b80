"""Keys: a regular expression for each fact, and the rules by which answers are graded.

They stand in the suite (``keys``) or in a file of their own, TOML or JSON. Everything in
which two sets of published grades differ is data here: how a replaced value is told from a
current one, what exempts a sentence, the order of the reasons and their wording. Invariant:
a loaded key compiles, and keys that passed ``check`` cover the graded facts.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from re import Pattern
from typing import Any, Literal

from pydantic import Field, ValidationError

from palimpsest.bench import suite_file
from palimpsest.bench.answers.cases import AnswerCase
from palimpsest.bench.suite_file import Shape
from palimpsest.errors import InputError
from palimpsest.language import answer_marks

Matching = Literal["mention", "sentence"]
Ground = Literal["forgotten", "stale", "missing"]
ORDER: tuple[Ground, ...] = ("forgotten", "stale", "missing")
SENTENCES = r"(?<=[.!?])\s+|\n+"
WORDING: Mapping[str, str] = {
    "pass": "every required fact",
    "empty": "no answer",
    "tool-call": "a tool call instead of an answer",
    "forgotten": "states a forgotten value: {facts}",
    "stale": "states a replaced fact as current: {facts}",
    "missing": "missing {count} of {total} required facts",
    "says-missing": "missing {count} of {total} required facts; says so",
    "cut": "; stopped at the answer-token limit",
    "join": ", ",
}


class CaseShape(Shape):
    """The facts of one case, and patterns that hold for it alone."""

    required: list[str] = Field(default_factory=list)
    stale: list[str] = Field(default_factory=list)
    deleted: list[str] = Field(default_factory=list)
    facts: dict[str, str] = Field(default_factory=dict)


class KeysShape(Shape):
    """The keys of a suite or of a key file."""

    languages: list[str] = Field(default_factory=lambda: ["en"])
    facts: dict[str, str] = Field(default_factory=dict)
    texts: dict[str, str] = Field(default_factory=dict)
    cases: dict[str, CaseShape] = Field(default_factory=dict)
    matching: Matching = "mention"
    sentence: str = SENTENCES
    replaced: str = ""
    exempt: dict[str, list[str]] = Field(default_factory=dict)
    order: list[Ground] = Field(default_factory=lambda: [*ORDER])
    says_missing: str | None = None
    wording: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Compiled keys."""

    where: str
    facts: Mapping[str, Pattern[str]] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, Pattern[str]]] = field(default_factory=dict)
    """By case: patterns that hold for it alone."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The exact text of a fact in a request, where its name is not that text."""
    cases: Mapping[str, AnswerCase] = field(default_factory=dict)
    """The cases that the file itself lists."""
    languages: tuple[str, ...] = ("en",)
    matching: Matching = "mention"
    """``mention`` judges each mention of a value; ``sentence`` is the published way."""
    sentence: Pattern[str] = re.compile(SENTENCES)
    replaced: Pattern[str] | None = None
    """``sentence`` only: what in a sentence says that its value is replaced."""
    exempt: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """``sentence`` only: a stale fact to the facts beside which it counts as replaced."""
    order: tuple[Ground, ...] = ORDER
    says_missing: Pattern[str] | None = None
    wording: Mapping[str, str] = field(default_factory=lambda: dict(WORDING))

    def pattern(self, case: str, fact: str) -> Pattern[str]:
        """The pattern of a fact; KeyError where ``check`` would have refused the keys."""
        return self.own.get(case, {}).get(fact) or self.facts[fact]

    def has(self, case: str, fact: str) -> bool:
        """True where the fact has a pattern in this case."""
        return fact in self.own.get(case, {}) or fact in self.facts

    def text(self, fact: str) -> str:
        """What a request that holds the fact says."""
        return self.texts.get(fact, fact)


def load(path: Path) -> Keys:
    """Read a key file, TOML or JSON by its ending; raises InputError."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        kind = "TOML" if path.suffix == ".toml" else "JSON"
        raise InputError(f"{path}: is not {kind} ({error})") from None
    return parse(data, str(path))


def parse(data: object, where: str) -> Keys:
    """Make keys of plain data; ``where`` opens every error."""
    try:
        shape = KeysShape.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{where}: {suite_file.first_fault(error)}") from None
    wrong = sorted(set(shape.wording) - set(WORDING))
    if wrong:
        raise InputError(f"{where}.wording: unknown {wrong[0]!r}; known: {', '.join(WORDING)}")
    try:
        answer_marks.marks(tuple(shape.languages))
    except InputError as error:
        raise InputError(f"{where}.{error}") from None
    return _keys(shape, where)


def _keys(shape: KeysShape, where: str) -> Keys:
    return Keys(
        where=where,
        facts=_compiled(shape.facts, f"{where}.facts"),
        own={
            name: _compiled(case.facts, f"{where}.cases.{name}.facts")
            for name, case in shape.cases.items()
        },
        texts=shape.texts,
        cases={name: _case(name, case, shape) for name, case in shape.cases.items()},
        languages=tuple(shape.languages),
        matching=shape.matching,
        sentence=_pattern(shape.sentence, f"{where}.sentence"),
        replaced=_pattern(shape.replaced, f"{where}.replaced") if shape.replaced else None,
        exempt={fact: tuple(others) for fact, others in shape.exempt.items()},
        order=tuple(shape.order),
        says_missing=(
            _pattern(shape.says_missing, f"{where}.says_missing") if shape.says_missing else None
        ),
        wording={**WORDING, **shape.wording},
    )


def _case(name: str, case: CaseShape, shape: KeysShape) -> AnswerCase:
    return AnswerCase(
        id=name,
        required=tuple(case.required),
        stale=tuple(case.stale),
        deleted=tuple(case.deleted),
        replaced_by={
            fact: other
            for fact in case.stale
            for other in shape.exempt.get(fact, ())[:1]
            if other in case.required
        },
    )


def check(keys: Keys, cases: Mapping[str, AnswerCase], graded: Collection[str]) -> None:
    """Refuse keys that lack a fact of a graded case or name one of none; raises InputError."""
    for case in (cases[name] for name in graded):
        bare = [fact for fact in case.facts if not keys.has(case.id, fact)]
        if bare:
            raise InputError(
                f"{keys.where}: the case {case.id!r} has no key for {bare[0]!r}; write a pattern "
                "for it under facts"
            )
    known = {fact for case in cases.values() for fact in case.facts}
    strange = [fact for fact in keys.facts if fact not in known]
    strange += [f"{name}: {fact}" for name, own in keys.own.items() for fact in own
                if name not in cases or fact not in cases[name].facts]  # fmt: skip
    if strange:
        raise InputError(
            f"{keys.where}: {strange[0]!r} is no fact of these cases; their facts: "
            f"{', '.join(sorted(map(repr, known)))}"
        )


def _compiled(patterns: Mapping[str, str], where: str) -> dict[str, Pattern[str]]:
    return {fact: _pattern(text, f"{where}.{fact}") for fact, text in patterns.items()}


def _pattern(text: str, where: str) -> Pattern[str]:
    try:
        made = re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise InputError(f"{where}: {text!r} is not a regular expression ({error})") from None
    if made.search(""):
        raise InputError(f"{where}: {text!r} matches an empty answer, so it could not fail")
    return made


def of(raw: Mapping[str, Any] | None, where: str) -> Keys | None:
    """The keys of a suite's own table; ``None`` where it has none."""
    return parse(raw, where) if raw is not None else None
