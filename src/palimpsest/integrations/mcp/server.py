"""The tools as a server of the SDK: calls are checked, run in threads, and answered as data.

Invariant: an error of the project is an answer with its code and words, and any other error is
one sentence; no log says more of it than its kind, since a message may quote a text.
"""

from __future__ import annotations

import json
import logging
from functools import partial
from importlib import metadata
from typing import Any

import anyio
import mcp.types as protocol
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from palimpsest.engine import Memory
from palimpsest.errors import PalimpsestError
from palimpsest.integrations.mcp import arguments
from palimpsest.integrations.mcp.plans import Plans
from palimpsest.integrations.mcp.results import NOTICE
from palimpsest.integrations.mcp.tools import TOOLS, Bound, Tool
from palimpsest.language.invisible import shown
from palimpsest.types import Scope

_LOG = logging.getLogger("palimpsest.mcp")
THREADS = 8
"""Calls that run at once; the store serves one writer at a time."""
INSTRUCTIONS = (
    "The long-term memory of one user. Call recall before you answer what may depend on earlier "
    "conversations. Call remember for what the user says of lasting worth, and correct where it "
    "replaces something. To forget, call plan_forget, show the plan, and call forget only when the "
    f"user agrees. {NOTICE}"
)


def application(memory: Memory, scope: Scope, plans: Plans | None = None) -> Server[Any]:
    """A server of one user's conversation; no call can name another one."""
    bound = Bound(memory=memory, scope=scope, plans=plans or Plans())
    # A name that no store takes is refused here, and not by each tool.
    bound.talk.last_turn()
    # One limiter a server, made inside the event loop that uses it.
    limiters: list[anyio.CapacityLimiter] = []

    async def list_tools(context: object, asked: object) -> protocol.ListToolsResult:
        return protocol.ListToolsResult(tools=[_listed(name, it) for name, it in TOOLS.items()])

    async def call(context: object, asked: protocol.CallToolRequestParams) -> Any:
        tool = TOOLS.get(asked.name)
        if tool is None:
            names = ", ".join(TOOLS)
            raise MCPError(
                code=protocol.INVALID_PARAMS,
                message=f"there is no tool {asked.name!r:.60}; the tools are: {names}",
            )
        if not limiters:
            limiters.append(anyio.CapacityLimiter(THREADS))
        work = partial(answered, bound, asked.name, tool, asked.arguments)
        # A write that has begun is finished, also where the client has gone.
        return await anyio.to_thread.run_sync(work, limiter=limiters[0])

    made: Server[Any] = Server(
        "palimpsest", version=metadata.version("palimpsest-memory"), title="palimpsest",
        instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call,
    )  # fmt: skip
    # What stands there by default hands calls to whatever collects traces in the process.
    made.middleware.clear()
    return made


def _listed(name: str, tool: Tool) -> protocol.Tool:
    return protocol.Tool(
        name=name, title=tool.title, description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.gives.model_json_schema(mode="serialization"),
        annotations=protocol.ToolAnnotations(
            title=tool.title, read_only_hint=tool.reads, destructive_hint=tool.replaces,
            idempotent_hint=tool.reads, open_world_hint=False,
        ),
    )  # fmt: skip


def answered(
    bound: Bound, name: str, tool: Tool, given: dict[str, Any] | None
) -> protocol.CallToolResult:
    """Run a call and answer it, whatever happens."""
    try:
        data = tool.run(bound, arguments.read(tool.takes, name, given)).model_dump(mode="json")
    except PalimpsestError as error:
        return _failed(error.code, shown(str(error)))
    except Exception as error:  # noqa: BLE001
        _LOG.error("%s in the tool %s", type(error).__name__, name)
        return _failed("error", "an error of the program; its kind is in the log of the server")
    return protocol.CallToolResult(content=[_text(data)], structured_content=data)


def _failed(code: str, message: str) -> protocol.CallToolResult:
    data = {"error": {"code": code, "message": message}}
    return protocol.CallToolResult(content=[_text(data)], structured_content=data, is_error=True)


def _text(data: dict[str, Any]) -> protocol.TextContent:
    """The same data for clients that read texts only."""
    return protocol.TextContent(text=json.dumps(data, ensure_ascii=False))
