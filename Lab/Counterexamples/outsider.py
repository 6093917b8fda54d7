# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Calls in shapes that the other sets lack. No model of a network stands behind them: each says second by second what an engine reports, as somebody
would write it who has dumps of such calls before them. Truths are what an expert would sign who sees the report alone."""
import random
import zlib
from calls import T0, pub, shape, sub

CALLS = []
P2P_SIDE, SFU_SIDE = 'bothOrUnclear unknown', 'local bothOrUnclear unknown'


def between(begin, end, value, other):
    """A function of the second: one value within, another outside."""
    return lambda t: (value(t) if callable(value) else value) if begin <= t < end else other(t) if callable(other) else other


class Track:
    """Figures of one track, each a value or a function of the second."""
    def __init__(self, kind='video', mid='0', **figures):
        self.kind, self.mid, self.figures, self.n = kind, mid, figures, {}
        self.ssrc = zlib.crc32(repr((kind, mid, sorted(figures))).encode()) % 2 ** 31 + 1000
        self.track = f'track-{mid}'

    def get(self, name, t, default=None):
        value = self.figures.get(name, default)
        return value(t) if callable(value) else value

    def add(self, **more):
        for k, v in more.items():
            self.n[k] = self.n.get(k, 0) + v


class Written:
    """A recording of one or several peer connections, written second by second."""
    def __init__(self, name, engine='chrome', interval=1, topology='p2p', seed=0, intent=None):
        self.name, self.engine, self.interval, self.topology, self.intent = name, engine, interval, topology, intent
        self.r, self.lines, self.step, self.elapsed, self.generation = random.Random(f'{name} {seed}'), [], None, [], 0
        self.path = dict(rtt=.04, estimate=3e6, ice='connected', pair=1, relay=None, cut=False, protocol='udp')
        self.tx = self.rx = 0
        self.responses, self.total = 3, .12
        self.sends, self.receives, self.playout = [], [], None
        self.skip = self.again = lambda t: False

    def p(self, name, t):
        value = self.path[name]
        return value(t) if callable(value) else value

    def noisy(self, value, share=.05):
        return value * self.r.uniform(1 - share, 1 + share)

    def run(self, length, truth, *expect, **marks):
        """`marks` says what `check.py` has to allow: counters that fall, reports that come twice."""
        for t in range(length + 1):
            self.second(t)
            if t % self.interval == 0 and not self.skip(t):
                for _ in range(2 if self.again(t) else 1):
                    self.report(t)
        entry = dict(name=self.name, set='outsider', engine=self.engine, topology=self.topology, interval=self.interval, hasIntent=self.intent is not None,
                     truth=truth, expect=list(expect), **marks)
        if self.step:
            entry['elapsed'] = self.elapsed
        CALLS.append((entry, self.lines))

    # What happens

    def second(self, t):
        cut, rtt = self.p('cut', t), self.noisy(self.p('rtt', t))
        up = down = 0
        for s in self.sends:
            up += self.sent(s, t, cut, rtt)
        for s in self.receives:
            down += 0 if cut else self.received(s, t)
        self.tx += int(up) + 200
        if not cut:
            self.rx += int(down) + 200
            if t % 5 in (0, 2):  # a connectivity check each 2.5 s
                self.responses, self.total, self.rtt = self.responses + 1, self.total + rtt, rtt

    def packets(self, s, t, rate):
        if s.kind == 'audio':
            return s.get('packets', t, 50 if rate else 0)
        return 0 if not rate else max(int(s.get('fps', t, 30)), int(rate / 8 / 1100))

    def sent(self, s, t, cut, rtt):
        rate = self.noisy(s.get('rate', t, 32e3 if s.kind == 'audio' else 1.5e6))
        n = int(self.packets(s, t, rate))
        lost = n if cut else sum(self.r.random() < s.get('loss', t, 0) for _ in range(n))
        again = 0 if cut or s.kind == 'audio' else lost
        s.add(packetsSent=n + again, bytesSent=int(rate / 8) + again * 1100, retransmittedPacketsSent=again, retransmittedBytesSent=again * 1100, nackCount=again,
              headerBytesSent=n * 24, lost=lost)
        if s.kind == 'audio':
            level = s.get('level', t, .05 if t % 7 < 4 else .002)
            s.level = level
            s.add(energy=level ** 2, duration=0 if s.get('stopped', t) else 1.0)
        else:
            captured = s.get('captured', t, 30)
            frames = int(min(captured, s.get('fps', t, captured))) if rate else 0
            s.add(frames=int(captured), framesEncoded=frames, framesSent=frames, totalEncodeTime=frames * self.noisy(s.get('encode', t, .008)), qpSum=frames * s.get('qp', t, 25),
                  totalPacketSendDelay=n * s.get('pacing', t, .003), keyFramesEncoded=0, hugeFramesSent=0, pliCount=0, firCount=0)
            s.durations = getattr(s, 'durations', dict(none=0.0, cpu=0.0, bandwidth=0.0, other=0.0))
            s.durations[s.get('reason', t, 'none')] += 1
        if not cut and t % (5 if s.kind == 'audio' else 1) == 0:
            s.rr = dict(at=t, lost=s.n['lost'] - (1 if s.get('negative', t) else 0), jitter=self.noisy(s.get('jitter', t, .004), .2), rtt=rtt,
                        n=getattr(s, 'rr', dict(n=0))['n'] + 1, total=getattr(s, 'rr', dict(total=0.0))['total'] + rtt)
        return rate / 8

    def received(self, s, t):
        wished = s.get('rate', t, 32e3 if s.kind == 'audio' else 1.5e6)
        rate = 0 if s.get('missing', t) else self.noisy(wished)
        sender = self.packets(s, t, wished)
        n = int(self.packets(s, t, rate))
        lost = sum(self.r.random() < s.get('loss', t, 0) for _ in range(n))
        fixed = 0 if s.kind == 'audio' else int(lost * s.get('repaired', t, 1))
        s.add(packetsReceived=n - lost + fixed, packetsLost=lost, bytesReceived=int(rate / 8 * (n - lost + fixed) / max(n, 1)), headerBytesReceived=n * 24, nackCount=lost, sender=int(sender),
              senderBytes=int(wished / 8), packetsDiscarded=0, retransmittedPacketsReceived=fixed, retransmittedBytesReceived=fixed * 1100)
        s.jitter = self.noisy(s.get('jitter', t, .004), .2)
        s.at = t
        if s.kind == 'audio':
            silent = int(48000 * s.get('silent', t, 1 if not n else 0))
            concealed = max(silent, int(48000 * s.get('concealed', t, lost / 50 * .6)))
            level = s.get('level', t, .05 if n else 0)
            s.add(totalSamplesReceived=48000, concealedSamples=concealed, silentConcealedSamples=silent, concealmentEvents=min(9, concealed // 960), totalSamplesDuration=1.0, totalAudioEnergy=level ** 2,
                  jitterBufferDelay=48000 * s.get('buffer', t, .05), jitterBufferEmittedCount=48000, jitterBufferTargetDelay=48000 * s.get('buffer', t, .05), jitterBufferMinimumDelay=48000 * .03,
                  insertedSamplesForDeceleration=0, removedSamplesForAcceleration=0)
            s.level = level
            return rate / 8
        fps = int(s.get('fps', t, 30)) if n else 0
        decoded = int(s.get('decoded', t, fps))
        gap = getattr(s, 'gap', 0)
        frozen = s.get('frozen', t, 0)
        s.add(framesReceived=fps, framesDecoded=decoded, framesDropped=int(s.get('dropped', t, 0)), keyFramesDecoded=1 if decoded and not s.n.get('framesDecoded') else 0, totalDecodeTime=decoded * self.noisy(s.get('decode', t, .004)),
              pliCount=int(s.get('pli', t, 0)), firCount=0, qpSum=decoded * 25, freezeCount=int(frozen > 0) or int(bool(decoded and gap > 1)), pauseCount=0,
              totalFreezesDuration=float(frozen + (gap if decoded and gap > 1 else 0)), totalPausesDuration=0.0, jitterBufferDelay=decoded * s.get('buffer', t, .06), jitterBufferEmittedCount=decoded,
              jitterBufferTargetDelay=decoded * .05, jitterBufferMinimumDelay=decoded * .03, totalInterFrameDelay=1.0 + gap if decoded else 0.0,
              totalSquaredInterFrameDelay=(1 / decoded + gap ** 2 + frozen ** 2) if decoded else 0.0, totalProcessingDelay=decoded * .07, totalAssemblyTime=decoded * .002, framesAssembledFromMultiplePackets=fps)
        s.gap = 0 if decoded else gap + (1 if wished else 0)
        s.shown = decoded
        return rate / 8

    # What is reported

    def clock(self, t):
        return T0 + (t + (self.step[1] if self.step and t >= self.step[0] else 0)) * 1000

    def report(self, t):
        now, out, g = self.clock(t), [], self.generation

        def put(type, id, at=None, **more):
            out.append(dict(type=type, id=f'{id}g{g}' if g else id, timestamp=now if at is None else at, **{k: round(v, 6) if isinstance(v, float) else v for k, v in more.items() if v is not None}))
        pair = f'CP{self.p("pair", t)}'
        path = dict(bytesSent=self.tx, bytesReceived=self.rx, packetsSent=self.tx // 900, packetsReceived=self.rx // 900)
        put('transport', 'T1', **path, dtlsState='connected', iceState=self.p('ice', t), selectedCandidatePairId=pair, selectedCandidatePairChanges=self.p('pair', t), iceLocalUsernameFragment='u')
        put('candidate-pair', pair, transportId='T1', localCandidateId=f'L{self.p("pair", t)}', remoteCandidateId='R1', state='succeeded', nominated=True, selected=True, **path,
            currentRoundTripTime=getattr(self, 'rtt', .04), totalRoundTripTime=self.total, responsesReceived=self.responses, requestsSent=self.responses, consentRequestsSent=self.responses,
            availableOutgoingBitrate=self.noisy(self.p('estimate', t), .01) if self.sends else None)
        put('local-candidate', f'L{self.p("pair", t)}', transportId='T1', address='192.0.2.4', port=50001, protocol='udp', candidateType='relay' if self.p('relay', t) else 'host', relayProtocol=self.p('relay', t), networkType='wifi')
        put('remote-candidate', 'R1', transportId='T1', address='198.51.100.7', port=10000, protocol='udp', candidateType='host')
        put('codec', 'C1', transportId='T1', mimeType='audio/opus', payloadType=111, clockRate=48000, channels=2)
        put('codec', 'C2', transportId='T1', mimeType='video/VP8', payloadType=96, clockRate=90000)
        for s in self.sends:
            self.report_sent(s, t, put)
        for s in self.receives:
            self.report_received(s, t, put)
        if self.playout:
            put('media-playout', 'AP', kind='audio', synthesizedSamplesDuration=self.playout(t), synthesizedSamplesEvents=int(self.playout(t) * 20), totalSamplesDuration=float(t + 10), totalSamplesCount=48000 * (t + 10),
                totalPlayoutDelay=.04 * 48000 * (t + 10))
        line = dict(time=now, pc=self.name, stats=shape(self.engine, out))
        if self.intent:
            line['intent'] = self.intent
        self.elapsed.append(t)
        self.lines.append(line)

    def report_sent(self, s, t, put):
        n, video = s.n, s.kind == 'video'
        if not n:
            return
        of, more = f'O{s.kind[0]}{s.ssrc}', {}
        fps = int(min(s.get('captured', t, 30), s.get('fps', t, s.get('captured', t, 30)))) if video and s.get('rate', t, 1) else 0
        if video:
            size = s.get('size', t, (1280, 720))
            more = dict(framesPerSecond=fps if fps else None, frameWidth=size[0] if n['framesEncoded'] else None, frameHeight=size[1] if n['framesEncoded'] else None, rid=s.figures.get('rid'), qualityLimitationReason=s.get('reason', t, 'none'),
                        qualityLimitationDurations=dict(s.durations), qualityLimitationResolutionChanges=0, encoderImplementation=s.get('encoder', t, 'libvpx'), scalabilityMode=s.figures.get('mode', 'L1T1'),
                        contentType='screenshare' if s.figures.get('screen') else None, powerEfficientEncoder=False, rtxSsrc=s.ssrc + 1,
                        **{k: n[k] for k in 'framesEncoded framesSent keyFramesEncoded hugeFramesSent totalEncodeTime qpSum pliCount firCount totalPacketSendDelay'.split()})
        source = None if s.get('off', t) else f'S{s.kind[0]}{s.mid}'
        put('outbound-rtp', of, kind=s.kind, mediaType=s.kind, ssrc=s.ssrc, mid=s.mid, transportId='T1', codecId='C2' if video else 'C1', mediaSourceId=source, remoteId=f'RI{of}',
            targetBitrate=s.get('target', t, s.get('rate', t, 1.5e6 if video else 32e3)), active=s.get('active', t, True),
            **{k: n[k] for k in 'packetsSent bytesSent headerBytesSent retransmittedPacketsSent retransmittedBytesSent nackCount'.split()}, **more)
        if source and not s.figures.get('rid') or source and s.figures['rid'] == 'f':
            if video:
                captured = s.get('captured', t, 30)
                whole = s.figures.get('source', (1280, 720))
                put('media-source', source, kind='video', trackIdentifier=s.track, width=whole[0], height=whole[1], frames=n['frames'], framesPerSecond=captured)
            else:
                put('media-source', source, kind='audio', trackIdentifier=s.track, audioLevel=s.level, totalAudioEnergy=n['energy'], totalSamplesDuration=n['duration'],
                    echoReturnLoss=s.get('echo', t), echoReturnLossEnhancement=s.get('echo', t))
        if hasattr(s, 'rr'):
            put('remote-inbound-rtp', f'RI{of}', at=self.clock(s.rr['at']) + 300, kind=s.kind, mediaType=s.kind, ssrc=s.ssrc, transportId='T1', codecId='C2' if video else 'C1', localId=of, packetsLost=s.rr['lost'],
                fractionLost=0.0, jitter=s.rr['jitter'], roundTripTime=s.rr['rtt'], totalRoundTripTime=s.rr['total'], roundTripTimeMeasurements=s.rr['n'])

    def report_received(self, s, t, put):
        n, video = s.n, s.kind == 'video'
        if t < s.figures.get('joins', -99) or not n:
            return
        of, more = f'I{s.kind[0]}{s.ssrc}', {k: v for k, v in n.items() if k not in ('sender', 'senderBytes', 'retransmittedPacketsReceived', 'retransmittedBytesReceived')}
        if video:
            if n.get('framesDecoded'):
                size = s.get('size', t, (1280, 720))
                more.update(frameWidth=size[0], frameHeight=size[1], framesPerSecond=s.shown or None)
            if self.engine == 'chrome':
                more.update(retransmittedPacketsReceived=n['retransmittedPacketsReceived'], retransmittedBytesReceived=n['retransmittedBytesReceived'], rtxSsrc=s.ssrc + 1)
            more.update(decoderImplementation=s.figures.get('decoder', 'libvpx') if n.get('framesDecoded') else 'unknown', powerEfficientDecoder=False, contentType='screenshare' if s.figures.get('screen') else None)
        else:
            more.update(audioLevel=s.level, playoutId='AP' if self.playout else None)
        put('inbound-rtp', of, kind=s.kind, mediaType=s.kind, ssrc=s.ssrc, mid=s.mid, transportId='T1', codecId='C2' if video else 'C1', trackIdentifier=s.track, remoteId=f'RO{of}', jitter=s.jitter, **more)
        if not s.figures.get('silentSender'):
            at = t if video else t // 5 * 5
            put('remote-outbound-rtp', f'RO{of}', at=self.clock(at), kind=s.kind, mediaType=s.kind, ssrc=s.ssrc, transportId='T1', codecId='C2' if video else 'C1', localId=of, packetsSent=n['sender'], bytesSent=n['senderBytes'],
                remoteTimestamp=self.clock(at) - 15, reportsSent=max(1, at), roundTripTimeMeasurements=0, totalRoundTripTime=0.0)


def call(name, engine='chrome', interval=1, topology='p2p', sends=None, receives=None, intent=None, **path):
    """A call of one peer connection: by default audio and video both ways."""
    w = Written(name, engine, interval, topology, intent=intent)
    w.path.update(path)
    w.sends = [Track('audio', '0'), Track('video', '1')] if sends is None else sends
    w.receives = [Track('audio', '2' if topology == 'sfu' else '0'), Track('video', '3' if topology == 'sfu' else '1', echo=1)] if receives is None else receives
    for track in w.receives:
        track.ssrc += 7
    return w


def audio(**more):
    return Track('audio', '0', **more)


def video(**more):
    return Track('video', '1', **more)


B, E, END = 40, 110, 150
CAUSES_AFTER = 'none recovering bandwidth'


def during(good, bad):
    return between(B, E, bad, good)


def outsider():
    """All calls of the set as (manifest entry, lines)."""
    CALLS.clear()
    for part in (bandwidth, processor, streams, devices, delay, connection, loss, well, time_and_identity):
        part()
    return CALLS


def bandwidth():
    low = dict(rate=150e3, fps=15, size=(320, 180), reason='bandwidth', target=150e3)
    call('bandwidth-all-along-flat-rtt', sends=[audio(), video(**low)], estimate=200e3).run(100, '320x180 at 15 fps all the time for want of bandwidth; nothing queues', pub(0, 100, 'bandwidth', atLeast='disturbing'))
    call('bandwidth-step-flat-rtt-2s', interval=2, topology='sfu', sends=[audio(), video(**{k: during(dict(rate=1.5e6, fps=30, size=(1280, 720), reason='none', target=1.5e6)[k], v) for k, v in low.items()})],
         receives=[], estimate=during(2.5e6, 210e3)).run(END, 'the estimate falls to 210 kbit/s, the picture shrinks', pub(B, E, 'bandwidth', atLeast='disturbing'), pub(E, E + 10, CAUSES_AFTER))
    call('bandwidth-screen-slow', topology='sfu', sends=[audio(), video(screen=True, size=(1920, 1080), source=(1920, 1080), rate=during(1.2e6, 130e3), fps=during(30, 3), reason=during('none', 'bandwidth'), target=during(1.2e6, 130e3))],
         receives=[], estimate=during(2.5e6, 190e3), rtt=during(.04, .25)).run(END, 'a shared screen slows to 3 fps for want of bandwidth', pub(B, E, 'bandwidth'), pub(E, E + 10, CAUSES_AFTER))
    layers = [Track('video', '1', rid='q', rate=140e3, size=(320, 180), reason=during('none', 'bandwidth')), Track('video', '1', rid='h', rate=during(450e3, 0), size=(640, 360), reason=during('none', 'bandwidth'), fps=during(30, 0)),
              Track('video', '1', rid='f', rate=during(1.4e6, 0), size=(1280, 720), reason=during('none', 'bandwidth'), fps=during(30, 0))]
    for k, layer in enumerate(layers):
        layer.ssrc += k
    call('bandwidth-simulcast-two-layers-gone', topology='sfu', sends=[audio()] + layers, receives=[], estimate=during(3e6, 220e3), rtt=during(.04, .12)).run(
        END, 'two of three layers are no longer sent for want of bandwidth', pub(B, E, 'bandwidth', atLeast='disturbing'), pub(E, E + 10, CAUSES_AFTER))
    for engine, interval in (('firefox', 5), ('firefox154', 2)):
        call(f'bandwidth-{engine}-queue-{interval}s', engine, interval, sends=[audio(jitter=during(.003, .02)), video(rate=during(1.5e6, 200e3), fps=during(30, 10), size=during((1280, 720), (320, 180)), loss=during(0, .015), jitter=during(.004, .03))],
             rtt=during(.04, lambda t: .3 + .1 * (t % 4))).run(END, 'the uplink carries 250 kbit/s: it queues, a little is lost, the picture shrinks', pub(B, E, 'bandwidth'), sub(B, E + 5, 'none latency bandwidth jitter'),
                                                              pub(E, E + 15, CAUSES_AFTER))
    shrunk = dict(rate=during(1.5e6, 180e3), fps=during(30, 15), size=during((1280, 720), (320, 180)), jitter=during(.005, .03))
    for engine, interval, topology in (('chrome', 1, 'p2p'), ('safari', 2, 'sfu'), ('firefox154', 5, 'p2p'), ('native', 2, 'p2p')):
        call(f'bandwidth-downlink-{engine}-{topology}-{interval}s', engine, interval, topology, sends=[] if topology == 'sfu' else [audio(), video()], receives=[audio(jitter=during(.003, .025)), video(**shrunk)],
             rtt=during(.04, lambda t: .28 + .08 * (t % 5))).run(END, 'the downlink is too small: it queues, what comes shrinks', sub(B, E, 'bandwidth', P2P_SIDE if topology == 'p2p' else SFU_SIDE),
                                                                pub(B, E + 5, 'none latency bandwidth jitter'), sub(E, E + 15, CAUSES_AFTER))
    call('bandwidth-uplink-lossy-10s', interval=10, sends=[audio(loss=during(0, .04)), video(rate=during(1.5e6, 260e3), size=during((1280, 720), (480, 270)), reason=during('none', 'bandwidth'), target=during(1.5e6, 260e3), loss=during(0, .04))],
         estimate=during(2.5e6, 330e3), rtt=during(.04, .35)).run(END + 30, 'a full queue on the uplink that overflows', pub(B, E, 'bandwidth'), sub(B, E + 5, 'none latency bandwidth'), pub(E, E + 20, CAUSES_AFTER))


def processor():
    call('cpu-firefox-no-reason-5s', 'firefox', 5, sends=[audio(), video(fps=during(30, 13), encode=during(.008, .07), rate=during(1.5e6, 900e3))]).run(END, 'the encoder manages 13 of 30 frames', pub(B, E, 'cpu'))
    call('cpu-safari-2s', 'safari', 2, 'sfu', sends=[audio(), video(fps=during(30, 9), encode=during(.008, .105), rate=during(1.5e6, 700e3))], receives=[]).run(END, 'the encoder manages 9 of 30 frames', pub(B, E, 'cpu'))
    call('cpu-chrome-adapted', topology='sfu', sends=[audio(), video(size=during((1280, 720), (640, 360)), reason=during('none', 'cpu'), encode=.012, rate=during(1.5e6, 600e3), encoder='ExternalEncoder')], receives=[]).run(
        END, 'the picture is half as wide because of the processor', pub(B, E, 'cpu'))
    call('cpu-chrome-all-along-10s', interval=10, sends=[audio(), video(fps=12, reason='cpu', encode=.06, size=(960, 540), rate=800e3)]).run(END, 'limited by the processor from the start', pub(0, END, 'cpu'))
    tracks = [Track('video', str(k), rate=300e3, size=(640, 360), decoded=during(30, 14), dropped=during(0, 16), decode=during(.004, .009)) for k in range(1, 11)]
    call('cpu-decoder-ten-tracks', topology='sfu-one', sends=[], receives=[audio()] + tracks).run(END, 'ten pictures are more than this machine decodes: half of the frames are dropped', sub(B, E, 'cpu', 'local'))
    call('cpu-decoder-firefox-2s', 'firefox', 2, 'sfu', sends=[], receives=[audio(), video(decoded=during(30, 8), dropped=during(0, 22), decode=during(.004, .11))]).run(END, 'the decoder manages 8 of 30 frames', sub(B, E, 'cpu', 'local'))


def streams():
    frozen = dict(decoded=during(30, 0), pli=during(0, 1))
    for engine, interval in (('firefox', 5), ('firefox154', 10), ('safari', 2), ('native', 5)):
        call(f'frozen-{engine}-{interval}s', engine, interval, receives=[audio(), video(**frozen)]).run(END, 'the picture is received and no longer decoded', sub(B, E, 'media', atLeast='disturbing'))
    call('missing-video-safari-2s', 'safari', 2, 'sfu', sends=[], receives=[audio(), video(missing=during(False, True))]).run(END, 'video no longer arrives though its sender goes on', sub(B, E, 'media connection packetLoss', atLeast='bad'), sub(E, E + 6, 'none media recovering packetLoss connection'))
    call('missing-video-no-sender-reports', topology='sfu', sends=[], receives=[audio(silentSender=True), video(silentSender=True, missing=during(False, True))]).run(
        END, 'video stops while audio goes on; nobody says whether it was switched off', sub(B, E, 'media none unknown'))
    tracks = [Track('video', str(k), rate=400e3, size=(640, 360)) for k in range(1, 11)]
    tracks[6].figures.update(decoded=0, pli=1)
    call('undecodable-one-of-ten-5s', interval=5, topology='sfu-one', sends=[], receives=[audio()] + tracks).run(120, 'one of ten pictures is never decoded', sub(0, 120, 'media', track='7', atLeast='disturbing'))
    tracks = [Track('video', str(k), rate=400e3, size=(640, 360)) for k in range(1, 11)]
    tracks[2].figures.update(missing=True)
    call('never-started-one-of-ten-2s', interval=2, topology='sfu-one', sends=[], receives=[audio()] + tracks).run(120, 'one of ten pictures is sent, by its reports, and never arrives', sub(0, 120, 'media connection packetLoss', track='3', atLeast='disturbing'))
    call('undecodable-firefox-2s', 'firefox', 2, receives=[audio(), video(decoded=0, pli=1)]).run(100, 'a picture that is never decoded', sub(0, 100, 'media', atLeast='disturbing'))
    call('key-frame-missing-late', receives=[audio(), video(decoded=lambda t: 0 if t < 45 else 30, pli=lambda t: 1 if t < 45 else 0)]).run(100, 'the first picture comes after 45 s', sub(0, 45, 'media', atLeast='disturbing'))
    call('black-camera-off-by-sender', receives=[audio(), video(rate=during(1.5e6, 0))]).run(END, 'the other end switches its camera off for a while: its reports stand still, too')


def devices():
    silent = dict(level=during(.05, 0.0))
    call('microphone-zero-later', sends=[audio(**silent), video()]).run(END, 'digital zero from the microphone; the page may have disabled it', pub(B, E, 'device none unknown'))
    call('microphone-source-stopped', 'native', topology='sfu', receives=[], sends=[audio(stopped=lambda t: t >= B, level=lambda t: .05 if t < B else 0.0), video()]).run(END, 'the microphone delivers no more samples', pub(B, B + 20, 'device none unknown'), pub(B + 20, END, 'device'))
    call('camera-stopped-5s', interval=5, sends=[audio(), video(captured=during(30, 0), rate=during(1.5e6, 0))]).run(END, 'the camera delivers no more frames', pub(B, B + 15, 'device media none unknown'), pub(B + 15, E, 'device media'))
    glitches = call('playout-glitches', topology='sfu', sends=[])
    glitches.playout = lambda t: 0.0 if t < B else .12 * (t - B + 1) if t < E else .12 * (E - B)
    glitches.run(END, 'a tenth of what is played is made up because the device asks late', sub(B, E, 'device cpu', 'local'))
    call('camera-dim-15fps', sends=[audio(), video(captured=15)]).run(100, 'a dim room: 15 frames a second')
    call('background-canvas-1fps', sends=[audio(), video(captured=during(30, 1), rate=during(1.5e6, 60e3))]).run(END, 'a tab in the background draws one frame a second')
    call('hardware-decoder-pipeline', receives=[audio(), video(decode=.048, decoder='ExternalDecoder')]).run(100, 'a hardware decoder with a frame and a half of latency')


def delay():
    for engine, interval, topology in (('chrome', 1, 'p2p'), ('firefox', 5, 'sfu'), ('safari', 10, 'p2p')):
        call(f'latency-steady-{engine}-{interval}s', engine, interval, topology, rtt=.45).run(100, 'the round trip takes 450 ms all the time', pub(0, 100, 'latency'), sub(0, 100, 'latency none'))
    call('latency-vpn-switched-on', rtt=lambda t: .04 if t < B else .42).run(END, 'a VPN is switched on: 420 ms, nothing else', pub(B, B + 15, 'latency bandwidth jitter unknown none'), sub(B, B + 15, 'latency bandwidth jitter unknown none'),
                                                                        pub(B + 15, END, 'latency'), sub(B + 15, END, 'latency none'))
    call('handover-new-pair', rtt=lambda t: .03 if t < B else .13, pair=lambda t: 1 if t < B else 2).run(END, 'a handover to a path that is 100 ms longer; all is well', pub(B, B + 8, 'none connection recovering'), sub(B, B + 8, 'none connection recovering'))
    for engine, interval in (('firefox', 5), ('chrome', 10), ('safari', 2)):
        call(f'jitter-audio-{engine}-{interval}s', engine, interval, 'sfu', sends=[], receives=[audio(jitter=during(.004, .065), concealed=during(0, .04), buffer=during(.05, .18)), video(jitter=during(.006, .07))]).run(
            END, 'what is received comes with 65 ms of jitter', sub(B, E, 'jitter', SFU_SIDE))
    for engine, interval in (('chrome', 2), ('firefox', 5), ('safari', 5), ('native', 1)):
        call(f'stalls-{engine}-{interval}s', engine, interval, receives=[audio(jitter=during(.003, .035), concealed=during(0, .12)), video(jitter=during(.004, .04), frozen=during(0, lambda t: .5 if t % 2 else 0))],
             rtt=during(.04, lambda t: .05 if t % 2 else .35)).run(END, 'the path stands still half a second each other second; nothing is lost', sub(B, E, 'jitter connection'), pub(B, E, 'none jitter latency bandwidth'))
    call('rtt-spikes-unseen', rtt=lambda t: .25 if t % 12 == 6 else .03).run(END, 'a round trip takes 250 ms now and then; nobody notices')
    call('turn-tcp-well', relay='tcp', rtt=.09).run(100, 'relayed over TCP, and well')
    call('turn-tcp-stalls-2s', interval=2, relay='tcp', receives=[audio(jitter=during(.004, .05), concealed=during(0, .1)), video(jitter=during(.004, .05), frozen=during(0, lambda t: .7 if t % 3 == 0 else 0))],
         rtt=during(.06, lambda t: .7 if t % 3 == 0 else .1)).run(END, 'relayed over TCP: a lost segment holds up all that follows', sub(B, E, 'jitter connection latency'), pub(B, E, 'none jitter latency connection bandwidth'))
    call('intercontinental', rtt=.19, sends=[audio(jitter=.006), video(jitter=.01)]).run(120, 'another continent, 190 ms, all well')


def connection():
    for engine, interval in (('chrome', 1), ('firefox', 2), ('safari', 5)):
        call(f'outage-{engine}-{interval}s', engine, interval, cut=between(50, 70, True, False), ice=between(56, 70, 'disconnected', 'connected')).run(
            140, 'nothing comes for 20 s', pub(50, 70, 'connection', atLeast='bad'), sub(50, 70, 'connection', atLeast='bad'), pub(70, 85, 'none recovering connection packetLoss bandwidth unknown'), sub(70, 85, 'none recovering connection packetLoss bandwidth unknown'))
    call('outage-no-ice-word', topology='sfu', cut=between(50, 75, True, False)).run(140, 'nothing comes for 25 s and ICE says connected', pub(50, 75, 'connection', atLeast='bad'), sub(50, 75, 'connection', atLeast='bad'),
                                                                                   pub(75, 90, 'none recovering connection packetLoss bandwidth unknown'), sub(75, 90, 'none recovering connection packetLoss bandwidth unknown'))


def loss():
    for engine, interval in (('chrome', 5), ('firefox', 1)):
        call(f'loss-audio-only-{engine}-{interval}s', engine, interval, sends=[audio(loss=during(0, .08))], receives=[audio(loss=during(0, .08), concealed=during(0, .06))]).run(
            END, '8 % of an audio call is lost both ways', pub(B, E, 'packetLoss'), sub(B, E, 'packetLoss', P2P_SIDE, atLeast='noticeable'))
    tracks = [Track('video', str(k), rate=400e3, size=(640, 360), loss=during(0, .08), frozen=during(0, lambda t: .3 if t % 4 == 0 else 0)) for k in range(1, 11)]
    call('loss-all-of-ten', topology='sfu-one', sends=[], receives=[audio(loss=during(0, .08), concealed=during(0, .05))] + tracks).run(END, '8 % of all that comes is lost', sub(B, E, 'packetLoss', 'local bothOrUnclear'))
    call('loss-uplink-safari-2s', 'safari', 2, 'sfu', sends=[audio(loss=during(0, .07)), video(loss=during(0, .07), rate=during(1.5e6, 1.1e6))], receives=[], estimate=during(2.5e6, 1.2e6)).run(
        END, '7 % of the uplink is lost over a flat round trip; loss-based control gives a little up', pub(B, E, 'packetLoss'), pub(E, E + 20, 'none recovering packetLoss bandwidth'))
    call('loss-large-packets-firefox-5s', 'firefox', 5, 'sfu', sends=[audio(), video(loss=during(0, .9), rate=during(1.5e6, 500e3))], receives=[]).run(END, 'a tunnel drops large packets: audio is well, video is lost', pub(B, E, 'packetLoss'), pub(E, E + 20, 'none recovering packetLoss bandwidth'))
    call('loss-trace', sends=[audio(loss=.003), video(loss=.004)], receives=[audio(loss=.003, concealed=.001), video(loss=.004)]).run(120, '0.4 % is lost, all repaired')


def well():
    call('well-audio-dtx-10s', interval=10, sends=[audio(packets=lambda t: 50 if t % 20 < 6 else 3, rate=lambda t: 32e3 if t % 20 < 6 else 1e3)],
         receives=[audio(packets=lambda t: 50 if t % 20 > 10 else 3, rate=lambda t: 32e3 if t % 20 > 10 else 1e3, silent=lambda t: 0 if t % 20 > 10 else .9)]).run(180, 'an audio call with discontinuous transmission')
    call('well-receives-only', topology='sfu', sends=[]).run(100, 'somebody only watches')
    call('well-sends-only-firefox-2s', 'firefox', 2, 'sfu', receives=[]).run(100, 'somebody only sends')
    call('well-silent-listener', topology='sfu', sends=[audio(level=lambda t: .0004 + .0003 * (t % 3)), video()]).run(120, 'somebody listens behind noise suppression')
    call('well-both-muted', sends=[audio(level=0.0, packets=0, rate=0), video()], receives=[audio(packets=0, rate=0, level=0), video()]).run(120, 'both are muted all the time')
    call('well-screen-still', topology='sfu', sends=[audio(), video(screen=True, captured=lambda t: 30 if t < 20 else 0, rate=lambda t: 1e6 if t < 20 else 0, size=(1920, 1080), source=(1920, 1080))],
         receives=[audio(), video(screen=True, rate=lambda t: 1e6 if t < 20 else 0, fps=lambda t: 30 if t < 20 else 0)]).run(100, 'shared screens that stand still')
    off = dict(active=False, rate=0, fps=0)
    layers = [Track('video', '1', rid='q', rate=140e3, size=(320, 180)), Track('video', '1', rid='h', size=(640, 360), **off), Track('video', '1', rid='f', size=(1280, 720), **off)]
    for k, layer in enumerate(layers):
        layer.ssrc += k
    call('well-layers-nobody-wants', topology='sfu', sends=[audio()] + layers, receives=[], estimate=600e3).run(120, 'the SFU has switched off two layers that nobody wants')
    call('well-content-needs-little', topology='sfu', sends=[audio(), video(rate=180e3, target=1.5e6)], receives=[], estimate=2e6).run(120, 'a quiet picture needs a tenth of its target')
    call('well-negative-loss', 'firefox', 1, sends=[audio(negative=True), video(negative=lambda t: t % 9 == 0)]).run(100, 'duplicates make losses negative', falls=True)
    call('well-paced-video', sends=[audio(), video(jitter=.028, pacing=.02)]).run(120, 'key frames are paced: 28 ms of jitter of video, none of audio')
    call('well-starts-small', sends=[audio(), video(rate=lambda t: min(1.5e6, 200e3 * 1.3 ** max(t, 0)), size=lambda t: (640, 360) if t < 8 else (1280, 720), reason=lambda t: 'bandwidth' if t < 8 else 'none', target=lambda t: min(1.5e6, 200e3 * 1.3 ** max(t, 0)))],
         estimate=lambda t: min(3e6, 300e3 * 1.3 ** max(t, 0))).run(100, 'congestion control climbs at the start', pub(0, 12, 'none recovering bandwidth unknown'))
    call('well-hold', sends=[audio(active=during(True, False), rate=during(32e3, 0), packets=during(50, 0)), video(active=during(True, False), rate=during(1.5e6, 0))],
         receives=[audio(rate=during(32e3, 0), packets=during(50, 0)), video(rate=during(1.5e6, 0))]).run(END, 'on hold for a while')


def time_and_identity():
    slept = call('sleep-60s')
    slept.skip = lambda t: 40 < t < 100
    slept.run(150, 'the tab sleeps for a minute, media go on')
    stepped = call('clock-back-an-hour', 'firefox', 1, receives=[audio(loss=between(70, 110, .09, 0), concealed=between(70, 110, .06, 0)), video(loss=between(70, 110, .09, 0))])
    stepped.step = (40, -3600)
    stepped.run(150, 'the clock is set back, later 9 % is lost', sub(70, 110, 'packetLoss', P2P_SIDE))
    late = call('late-joiner', topology='sfu-one', sends=[], receives=[audio(), video(), Track('video', '4', joins=60, rate=600e3, size=(640, 360))])
    late.run(120, 'another participant comes after a minute')
    for name, what in (('counters-reset', lambda w: None), ('streams-renamed', lambda w: [setattr(s, 'ssrc', s.ssrc + 101) for s in w.sends + w.receives]), ('connection-replaced', lambda w: setattr(w, 'generation', 1))):
        w, plain = call(name), Written.second

        def second(t, w=w, what=what):
            if t == 60:
                for s in w.sends + w.receives:
                    s.n, s.durations = {}, dict(none=0.0, cpu=0.0, bandwidth=0.0, other=0.0)
                w.tx = w.rx = 0
                what(w)
            plain(w, t)
        w.second = second
        w.run(120, f'{name.replace("-", " ")}: another counting begins after a minute, all well', falls=True)
    doubled = call('reports-repeated')
    doubled.again = lambda t: t % 3 == 0
    doubled.run(90, 'each third report comes twice', repeats=True)
