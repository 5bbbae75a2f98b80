"""What an embedder may say of itself and give, and what nothing may rely on."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palimpsest import Budget, Config, Memory
from palimpsest.errors import InputError
from palimpsest.protocols import Tokenizer
from palimpsest.recall import checked
from palimpsest.settings import RecallSettings
from tests.support.embedders import Moody

ROOM = Budget(window=2000, answer=100)


@dataclasses.dataclass(eq=False)
class Odd:
    """An embedder as a stranger writes it."""

    name: Any = "odd"
    dimensions: Any = 3
    threshold: Any = 0.2
    gives: Callable[[], Any] = lambda: np.array([3.0, 0.0, 4.0])

    def query(self, text: str) -> Any:
        return self.gives()

    def passages(self, texts: Any) -> Any:
        return [self.gives() for _ in texts]


@pytest.mark.parametrize("scale", [1.0, 1e38, 3e-39, 1e-30])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_direction_is_a_vector_at_any_length(scale: float, kind: type) -> None:
    """Its squares may leave the range of 32 bit; rows are unit rows of 32 bit."""
    odd = Odd(gives=lambda: np.array([0.75 * scale, 0.0, scale], dtype=kind))

    assert [0.6, 0.0, 0.8] == pytest.approx(checked.query(odd, "a").tolist())
    assert np.float32 == checked.passages(odd, ["a", "b"]).dtype


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([0, 0, 0], "zeros or of no finite numbers"),
        ([1, float("nan"), 0], "zeros or of no finite numbers"),
        ([1, float("inf"), 0], "zeros or of no finite numbers"),
        ([1, 0], r"shape \(1, 2\), not \(1, 3\)"),
        (None, "shape"),
        ("abc", "shape"),
        ([1j, 0, 0], "complex128 where numbers are needed"),
        (["a", "b", "c"], "where numbers are needed"),
        ([object()] * 3, "object where numbers are needed"),
        ([True, False, True], "bool where numbers are needed"),
    ],
)
def test_what_is_no_vector_is_refused_by_what_it_is(given: Any, why: str) -> None:
    """Nothing is cast in silence."""
    with pytest.raises(checked.Unusable, match=why):
        checked.query(Odd(gives=lambda: given), "a")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"name": ""}, "its name is ''"),
        ({"name": 5}, "its name is 5"),
        ({"name": "a\x1b[2J"}, "printable text"),
        ({"name": "\ud800"}, "printable text"),
        ({"dimensions": 0}, "dimensions is 0"),
        ({"dimensions": 3.5}, "dimensions is 3.5"),
        ({"dimensions": True}, "dimensions is True"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"threshold": "0.3"}, "threshold is '0.3'"),
    ],
)
def test_an_embedder_that_cannot_serve_is_refused_when_the_memory_is_opened(
    wrong: dict[str, Any], why: str, tmp_path: Path, chatml: Tokenizer
) -> None:
    """Not by a thread that ends, turns later."""
    with pytest.raises(InputError, match=why.replace("[", r"\[")):
        Memory.open(tmp_path / "m.db", tokenizer=chatml, embedder=Odd(**wrong))


@pytest.mark.parametrize(
    "error", [SystemExit(3), asyncio.CancelledError(), GeneratorExit(), KeyboardInterrupt()]
)
def test_what_is_no_exception_is_a_failure_like_others_and_recovers(
    error: BaseException, tmp_path: Path, chatml: Tokenizer
) -> None:
    """A panic of compiled code or a cancelled task ends no thread: the next question is heard."""
    moody = Moody()
    quick = RecallSettings(failures=100, deadline=3.0, loop=0.1)
    config = dataclasses.replace(Config(), recall=quick)
    with Memory.open(tmp_path / "m.db", tokenizer=chatml, config=config, embedder=moody) as memory:
        talk = memory.conversation(user="ana", id="trip")
        talk.remember("My bees are black.")
        moody.error = error  # type: ignore[assignment]
        out = talk.request("What colour are my bees?", budget=ROOM, strategy="seats").degraded
        moody.error = None
        memory.index()
        back = talk.request("What colour are my bees?", budget=ROOM, strategy="seats").degraded

    assert (f"{type(error).__name__} in moody-64", "") == (out, back)
