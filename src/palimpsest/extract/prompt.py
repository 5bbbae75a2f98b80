"""The call of a reflection: a versioned wording around the exchange, as quoted data.

Invariant: what users and models wrote is escaped and stands in the user message only; the
call is a pure function of what is seen, and its bytes bound its tokens.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

from palimpsest import messages
from palimpsest.errors import SpecError
from palimpsest.proposals import Seen
from palimpsest.types import Message, Turn

VERSIONS = ("reflection-v1", "reflection-v2", "reflection-v3")
"""The last one is the default; the others are for recordings that were made under them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One version of the wording."""

    version: str
    system: str
    user: str
    strict: bool
    """Whether a confidence outside its range refuses a whole reply."""


@functools.cache
def wording(version: str) -> Wording:
    """A version by its name; raises SpecError with those that there are."""
    if version not in VERSIONS:
        raise SpecError(f"prompt={version!r} is no version; known: {', '.join(VERSIONS)}")
    place = resources.files("palimpsest.extract") / "prompts" / f"{version}.toml"
    data = tomllib.loads(place.read_text(encoding="utf-8"))
    return Wording(
        version=data["version"],
        system=data["system"].strip(),
        user=data["user"].strip(),
        strict=data["strict"],
    )


def call_messages(
    seen: Seen, words: Wording, *, memories: int, before: int, state: Sequence[str] = ()
) -> tuple[Message, ...]:
    """The messages of a reflection with the newest of the memories and the turns before.

    ``state`` are the lines that name the state fields; a wording that has no place for a part
    leaves it out.
    """
    known = seen.memories[max(0, len(seen.memories) - memories) :] if memories else ()
    earlier = seen.before[max(0, len(seen.before) - before) :] if before else ()
    text = words.user.format(
        memories=_listed((m.id, m.text) for m in known),
        summary=escaped(seen.story.summary) or "(none)",
        anchors=_listed((a.id, a.text) for a in seen.story.anchors),
        positions="\n".join(f"- {escaped(p.subject)}" for p in seen.story.positions) or "(none)",
        state="\n".join(f"- {escaped(line)}" for line in state) or "(none)",
        before=_told(earlier),
        user=escaped(_unread(seen)),
        assistant=escaped(seen.turn.assistant),
    )
    return (
        messages.text_message("system", words.system, "system"),
        messages.text_message("user", text, "user"),
    )


def bound(sent: Sequence[Message]) -> int:
    """More tokens than the messages can take: a token is at least one byte."""
    return sum(len("".join(message.texts()).encode()) + 32 for message in sent) + 64


def escaped(text: str) -> str:
    """Text that closes no tag and opens none."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").strip()


def _unread(seen: Seen) -> str:
    """The user's words that were not read before."""
    unread = seen.turn.messages[seen.unread :]
    return "\n".join(t for m in unread if m.role == "user" for t in m.texts())


def _told(turns: Sequence[Turn]) -> str:
    lines = [f"User: {escaped(t.user)}\nAssistant: {escaped(t.assistant)}" for t in turns]
    return "\n".join(lines) or "(none)"


def _listed(items: Iterable[tuple[int, str]]) -> str:
    lines = [f"{id}. {escaped(text)}" for id, text in items]
    return "\n".join(lines) or "(none)"
