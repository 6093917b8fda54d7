# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A call as a model that runs second by second (access network, congestion control, encoders, decoders), seen through the getStats()
report of one engine. The model knows what is wrong; the report holds only what that engine would say."""
import math
import random
import zlib

T0 = 1_795_000_000_000  # Unix ms of each call's first report
SSRC = 0x1000_0000
LADDER = (1, .75, .5, .375, .25)  # sizes to which an encoder adapts, as shares of the configured one
LAYERS = (('q', 150e3, .25), ('h', 500e3, .5), ('f', 1500e3, 1))  # simulcast: rid, rate, share of the size
ENGINES = ('chrome', 'firefox', 'firefox154', 'safari', 'native')
LIBWEBRTC = ('chrome', 'safari', 'native')  # what reports an estimate and the round trip time of the pair


# Truth

def expectation(role, begin, end, cause, side=None, **more):
    """What must be said of one interval: any of the causes, any of the sides (both as words in one string)."""
    e = dict([('from', begin), ('to', end), ('role', role), ('cause', cause.split())])
    if side:
        e['side'] = side.split()
    e.update({k: v for k, v in more.items() if v is not None})
    return e


def pub(*arguments, **more):
    return expectation('publisher', *arguments, **more)


def sub(*arguments, **more):
    return expectation('subscriber', *arguments, **more)


# The model

class Thing:
    """Something that has attributes which a trouble changes for a while."""
    def __init__(self, **more):
        for name, value in {**type(self).defaults, **more}.items():
            setattr(self, name, value)


class Path(Thing):
    """The observed end's access and what lies behind it. Up is what it sends."""
    defaults = dict(rtt=.03, wobble=.006, jitter_up=.003, jitter_down=.003, loss_up=0, loss_down=0, big_up=0, big_down=0, cap_up=None, cap_down=None,
                    queue_limit=.4, foreign=0, backoff=False, stall_up=0, stall_down=0, cut_up=False, cut_down=False, ice='connected', pair=1, relay=None, asleep=False)


class Estimate:
    """Congestion control of one sender and the bottleneck's queue: falls to 85 % when the queue grows, climbs 8 % a second."""
    def __init__(self, top):
        self.top = self.value = top
        self.queue = 0.0

    def second(self, sent, cap, loss, path, backoff):
        tail, before = 0, self.queue
        if cap:
            self.queue = max(0, self.queue + (sent - cap) / cap)
            if self.queue > path.queue_limit:
                tail = min(.5, (self.queue - path.queue_limit) * cap / sent)
                self.queue = path.queue_limit
        else:
            self.queue = 0
        if cap and (self.queue > before + .02 or self.queue > .1):
            self.value = min(self.value, .85 * cap)
        elif path.foreign and path.foreign > .2 and backoff is not None:
            self.value = max(150e3, self.value * .7)
        elif backoff and backoff is not True:
            self.value = min(self.value, backoff)
        elif backoff:
            self.value = max(200e3, .85 * min(self.value, sent))
        elif loss > .1:
            self.value = min(self.value, max(120e3, self.value * (1 - .5 * loss)))
        elif loss < .02:
            self.value = min(self.top, self.value * 1.08 + 4000)
        return tail


def lost(r, n, share):
    return 0 if share <= 0 else n if share >= 1 else sum(r.random() < share for _ in range(n))


class Adapter:
    """The size an encoder sends: down at once to what the rate feeds, up after six seconds with 30 % to spare."""
    def __init__(self):
        self.step, self.fits = 0, 0

    def size(self, rate, size):
        def needs(step):
            return size[0] * size[1] * LADDER[step] ** 2 * .9
        while self.step < len(LADDER) - 1 and rate < needs(self.step):
            self.step, self.fits = self.step + 1, 0
        self.fits = self.fits + 1 if self.step and rate > 1.3 * needs(self.step - 1) else 0
        if self.fits > 6:
            self.step, self.fits = self.step - 1, 0
        return int(size[0] * LADDER[self.step]) // 2 * 2, int(size[1] * LADDER[self.step]) // 2 * 2


class Microphone(Thing):
    """An audio track that is sent: talks, listens quietly (noise suppression), or gives digital zero."""
    defaults = dict(kind='audio', mood='talk', dtx=False, off=False, frozen=False)


class Camera(Thing):
    """A video track that is sent. `limit` is what the encoder manages for want of CPU, `content` the share of its target that the picture needs."""
    defaults = dict(kind='video', rate=1.7e6, size=(1280, 720), capture=30, limit=None, encode=.007, content=.97, off=False, source=True, screen=False,
                    simulcast=False, svc=False, forced=None)


class Layer:
    """What one SSRC of a camera has sent."""
    def __init__(self, ssrc):
        self.ssrc, self.n, self.rr, self.qualities = ssrc, {}, None, dict(none=0.0, cpu=0.0, bandwidth=0.0, other=0.0)


class Remote(Thing):
    """A track that is received. `wish` is what its sender or the SFU would send."""
    defaults = dict(kind='video', wish=1.7e6, size=(1280, 720), fps=30, off=False, missing=False, decodes=True, decode_limit=None, decode=.004, stall=0,
                    loss=0, big=0, fec=.5, mood='talk', dtx=False, screen=False, jitter=0, late=0)


