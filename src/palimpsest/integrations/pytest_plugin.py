"""The pytest plugin: a marker that makes a test of each case of a suite, and its blessing.

Installed with the package, so it is loaded by every run of pytest in the environment.
Invariant: nothing but pytest is imported until a test carries the marker.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from palimpsest.integrations.pytest_suites import SuiteCase

_MARKER = "palimpsest"
_CASE = "palimpsest_case"
_HELP = (
    "palimpsest(suite, baseline=None, strategy=None, config=None, tokenizer=None): one test for "
    "each strategy and checkpoint of a suite (a built-in name or a file)"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that renews baselines."""
    parser.getgroup("palimpsest").addoption(
        "--palimpsest-bless",
        action="store_true",
        default=False,
        help="write what the suites of the chosen tests show into their baseline files",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, also under --strict-markers."""
    config.addinivalue_line("markers", _HELP)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Turn each case of the suites that a function names into one test of it."""
    marks = list(metafunc.definition.iter_markers(_MARKER))
    if not marks:
        return
    from palimpsest.errors import PalimpsestError
    from palimpsest.integrations.pytest_suites import cases_of

    folder, settings = metafunc.definition.path.parent, metafunc.config
    try:
        cases: list[SuiteCase | Broken] = [
            case
            for mark in reversed(marks)
            for case in cases_of(mark.args, mark.kwargs, folder, settings)
        ]
    except PalimpsestError as error:
        # One test that fails: an error of collection would keep the others from running.
        cases = [Broken(f"@pytest.mark.palimpsest: {error}")]
    if _CASE not in metafunc.fixturenames:
        metafunc.fixturenames.append(_CASE)
    metafunc.parametrize(_CASE, cases, ids=[case.id for case in cases], indirect=True)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let no marker do nothing: a method of ``unittest.TestCase`` has no cases."""
    if item.get_closest_marker(_MARKER) is None:
        return
    if _CASE not in getattr(getattr(item, "callspec", None), "params", {}):
        pytest.fail(
            "@pytest.mark.palimpsest: this is no function of pytest, so it has no cases and "
            "nothing was judged; write `def test_...` in the file or in a plain class",
            pytrace=False,
        )


class Broken:
    """In the place of the cases of a marker that cannot be read: a test that says why."""

    id = "cannot-be-read"

    def __init__(self, why: str) -> None:
        self._why = why

    def judged(self) -> str:
        """What is wrong with it."""
        return self._why


@pytest.fixture
def palimpsest_case(request: pytest.FixtureRequest) -> SuiteCase:
    """The case of a test with the marker: its suite, strategy, checkpoint and request."""
    made = getattr(request, "param", None)
    if made is None:
        pytest.fail(
            "the fixture palimpsest_case belongs to a test with @pytest.mark.palimpsest(suite=...)",
            pytrace=False,
        )
    case: SuiteCase = made
    return case


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Judge the case before the words of the test itself run."""
    if pyfuncitem.get_closest_marker(_MARKER) is not None:
        from palimpsest.errors import PalimpsestError

        case: Any = pyfuncitem.callspec.params[_CASE]
        try:
            told = case.judged()
        except PalimpsestError as error:
            told = str(error)
        if told:
            pytest.fail(told, pytrace=False)
    return (yield)
