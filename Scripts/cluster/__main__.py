# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Runs the files in Packaging/cluster: three servers, PostgreSQL with a synchronous standby, HAProxy.

cluster files PROGRAM: each part once, in the order of the guide. Exit code 1 if anything does not hold.
cluster roll PROGRAM [--calls 100]: each server is drained, ended and started again, one after the other, under that many calls that
send telemetry, a real call, and participants who join all the time. Exit code 1 if one of those cannot join, a sample is lost or
doubled, an id changes, a server does not end in time, or media is away for more than 3 s.
cluster chaos PROGRAM [--rounds 200] [--seed N] [--only freeze_node]: kills and stops parts at random while clients send telemetry,
participants report observed calls, and a real call goes on; acknowledged samples that are lost or doubled are counted at every
server. Exit code 1 if there are any.
"""

import argparse
import asyncio
import os
import random
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hostile"))

import bench  # noqa: E402
import load  # noqa: E402
import parts  # noqa: E402
import wire  # noqa: E402


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def check(condition, text):
    say(("ok: " if condition else "FAILED: ") + text)
    if not condition:
        raise SystemExit(1)


class Call:
    """A real call, of the command line tool's clients: how long its media is away."""

    LEAST_PACKETS = 5

    def __init__(self, cluster):
        self.cluster = cluster
        self.publisher, self.subscriber = bench.Party("publish"), bench.Party("subscribe")

    async def start(self):
        port = self.cluster.proxy.port
        session = await asyncio.to_thread(wire.create_session, port, parts.SECRET)
        token = wire.client_token
        await self.publisher.start(
            self.cluster.binary, port, token(parts.SECRET, session, name="alice"), "--resolution", "320x180")
        await self.subscriber.start(self.cluster.binary, port, token(parts.SECRET, session, "subscriber", "bob"))
        await self.flows(time.monotonic(), 60)

    def moments(self):
        """When the subscriber's reports said that packets of video came."""
        last, found = 0, []
        for at, kind, stats in self.subscriber.reports:
            if kind != "video":
                continue
            packets = stats.get("videoPacketsReceived") or 0
            # After a reconnection they are counted anew.
            if packets - last >= self.LEAST_PACKETS or 0 < packets < last:
                found.append(at)
            last = packets
        return found

    async def flows(self, since, seconds):
        async def comes():
            if self.ended:
                raise RuntimeError(f"the call has ended: {self.subscriber.life[-3:]} {self.publisher.life[-3:]}")
            return any(at > since for at in self.moments())

        await parts.until("media comes", comes, seconds)

    @property
    def ended(self):
        return any(party.process.returncode is not None for party in (self.publisher, self.subscriber))

    def longest_gap(self, since, end):
        moments = [since] + [at for at in self.moments() if since < at < end] + [end]
        return max(b - a for a, b in zip(moments, moments[1:]))

    async def stop(self):
        await self.subscriber.stop()
        await self.publisher.stop()


async def settled(cluster, senders, since):
    """Waits until what was logged can be read: of each server that died another one has recovered the log."""

    async def is_read():
        read = load.reader(cluster)
        lost, _, _ = await asyncio.to_thread(senders.check, read)
        return lost == 0

    try:
        await parts.until("everything acknowledged is in the history", is_read, since)
    except (RuntimeError, OSError):
        return False
    return True


async def verdict(cluster, senders):
    """Lost, doubled, acknowledged: the worst of what the three servers say."""
    results = []
    for node in cluster.nodes:
        results.append(await asyncio.to_thread(senders.check, load.reader(cluster, node.port)))
    return max(r[0] for r in results), max(r[1] for r in results), results[0][2]


