"""The index of memories gives the verdicts of the plain loop, whatever the memories are."""

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.bench.dedup_pairs import pairs
from palimpsest.language.similarity import similarity
from palimpsest.write.dedup import Index, Match

PAIRS = [text for pair in pairs() for text in (pair.a, pair.b)]
WORDS = [
    "my",
    "the",
    "a",
    "of",
    "is",
    "in",
    "and",
    "not",
    "I",
    "sister",
    "address",
    "adress",
    "Porto",
    "Lisbon",
    "Tuesday",
    "14",
    "h",
    "30",
    "14h30",
    "likes",
    "live",
    "lives",
    "almond",
    "milk",
    "vivo",
    "en",
    "la",
    "casa",
    "ich",
    "wohne",
    "nicht",
    "Казань",
    "你好",
    "well,",
    "only",
    "sessions",
    "session",
]
built = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
texts = st.one_of(st.sampled_from(PAIRS), built, st.text(max_size=50))


def _plain(corpus: dict[int, str], text: str, threshold: float, ratio_from: int) -> Match | None:
    best = None
    for id in sorted(corpus):
        found = similarity(text, corpus[id], threshold=threshold, ratio_from=ratio_from)
        if found >= threshold and (best is None or found > best.score):
            best = Match(id=id, score=found)
    return best


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.integers(1, 60), texts, max_size=25),
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


def test_every_text_of_the_pairs_finds_what_the_plain_loop_finds() -> None:
    """Over all texts of the labelled pairs, each asked against all others, nothing differs."""
    corpus = dict(enumerate(PAIRS, 1))
    index = Index(corpus.items(), threshold=0.80, ratio_from=40)
    for id in range(1, len(PAIRS), 9):
        text = corpus[id]
        index.remove(id)
        rest = {other: held for other, held in corpus.items() if other != id}
        assert _plain(rest, text, 0.80, 40) == index.nearest(text)
        index.add(id, text)
