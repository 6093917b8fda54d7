#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Records Tests/Fixtures/recordings/{chromium,firefox}*: what the two browsers themselves save about a short call.

In each browser a page calls itself over loopback: one peer connection publishes a made-up camera and microphone, the
other subscribes. Then it stops sending, counts its totals with getStats(), and the browser's own page about WebRTC is
asked for its files: the two dumps that chrome://webrtc-internals downloads, the history that about:webrtc copies. The
page's totals stand beside them as BROWSER.totals.json. Arguments: the browsers, `chromium`, `firefox`; both if none.

Needs Python's standard library, and Chromium and Firefox (Debian: apt-get install chromium firefox-esr).
"""
import gzip
import http.server
import ipaddress
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/recordings"
SECONDS = 7
PATIENCE = 60

PAGE = """<!doctype html><meta charset="utf-8"><title>a call with itself</title><video autoplay muted></video><script>
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const local = (address) => !address || address.endsWith(".local") || address.startsWith("127.") || address === "::1";
const publisher = new RTCPeerConnection();
const subscriber = new RTCPeerConnection();

function connect(from, to) {
    from.onicecandidate = ({ candidate }) => {
        if (candidate && local(candidate.address)) to.addIceCandidate(candidate);
    };
}

// What the tests compare: each stream by its direction, kind and SSRC.
async function totals(connection) {
    const members = ["packetsSent", "bytesSent", "framesEncoded", "packetsReceived", "bytesReceived", "packetsLost",
        "framesDecoded"];
    const streams = [];
    for (const entry of (await connection.getStats()).values()) {
        if (entry.type !== "outbound-rtp" && entry.type !== "inbound-rtp") continue;
        const stream = { type: entry.type, kind: entry.kind, ssrc: entry.ssrc };
        for (const name of members) if (entry[name] !== undefined) stream[name] = entry[name];
        streams.push(stream);
    }
    return streams.sort((a, b) => a.ssrc - b.ssrc);
}

async function quiet() {
    const read = async () => ({ publisher: await totals(publisher), subscriber: await totals(subscriber) });
    for (let last = "", same = 0; ; await pause(1000)) {
        const now = await read();
        const text = JSON.stringify(now);
        same = text === last ? same + 1 : 0;
        if (same >= 3) return now;
        last = text;
    }
}

