"""With one user's canary in the store, no tool of another user's MCP server returns it.

Every tool is called with ids, attributes, words and tokens that would fit, in any order; what
it answers, what its errors say and what the log holds is searched.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Memory
from palimpsest.integrations.mcp.server import application
from palimpsest.integrations.mcp.tools import TOOLS
from palimpsest.types import Scope
from tests.property.test_isolation import CANARY, COUNTER, filled, names
from tests.support.mcp_clients import Session, over

SAID = re.compile(r"(?i)QX77|ZZ99|\dcanary")
CALLS: dict[str, list[dict[str, Any]]] = {
    "remember": [{"text": "I like milk.", "attribute": "code"}],
    "recall": [{"query": "What is my code?", "limit": 50}, {"query": CANARY[:4]}],
    "memories": [{}, {"before": 99}, {"kind": "fact"}],
    "correct": [{"id": 1, "text": "It is 1."}, {"attribute": "code", "text": "It is 1."},
                {"description": "my code", "text": "It is 1."}],
    "plan_forget": [{"id": 1}, {"attribute": "code"}, {"description": "everything about my code"},
                    {"value": "QX"}],
    "forget": [{"token": "TOKEN"}, {"token": "1"}],
    "why": [{}, {"id": 1}, {"about": "code"}, {"about": "My old code"}, {"request": "REQUEST"},
            {"request": "1"}],
    "observe": [{"user": "What is my code?", "assistant": "Who knows."}],
}  # fmt: skip


def test_every_tool_is_called() -> None:
    """A tool that comes later has to be added here."""
    assert set(TOOLS) == set(CALLS)


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(
        st.tuples(names.filter(lambda name: name not in ("a", "")), st.just("c")),
        # Nor does another conversation of the same user see what is not global.
        st.just(("a", "other")),
    ),
    st.permutations(sorted(CALLS)),
)  # fmt: skip
def test_no_tool_of_another_scope_returns_the_canary(
    caplog: pytest.LogCaptureFixture, scope: tuple[str, str], order: list[str]
) -> None:
    """Not in an answer, an error or the log; and user ``a`` keeps everything."""
    caplog.clear()
    caplog.set_level(logging.DEBUG)
    user, conversation = scope
    with Memory.open(":memory:", counter=COUNTER) as memory:
        filled(memory)
        mine = memory.conversation(user="a", id="c")
        before = (mine.turns(), mine.visible(), mine.verdicts(), mine.story(), mine.deletions())
        (request, *_) = mine.requests()
        server = application(memory, Scope(user=user, conversation=conversation))
        token = "none"

        async def ask(client: Session) -> None:
            nonlocal token
            for name in order:
                for call in CALLS[name]:
                    put = {"TOKEN": token, "REQUEST": request.id}
                    asked = {k: put.get(v, v) if isinstance(v, str) else v for k, v in call.items()}
                    found = await client.client.call_tool(name, asked)
                    assert not SAID.search(str(found)), (name, call)
                    token = (found.structured_content or {}).get("token") or token

        over(server, ask)
        assert not SAID.search(caplog.text)
        after = (mine.turns(), mine.visible(), mine.verdicts(), mine.story(), mine.deletions())
        assert before == after
