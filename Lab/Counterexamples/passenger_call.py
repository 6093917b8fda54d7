# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A call of the set passenger: its clock of events, its ends and links, the router, what a person notices each second, and the truths that follow."""
import heapq
import random

from passenger_flow import Flow
from passenger_link import Link
from passenger_receive import AudioIn, Decoder, Ingress, Relayed, VideoIn
from passenger_report import Reporter
from passenger_send import Mic, Sender, Source, Video

ACCESS = {'fibre': (60e6, 200e6, 0.004, 0.08, 0.0004), 'dsl': (4.5e6, 30e6, 0.012, 0.45, 0.0008), 'cable': (12e6, 100e6, 0.009, 0.3, 0.0015),
          'wifi': (25e6, 60e6, 0.006, 0.2, 0.0025), 'lte': (12e6, 35e6, 0.024, 0.5, 0.004), '5g': (30e6, 150e6, 0.012, 0.4, 0.002),
          'leo': (14e6, 90e6, 0.02, 0.25, 0.003), 'geo': (3e6, 15e6, 0.29, 0.6, 0.003), 'office': (40e6, 90e6, 0.007, 0.1, 0.0006)}
LAYERS = [(320, 180, 15, 150e3), (640, 360, 30, 500e3), (1280, 720, 30, 1700e3)]
WARM = 12.0


def access(rng, name, trip=0.0):
    """An uplink and a downlink; `trip` is half the way of the internet behind it, each way."""
    up, down, delay, queue, jitter = ACCESS[name]
    vary = rng.uniform(0.8, 1.3)
    return (Link(rng, up * vary, delay * rng.uniform(0.8, 1.3) + trip, queue, jitter), Link(rng, down * vary, delay * rng.uniform(0.8, 1.3) + trip, queue, jitter))


class Far:
    """A participant at the other side."""


