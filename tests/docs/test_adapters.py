"""The examples of the adapters' pages run as they stand, and print what the pages say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from palimpsest.protocols import Tokenizer
from tests.golden.made import ROOT

PAGES = sorted((ROOT / "docs" / "adapters").glob("*.md"))
EXAMPLE = re.compile(r"<!-- example -->\n```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_an_example_prints_what_its_page_says(
    page: Path, gemma: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty directory, with nothing but the package and the framework."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    ((program, expected),) = EXAMPLE.findall(page.read_text(encoding="utf-8"))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = compile(program, page.name, "exec", dont_inherit=True)
        exec(code, {"__name__": "__main__"})
    assert expected == printed.getvalue()
    assert (tmp_path / "memory.db").exists()


def test_the_index_names_every_page_and_every_name() -> None:
    """Each page is linked, each extra is one of the package, and each name is there to import."""
    index = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
    assert [f"adapters/{page.name}" for page in PAGES] == sorted(
        set(re.findall(r"\((adapters/[\w-]+\.md)\)", index))
    )
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| \[.*\]\(adapters/.*?\) \| (.*) \| `pip install '(.*)\[(.*)\]'` \|$",
        index,
        re.MULTILINE,
    )
    assert len(PAGES) == len(rows)
    for names, _, extra in rows:
        assert f"\n{extra} = [" in project
        module = __import__(f"palimpsest.integrations.{extra.replace('-', '_')}", fromlist=["x"])
        for name in re.findall(r"`(\w+)`:", names):
            assert hasattr(module, name)
