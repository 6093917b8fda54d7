#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The server of an app with calls of its own: serves its page, and passes messages between two participants.

Usage: server.py [PORT]. A participant's messages wait at /messages/NAME, and are taken from there.
"""
import collections
import http.server
import pathlib
import queue
import sys

PAGE = pathlib.Path(__file__).resolve().parent / "call.html"
WAITING = collections.defaultdict(queue.Queue)
# How long a question for messages waits for one, seconds.
PATIENCE = 10


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/":
            return self.answer(200, "text/html; charset=utf-8", PAGE.read_bytes())
        if not path.startswith("/messages/"):
            return self.answer(404, "text/plain", b"")
        try:
            self.answer(200, "application/json", WAITING[path].get(timeout=PATIENCE))
        except queue.Empty:
            self.answer(204, "text/plain", b"")

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


http.server.ThreadingHTTPServer.daemon_threads = True
http.server.ThreadingHTTPServer(("", int(sys.argv[1]) if len(sys.argv) > 1 else 9000), Handler).serve_forever()
