"""Renders page contexts to HTML: one self-contained file, every text escaped.

Invariant: the page may load nothing, run nothing but its own script, and style itself with
nothing but its own sheet (content security policy by hash); texts of users are escaped by
the template engine and their invisible characters are made visible.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from palimpsest import __version__
from palimpsest.language.invisible import shown


def report_html(context: Mapping[str, Any]) -> str:
    """The report page as one HTML text."""
    return _environment().get_template("report.html.j2").render(
        {**context, **_assets(), "version": __version__}
    )  # fmt: skip


def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("palimpsest.web", "templates"),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters["visible"] = _visible
    return made


def _visible(text: str) -> str:
    """Control, bidirectional and invisible characters spelled out; line breaks stay."""
    return "\n".join(shown(line) for line in text.split("\n"))


def _assets() -> dict[str, Any]:
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    # Both are files of this package, never a text of a user's.
    return {"style": Markup(style), "script": Markup(script), "policy": policy}  # noqa: S704


def _asset(name: str) -> str:
    return resources.files("palimpsest.web").joinpath("templates", name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
