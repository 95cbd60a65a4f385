"""What the vendor's deploy tool does with a folder, unmodified: deploy, deploy again, read logs, list, delete."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.request

place = pathlib.Path("project")
tool = pathlib.Path(sys.executable).with_name("langgraph")

GRAPH = """import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
const State = Annotation.Root({ text: Annotation() })
export const graph = new StateGraph(State)
  .addNode('shout', ({ text }) => ({ text: `${String(text).toUpperCase()}%s` }))
  .addEdge(START, 'shout')
  .addEdge('shout', END)
  .compile()
"""


def write(mark):
    place.mkdir(exist_ok=True)
    (place / "graph.mjs").write_text(GRAPH % mark)
    (place / "langgraph.json").write_text(json.dumps({"node_version": "20", "graphs": {"shout": "./graph.mjs:graph"}}))
    packages = {"@langchain/langgraph": "^1.0.0", "@langchain/core": "^1.0.0"}
    (place / "package.json").write_text(json.dumps({"name": "shout", "type": "module", "dependencies": packages}))


def call(*words):
    done = subprocess.run(
        [tool.resolve(), "deploy", *words], cwd=place, capture_output=True, text=True, timeout=150, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {(done.stdout + done.stderr)[-600:]}")
    return done.stdout + done.stderr


def ask(method, address, body=None):
    request = urllib.request.Request(
        address,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"x-api-key": os.environ["LANGGRAPH_HOST_API_KEY"], "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def run():
    found = ask("GET", f"{os.environ['LANGGRAPH_HOST_URL']}/v2/deployments?name_contains=shout")["resources"][0]
    url = found["source_config"]["custom_url"]
    return ask("POST", f"{url}/runs/wait", {"assistant_id": "shout", "input": {"text": "hi"}})["text"]


def deploys():
    write("!")
    call("--remote", "--no-input", "--name", "shout")
    assert run() == "HI!", run()


def deploys_again():
    write("?")
    call("--remote", "--no-input", "--name", "shout")
    assert run() == "HI?", run()


def reads_build_log():
    text = call("logs", "--name", "shout", "--type", "build")
    assert "Unpacked 3 files of the uploaded source." in text, text


def reads_server_log():
    text = call("logs", "--name", "shout")
    assert "agent server" in text, text


def lists():
    assert "shout" in call("list")


def lists_revisions():
    text = call("revisions", "list", identity())
    assert len(text.strip().splitlines()) >= 2, text


def identity():
    return json.loads(call("list", "--json"))[0]["id"]


def deletes():
    call("delete", identity(), "--force")


for name, check in {
    "deploy a folder": deploys,
    "deploy it again": deploys_again,
    "read the build log": reads_build_log,
    "read the server's log": reads_server_log,
    "list": lists,
    "list revisions": lists_revisions,
    "delete": deletes,
}.items():
    try:
        check()
        problem = None
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"[:700]
    print(json.dumps({"name": name, "problem": problem}), flush=True)
