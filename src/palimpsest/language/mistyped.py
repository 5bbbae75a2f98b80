"""When one word is another one mistyped, told without a dictionary.

Only two slips are taken for one: a letter doubled or not ("profesional"), and two neighbours
exchanged ("recieve"). A letter for another ("horse", "house") makes too many words.
Invariant: symmetric, and a pure function; words of ``_WORDS`` are never taken for another.
"""

from __future__ import annotations

_SHORTEST = 6
"""Letters of the shorter word."""

_WORDS = frozenset(
    """desert dessert latter later cannon canon collar dinning dining hopping hoping planning
    planing tapping taping barring baring staring starring supper super bitter biter filling filing
    tilling tiling matting mating pilling piling robbing robing scrapping scraping stripping
    striping winning wining griping gripping sloping slopping totaled trial trail angel angle casual
    causal marital martial silver sliver united untied diary dairy statue statute breath breadth
    poison poisson cousin coussin baiser baisser dessert désert chasser chaser embarrasser
    embraser casser caser russe ruse coller colle fallait falait ballade balade bonne bone
    signe singe cellier celier crois corsi pensé pansé reserve reverse conversation conservation
    bellow below unclear nuclear dialing dialling tonne tone sacred scared reign brake parties
    pirates calvary cavalry perfect prefect dianes ornament trails trials angles angels silvers
    slivers diaries dairies converse conserve solider soldier pattern patter matter mater
    cutter cuter rapped raped bared barred hoped hopped planed planned taped tapped filed filled
    scared scarred stared starred striped stripped moped mopped""".split()  # noqa: SIM905
)
"""Words that such a slip makes out of one another."""


def mistyped(a: str, b: str) -> bool:
    """True where ``a`` and ``b`` are one word, slips of typing apart."""
    if min(len(a), len(b)) < _SHORTEST or a[0] != b[0] or a in _WORDS or b in _WORDS:
        return False
    if len(a) == len(b):
        return _exchanged(a, b)
    short, long = sorted((a, b), key=len)
    return len(long) == len(short) + 1 and any(
        long[at] == long[at - 1] and long[:at] + long[at + 1 :] == short
        for at in range(1, len(long))
    )


def slip(word: str) -> str:
    """What a word keeps when it is mistyped: two words of which one is the other have one."""
    return word[0] + "".join(sorted(set(word)))


def _exchanged(a: str, b: str) -> bool:
    differs = [at for at, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]]
    if len(differs) != 2 or differs[1] != differs[0] + 1:
        return False
    first, second = differs
    return a[first] == b[second] and a[second] == b[first]
