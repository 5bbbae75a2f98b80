"""Whatever a suite file holds, it loads or is refused as an input error with its place."""

import copy
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from palimpsest.bench import builtin, suite
from palimpsest.errors import InputError
from tests.support.suites import MEETING, data, point

GOOD = data(MEETING, [point(5, ["Birch & Co."], ["room is Alder"], ["4711"])])

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)  # fmt: skip
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a JSON value."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    return [path, *(place for key in keys for place in places(value[key], (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    """The value with another one at a path."""
    if not path:
        return by
    made = copy.deepcopy(value)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = by
    return made


def refusal(text: str) -> str | None:
    """What is wrong with a suite; ``None`` where it loads."""
    try:
        suite.read(text, where="f.json", name="f")
    except InputError as error:
        return str(error)
    return None


@given(path=st.sampled_from(places(GOOD)), by=VALUES)
@example(path=("turns", 0, "user"), by="\ud800")
@example(path=("budget", "window"), by=10**30)
def test_a_suite_with_anything_in_any_place_is_never_a_crash(path: Any, by: Any) -> None:
    """Any JSON value in any place of a suite loads, or is told with the file."""
    told = refusal(json.dumps(replaced(GOOD, path, by)))
    assert told is None or told.startswith("f.json: ")


@given(cut=st.integers(min_value=0, max_value=len(builtin.stored("edges")) - 3))
def test_a_truncated_suite_is_always_refused(cut: int) -> None:
    """A file cut at any place is refused with line and column."""
    told = refusal(builtin.stored("edges")[:cut])
    assert told is not None
    assert told.startswith("f.json: is not valid JSON at line ")
