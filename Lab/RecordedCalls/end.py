# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""One end of a call in a headless Chromium, and the files that it leaves.

end.py ADDRESS LENGTH CAMERA PREFIX: opens the page, waits until the call is over, and writes PREFIX.webrtc-internals.gz
and PREFIX.chromium-rtcstats.gz, the two dumps that chrome://webrtc-internals downloads, and PREFIX.rtcstats-js.gz if the
page had rtcstats-js. CAMERA is what the camera sees.
"""
import gzip
import json
import pathlib
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts"))

from chromium import Browser  # noqa: E402

INTERNALS = "chrome://webrtc-internals"
BUTTON = "document.querySelector('#dump-click-target%s')"
DUMPS = {"webrtc-internals": "", "chromium-rtcstats": "-rtcstats"}
LIMIT = 30


def eventually(what, attempt):
    """What the attempt gives as soon as it gives something."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        found = attempt()
        if found:
            return found
        time.sleep(0.1)
    sys.exit(f"not within {LIMIT} s: {what}")


def write(path, data):
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    pathlib.Path(path).write_bytes(gzip.compress(data, 9, mtime=0))


def downloaded(folder):
    files = (file for file in folder.glob("*") if file.suffix != ".crdownload" and file.stat().st_size)
    return next(files, None)


def keep_dumps(browser, internals, folder, prefix):
    for name, suffix in DUMPS.items():
        browser.evaluate(internals, f"{BUTTON % suffix}.click()")
        file = eventually(f"the dump {name}", lambda: downloaded(folder))
        write(f"{prefix}.{name}.gz", file.read_bytes())
        file.unlink()


def keep_trace(browser, page, address, begin, prefix):
    """As rtcstats' server writes a file: a mark, an object about the client, and the messages as they came."""
    messages = json.loads(browser.evaluate(page, "JSON.stringify(globalThis.kept)"))
    if not messages:
        return
    about = {"fileFormat": 3, "url": "/", "origin": address, "startTime": int(begin * 1000),
             "userAgent": browser.evaluate(page, "navigator.userAgent"), "clientProtocol": "rtcstats#5.0"}
    write(f"{prefix}.rtcstats-js.gz", "\n".join(["RTCStatsDump", json.dumps(about), *messages, ""]).encode())


def main():
    address, length, camera, prefix = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
    parts = urllib.parse.urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        downloads = pathlib.Path(folder, "downloads")
        browser = Browser(folder, origin, f"--use-file-for-fake-video-capture={camera}")
        try:
            browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
            internals = browser.open(INTERNALS)
            eventually(INTERNALS, lambda: browser.evaluate(internals, f"Boolean({BUTTON % ''})"))
            with urllib.request.urlopen(f"{origin}/begin") as answer:
                begin = json.load(answer)
            page = browser.open(address)
            eventually("the page", lambda: browser.evaluate(page, "globalThis.isReady"))
            if time.time() > begin:
                sys.exit("the browser was not there when the call began")
            time.sleep(begin + length - time.time())
            state = browser.evaluate(page, "globalThis.failure ?? connection.connectionState")
            keep_dumps(browser, internals, downloads, prefix)
            keep_trace(browser, page, origin, begin, prefix)
        finally:
            browser.close()
    pathlib.Path(f"{prefix}.state").write_text(json.dumps({"state": state, "began": begin}))


if __name__ == "__main__":
    main()
