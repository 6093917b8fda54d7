#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Operates a server as an operator does: check-operation.py SIGHTLINE TOKEN_FILE SERVER...

Starts Prometheus with the rules of this repository, Alertmanager, and a receiver of OTLP that reads what it gets with OpenTelemetry's
own protocol classes (opentelemetry-proto from PyPI, which this Python has to have). Then it starts the server by the words
SERVER, has two Chromium participants in a call on it, makes one's network bad, and waits until each of the three has what it is for:
the call's figures, an alert that begins and ends, the metrics and the trace of the call. Every expression of Grafana's dashboards
has had values by then, with the labels that its legend names. At last it ends the server and waits until Prometheus
alerts that it is down. SIGHTLINE is the command that makes tokens, TOKEN_FILE the server's --metrics-token-file; the server listens at 127.0.0.1:8080,
and its settings are those of SETTINGS below. SIGHTLINE_SECRET is its secret.
"""
import base64
import contextlib
import http.server
import json
import math
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from chromium import Browser

ROOT = pathlib.Path(__file__).resolve().parent.parent
URL = "http://127.0.0.1:8080"
PROMETHEUS, ALERTMANAGER, COLLECTOR = "http://127.0.0.1:9090", "http://127.0.0.1:9093", "http://127.0.0.1:4318"
# What the server needs beside what it is installed with.
SETTINGS = {
    "alert-webhook": f"{ALERTMANAGER}/api/v2/alerts", "alert-webhook-shape": "alertmanager", "otlp-endpoint": COLLECTOR,
    "allow-network-emulation": True, "timeouts": {"otlp-export": 2},
}
NOTIFIES_NO_ONE = "global: {}\nroute: {receiver: nobody}\nreceivers: [{name: nobody}]\n"
# The video of the others, with more frames than when it was looked at last.
FRAMES = """(() => {
    const now = [...document.querySelectorAll("video")].filter((one) => one.dataset.own === "false")
        .map((one) => one.getVideoPlaybackQuality().totalVideoFrames);
    const before = globalThis.seen ?? now;
    globalThis.seen = now.length === before.length ? before : now;
    return now.length === 1 && now[0] > before[0] + 20;
})()"""


def wait(what, look, limit=60):
    """What `look` gives, once it gives something."""
    end, problem = time.monotonic() + limit, None
    while time.monotonic() < end:
        try:
            if found := look():
                print(f"  {what}")
                return found
        except (OSError, ValueError, RuntimeError) as error:
            problem = error
        time.sleep(0.3)
    sys.exit(f"FAILED: not within {limit} s: {what}{f' ({problem})' if problem else ''}")


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5) as answer:
        return json.load(answer)


def query(expression):
    """The value of Prometheus' first series; `None` if it has none."""
    result = get(f"{PROMETHEUS}/api/v1/query?{urllib.parse.urlencode({'query': expression})}")["data"]["result"]
    return float(result[0]["value"][1]) if result else None


