# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Attacks on the router's ports and on what surrounds the server: environment, files, transport, other machines."""

import asyncio
import json
import os
import random
import socket
import ssl
import stat
import struct
import subprocess
import sys
import tempfile
import time

import bench
import wire
from attacks import attack


@attack("H5a", "what the router's process holds")
def router_environment(ctx):
    with open(f"/proc/{ctx.router}/environ", "rb") as file:
        names = [entry.split(b"=")[0].decode() for entry in file.read().split(b"\0") if entry]
    secret = [name for name in names if "SECRET" in name]
    with open(f"/proc/{ctx.router}/status") as file:
        privileges = "NoNewPrivs:\t1" in file.read()
    with open(f"/proc/{ctx.router}/limits") as file:
        limits = {line[:26].strip(): line[26:47].strip() for line in file}
    held = {}
    for number in os.listdir(f"/proc/{ctx.router}/fd"):
        try:
            held[int(number)] = os.readlink(f"/proc/{ctx.router}/fd/{number}")
        except OSError:
            pass
    files = [target for target in held.values() if ctx.folder in target and "server-" not in target]
    ctx.sent = "a look at /proc of the router"
    ctx.saw = (
        f"{len(names)} variables; no new privileges: {privileges}; "
        f"data {limits.get('Max data size')}, open files {limits.get('Max open files')}"
    )
    if secret:
        ctx.fault(f"the router's environment holds {', '.join(secret)}")
    if not privileges:
        ctx.fault("the router may gain privileges")
    if files:
        ctx.fault(f"the router holds {', '.join(files)}")


def udp_ports(pid):
    inodes = set()
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{number}")
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for table in ("udp", "udp6"):
        with open(f"/proc/{pid}/net/{table}") as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[9] in inodes:
                    found.append(int(fields[1].split(":")[1], 16))
    return sorted(set(found))


@attack("H5b", "garbage datagrams at the router's ports")
def garbage(ctx):
    ports = udp_ports(ctx.router)
    seed = int.from_bytes(os.urandom(4), "big")
    made = random.Random(seed)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind((ctx.address, 0))
    same_address = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    same_address.bind((wire.HOST, 0))
    count = 0
    until = time.monotonic() + 8
    while time.monotonic() < until and ports:
        for _ in range(40):
            size = made.choice([0, 1, 2, 12, 20, 28, 60, 200, 1200, 1472])
            body = bytearray(made.randbytes(size))
            kind = made.randrange(5)
            if size and kind == 0:
                body[0] = 0x80 | made.randrange(64)  # RTP and RTCP
                if size > 1:
                    body[1] = made.choice([96, 111, 200, 201, 205, 206])
            elif size and kind == 1:
                body[0] = made.choice([20, 21, 22, 23])  # DTLS
            elif size >= 20 and kind == 2:
                body[:8] = struct.pack("!HHI", made.choice([1, 0x101, 0x11]), (size - 20) & ~3, 0x2112A442)  # STUN
            elif size and kind == 3:
                body[0] = made.randrange(4)
            for source in (sender, same_address):
                try:
                    source.sendto(body, (wire.HOST, made.choice(ports)))
                    count += 1
                except OSError:
                    pass
        time.sleep(0.01)
    ctx.sent = f"{count:,} datagrams like STUN, DTLS, RTP, RTCP and nothing (seed {seed})"
    ctx.saw = f"{len(ports)} ports"
    if not ports:
        ctx.fault("no port of the router was found")


@attack("M12", "who may read the files")
def file_modes(ctx):
    open_to_all = []
    seen = 0
    for name in sorted(os.listdir(ctx.folder)):
        if name.startswith("server-"):
            continue
        mode = stat.S_IMODE(os.stat(os.path.join(ctx.folder, name)).st_mode)
        seen += 1
        if mode & 0o077:
            open_to_all.append(f"{name.split('.', 1)[-1]} {mode:o}")
    ctx.sent = "a look at the store and a recording, made with the umask 022"
    ctx.saw = f"{seen} files, open to others: {', '.join(open_to_all) or 'none'}"
    if open_to_all:
        ctx.fault(f"others may read {', '.join(open_to_all)}")