async def end_under_joins(cluster, node, first):
    """Ends a server while participants join sessions that begin meanwhile: how many, and what failed of it."""

    async def join(number):
        try:
            session = await asyncio.to_thread(wire.create_session, cluster.proxy.port, parts.SECRET, "relayed")
        except (OSError, RuntimeError) as error:
            return [f"no session: {error}"]
        sender = load.Sender(number, session, cluster.proxy.port)

        async def is_in():
            return sender.connection is not None or sender.failed_joins

        try:
            await parts.until("a participant is in", is_in, 10)
        except RuntimeError:
            sender.failed_joins.append("not within 10 s")
        await sender.stop()
        return sender.failed_joins

    ended = asyncio.get_running_loop().create_task(node.end(90))
    joins = []
    while not ended.done():
        joins.append(asyncio.get_running_loop().create_task(join(first + len(joins))))
        await asyncio.sleep(0.5)
    return len(joins), [failure for failures in await asyncio.gather(*joins) for failure in failures]


# Each part once, in the order of the guide


async def files(cluster, options):
    say("starting PostgreSQL with its standby, three servers, and HAProxy")
    for node in cluster.nodes:
        node.environment["SIGHTLINE_DRAIN_WITHIN"] = "10"
    await cluster.start()
    status = await cluster.status()
    check(all(f"{node.name} at " in status for node in cluster.nodes), "the three servers are in the directory")
    senders = load.Load(cluster, 6)
    await senders.begin()
    await senders.flows(60)
    check(True, "sessions begin and are joined by HAProxy, and telemetry is acknowledged")

    say("n1 is upgraded: SIGTERM, and started again")
    first = cluster.nodes[0]
    joined, failed = await end_under_joins(cluster, first, 9000)
    check(first.process.returncode == 0, f"n1 has given its sessions away and ended ({joined} joined meanwhile)")
    check(not failed, f"no join failed ({failed} of {joined})")
    await senders.flows(60)
    await first.start()

    say("n2 is killed, for good as far as the others know")
    await cluster.nodes[1].kill()
    await senders.flows(60)
    check(await settled(cluster, senders, 60), "what it had acknowledged is in the history without it")
    await cluster.nodes[1].start()

    say("the primary is killed, and the standby promoted")
    at = time.monotonic()
    await cluster.database.fail_over()
    await senders.flows(60)
    check(True, f"telemetry is acknowledged again {time.monotonic() - at:.1f} s later")
    await cluster.database.follow()
    check(True, "the primary of before is the standby, and is waited for")
    await senders.flows(60)

    say("HAProxy is killed, and started again")
    await cluster.proxy.kill()
    await cluster.proxy.start(cluster.nodes)
    await senders.flows(60)
    await senders.stop()
    await settled(cluster, senders, 30)
    lost, doubled, acknowledged = await verdict(cluster, senders)
    changes = sum(sender.changes for sender in senders.senders)
    check(lost == 0 and doubled == 0, f"{acknowledged} samples acknowledged, {lost} lost, {doubled} doubled")
    check(changes == 0, f"{changes} connections or streams came back under other ids "
          f"{[change for sender in senders.senders for change in sender.changed]}")


# Each server after the other, under calls


async def roll(cluster, options):
    within = 10
    for node in cluster.nodes:
        node.environment["SIGHTLINE_DRAIN_WITHIN"] = str(within)
    await cluster.start()
    senders, call = load.Load(cluster, options.calls), Call(cluster)
    await senders.begin()
    await senders.flows(120)
    await call.start()
    say(f"{options.calls} calls send telemetry, and one has media; each server has {within} s for its sessions")
    joins, failures, gaps = 0, [], []
    for number, node in enumerate(cluster.nodes):
        at = time.monotonic()
        joined, failed = await end_under_joins(cluster, node, 9000 + 1000 * number)
        took = time.monotonic() - at
        joins, failures = joins + joined, failures + failed
        # Twenty sessions a second are given away from the deadline on, and it answers for eight seconds more.
        limit = within + 8 + (options.calls + joins) / 20 + 5
        check(
            node.process.returncode == 0 and took < limit,
            f"{node.name} has ended after {took:.1f} s (limit {limit:.0f} s)")
        await senders.flows(60)
        await node.start()
        await call.flows(time.monotonic(), 60)
        gaps.append(call.longest_gap(at, time.monotonic()))
        say(f"{node.name} is back; {joined} joined meanwhile, media was away for {gaps[-1]:.1f} s at most")
    await senders.flows(60)
    await senders.stop()
    await call.stop()
    await settled(cluster, senders, 60)
    lost, doubled, acknowledged = await verdict(cluster, senders)
    changes = sum(sender.changes for sender in senders.senders)
    faults = {}
    for sender in senders.senders:
        for fault, count in sender.faults.items():
            faults[fault] = faults.get(fault, 0) + count
    say(f"the calls' sockets ended so: {faults}")
    check(not failures, f"{joins} joined while servers ended, failed: {failures}")
    check(lost == 0 and doubled == 0, f"{acknowledged} samples acknowledged, {lost} lost, {doubled} doubled")
    check(changes == 0, f"{changes} connections or streams came back under other ids")
    check(max(gaps) <= 3, f"media was away for {max(gaps):.1f} s at most (goal 3)")


