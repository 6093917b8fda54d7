#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""One pre-call test in a headless Chromium, on a network that the media router emulates.

    python3 Lab/PreCallBrowser/run.py --program .build/debug/sightline [--conditions 'up:rate=150'] [--token nonsense]

Starts a server, a page of another origin and the browser, and prints what the page's testNetwork said: one line of
JSON with "report" or "failure", and "seconds". `sightline-lab precall --on browser` runs its table by this.
"""

import argparse
import base64
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlencode

FOLDER = os.path.dirname(os.path.abspath(__file__))
CLIENT = os.path.join(FOLDER, "..", "..", "Web", "client")
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
    "--disable-background-networking", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
]
APPLICATION, SECRET = "lab", "a secret of the lab, which no one else has to know"
# Longer than any test takes, in seconds.
LIMIT = 90


class Server:
    """A Sightline server that emulates networks, or none."""

    def __init__(self, program, origin):
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--application-id", APPLICATION, "--loopback-only",
             "--allow-network-emulation", "--allow-origin", origin, "--log-level", "error"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "SIGHTLINE_SECRET": SECRET})
        self.log, self.port = [], None
        ready = threading.Event()

        def read():
            for line in self.process.stderr:
                self.log.append(line)
                found = re.search(r"listening on.*:(\d+)", line) or re.search(r"http://[^ ]*:(\d+)", line)
                if found and self.port is None:
                    self.port = int(found.group(1))
                    ready.set()

        threading.Thread(target=read, daemon=True).start()
        if not ready.wait(60):
            raise RuntimeError("the server did not start: " + "".join(self.log))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body=None):
        """What the HTTP API answers to the application."""
        credentials = base64.b64encode(f"{APPLICATION}:{SECRET}".encode()).decode()
        request = urllib.request.Request(
            f"{self.url}/v1/{path}", method=method, data=json.dumps(body or {}).encode(),
            headers={"Authorization": f"Basic {credentials}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def close(self):
        self.process.terminate()
        self.process.wait()


class Pages:
    """The page at an origin of its own, and what it says."""

    def __init__(self):
        self.said = queue.Queue()
        self.joined = lambda connection: None
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.origin = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def _handler(self):
        pages = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                path = self.path.partition("?")[0]
                name = os.path.basename(path)
                is_client = path.startswith("/client/")
                file = os.path.join(CLIENT, name) if is_client else os.path.join(FOLDER, "page.html")
                if not os.path.exists(file):
                    self.send_error(404)
                    return
                with open(file, "rb") as read:
                    body = read.read()
                self.send_response(200)
                self.send_header("Content-Type", "text/javascript" if is_client else "text/html")
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path == "/joined":
                    pages.joined(body["connection"])
                else:
                    pages.said.put(body)
                self.send_response(204)
                self.end_headers()

        return Handler


def browse(options, address, pages):
    """What the page says at the end."""
    profile = tempfile.mkdtemp(prefix="sightline-precall-")
    browser = subprocess.Popen(
        [options.chromium, *FLAGS, f"--user-data-dir={profile}", address],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return pages.said.get(timeout=LIMIT)
    except queue.Empty:
        # A test that hangs is a result, and one that counts.
        return {"stack": f"the page said nothing within {LIMIT} s", "seconds": LIMIT}
    finally:
        browser.terminate()
        browser.wait()
        shutil.rmtree(profile, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--conditions")
    parser.add_argument("--token", help="in place of a good one")
    parser.add_argument("--server", help="another address than that of the server")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--progress", action="store_true", help="print what happened in between as well")
    options = parser.parse_args()
    pages = Pages()
    server = Server(options.program, pages.origin)
    try:
        session = server.ask("POST", "sessions", {"mediaMode": "routed"})["session"]
        token = options.token or server.ask("POST", f"sessions/{session}/tokens", {"role": "publisher"})["token"]

        def emulate(connection):
            if options.conditions:
                path = f"sessions/{session}/connections/{connection}/network"
                server.ask("PUT", path, {"conditions": options.conditions})

        pages.joined = emulate
        # The page has the client's files from its own origin: those of the source tree.
        query = urlencode({"server": options.server or server.url, "token": token, "client": "/client"})
        said = browse(options, f"{pages.origin}/?{query}", pages)
    finally:
        server.close()
    if not options.progress:
        said.pop("lines", None)
    print(json.dumps(said))


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(str(error))