FIXTURES = os.path.join(os.path.dirname(__file__), "..", "..", "Tests", "Fixtures", "tls")


@attack("M9a", "TLS 1.0 and 1.1, and the headers over TLS")
async def old_tls(ctx):
    with tempfile.TemporaryDirectory(prefix="sightline-hostile-") as folder:
        server = bench.Server(
            ctx.binary, folder,
            ["--loopback-only", "--tls-certificate", os.path.join(FIXTURES, "certificate.pem"),
             "--tls-key", os.path.join(FIXTURES, "key.pem")])
        await server.start()
        try:
            old = [name for name, version in (("1.0", 1), ("1.1", 2)) if _hello(server.port, version)]
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            reader, writer = await asyncio.open_connection(wire.HOST, server.port, ssl=context)
            version = writer.get_extra_info("ssl_object").version()
            writer.write(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            writer.close()
        finally:
            await server.stop()
    ctx.sent = "greetings of TLS 1.0 and 1.1, and one of the present"
    ctx.saw = f"old versions taken: {', '.join(old) or 'none'}; new one: {version}; HSTS: {'strict-transport' in head}"
    if old:
        ctx.fault(f"TLS {', '.join(old)} is taken")
    if "strict-transport-security" not in head:
        ctx.fault("no HSTS over TLS")


def _hello(port, minor):
    """Whether a server goes on with a client whose best is TLS 1.`minor - 1`."""
    ciphers = [0xC013, 0xC014, 0xC009, 0xC00A, 0x002F, 0x0035, 0x000A]
    extensions = struct.pack("!HHHHH", 10, 6, 4, 23, 24) + struct.pack("!HHBB", 11, 2, 1, 0)
    body = bytes([3, minor]) + os.urandom(32) + b"\0" + struct.pack("!H", 2 * len(ciphers))
    body += b"".join(struct.pack("!H", c) for c in ciphers) + b"\x01\0" + struct.pack("!H", len(extensions)) + extensions
    hello = b"\x01" + struct.pack("!I", len(body))[1:] + body
    with socket.create_connection((wire.HOST, port), timeout=5) as s:
        s.sendall(b"\x16\x03\x01" + struct.pack("!H", len(hello)) + hello)
        try:
            answer = s.recv(6)
        except OSError:
            return False
    return len(answer) == 6 and answer[0] == 0x16 and answer[5] == 2


# In a network namespace of its own, where other machines can be made up.


@attack("M9b", "plain HTTP to other machines without a word")
def plain_http(ctx):
    _in_namespace(ctx, "plain")


@attack("M4", "candidates that point into the server's own network", limit=60)
def inner_candidates(ctx):
    _in_namespace(ctx, "candidates")


def _in_namespace(ctx, what):
    command = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user", "--user"]), "--net", "--mount",
               sys.executable, os.path.dirname(__file__), "inside", what, ctx.binary]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50)
    try:
        result = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        ctx.fault(f"the namespace could not be made: {done.stderr[-300:]}")
        return
    ctx.sent, ctx.saw = result["sent"], result["saw"]
    ctx.faults += result["faults"]


PLACES = {
    "loopback": "127.0.0.1", "another loopback": "127.9.9.9", "metadata": "169.254.169.254", "own interface": "198.18.0.1",
    "multicast": "224.0.0.251", "broadcast": "255.255.255.255", "unspecified": "0.0.0.0",
    "loopback (v6)": "::1", "mapped loopback": "::ffff:127.0.0.1", "link-local (v6)": "fe80::1234",
}
FORBIDDEN = [name for name in PLACES if name != "own interface"]


def inside(what, binary):
    """The part of `M4` and `M9b` that runs in a namespace."""
    for command in (
        "ip link set lo up", "ip link add outer type veth peer name other", "ip addr add 198.18.0.1/24 dev outer",
        "ip addr add 169.254.169.254/16 dev outer", "ip addr add fe80::1234/64 dev outer nodad",
        "ip link set outer up", "ip link set other up", "ip route add default dev outer",
    ):
        subprocess.run(command.split(), check=True, capture_output=True)
    run = _candidates if what == "candidates" else _plain
    print(json.dumps(asyncio.run(run(binary))))


