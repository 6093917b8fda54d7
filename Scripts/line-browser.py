#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A headless Chromium that takes part in a session for some seconds, for `sightline-lab line`.

Usage: line-browser.py SERVER-URL TOKEN [camera|test-pattern|watch] [SECONDS]. Prints each second, as a line of JSON, the frames
that each video has shown. Fails if it never showed one.
"""
import json
import os
import subprocess
import sys
import tempfile
import time


class Browser:
    """Chromium, steered by its DevTools protocol through pipes."""

    def __init__(self, folder, origin):
        commands, self.input = os.pipe()
        self.output, answers = os.pipe()

        def place():
            # First out of reach of each other's numbers.
            ends = [os.dup2(end, number) for end, number in ((commands, 20), (answers, 21))]
            for end, number in zip(ends, (3, 4)):
                os.dup2(end, number)

        arguments = [
            "chromium", "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={folder}", "--no-sandbox",
            "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
            "--autoplay-policy=no-user-gesture-required", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--no-first-run", "--disable-background-timer-throttling",
            "--disable-renderer-backgrounding", f"--unsafely-treat-insecure-origin-as-secure={origin}",
        ]
        self.process = subprocess.Popen(
            arguments, preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.rest, self.last = b"", 0

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.input, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def read(self):
        while b"\0" not in self.rest:
            data = os.read(self.output, 65536)
            if not data:
                raise RuntimeError("Chromium has ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def evaluate(self, session, text):
        result = self.call("Runtime.evaluate", session, expression=text, returnByValue=True)
        return result["result"].get("value")


FRAMES = """JSON.stringify([...document.querySelectorAll("video")].map((video) => (
    { own: video.dataset.own === "true", frames: video.getVideoPlaybackQuality().totalVideoFrames })))"""


def main():
    url, token = sys.argv[1].rstrip("/"), sys.argv[2]
    choice = sys.argv[3] if len(sys.argv) > 3 else "watch"
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 30
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder, url)
        try:
            shown = join(browser, url, token, choice, seconds)
        finally:
            browser.process.terminate()
            browser.process.wait()
    sys.exit(0 if shown > 0 else 1)


def join(browser, url, token, choice, seconds):
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    page = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    browser.call("Page.navigate", page, url=f"{url}/join#token={token}")
    end, shown, has_joined = time.monotonic() + seconds, 0, False
    while time.monotonic() < end:
        time.sleep(1)
        if not has_joined:
            has_joined = bool(browser.evaluate(page, f"document.getElementById('{choice}')?.click() ?? ''") == ""
                              and browser.evaluate(page, "document.getElementById('status')?.innerText ?? ''"))
        videos = json.loads(browser.evaluate(page, FRAMES) or "[]")
        shown = max([shown] + [video["frames"] for video in videos if not video["own"]])
        status = browser.evaluate(page, "document.getElementById('status')?.innerText ?? ''")
        print(json.dumps({"time": time.time(), "status": status, "videos": videos}), flush=True)
    browser.evaluate(page, "document.getElementById('leave')?.click()")
    time.sleep(1)
    return shown


main()
