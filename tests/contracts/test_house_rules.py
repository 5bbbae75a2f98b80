"""Rules of the house that a reviewer would otherwise have to look for."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import palimpsest
from palimpsest import errors, ledger, types

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src" / "palimpsest").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))


def _modules() -> Iterator[str]:
    for found in pkgutil.walk_packages(palimpsest.__path__, "palimpsest."):
        if not found.name.endswith("__main__"):
            yield found.name


def _kinds(kind: type) -> set[type]:
    return {kind}.union(*(_kinds(sub) for sub in kind.__subclasses__()))


def test_every_error_has_one_row_in_the_table() -> None:
    """Code, exit status and HTTP status stand in one place, for every error and no other."""
    for name in _modules():
        importlib.import_module(name)
    codes = {kind.code for kind in _kinds(errors.PalimpsestError)}
    assert codes == set(errors.MEANINGS)
    assert {2} == {meaning.exit_status for meaning in errors.MEANINGS.values()}


def test_the_tree_in_the_docstring_names_every_error() -> None:
    """What the module draws is what it defines."""
    drawn = set(re.findall(r"[─ ]([A-Z]\w+)", errors.__doc__ or "")) | {"PalimpsestError"}
    defined = {kind.__name__ for kind in _kinds(errors.PalimpsestError)}
    assert defined <= drawn


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_are_small_and_say_what_they_hold(path: Path) -> None:
    """A file has under 400 lines, a function under 40, and a module a docstring."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) < 400
    assert ast.get_docstring(tree), "a module docstring says the one idea of the file"
    long = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 40
    ]
    assert [] == long
    assert not path.stem.endswith(("utils", "helpers", "manager", "handler"))


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_test_states_its_rule(path: Path) -> None:
    """The docstring of a test is the sentence that a failure breaks."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert [] == silent


def test_nothing_of_a_test_runs_on_to_the_end_of_the_session() -> None:
    """A fixture of the session makes a value: what has an end is met by tests that know nothing of it."""
    kept = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in (ROOT / "tests").rglob("*.py")
        if "node_modules" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any("scope='session'" in ast.unparse(one) for one in node.decorator_list)
        and any(isinstance(inner, ast.Yield) for inner in ast.walk(node))
    ]
    assert [] == kept


def test_records_are_frozen_slotted_and_keyword_only() -> None:
    """Two values of one type can never change places in silence."""
    both = {**vars(types), **vars(ledger)}
    records = [kind for kind in both.values() if dataclasses.is_dataclass(kind)]
    assert len(records) > 20
    for kind in records:
        assert kind.__dataclass_params__.frozen, kind
        assert hasattr(kind, "__slots__"), kind
        assert all(field.kw_only for field in dataclasses.fields(kind)), kind


def test_the_public_names_are_sorted_and_exist() -> None:
    """``__all__`` is the whole public interface."""
    assert sorted(palimpsest.__all__) == palimpsest.__all__
    assert [] == [name for name in palimpsest.__all__ if not hasattr(palimpsest, name)]


def test_the_version_is_the_same_everywhere() -> None:
    """Package, project file and the top of the changelog agree."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    top = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert top
    assert palimpsest.__version__ == project["version"] == top.group(1)


def test_every_public_name_of_the_plugin_seam_is_documented() -> None:
    """Public classes and functions say what they are for."""
    silent = []
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            named = isinstance(node, ast.ClassDef | ast.FunctionDef)
            if named and not node.name.startswith("_") and not ast.get_docstring(node):
                silent.append(f"{path.name}: {node.name}")
    assert [] == silent


def test_nothing_names_this_machine_or_a_registry() -> None:
    """What is committed works anywhere: no absolute path, no host of a registry."""
    hosts = "|".join(
        ("py" + "pi.org", "files.python" + "hosted", "deb." + "debian", "registry.npm" + "js")
    )
    wrong = re.compile(rf"/{'work'}/|/{'root'}/|{hosts}")
    files = [p for p in ROOT.rglob("*") if p.suffix in {".py", ".md", ".toml", ".lock", ".json"}]
    mine = [p for p in files if not {".venv", "dist", ".git"} & set(p.relative_to(ROOT).parts)]
    assert [] == [str(p) for p in mine if wrong.search(p.read_text(encoding="utf-8"))]
