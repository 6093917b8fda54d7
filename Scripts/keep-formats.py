# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Writes down the formats of a release, which every later version reads (Docs/compatibility.md).

keep-formats.py [--binary FILE]: runs the release build, with a call between two of its clients, an observed call and a
rating, once over SQLite and once over PostgreSQL, and writes into Tests/Fixtures/kept/VERSION the stores, what the API
answers of them, recordings of the call, the description of the API, and the names of settings and metrics; and the messages of
the session protocol, as the tests' files have them. The tests whose names begin with Kept, and some of settings and metrics,
hold what is built against it. A release's folder is written once: there must be none.
"""

import argparse
import asyncio
import gzip
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "Tests" / "Fixtures" / "kept"
sys.path[:0] = [str(ROOT / "Scripts" / "hostile"), str(ROOT / "Scripts" / "cluster")]

import parts  # noqa: E402
import wire  # noqa: E402

# Of the tests' server too, so that they find people by their names.
SECRET = "a secret of the tests, long enough"
ENVIRONMENT = dict(os.environ, SIGHTLINE_SECRET=SECRET)
SECONDS = 40


def signed(**claims):
    now = time.time()
    return wire.signed(SECRET, dict(iss="sightline", iat=now, exp=now + 600, jti=str(uuid.uuid4()), **claims))


def metrics(text):
    """Names and kinds."""
    return {line.removeprefix("# TYPE ") for line in text.splitlines() if line.startswith("# TYPE ")}


class Server:
    """The release build's server over one store."""

    def __init__(self, binary, log, *store):
        self.binary, self.log, self.store = binary, log, store

    async def __aenter__(self):
        with open(self.log, "ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                self.binary, "serve", "--port", "0", "--loopback-only", "--keep-names", "--log-level", "notice", *self.store,
                stdout=log, stderr=log, env=ENVIRONMENT)
        await parts.until("the server listens", self.listens)
        await parts.until("its router runs", self.is_ready)
        return self

    async def __aexit__(self, *_):
        self.process.terminate()
        await self.process.wait()

    async def listens(self):
        found = re.findall(r"sightline: listening on \S+:(\d+)", self.log.read_text(errors="replace"))
        self.port = int(found[-1]) if found else 0
        return bool(found)

    async def is_ready(self):
        return (await asyncio.to_thread(wire.request, self.port, "GET", "/readyz"))[0] == 200

    async def get(self, path):
        token = signed(aud="sightline-api", scope="read names reports metrics")
        status, _, body = await asyncio.to_thread(wire.request, self.port, "GET", path, token=token)
        if status != 200:
            raise SystemExit(f"{path}: {status} {body[:300]!r}")
        return body

    async def run(self, *words):
        """A command of the same build, to its end; what it printed."""
        process = await asyncio.create_subprocess_exec(
            self.binary, *words, env=ENVIRONMENT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        output, errors = await process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(words)}: {errors.decode()[-500:]}")
        return output.decode().strip()


async def calls(server, folder):
    """Alice's uplink loses, and Bob sees it; what they measured is recorded, too."""
    url = f"http://{wire.HOST}:{server.port}"
    made = json.loads(await server.run("token", "--url", url, "--name", "alice", "--format", "json"))
    session = made["session"]
    bob = await server.run("token", "--url", url, "--session", session, "--role", "subscriber", "--name", "bob")
    client = ("--url", url, "--loopback-only", "--format", "json", "--force")
    await asyncio.gather(
        server.run(
            "publish", *client, "--token", made["token"], "--condition", "up:loss=12", "--sender-stats", "--duration",
            str(SECONDS), "--record", f"{folder}/publisher.jsonl"),
        server.run("subscribe", *client, "--token", bob, "--duration", str(SECONDS - 5), "--record", f"{folder}/subscriber.jsonl"))
    await observed(server)
    token = signed(session=session, role="publisher", name="carol")
    rater = await wire.Client.join(server.port, token, client="keep-formats")
    await rater.ask("rate", score=2, reason="audio", comment="Now and then.")
    await rater.ask("leave")
    rater.end()


async def observed(server):
    """A call without our router, of which an app sends plain reports."""
    token = await server.run("api-token", "--scopes", "observe", "--call", "support call", "--participant", "dave", "--tag", "version=4.2")
    report = json.loads((ROOT / "Tests/Fixtures/getstats/chromium_sub.json").read_text())
    begin = time.time() - 10
    body = dict(reports=[
        dict(time=(begin + second) * 1000, report=tick["stats"]) for second, tick in enumerate(report[:10])])
    status, _, answer = await asyncio.to_thread(
        wire.request, server.port, "POST", "/v1/calls/support%20call/reports", body, token=token)
    if status >= 300:
        raise SystemExit(f"reports: {status} {answer[:300]!r}")