class Connection:
    """One peer connection: what it sends, what it receives, its counters."""
    def __init__(self, name, sends, receives, intent=None):
        self.name, self.sends, self.receives, self.intent = name, sends, receives, intent
        self.tx = self.rx = self.ptx = self.prx = 0
        self.responses, self.total_rtt, self.rtt, self.pair, self.changes = 4, .12, .03, 1, 1
        mids = {}
        for k, track in enumerate(sends):
            track.mid = mids[track.kind] = str(k)
        p2p = len(receives) == len(sends)
        for k, track in enumerate(receives):  # peer-to-peer both directions share a transceiver
            track.mid = str(k) if p2p or not sends else str(len(sends) + k)
        for k, track in enumerate(sends + receives):
            track.ssrc = SSRC + zlib.crc32(f'{name}{k}'.encode()) % 0x2000_0000
            track.track = f'{zlib.crc32(f"t{name}{k}".encode()):08x}-7c1d-4f0e-9a55-{k:012x}'
            track.n, track.level = dict(), 0
            track.rr, track.parts, track.adapter = None, {}, Adapter()


class Call:
    def __init__(self, r, engine='chrome', topology='p2p', interval=1, intent=False):
        self.r, self.engine, self.topology, self.interval, self.has_intent = r, engine, topology, interval, intent
        self.path, self.changes, self.gaps, self.step, self.lines, self.elapsed = Path(rtt=round(r.uniform(.025, .06), 3)), [], [], None, [], []
        self.rtt_at_start = self.path.rtt

    # Building

    def build(self, videos=None, screen=False, simulcast=False, svc=False, rate=None, dtx=False, audio_only=False):
        r = self.r
        rate = rate or r.choice((1.2e6, 1.7e6, 2.4e6))
        self.microphone = Microphone(dtx=dtx)
        self.camera = Camera(rate=rate, screen=screen, size=(1920, 1080) if screen else (1280, 720), simulcast=simulcast, svc=svc)
        if audio_only:
            self.camera.off = 'none'
        if simulcast:
            self.camera.rate = sum(l[1] for l in LAYERS)
        n = videos or (10 if self.topology == 'sfu-one' else 1)
        one = 500e3 if n > 3 else rate if self.topology == 'p2p' else 1.5e6
        self.videos = [Remote(wish=one, size=(640, 360) if n > 3 else (1280, 720), screen=screen) for _ in range(n)]
        self.audios = [Remote(kind='audio', dtx=dtx, mood='talk' if k == 0 else 'quiet') for k in range(min(n, 3))]
        sends, receives = [self.microphone, self.camera], self.audios + self.videos
        if audio_only:
            sends, receives, self.videos = sends[:1], self.audios, []
        if self.topology == 'sfu':
            self.connections = [Connection('publishing', sends, [], self.publisher_intent()), Connection('receiving', [], receives, self.subscriber_intent())]
        else:
            self.connections = [Connection('connection', sends, receives)]
        for c in self.connections:
            c.rtt, c.total_rtt = self.path.rtt, 4 * self.path.rtt
        needed = sum(v.wish for v in self.videos)
        self.up, self.down = Estimate(2 * self.camera.rate + 6e5), Estimate(1.6 * needed + 6e5)
        return self

    def publisher_intent(self):
        if not self.has_intent:
            return None
        v = self.camera
        if self.camera.off == 'none':
            return dict(role='publisher', routing='routed', audio=dict(enabled=True, muted=False, discontinuous=self.microphone.dtx, maximumBitrate=32000), video=dict(enabled=False))
        layers = [dict(rid=i, enabled=True, maximumBitrate=rate, maximumFrameRate=30, size=dict(width=int(v.size[0] * s), height=int(v.size[1] * s))) for i, rate, s in LAYERS] \
            if v.simulcast else [dict(enabled=True, maximumBitrate=v.rate, maximumFrameRate=30, size=dict(width=v.size[0], height=v.size[1]))]
        return dict(role='publisher', routing='routed', audio=dict(enabled=True, muted=False, discontinuous=self.microphone.dtx, maximumBitrate=32000),
                    video=dict(enabled=True, cameraOn=True, videoType='screen' if v.screen else 'camera', preferredFrameRate=30, retransmission='ownSSRC', layers=layers))

    def subscriber_intent(self):
        if not self.has_intent:
            return None
        v = (self.videos or [Remote()])[0]
        return dict(role='subscriber', routing='routed', audio=dict(enabled=True, muted=False, maximumBitrate=32000),
                    video=dict(enabled=bool(self.videos), cameraOn=True, videoType='screen' if v.screen else 'camera', retransmission='ownSSRC',
                               wantedLayer=dict(enabled=True, maximumBitrate=v.wish, size=dict(width=v.size[0], height=v.size[1]))))

    # Troubles

    def at(self, begin, end, thing, **changed):
        """From `begin` to `end` (seconds since the first report) attributes are other ones; a value may be a function of the second."""
        self.changes.append((begin, end, thing, changed))

    def window(self, shortest=40, longest=70):
        """Begin and end of a trouble: some reports before, long enough to show at this interval."""
        i = self.interval
        begin = self.r.randint(max(20, 4 * i), max(32, 6 * i))
        return begin, begin + max(self.r.randint(shortest, longest), 6 * i)

    def side(self, words='bothOrUnclear unknown'):
        """The downlink as one leg of an SFU is said to be one only by the intent, or by ten senders at once."""
        return 'local bothOrUnclear' if self.has_intent or self.topology == 'sfu-one' else words if self.topology == 'p2p' else words + ' local'

    def named(self, track):
        return track.track if self.engine == 'firefox' else track.mid

    # Running

    def run(self, length, lead=None):
        """Simulates and reports. The model runs some seconds before the first report: many recordings begin within a call."""
        length = math.ceil(length / self.interval) * self.interval  # the last report comes after all that is expected
        self.length = length
        lead = lead if lead is not None else self.r.choice((1, 2, 3, 30))
        base = [(thing, {k: getattr(thing, k) for k in changed}) for _, _, thing, changed in self.changes]
        self.well = None  # the second from which the uplink carries what the camera would send, after it once did not
        self.well_down = None
        for t in range(-lead, length + 1):
            for thing, values in base:
                for k, v in values.items():
                    setattr(thing, k, v)
            for begin, end, thing, changed in self.changes:
                if begin <= t < end:
                    for k, v in changed.items():
                        setattr(thing, k, v(t) if callable(v) else v)
            if t >= 0 and t % self.interval == 0 and not any(b < t < e for b, e in self.gaps):
                self.report(t)
            if t < length:
                self.second(t)
        self.until_well, self.until_well_down = (length if well is None else well for well in (self.well, self.well_down))
        return self

    def asleep(self, begin, end):
        """No reports in between: a throttled tab, or a machine that sleeps (then with cuts)."""
        self.gaps.append((begin, end))

    def second(self, t):
        p, r = self.path, self.r
        if p.asleep:
            return
        cut_up, cut_down = p.cut_up, p.cut_down
        wanted = self.camera.rate if not self.camera.off else 0
        target = min(self.camera.rate, max(30e3, self.up.value - 40e3))
        sent = 32e3 + (target * self.camera.content if self.camera.capture and self.camera.source and not self.camera.off else 0)
        big = 1 - (1 - p.loss_up) * (1 - p.big_up)
        tail_up = self.up.second(sent, p.cap_up, p.loss_up, p, p.backoff)
        for v in self.videos:
            v.rate_now = self.remote_rate(v)
        received = 32e3 + sum(v.rate_now for v in self.videos if not v.off)
        tail_down = self.down.second(received, p.cap_down, p.loss_down, p, None)
        if self.up.value - 40e3 < wanted * .97 or wanted and self.camera.adapter.step:
            self.well = None
        elif self.well is None:
            self.well = t
        if any(v.rate_now < v.wish * .97 or v.adapter.step for v in self.videos):
            self.well_down = None
        elif self.well_down is None:
            self.well_down = t
        if cut_up:
            self.up.value = 300e3
        if cut_down:
            self.down.value = min(self.down.value, 400e3)
        queue = self.up.queue + self.down.queue + p.foreign
        rtt = p.rtt + queue + r.uniform(0, p.wobble) + (p.stall_up + p.stall_down) * r.random() + max(0, r.gauss(0, (p.jitter_up + p.jitter_down) / 1.6)) \
            + (.3 if p.relay and p.stall_down else 0) * r.random()
        small_up, small_down = 1 - (1 - p.loss_up) * (1 - tail_up), 1 - (1 - p.loss_down) * (1 - tail_down)
        big_up, big_down = 1 - (1 - big) * (1 - tail_up), 1 - (1 - small_down) * (1 - p.big_down)
        for c in self.connections:
            c.second_rtt = rtt
            up = down = pup = pdown = 0
            for s in c.sends:
                b, n = self.send(s, t, target, small_up if s.kind == 'audio' else big_up, cut_up, cut_down, rtt)
                up, pup = up + b, pup + n
            for s in c.receives:
                b, n = self.receive(s, t, small_down if s.kind == 'audio' else big_down, cut_down, rtt)
                down, pdown = down + b, pdown + n
            c.tx += up + 300 + down // 40; c.ptx += pup + 3 + pdown // 20
            if not cut_down:
                c.rx += down + 250 + up // 40; c.prx += pdown + 3 + pup // 20
            if not cut_up and not cut_down and t % 5 in (0, 2):  # a connectivity check each 2.5 s
                c.responses += 1; c.total_rtt += rtt; c.rtt = rtt
            if p.pair != c.pair:
                c.pair, c.changes = p.pair, c.changes + 1

    def level(self, s, t):
        """RMS of this second, and whether anybody speaks."""
        if s.mood == 'zero':
            return 0, False
        speaks = s.mood == 'talk' and math.sin(t / 3.1 + s.ssrc % 7) + math.sin(t / 7.7) > -.6
        return (self.r.uniform(.03, .16), True) if speaks else (self.r.uniform(.0004, .0012), False)

    def add(self, s, **more):
        for k, v in more.items():
            s.n[k] = s.n.get(k, 0) + v

    # What is sent

    def send(self, s, t, target, share, cut, deaf, rtt):
        s.target = target
        if s.kind == 'audio':
            level, speaks = self.level(s, t)
            s.level = level
            if not s.frozen:
                self.add(s, energy=level ** 2, duration=1.0)
            n = 0 if s.off else 50 if speaks or not s.dtx else 3
            size = 80 if speaks else 40 if n == 50 else 8
            self.sent(s, t, n, n * size, share, cut, deaf, 5, self.path.jitter_up, rtt)
            return n * size, n
        frames = int(s.capture) if s.source else 0
        if s.capture and s.capture < 1:
            frames = int(t % round(1 / s.capture) == 0)
        self.add(s, source=frames)
        s.captured = frames
        encodable = min(frames, s.limit or frames)
        if s.off:
            encodable = 0
        pictures = self.pictures(s, target, encodable)
        total = packets = 0
        for layer in pictures:
            part = s.parts.setdefault(layer['rid'], Layer(s.ssrc + 2 * len(s.parts)))
            part.now = layer
            f = layer['fps']
            b = int(layer['rate'] / 8 * self.r.uniform(.95, 1.03)) if f else 0
            n = max(f, math.ceil(b / 1120)) if f else 0
            changed = part.n and layer['size'] != getattr(part, 'size', layer['size'])
            part.size = layer['size']
            self.add(part, framesEncoded=f, framesSent=f, totalEncodeTime=f * s.encode * self.r.uniform(.9, 1.1), totalPacketSendDelay=n * (.003 + min(.08, self.up.queue * .1)),
                     qpSum=f * int(22 if layer['reason'] == 'none' else 38), keyFramesEncoded=1 if not part.n or changed else 0, changes=1 if changed else 0,
                     totalEncodedBytesTarget=b, hugeFramesSent=0, firCount=0, pliCount=1 if changed else 0)
            part.qualities[layer['reason']] += 1
            again = self.sent(part, t, n, b, share, cut, deaf, 1, self.path.jitter_up + .003, rtt)
            self.add(part, retransmittedPacketsSent=again, retransmittedBytesSent=again * 1120, packetsSent=again, bytesSent=again * 1120, nackCount=again)
            total, packets = total + b, packets + n + again
        return total, packets

    def pictures(self, s, target, fps):
        """Each layer's rate, size, frames a second, and what holds it back."""
        held = 'cpu' if s.limit and s.limit < s.capture else 'none'
        if s.forced:
            size, f, rate = s.forced
            return [dict(rid=None, rate=rate, size=size, fps=f, reason='bandwidth', target=rate)]
        if not s.simulcast:
            rate = target * s.content
            size = s.adapter.size(target, s.size) if not s.screen else s.size
            if held == 'cpu':
                size = min(size, (int(s.size[0] * .75), int(s.size[1] * .75)))
            reason = held if held != 'none' else 'bandwidth' if size != s.size and not s.screen else 'none'
            return [dict(rid=None, rate=rate if fps > 1 else rate * .02, size=size, fps=fps, reason=reason, target=target)]
        left, out = target, []
        limited = target < s.rate * .9
        for rid, rate, share in LAYERS:
            give = rate if left >= rate else left if left > rate * .55 else 0
            left -= give
            out.append(dict(rid=rid, rate=give * s.content, size=(int(s.size[0] * share), int(s.size[1] * share)), fps=fps if give else 0,
                            reason=held if held != 'none' else 'bandwidth' if limited else 'none', target=give))
        return out

    def sent(self, part, t, n, b, share, cut, deaf, each, jitter, rtt):
        """Counts what left, what the far end misses of it, and, when its report came, what that said. Returns what is sent again."""
        gone = n if cut else lost(self.r, n, share)
        self.add(part, packetsSent=n, bytesSent=b, lost=gone)
        part.since = getattr(part, 'since', 0) + n
        if not cut and not deaf and t % each == (part.ssrc % each) and part.n['packetsSent']:
            rr = part.rr or dict(totalRoundTripTime=0.0, roundTripTimeMeasurements=0, lostBefore=0)
            rr.update(at=t, packetsLost=part.n['lost'], jitter=jitter * self.r.uniform(.8, 1.25), roundTripTime=rtt * self.r.uniform(.96, 1.04) + .001,
                      received=part.n['packetsSent'] - part.n['lost'], bytes=part.n['bytesSent'],
                      fractionLost=(part.n['lost'] - rr['lostBefore']) / max(1, part.since), lostBefore=part.n['lost'])
            rr['totalRoundTripTime'] += rr['roundTripTime']; rr['roundTripTimeMeasurements'] += 1
            part.rr, part.since = rr, 0
        return 0 if cut else min(gone, n // 2)

    # What is received

    def remote_rate(self, s):
        """Peer-to-peer the far encoder follows its estimate; an SFU sends the highest layer that fits."""
        if self.topology == 'p2p':
            rate = min(s.wish, max(30e3, self.down.value - 40e3))
            s.size_now = s.adapter.size(rate, (1280, 720)) if not s.screen else (1920, 1080)
            return rate
        budget = self.down.value / max(1, len(self.videos))
        fitting = [(rate, share) for _, rate, share in LAYERS if rate <= s.wish * 1.01]
        rate, share = max([l for l in fitting if l[0] <= budget] or [(0 if budget < 60e3 else 60e3, .25)])
        s.size_now = (int(1280 * share), int(720 * share))
        if s.screen:
            s.size_now = (1920, 1080)
        return rate

    def receive(self, s, t, share, cut, rtt):
        p, r = self.path, self.r
        share = 1 - (1 - share) * (1 - s.loss) * (1 - s.big)
        stall = max(p.stall_down, s.stall)
        jitter = p.jitter_down + s.jitter + stall * .06 + self.down.queue * .05
        s.jitter_now = jitter * r.uniform(.8, 1.25)
        if s.kind == 'audio':
            level, speaks = self.level(s, t)
            n = 0 if s.off else 50 if speaks or not s.dtx else 3
            size = 80 if speaks else 40 if n == 50 else 8
            s.sender = getattr(s, 'sender', 0) + n
            s.sent_at, s.sender_bytes = t, getattr(s, 'sender_bytes', 0) + n * size
            if cut or s.missing:
                if not s.off:
                    s.hole = getattr(s, 'hole', 0) + n
                    self.add(s, concealedSamples=48000, silentConcealedSamples=47000, concealmentEvents=0, packetsReceived=0, packetsLost=0)
                s.level = 0
                self.add(s, totalSamplesReceived=48000, totalSamplesDuration=1.0, totalAudioEnergy=0, insertedSamplesForDeceleration=0, removedSamplesForAcceleration=0,
                         packetsDiscarded=0, bytesReceived=0, jitterBufferDelay=0, jitterBufferEmittedCount=0, jitterBufferTargetDelay=0, jitterBufferMinimumDelay=0)
                return 0, 0
            gone, hole = lost(r, n, share), getattr(s, 'hole', 0)
            s.hole = 0
            late = int(n * s.late) + (int(max(0, stall - .1) * n * .5))
            concealed = int(gone * 960 * (1 - s.fec)) + late * 960
            s.level = level
            delay = .03 + 2.2 * jitter
            self.add(s, packetsReceived=n - gone, packetsLost=gone + hole, packetsDiscarded=late, bytesReceived=(n - gone) * size, concealedSamples=concealed,
                     silentConcealedSamples=concealed // 20, concealmentEvents=min(12, gone + late // 3) if concealed else 0, totalSamplesReceived=48000, totalSamplesDuration=1.0,
                     totalAudioEnergy=level ** 2, insertedSamplesForDeceleration=int(900 * min(4, jitter / .02)) if jitter > .01 else 0,
                     removedSamplesForAcceleration=int(900 * min(4, jitter / .02)) if jitter > .01 else 40, jitterBufferDelay=48000 * delay, jitterBufferEmittedCount=48000,
                     jitterBufferTargetDelay=48000 * delay, jitterBufferMinimumDelay=48000 * delay * .95)
            return (n - gone) * size, n - gone
        keys = ('packetsReceived packetsLost bytesReceived retransmittedPacketsReceived framesReceived framesDecoded framesDropped keyFramesDecoded freezeCount pauseCount '
                'nackCount pliCount firCount jitterBufferEmittedCount framesAssembledFromMultiplePackets').split()
        self.add(s, **{k: 0 for k in keys})
        self.add(s, totalDecodeTime=0.0, totalInterFrameDelay=0.0, totalSquaredInterFrameDelay=0.0, totalFreezesDuration=0.0, totalPausesDuration=0.0, jitterBufferDelay=0.0,
                 jitterBufferTargetDelay=0.0, jitterBufferMinimumDelay=0.0, qpSum=0, totalProcessingDelay=0.0, totalAssemblyTime=0.0)
        fps = s.fps if s.fps >= 1 else int(t % round(1 / s.fps) == 0)
        rate = s.rate_now if not s.off else 0
        if fps < 3:
            rate *= .03
        b = int(rate / 8 * r.uniform(.95, 1.03)) if fps else 0
        n = max(fps, math.ceil(b / 1120)) if b else 0
        s.sender = getattr(s, 'sender', 0) + n
        s.sent_at, s.sender_bytes = t, getattr(s, 'sender_bytes', 0) + b
        s.shown = 0
        if s.off:
            s.gap = None  # nothing is due
            return 0, 0
        if cut or s.missing:
            s.hole = getattr(s, 'hole', 0) + n
            s.gap = (getattr(s, 'gap', 0) or 0) + 1
            return 0, 0
        gone, hole = lost(r, n, share), getattr(s, 'hole', 0)
        s.hole = 0
        # Retransmission repairs what is lost at random; where most is lost, or all large packets are, it repairs nothing.
        dead = s.big > .7 or p.big_down > .7
        fix = 0 if dead or share > .5 else gone
        frozen = self.freeze_time(share, stall)
        got = 0 if dead and share > .6 else int(fps * (1 - max(0, share - .4)))
        limit = s.decode_limit
        decoded = 0 if not s.decodes or dead else min(got, limit or got)
        self.add(s, packetsReceived=n - gone, packetsLost=gone + hole, bytesReceived=b - gone * 1120 if b > gone * 1120 else 0, retransmittedPacketsReceived=fix, nackCount=gone if not dead else gone * 3,
                 framesReceived=got, framesDecoded=decoded, framesAssembledFromMultiplePackets=got, jitterBufferEmittedCount=decoded)
        self.add(s, bytesReceived=fix * 1120)
        if limit:
            self.add(s, framesDropped=got - decoded)
        if not s.n['framesDecoded'] or not decoded:
            self.add(s, pliCount=1 if (not s.decodes or dead) else 0)
            s.gap = (getattr(s, 'gap', 0) or 0) + (1 if s.fps >= 1 else 0)
        if decoded:
            gap = getattr(s, 'gap', 0) or 0
            s.gap = 0
            first = s.n['keyFramesDecoded'] == 0
            mean = 1 / decoded
            self.add(s, totalInterFrameDelay=1.0 + gap, totalSquaredInterFrameDelay=mean * (1 - frozen) + frozen ** 2 + gap ** 2, totalDecodeTime=decoded * s.decode * r.uniform(.92, 1.08),
                     jitterBufferDelay=decoded * (.03 + 2 * jitter + (rtt if gone else 0) * .4), jitterBufferTargetDelay=decoded * (.03 + 2 * jitter), jitterBufferMinimumDelay=decoded * .03,
                     qpSum=decoded * 24, totalProcessingDelay=decoded * (.045 + 2 * jitter), totalAssemblyTime=decoded * .002, keyFramesDecoded=1 if first or gap else 0, pliCount=1 if gap else 0)
            if frozen > .2 or gap:
                self.add(s, freezeCount=1, totalFreezesDuration=frozen + gap)
        s.shown = int(decoded * (1 - .5 * frozen))
        return b, n

    def freeze_time(self, share, stall):
        """Seconds of this one in which the picture stands still."""
        if stall > .2:
            return stall * self.r.uniform(.85, 1)
        if share > .12 and self.r.random() < (share - .08) * 4:
            return self.r.uniform(.25, .6)
        return 0

    # The report

    def clock(self, t):
        """What the machine's clock says at second t: it may be set within the call."""
        return T0 + (t + (self.step[1] if self.step and t >= self.step[0] else 0)) * 1000

    def report(self, t):
        drift = self.r.uniform(-.012, .012) if t else 0
        now = round(self.clock(t) + drift * 1000)
        self.elapsed.append(t)
        for k, c in enumerate(self.connections):
            stats = shape(self.engine, Reporter(self, c, now + k).all())
            line = dict(time=now + k, pc=c.name, stats=stats)
            if c.intent:
                line['intent'] = c.intent
            self.lines.append(line)

    def entry(self, name, kind, truth, *expect, doubt=None):
        e = dict(name=name, set=kind, engine=self.engine, topology=self.topology, interval=self.interval, hasIntent=self.has_intent, truth=truth, expect=list(expect))
        if doubt:
            e['doubt'] = doubt
        if self.step:
            e['elapsed'] = [t for t in self.elapsed for _ in self.connections]
        return e, self.lines


# The engines

class Reporter:
    """Everything that libwebrtc of today says of a connection; `shape` takes away what an engine does not."""
    def __init__(self, call, c, now):
        self.call, self.c, self.now, self.out = call, c, now, []

    def put(self, type, id, at=None, **more):
        self.out.append(dict(type=type, id=id, timestamp=self.now if at is None else at, **{k: round(v, 6) if isinstance(v, float) else v for k, v in more.items() if v is not None}))

    def all(self):
        c, p = self.c, self.call.path
        for s in c.sends:
            self.microphone(s) if s.kind == 'audio' else self.camera(s)
        for s in c.receives:
            self.received(s)
        pair = f'CP{c.pair}a_R1'
        self.put('transport', 'T01', bytesSent=c.tx, bytesReceived=c.rx, packetsSent=c.ptx, packetsReceived=c.prx, dtlsState='connected', dtlsRole='client', iceRole='controlling', iceState=p.ice,
                 iceLocalUsernameFragment=f'uf{c.pair}', selectedCandidatePairId=pair, selectedCandidatePairChanges=c.changes, tlsVersion='FEFD', srtpCipher='AES_CM_128_HMAC_SHA1_80')
        self.put('candidate-pair', pair, transportId='T01', localCandidateId=f'I{c.pair}a', remoteCandidateId='IR1', state='succeeded', nominated=True, selected=True, priority=9115060245863753214,
                 bytesSent=c.tx, bytesReceived=c.rx, packetsSent=c.ptx, packetsReceived=c.prx, currentRoundTripTime=c.rtt, totalRoundTripTime=c.total_rtt, responsesReceived=c.responses,
                 requestsSent=c.responses + 1, requestsReceived=c.responses, responsesSent=c.responses, consentRequestsSent=c.responses, bytesDiscardedOnSend=0, packetsDiscardedOnSend=0,
                 availableOutgoingBitrate=round(self.call.up.value) if c.sends else 300000)
        self.put('local-candidate', f'I{c.pair}a', transportId='T01', address=f'192.0.2.{c.pair}', port=50000 + c.pair, protocol='udp', candidateType='relay' if p.relay else 'host',
                 relayProtocol=p.relay, priority=2122260223, networkType='wifi' if c.pair == 1 else 'cellular')
        self.put('remote-candidate', 'IR1', transportId='T01', address='198.51.100.9', port=10000, protocol='udp', candidateType='host', priority=2130706431)
        self.put('peer-connection', 'P', dataChannelsOpened=0, dataChannelsClosed=0)
        self.put('codec', 'C111', transportId='T01', mimeType='audio/opus', payloadType=111, clockRate=48000, channels=2, sdpFmtpLine='minptime=10;useinbandfec=1')
        if self.call.videos:
            self.put('codec', 'C96', transportId='T01', mimeType='video/VP8' if not self.call.camera.svc else 'video/VP9', payloadType=96, clockRate=90000)
        return self.out

    def rtp(self, s, kind, mid):
        return dict(kind=kind, mediaType=kind, ssrc=s.ssrc, mid=mid, transportId='T01', codecId='C111' if kind == 'audio' else 'C96')

    def far(self, part, kind, of):
        rr = part.rr
        if rr:
            self.put('remote-inbound-rtp', f'RI{kind[0].upper()}{part.ssrc}', at=self.call.clock(rr['at']) + 500 + part.ssrc % 400, kind=kind, mediaType=kind, ssrc=part.ssrc, transportId='T01',
                     codecId='C111' if kind == 'audio' else 'C96', localId=of, packetsLost=rr['packetsLost'], fractionLost=rr['fractionLost'], jitter=rr['jitter'],
                     roundTripTime=rr['roundTripTime'], totalRoundTripTime=rr['totalRoundTripTime'], roundTripTimeMeasurements=rr['roundTripTimeMeasurements'],
                     packetsReceived=rr['received'], bytesReceived=rr['bytes'])

    def microphone(self, s):
        n, of, source = s.n, f'OT01A{s.ssrc}', None if s.off == 'gone' else f'SA{s.mid}'
        self.put('outbound-rtp', of, **self.rtp(s, 'audio', s.mid), mediaSourceId=source, remoteId=f'RIA{s.ssrc}' if s.rr else None, packetsSent=n.get('packetsSent', 0), bytesSent=n.get('bytesSent', 0),
                 headerBytesSent=n.get('packetsSent', 0) * 28, retransmittedPacketsSent=0, retransmittedBytesSent=0, nackCount=0, targetBitrate=32000, active=s.off != 'hold',
                 totalPacketSendDelay=0.0)
        if source:
            self.put('media-source', source, kind='audio', trackIdentifier=s.track, audioLevel=s.level, totalAudioEnergy=n.get('energy', 0.0), totalSamplesDuration=n.get('duration', 0.0))
        self.far(s, 'audio', of)

    def camera(self, s):
        source = None if s.off == 'gone' else f'SV{s.mid}'
        for part in s.parts.values():
            n, now, of = part.n, part.now, f'OT01V{part.ssrc}'
            more = dict(frameWidth=now['size'][0], frameHeight=now['size'][1]) if n['framesEncoded'] else {}
            if now['fps']:
                more.update(framesPerSecond=now['fps'], targetBitrate=int(now['target']))
            self.put('outbound-rtp', of, **self.rtp(part, 'video', s.mid), rid=now['rid'], rtxSsrc=part.ssrc + 1, mediaSourceId=source, remoteId=f'RIV{part.ssrc}' if part.rr else None,
                     **{k: n[k] for k in ('packetsSent bytesSent retransmittedPacketsSent retransmittedBytesSent framesEncoded framesSent keyFramesEncoded hugeFramesSent totalEncodeTime '
                                          'totalEncodedBytesTarget totalPacketSendDelay qpSum nackCount pliCount firCount').split()},
                     headerBytesSent=n['packetsSent'] * 24, qualityLimitationReason=now['reason'], qualityLimitationDurations=dict(part.qualities),
                     qualityLimitationResolutionChanges=n['changes'], encoderImplementation='libvpx', active=s.off != 'hold', contentType='screenshare' if s.screen else None,
                     scalabilityMode='L3T3_KEY' if s.svc else 'L1T1' if not s.simulcast else 'L1T2', powerEfficientEncoder=False, **more)
        if source:
            fps = {'framesPerSecond': s.captured} if hasattr(s, 'captured') else {}
            self.put('media-source', source, kind='video', trackIdentifier=s.track, width=s.size[0], height=s.size[1], frames=s.n.get('source', 0), **fps)
        for part in s.parts.values():
            self.far(part, 'video', f'OT01V{part.ssrc}')

    def received(self, s):
        n, engine = s.n, self.call.engine
        if not n:
            return
        of = f'IT01{s.kind[0].upper()}{s.ssrc}'
        plain = {k: v for k, v in n.items() if k not in ('retransmittedPacketsReceived',)}
        if s.kind == 'audio':
            self.put('inbound-rtp', of, **self.rtp(s, 'audio', s.mid), trackIdentifier=s.track, remoteId=f'RO{s.ssrc}', jitter=s.jitter_now, headerBytesReceived=n['packetsReceived'] * 28,
                     audioLevel=s.level, fecPacketsReceived=0, fecPacketsDiscarded=0, nackCount=0, playoutId='AP', **plain)
        else:
            if engine == 'chrome':  # counts what came as retransmission among the packets, and says how much it was
                plain.update(packetsReceived=n['packetsReceived'] + n['retransmittedPacketsReceived'], retransmittedPacketsReceived=n['retransmittedPacketsReceived'],
                             retransmittedBytesReceived=n['retransmittedPacketsReceived'] * 1120, rtxSsrc=s.ssrc + 1)
            more = dict(frameWidth=s.size_now[0], frameHeight=s.size_now[1]) if n['framesDecoded'] and hasattr(s, 'size_now') else {}
            if s.shown:
                more['framesPerSecond'] = s.shown
            self.put('inbound-rtp', of, **self.rtp(s, 'video', s.mid), trackIdentifier=s.track, remoteId=f'RO{s.ssrc}', jitter=s.jitter_now + .004, headerBytesReceived=n['packetsReceived'] * 24,
                     decoderImplementation='libvpx' if n['framesDecoded'] else 'unknown', contentType='screenshare' if s.screen else None, powerEfficientDecoder=False, **plain, **more)
        at = self.call.elapsed[-1] // 5 * 5 if s.kind == 'audio' else self.call.elapsed[-1]
        heard = not (self.call.path.cut_down or getattr(self.call, 'no_reports', False))
        if heard:
            s.sr = dict(at=self.call.clock(at), packetsSent=s.sender, bytesSent=s.sender_bytes)
        if getattr(s, 'sr', None):
            self.put('remote-outbound-rtp', f'RO{s.ssrc}', at=s.sr['at'], kind=s.kind, mediaType=s.kind, ssrc=s.ssrc, transportId='T01', codecId='C111' if s.kind == 'audio' else 'C96',
                     localId=of, packetsSent=s.sr['packetsSent'], bytesSent=s.sr['bytesSent'], remoteTimestamp=s.sr['at'] - 20, reportsSent=int(at // 5) + 2,
                     roundTripTimeMeasurements=0, totalRoundTripTime=0.0)


# Entry type: members that an engine lacks (* = all of the type). MDN's compatibility tables and dumps of real calls say so.
WITHOUT = {
    'chrome': {'candidate-pair': 'selected', 'remote-inbound-rtp': 'packetsReceived bytesReceived'},
    # M109: no members of the years after it.
    'native': {'candidate-pair': 'selected', 'remote-inbound-rtp': 'packetsReceived bytesReceived', 'outbound-rtp': 'rtxSsrc scalabilityMode powerEfficientEncoder',
               'inbound-rtp': 'rtxSsrc playoutId powerEfficientDecoder'},
    'safari': {'candidate-pair': 'selected bytesDiscardedOnSend packetsDiscardedOnSend consentRequestsSent', 'remote-inbound-rtp': 'packetsReceived bytesReceived',
               'outbound-rtp': 'rtxSsrc qualityLimitationReason qualityLimitationDurations qualityLimitationResolutionChanges powerEfficientEncoder encoderImplementation scalabilityMode contentType',
               'inbound-rtp': 'rtxSsrc playoutId powerEfficientDecoder decoderImplementation jitterBufferTargetDelay jitterBufferMinimumDelay contentType packetsDiscarded',
               'local-candidate': 'networkType', 'media-source': 'audioLevel totalAudioEnergy totalSamplesDuration'},
    # 128: neither transport nor round trip time of the pair, no freezes, no level of the microphone.
    'firefox': {'transport': '*', 'peer-connection': '*',
                'candidate-pair': 'availableOutgoingBitrate currentRoundTripTime totalRoundTripTime responsesReceived requestsSent requestsReceived responsesSent consentRequestsSent '
                                  'bytesDiscardedOnSend packetsDiscardedOnSend packetsSent packetsReceived',
                'outbound-rtp': 'mid transportId mediaSourceId rtxSsrc targetBitrate keyFramesEncoded totalPacketSendDelay qualityLimitationReason qualityLimitationDurations '
                                'qualityLimitationResolutionChanges encoderImplementation powerEfficientEncoder active scalabilityMode contentType rid',
                'inbound-rtp': 'mid transportId rtxSsrc freezeCount totalFreezesDuration pauseCount totalPausesDuration keyFramesDecoded jitterBufferTargetDelay jitterBufferMinimumDelay '
                               'totalAssemblyTime framesAssembledFromMultiplePackets decoderImplementation powerEfficientDecoder playoutId contentType',
                'remote-inbound-rtp': 'transportId', 'remote-outbound-rtp': 'transportId reportsSent roundTripTimeMeasurements totalRoundTripTime',
                'media-source': 'audioLevel totalAudioEnergy totalSamplesDuration', 'local-candidate': 'networkType'}}
# 154: most of it came, but not the estimate, the reason of limits, nor the microphone's level.
WITHOUT['firefox154'] = {'peer-connection': '*', 'transport': 'selectedCandidatePairChanges',
                         'candidate-pair': 'availableOutgoingBitrate requestsSent requestsReceived responsesSent consentRequestsSent bytesDiscardedOnSend packetsDiscardedOnSend packetsSent packetsReceived',
                         'outbound-rtp': WITHOUT['firefox']['outbound-rtp'].replace('mid transportId ', '').replace(' rid', ''),
                         'inbound-rtp': 'rtxSsrc decoderImplementation powerEfficientDecoder playoutId contentType', 'media-source': 'audioLevel totalAudioEnergy totalSamplesDuration',
                         'remote-outbound-rtp': 'reportsSent roundTripTimeMeasurements totalRoundTripTime', 'local-candidate': 'networkType'}
WITHOUT = {engine: {type: set(members.split()) for type, members in types.items()} for engine, types in WITHOUT.items()}


def shape(engine, entries):
    """The report as this engine would give it."""
    without, out = WITHOUT[engine], []
    firefox = engine.startswith('firefox')
    for e in entries:
        gone = without.get(e['type'], ())
        if '*' in gone:
            continue
        e = {k: v for k, v in e.items() if k not in gone}
        if firefox:  # hashes, for entries and references alike
            for k in e:
                if k == 'id' or k.endswith('Id') and isinstance(e[k], str):
                    e[k] = f'{zlib.crc32(e[k].encode()):08x}'
        out.append(e)
    if engine == 'native':
        for e in [e for e in out if e['type'] in ('media-source', 'inbound-rtp') and 'trackIdentifier' in e]:
            sent = e['type'] == 'media-source'
            name = ('DEPRECATED_TO' if sent else 'DEPRECATED_TI') + e['id']
            out.append(dict(type='track', id=name, timestamp=e['timestamp'], trackIdentifier=e['trackIdentifier'], kind=e['kind'], ended=False, detached=False, remoteSource=not sent))
    return out
