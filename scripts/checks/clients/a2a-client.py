"""An A2A client that knows only an agent's address. Run by ../try-clients.mjs."""

import asyncio
import json
import os
import uuid

import httpx
from a2a.client import ClientConfig, create_client
from a2a.types import Message, Part, Role, SendMessageRequest

URL = os.environ["AGENT_SERVER_URL"]


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


def request(text):
    return SendMessageRequest(
        message=Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)])
    )


async def responses(streaming, text):
    async with httpx.AsyncClient(timeout=30) as http:
        client = await create_client(f"{URL}/a2a/chat", ClientConfig(streaming=streaming, httpx_client=http))
        return [one async for one in client.send_message(request(text))]


async def send():
    found = await responses(False, "hello there")
    said = found[-1].task.artifacts[0].parts[0].text
    expect(said == "You said: hello there", f"it said {said}")


async def stream():
    kinds = {one.WhichOneof("payload") for one in await responses(True, "one two three")}
    expect({"artifact_update", "status_update"} <= kinds, f"only {kinds}")


async def main():
    for name, check in {"A2A: card, send a message": send, "A2A: stream": stream}.items():
        problem = None
        try:
            await asyncio.wait_for(check(), 30)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps({"name": name, "problem": problem}), flush=True)


asyncio.run(main())
