"""Random histories with values of all kinds, told and echoed in every shape: nothing leaks."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Memory
from palimpsest.tokens.local import LocalTokenizer
from tests.support.leaks import Leaks


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(draw=st.randoms(use_true_random=False), steps=st.sampled_from((4, 8, 16)))
def test_what_is_gone_is_in_no_request_and_in_no_byte(
    chatml: LocalTokenizer, draw: random.Random, steps: int
) -> None:
    """After every correction and forget requests render, count exactly and leak nothing;

    after every forget no byte of the store holds what was forgotten, and every current
    fact is still sent.
    """
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "m.db"
        with Memory.open(str(path), tokenizer=chatml) as memory:
            played = Leaks(memory, draw)
            for step in played.play(steps):
                if step == "forget":
                    assert [] == played.in_file(path)
                if step in ("forget", "correct", "late"):
                    request = played.request()
                    assert chatml.count_request(request.sent, request.tools) == request.tokens
                    assert [] == played.in_request(request)
                    text = json.dumps(request.messages, ensure_ascii=False)
                    facts = played.facts.values()
                    assert [] == [f.value for f in facts if f.value not in text]
        assert [] == played.in_file(path)


def test_the_search_for_leaks_finds_them(chatml: LocalTokenizer, tmp_path: Path) -> None:
    """What was said and is not gone stands in the request and in the file."""
    with Memory.open(str(tmp_path / "m.db"), tokenizer=chatml) as memory:
        played = Leaks(memory, random.Random(7))
        for _ in range(12):
            played._tell()
        played.replaced = {fact.value for fact in played.facts.values()}
        assert sorted(played.replaced) == played.in_request(played.request())
        played.replaced, played.forgotten = set(), played.replaced
        assert sorted(played.forgotten) == played.in_file(tmp_path / "m.db")
