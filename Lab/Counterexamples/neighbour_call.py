# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""One call of the set neighbour: what takes part, what happens when, what is right to say, and its run."""
import random
import uuid

from neighbour_link import Estimate, Leg, Link
from neighbour_media import STEP, Audio, Video
from neighbour_report import Reporter

SIZES = [(1280, 720, 1.7e6), (960, 540, 1.1e6), (640, 360, 600e3), (1280, 720, 2.3e6), (640, 480, 700e3)]


class Call:
    def __init__(self, name, seed, engine, topology, interval):
        self.r = r = random.Random(f'{seed} {name}')
        self.name, self.engine, self.sfu, self.interval = name, engine, topology == 'sfu', interval
        self.length = int({1: r.uniform(80, 140), 2: r.uniform(100, 160), 5: r.uniform(150, 180), 10: 180}[interval])
        self.warm, self.truth, self.extra, self.expects, self.troubles, self.events, self.every = r.choice([8, 12, 25]), '', {}, [], [], [], []
        self.ul, self.dl = (Link(r, r.uniform(6e6, 40e6), r.uniform(0.15, 0.35), r.uniform(0.006, 0.03), r.choice([0.0004, 0.001, 0.002, 0.004]), r.choice([0, 0, 0, 0.0003, 0.001])) for _ in 'ud')
        for x in (self.ul, self.dl):
            x.stalls = (r.uniform(3, 9), 0.015, r.uniform(0.03, 0.07)) if r.random() < 0.4 else None    # a wireless link, without harm
        self.up, self.down = Leg(r, self.ul, self.dl, Estimate(r, 300e3, r.uniform(3e6, 9e6), True, r.random() < 0.4)), Leg(r, self.dl, self.ul, Estimate(r, 400e3, 9e6, True, True))
        self.up.every, self.down.every = (1, 2) if self.sfu else (5, 5)
        self.relay, self.split, self.playout, self.glitch, self.shift, self.asleep, self.irregular = None, self.sfu and r.random() < 0.4, [0.0] * 4, 0, None, None, None
        self.n, self.ways = 0, (('up', self.ul), ('down', self.dl))

    # what takes part

    def new(self, leg, make, *args, **options):
        self.n, mid, track = self.n + 1, str(self.n), str(uuid.UUID(int=self.r.getrandbits(128)))
        s = make(self.r, self.r.getrandbits(32), mid, '{' + track + '}' if self.engine.startswith('firefox') else track, *args, **options)
        s.source, s.index, s.mode = self.n, 0, None
        leg.streams.append(s)
        return s

    def cam(self, size=None, fps=None, layers=0, **o):
        (wide, high, most), fps = size or self.r.choice(SIZES), fps or self.r.choice([30, 30, 24, 25])
        if layers:
            parts = [(0.25, 150e3, 'q'), (0.5, 500e3, 'h'), (1.0, 1.6e6, 'f')][-layers:]
            whole = [self.new(self.up, Video, 1280, 720, fps, b, part=p, rid=rid) for p, b, rid in parts]
            for k, v in enumerate(whole):
                v.source, v.mid, v.track, v.index, v.mode = whole[0].source, whole[0].mid, whole[0].track, k, 'L1T2'
            return whole
        return self.new(self.up, Video, wide, high, fps, most, **o)

    def see(self, size=None, fps=None, tile=None, **o):
        (wide, high, most), fps = size or self.r.choice(SIZES), fps or self.r.choice([30, 30, 24, 25])
        if self.sfu and not size:
            o.update(router=True, part=tile or 1.0)
            wide, high, most = 1280, 720, {1.0: 1.5e6, 0.5: 480e3, 0.25: 140e3}[tile or 1.0]
        return self.new(self.down, Video, wide, high, fps, most, **o)

    def meet(self, up='av', down='av', others=1, **camera):
        """A common call: my streams and those of `others`; gives (mine, theirs)."""
        mine = [self.new(self.up, Audio)] if 'a' in up else []
        if 'v' in up:
            v = self.cam(**(camera or (dict(layers=3) if self.sfu and self.r.random() < 0.5 else {})))
            mine += v if isinstance(v, list) else [v]
        theirs = []
        for _ in range(others if self.sfu else 1):
            theirs += [self.new(self.down, Audio, dtx=others > 2, talks=0.6 / others ** 0.5)] if 'a' in down else []
            theirs += [self.see(tile=1.0 if others == 1 else 0.5 if others < 5 else 0.25)] if 'v' in down else []
        return mine, theirs

    # what happens

    def at(self, t, do):
        self.events.append((t, do))

    def set(self, a, b, what, **values):
        """These attributes from a to b, then again what they were."""
        before = {}
        self.at(a, lambda: (before.update({k: getattr(what, k) for k in values}), [setattr(what, k, v) for k, v in values.items()]))
        if b < self.length:
            self.at(b, lambda: [setattr(what, k, v) for k, v in before.items()])

    def slide(self, a, b, what, name, x, y):
        for k in range(int((b - a) / 0.5)):
            self.at(a + k * 0.5, lambda p=k * 0.5 / (b - a): setattr(what, name, x * (y / x) ** p))

    def span(self, least=22, most=40, early=14, tail=25):
        """When a trouble is: long enough for the interval of the reports."""
        long = self.r.uniform(least, most) + 2.5 * self.interval
        a = self.r.uniform(early + 2 * self.interval, max(early + 2 * self.interval + 1, self.length - long - tail))
        return round(a, 1), round(min(a + long, self.length - 2), 1)

    # what is right to say

    def expect(self, a, b, role, causes, note='', **more):
        causes = list(dict.fromkeys(causes.split()))
        self.expects.append(dict({'from': round(max(0, a), 1), 'to': round(min(b, self.length), 1), 'role': role, 'cause': causes}, **more, **dict(note=note) if note else {}))

    def tag(self, s):
        return s.track if self.engine.startswith('firefox') or self.engine == 'safari16' else s.mid

    def role(self, where):
        return 'publisher' if where == 'up' else 'subscriber'

    def bad(self, a, b, where, causes, other='none latency', tail=True, **more):
        """A trouble of my uplink (`up`) or downlink (`down`), what the other way may show of it, and the time to recover."""
        causes += ' media' if where == 'down' and self.sfu and 'bandwidth' in causes else ''    # the router may pause video
        self.expect(a, b, self.role(where), causes, **dict(dict(side=['local']) if where == 'down' and self.sfu else {}, **more))
        self.troubles.append((a, b, where, causes, other, tail))

    def settled(self, a, b, log):
        """When estimate, buffers, and sizes are again what they were before a."""
        before, calm = [x for x in log if a - 8 < x[0] < a] or log[:1], 0
        share, late, scale = (sum(x[k] for x in before) / len(before) for k in (1, 2, 3))
        for x in log:
            good = x[1] >= 0.85 * min(1, share) and x[2] < late + 0.08 and x[3] >= 0.95 * scale and x[4] < 0.05
            calm = calm + 1 if good and x[0] >= b else 0
            if calm > 15:
                return x[0] + 5 + 2 * self.interval
        return self.length

    def labels(self, last):
        for role, leg in (('publisher', self.up), ('subscriber', self.down)):
            ready = next((x[0] for x in leg.log if x[1] > 0.85 and x[3] > 0.95), self.length)
            if ready > 0 and not any(e['role'] == role and e['from'] < 1 for e in self.expects):
                self.expect(0, ready + 5 + 2 * self.interval, role, 'none recovering bandwidth', 'the estimate climbs at the start')
        for a, b, where, causes, other, tail in self.troubles:
            leg, against = (self.up, self.down) if where == 'up' else (self.down, self.up)
            stop = min(self.length, self.settled(a, b, leg.log)) if tail else b
            self.expect(b, stop, self.role(where), f'none recovering {causes} packetLoss latency jitter bandwidth', 'the aftermath')
            if other and against.streams:
                self.expect(a, stop, self.role('down' if where == 'up' else 'up'), 'recovering ' + other, 'what the other way shows of it')
        out = [dict(e, to=min(e['to'], last)) for e in self.expects]
        return sorted((e for e in out if e['to'] - e['from'] > 0.5), key=lambda e: e['from'])

    # the run

    def run(self):
        epoch, lines, elapsed, next_report = 1.76e12 + self.r.uniform(0, 2e10), [], [], 0.0
        self.ul.tcp = self.dl.tcp = self.relay in ('tcp', 'tls')
        pcs = [('pub', True, False), ('sub', False, True)] if self.split else [(self.r.choice(['pc', 'PC_0', 'main']), True, True)]
        self.reporters = [Reporter(self.engine, self.r, self.relay) for _ in pcs]
        due = sorted(self.events, key=lambda e: e[0])
        for k in range(-int(self.warm / STEP), int(self.length / STEP) + 1):
            t = round(k * STEP, 3)
            while due and due[0][0] <= t:
                due.pop(0)[1]()
            if t >= next_report and not (self.asleep and self.asleep[0] <= t < self.asleep[1]):
                clock = epoch + t * 1000 + self.r.uniform(0, 12) + (self.shift[1] * 1000 if self.shift and t >= self.shift[0] else 0)
                for (pc, sends, gets), rep in zip(pcs, self.reporters):
                    ups, downs = ([s for s in leg.streams if here and not s.gone] for leg, here in ((self.up, sends), (self.down, gets)))
                    lines.append(dict(time=round(clock + 1.5, 3), pc=pc, stats=rep.stats(t, clock, ups, downs, self.up.est.value if ups else 300000, self.playout)))
                    elapsed.append(round(t, 2))
                next_report = max(next_report + self.interval, t - self.interval + 0.01) if not self.irregular else t + self.irregular()
            for moving in self.every + [self.up, self.down]:
                moving.step(t)
            for rep in self.reporters:
                rep.step(t + STEP, self.ul, self.dl, not self.ul.down and not self.dl.down)
            gap = self.glitch and self.r.random() < 0.6
            self.playout = [x + y for x, y in zip(self.playout, (self.glitch * STEP if gap else 0, gap, 0.03 * 48000 * STEP * self.r.uniform(0.95, 1.05), STEP))]
        if self.shift or self.asleep:
            self.extra['elapsed'] = elapsed
        return dict(name=self.name, set='neighbour', engine=self.engine.rstrip('0123456789'), topology='sfu' if self.sfu else 'p2p', interval=self.interval, hasIntent=False,
                    truth=self.truth, expect=self.labels(elapsed[-1]), **self.extra), lines
