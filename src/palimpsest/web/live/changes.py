"""The table of the changes: what each form asks the core to do, and where it leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from palimpsest.engine import Memory
from palimpsest.errors import InputError
from palimpsest.web.live import contexts, writing
from palimpsest.web.live.pages import number, talk

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a change answers with where there is nothing to go on to: a page of its own."""

    template: str
    page: object


Change = Callable[[Memory, Fields], str | Shown]
"""Does what a form asks; returns the path to go on to, or a page."""


def link(path: str, **query: object) -> str:
    """A path with what of a query is there."""
    kept = {key: value for key, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept)}" if kept else path


def _pin(memory: Memory, fields: Fields) -> str:
    id = number(fields, "id")
    talk(memory, fields).pin(id, pinned=fields.get("pinned") == "yes")
    return _back("/memory", fields, id=id)


def _correct(memory: Memory, fields: Fields) -> str:
    made = talk(memory, fields).correct(fields.get("text", ""), id=number(fields, "id"))
    return _back("/memory", fields, id=made.id)


def _forget(memory: Memory, fields: Fields) -> Shown:
    here, verdict = talk(memory, fields), _named(fields, "verdict")
    if verdict is not None and writing.unsettled(here, verdict).rule not in writing.FORGETS:
        raise InputError(f"verdict {verdict} asks for no forget; choose what it corrects")
    made = contexts.forget(memory, here, number(fields, "id"), verdict=verdict)
    return Shown(template="receipt", page=made)


def _audit(memory: Memory, fields: Fields) -> Shown:
    """The value comes in the body of a form: an address would be kept in a history."""
    found = memory.audit(fields.get("value", ""))
    return Shown(template="audit", page=contexts.Audited(audit=found))


def _undo(memory: Memory, fields: Fields) -> str:
    talk(memory, fields).undo(number(fields, "id"))
    return _back("/verdicts", fields)


def _settle(memory: Memory, fields: Fields) -> str:
    here, id = talk(memory, fields), number(fields, "id")
    answer = fields.get("answer", "")
    if answer == "accept":
        here.accept(id, memory=_named(fields, "memory"))
    elif answer == "dismiss":
        here.dismiss(id)
    else:
        raise InputError(f"answer: {answer!r} is neither 'accept' nor 'dismiss'")
    return _back("/verdicts", fields)


def _named(fields: Fields, name: str) -> int | None:
    return number(fields, name) if fields.get(name) else None


def _back(path: str, fields: Fields, **more: object) -> str:
    return link(path, user=fields["user"], conversation=fields["conversation"], **more)


CHANGES: Mapping[str, Change] = {
    "/memory/pin": _pin,
    "/memory/correct": _correct,
    "/memory/forget": _forget,
    "/audit": _audit,
    "/verdicts/undo": _undo,
    "/verdicts/settle": _settle,
}