class Call:
    """Built by a scenario; `run` gives its manifest entry and the lines of its recording."""

    def __init__(self, name, seed, engine, interval, set_='passenger'):
        self.rng = random.Random(f'passenger {seed} {name}')
        self.name, self.engine, self.interval, self.set_ = name, engine, interval, set_
        self.now, self.heap, self.number, self.joins = 0.0, [], 0, False
        self.begin, self.length = WARM, self.rng.choice([75, 75, 90, 90, 105, 120, 150])
        self.truth, self.topology, self.expect, self.elapsed, self.faults = '', '', [], None, []
        self.far, self.sender, self.ups, self.downs, self.lines = [], None, [], [], []
        self.down = self.up = self.out = self.into = self.decoder = self.mate = None
        self.sleeps = False
        self.recent = self.rng.random() < 0.6
        self.asleep, self.step, self.skips, self.log = [], 0.0, [], []
        self.clock, self.reporter, self.relay, self.last = 1.73e12 + self.rng.randrange(10 ** 9), None, None, 0.0

    # The clock.

    def push(self, at, what, value=None):
        self.number += 1
        heapq.heappush(self.heap, (at, self.number, what, value))

    def later(self, after, what, value=None):
        self.push(self.now + after, what, value)

    def at(self, second, what):
        """`second` since the first report."""
        self.push(self.begin + second, lambda _: what(), None)

    def every(self, start, end, gap, what):
        """Again and again, `gap()` seconds apart."""
        second = start
        while second < end:
            self.at(second, what)
            second += gap()

    def track(self):
        return '%08x-%04x-4%03x-a%03x-%012x' % tuple(self.rng.getrandbits(b) for b in (32, 16, 12, 12, 48))

    # The ends.

    def meets(self, own='wifi', trip=None):
        """A meeting by way of a router."""
        self.topology = 'sfu'
        trip = self.rng.uniform(0.004, 0.03) if trip is None else trip
        self.up, self.down = access(self.rng, own, trip)
        self.out = Flow(self, [self.up], [self.down], 600e3, self.recent)
        self.into = Flow(self, [self.down], [self.up], 900e3, True)
        self.sender, self.decoder = Sender(self, self.out), Decoder()
        self.later(1.0, self.route)
        return self

    def peers(self, own='wifi', other='cable', trip=None):
        """Two ends; what both see can be recorded."""
        self.topology = 'p2p'
        trip = self.rng.uniform(0.002, 0.02) if trip is None else trip
        self.up, self.down = access(self.rng, own, trip)
        far = Far()
        far.up, far.down = access(self.rng, other, 0.0)
        self.out = Flow(self, [self.up, far.down], [far.up, self.down], 800e3, self.recent)
        self.into = Flow(self, [far.up, self.down], [self.up, far.down], 800e3, self.recent)
        self.sender, self.decoder = Sender(self, self.out), Decoder()
        far.sender, far.decoder, far.ins = Sender(self, self.into), Decoder(), []
        self.far.append(far)
        return self

    def speak(self, **more):
        """This end's microphone."""
        mic = Mic(self, self.out, '0', **more)
        mic.id = mic.id + 100
        self.sender.mics.append(mic)
        self.ups.append(mic)
        self.sink(mic)
        return mic

    def film(self, codec='VP8', wide=1280, high=720, fps=30, most=None, simulcast=False, mode=None, screen=None, detail=1.0, sharp=False, pace=None, cap=None):
        """This end's camera or screen."""
        source = Source(self, wide, high, fps, screen, detail)
        source.pace = pace or fps
        mid = str(1 + len(self.sender.sources))
        cap = cap or fps
        if simulcast:
            layers = [Video(self, self.out, mid, codec, wide >> k, high >> k, cap, (most or 1.7e6) / (1, 3.4, 11)[k], rid='fhq'[k], index=2 - k, mode='L1T3' if self.recent else 'L1T1') for k in (2, 1, 0)]
        else:
            layers = [Video(self, self.out, mid, codec, wide, high, cap, most or 1.7e6, mode=mode, detail=sharp)]
        self.sender.add(source, *layers)
        self.ups += layers
        for layer in layers:
            self.sink(layer)
        return source

    def sink(self, stream):
        if self.topology == 'sfu':
            Ingress(self, stream, self.out)
        else:
            far = self.far[0]
            far.ins.append(VideoIn(self, stream, self.out, far.decoder) if stream.kind == 'video' else AudioIn(self, stream, self.out))

    def join(self, uplink='cable', video=True, audio=True, top=2, codec='VP8', talks=0.3, dtx=True, red=0, screen=None, fps=30, detail=1.0, pace=None):
        """Another participant of the meeting."""
        far = Far()
        far.up, far.down = access(self.rng, uplink, self.rng.uniform(0.004, 0.04))
        far.flow = Flow(self, [far.up], [far.down], 900e3, self.recent)
        far.sender = Sender(self, far.flow)
        far.top, far.level, far.held, far.wanted, far.video, far.audio = top, top, -9.0, True, None, None
        if audio:
            mic = Mic(self, far.flow, None, dtx=dtx, red=red, talks=talks)
            far.sender.mics.append(mic)
            far.audio = self.relay_on(mic, far.flow, AudioIn)
        if video:
            wide, high, rate, most = LAYERS[top]
            far.source = Source(self, wide, high, fps, screen, detail)
            far.source.pace = pace or fps
            stream = Video(self, far.flow, None, codec, wide, high, min(fps, rate), most)
            far.sender.add(far.source, stream)
            far.stream = stream
            far.video = self.relay_on(stream, far.flow, VideoIn)
        self.far.append(far)
        return far

    def relay_on(self, stream, flow, sort):
        relayed = Relayed(self, stream, self.into, self.rng.getrandbits(32))
        relayed.ingress = Ingress(self, stream, flow, relayed)
        relayed.mid = str(10 + len(self.downs))
        if stream.kind == 'video' and self.into.padding is None:
            self.into.padding = relayed
        sink = sort(self, relayed, self.into, self.decoder) if sort is VideoIn else sort(self, relayed, self.into)
        sink.origin = stream
        self.downs.append(sink)
        return sink

    def answer(self, video=True, audio=True, codec='VP8', wide=1280, high=720, fps=30, most=1.7e6, screen=None, dtx=True, red=0, talks=0.45, detail=1.0, pace=None):
        """What the peer sends."""
        far = self.far[0]
        far.video = far.audio = None
        if audio:
            mic = Mic(self, self.into, '0', dtx=dtx, red=red, talks=talks)
            far.sender.mics.append(mic)
            far.audio = AudioIn(self, mic, self.into)
            far.audio.origin = mic
            self.downs.append(far.audio)
        if video:
            far.source = Source(self, wide, high, fps, screen, detail)
            far.source.pace = pace or fps
            stream = Video(self, self.into, '1', codec, wide, high, fps, most)
            far.sender.add(far.source, stream)
            far.stream = stream
            far.video = VideoIn(self, stream, self.into, self.decoder)
            far.video.origin = stream
            self.downs.append(far.video)
        return far

    # The router.

    def route(self, _):
        """Chooses layers by what the way to this participant bears: the lowest for all first, then the larger tiles."""
        self.later(1.0, self.route)
        now, shown = self.now, [f for f in self.far if f.video is not None and f.wanted and f.source.on]
        left = self.into.rate * 0.95 - 45e3 * sum(1 for f in self.far if f.audio is not None)
        self.into.wanted = sum(LAYERS[f.top][3] for f in shown) + 50e3
        levels = {}
        for f in shown:
            levels[f] = -1 if left < LAYERS[0][3] * 0.6 else 0
            left -= LAYERS[0][3] if levels[f] == 0 else 0
        for level in (1, 2):
            for f in shown:
                more = LAYERS[level][3] - LAYERS[level - 1][3]
                margin = 1.0 if f.level >= level else 1.12
                if f.top >= level and levels[f] == level - 1 and left > more * margin:
                    levels[f], left = level, left - more
        for f in shown:
            self.choose(f, levels[f], now)

    def choose(self, far, level, now):
        if level == far.level or level > far.level and now - far.held < 6 and now > 8:
            return
        far.held, was, far.level = now, far.level, level
        out = far.video.out
        out.open = level >= 0
        if level >= 0:
            s = far.stream
            wide, high, fps, most = LAYERS[level]
            s.full, s.most, s.fps = (wide, high), most, min(fps, far.source.fps)
            far.video.out.key() if was < 0 or level != was else None

    def tile(self, far, top):
        """The person makes a tile larger or smaller: a layer is switched on purpose."""
        far.top = top
        self.choose(far, min(top, far.level), self.now) if top < far.level else None

    # What a person notices.

    def observe(self, _):
        self.later(1.0, self.observe)
        second = self.now - self.begin
        outs = self.far[0].ins if self.topology == 'p2p' else None
        into, out = self.bad_in(self.downs), self.bad_out(outs)
        self.log.append((second, into, out, *self.held()))

    def changed(self, s, name):
        was = s.c['was ' + name]
        s.c['was ' + name] = s.c[name]
        return s.c[name] - was

    def bad_in(self, sinks):
        """What is amiss in a second of what is heard and seen."""
        found = set()
        for s in sinks:
            if s.kind == 'audio':
                if self.changed(s, 'heard') > 960 * 2 or (s.mute > 5 and not s.origin_rests()):
                    found.add('sound')
                if self.changed(s, 'jbd') > 0.25 * max(1, self.changed(s, 'jbe')):
                    found.add('late')
                continue
            frozen = self.changed(s, 'frozen')
            shown, sent = self.changed(s, 'decoded'), self.sent_by(s)
            since = self.now - s.shown if s.shown is not None else 0
            if frozen > 0.25 or (since > 0.5 and sent > 8) or (sent > 8 and shown < 0.6 * sent):
                found.add('picture')
        if sinks is self.downs and self.topology == 'sfu' and any(self.blurred(f) for f in self.far):
            found.add('picture')
        flow = self.into
        if sinks is not self.downs:
            flow = self.out
        d, n = flow.delays
        flow.delays = [0.0, 0]
        if n and d / n > 0.28:
            found.add('late')
        return found

    def held(self):
        """Whether less than what is wanted comes, or goes, though no one need notice."""
        if self.topology == 'sfu':
            into = any(f.video is not None and f.wanted and f.source.on and (f.level < f.top or f.stream.target < 0.8 * f.stream.want()) for f in self.far)
        else:
            into = self.short(self.far[0].sender)
        return into, self.short(self.sender)

    @staticmethod
    def short(sender):
        layers = [e for s in sender.sources if s.on and not s.gone for e in s.encodings if e.active]
        return any(e.step or e.cpu_step or e.target < 0.8 * (e.want() if e.single else e.most) for e in layers)

    @staticmethod
    def blurred(far):
        """The router has paused a video, or shows the smallest layer in a large tile."""
        return far.video is not None and far.wanted and far.source.on and (far.level < 0 or far.level < far.top - 1)

    def sent_by(self, s):
        out = s.out.origin if hasattr(s.out, 'origin') else s.out
        paused = hasattr(s.out, 'open') and not s.out.open
        n = self.changed(out, 'frames') if not paused else 0
        return n if out.active else 0

    def bad_out(self, ins):
        """What the far end notices of this end, and what of it never left."""
        found = self.bad_in(ins) if ins is not None else set()
        flow = self.out
        total, lost = flow.minute
        flow.minute = [0, 0]
        if total > 10 and lost > 0.03 * total:
            found.add('loss')
        if ins is None:
            d, n = flow.delays
            flow.delays = [0.0, 0]
            if n and d / n > 0.28:
                found.add('late')
        for s in self.sender.sources:
            want = sum(e.most for e in s.encodings if e.active)
            have = sum(e.target for e in s.encodings if e.active)
            if s.on and not s.screen and want and have < 0.35 * min(want, 1.2e6):
                found.add('poor')
            if any(e.cpu_step > 1 for e in s.encodings):
                found.add('poor')
            if s.on and not s.gone and not s.screen and s.pace > 12:
                best = max((e.rate_now(self.now) for e in s.encodings if e.active and e.target), default=0)
                goal = min(s.pace, max((e.fps for e in s.encodings if e.active), default=0))
                if goal and best < 0.6 * goal:
                    found.add('poor')
        return found

    # The truth.

    def fault(self, begin, end, role, cause, side=None, track=None, tail=25.0, force=False, low=None, high=None, note='', far=False):
        """Something is done to links, devices, or streams from `begin` to `end`; what is noticed of it decides where it is scored."""
        self.faults.append(dict(begin=begin, end=end, role=role, cause=cause.split('|'), side=side.split('|') if side else None, track=track, tail=tail, force=force, low=low, high=high, note=note, far=far))

    def optional(self, begin, end, role, cause, note, far=None):
        """Several answers are fair, silence among them."""
        self.fault(begin, end, role, cause, track=far, tail=10, force=True, note=note)

    def expect_free(self, begin, end):
        """Whatever is said then is fair."""
        for role in ('publisher', 'subscriber'):
            self.fault(begin, end, role, 'none', tail=0, force=True)
            self.faults[-1]['cause'] = []

    def judge(self):
        """Truths of both ends."""
        self.mate_expect = []
        self.length = min(self.length, self.ended + 0.9)
        for far in (False, True):
            self.expect = []
            self.judged([f for f in self.faults if f['far'] == far], far)
            self.mate_expect, self.expect = self.expect, self.mate_expect
        for e in [*self.expect, *self.mate_expect]:
            if 'track' in e:
                e['track'] = self.tag(e['track'])

    def tag(self, far):
        """The `mid` of this participant's video (audio if none), or its track where the engine gives no `mid`."""
        sink = far.video or far.audio
        return sink.track if 'mid' in self.reporter.lacks else sink.mid

    def judged(self, faults, far):
        for f in faults:
            end = min(f['end'], self.length)
            if f['begin'] >= self.length:
                continue
            index = 1 if (f['role'] == 'subscriber') != far else 2
            spans = [(f['begin'], end, True)] if f['force'] else self.spans(f['begin'], end, index)
            for a, b, noticed in spans:
                self.say(f, a, b, f['cause'] if noticed else sorted({*f['cause'], 'none', 'recovering', 'latency', 'jitter', 'bandwidth', 'packetLoss', 'unknown'}), noticed)
            if end < self.length and f['tail']:
                until = self.over(end, index, f['tail'])
                if until - end > 0.5:
                    self.say(f, end, until, [], False)
        self.expect.sort(key=lambda e: (e['from'], e['to']))

    def over(self, end, index, tail):
        """When estimates, sizes and buffers are what they were: eight seconds without a sign of it."""
        last = end + tail * 0.4
        for s in self.log:
            if end <= s[0] <= last + 8 and (s[index] or s[index + 2]):
                last = max(last, s[0] + 4)
        return min(self.length, last)

    def say(self, f, begin, end, cause, noticed):
        entry = {'from': round(begin, 1), 'to': round(end, 1), 'role': f['role'], 'cause': cause}
        if noticed:
            entry |= {k: v for k, v in dict(side=f['side'], track=f['track'], atLeast=f['low'], atMost=f['high']).items() if v}
        if f['note']:
            entry['note'] = f['note']
        self.expect.append(entry)

    def spans(self, begin, end, index):
        """Runs of seconds in which it is noticed, gaps of 9 s closed; the others are fair either way."""
        hits = [s[0] for s in self.log if begin <= s[0] < end + 1.0 and s[index]]
        runs = []
        for h in hits:
            if runs and h - runs[-1][1] <= 10:
                runs[-1][1], runs[-1][2] = h, runs[-1][2] + 1
            else:
                runs.append([h - 1.0, h, 1])
        runs = [r for r in runs if r[2] >= 3 and r[2] >= 0.3 * (r[1] - r[0])]
        if runs and runs[0][0] < begin + 4:
            runs[0][0] = begin
        out, at = [], begin
        for a, b, _ in runs:
            if a > at + 0.5:
                out.append((at, a, False))
            out.append((max(a, at), min(b, end), True))
            at = min(b, end)
        if end > at + 0.5:
            out.append((at, end, False))
        return [o for o in out if o[1] - o[0] > 0.4]

    # The recording.

    def run(self):
        if self.joins:
            self.begin = 0.3
        for s in self.downs + [i for f in self.far for i in getattr(f, 'ins', [])]:
            if s.kind == 'audio':
                s.origin_rests = self.rester(s)
        self.reporter = Reporter(self)
        mate = Reporter(self, True) if self.mate else None
        self.push(max(0.2, self.begin - 0.9) if not self.joins else 0.9, self.observe)
        ticks = self.times()
        other = [t + self.rng.uniform(0, self.interval * 0.5) for t in self.times()] if mate else []
        plan = sorted([(t, self.reporter) for t in ticks] + [(t, mate) for t in other], key=lambda x: x[0])
        lines = {self.reporter: [], mate: []}
        self.ended = min(max(t for t, r in plan if r is x) for x in {r for _, r in plan}) - self.begin
        for t, reporter in plan:
            self.advance(t)
            line = reporter.line()
            lines[reporter].append(line)
        self.advance(self.begin + self.length + 1)
        self.lines, self.mate_lines = lines[self.reporter], lines[mate] if mate else []
        self.judge()

    @staticmethod
    def rester(s):
        out = s.out.origin if hasattr(s.out, 'origin') else s.out
        return lambda: out.off or out.gone or out.rest > 8 or s.noise or (hasattr(s.out, 'open') and not s.out.open)

    def advance(self, until):
        heap = self.heap
        while heap and heap[0][0] <= until:
            at, _, what, value = heapq.heappop(heap)
            self.now = at
            what(value)
        self.now = until

    def times(self):
        """Instants of reports: an interval with jitter, some late or missing, none while asleep."""
        rng, out, t = self.rng, [], self.begin
        while t < self.begin + self.length:
            second = t - self.begin
            late = rng.uniform(0, 0.04) if rng.random() > 0.03 else rng.uniform(0.1, 0.7) * min(2, self.interval)
            rests = any(a <= second < b for a, b in self.asleep) or any(a <= second < b for a, b in self.skips)
            if not rests and (rng.random() > 0.008 or not out):
                out.append(t + (late if out else 0))
            t += self.interval
        return out

    def entry(self, name=None, truth=None, expect=None):
        entry = {'name': name or self.name, 'set': self.set_, 'engine': self.engine, 'topology': self.topology, 'interval': self.interval, 'hasIntent': False,
                 'truth': truth or self.truth, 'expect': self.expect if expect is None else expect}
        if self.elapsed:
            entry['elapsed'] = self.elapsed
        return entry
