"""An adapter without its framework says the line that installs it, and nothing else breaks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from palimpsest.errors import NotPrepared
from palimpsest.integrations.extra import missing

IMPORT = """
import sys
for name in {hidden!r}:
    sys.modules[name] = None
try:
    import palimpsest.integrations.{adapter}
except Exception as error:
    print(type(error).__name__, error)
import palimpsest
palimpsest.Memory
"""


@pytest.mark.parametrize(
    ("adapter", "hidden", "extra"),
    [
        ("langchain", ["langchain_core"], "langchain"),
        ("langchain", ["langgraph"], "langchain"),
        ("langchain.store", ["langgraph"], "langchain"),
        ("pydantic_ai", ["pydantic_ai"], "pydantic-ai"),
        ("llama_index", ["llama_index"], "llama-index"),
        ("llama_index.chat", ["llama_index"], "llama-index"),
    ],
)
def test_a_missing_framework_says_how_to_install_it(
    adapter: str, hidden: list[str], extra: str
) -> None:
    """The error names the package and the extra, at the import of the adapter or a part of it."""
    program = IMPORT.format(adapter=adapter, hidden=hidden)
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "" == ran.stderr
    assert ran.stdout.startswith("NotPrepared the adapter for ")
    assert ran.stdout.endswith(f"needs {hidden[0]!r}: pip install 'palimpsest-memory[{extra}]'\n")


def test_the_package_of_a_submodule_is_named() -> None:
    """It is the package that is installed, not the module that was asked for."""
    error = ImportError("no module", name="langgraph.store.base")
    made = missing(error, adapter="LangGraph", extra="langchain")
    assert isinstance(made, NotPrepared)
    assert "needs 'langgraph'" in str(made)