def panels():
    """What each panel of Grafana's dashboards asks for: its name, the expression, the labels of its legend."""
    for path in sorted((ROOT / "Packaging/grafana").glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel.get("targets", []):
                expression = target["expr"].replace("$job", "sightline").replace("$instance", ".*")
                yield f"{path.stem}: {panel['title']}", expression, re.findall(r"{{\s*(\w+)\s*}}", target.get("legendFormat", ""))


def empty_panels(begin):
    """Those that have had nothing to show since then."""
    for name, expression, labels in panels():
        words = urllib.parse.urlencode(dict(query=expression, start=begin, end=time.time(), step=2))
        series = get(f"{PROMETHEUS}/api/v1/query_range?{words}")["data"]["result"]
        if not any(math.isfinite(float(value)) for one in series for _, value in one["values"]):
            yield f"{name}: no value of {expression}"
        elif missing := [label for label in labels if not any(label in one["metric"] for one in series)]:
            yield f"{name}: no {', '.join(missing)} in {expression}"


def alerts(name):
    """What Alertmanager has that is not over."""
    found = get(f"{ALERTMANAGER}/api/v2/alerts?filter={urllib.parse.quote(f'alertname={json.dumps(name)}')}")
    return [one for one in found if one["status"]["state"] == "active"]


class Receiver(http.server.ThreadingHTTPServer):
    """Takes OTLP over HTTP in its JSON encoding, into OpenTelemetry's own classes: a member that they do not know is refused."""

    def __init__(self):
        from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
        from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

        self.kinds = {
            "/v1/metrics": metrics_service_pb2.ExportMetricsServiceRequest, "/v1/traces": trace_service_pb2.ExportTraceServiceRequest}
        self.metrics, self.spans, self.services, self.problems = set(), {}, set(), []
        super().__init__(("127.0.0.1", 4318), Receiving)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def take(self, path, kind, body):
        from google.protobuf import json_format

        if kind != "application/json":
            raise ValueError(f"its type is {kind}")
        request = json_format.Parse(json.dumps(json.loads(body, object_hook=with_bytes)), self.kinds[path]())
        for one in getattr(request, "resource_metrics", None) or getattr(request, "resource_spans", []):
            self.services |= {pair.value.string_value for pair in one.resource.attributes if pair.key == "service.name"}
        if path == "/v1/metrics":
            self.metrics |= {metric.name for one in request.resource_metrics for scope in one.scope_metrics for metric in scope.metrics}
        else:
            for span in (span for one in request.resource_spans for scope in one.scope_spans for span in scope.spans):
                if len(span.trace_id) != 16 or len(span.span_id) != 8 or span.end_time_unix_nano < span.start_time_unix_nano:
                    raise ValueError(f"not a span: {span}")
                self.spans[span.span_id] = span


def check(receiver):
    if receiver.problems or receiver.services != {"sightline"}:
        sys.exit(f"FAILED: OTLP of {receiver.services or 'no service'}: {receiver.problems[:3]}")


def with_bytes(members):
    """What OTLP writes in hexadecimal digits, as protocol buffers write bytes in JSON."""
    return {key: base64.b64encode(bytes.fromhex(value)).decode() if key in ("traceId", "spanId", "parentSpanId") else value
            for key, value in members.items()}


class Receiving(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            self.server.take(self.path, self.headers["Content-Type"], body)
            status = 200
        except Exception as error:
            self.server.problems.append(f"{self.path}: {error}")
            status = 400
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Operation:
    def __init__(self, sightline, folder, stack):
        self.sightline, self.folder, self.stack = sightline, folder, stack
        application = base64.b64encode(f"calls:{os.environ['SIGHTLINE_SECRET']}".encode()).decode()
        self.application = {"Authorization": f"Basic {application}"}

    def start(self, name, *command):
        log = (self.folder / f"{name}.log").open("w")
        process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log)

        def end():
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    process.kill()

        self.stack.callback(end)
        return process

    def start_watchers(self, token_file):
        rules = ROOT / "Packaging/prometheus"
        text = (rules / "prometheus.yml").read_text().replace("15s", "1s").replace("/etc/prometheus/sightline-token", token_file)
        for name in ("recording.yml", "alerts.yml"):
            text = text.replace(name, str(rules / name))
        (self.folder / "prometheus.yml").write_text(text)
        (self.folder / "alertmanager.yml").write_text(NOTIFIES_NO_ONE)
        self.start("alertmanager", "prometheus-alertmanager", f"--config.file={self.folder}/alertmanager.yml",
                   f"--storage.path={self.folder}/alertmanager", "--web.listen-address=127.0.0.1:9093", "--cluster.listen-address=")
        self.start("prometheus", "prometheus", f"--config.file={self.folder}/prometheus.yml",
                   f"--storage.tsdb.path={self.folder}/prometheus", "--web.listen-address=127.0.0.1:9090")
        wait("Prometheus and Alertmanager are ready", lambda: all(
            urllib.request.urlopen(f"{one}/-/ready", timeout=2).status == 200 for one in (PROMETHEUS, ALERTMANAGER)))

    def token(self, *more):
        command = [*shlex.split(self.sightline), "token", "--url", URL, "--application-id", "calls", "--role", "publisher",
                   "--format", "json", *more]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout)

    def join(self, name, *more):
        made = self.token("--name", name, *more)
        browser = Browser(self.folder / name, URL)
        self.stack.callback(browser.close)
        page = browser.open(f"{URL}/join#token={made['token']}")
        wait(f"{name} has the page", lambda: browser.evaluate(page, "Boolean(document.querySelector('#camera'))"))
        browser.evaluate(page, "document.querySelector('#camera').click()")
        wait(f"{name} is in the call", lambda: browser.evaluate(page, "/^in the session/.test(document.querySelector('#status').innerText)"))
        return made["session"], lambda: browser.evaluate(page, FRAMES), browser, page

    def emulate(self, session, conditions):
        connection = get(f"{URL}/v1/sessions/{session}/networks", **self.application)["networks"][0]["connection"]
        path = f"{URL}/v1/sessions/{session}/connections/{connection}/network"
        if conditions:
            request = urllib.request.Request(path, json.dumps({"conditions": conditions}).encode(), self.application, method="PUT")
        else:
            request = urllib.request.Request(path, None, self.application, method="DELETE")
        urllib.request.urlopen(request, timeout=5).close()

    def run(self, server_command, token_file):
        receiver, begin = Receiver(), time.time()
        self.stack.callback(receiver.shutdown)
        self.start_watchers(token_file)
        server = self.start("server", *server_command)
        wait("the server is ready", lambda: urllib.request.urlopen(f"{URL}/readyz", timeout=2).status == 200)
        # Before anything is counted: what a series begins with is no increase.
        wait("Prometheus watches it", lambda: query("sightline_build_info"))
        session, alice, alice_browser, alice_page = self.join("alice")
        _, bob, bob_browser, bob_page = self.join("bob", "--session", session)
        wait("alice sees bob", alice)
        wait("bob sees alice", bob)
        wait("Prometheus has the call", lambda: query("sightline_connections") == 2 and query("sightline_router_up") == 1)
        self.emulate(session, "up:loss=12;down:loss=12")
        said = wait("Alertmanager has the alert", lambda: alerts("SightlineSustainedIssue"), 90)[0]["annotations"]
        print(f"    {said['summary']}. {said['description']}")
        wait("Prometheus counts the seconds that are impaired, by cause and side", lambda: (
            query('sightline_impaired_seconds_total{cause="packetLoss"}') or 0) > 0)
        self.emulate(session, None)
        wait("Alertmanager hears that it is over", lambda: not alerts("SightlineSustainedIssue"), 90)
        for browser, page in ((alice_browser, alice_page), (bob_browser, bob_page)):
            browser.evaluate(page, "document.querySelector('#leave').click()")
        check(receiver)
        found = []

        def all_have_values():
            found[:] = empty_panels(begin)
            return not found

        try:
            wait(f"all {len(list(panels()))} expressions of Grafana's dashboards have had values", all_have_values)
        except SystemExit as failure:
            sys.exit("\n".join([str(failure), *found]))
        wait("the receiver has the metrics", lambda: {"sightline_connections", "sightline_impaired_seconds_total"} <= receiver.metrics)
        wait("the receiver has the trace of the call, and of each of its two connections", lambda: sorted(
            one.name for one in receiver.spans.values()) == ["call", "connection", "connection"])
        events = {event.name for span in receiver.spans.values() for event in span.events}
        print(f"    events: {', '.join(sorted(events))}")
        if len({span.trace_id for span in receiver.spans.values()}) != 1 or not {
                "sightline.first_media", "sightline.diagnosis", "sightline.alert.began", "sightline.alert.ended"} <= events:
            sys.exit("FAILED: the trace is not the call's")
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
        wait("Prometheus alerts that the server is down, and Alertmanager has it", lambda: alerts("SightlineDown"), 120)
        check(receiver)


def main():
    if sys.argv[1:] == ["--settings"]:
        return print(json.dumps(SETTINGS))
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as stack:
        try:
            Operation(sys.argv[1], pathlib.Path(folder), stack).run(sys.argv[3:], sys.argv[2])
        except BaseException:
            for log in sorted(pathlib.Path(folder).glob("*.log")):
                print(f"-- {log.name}\n" + "\n".join(line[:300] for line in log.read_text().splitlines()[-5:]), file=sys.stderr)
            raise


if __name__ == "__main__":
    main()
