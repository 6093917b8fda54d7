#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Screenshots of the real dashboard over a real demo call, into Docs/gallery.

gallery.py [PROGRAM]: the built `sightline`, .build/debug/sightline unless given. Needs Chromium. The call becomes bad while it lasts, so that
there is something to see; its recording becomes the page of a support case.
"""
import base64
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from chromium import Browser

ROOT = pathlib.Path(__file__).resolve().parent.parent
GALLERY = ROOT / "Docs/gallery"
# Largest file, bytes: pages with pictures should load on a phone.
LARGEST = 150_000
SAYS = """((name, words) => words.test([...document.querySelectorAll(".card")]
    .find((one) => one.innerText.startsWith(name))?.innerText ?? ""))"""


def wait(browser, page, what, expression, limit=60):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if browser.evaluate(page, f"Boolean({expression})"):
            return
        time.sleep(0.3)
    sys.exit(f"not within {limit} s: {what}; seen: {browser.evaluate(page, 'document.body.innerText')[:2000]}")


def show(browser, page, width, height, is_dark=False):
    browser.call("Emulation.setDeviceMetricsOverride", page, width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
    browser.call("Emulation.setScrollbarsHidden", page, hidden=True)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
    browser.call("Emulation.setEmulatedMedia", page, features=[scheme])
    time.sleep(1)


def shoot(browser, page, name):
    """Keeps what the window shows, as good as its bytes allow."""
    for quality in (85, 70, 55, 40):
        shot = browser.call("Page.captureScreenshot", page, format="webp", quality=quality)
        data = base64.b64decode(shot["data"])
        if len(data) <= LARGEST:
            break
    else:
        sys.exit(f"{name} has {len(data)} bytes")
    (GALLERY / f"{name}.webp").write_bytes(data)
    print(f"{name}.webp: {len(data) // 1000} KB")


def dashboard(browser, link):
    page = browser.open(link)
    show(browser, page, 1280, 900)
    wait(browser, page, "both well", f"{SAYS}('alice', /excellent/) && {SAYS}('bob', /excellent/)")
    browser.evaluate(page, "document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    slider = """[...document.querySelectorAll("details")].find((one) => one.innerText.startsWith("bob")).querySelector("[id$=-down-loss]")"""
    browser.evaluate(page, f"(() => {{ const one = {slider}; one.value = 6; one.dispatchEvent(new Event('input', {{ bubbles: true }})); "
                           "one.dispatchEvent(new Event('change', { bubbles: true })); })()")
    wait(browser, page, "the verdict", f"{SAYS}('bob', /To blame: bob/)")
    # Charts that have something to show.
    time.sleep(15)
    browser.evaluate(page, "scrollTo(0, 0)")
    shoot(browser, page, "live-call")
    browser.evaluate(page, "document.querySelector('.charts').scrollIntoView()")
    show(browser, page, 1280, 900, is_dark=True)
    shoot(browser, page, "charts-dark")
    show(browser, page, 390, 844)
    browser.evaluate(page, "scrollTo(0, 0)")
    shoot(browser, page, "phone")
    show(browser, page, 1280, 700)
    browser.evaluate(page, "location.hash = '#/'")
    wait(browser, page, "the list", "document.querySelector('.sessions a')")
    time.sleep(1)
    shoot(browser, page, "calls")


def report(browser, program, recording, folder):
    page_file = pathlib.Path(folder, "call.html")
    subprocess.run([program, "report", recording, "-o", page_file], check=True, stdout=subprocess.DEVNULL)
    page = browser.open(page_file.as_uri())
    show(browser, page, 1280, 1000)
    wait(browser, page, "the page of the case", "document.readyState === 'complete' && document.querySelector('h1')")
    shoot(browser, page, "support-case")


def link_of(process):
    """The dashboard's address, which the demo says on standard error."""
    for line in process.stderr:
        found = re.search(r"dashboard: (http\S+)", line)
        if found:
            return found[1]
    sys.exit("the demo has ended")


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug/sightline").resolve()
    GALLERY.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        recording = pathlib.Path(folder, "call.jsonl")
        demo = subprocess.Popen([program, "demo", "--port", "0", "--format", "json", "--record", recording],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        browser = None
        try:
            link = link_of(demo)
            browser = Browser(pathlib.Path(folder, "profile"), re.match(r"https?://[^/]+", link)[0])
            dashboard(browser, link)
            demo.send_signal(signal.SIGINT)
            demo.communicate(timeout=30)
            report(browser, program, recording, folder)
        finally:
            if browser:
                browser.close()
            if demo.poll() is None:
                demo.kill()
                demo.wait()


if __name__ == "__main__":
    main()
