"""Lets processes work on one store at once, and looks at all that it holds afterwards."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from palimpsest import Memory
from palimpsest.conversation import Conversation
from tests.support.forget_kills import indexed

ROOT = Path(__file__).resolve().parents[2]
_VALUE = re.compile(r"QX-\d+-canary")


def work(path: Path, processes: int, operations: int) -> list[list[object]]:
    """What the processes were told, each in its order; none of them may have failed."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.at_work", str(path), str(name), str(processes),
             str(operations)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for name in range(processes)
    ]  # fmt: skip
    told = [process.communicate() for process in started]
    met = "\n".join(errors[-2000:] for _, errors in told)
    assert [0] * processes == [process.returncode for process in started], met
    assert not met.strip()
    return [json.loads(line) for lines, _ in told for line in lines.splitlines()]


def check(path: Path, told: list[list[object]]) -> Counter[str]:
    """Nothing that was acknowledged is lost, nothing that was forgotten is anywhere."""
    said: dict[str, list[str]] = {}
    for what, *rest in told:
        if what == "said":
            said.setdefault(str(rest[0]), []).append(str(rest[1]))
    forgot = [str(rest[0]) for what, *rest in told if what == "forgot"]
    with Memory.open(path) as memory:
        talk = memory.conversation(user="ana", id="trip")
        records = [record.attribute for record in talk.deletions()]
        assert sorted(forgot) == sorted(name for name in records if name in said)
        assert len(forgot) == len(set(forgot))
        _turns(talk, {int(str(r[0])): str(r[1]) for what, *r in told if what == "turn"},
               {_value(text) for name in forgot for text in said[name]})  # fmt: skip
        for name in said.keys() - set(forgot):
            assert said[name] == [row.text for row in talk.history(name)], name
            assert said[name][-1:] == [row.text for row in talk.current(name)], name
        held = repr((talk.visible(), talk.verdicts(), talk.story(), talk.turns()))
    indexed(path)
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    for gone in (_value(text) for name in forgot for text in said[name]):
        assert gone not in held
        assert gone.encode() not in stored
    return Counter(str(what) for what, *_ in told)


def _turns(talk: Conversation, told: dict[int, str], gone: set[str]) -> None:
    turns = {turn.number: turn.user for turn in talk.turns()}
    assert sorted(told) == list(turns) == list(range(1, len(told) + 1))
    for number, text in told.items():
        if _value(text) not in gone:
            assert text == turns[number]


def _value(text: str) -> str:
    found = _VALUE.search(text)
    assert found is not None, text
    return found[0]


__all__ = ["check", "work"]
