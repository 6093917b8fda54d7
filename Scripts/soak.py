# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Sessions whose clients come and go beside a real call, with memory and descriptors of server and router.

Exit code 1 if anything grows faster than the bounds below, or the call or a visit suffers.
"""

import argparse
import asyncio
import os
import random
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile"))

import bench  # noqa: E402
import wire  # noqa: E402

# What may grow in an hour, by a straight line through everything after the warm-up.
BOUNDS = dict(server=24e6, router=24e6, descriptors=30, router_descriptors=30)
WARM_UP = 0.25
LOST = (wire.Refused, OSError, asyncio.IncompleteReadError, TimeoutError, asyncio.TimeoutError)


class Soak:
    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.folder = bench.scratch()
        self.visits, self.faults, self.samples, self.present = 0, {}, [], 0

    async def run(self):
        server = self.server = bench.Server(self.options.binary, self.folder)
        await server.start()
        call = bench.Call(self.options.binary, server, self.folder)
        try:
            await call.start()
            # The call's and the probes' are two of them; every tenth goes through the router.
            self.sessions = [
                (await asyncio.to_thread(wire.create_session, server.port, bench.SECRET, mode), mode)
                for mode in ("routed" if n % 10 == 0 else "relayed" for n in range(self.options.sessions - 2))]
            begin = time.monotonic()
            await self._visitors(begin + self.options.duration, begin)
            end = time.monotonic()
            # Those that vanished are waited for; then only the call is left.
            await asyncio.sleep(self.options.after)
            last = server.figures()
            verdict = call.verdict(begin + 1, end)
        finally:
            await call.stop()
            await server.stop()
            shutil.rmtree(self.folder, ignore_errors=True)
        return self._report(verdict, last)

    async def _visitors(self, until, begin):
        visits, at, said = set(), begin, begin
        while (now := time.monotonic()) < until:
            if self.server.ended or not self.server.figures():
                self.faults["the server or its router ended"] = 1
                return
            figures = self.server.figures()
            self.samples.append((now - begin, dict(figures, descriptors=figures["descriptors"] - self.present)))
            if now - said >= 60:
                said = now
                self._say(now - begin, figures)
            while at < now:
                visit = asyncio.create_task(self._visit(*self.random.choice(self.sessions), self.random.random()))
                visits.add(visit)
                visit.add_done_callback(visits.discard)
                at += 1 / self.options.rate
            await asyncio.sleep(0.5)
        await asyncio.gather(*visits)

    def _say(self, seconds, figures):
        memory = ", ".join(f"{who} {figures[who] / 1e6:.1f} MB" for who in ("server", "router"))
        print(
            f"{seconds:6.0f} s  {self.visits} visits, {self.present} clients, {memory}, descriptors "
            f"{figures['descriptors']} and {figures['router_descriptors']}", file=sys.stderr, flush=True)

    async def _visit(self, session, mode, fate):
        """Two clients come, publish, subscribe, tell how they are, and go."""
        clients = []
        try:
            for role in ("publisher", "subscriber"):
                token = wire.client_token(bench.SECRET, session, role, f"{role} {self.visits}")
                client = await wire.Client.join(self.server.port, token, client="soak", resumable=fate < 0.3, timeout=20)
                clients.append(client)
                self.present += 1
                client.is_kept = False
            alice, bob = clients
            is_routed = mode == "routed"
            published = await wire.publish(alice, "cam", wire.offer() if is_routed else None)
            await wire.subscribe(bob, "sub", published["stream"]["id"], wire.offer("recvonly") if is_routed else None)
            for _ in range(1 + int(fate * 97) % 5):
                for client, leg in ((alice, "cam"), (bob, "sub")):
                    await client.ask("telemetry", events=[wire.event(leg)], timeout=20)
                await asyncio.sleep(2)
            if fate < 0.15:
                await self._come_back(bob)
            if fate < 0.3 or fate > 0.85:
                return
            for client in clients:
                await client.ask("leave", timeout=20)
        except LOST as error:
            name = str(error)[:90] or type(error).__name__
            self.faults[name] = self.faults.get(name, 0) + 1
        finally:
            self.visits += 1
            for client in clients:
                client.writer.transport.abort()
                client.end()
                self.present -= 1

    async def _come_back(self, client):
        client.writer.transport.abort()
        again = await wire.Client.open(self.server.port, timeout=20)
        try:
            token = client.joined["resumption"]["token"]
            await again.ask("resume", version=1, token=token, received=client.confirmed, timeout=20)
        finally:
            again.writer.transport.abort()
            again.end()

    def _report(self, verdict, last):
        failed = list(self.faults)
        print(f"{self.visits} visits of two clients to {len(self.sessions)} sessions, seed {self.options.seed}")
        for fault, count in self.faults.items():
            print(f"  {count} x {fault}")
        warm = [(at, f) for at, f in self.samples if at >= self.options.duration * WARM_UP]
        print("| | First | Last | Slope per hour | Bound | At the end, without visitors |\n| --- | --- | --- | --- | --- | --- |")
        for key, bound in BOUNDS.items():
            slope = 3600 * least_squares([(at, figures[key]) for at, figures in warm])
            # The mean of ten seconds: a single look meets a client or not.
            first, final = (sum(f[key] for _, f in part) / len(part) for part in (warm[:20], warm[-20:]))
            unit, scale = ("MB", 1e6) if "descriptors" not in key else ("", 1)
            row = [first, final, slope, bound, last[key] if last else float("nan")]
            cells = [f"{value / scale:.1f} {unit}".strip() for value in row]
            name = key.replace("router_d", "router's d").replace("descriptors", "descriptors beside the clients'" if key == "descriptors" else "descriptors")
            print(f"| {name} | " + " | ".join(cells) + " |")
            if slope > bound:
                failed.append(f"{key} grow")
        worst = f"{verdict['p99'] * 1000:.0f} ms" if verdict["p99"] else "none"
        print(f"the call: {verdict['lost']} packets lost, longest gap {verdict['gap']:.1f} s; {verdict['acks']} acknowledgements, p99 {worst}")
        failed += verdict["faults"]
        if verdict["lost"] is None or verdict["gap"] > 1.5 or not verdict["p99"] or verdict["p99"] > 1:
            failed.append("the call suffered")
        print("failed: " + "; ".join(failed) if failed else "flat")
        return 1 if failed else 0


def least_squares(points):
    """The slope of the straight line through them."""
    if len(points) < 2:
        return 0
    x, y = (sum(values) / len(points) for values in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def main():
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--binary", default=".build/release/sightline")
    parser.add_argument("--duration", type=float, default=1200, help="seconds")
    parser.add_argument("--sessions", type=int, default=1000, help="with the call's and the probes'; 3 or more")
    parser.add_argument("--rate", type=float, default=10, help="visits a second")
    parser.add_argument("--after", type=float, default=75, help="seconds after the last visit, for those that vanished")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    options = parser.parse_args()
    if options.sessions < 3:
        parser.error("--sessions is 3 or more")
    options.binary = os.path.abspath(options.binary)
    print(f"seed {options.seed}", file=sys.stderr)
    return asyncio.run(Soak(options).run())


sys.exit(main())
