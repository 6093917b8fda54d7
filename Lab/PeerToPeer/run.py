# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Real Chromium calls, peer to peer, over an emulated link in each direction, as a labelled set.

    python3 Lab/PeerToPeer/run.py DIR [--only NAME] [--seconds 100] [--chromium PATH]
    sightline-lab labelled DIR

Each call has one issue in one direction, from 35 to 75 s. It is the sender's uplink and the receiver's downlink. The
other direction of both ends is well, though it has the same round trip time.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from links import Clock, Conditions, Link, Relay  # noqa: E402

BEGIN, END = 35, 75
# How long an issue may take to be noticed, and its effects to fade, in seconds.
LEAD, FADING = 5, 20
# The direction that leads to an end, the cause, and what its link does.
SCENARIOS = {
    "limited-to-b": ("B", "bandwidth", dict(capacity=350e3)),
    "limited-to-a": ("A", "bandwidth", dict(capacity=350e3)),
    "other-flow-to-b": ("B", "bandwidth", dict(cross_traffic=True)),
    "other-flow-to-a": ("A", "bandwidth", dict(cross_traffic=True)),
    "loss-to-b": ("B", "packetLoss", dict(loss=0.06)),
    "loss-to-a": ("A", "packetLoss", dict(loss=0.06)),
    "jitter-to-b": ("B", "jitter", dict(jitter=0.06)),
    "clean": ("B", None, {}),
}
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream", "--autoplay-policy=no-user-gesture-required",
    "--allow-loopback-in-peer-connection", "--disable-features=WebRtcHideLocalIpsWithMdns",
]


class Call:
    """One call: the page, the relay between its peer connections, and what they report."""

    def __init__(self, name, folder, options):
        self.name, self.folder, self.options = name, folder, options
        self.clock, self.error = Clock(), None
        self.files = {end: open(self._path(end), "w") for end in Relay.ENDS}
        links = {end: Link(self._conditions(end), f"{name}/{end}") for end in Relay.ENDS}
        self.relay = Relay(links, self.clock)

    def _path(self, end):
        return os.path.join(self.folder, f"{self.name}-{end.lower()}.jsonl")

    def _conditions(self, end):
        troubled, _, trouble = SCENARIOS[self.name]
        well, bad = Conditions(), Conditions(**trouble)
        return lambda now: bad if end == troubled and BEGIN <= now < END else well

    def run(self):
        """Makes the call; raises RuntimeError if it fails."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        profile = tempfile.mkdtemp(prefix="sightline-p2p-")
        address = f"http://127.0.0.1:{server.server_port}/"
        browser = subprocess.Popen(
            [self.options.chromium, *FLAGS, f"--user-data-dir={profile}", address],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._wait(browser)
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
            self.relay.close()
            for file in self.files.values():
                file.close()
            shutil.rmtree(profile, ignore_errors=True)

    def _wait(self, browser):
        started = time.monotonic()
        while self.clock.now < self.options.seconds:
            time.sleep(0.2)
            if self.error or browser.poll() is not None:
                raise RuntimeError(self.error or "Chromium ended")
            if self.clock.begin is None and time.monotonic() - started > 40:
                raise RuntimeError("the page sent no report within 40 s")

    def _handler(self):
        call = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                if self.path == "/ports":
                    ports = {end: call.relay.port(end) for end in Relay.ENDS}
                    self.answer(json.dumps(ports).encode(), "application/json")
                else:
                    with open(os.path.join(FOLDER, "page.html"), "rb") as page:
                        self.answer(page.read(), "text/html")

            def answer(self, body, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                call.take(self.path, body)
                self.send_response(204)
                self.end_headers()

        return Handler

    def take(self, path, body):
        """Takes what the page says."""
        if path == "/failed":
            self.error = body["error"]
            return
        self.clock.start()
        file = self.files[path[-1]]
        if not file.closed:
            file.write(json.dumps(body) + "\n")


def truth(name, end):
    """What has to be found at an end, and when."""
    troubled, cause, _ = SCENARIOS[name]
    if cause is None:
        return []
    role = "subscriber" if end == troubled else "publisher"
    spans = [(BEGIN, BEGIN + LEAD, []), (BEGIN + LEAD, END, [cause]), (END, END + FADING, [])]
    return [{"from": begin, "to": until, "role": role, "cause": causes} for begin, until, causes in spans]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", help="part of the names of the calls to make")
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    options = parser.parse_args()
    if not options.chromium:
        parser.error("there is no Chromium; install it, or name it with --chromium")
    os.makedirs(options.folder, exist_ok=True)
    # So that the browser ends with whoever is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    manifest = []
    for name in SCENARIOS:
        if options.only and options.only not in name:
            continue
        print(name, file=sys.stderr, flush=True)
        Call(name, options.folder, options).run()
        for end in Relay.ENDS:
            manifest.append(dict(
                name=f"{name}-{end.lower()}", truth=name, engine="chromium p2p", interval=1,
                expect=truth(name, end)))
        with open(os.path.join(options.folder, "manifest.json"), "w") as file:
            json.dump(manifest, file, indent=1)


if __name__ == "__main__":
    main()
