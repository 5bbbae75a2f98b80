"""Specs: the printed form is the identity, and every fault says where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest import registry
from palimpsest.context.memory_strategies import Managed
from palimpsest.errors import SpecError
from palimpsest.types import Spec

names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,12}", fullmatch=True)
keys = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda key: key.isidentifier() and key not in __import__("keyword").kwlist
)
values = st.one_of(
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
specs = st.builds(
    lambda name, params: Spec(name=name, params=tuple(sorted(params.items()))),
    names,
    st.dictionaries(keys, values, max_size=4),
)


@given(specs)
def test_a_spec_is_read_back_from_its_printed_form(spec: Spec) -> None:
    """Parsing what was printed gives the same Spec, types included."""
    found = registry.parse(registry.render(spec))

    assert spec == found
    assert [type(v) for _, v in spec.params] == [type(v) for _, v in found.params]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "does not begin with a name"),
        ("(quota=1)", "does not begin with a name"),
        ("managed quota", "is not a parameter list"),
        ("managed(quota=1", "is not a parameter list"),
        ("managed(1)", "must be written key=value"),
        ("managed(quota=)", "managed"),
        ("managed(quota=1, quota=2)", "managed"),
        ("managed(**x)", "is not a parameter name"),
        ("managed(quota=inf)", "quota is not a whole number"),
        ("managed(quota=1e999)", "quota is not a whole number"),
        ("managed(quota=nan)", "quota is not a whole number"),
        ("managed(quota=[1])", "quota is not a whole number"),
        ("managed(quota=__import__('os'))", "quota is not a whole number"),
        ("managed(quota=None)", "quota is not a whole number"),
        ("managed(quota=1)(x=2)", "managed"),
    ],
)
def test_a_spec_that_cannot_be_read_says_why(text: str, error: str) -> None:
    """Nothing but plain values is accepted, and nothing is evaluated."""
    with pytest.raises(SpecError, match=error):
        registry.parse(text)


def test_defaults_are_left_out_and_keys_sorted() -> None:
    """Two ways to write one thing have one identity."""
    assert "managed" == registry.render(registry.spec_of("managed", Managed()))
    found = registry.spec_of("managed", Managed(quota=80, order="oldest"))
    assert "managed(order='oldest', quota=80)" == registry.render(found)


def test_a_name_with_a_typo_gets_the_nearest_and_the_known_ones() -> None:
    """The error is enough to go on."""
    with pytest.raises(SpecError, match="did you mean 'managed'.*append-only, hybrid, managed"):
        registry.load("strategies", registry.parse("mangaed"))


class Installed:
    """What the packages of a machine register."""

    def __init__(self, *entries: tuple[str, str]) -> None:
        self.entries = [EntryPoint(name, value, "palimpsest.strategies") for name, value in entries]

    def entry_points(self, *, group: str) -> list[EntryPoint]:
        return self.entries if group == "palimpsest.strategies" else []


MANAGED = ("managed", "palimpsest.context.memory_strategies:Managed")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    def install(*entries: tuple[str, str]) -> None:
        monkeypatch.setattr(registry, "metadata", Installed(*entries))
        registry._entries.cache_clear()

    yield install
    registry._entries.cache_clear()


def test_a_broken_plug_in_breaks_nobody_else(installed: Callable[..., None]) -> None:
    """Only the entry point that is named is loaded."""
    installed(MANAGED, ("broken", "no.such.module:Thing"))

    assert Managed() == registry.load("strategies", Spec(name="managed"))
    with pytest.raises(SpecError, match=r"'broken' cannot be loaded from 'no\.such\.module:Thing'"):
        registry.load("strategies", Spec(name="broken"))


def test_a_name_that_two_packages_register_is_refused(installed: Callable[..., None]) -> None:
    """A plug-in never takes the place of a built-in in silence, nor the other way round."""
    installed(MANAGED, ("managed", "another.package:Managed"))

    with pytest.raises(
        SpecError, match=r"'managed' is the name of 2 strategies: .*another\.package"
    ):
        registry.load("strategies", Spec(name="managed"))


def test_one_package_that_is_found_twice_is_one(installed: Callable[..., None]) -> None:
    """An editable install beside a copy registers the same thing twice."""
    installed(MANAGED, MANAGED)

    assert Managed() == registry.load("strategies", Spec(name="managed"))
