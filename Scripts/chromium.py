# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A headless Chromium with synthetic camera and microphone, for scripts."""
import json
import os
import subprocess


class Browser:
    """Chromium, steered by its DevTools protocol through pipes."""

    def __init__(self, folder, origin, *more):
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
            "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--no-first-run", "--disable-background-timer-throttling",
            "--disable-renderer-backgrounding", f"--unsafely-treat-insecure-origin-as-secure={origin}",
            # Pages that call each other have no one who resolves names of mDNS.
            "--disable-features=WebRtcHideLocalIpsWithMdns", *more,
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

    def open(self, address):
        """Opens a page, and returns its session."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        page = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.navigate", page, url=address)
        return page

    def evaluate(self, session, text):
        result = self.call("Runtime.evaluate", session, expression=text, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    def close(self):
        self.process.terminate()
        self.process.wait()
