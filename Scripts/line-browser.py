#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A headless browser that takes part in a call for some seconds, for `sightline-lab`.

In a session: line-browser.py SERVER-URL TOKEN [camera|test-pattern|watch] [SECONDS]; on any page:
line-browser.py --page URL [SECONDS]. Prints each second, as a line of JSON, the frames that each video has shown. Fails if
none that is not its own ever showed one. Camera and microphone are synthetic, and allowed without asking, also on pages that
have no TLS.
"""
import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from chromium import Browser


class Chromium(Browser):
    """Chromium with one page."""

    def open(self, url):
        self.page = super().open(url)

    def evaluate(self, text):
        return super().evaluate(self.page, text)


class Firefox:
    """Firefox, steered by Marionette, which it has built in."""

    PREFERENCES = {
        "media.navigator.streams.fake": True, "media.navigator.permission.disabled": True, "media.autoplay.default": 0,
        "media.devices.insecure.enabled": True, "media.getusermedia.insecure.enabled": True,
        "media.peerconnection.ice.obfuscate_host_addresses": False, "marionette.port": 0,
        # Nothing is to be asked of the outside.
        "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
        "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
        "app.update.enabled": False, "extensions.update.enabled": False, "media.gmp-manager.updateEnabled": False,
        "browser.safebrowsing.update.enabled": False, "services.settings.server": "data:,",
    }

    def __init__(self, folder, origin):
        with open(os.path.join(folder, "user.js"), "w") as file:
            for name, value in self.PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            ["firefox-esr", "-headless", "-marionette", "-no-remote", "-profile", folder],
            env={**os.environ, "HOME": folder, "MOZ_HEADLESS": "1"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = socket.create_connection(("127.0.0.1", self._port(folder)))
        self.socket.settimeout(90)
        self.rest, self.last = b"", 0
        self._read()
        self._call("WebDriver:NewSession", capabilities={})

    def _port(self, folder):
        end = time.monotonic() + 90
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with open(os.path.join(folder, "MarionetteActivePort")) as file:
                    return int(file.read())
            except (OSError, ValueError):
                time.sleep(0.1)
        raise RuntimeError("Firefox did not start")

    def open(self, url):
        self._call("WebDriver:Navigate", url=url)

    def evaluate(self, text):
        return self._call("WebDriver:ExecuteScript", script=f"return eval({json.dumps(text)});", args=[])["value"]

    def close(self):
        try:
            self._call("Marionette:Quit", flags=["eForceQuit"])
        except (OSError, RuntimeError):
            pass
        self.process.terminate()
        self.process.wait()

    def _call(self, command, **parameters):
        self.last += 1
        message = json.dumps([0, self.last, command, parameters]).encode()
        self.socket.sendall(str(len(message)).encode() + b":" + message)
        while True:
            answer = self._read()
            if answer[1] == self.last:
                if answer[2]:
                    raise RuntimeError(f"{command}: {answer[2]}")
                return answer[3]

    def _read(self):
        """A message is its length, a colon, and JSON."""
        while b":" not in self.rest or len(self.rest.split(b":", 1)[1]) < int(self.rest.split(b":", 1)[0]):
            data = self.socket.recv(65536)
            if not data:
                raise RuntimeError("Firefox has ended")
            self.rest += data
        length, rest = self.rest.split(b":", 1)
        message, self.rest = rest[:int(length)], rest[int(length):]
        return json.loads(message)


BROWSERS = {"chromium": Chromium, "firefox": Firefox}

# Firefox counts what it has painted.
FRAMES = """JSON.stringify([...document.querySelectorAll("video")].map((video) => (
    { own: video.dataset.own === "true",
      frames: video.mozPaintedFrames ?? video.getVideoPlaybackQuality().totalVideoFrames })))"""
# Before the page makes any peer connection, that is, before it joins.
WATCH = """window.watched ?? (() => {
    window.watched = [];
    window.RTCPeerConnection = new Proxy(RTCPeerConnection, {
        construct(target, words) { const made = new target(...words); window.watched.push(made); return made; } });
})()"""
REPORTS = """Promise.all((window.watched ?? []).map(async (one) => [...(await one.getStats()).values()]))
    .then((reports) => JSON.stringify(reports))"""
STATUS = "document.getElementById('status')?.innerText ?? ''"
CLICK = "((one) => { one?.click(); return Boolean(one); })(document.getElementById(%s))"
MUTE = "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Mute')"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", choices=BROWSERS, default="chromium")
    parser.add_argument("--muted", action="store_true", help="mutes its microphone once it is in the session")
    parser.add_argument("--page", metavar="URL", help="a page of any kind, in place of a session")
    parser.add_argument("--alternate", metavar="SECONDS", type=float, default=0, help="how long --one and --other hold in turn")
    parser.add_argument("--one", metavar="EXPRESSION", help="is evaluated whenever its turn begins, first from the start on")
    parser.add_argument("--other", metavar="EXPRESSION")
    parser.add_argument("--record", metavar="FILE", help="where the reports of each second go, for sightline-analyze")
    parser.add_argument("words", nargs="*", metavar="WORD", help="as above")
    options = parser.parse_args()
    words = options.words
    choice = None
    if options.page:
        url, origin = options.page, options.page
    else:
        if len(words) < 2:
            parser.error("a server and a token are needed, or --page")
        origin = words[0].rstrip("/")
        url = f"{origin}/join#token={words[1]}"
        choice, words = (words[2] if len(words) > 2 else "watch"), words[3:]
    parts = urllib.parse.urlsplit(origin)
    seconds = float(words[0]) if words else 30
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = BROWSERS[options.browser](folder, f"{parts.scheme}://{parts.netloc}")
        try:
            browser.open(url)
            turns = Turns(browser, options) if options.alternate > 0 else None
            with open(options.record or os.devnull, "w") as record:
                shown = stay(browser, choice, options, seconds, turns, record)
        finally:
            browser.close()
    sys.exit(0 if shown > 0 else 1)


class Turns:
    """Two expressions, each of which is evaluated when its turn begins; from when others are seen, or the session is on."""

    def __init__(self, browser, options):
        self.browser, self.length, self.expressions = browser, options.alternate, (options.one, options.other)
        self.began, self.number = None, None

    def tick(self, is_seen):
        """The turn that it is, 0 or 1; `None` before there is anything to see."""
        if self.began is None and not is_seen:
            return None
        self.began = self.began or time.monotonic()
        number = int((time.monotonic() - self.began) / self.length) % 2
        if number != self.number:
            self.number = number
            self.browser.evaluate(self.expressions[number])
        return number


def note(browser, record):
    """Writes what the page's peer connections report."""
    now = time.time() * 1000
    for number, stats in enumerate(json.loads(browser.evaluate(REPORTS) or "[]")):
        record.write(json.dumps({"time": now, "pc": str(number), "stats": stats}) + "\n")
    record.flush()


def stay(browser, choice, options, seconds, turns, record):
    """Takes part; the most frames that a video of someone else has shown."""
    end, shown, has_joined, is_to_mute = time.monotonic() + seconds, 0, choice is None, options.muted
    if options.record:
        browser.evaluate(WATCH)
    while time.monotonic() < end:
        time.sleep(1)
        if options.record:
            note(browser, record)
        if not has_joined:
            # Once: on a slow line a second click would enter a second time.
            has_joined = browser.evaluate(CLICK % json.dumps(choice))
        elif is_to_mute and browser.evaluate(f"Boolean({MUTE})"):
            browser.evaluate(f"{MUTE}.click()")
            is_to_mute = False
        videos = json.loads(browser.evaluate(FRAMES) or "[]")
        shown = max([shown] + [video["frames"] for video in videos if not video["own"]])
        line = {"time": time.time(), "status": browser.evaluate(STATUS), "videos": videos}
        if turns:
            line["turn"] = turns.tick(shown > 0 or (choice is not None and bool(line["status"])))
        print(json.dumps(line), flush=True)
    browser.evaluate("document.getElementById('leave')?.click()")
    time.sleep(1)
    return shown


if __name__ == "__main__":
    main()