async def _plain(binary):
    with tempfile.TemporaryDirectory(prefix="sightline-hostile-") as folder:
        server = bench.Server(binary, folder, [], host="0.0.0.0")
        await server.start()
        await server.stop()
        with open(server.log) as file:
            log = file.read()
    warns = any(word in log.lower() for word in ("plain http", "unencrypted", "not encrypted", "without tls", "tls-certificate"))
    faults = [] if warns else ["plain HTTP to every interface starts without a warning"]
    return dict(sent="serve --host 0.0.0.0 without a certificate", saw="a warning" if warns else "no warning", faults=faults)


async def _candidates(binary):
    counts = {name: 0 for name in PLACES}
    names = [0]
    sockets = {}
    for name, address in PLACES.items():
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        s = socket.socket(family, socket.SOCK_DGRAM)
        s.setblocking(False)
        try:
            scope = (address, 0, 0, socket.if_nametoindex("outer")) if address.startswith("fe80") else (address, 0)
            if name in ("multicast", "broadcast", "unspecified", "mapped loopback"):
                scope = ("0.0.0.0" if family == socket.AF_INET else "::", 0)
            s.bind(scope)
            if name == "multicast":
                s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                             socket.inet_aton(address) + socket.inet_aton("198.18.0.1"))
        except OSError:
            s.close()
            continue
        sockets[name] = s
    resolver = _resolver()
    with tempfile.TemporaryDirectory(prefix="sightline-hostile-") as folder:
        server = bench.Server(binary, folder, [])
        await server.start()
        try:
            session = wire.create_session(server.port, bench.SECRET)
            client = await wire.Client.join(server.port, wire.client_token(bench.SECRET, session))
            lines = [
                f"candidate:{n} 1 udp 2122260223 {PLACES[name]} {s.getsockname()[1]} typ host generation 0"
                for n, (name, s) in enumerate(sockets.items(), 1)
            ]
            hostname = "candidate:99 1 udp 2122260223 secrets.internal.example 5000 typ host generation 0"
            await wire.publish(client, "in-the-offer", wire.offer(candidates=[*lines, hostname]))
            await wire.publish(client, "trickled", wire.offer())
            for line in [*lines, hostname]:
                client.send("candidate", leg="trickled", mid="0", lineIndex=0, candidate=line)
            until = time.monotonic() + 10
            while time.monotonic() < until:
                for name, s in sockets.items():
                    counts[name] += _drain(s)
                if resolver:
                    names[0] += _drain(resolver, b"internal")
                await asyncio.sleep(0.05)
            client.end()
        finally:
            await server.stop()
    hit = {name: count for name, count in counts.items() if count}
    wrong = [name for name in FORBIDDEN if hit.get(name)]
    faults = [f"the router probes: {', '.join(wrong)}"] if wrong else []
    if names[0]:
        faults.append(f"the router asked for a name of the attacker's {names[0]} times")
    return dict(
        sent=f"candidates to {len(sockets)} kinds of address and a host name, in an offer and trickled",
        saw=f"probes in 10 s: {hit or 'none'}; look-ups: {names[0] if resolver else 'not measured'}", faults=faults)


def _resolver():
    """A socket in the place of the name server; `None` if there cannot be one."""
    try:
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write("nameserver 127.0.0.1\n")
        subprocess.run(["mount", "--make-rprivate", "/"], check=True, capture_output=True)
        subprocess.run(["mount", "--bind", file.name, "/etc/resolv.conf"], check=True, capture_output=True)
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 53))
        s.setblocking(False)
        return s
    except (OSError, subprocess.CalledProcessError):
        return None


def _drain(s, containing=b""):
    count = 0
    while True:
        try:
            data = s.recv(2048)
        except OSError:
            return count
        count += containing in data
