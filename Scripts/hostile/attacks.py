# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What an attack is."""

import dataclasses
import inspect
import json
import os
import time
import asyncio

import wire

ATTACKS = []


@dataclasses.dataclass
class Attack:
    key: str
    title: str
    run: object
    limit: float
    quick: bool


def attack(key, title, limit=60, quick=False):
    """Registers a function of a `Context` as an attack that ends within `limit` seconds."""

    def register(run):
        ATTACKS.append(Attack(key, title, run, limit, quick))
        return run

    return register


@dataclasses.dataclass
class Context:
    """Where the attack finds the server and its victims, and what it hands back."""

    port: int
    pid: int
    router: int
    secret: str
    session: str
    stream: str
    folder: str
    binary: str
    # Who attacks has an address of its own, as it would have elsewhere; all of 127.0.0.0/8 is the loopback interface.
    address: str
    is_quick: bool
    sent: str = ""
    saw: str = ""
    faults: list = dataclasses.field(default_factory=list)

    def token(self, session=None, role="publisher", name="mallory", seconds=3600):
        return wire.client_token(self.secret, session or self.session, role, name, seconds)

    def seconds(self, seconds):
        """How long something goes on, that may be shorter."""
        return seconds / 2 if self.is_quick else seconds

    def raw(self, **options):
        return wire.Raw(self.port, self.address, **options)

    def api(self, scopes, seconds=3600):
        return wire.api_token(self.secret, scopes, seconds)

    def new_session(self, mode="routed"):
        return wire.create_session(self.port, self.secret, mode)

    async def join(self, session=None, role="publisher", name="mallory", token=None, source=None, **members):
        return await wire.Client.join(
            self.port, token or self.token(session, role, name), source=source or self.address, client="hostile",
            **members
        )

    async def join_many(self, count, session, role="publisher", token=None, at_once=20, is_listening=True, **members):
        """As many as are let in; and what the others heard. Without a token each is somebody, and somewhere, else."""
        clients, refusals = [], {}

        async def one(number):
            try:
                source = self.address if token else f"127.1.{number // 200}.{number % 200 + 1}"
                client = await self.join(session, role, f"member {number}", token, **dict(dict(source=source), **members))
                client.is_kept, client.is_listening = False, is_listening
                clients.append(client)
            except (wire.Refused, OSError, asyncio.IncompleteReadError, TimeoutError, asyncio.TimeoutError) as error:
                name = getattr(error, "code", None) or type(error).__name__
                refusals[name] = refusals.get(name, 0) + 1

        for start in range(0, count, at_once):
            await asyncio.gather(*(one(n) for n in range(start, min(count, start + at_once))))
        return clients, refusals

    def get(self, path, scopes, **more):
        return wire.request(self.port, "GET", path, token=self.api(scopes), source=self.address, **more)

    def descriptors(self, pid=None):
        """Of the server, or of another process."""
        return len(os.listdir(f"/proc/{pid or self.pid}/fd"))

    def memory(self):
        """Of server and router, MB."""
        import bench

        found = [bench.process_figures(pid) for pid in (self.pid, self.router)]
        return sum(f[1] for f in found if f) / 1e6

    def fault(self, text):
        self.faults.append(text)


def run(key, context):
    """Carries an attack out; the context with what came of it."""
    chosen = next(a for a in ATTACKS if a.key == key)
    context = Context(**context)
    # The machine is the server's and the call's; the attacker would have one of its own.
    os.nice(10)
    try:
        if inspect.iscoroutinefunction(chosen.run):
            asyncio.run(_within(chosen, context))
        else:
            chosen.run(context)
    except ModuleNotFoundError as error:
        context.fault(f"Python has no {error.name}; please install python3-{error.name} (apt-get install python3-{error.name})")
    except (OSError, wire.Refused, asyncio.IncompleteReadError, TimeoutError, asyncio.TimeoutError) as error:
        # A server that shuts the door on an attack has answered it; one that is gone is the bench's to notice.
        context.saw += f"{'; ' if context.saw else ''}ended by {type(error).__name__}: {str(error)[:80]}"
    if not context.sent:
        context.fault("the attack could not be carried out")
    print(json.dumps(dict(sent=context.sent, saw=context.saw, faults=context.faults)))


async def _within(chosen, context):
    try:
        async with asyncio.timeout(chosen.limit) as limit:
            await chosen.run(context)
    except TimeoutError:
        if limit.expired():
            context.fault(f"the attack was not over after {chosen.limit} s")
        raise


async def rhythm(per_second, seconds):
    """Yields so often, in bursts of a twentieth of a second, for so long."""
    began = time.monotonic()
    count = 0
    while (elapsed := time.monotonic() - began) < seconds:
        while count < elapsed * per_second:
            yield count
            count += 1
        await asyncio.sleep(0.05)
