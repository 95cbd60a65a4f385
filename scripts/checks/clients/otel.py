"""OpenTelemetry of Python: its exporter, an instrumentation of OpenAI's client against a model of its own, and
langsmith's span processor. Run by ../try-tracing-clients.mjs."""

import json
import os
import threading
import time
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

URL, KEY = os.environ["TRACES_URL"], os.environ["TRACES_KEY"]

from opentelemetry import trace  # noqa: E402
from opentelemetry.exporter.otlp.proto.http import Compression  # noqa: E402
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor  # noqa: E402


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data=data, headers={"x-api-key": KEY})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def runs_of(project, count):
    end = time.time() + 10
    while time.time() < end:
        found = call(f"/sessions?name={project}")
        if found:
            asked = {"session": [found[0]["id"]], "select": ["inputs", "outputs", "extra", "events"]}
            runs = call("/runs/query", asked)["runs"]
            if len(runs) >= count:
                return runs
        time.sleep(0.05)
    raise AssertionError(f"{project} has no {count} runs")


def provider_of(project, compression=Compression.NoCompression):
    headers = {"x-api-key": KEY, "Langsmith-Project": project}
    exporter = OTLPSpanExporter(endpoint=f"{URL}/otel/v1/traces", headers=headers, compression=compression)
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def spans(compression):
    project = f"python-otel-{uuid.uuid4().hex[:8]}"
    provider = provider_of(project, compression)
    tracer = provider.get_tracer("check")
    try:
        with tracer.start_as_current_span("outer", attributes={"langsmith.span.tags": "a, b"}):
            with tracer.start_as_current_span("inner", attributes={"numbers": [1, 2], "deep": "x"}):
                raise ValueError("not today")
    except ValueError:
        pass
    provider.shutdown()
    runs = runs_of(project, 2)
    by_name = {run["name"]: run for run in runs}
    expect(by_name["inner"]["parent_run_id"] == by_name["outer"]["id"], runs)
    expect(by_name["outer"]["tags"] == ["a", "b"], by_name["outer"])
    expect("ValueError: not today" in by_name["inner"]["error"], by_name["inner"])


class Model(BaseHTTPRequestHandler):
    """Answers as OpenAI's chat completions do."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        has_result = any(message["role"] == "tool" for message in body["messages"])
        called = [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Rome"}'}}]
        message = {"role": "assistant", "content": "It is sunny." if has_result else None}
        if not has_result:
            message["tool_calls"] = called
        answer = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-5-2026",
            "choices": [{"index": 0, "finish_reason": "stop" if has_result else "tool_calls", "message": message}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
        }
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def ask_model():
    from openai import OpenAI

    server = HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How is the weather in Rome?"}]
    first = client.chat.completions.create(model="gpt-5", messages=asked, temperature=0.5)
    call = first.choices[0].message.tool_calls[0]
    asked.append({"role": "assistant", "content": None, "tool_calls": [call.model_dump()]})
    asked.append({"role": "tool", "tool_call_id": call.id, "content": "clear"})
    client.chat.completions.create(model="gpt-5", messages=asked)
    server.shutdown()


def instrumented(instrumentor_of):
    project = f"openai-{uuid.uuid4().hex[:8]}"
    provider = provider_of(project)
    instrumentor = instrumentor_of()
    instrumentor.instrument(tracer_provider=provider)
    try:
        ask_model()
    finally:
        instrumentor.uninstrument()
    provider.shutdown()
    runs = sorted(runs_of(project, 2), key=lambda run: run["start_time"])
    first, second = runs
    expect([run["run_type"] for run in runs] == ["llm", "llm"], runs)
    expect(first["model"] == "gpt-5" and first["provider"] == "openai", first)
    expect((first["prompt_tokens"], first["completion_tokens"]) == (9, 2), first)
    expect("weather in Rome" in (first["inputs_preview"] or ""), first["inputs"])
    expect('"weather"' in json.dumps(first["outputs"]) and "Rome" in json.dumps(first["outputs"]), first["outputs"])
    expect(second["outputs_preview"] == "It is sunny.", second["outputs"])
    expect(second["inputs"]["messages"][-1]["role"] == "tool", second["inputs"])


def openllmetry():
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    instrumented(OpenAIInstrumentor)


def langsmith_processor():
    from langsmith.integrations.otel.processor import OtelSpanProcessor

    project = f"processor-{uuid.uuid4().hex[:8]}"
    processor = OtelSpanProcessor(api_key=KEY, project=project, url=URL, SpanProcessor=SimpleSpanProcessor)
    processor.set_metadata({"thread_id": "t1"})
    provider = TracerProvider()
    provider.add_span_processor(processor)
    provider.get_tracer("check").start_span("step").end()
    provider.shutdown()
    (run,) = runs_of(project, 1)
    expect(run["thread_id"] == "t1", run)


CHECKS = {
    "Spans as protobuf, with an exception": lambda: spans(Compression.NoCompression),
    "Spans as protobuf, compressed": lambda: spans(Compression.Gzip),
    "OpenAI instrumentation of OpenLLMetry": openllmetry,
    "The SDK’s own span processor": langsmith_processor,
}
for name, check in CHECKS.items():
    try:
        problem = check()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"[:400]
    print(json.dumps({"name": name, "problem": problem}, ensure_ascii=False), flush=True)
os._exit(0)
