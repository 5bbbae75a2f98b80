"""The documents keep their word: code runs, figures are generated, every name exists."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

import palimpsest.cli
from palimpsest.bench import cases, suite
from palimpsest.ledger import MemoryReason, TurnReason
from palimpsest.protocols import Tokenizer
from tests.golden.made import GOLDENS, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("design/*.md")])


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_python_of_the_readme_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gemma: Tokenizer
) -> None:
    """A newcomer can paste it, block after block, into an empty directory."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(README, "python"):
        exec(compile(block, "README.md", "exec"), names)
    request = names["request"]
    assert gemma.count_request(request.sent, ()) == request.tokens
    assert (tmp_path / "memory.db").is_file()
    names["memory"].close()


def test_the_readme_is_what_make_goldens_writes() -> None:
    """Its table and the figures in its prose come from a run."""
    assert GOLDENS[ROOT / "README.md"]() == README


def test_the_figures_in_the_prose_are_those_of_the_table() -> None:
    """4 of 26, 25 and all 26: the sentences cannot go stale alone."""
    (table,) = blocks(README, "text")
    total = {line.split()[0]: line.split() for line in table.splitlines() if "/26" in line}
    assert "4/26" == total["recent"][-1]
    assert re.search(r"^append-only .* 25/26 ~3 !1$", table, re.MULTILINE)
    assert "26/26" == total["managed"][-1]
    assert "finds 4 of 26 facts" in README
    assert "finds 25, and still sends three replaced facts" in README


def test_the_suite_of_the_documentation_is_one() -> None:
    """The example that people copy is accepted."""
    (example,) = blocks((ROOT / "docs" / "suites.md").read_text(encoding="utf-8"), "json")
    assert ["Thursday"] == list(
        suite.parse(json.loads(example), where="docs/suites.md", name="example")
        .checkpoints[0]
        .required
    )


def test_the_case_set_of_the_documentation_is_one() -> None:
    """The example that people copy is accepted."""
    (example,) = blocks((ROOT / "docs" / "cases.md").read_text(encoding="utf-8"), "json")
    found = cases.read(example, where="docs/cases.md", name="example")
    assert ["Take fish glue instead"] == list(found.cases[0].required)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_and_every_named_test_exists(path: Path) -> None:
    """No document points at nothing."""
    text = path.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    tests = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert [] == [link for link in links if not (path.parent / link).exists()]
    for file, name in tests:
        assert (ROOT / file).is_file(), file
        assert not name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), name


def test_every_reason_is_explained_and_no_other() -> None:
    """The closed sets of the ledger and their table are one."""
    text = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
    turns, memories = text.split("## Memories")
    listed = [set(re.findall(r"^\| `([\w-]+)`", part, re.MULTILINE)) for part in (turns, memories)]
    assert [set(get_args(TurnReason)), set(get_args(MemoryReason))] == listed


def test_every_command_that_a_document_shows_exists() -> None:
    """A newcomer who types what is written gets no usage error."""
    known = set(palimpsest.cli._commands.list_commands(None))
    for path in DOCUMENTS:
        shown = re.findall(
            r"^palimpsest ([\w-]+)", "\n".join(blocks(path.read_text(), "sh")), re.MULTILINE
        )
        shown += re.findall(r"`palimpsest ([\w-]+)", path.read_text(encoding="utf-8"))
        assert set(shown) <= known, path
