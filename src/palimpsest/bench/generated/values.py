"""The values that generated facts take: drawn by a seed, each once in a suite.

Invariant: no drawn value stands inside another, so a grader that looks for exact text
never finds one fact by the words of another.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from palimpsest.bench.generated.templates import Language


def words(text: str) -> tuple[str, ...]:
    """The words of a text, in order."""
    return tuple(text.split())


PEOPLE = words(
    "Okafor Lindqvist Marchetti Dubrovsky Haldane Oyelaran Castellan Brandvold Teixeira Mulvaney "
    "Szabados Quintero Abernathy Rousselot Vandermeer Kowalczyk Fairbairn Nakagawa Ostrowski "
    "Delacroix Pemberton Zubizarreta Halloran Wickremasinghe Bergstrand Iturbide Cavendish "
    "Montanari Schwarzkopf Llewellyn Papadakis Thorvaldsen Ravenscroft Bialystok Guimaraes "
    "Petrosyan Ashdown Vermeulen"
)
PLACES = words(
    "Trondheim Ljubljana Ghent Cahors Perugia Aveiro Tarragona Bamberg Ravenna Uppsala Ronda "
    "Bergerac Coimbra Lucca Freiburg Girona Evora Tromso Plzen Zadar Otranto Cuenca Annecy "
    "Bolzano Setubal Wismar Kaunas Sibiu Larissa Bayonne Albi Gorizia Viseu Passau Burgos "
    "Matera Tavira Celle"
)
PETS = words(
    "Mochi Biscotte Pumpernickel Zorba Nutella Gaspacho Fidelio Pixel Matcha Rigatoni Tofu "
    "Caramba Wasabi Bosco Pesto Ziggy Kompot Tapioca"
)
_LETTERS = "BCDFGHKLMNPRTVX"


class Values:
    """Draws values of a kind, never the same one twice."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._drawn: set[str] = set()

    def draw(self, kind: str, spoken: Language) -> str:
        """A value of ``kind`` that no earlier one holds and that holds no earlier one."""
        for value in self._candidates(kind, spoken):
            if not any(value in other or other in value for other in self._drawn):
                self._drawn.add(value)
                return value
        raise AssertionError("the candidates never end")

    def _candidates(self, kind: str, spoken: Language) -> Iterator[str]:
        shared = {"person": PEOPLE, "place": PLACES, "pet": PETS, "food": spoken.foods}
        pool = spoken.pools.get(kind) or shared.get(kind)
        if pool is not None:
            yield from self._chance.sample(pool, len(pool))
        make: Callable[[], str] = {
            "code": self._code,
            "number": lambda: str(self._chance.randrange(2000, 9999)),
            "amount": lambda: spoken.amount.format(n=self._chance.randrange(1200, 9800, 10)),
            "day": lambda: self._day(spoken),
            "pet": lambda: f"{self._chance.choice(PETS)} {self._chance.choice(PETS)}",
        }.get(kind, self._code)
        while True:
            yield make()

    def _code(self) -> str:
        letters = "".join(self._chance.choice(_LETTERS) for _ in range(2))
        return f"{letters}-{self._chance.randrange(10000, 99999)}"

    def _day(self, spoken: Language) -> str:
        return spoken.day.format(
            n=self._chance.randrange(10, 28), month=self._chance.choice(spoken.months)
        )
