"""The graphs that the servers under test serve; agents.ts has the same ones."""

import asyncio
import json

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(MessagesState, total=False):
    plan: str


class Context(TypedDict, total=False):
    persona: str


def last_text(state: State) -> str:
    return str(state["messages"][-1].content)


def think(state: State) -> dict:
    return {"plan": f'answer "{last_text(state)}"'}


async def reply(state: State, runtime: Runtime[Context]) -> dict:
    persona = (runtime.context or {}).get("persona") or "echo"
    text = last_text(state)
    model = FakeListChatModel(
        responses=[f"The {persona} heard: {text} ({len(state['messages'])})"],
        sleep=0.4 if "slowly" in text else 0.005,
    )
    parts = [part async for part in model.astream(state["messages"])]
    await asyncio.sleep(0)
    return {"messages": [AIMessage("".join(str(part.content) for part in parts), id=parts[0].id)]}


def review(_state: State) -> dict:
    answer = interrupt("Shall it be sent?")
    said = answer if isinstance(answer, str) else json.dumps(answer)
    return {"messages": [AIMessage(f"The answer was: {said}")]}


def fail(_state: State) -> dict:
    raise ValueError("The harbour is closed.")


planner = StateGraph(State).add_node("think", think).add_edge(START, "think").compile()

chat = (
    StateGraph(State, context_schema=Context)
    .add_node("planner", planner)
    .add_node("reply", reply)
    .add_edge(START, "planner")
    .add_edge("planner", "reply")
    .compile()
)
approval = StateGraph(State).add_node("review", review).add_edge(START, "review").compile()
failing = StateGraph(State).add_node("fail", fail).add_edge(START, "fail").compile()
