"""The catalogue of the pages, extracted anew, and what of a template is in no catalogue."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

from palimpsest.web import wording

WEB = Path(wording.__file__).parent
TEMPLATES = WEB / "templates"
OPTIONS = {"trimmed": "true", "newstyle_gettext": "true", "silent": "false",
           "trim_blocks": "true", "lstrip_blocks": "true"}  # fmt: skip


def extracted() -> Catalog:
    """Every text that the templates name, and every word of the closed sets."""
    made = Catalog(fuzzy=False)
    for name, _line, message, _comments, _context in sorted(
        extract_from_dir(TEMPLATES, [("**.j2", "jinja2")], {"**.j2": OPTIONS}),
        key=lambda found: (found[0], str(found[2])),
    ):
        made.add(message, locations=[(name, "")])  # type: ignore[list-item]
    for word in wording.tables():
        made.add(word, locations=[("wording.py", "")])  # type: ignore[list-item]
    return made


def template_text() -> str:
    """The catalogue as a file without dates and line numbers, which say nothing to a translator."""
    file = io.BytesIO()
    write_po(file, extracted(), omit_header=True, include_lineno=False, sort_output=True, width=100)
    return file.getvalue().decode()


_SPOKEN = re.compile(r'\b(?:aria-label|alt|title|placeholder)="([^"]*)"')


def untranslated(text: str) -> Iterator[str]:
    """The words of a template that a reader sees and no catalogue holds."""
    text = re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)
    text = re.sub(r"\{% trans\b.*?\{% endtrans %\}", "", text, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "", text, flags=re.DOTALL)
    text = re.sub(r"\{%.*?%\}", "", text, flags=re.DOTALL)
    yield from (said for said in _SPOKEN.findall(text) if _words(said))
    text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    yield from (said.strip() for said in re.split(r"<[^>]*>", text) if _words(said))


def _words(said: str) -> bool:
    return bool(re.search(r"[^\W\d_]", said.replace("palimpsest", "").replace("×", "")))
