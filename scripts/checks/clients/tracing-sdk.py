"""langsmith of Python, reading and changing what it logged. Run by ../try-tracing-clients.mjs."""

import json
import logging
import os
import time
import uuid
import warnings

warnings.simplefilter("ignore")

from langsmith import Client, traceable, tracing_context  # noqa: E402

client = Client(api_url=os.environ["TRACES_URL"], api_key=os.environ["TRACES_KEY"])
project = f"python-{uuid.uuid4().hex[:8]}"
logged = []


class Keep(logging.Handler):
    def emit(self, record):
        logged.append(record.getMessage())


logging.getLogger("langsmith").addHandler(Keep(level=logging.WARNING))


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


def until(check):
    end = time.time() + 10
    while time.time() < end:
        if check():
            return
        time.sleep(0.02)
    raise AssertionError("timed out")


def runs(**fields):
    return list(client.list_runs(project_name=project, **fields))


@traceable(run_type="tool")
def inner(n):
    return {"doubled": n * 2}


@traceable
def failing():
    raise ValueError("not today")


@traceable(tags=["one"], metadata={"team": "a"})
def outer(count):
    for n in range(count):
        inner(n)
    try:
        failing()
    except ValueError:
        pass
    return "done"


def root():
    return runs(is_root=True, filter='eq(name, "outer")')[0]


def log():
    with tracing_context(enabled=True, project_name=project, client=client):
        outer(3)
    client.flush()
    until(lambda: client.has_project(project) and len(runs()) == 5)
    expect(root().status == "success", root())


def listing():
    expect(len(runs(run_type="tool")) == 3, "by type")
    expect(len(runs(error=True)) == 1, "by error")
    expect(len(runs(parent_run_id=root().id)) == 4, "by parent")
    expect(len(runs(trace_id=root().trace_id, is_root=False)) == 4, "by trace")
    expect(len(list(client.list_runs(run_ids=[root().id]))) == 1, "by id")
    expect(len(runs(start_time=root().start_time)) == 5, "by start")


def filters():
    text = 'and(eq(metadata_key, "team"), eq(metadata_value, "a"), has(tags, "one"), gte(latency, "0s"))'
    # Child runs have their parent's metadata and tags here.
    expect(len(runs(filter=text)) == 5, "by metadata")
    expect(len(runs(trace_filter='eq(name, "outer")')) == 5, "by trace")
    try:
        runs(filter='eq(colour, "red")')
        raise AssertionError("no error")
    except Exception as error:
        expect("colour is not a field" in str(error), error)


def paging():
    for _ in range(230):
        client.create_run("many", {}, "chain", project_name=f"{project}-many")
    client.flush()
    until(lambda: len(list(client.list_runs(project_name=f"{project}-many", limit=220, select=["id", "name", "start_time", "run_type"]))) == 220)


def read():
    run = client.read_run(root().id, load_child_runs=True)
    expect(len(run.child_runs) == 4, len(run.child_runs))
    expect(run.inputs == {"count": 3} and run.outputs == {"output": "done"}, run)


def update():
    run_id = uuid.uuid4()
    client.create_run("later", {"a": 1}, "llm", id=run_id, project_name=project)
    client.update_run(run_id, outputs={"b": 2})
    client.flush()
    until(lambda: (client.read_run(run_id).outputs or {}).get("b") == 2)


def statistics():
    found = client.read_project(project_name=project, include_stats=True)
    expect(found.run_count == 2 and found.latency_p50.total_seconds() > 0, found)


def projects():
    found = list(client.list_projects(name_contains=project, include_stats=True))
    expect(len(found) == 2, len(found))


def feedback():
    run = root()
    created = client.create_feedback(run.id, "helpful", score=0.5, session_id=run.session_id, trace_id=run.trace_id)
    client.flush()
    def listed():
        return list(client.list_feedback(run_ids=[run.id], feedback_key=["helpful"]))
    until(lambda: len(listed()) == 1)
    client.update_feedback(created.id, score=1, comment="better")
    changed = client.read_feedback(created.id)
    expect(changed.score == 1 and changed.comment == "better", changed)
    found = runs(filter='and(eq(feedback_key, "helpful"), gte(feedback_score, 0.9))')
    expect(len(found) == 1 and found[0].feedback_stats["helpful"]["avg"] == 1, found)
    client.delete_feedback(created.id)
    expect(listed() == [], "not deleted")


def run_stats():
    stats = client.get_run_stats(project_names=[project], run_type="tool")
    expect(stats["run_count"] == 3, stats)


def version_2():
    if not hasattr(client, "runs"):
        return "not in this version"
    import asyncio

    async def ask():
        run = root()
        selects = ["NAME", "RUN_TYPE", "INPUTS", "IS_ROOT"]
        query = getattr(client.runs, "query", None) or client.runs.query_v2
        found = [one async for one in query(project_ids=[str(run.session_id)], selects=selects, page_size=2)]
        expect(len(found) == 6, f"{len(found)} runs")
        expect(any(one.run_type == "TOOL" for one in found), found)
        retrieve = getattr(client.runs, "retrieve", None) or client.runs.retrieve_v2
        one = await retrieve(run_id=str(run.id), project_id=str(run.session_id), selects=["NAME", "OUTPUTS"])
        expect(one.name == "outer" and one.outputs == {"output": "done"}, one)

    asyncio.run(ask())


def share():
    expect(client.run_is_shared(root().id) is False, "a link")
    client.unshare_run(root().id)
    try:
        client.share_run(root().id)
        raise AssertionError("no error")
    except Exception as error:
        expect("no public links" in str(error), error)


def silence():
    found = [line for line in logged if "Backend version" in line or "older than" in line or "Failed" in line]
    expect(found == [], found)


CHECKS = {
    "Log runs": log,
    "List runs by type, error, parent, trace and id": listing,
    "Filter language": filters,
    "Page through 230 runs": paging,
    "Read a run with its child runs": read,
    "Update a run": update,
    "Read a project with statistics": statistics,
    "List projects": projects,
    "Feedback: create, list, update, delete": feedback,
    "Statistics of runs": run_stats,
    "Version 2: query and retrieve": version_2,
    "Share links: refused with a sentence": share,
    "No warning about this server": silence,
}
for name, check in CHECKS.items():
    try:
        problem = check()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"[:400]
    print(json.dumps({"name": name, "problem": problem}), flush=True)
os._exit(0)
