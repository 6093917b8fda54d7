#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Holds the HTTP API's description against a real server: api-check.py BINARY [EXAMPLES [SEED]].

Starts a server with a store, makes a call on it, and has schemathesis (installed into .build/api-check if it is not there)
send up to EXAMPLES (50) random requests to each operation of openapi.json beside those that cover its parameters, in order
and not. No answer may be a 5xx; each has a status, a content type, headers and a body as described, and a method that a
path does not take is refused with 405 and Allow. The stream of /v1/live, which does not end, is opened by this script.
Everything stays on the loopback interface.
"""
import base64
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
DESCRIPTION = ROOT / "Sources/Server/SessionServer/API/openapi.json"
TOOLS = ROOT / ".build/api-check"
SCHEMATHESIS = "schemathesis==4.32.5"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance," \
    "response_schema_conformance,unsupported_method"


def install():
    """schemathesis in an environment of its own."""
    python = TOOLS / "bin/python"
    if not (TOOLS / "bin/schemathesis").exists():
        subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", SCHEMATHESIS], check=True)
    return TOOLS / "bin/schemathesis"


def wait(server, log):
    """The server's address, once it is ready."""
    for _ in range(300):
        if server.poll() is not None:
            break
        if match := re.search(r"http://127\.0\.0\.1:\d+", log.read_text()):
            try:
                urllib.request.urlopen(f"{match[0]}/readyz", timeout=5).close()
                return match[0]
            except OSError:
                pass
        time.sleep(0.1)
    raise SystemExit(f"the server did not get ready:\n{log.read_text()[-2000:]}")


def call(binary, url, environment):
    """A call of a few seconds: its session, and a client that stays in it."""
    def run(*arguments):
        done = subprocess.run([binary, *arguments], env=environment, check=True, capture_output=True, text=True, timeout=60)
        return done.stdout.strip()

    made = json.loads(run("token", "--url", url, "--role", "publisher", "--format", "json"))
    socket = url.replace("http", "ws")
    publisher = subprocess.Popen([binary, "publish", "--url", socket, "--token", made["token"], "--duration", "8"],
                                 env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subscriber = run("token", "--url", url, "--role", "subscriber", "--session", made["session"])
    run("subscribe", "--url", socket, "--token", subscriber, "--duration", "6", "--format", "json")
    publisher.wait(timeout=60)
    # Whose network can be emulated as long as the check lasts.
    guest = subprocess.Popen([binary, "subscribe", "--url", socket, "--token", subscriber], env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return made["session"], guest


def connection(url, basic, session):
    """The connection of the guest, once it is there."""
    request = urllib.request.Request(f"{url}/v1/sessions/{session}/networks", headers={"Authorization": f"Basic {basic}"})
    for _ in range(100):
        with urllib.request.urlopen(request, timeout=10) as answer:
            if networks := json.load(answer)["networks"]:
                return networks[0]["connection"]
        time.sleep(0.1)
    raise SystemExit("the guest has not joined")


def live(url, basic):
    """What the stream that does not end begins with."""
    request = urllib.request.Request(f"{url}/v1/live", headers={"Authorization": f"Basic {basic}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        kind, first = answer.headers["Content-Type"], answer.readline()
    if not kind.startswith("text/event-stream") or not first.startswith(b"retry: "):
        raise SystemExit(f"/v1/live is not as described: {kind}, {first!r}")


def main():
    if not 2 <= len(sys.argv) <= 4:
        raise SystemExit(__doc__)
    binary, examples = str(pathlib.Path(sys.argv[1]).resolve()), (sys.argv + ["50"])[2]
    seed = sys.argv[3] if len(sys.argv) > 3 else str(secrets.randbelow(1 << 31))
    schemathesis = install()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        log = folder / "server.log"
        secret = secrets.token_hex(24)
        environment = {**os.environ, "SIGHTLINE_SECRET": secret}
        with log.open("w") as output:
            server = subprocess.Popen([binary, "serve", "--port", "0", "--loopback-only", "--allow-network-emulation",
                                       # Of sessions that may return after a restart it says 503, and random names look like them.
                                       "--timeout", "restoration=0",
                                       "--store", folder / "calls.sqlite"],
                                      env=environment, stdout=output, stderr=output)
        guest = None
        try:
            url = wait(server, log)
            session, guest = call(binary, url, environment)
            token = lambda *more: subprocess.run([binary, "api-token", *more], env=environment, check=True,
                                                 capture_output=True, text=True).stdout.strip()
            basic = base64.b64encode(f"sightline:{secret}".encode()).decode()
            live(url, basic)
            environment |= {
                "SCHEMATHESIS_HOOKS": str(ROOT / "Scripts/api_check_hooks.py"), "API_SESSION": session,
                "API_CONNECTION": connection(url, basic, session),
                "API_TOKEN_COMMAND": f"{binary} api-token",
                "API_APPLICATION": f"Basic {basic}",
                "API_TOKEN": "Bearer " + token("--scopes", "read", "--scopes", "names", "--scopes", "reports", "--scopes", "delete",
                                               "--scopes", "metrics", "--scopes", "tokens", "--scopes", "emulate"),
                "API_OBSERVER": "Bearer " + token("--scopes", "observe", "--call", "call", "--participant", "someone"),
            }
            done = subprocess.run(
                [schemathesis, "run", DESCRIPTION, "--url", url, "--checks", CHECKS, "--phases", "examples,coverage,fuzzing",
                 "--mode", "all", "--generation-with-security-parameters", "false", "--max-examples", examples,
                 "--seed", seed, "--continue-on-failure", "--request-timeout", "20", "--exclude-operation-id", "watchLive", "--no-color"], env=environment, cwd=folder)
            urllib.request.urlopen(f"{url}/livez", timeout=5).close()
            text = log.read_text()
        finally:
            if guest:
                guest.kill()
                guest.wait()
            server.send_signal(signal.SIGINT)
            server.wait(timeout=30)
    failed = [line for line in text.splitlines() if "request failed" in line]
    for line in failed[:10]:
        print(f"api-check: the server says: {line}", file=sys.stderr)
    if done.returncode or failed:
        raise SystemExit(f"api-check: server and description differ; SEED={seed} sends the same requests again")


main()
