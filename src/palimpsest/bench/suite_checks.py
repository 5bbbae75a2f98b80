"""What the texts of a suite must hold, so that no typo makes a checkpoint impossible.

Turn numbers count 1, 2, 3 ... without gaps: the lines of a request cite them
(``turn-12``), so a mapped number would print another turn than the file has. A required
fact must have been said by the user or by a tool, whose words are the ones that can be
quoted; a replaced or forgotten fact leaks whoever said it, so the assistant's words
count there too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from palimpsest.bench.suite import Checkpoint, Suite, SuiteTurn
from palimpsest.errors import InputError
from palimpsest.types import Role

_QUOTABLE: tuple[Role, ...] = ("user", "tool")
_ANYONE: tuple[Role, ...] = ("user", "tool", "assistant")


def check(suite: Suite) -> None:
    """Refuse a suite that cannot be graded fairly; raises InputError with the path."""
    _check_order(suite)
    _check_labels(suite.turns)
    for i, point in enumerate(suite.checkpoints):
        _check_lists(point, f"checkpoints[{i}]")
        _check_said(point, suite.turns, f"checkpoints[{i}]")
        _check_framed(suite, point, f"checkpoints[{i}]")


def _check_order(suite: Suite) -> None:
    for i, turn in enumerate(suite.turns):
        if turn.number != i + 1:
            raise InputError(f"turns[{i}].turn: {_misplaced(turn.number, i)}")
    before = 0
    for i, point in enumerate(suite.checkpoints):
        if point.after > len(suite.turns):
            raise InputError(
                f"checkpoints[{i}].after: {point.after}, but the last turn is {len(suite.turns)}"
            )
        if point.after <= before:
            what = "stands twice" if point.after == before else f"comes after {before}"
            raise InputError(
                f"checkpoints[{i}].after: {point.after} {what}; checkpoints go from early to late"
            )
        before = point.after


def _misplaced(number: int, place: int) -> str:
    if number == place:
        return f"{number} stands twice"
    if number < place:
        return f"{number} comes after {place}; turns go from first to last"
    return (
        f"{number} leaves a gap, {place + 1} is next; number the turns 1, 2, 3 ... "
        "because the lines of a request cite them"
    )


def _check_labels(turns: Iterable[SuiteTurn]) -> None:
    stated: dict[str, bool] = {}
    said = ""
    for i, item in enumerate(turns):
        label, path = item.label, f"turns[{i}].memory"
        words = "\n".join(_words([item], _QUOTABLE))
        said += "\n".join(_words([item], _ANYONE)) + "\n"
        if label is None:
            continue
        if label.op != "remember" and not stated.get(label.attribute):
            why = "was already forgotten" if label.attribute in stated else "no turn before stated"
            known = ", ".join(name for name, live in stated.items() if live) or "none"
            raise InputError(
                f"{path}: turn {item.number} is labelled {label.op} of {label.attribute!r}, which "
                f"{why}; stated so far: {known}"
            )
        if label.value is not None and label.value not in (said if label.op == "forget" else words):
            where = "up to this turn" if label.op == "forget" else f"in turn {item.number}"
            raise InputError(f"{path}.value: {label.value!r} is not said {where}")
        stated[label.attribute] = label.op != "forget"


def _check_lists(point: Checkpoint, path: str) -> None:
    listed: dict[str, str] = {}
    for kind in ("required", "stale", "deleted"):
        for i, fact in enumerate(getattr(point, kind)):
            if not fact.strip():
                raise InputError(f"{path}.{kind}[{i}]: a blank text stands in every request")
            if fact in listed:
                raise InputError(f"{path}.{kind}[{i}]: {fact!r} is already in {listed[fact]}")
            listed[fact] = f"{kind}[{i}]"
    for kind in ("stale", "deleted"):
        for i, fact in enumerate(getattr(point, kind)):
            inside = next((other for other in point.required if fact in other), None)
            if inside is not None:
                raise InputError(
                    f"{path}.{kind}[{i}]: {fact!r} stands inside the required {inside!r}, so no "
                    "request could pass; list it with the words that follow or precede it"
                )


def _check_said(point: Checkpoint, turns: tuple[SuiteTurn, ...], path: str) -> None:
    before = turns[: point.after]
    for kind in ("required", "stale", "deleted"):
        roles = _QUOTABLE if kind == "required" else _ANYONE
        texts = list(_words(before, roles))
        for i, fact in enumerate(getattr(point, kind)):
            if not any(fact in text for text in texts):
                raise InputError(f"{path}.{kind}[{i}]: {_unsaid(fact, point.after, turns, kind)}")


def _check_framed(suite: Suite, point: Checkpoint, path: str) -> None:
    """A fact in the instructions or the question stands in every request, found or leaked."""
    framing = (("the instructions", suite.instructions), ("the question", point.question))
    for kind in ("required", "stale", "deleted"):
        for i, fact in enumerate(getattr(point, kind)):
            for what, text in framing:
                if text is not None and fact in text:
                    raise InputError(
                        f"{path}.{kind}[{i}]: {fact!r} stands in {what}, so it is in every request "
                        "whatever a strategy does; list other words, or ask without it"
                    )


def _unsaid(fact: str, after: int, turns: tuple[SuiteTurn, ...], kind: str) -> str:
    late = next((t.number for t in turns[after:] if _said(fact, t)), None)
    if late is not None:
        return f"{fact!r} is first said at turn {late}, after the checkpoint at turn {after}"
    if kind == "required" and any(_said(fact, turn) for turn in turns[:after]):
        return f"{fact!r} is said by the assistant only; list words of the user or of a tool"
    return f"{fact!r} is not said in turns 1 to {after}; list the exact words of a turn"


def _said(fact: str, turn: SuiteTurn) -> bool:
    return any(fact in text for text in _words([turn], _ANYONE))


def _words(turns: Iterable[SuiteTurn], roles: tuple[Role, ...]) -> Iterator[str]:
    for item in turns:
        for message in item.turn.messages:
            if message.role in roles:
                yield from message.texts()
