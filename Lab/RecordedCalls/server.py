# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Serves the page, passes messages between its two participants, swallows an upload, and says when the call begins.

server.py PORT LEAD [RTCSTATS]: the call begins LEAD seconds after the start of this program, which is that of the lines'
schedule. RTCSTATS is a folder with `rtcstats-js` and `rtcstats-shared`.
"""
import collections
import http.server
import json
import pathlib
import queue
import socketserver
import sys
import threading
import time

BEGIN = time.time() + float(sys.argv[2])
RTCSTATS = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
PAGE = pathlib.Path(__file__).resolve().parent / "page.html"
WAITING = collections.defaultdict(queue.Queue)
# How long a question for messages waits for one, seconds.
HOLD = 10


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/":
            self.answer(200, "text/html; charset=utf-8", PAGE.read_bytes())
        elif path == "/begin":
            self.answer(200, "application/json", json.dumps(BEGIN).encode())
        elif path.startswith("/messages/"):
            try:
                self.answer(200, "application/json", WAITING[path].get(timeout=HOLD))
            except queue.Empty:
                self.answer(204, "text/plain", b"")
        else:
            self.answer_module(path.removeprefix("/rtcstats/"))

    def answer_module(self, name):
        file = (RTCSTATS / name).resolve() if RTCSTATS else None
        if file and file.is_relative_to(RTCSTATS) and file.is_file():
            self.answer(200, "text/javascript; charset=utf-8", file.read_bytes())
        else:
            self.answer(404, "text/plain", b"")

    def do_POST(self):
        WAITING[self.path].put(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(204, "text/plain", b"")

    def answer(self, status, kind, body):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body)


class Sink(socketserver.BaseRequestHandler):
    """Takes an upload."""

    def handle(self):
        while self.request.recv(1 << 16):
            pass


def main():
    port = int(sys.argv[1])
    sink = socketserver.ThreadingTCPServer(("", port + 1), Sink)
    threading.Thread(target=sink.serve_forever, daemon=True).start()
    http.server.ThreadingHTTPServer.daemon_threads = True
    http.server.ThreadingHTTPServer(("", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
