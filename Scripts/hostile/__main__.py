# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Attacks a server that carries a well-behaved call, and says what became of both. How to run it: Docs/hostile.md."""

import argparse
import asyncio
import dataclasses
import json
import os
import shutil
import sys
import time

import attacks
import bench
import door  # noqa: F401
import observed  # noqa: F401
import records  # noqa: F401
import session  # noqa: F401
# After `session`, whose attacks of the same letter are carried out first.
import legs  # noqa: F401
import surroundings
import table

# What the well-behaved call may notice of an attack.
SLOWEST_ACK = 1.0
LONGEST_GAP = 1.5
PACKETS_LOST = 3
# What may be left behind.
MEMORY = 0.10
DESCRIPTORS = 8
# The server gives free memory back to the system once a minute; it is not waited for longer than that takes.
SETTLE = 75.0


class Run:
    def __init__(self, options, chosen):
        self.options, self.chosen, self.rows = options, chosen, []
        self.folder = bench.scratch()
        self.server = self.call = None

    async def start(self):
        self.server = bench.Server(self.options.binary, self.folder)
        await self.server.start()
        self.call = bench.Call(self.options.binary, self.server, self.folder)
        await self.call.start()

    async def stop(self):
        if self.call:
            await self.call.stop()
        if self.server:
            await self.server.stop()

    async def all(self):
        await self.start()
        # Caches fill and pools grow with the first clients; that is no attack's doing.
        await self._calm(4)
        try:
            for attack in self.chosen:
                self.rows.append(await self.one(attack))
                self._say(self.rows[-1])
                # What an attack has left behind is not to hide what the next one does.
                if self.rows[-1].faults:
                    await self.stop()
                    await self.start()
        finally:
            await self.stop()
            shutil.rmtree(self.folder, ignore_errors=True)

    async def _calm(self, seconds):
        over = asyncio.Event()
        welcome = asyncio.create_task(self.call.welcome(over))
        await asyncio.sleep(seconds)
        over.set()
        await welcome

    async def one(self, attack):
        print(f"{attack.key:5} {attack.title} ...", file=sys.stderr, flush=True)
        before, begin = self.server.figures(), time.monotonic()
        restarts = self.server.router
        over = asyncio.Event()
        welcome = asyncio.create_task(self.call.welcome(over))
        result, peak = await self._attack(attack)
        over.set()
        await welcome
        after = await self._settle(before)
        end = time.monotonic()
        row = table.Row(attack.key, attack.title, result["sent"], result["saw"], begin=begin, end=end)
        row.faults = list(result["faults"])
        if self.server.ended:
            row.faults.insert(0, f"the server ended: {self.server.ended}")
        elif self.server.router != restarts:
            row.faults.insert(0, "the media router ended")
        self._judge(row, before, after, peak)
        return row

    async def _attack(self, attack):
        context = dict(
            port=self.server.port, pid=self.server.pid, router=self.server.router, secret=bench.SECRET,
            session=self.call.session, stream=self.call.stream, folder=self.folder, binary=self.options.binary,
            address=f"127.0.2.{1 + attacks.ATTACKS.index(attack)}", is_quick=self.options.quick)
        process = await asyncio.create_subprocess_exec(
            sys.executable, os.path.dirname(os.path.abspath(__file__)), "attack", attack.key,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        work = asyncio.create_task(process.communicate(json.dumps(context).encode()))
        until, peak = time.monotonic() + attack.limit + 20, 0
        while not work.done() and time.monotonic() < until:
            figures = self.server.figures()
            peak = max(peak, figures["server"] + figures["router"] if figures else 0)
            await asyncio.wait([work], timeout=0.25)
        if not work.done():
            process.kill()
        out, errors = await work
        try:
            return json.loads(out.splitlines()[-1]), peak
        except (IndexError, ValueError):
            word = "no result" if process.returncode >= 0 else "it did not end in its time"
            return dict(sent="", saw="", faults=[f"the attack itself failed ({word}): {errors.decode()[-400:]}"]), peak

    async def _settle(self, before):
        """The figures once they are back to what they were, or after the time that they have for it."""
        until = time.monotonic() + self.options.settle
        await asyncio.sleep(1 if self.options.quick else 2)
        while True:
            after = self.server.figures()
            if after is None or self._is_back(before, after) or time.monotonic() > until:
                return after
            await asyncio.sleep(0.5)

    @staticmethod
    def _is_back(before, after):
        return (
            all(after[who] <= Run._bound(before, who) for who in ("server", "router"))
            and after["descriptors"] <= before["descriptors"] + DESCRIPTORS
            and after["router_descriptors"] <= before["router_descriptors"] + DESCRIPTORS)

    @staticmethod
    def _bound(before, who):
        """Memory of its own that a process may have afterwards: a tenth of what is resident more."""
        return before[who] + MEMORY * before[f"{who}_resident"]

    def _judge(self, row, before, after, peak):
        call = self.call.verdict(row.begin, row.end)
        row.call, row.before, row.after, row.peak = call, before, after, peak
        if self.server.ended:
            return
        row.faults += call["faults"]
        if call["p99"] is None or call["p99"] > SLOWEST_ACK:
            row.faults.append(f"acknowledgements took {call['p99']:.2f} s (p99)" if call["p99"] else "no acknowledgements")
        if call["gap"] > LONGEST_GAP:
            row.faults.append(f"{call['gap']:.1f} s without media")
        if call["lost"] is None or call["lost"] > PACKETS_LOST:
            row.faults.append(f"{call['lost']} packets of the call were lost")
        if after and before:
            for who in ("server", "router"):
                if after[who] > self._bound(before, who):
                    row.faults.append(f"{who}: {before[who] / 1e6:.0f} MB before, {after[who] / 1e6:.0f} MB after")
            for who in ("descriptors", "router_descriptors"):
                if after[who] > before[who] + DESCRIPTORS:
                    row.faults.append(f"{who.replace('_', chr(39) + 's ')}: {before[who]} before, {after[who]} after")

    def _say(self, row):
        print(row.line(), file=sys.stderr, flush=True)


def build(binary, commit):
    """What is attacked, in words."""
    kind = "release" if "release" in os.path.realpath(binary) else "debug"
    return f"{kind} build of {commit}, {os.cpu_count()} cores"


def _names(key, attack):
    """Whether a key is an attack's, or that of a finding with several."""
    return attack == key or attack[:-1] == key and attack[-1].isalpha()


def main():
    if sys.argv[1:2] == ["attack"]:
        return attacks.run(sys.argv[2], json.load(sys.stdin))
    if sys.argv[1:2] == ["inside"]:
        return surroundings.inside(*sys.argv[2:4])
    parser = argparse.ArgumentParser(prog="hostile", description=__doc__)
    parser.add_argument("--binary", default=".build/release/sightline")
    parser.add_argument("--quick", action="store_true", help="only those that take a minute together")
    parser.add_argument("--only", default="", help="keys, such as C1,H2")
    parser.add_argument("--settle", type=float, default=SETTLE, help="seconds for memory and descriptors to return")
    parser.add_argument("--commit", default="an unknown commit", help="what was built")
    parser.add_argument("--output", help="a Markdown file whose table is replaced")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    keys = [key for key in options.only.split(",") if key]
    known = [attack.key for attack in attacks.ATTACKS]
    if unknown := [key for key in keys if not any(_names(key, k) for k in known)]:
        parser.error(f"there is no attack {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [a for a in attacks.ATTACKS if (not keys or any(_names(key, a.key) for key in keys)) and (a.quick or not options.quick)]
    run = Run(options, sorted(chosen, key=lambda a: ("CHMO".index(a.key[0]) if a.key != "CSRF" else 4)))
    os.umask(0o022)
    asyncio.run(run.all())
    text = table.markdown(run.rows, build(options.binary, options.commit))
    print(text)
    if options.output:
        table.replace(options.output, text)
    failed = [row for row in run.rows if row.faults]
    print(f"{len(run.rows) - len(failed)} of {len(run.rows)} attacks were withstood.", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
