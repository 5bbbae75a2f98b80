"""What the many facts of a large suite are about: people, and what is known of each.

A theme is what one question needs: its words are not those of the statements, so finding
the few facts that matter takes more than matching words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.bench.generated.values import words

NAMES = words(
    "Amina Bertil Chiara Dmitri Elif Farouk Greta Hiroko Ingmar Jolanta Kwame Leonor Marek "
    "Niamh Otilia Piotr Quentin Rosalie Siobhan Tomasz Ursula Violeta Wendell Xenia Yannick "
    "Zoltan Anneke Basile Cosima Delphine Emeka Fiorella Gunnar Haruki Imelda Joaquim Katinka "
    "Lorcan Mirela Nadezhda"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One thing that is known of a person; ``{p}`` is the person, ``{v}`` the value."""

    attribute: str
    first: tuple[str, ...]
    """A value is one of these with one of ``second``; no two are drawn alike."""
    second: tuple[str, ...]
    stated: tuple[str, ...]
    corrected: tuple[str, ...]
    forget: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """The things that one question about a person needs."""

    question: str
    things: tuple[Thing, ...]


_COUNTS = tuple(str(n) for n in range(11, 99))

DINNER = Theme(
    question="{p} comes over tonight. What should I cook and pour, and what must I avoid?",
    things=(
        Thing(
            attribute="allergy",
            first=words("roasted raw dried pickled smoked salted candied ground"),
            second=words("cashews mussels walnuts lentils oysters almonds apricots prawns"),
            stated=("{p} is allergic to {v}.", "{p} gets a rash from {v}, a bad one."),
            corrected=("The doctor says it is {v} that {p} is allergic to.",),
            forget="Forget what {p} is allergic to.",
        ),
        Thing(
            attribute="dish",
            first=words("saffron pumpkin mushroom spinach leek truffle lemon chestnut"),
            second=words("risotto gnocchi dumplings quiche curry ravioli soup strudel"),
            stated=(
                "{p} loves {v} more than anything.",
                "The dish that {p} always asks for is {v}.",
            ),
            corrected=("{p} has gone off the old dish, it is {v} these days.",),
            forget="Forget which dish {p} likes.",
        ),
        Thing(
            attribute="drink",
            first=words("cold warm sparkling spiced bitter cloudy dry sweet"),
            second=words("cider sherry kombucha lemonade espresso chicory mead vermouth"),
            stated=("{p} drinks {v} and little else.", "You can always offer {p} a {v}."),
            corrected=("{p} switched to {v}.",),
            forget="Forget what {p} drinks.",
        ),
    ),
)
GIFT = Theme(
    question="The birthday of {p} is coming. When is it, and what would make a good present?",
    things=(
        Thing(
            attribute="birthday",
            first=words("11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27"),
            second=words("January February March April May June July August October November"),
            stated=("{p} was born on {v}.", "{p} turns a year older on {v}."),
            corrected=("I had the day wrong, {p} was born on {v}.",),
            forget="Forget when {p} was born.",
        ),
        Thing(
            attribute="hobby",
            first=words("night river winter forest harbour island garden mountain"),
            second=words("photography fishing sketching cycling swimming birding rowing running"),
            stated=("{p} spends every free hour on {v}.", "{p} is mad about {v}."),
            corrected=("{p} gave that up and took to {v}.",),
            forget="Forget what {p} does in free hours.",
        ),
        Thing(
            attribute="colour",
            first=words("pale deep dusty bright muted smoky faded pearly"),
            second=words("turquoise crimson ochre violet emerald coral indigo amber"),
            stated=("{p} wears {v} nearly every day.", "Anything in {v} suits {p}."),
            corrected=("{p} wears {v} now, nothing else.",),
            forget="Forget which colour {p} wears.",
        ),
    ),
)
VISIT = Theme(
    question="I want to drop by at {p}'s place. How do I find it, and who will bark at me?",
    things=(
        Thing(
            attribute="street",
            first=_COUNTS,
            second=("Alder Lane", "Quarry Road", "Mill Rise", "Tanner Row", "Chapel Hill"),
            stated=("{p} lives at {v}.", "The address of {p} is {v}."),
            corrected=("{p} moved house, to {v}.", "{p} now lives at {v}."),
            forget="Forget where {p} lives.",
        ),
        Thing(
            attribute="dog",
            first=words("Sir Lady Captain Count Doctor Miss Old Little"),
            second=words("Waffles Thunder Biscuit Pepper Marlow Truffle Banjo Hazel"),
            stated=("{p} has a dog named {v}.", "{p} and a dog called {v} are inseparable."),
            corrected=("The dog of {p} is named {v}, I misheard.",),
            forget="Forget the dog of {p}.",
        ),
        Thing(
            attribute="bell",
            first=words("Blue Red Green Grey White Black Brown Gold"),
            second=words("Heron Otter Falcon Badger Magpie Swallow Marten Lynx"),
            stated=("The bell of {p} says {v}.", "To find {p}, ring where it says {v}."),
            corrected=("The bell of {p} was relabelled, it says {v}.",),
            forget="Forget what the bell of {p} says.",
        ),
    ),
)
WORK = Theme(
    question="How do I reach {p} during office hours, and for which firm is that?",
    things=(
        Thing(
            attribute="employer",
            first=words("North Silver Union Summit Delta Orchard Beacon Atlas"),
            second=words("Optics Freight Ceramics Textiles Robotics Brewing Mapping Timber"),
            stated=("{p} works for {v}.", "{p} signed a contract with {v}."),
            corrected=("{p} changed jobs and is with {v}.",),
            forget="Forget who employs {p}.",
        ),
        Thing(
            attribute="extension",
            first=tuple(f"ext. {n}" for n in range(31, 98)),
            second=tuple(f"-{n}" for n in range(10, 30)),
            stated=("You get {p} on the phone with {v}.", "The desk phone of {p} is {v}."),
            corrected=("The desk phone of {p} is now {v}.",),
            forget="Forget the desk phone of {p}.",
        ),
        Thing(
            attribute="office",
            first=tuple(f"office {letter}" for letter in "ABCDEFGH"),
            second=tuple(f"-{n}" for n in range(101, 180)),
            stated=("{p} sits in {v}.", "{p} has a desk by the window in {v}."),
            corrected=("{p} moved to {v}.",),
            forget="Forget where {p} sits.",
        ),
    ),
)
THEMES: Mapping[str, Theme] = {"dinner": DINNER, "gift": GIFT, "visit": VISIT, "work": WORK}
THINGS = tuple(thing for theme in THEMES.values() for thing in theme.things)
