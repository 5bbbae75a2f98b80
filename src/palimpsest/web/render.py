"""Renders page contexts to HTML: one self-contained file, every text escaped.

Invariant: the page may load nothing, run nothing but its own script, and style itself with
nothing but its own sheet (content security policy by hash); texts of users are escaped by
the template engine and their invisible characters are made visible.
"""

from __future__ import annotations

import base64
import gettext
import hashlib
from collections.abc import Mapping
from functools import partial
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from palimpsest import __version__
from palimpsest.language.invisible import shown
from palimpsest.reason_words import MEMORY, TURN
from palimpsest.web.cases_page import CasesPage
from palimpsest.web.marks import MARKS
from palimpsest.web.wording import tables

ENGLISH = gettext.NullTranslations()
_KNOWN = frozenset(tables())


def report_html(context: Mapping[str, Any], words: gettext.NullTranslations = ENGLISH) -> str:
    """The report page as one HTML text."""
    shared = assets("report.css", "report.js")
    return environment(words).get_template("report.html.j2").render({**context, **shared})


def cases_html(page: CasesPage, words: gettext.NullTranslations = ENGLISH) -> str:
    """The page of a case set as one HTML text."""
    shared = assets("report.css", "report.js")
    return (
        environment(words)
        .get_template("cases.html.j2")
        .render({"page": page, "marks": MARKS.values(), **shared})
    )


def environment(words: gettext.NullTranslations = ENGLISH) -> jinja2.Environment:
    """The templates of this package, escaping everything, in the language of ``words``."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("palimpsest.web", "templates"),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )  # fmt: skip
    made.policies["ext.i18n.trimmed"] = True
    # New style: what is put into a translated text is escaped like anything else.
    made.install_gettext_translations(words, newstyle=True)  # type: ignore[attr-defined]
    made.globals["language"] = words.info().get("language", "en")
    made.globals["memory_words"], made.globals["turn_words"] = MEMORY, TURN
    made.filters["visible"] = _visible
    made.filters["moment"] = _moment
    made.filters["word"] = partial(_word, words)
    return made


def _moment(time: str) -> Markup:
    """A stored time to the second, with the whole of it for machines."""
    told = f"{time[:10]} {time[11:19]}"
    return Markup('<time datetime="{}">{}</time>').format(time, told)


def _word(words: gettext.NullTranslations, text: str) -> str:
    """A word of a closed set in the reader's language; any other text as it is."""
    return words.gettext(text) if text in _KNOWN else text


def _visible(text: str) -> str:
    """Control, bidirectional and invisible characters spelled out; line breaks stay."""
    return "\n".join(shown(line) for line in text.split("\n"))


def assets(style_name: str, script_name: str) -> dict[str, Any]:
    """The sheet, the script, the policy that allows nothing else, and our version."""
    style, script = _asset("base.css") + _asset(style_name), _asset(script_name)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'"
    )
    # Both are files of this package, never a text of a user's.
    return {
        "style": Markup(style), "script": Markup(script),  # noqa: S704
        "policy": policy, "version": __version__,
    }  # fmt: skip


def _asset(name: str) -> str:
    return resources.files("palimpsest.web").joinpath("templates", name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
