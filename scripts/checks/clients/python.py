"""langgraph_sdk of Python: join_stream with its defaults, and threads.stream. Run by ../try-clients.mjs."""

import asyncio
import json
import os

from langgraph_sdk import get_client

URL = os.environ["AGENT_SERVER_URL"]


def human(text):
    return {"messages": [{"type": "human", "content": text}]}


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


async def join_stream(client):
    thread = await client.threads.create()
    run = await client.runs.create(thread["thread_id"], "agent", input=human("long 40"))
    events = [part.event async for part in client.runs.join_stream(thread["thread_id"], run["run_id"])]
    expect("values" in events, f"only {events}")


async def stream(client):
    thread = await client.threads.create()
    modes = ["values", "messages-tuple"]
    events = [part.event async for part in client.runs.stream(thread["thread_id"], "agent", input=human("weather"), stream_mode=modes)]
    expect("messages" in events and "values" in events, f"only {events}")


async def messages(client):
    async with client.threads.stream(assistant_id="agent") as thread:
        await thread.run.start(input=human("long 30"))
        # The iterator feeds the messages, so they are read after it.
        found = [message async for message in thread.messages]
        texts = [await message.text for message in found]
        expect(texts == ["".join(f"w{index} " for index in range(30))], f"{texts}")
        state = await thread.output
        expect(len(state["messages"]) == 2, "wrong state")


async def tools(client):
    async with client.threads.stream(assistant_id="agent") as thread:
        await thread.run.start(input=human("weather"))
        calls = [call.name async for call in thread.tool_calls]
        expect(calls == ["weather"], f"{calls}")


async def subgraphs(client):
    async with client.threads.stream(assistant_id="agent") as thread:
        await thread.run.start(input=human("deep"))
        paths = [handle.path async for handle in thread.subgraphs]
        expect(len(paths) == 1 and paths[0][0].startswith("researcher:"), f"{paths}")


async def interrupt(client):
    async with client.threads.stream(assistant_id="agent") as thread:
        await thread.run.start(input=human("ask"))
        for _ in range(500):
            if thread.interrupts:
                break
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.2)
        reply = await thread.run.respond("yes")
        await client.runs.join(thread.thread_id, reply["run_id"])
        state = await client.threads.get_state(thread.thread_id)
        expect(state["values"]["messages"][-1]["content"] == 'Answer: "yes"', "not answered")


async def over_web_socket(client):
    async with client.threads.stream(assistant_id="agent", transport="websocket") as thread:
        await thread.run.start(input=human("long 30"))
        found = [message async for message in thread.messages]
        texts = [await message.text for message in found]
        expect(texts == ["".join(f"w{index} " for index in range(30))], f"{texts}")
        state = await thread.output
        expect(len(state["messages"]) == 2, "wrong state")


async def cancel(client):
    async with client.threads.stream(assistant_id="agent") as thread:
        run = await thread.run.start(input=human("long 2000"))
        await client.runs.cancel(thread.thread_id, run["run_id"], wait=True)
        found = await client.runs.get(thread.thread_id, run["run_id"])
        expect(found["status"] == "interrupted", found["status"])


CHECKS = {
    "runs.stream": stream,
    "runs.joinStream": join_stream,
    "threads.stream: messages, state": messages,
    "threads.stream: tool calls": tools,
    "threads.stream: subgraphs": subgraphs,
    "threads.stream: interrupt, answer": interrupt,
    "threads.stream over a WebSocket: messages, state": over_web_socket,
    "threads.stream: cancel": cancel,
}


async def main():
    client = get_client(url=URL)
    for name, check in CHECKS.items():
        problem = None
        try:
            await asyncio.wait_for(check(client), 20)
        except BaseException as error:
            problem = f"{type(error).__name__} {error}"[:200]
        print(json.dumps({"name": name, "problem": problem}), flush=True)


asyncio.run(main())