async def answers(server):
    """What the API says of every call that there was."""
    found = {}
    for path in ["/v1/sessions", "/v1/alerts", "/v1/ratings"]:
        found[path] = json.loads(await server.get(path))
    for session in found["/v1/sessions"]["sessions"]:
        call = "/v1/sessions/" + urllib.parse.quote(session["session"], safe="")
        for path in ["", "/minutes", "/timeline", "/samples?limit=40", "/reports?limit=2"]:
            found[call + path] = json.loads(await server.get(call + path))
    return found


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.endswith("\n") else text + "\n")


def readable(value):
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)


def pack(source, target):
    target.write_bytes(gzip.compress(pathlib.Path(source).read_bytes(), 9, mtime=0))


async def keep_sqlite(binary, folder, out):
    path = folder / "calls.sqlite"
    store = ("--store", str(path))
    async with Server(binary, folder / "sqlite.log", *store) as server:
        await calls(server, folder)
    # Another run: what the first one still had to do is done.
    async with Server(binary, folder / "sqlite-again.log", *store) as server:
        write(out / "sqlite.json", readable(await answers(server)))
        write(out / "openapi.json", readable(json.loads(await server.get("/v1/openapi.json"))))
        found = metrics((await server.get("/metrics")).decode())
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("VACUUM")
    database.close()
    pack(path, out / "calls.sqlite.gz")
    for end in ("publisher", "subscriber"):
        pack(folder / f"{end}.jsonl", out / f"{end}.jsonl.gz")
    return found


async def keep_postgres(binary, folder, out):
    os.chmod(folder, 0o755)
    home = folder / "postgres"
    home.mkdir()
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
    postgres = parts.Postgres("data", str(home))
    await postgres.make()
    await postgres.start()
    try:
        address = f"postgresql://sightline@{wire.HOST}:{postgres.port}/postgres"
        subprocess.run([binary, "cluster", "migrate", "--cluster", address], env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
        # To no one: what is said of posts and exports is there.
        nowhere = "http://127.0.0.1:9"
        store = ("--cluster", address, "--node", "keeper", "--alert-webhook", nowhere, "--otlp-endpoint", nowhere)
        async with Server(binary, folder / "cluster.log", *store) as server:
            await calls(server, folder)
        async with Server(binary, folder / "cluster-again.log", *store) as server:
            write(out / "cluster.json", readable(await answers(server)))
            found = metrics((await server.get("/metrics")).decode())
        dump = subprocess.run(
            [f"{postgres.bin}/pg_dump", "-h", wire.HOST, "-p", str(postgres.port), "-U", "sightline", "--no-owner", "postgres"],
            check=True, capture_output=True, text=True).stdout
    finally:
        await postgres.end()
    # psql of another minor version may not know it.
    dump = re.sub(r"(?m)^\\(un)?restrict .*\n", "", dump)
    (out / "cluster.sql.gz").write_bytes(gzip.compress(dump.encode(), 9, mtime=0))
    return found


def keep_texts(binary, out):
    def printed(*words):
        return subprocess.run([binary, *words], env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout

    lines = printed("serve", "--print-config").splitlines()
    # Not the headings of limits and of timeouts.
    names = [line.split()[0] for line in lines if len(line.split()) > 1 and not line.endswith("in seconds")]
    write(out / "settings.txt", "\n".join(sorted(names)))
    write(out / "quality-config.json", printed("quality-config"))
    messages = []
    for file in sorted((ROOT / "Tests/Fixtures/protocol").glob("*.json")):
        who, _, name = file.stem.partition("-")
        if who in ("client", "server"):
            messages.append(json.dumps({"from": who, "name": name, "message": json.loads(file.read_text())}, sort_keys=True))
    write(out / "messages.jsonl", "\n".join(messages))
    shutil.copy(ROOT / "Tests/Fixtures/protocol/sample-places.txt", out)


async def keep(binary):
    line = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout
    version = line.split()[0]
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    if f"(commit {head[:12]}" not in line or "+changes" in line:
        raise SystemExit(f"{binary} is not a build of HEAD, {head[:12]}, without changes: {line}")
    out = KEPT / version
    if out.exists():
        raise SystemExit(f"{out.relative_to(ROOT)} is there: a release's formats are written once")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sightline-keep-"))
    part = folder / "kept"
    part.mkdir()
    try:
        found = await keep_sqlite(binary, folder, part) | await keep_postgres(binary, folder, part)
        write(part / "metrics.txt", "\n".join(sorted(found)))
        keep_texts(binary, part)
        KEPT.mkdir(exist_ok=True)
        shutil.move(part, out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for file in sorted(out.iterdir()):
        print(f"{file.stat().st_size:8} {file.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(prog="keep-formats", description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / ".build/release/sightline"))
    asyncio.run(keep(os.path.abspath(parser.parse_args().binary)))


main()