# Anything at any time


class Chaos:
    KINDS = [
        "kill_node", "kill_node_for_long", "stop_node", "freeze_node", "kill_router", "fail_over", "stop_database",
        "kill_proxy", "drain_node"]

    def __init__(self, cluster, options):
        self.cluster, self.random = cluster, random.Random(options.seed)
        self.kinds = [getattr(self, kind) for kind in options.only or self.KINDS]

    def some(self, least, most):
        return self.random.uniform(least, most)

    def node(self):
        return self.random.choice(self.cluster.nodes)

    async def kill_node(self):
        """Killed, and there again before anyone counts it as gone."""
        node = self.node()
        await node.kill()
        await asyncio.sleep(self.some(0, 4))
        await node.start()

    async def kill_node_for_long(self):
        """Killed, and there again when the others have taken over what it had, or are about to."""
        node = self.node()
        await node.kill()
        await asyncio.sleep(self.some(8, 16))
        await node.start()

    async def stop_node(self):
        """Frozen, and it continues, maybe as one that counts as gone."""
        node = self.node()
        node.send(signal.SIGSTOP)
        await asyncio.sleep(self.some(1, 20))
        node.send(signal.SIGCONT)

    async def freeze_node(self):
        """Frozen with what it was about to store, for so long that its calls are others' when it continues."""
        node, primary = self.node(), self.cluster.database.primary
        primary.send_all(signal.SIGSTOP)
        await asyncio.sleep(self.some(0, 2))
        node.send(signal.SIGSTOP)
        primary.send_all(signal.SIGCONT)
        await asyncio.sleep(15)
        node.send(signal.SIGCONT)

    async def kill_router(self):
        """Of each server, so that it is the call's, too."""
        for node in self.cluster.nodes:
            node.kill_router()

    async def fail_over(self):
        """The primary is killed, its standby promoted, and the one before is its standby."""
        await self.cluster.database.fail_over()
        await self.cluster.database.follow()

    async def stop_database(self):
        primary = self.cluster.database.primary
        primary.send_all(signal.SIGSTOP)
        await asyncio.sleep(self.some(1, 15))
        primary.send_all(signal.SIGCONT)

    async def kill_proxy(self):
        await self.cluster.proxy.kill()
        await asyncio.sleep(self.some(0, 2))
        await self.cluster.proxy.start(self.cluster.nodes)

    async def drain_node(self):
        node = self.node()
        node.send(signal.SIGTERM)
        await asyncio.wait_for(node.process.wait(), 90)
        await node.start()

    def mishap(self, number):
        """Each kind once, and then by chance."""
        return self.kinds[number] if number < len(self.kinds) else self.random.choice(self.kinds)


