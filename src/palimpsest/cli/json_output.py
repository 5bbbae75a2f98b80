"""Writes a JSON result to a file in one step, or to standard output (see ``output_file``)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from palimpsest.cli.output_file import STDOUT, text_output

__all__ = ["STDOUT", "Write", "json_output"]

Write = Callable[[Mapping[str, Any]], None]


@contextmanager
def json_output(target: str | None, option: str = "--json") -> Iterator[Write]:
    """Give a function that writes one JSON value; ``None`` writes nothing."""
    with text_output(target, option) as write:
        yield lambda data: write(_text(data))


def _text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
