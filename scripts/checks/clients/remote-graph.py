"""RemoteGraph of langgraph for Python: a graph of the server, used like one of the program. Run by ../try-clients.mjs."""

import json
import os
import time

from langgraph.errors import GraphInterrupt
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk import get_sync_client

URL = os.environ["AGENT_SERVER_URL"]
CLIENT = get_sync_client(url=URL)


def human(text):
    return {"messages": [{"role": "user", "content": text}]}


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


def new_thread():
    return {"configurable": {"thread_id": CLIENT.threads.create()["thread_id"]}}


def invoke():
    found = RemoteGraph("agent", url=URL).invoke(human("hello"))
    expect(found["messages"][-1]["content"] == "You said: hello", f"{found}")


def stream():
    parts = RemoteGraph("agent", url=URL).stream(human("deep"), new_thread(), stream_mode=["values", "updates", "messages"])
    modes = {part.event for part in parts}
    expect(modes >= {"values", "updates", "messages"}, f"only {modes}")


def asked():
    graph = RemoteGraph("approval", url=URL)
    config = new_thread()
    try:
        graph.invoke({"topic": "tea"}, config)
    except GraphInterrupt:
        pass
    # It raises before the run has ended.
    while CLIENT.threads.get(config["configurable"]["thread_id"])["status"] == "busy":
        time.sleep(0.02)
    return graph, config


def interrupt():
    graph, config = asked()
    tasks = graph.get_state(config).tasks
    expect(any(task.interrupts and task.interrupts[0].value["question"] == "Send it?" for task in tasks), f"{tasks}")
    found = graph.invoke(Command(resume="yes"), config)
    expect(found["draft"] == "About tea (yes)", f"{found}")


def state():
    graph, config = asked()
    graph.update_state(config, {"draft": "mine"}, as_node="write")
    expect(graph.get_state(config).values["draft"] == "mine", "the state was not updated")
    expect(len(list(graph.get_state_history(config))) > 0, "no history")
    expect("review" in graph.get_graph().nodes, "no drawing")


CHECKS = {
    "RemoteGraph: invoke": invoke,
    "RemoteGraph: stream": stream,
    "RemoteGraph: interrupt, new Command({ resume })": interrupt,
    "RemoteGraph: state, history, drawing": state,
}

for name, check in CHECKS.items():
    problem = None
    try:
        check()
    except BaseException as error:
        problem = f"{type(error).__name__} {error}"[:200]
    print(json.dumps({"name": name, "problem": problem}), flush=True)