class Ledger:
    """What was acknowledged to some senders, in all rounds, and what of it is lost or doubled."""

    def __init__(self, name, senders):
        self.name, self.senders = name, senders
        self.lost = self.doubled = self.acknowledged = 0

    async def begin(self):
        await self.senders.begin()
        await self.senders.flows(60)

    async def close(self, cluster):
        """Counts what the senders know; they are over then."""
        await self.senders.stop()
        await settled(cluster, self.senders, 60)
        lost, doubled, acknowledged = await verdict(cluster, self.senders)
        self.lost, self.doubled, self.acknowledged = (
            self.lost + lost, self.doubled + doubled, self.acknowledged + acknowledged)

    def __str__(self):
        return f"{self.name}: {self.acknowledged} samples acknowledged, {self.lost} lost, {self.doubled} doubled"

    @property
    def is_good(self):
        return self.lost == 0 and self.doubled == 0


async def chaos(cluster, options):
    say(f"seed {options.seed}, {options.rounds} rounds")
    for node in cluster.nodes:
        node.environment["SIGHTLINE_DRAIN_WITHIN"] = "2"
    await cluster.start()
    mishaps = Chaos(cluster, options)
    clients, observed = load.Load(cluster, options.senders), load.ObservedLoad(cluster, options.observed)
    ledgers, call = [Ledger("clients", clients), Ledger("observed calls", observed)], Call(cluster)
    for ledger in ledgers:
        await ledger.begin()
    await call.start()
    gaps, changes, refused, calls_ended = {}, 0, 0, 0
    try:
        for number in range(options.rounds):
            mishap, at = mishaps.mishap(number), time.monotonic()
            await asyncio.sleep(mishaps.some(0.5, 3))
            await mishap()
            await asyncio.gather(*(ledger.senders.flows(120) for ledger in ledgers))
            try:
                await call.flows(time.monotonic(), 90)
            except RuntimeError as error:
                calls_ended += 1
                say(f"{error}")
                await call.stop()
                call = Call(cluster)
                await call.start()
            name = mishap.__name__
            gap = call.longest_gap(at, time.monotonic())
            gaps.setdefault(name, []).append(gap)
            say(f"round {number + 1}: {name}, media away for {gap:.1f} s, {time.monotonic() - at:.0f} s in all")
            is_last = number + 1 == options.rounds
            if (number + 1) % options.every == 0 or is_last:
                for ledger in ledgers:
                    await ledger.close(cluster)
                    say(f"{ledger}")
                changes += sum(sender.changes for sender in clients.senders)
                refused += observed.refused
                say(f"other ids {changes}, reports refused {refused}")
                for ledger in [] if is_last else ledgers:
                    await ledger.begin()
    finally:
        for ledger in ledgers:
            await ledger.senders.stop()
        await call.stop()
    for name, values in sorted(gaps.items()):
        say(f"{name}: {len(values)} times, media away for {sorted(values)[len(values) // 2]:.1f} s, at most {max(values):.1f} s")
    say(f"seed {options.seed}: {options.rounds} rounds; {'; '.join(map(str, ledgers))}; {refused} reports refused; "
        f"{changes} connections or streams under other ids; {calls_ended} calls ended")
    return all(ledger.is_good for ledger in ledgers)


async def main(options):
    folder = tempfile.mkdtemp(prefix="slcluster-", dir="/tmp")
    cluster = parts.Cluster(options.program, folder)
    is_good = False
    try:
        is_good = await dict(files=files, roll=roll, chaos=chaos)[options.command](cluster, options) is not False
    except RuntimeError as error:
        say(f"FAILED: {error}")
    finally:
        await cluster.end()
        if is_good:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            say(f"the logs are in {folder}")
    return 0 if is_good else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["files", "roll", "chaos"])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1, 10**9))
    parser.add_argument("--senders", type=int, default=6)
    parser.add_argument("--observed", type=int, default=4, help="observed calls, of two each")
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--only", action="append", choices=Chaos.KINDS, help="nothing else happens; may be repeated")
    parser.add_argument("--every", type=int, default=5, help="rounds after which the history is compared")
    sys.exit(asyncio.run(main(parser.parse_args())))
