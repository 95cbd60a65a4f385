"""An MCP client that knows only the server's address. Run by ../try-clients.mjs."""

import asyncio
import json
import os

from mcp.client.client import Client

URL = os.environ["AGENT_SERVER_URL"] + "/mcp"


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


async def tools(client):
    found = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    expect("until" in found["counter"]["properties"], f"the counter's input is {found['counter']}")


async def call(client):
    said = await client.call_tool("chat", {"messages": [{"role": "user", "content": "hello there"}]})
    expect(said.content[0].text == "You said: hello there", f"it said {said.content}")
    counted = await client.call_tool("counter", {"until": 2})
    expect(counted.structured_content["count"] == 2, f"the state is {counted.structured_content}")


async def progress(client):
    seen = []

    async def on_progress(value, _total, _message):
        seen.append(value)

    await client.call_tool("counter", {"until": 3, "delay": 20}, progress_callback=on_progress)
    expect(seen == [1, 2, 3], f"progress was {seen}")


async def failures(client):
    failed = await client.call_tool("failing", {})
    expect(failed.is_error and "It was not to be." in failed.content[0].text, f"it said {failed.content}")
    wrong = await client.call_tool("counter", {"until": "many"})
    expect(wrong.is_error and "until" in wrong.content[0].text, f"wrong arguments: {wrong.content}")


CHECKS = {
    "MCP: connect, list tools": tools,
    "MCP: call a tool": call,
    "MCP: progress": progress,
    "MCP: failures as results": failures,
}


async def main():
    for name, check in CHECKS.items():
        problem = None
        try:
            async with Client(URL) as client:
                await asyncio.wait_for(check(client), 30)
        except BaseException as error:  # groups of exceptions too
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps({"name": name, "problem": problem}), flush=True)


asyncio.run(main())
