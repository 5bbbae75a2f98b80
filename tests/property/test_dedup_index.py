"""The index of memories gives the verdicts of the plain loop, whatever the memories are."""

import functools
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.bench.dedup_pairs import pairs
from palimpsest.language import statement
from palimpsest.language.similarity import score
from palimpsest.write.dedup import Index, Match

PAIRS = [text for pair in pairs() for text in (pair.a, pair.b)]
WORDS = """my the a of is in and not I sister address adress Porto Lisbon Tuesday 14 h 30 14h30
    likes live lives almond milk vivo en la casa ich wohne nicht Казань 你好 well, only sessions
    session profesional professional recieve receive silver sliver 1,450 1450 neighbour
    neighbor the_user José Jose from to é ´ 我住在北京 東京に住んでいます""".split()  # noqa: SIM905
LONG = " ".join(f"word{n} of the long text" for n in range(120))
ODD = [
    "", " ", "´", "...", "0", "１２３", "12 34", "1 450", "我住在北京", "我住在上海", "東京に住んでいます",
    "the of and to in it is that was for on are with as they be at this have", LONG, LONG + " more",
    "that is what it is and this is how it was for us all in the end of it",
    "that is what it is and this is how it was for us all at the end of it",
    "ab" * 400, "ab" * 399 + "ba", "It’s 14h30.", "it's 14 h 30",
]  # fmt: skip
built = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
texts = st.one_of(st.sampled_from(PAIRS), st.sampled_from(ODD), built, st.text(max_size=50))
read = functools.lru_cache(maxsize=None)(statement.read)


def _plain(corpus: dict[int, str], text: str, threshold: float, ratio_from: int) -> Match | None:
    best = None
    for id in sorted(corpus):
        found = score(read(text), read(corpus[id]), threshold=threshold, ratio_from=ratio_from)
        if found >= threshold and (best is None or found > best.score):
            best = Match(id=id, score=found)
    return best


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.integers(1, 60), texts, max_size=20),
    st.lists(texts, min_size=1, max_size=3),
    st.sampled_from([0.0, 0.005, 0.3, 0.5, 0.8, 0.8, 0.95, 1.0]),
    st.sampled_from([0, 10, 40]),
    st.data(),
)
def test_the_index_decides_as_the_plain_loop(
    corpus: dict[int, str], asked: list[str], threshold: float, ratio_from: int, data: st.DataObject
) -> None:
    """The match and its score are those of comparing with every memory, oldest first."""
    index = Index(corpus.items(), threshold=threshold, ratio_from=ratio_from)
    for text in asked:
        assert _plain(corpus, text, threshold, ratio_from) == index.nearest(text)
    gone = data.draw(st.sets(st.sampled_from(sorted(corpus)))) if corpus else set()
    left = {id: text for id, text in corpus.items() if id not in gone} | {61: asked[0]}
    index.sync(left.items())
    for text in asked:
        assert _plain(left, text, threshold, ratio_from) == index.nearest(text)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PAIRS), st.integers(0, 10_000), st.sampled_from([0, 40]))
def test_near_the_threshold_the_index_decides_as_the_plain_loop(
    text: str, seed: int, ratio_from: int
) -> None:
    """A text with one slip, one word more or one word less has the verdict of the plain loop."""
    draw = random.Random(seed)
    corpus = {id: _altered(text, draw) for id in range(1, 9)}
    index = Index(corpus.items(), threshold=0.80, ratio_from=ratio_from)
    for asked in (text, _altered(text, draw)):
        assert _plain(corpus, asked, 0.80, ratio_from) == index.nearest(asked)


def _altered(text: str, draw: random.Random) -> str:
    """A text with one small thing changed."""
    words = text.split()
    at = draw.randrange(len(words))
    letter = draw.randrange(len(words[at]))
    doubled = words[at][: letter + 1] + words[at][letter:]
    swapped = words[at][:letter] + words[at][letter : letter + 2][::-1] + words[at][letter + 2 :]
    how = draw.choice(["double", "swap", "drop", "add", "move"])
    if how in ("double", "swap"):
        words[at] = doubled if how == "double" else swapped
    elif how == "add":
        words.insert(at, draw.choice(WORDS))
    else:
        word = words.pop(at)
        words += [word] if how == "move" else []
    return " ".join(words)


def test_texts_of_the_pairs_find_what_the_plain_loop_finds() -> None:
    """Texts of the labelled pairs, asked against many others of them, find what the loop finds."""
    corpus = dict(enumerate(PAIRS[::5] + ODD, 1))
    index = Index(corpus.items(), threshold=0.80, ratio_from=40)
    for text in (*PAIRS[1::97], *ODD[::4]):
        assert _plain(corpus, text, 0.80, 40) == index.nearest(text)
