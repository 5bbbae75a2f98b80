"""Makes the cases of every kind from the words of the suite.

Invariant: the same cases in the same order, at least twenty of each kind in each split.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.bench.forget_suite.asked import described, in_sentences
from palimpsest.bench.forget_suite.bare import bare, said_again
from palimpsest.bench.forget_suite.case import SPLITS, Case, Said, Split
from palimpsest.bench.forget_suite.words import COLLISIONS, CROSS, NEIGHBOURS, PLAIN, Told

_REST = Said(user="I like long walks by the river.", attribute="hobby", value="walks")
_STAYS = "I like long walks by the river."


def cases() -> tuple[Case, ...]:
    """All cases, by split and kind."""
    return tuple(case for split in SPLITS for case in _of(split))


def _of(split: Split) -> Iterator[Case]:
    told = PLAIN[split]
    for made in (_exact, _surface, _chain, _repeated, _quoted, _again, _restated):
        for at, fact in enumerate(told):
            yield made(split, at, fact)
    yield from _compound(split)
    yield from _collision(split)
    yield from _cross(split)
    yield from described(split)
    yield from in_sentences(split)
    yield from bare(split)
    yield from said_again(split)


def _stated(fact: Told, assistant: str = "Noted.") -> Said:
    return Said(user=fact.sentence, assistant=assistant, attribute=fact.attribute, value=fact.value)


def _ways(at: int, fact: Told) -> dict[str, str]:
    """By attribute or by the exact value, in turn."""
    return {"attribute": fact.attribute} if at % 2 else {"value": fact.value}


def _exact(split: Split, at: int, fact: Told) -> Case:
    return Case(
        kind="exact", split=split, name=fact.attribute, forget=_ways(at, fact),
        said=(_REST, _stated(fact, f"Noted: {fact.value}."), Said(user="What is new?")),
        gone=(fact.value,), kept=(_STAYS,),
    )  # fmt: skip


def _surface(split: Split, at: int, fact: Told) -> Case:
    later = [Said(user=f"Is it still {form}?", assistant=f"Yes: {form}.") for form in fact.forms]
    return Case(
        kind="surface", split=split, name=fact.attribute, forget=_ways(at, fact),
        said=(_REST, _stated(fact), *later), gone=(fact.value, *fact.forms), kept=(_STAYS,),
    )  # fmt: skip


def _chain(split: Split, at: int, fact: Told) -> Case:
    told = PLAIN[split]
    # The older values are those of other facts of the suite: any shape may replace any other.
    first, second = told[(at + 7) % len(told)], told[(at + 13) % len(told)]
    said = [
        Said(user=f"For the record, it is {first.value}.", attribute="it", value=first.value),
        Said(user=f"Now it is {second.value}.", attribute="it", value=second.value, corrects=True,
             assistant=f"Not {first.value} any more."),
        Said(user=f"It is {fact.value} now.", attribute="it", value=fact.value, corrects=True),
    ]  # fmt: skip
    return Case(
        kind="chain", split=split, name=fact.attribute, said=(_REST, *said),
        forget={"attribute": "it"}, gone=(first.value, second.value, fact.value), kept=(_STAYS,),
    )  # fmt: skip


def _repeated(split: Split, at: int, fact: Told) -> Case:
    return Case(
        kind="repeated", split=split, name=fact.attribute, forget=_ways(at, fact),
        said=(
            _REST, _stated(fact, f"I wrote down {fact.value}."),
            Said(user="Look it up, please.", assistant=f"It says {fact.value} there.",
                 tool=f'{{"result": "{fact.value}"}}'),
        ),
        later=(Said(user="What did I tell you?", assistant=f"Earlier it was {fact.value}."),),
        gone=(fact.value,), kept=(_STAYS, "What did I tell you?"),
    )  # fmt: skip


def _quoted(split: Split, at: int, fact: Told) -> Case:
    return Case(
        kind="quoted", split=split, name=fact.attribute,
        said=(
            _REST, _stated(fact), Said(user=f'I said "{fact.sentence}", right?', assistant="You did."),
            Said(user=f"Please forget {fact.value}!", assistant=f"I will forget {fact.value}."),
        ),
        forget={"attribute": fact.attribute}, gone=(fact.value,), kept=(_STAYS,),
    )  # fmt: skip


def _again(split: Split, at: int, fact: Told) -> Case:
    return Case(
        kind="re-reflection", split=split, name=fact.attribute, again=True,
        said=(_REST, _stated(fact, f"So it is {fact.value}."), Said(user="Good.")),
        forget=_ways(at, fact), gone=(fact.value,), kept=(_STAYS,),
    )  # fmt: skip


def _restated(split: Split, at: int, fact: Told) -> Case:
    return Case(
        kind="re-assertion", split=split, name=fact.attribute, forget=_ways(at, fact),
        said=(_REST, _stated(fact)), later=(_stated(fact, f"Thanks: {fact.value}."),),
        kept=(_STAYS, fact.sentence),
    )  # fmt: skip


def _compound(split: Split) -> Iterator[Case]:
    """The value in either half; the neighbour a memory of its own, or said and never kept."""
    beside = NEIGHBOURS[split]
    for at, fact in enumerate(PLAIN[split]):
        attribute, value, words = beside[at % len(beside)]
        own = fact.sentence.rstrip(".")
        small = own[0].lower() + own[1:] if not own.startswith("I ") else own
        first = words[0].upper() + words[1:]
        text = f"{first} and {small}." if at % 2 else f"{own} and {words}."
        neighbour = first if at % 2 else words
        said = [Said(user=text, attribute=fact.attribute, value=fact.value,
                     assistant=f"{fact.value}, noted.")]  # fmt: skip
        if at % 4 < 2:
            # Both are remembered in the whole sentence, as labels do it.
            said.append(Said(user="Anything else?", attribute=attribute, value=value, text=text))
        yield Case(
            kind="compound", split=split, name=f"{fact.attribute}-{attribute}",
            said=(_REST, *said), forget={"attribute": fact.attribute}, gone=(fact.value,),
            kept=(_STAYS, neighbour),
        )  # fmt: skip


def _collision(split: Split) -> Iterator[Case]:
    for attribute, value, sentence, others in COLLISIONS[split]:
        said = [
            Said(user=f"By the way, I read about {other}.", assistant=f"About {other}, yes.")
            for other in others
        ]
        yield Case(
            kind="collision", split=split, name=f"{attribute} {value}", forget={"attribute": attribute},
            said=(_REST, Said(user=sentence, attribute=attribute, value=value,
                              assistant=f"So: {value}."), *said),
            gone=(sentence, f"So: {value}."),
            kept=(_STAYS, *(f"I read about {other}" for other in others)),
        )  # fmt: skip


def _cross(split: Split) -> Iterator[Case]:
    for attribute, value, sentence, form in CROSS[split]:
        yield Case(
            kind="cross-language", split=split, name=f"{value} as {form}",
            forget={"attribute": attribute},
            said=(_REST, Said(user=sentence, attribute=attribute, value=value),
                  Said(user=f"As I said, {form}.", assistant=f"{form}, yes.")),
            gone=(value, form), kept=(_STAYS,),
        )  # fmt: skip