async function call(seconds) {
    connect(publisher, subscriber);
    connect(subscriber, publisher);
    const video = document.querySelector("video");
    const heard = new Promise((done) => {
        subscriber.ontrack = ({ streams }) => { video.srcObject = streams[0]; video.onplaying = done; };
    });
    const media = await navigator.mediaDevices.getUserMedia(
        { audio: true, video: { width: 320, height: 180, frameRate: 15 } });
    for (const track of media.getTracks()) publisher.addTrack(track, media);
    await publisher.setLocalDescription();
    await subscriber.setRemoteDescription(publisher.localDescription);
    await subscriber.setLocalDescription();
    await publisher.setRemoteDescription(subscriber.localDescription);
    await heard;
    await pause(seconds * 1000);
    for (const sender of publisher.getSenders()) {
        // Without a track Firefox sends black frames, and without an encoding it sends audio.
        const parameters = sender.getParameters();
        for (const encoding of parameters.encodings) encoding.active = false;
        await sender.setParameters(parameters);
        if (sender.track.kind === "audio") await sender.replaceTrack(null);
    }
    return JSON.stringify(await quiet());
}
</script>
"""


def serve():
    """Serves the page on loopback, and gives its address."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            if self.path == "/":
                self.wfile.write(PAGE.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def eventually(what, attempt):
    """What the attempt gives as soon as it gives something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = attempt()
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit(f"record-fixtures: waited in vain for {what}")


class Chromium:
    """A headless Chromium, steered by its DevTools protocol through pipes."""

    def __init__(self, folder):
        to_read, self.to = os.pipe()
        self.come, from_write = os.pipe()
        arguments = [
            "chromium", "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={folder}/profile",
            "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
            "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection", "--disable-gpu",
            "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows",
        ] + (["--no-sandbox"] if os.geteuid() == 0 else [])

        def pipes():
            # Clear of 3 and 4 first, in case one of them is the other's place.
            ends = [os.dup(os.dup(to_read)), os.dup(os.dup(from_write))]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            arguments, preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.rest, self.last = b"", 0

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                piece = os.read(self.come, 1 << 16)
                if not piece:
                    raise SystemExit("record-fixtures: Chromium is gone")
                self.rest += piece
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise SystemExit(f"record-fixtures: {method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, url):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        page = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.navigate", page, url=url)
        return page

    def evaluate(self, page, expression):
        result = self.call(
            "Runtime.evaluate", page, expression=f"(async () => {expression})()", awaitPromise=True, returnByValue=True,
            userGesture=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"record-fixtures: {expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)


def record_chromium(url, seconds, folder):
    """The two dumps of chrome://webrtc-internals, and the page's totals."""
    with Chromium(folder) as browser:
        downloads = folder / "downloads"
        browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
        internals = browser.open("chrome://webrtc-internals")
        button = "document.querySelector('#dump-click-target%s')"
        eventually("chrome://webrtc-internals", lambda: browser.evaluate(internals, f"Boolean({button % ''})"))
        page = browser.open(url)
        eventually("the page", lambda: browser.evaluate(page, "typeof call === 'function'"))
        totals = json.loads(browser.evaluate(page, f"call({seconds})"))
        # Some more of the second in which the browser asks for statistics.
        time.sleep(2.5)

        def downloaded():
            files = (file for file in downloads.glob("*") if file.suffix != ".crdownload" and file.stat().st_size)
            return next(files, None)

        dumps = {}
        for name, suffix in {"webrtc_internals": "", "rtcstats": "-rtcstats"}.items():
            browser.evaluate(internals, f"{button % suffix}.click()")
            file = eventually(f"the dump of {name}", downloaded)
            dumps[f"chromium_{name}"] = file.read_bytes()
            file.unlink()
    return dumps, totals


class Firefox:
    """A headless Firefox, steered by its Marionette."""

    PREFERENCES = {
        "marionette.port": 0,
        "media.navigator.permission.disabled": True,
        "media.navigator.streams.fake": True,
        "media.autoplay.default": 0,
        "media.peerconnection.ice.loopback": True,
        "media.aboutwebrtc.hist.enabled": True,
        "datareporting.policy.dataSubmissionEnabled": False,
        "app.update.disabledForTesting": True,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
    }

    def __init__(self, folder):
        self.profile = folder / "profile"
        self.profile.mkdir()
        (self.profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in self.PREFERENCES.items()))
        self.process = subprocess.Popen(
            ["firefox-esr" if shutil.which("firefox-esr") else "firefox", "--headless", "--no-remote", "--marionette",
             "--remote-allow-system-access", "--profile", str(self.profile)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)})

    def connect(self):
        file = self.profile / "MarionetteActivePort"
        port = eventually("Firefox", lambda: file.exists() and file.read_text().strip())
        self.socket = socket.create_connection(("127.0.0.1", int(port)))
        self.socket.settimeout(PATIENCE)
        self.rest, self.last = b"", 0
        self.read()
        self.call("WebDriver:NewSession")
        self.call("WebDriver:SetTimeouts", {"script": PATIENCE * 1000})

    def read(self):
        while b":" not in self.rest:
            self.rest += self.socket.recv(1 << 16)
        length, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(length):
            self.rest += self.socket.recv(1 << 16)
        text, self.rest = self.rest[:int(length)], self.rest[int(length):]
        return json.loads(text)

    def call(self, name, parameters=None):
        self.last += 1
        text = json.dumps([0, self.last, name, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.read()
        if error:
            raise SystemExit(f"record-fixtures: {name}: {error['message']}")
        return result

    def evaluate(self, context, expression):
        """What a promise becomes; in the context "chrome" it may do what the browser may."""
        self.call("Marionette:SetContext", {"value": context})
        script = (f"const done = arguments[0];"
                  f" Promise.resolve({expression}).then(done, (error) => done(`error: ${{error}}`));")
        value = self.call("WebDriver:ExecuteAsyncScript", {"script": script, "args": [], "sandbox": None})["value"]
        if isinstance(value, str) and value.startswith("error: "):
            raise SystemExit(f"record-fixtures: {expression}: {value}")
        return value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)


# What about:webrtc does for "Copy history", for each peer connection of the call and put into one document.
HISTORY = """(async () => {
    const ids = await new Promise((done) => WebrtcGlobalInformation.getStatsHistoryPcIds(done));
    const all = { reports: [], sdpHistories: [] };
    for (const id of ids) {
        const one = await new Promise((done) => WebrtcGlobalInformation.getStatsHistorySince(done, id));
        all.reports.push(...one.reports);
        all.sdpHistories.push(...one.sdpHistories);
    }
    return JSON.stringify(all, null, 2);
})()"""


def record_firefox(url, seconds, folder):
    """The history of about:webrtc, and the page's totals."""
    with Firefox(folder) as browser:
        browser.connect()
        browser.call("WebDriver:Navigate", {"url": url})
        totals = browser.evaluate("content", f"window.call({seconds})")
        browser.evaluate("content", "new Promise((done) => setTimeout(done, 2500))")
        history = browser.evaluate("chrome", HISTORY)
    return {"firefox_about_webrtc": history.encode()}, json.loads(totals)


def redacted(text):
    """The text with loopback in place of every other address."""
    def loopback(match):
        try:
            address = ipaddress.ip_address(match.group())
        except ValueError:
            return match.group()
        if address.is_loopback or address.is_unspecified:
            return match.group()
        return "127.0.0.1" if address.version == 4 else "::1"

    # Not what follows a slash: versions look like addresses.
    text = re.sub(r"(?<![\w./])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])", loopback, text)
    return re.sub(r"(?<![\w:])[0-9a-fA-F:]*:[0-9a-fA-F:]*:[0-9a-fA-F:]*(?![\w:])", loopback, text)


def main():
    url = serve()
    recorders = {"chromium": record_chromium, "firefox": record_firefox}
    for browser in sys.argv[1:] or recorders:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            recordings, totals = recorders[browser](url, SECONDS, pathlib.Path(folder))
        (FOLDER / f"{browser}.totals.json").write_text(json.dumps(totals, indent=1) + "\n")
        for name, recording in recordings.items():
            if recording[:2] == b"\x1f\x8b":
                recording = gzip.decompress(recording)
            packed = gzip.compress(redacted(recording.decode()).encode(), 9, mtime=0)
            (FOLDER / f"{name}.gz").write_bytes(packed)
            print(f"{name}: {len(recording)} bytes, {len(packed)} packed")


if __name__ == "__main__":
    main()
