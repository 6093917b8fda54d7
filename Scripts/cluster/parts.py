# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Three servers, two of PostgreSQL and a proxy, made of the files in Packaging/cluster, on the loopback interface."""

import asyncio
import glob
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import time

import wire

FILES = pathlib.Path(__file__).resolve().parent.parent.parent / "Packaging/cluster"
SECRET = "of-the-application-" + "0123456789abcdef" * 2


given_ports = set()


def unused_port():
    """One that no connection gets while whoever listens on it is away, and that no other part has been given."""
    while True:
        port = random.randrange(20000, 30000)
        if port in given_ports:
            continue
        given_ports.add(port)
        with socket.socket() as probe:
            try:
                probe.bind((wire.HOST, port))
                return port
            except OSError:
                continue


def programs():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    if not found:
        raise SystemExit("PostgreSQL is not installed (apt install postgresql)")
    return found[-1]


def as_postgres():
    """What stands before a command that PostgreSQL's user runs, which is never root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]


async def run(*words, **environment):
    process = await asyncio.create_subprocess_exec(
        *words, cwd="/", env=dict(os.environ, **environment), stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT)
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {output.decode(errors='replace')[-2000:]}")
    return output.decode()


async def until(what, condition, seconds=60):
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while True:
        value = await condition()
        if value:
            return value
        if time.monotonic() > end:
            raise RuntimeError(f"not in {seconds} s: {what}")
        await asyncio.sleep(0.1)


class Part:
    """A process with a log, which can be killed, stopped and started again."""

    def __init__(self, name, folder):
        self.name, self.folder, self.process = name, folder, None
        self.log = os.path.join(folder, f"{name}.log")

    async def spawn(self, *words, **environment):
        with open(self.log, "ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *words, stdout=log, stderr=log, cwd="/", env=dict(os.environ, **environment))

    @property
    def runs(self):
        return self.process is not None and self.process.returncode is None

    def send(self, number):
        if self.runs:
            self.process.send_signal(number)

    async def kill(self):
        self.send(signal.SIGKILL)
        await self.process.wait()

    async def end(self, seconds=60):
        if not self.runs:
            return
        self.send(signal.SIGTERM)
        try:
            await asyncio.wait_for(self.process.wait(), seconds)
        except (TimeoutError, asyncio.TimeoutError):
            await self.kill()

    def logged(self):
        try:
            with open(self.log, errors="replace") as file:
                return file.read()
        except OSError:
            return ""


class Postgres(Part):
    """A server of PostgreSQL."""

    def __init__(self, name, folder):
        super().__init__(name, folder)
        self.data, self.port, self.bin = os.path.join(folder, name), unused_port(), programs()
        self.host = f"host={wire.HOST} port={self.port} user=sightline"

    async def make(self):
        await run(
            *as_postgres(), f"{self.bin}/initdb", "-D", self.data, "-U", "sightline", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8")
        settings = os.path.join(self.folder, "sightline.conf")
        shutil.copy(FILES / "postgresql.conf", settings)
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            # As Debian's does with conf.d.
            file.write(f"include '{settings}'\n")

    async def script(self, *words):
        await run(*as_postgres(), str(self.own_script()), *words, PGBIN=self.bin)

    def own_script(self):
        # Where its user may read it.
        path = os.path.join(self.folder, "postgresql.sh")
        if not os.path.exists(path):
            shutil.copy(FILES / "postgresql.sh", path)
            os.chmod(path, 0o755)
        return path

    async def start(self):
        await self.spawn(
            *as_postgres(), f"{self.bin}/postgres", "-D", self.data, "-p", str(self.port), "-h", wire.HOST, "-k",
            self.folder)
        await until(f"{self.name} takes connections", self.answers)

    async def answers(self):
        process = await asyncio.create_subprocess_exec(
            f"{self.bin}/pg_isready", "-q", "-h", wire.HOST, "-p", str(self.port), "-U", "sightline", "-d", "postgres")
        return await process.wait() == 0

    def processes(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return [self.process.pid] + [int(child) for child in file.read().split()]

    def send_all(self, number):
        """The one that makes the others first, so that none is made meanwhile."""
        for process in self.processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    async def kill_all(self):
        self.send_all(signal.SIGKILL)
        await self.process.wait()
        # Those that it had made while it was killed end by themselves; its memory and its sockets are free then.
        await asyncio.sleep(0.3)

    async def end(self, seconds=60):
        self.send(signal.SIGINT)
        if self.process:
            await self.process.wait()


class Database:
    """A primary and its synchronous standby, which change places."""

    def __init__(self, folder):
        self.primary, self.standby = Postgres("pg-a", folder), Postgres("pg-b", folder)

    @property
    def address(self):
        hosts = f"{wire.HOST}:{self.primary.port},{wire.HOST}:{self.standby.port}"
        return f"postgresql://sightline@{hosts}/calls"

    async def start(self, binary):
        await self.primary.make()
        await self.primary.start()
        await run(
            *as_postgres(), f"{self.primary.bin}/createdb", "-h", wire.HOST, "-p", str(self.primary.port), "-U",
            "sightline", "calls")
        await run(binary, "cluster", "migrate", SIGHTLINE_CLUSTER=self.address)
        await self.follow()

    async def follow(self):
        """Makes the standby one of the primary, which waits for it from then on."""
        await self.standby.script("standby", self.primary.host, self.standby.data)
        await self.standby.start()
        await self.primary.script("synchronous", self.primary.host)

    async def fail_over(self):
        """The primary is killed; the standby takes its place."""
        await self.primary.kill_all()
        await self.standby.script("promote", self.standby.data, f"{wire.HOST} port={self.standby.port} user=sightline")
        self.primary, self.standby = self.standby, self.primary

    async def end(self):
        for server in (self.standby, self.primary):
            if server.runs:
                server.send_all(signal.SIGCONT)
                await server.end()


class Node(Part):
    """A server of Sightline."""

    def __init__(self, name, folder, binary, database, proxy_port, ports):
        super().__init__(name, folder)
        self.binary, self.port = binary, unused_port()
        self.environment = dict(
            SIGHTLINE_NODE=name, SIGHTLINE_NODE_URL=f"http://{wire.HOST}:{self.port}", SIGHTLINE_HOST=wire.HOST,
            SIGHTLINE_PORT=str(self.port), SIGHTLINE_PUBLIC_URL=f"http://{wire.HOST}:{proxy_port}",
            SIGHTLINE_CLUSTER=database.address, SIGHTLINE_SECRET=SECRET, SIGHTLINE_APPLICATION_ID=wire.APPLICATION,
            SIGHTLINE_LOOPBACK_ONLY="true", SIGHTLINE_MEDIA_PORTS=ports, SIGHTLINE_LOG_FORMAT="text",
            SIGHTLINE_LOG_LEVEL="notice")

    async def start(self):
        await self.spawn(self.binary, "serve", "--config", str(FILES / "server.json"), **self.environment)
        await until(f"{self.name} is ready: {self.logged()[-1500:]}", self.is_ready)

    async def is_ready(self):
        if not self.runs:
            raise RuntimeError(f"{self.name} has ended by itself: {self.logged()[-2000:]}")
        try:
            status, _, _ = await asyncio.to_thread(wire.request, self.port, "GET", "/readyz", timeout=5)
            return status == 200
        except OSError:
            return False

    def routers(self):
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
                found = [int(child) for child in file.read().split()]
        except OSError:
            return []
        # Whichever of its threads has started it.
        for task in glob.glob(f"/proc/{self.process.pid}/task/*/children"):
            try:
                with open(task) as file:
                    found += [int(child) for child in file.read().split()]
            except OSError:
                pass
        return sorted(set(found))

    def kill_router(self):
        routers = self.routers()
        if not routers:
            raise RuntimeError(f"{self.name} has no router")
        for process in routers:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Proxy(Part):
    """HAProxy."""

    def __init__(self, folder):
        super().__init__("haproxy", folder)
        self.port = unused_port()

    async def start(self, nodes):
        program = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
        if program is None:
            raise SystemExit("HAProxy is not installed (apt install haproxy)")
        addresses = {f"SIGHTLINE_{node.name.upper()}": f"{wire.HOST}:{node.port}" for node in nodes}
        await self.spawn(
            program, "-db", "-f", str(FILES / "haproxy.cfg"), SIGHTLINE_PROXY=f"{wire.HOST}:{self.port}", **addresses)

        async def answers():
            if not self.runs:
                raise RuntimeError(f"HAProxy has ended by itself: {self.logged()[-1000:]}")
            try:
                return (await asyncio.to_thread(wire.request, self.port, "GET", "/readyz", timeout=5))[0] == 200
            except OSError:
                return False

        await until(f"the proxy answers: {self.logged()[-1000:]}", answers)


class Cluster:
    """All of it."""

    def __init__(self, binary, folder):
        self.binary, self.folder = os.path.abspath(binary), folder
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
            os.chmod(folder, 0o755)
        self.database, self.proxy = Database(folder), Proxy(folder)
        self.nodes = [
            Node(f"n{number}", folder, self.binary, self.database, self.proxy.port, f"{base}-{base + 199}")
            for number, base in ((1, 42000), (2, 42200), (3, 42400))]

    async def start(self):
        await self.database.start(self.binary)
        for node in self.nodes:
            await node.start()
        await self.proxy.start(self.nodes)

    async def end(self):
        await self.proxy.end()
        for node in self.nodes:
            node.send(signal.SIGCONT)
            node.send(signal.SIGKILL)
        await self.database.end()

    def get(self, path, scopes=("read",), port=None):
        """What the proxy, or a server, answers to someone who may read."""
        token = wire.api_token(SECRET, " ".join(scopes))
        status, _, body = wire.request(port or self.proxy.port, "GET", path, token=token, timeout=30)
        if status != 200:
            raise OSError(f"{path}: {status} {body[:200]!r}")
        return json.loads(body)

    async def status(self):
        return await run(self.binary, "cluster", "status", SIGHTLINE_CLUSTER=self.database.address)
