# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A call of `stranger.py`: what is sent and received over a path, and the reports of its engine."""
import random
from stranger_media import ForwardedVideo, ReceivedAudio, ReceivedVideo, SentAudio, SentVideo, Speech
from stranger_network import STEP, T0, Congestion, Network, ReceiverReports, at, share_of

NATIVE = 'native libwebrtc'
CODECS = {'Safari': 'H264', 'Firefox': 'VP8', 'Chrome': 'VP8', NATIVE: 'H264'}
PAYLOADS = {'VP8': 96, 'H264': 102, 'VP9': 98, 'AV1': 45}


class Direction:
    """All that goes one way: the path, the estimate of its sender, and the tracks at both ends."""

    def __init__(self, net, congestion, senders, receivers=None):
        self.net, self.congestion, self.senders, self.receivers = net, congestion, senders, receivers
        self.bytes_sent = self.bytes_arrived = self.packets_sent = self.packets_arrived = 0
        self.repairs = 0
        self.way_back = None

    def step(self, t):
        videos = [x for x in self.senders if not isinstance(x, SentAudio) and at(x.active, t)]
        want = sum(x.want() for x in videos)
        left = max(30e3, self.congestion.estimate - 34e3 * sum(isinstance(x, SentAudio) for x in self.senders))
        items = []
        bits = self.repairs
        for x in self.senders:
            share = left * (x.want() / want if want else 0) if not isinstance(x, SentAudio) else 0
            items.append(x.produce(t, share))
            bits += sum((b + 52 * n) * 8 for _, n, b, _, _ in items[-1])
        if any(self.pads(x, t) for x in self.senders) and not self.net.dead:
            bits = max(bits, min(self.congestion.estimate, 1.6 * want) * STEP * self.congestion.draw.uniform(.9, 1.05))
        loss = self.net.step(t, bits)
        self.congestion.step(t, self.net, bits, loss, want, self.way_back is not None and self.way_back.dead)
        self.repairs = 0
        self.bytes_sent += int(bits / 8)
        packets = sum(i[1] for o in items for i in o)
        self.packets_sent += packets
        if not self.net.dead:
            self.bytes_arrived += int(bits / 8 * (1 - loss))
            self.packets_arrived += int(packets * (1 - loss))
        return items, loss

    @staticmethod
    def pads(x, t):
        """Whether a sender pads and probes: up to what its next layer would need."""
        if not isinstance(x, (SentVideo, ForwardedVideo)) or not at(x.active, t):
            return False
        if isinstance(x, SentVideo):
            return x.mode == 'sim' and not x.layers[2].on and not x.cpu_step
        return not x.dumb and x.layer < (at(x.cap, t) if x.cap is not None else 2) and t % 9 < 2.5


class Call:
    """One peer connection, and what is true of it."""

    def __init__(self, seed, name, title, engine='Chrome', topology='sfu', interval=1, length=120, up=None, down=None, sends=('a', 'v'), receives=1, codec=None,
                 sent_audio=None, sent_video=None, received_audio=None, received_video=None, congestion=None, forwarded=None, simulcast=None, screen=None,
                 intent=None, is_new=True, audio_only=False):
        self.draw = r = random.Random(f'{seed}-{name}')
        self.seed, self.name, self.title = seed, name, title
        self.engine, self.topology, self.interval, self.length = engine, topology, interval, length
        self.intent, self.is_new = intent, is_new  # is_new: a Firefox that reports the round trip of the pair, and sources
        self.spans, self.lines, self.hooks, self.gone, self.hash = [], [], [], set(), {}
        self.generation, self.clock, self.skip, self.ice, self.dead = 0, 0.0, None, 'connected', 0.0
        self.pair, self.pair_changes, self.before = 0, 1, {}
        self.playout, self.played, self.played_until, self.no_sender_reports = None, dict(made_up=0.0, events=0, delay=0.0, count=0), 0.0, False
        self.codec = codec or CODECS[engine]
        self.base = base = r.randrange(10 ** 8, 2 * 10 ** 9)
        owd = r.uniform(.008, .028)
        self.up = Direction(Network(r, **{'owd': owd, **(up or {})}), Congestion(r, **congestion or {}), [])
        self.down = Direction(Network(r, **{'owd': owd, **(down or {})}), Congestion(r, top=30e6 if receives > 2 else 6e6, start=2e6), [], [])
        self.up.way_back, self.down.way_back = self.down.net, self.up.net
        if 'a' in sends:
            self.up.senders.append(SentAudio(r, base + 1, **sent_audio or {}))
        if 'v' in sends and not audio_only:
            several = simulcast if simulcast is not None else topology == 'sfu' and engine == 'Chrome'
            self.up.senders.append(SentVideo(r, base + 10, codec=self.codec, **{'mode': 'sim' if several else 'single', **(sent_video or {})}))
        if screen:
            self.up.senders.append(SentVideo(r, base + 30, codec=self.codec, screen=True, **screen))
        for k in range(receives):
            audio, video, source = (x(k) if callable(x) else x or {} for x in (received_audio, received_video, forwarded))
            dtx = {'dtx': True} if sent_audio and sent_audio.get('dtx') else {}
            self.down.senders.append(SentAudio(r, 0, speech=Speech(r, on=.6 / max(1, receives) + .1), **dtx))
            self.down.receivers.append(ReceivedAudio(r, base + 1000 + 10 * k, **audio))
            if not audio_only:
                self.down.senders.append(ForwardedVideo(r, **source) if topology == 'sfu' else SentVideo(r, 0, codec=self.codec, **source))
                self.down.receivers.append(ReceivedVideo(r, base + 1005 + 10 * k, **video))
        self.responses, self.total_rtt, self.rtt, self.next_check = 1, .03, 2 * owd, 1.0

    # Truth

    def span(self, begin, end, roles, cause, side='local', settle=None, ok='', sides='', track=None, note=''):
        """What is true of a while: who shows it, the cause and its side, what else is right, and the seconds until it can be known.
        `track` is a received publisher's number and a kind, either of which may be `None`."""
        self.spans.append(dict(begin=begin, end=end, roles=roles, cause=cause, side=side, ok=ok.split(), sides=sides.split(), track=track, note=note,
                               settle=max(4, 2 * self.interval) if settle is None else settle))
        return self

    def calm(self, begin, end, ok='', settle=None, note=''):
        """A while in which nothing is wrong, and more may be said without a mistake."""
        return self.span(begin, end, (), 'none', 'none', settle, ok, note=note)

    def narrow(self, begin, end, roles, tail=30, ok='', note=''):
        """A bandwidth that is too small for a while, and the time in which the estimate climbs back."""
        side, other = ('bothOrUnclear', 'local') if self.topology == 'p2p' else ('local', 'bothOrUnclear')
        self.span(begin, end, roles, 'bandwidth', side, ok=ok, sides=other, note=note)
        if end < self.length:
            self.calm(end, min(self.length, end + tail), 'recovering bandwidth', note='the estimate climbs back')
        return self

    def then(self, when, happens):
        """Something that happens once."""
        self.hooks.append((when, happens))
        return self

    # What happens

    def run(self):
        r, t = self.draw, 0.0
        next_report = self.interval * r.uniform(.4, 1)
        rtt = self.rtt
        while t < self.length:
            for when, hook in self.hooks:
                if abs(when - t) < STEP / 2:
                    hook(self)
            items, loss = self.up.step(t)
            rtt = self.up.net.delay + self.down.net.delay
            for item in items:
                for stream, packets, size, _, _ in item:
                    self.arrive(stream, packets, size, loss)
                    stream.reports.step(t, stream.n['packets'] - stream.n.get('rtx', 0), rtt * r.uniform(.97, 1.04) + .001, self.up.net, self.down.net)
            items, loss = self.down.step(t)
            for receiver, sender, item in zip(self.down.receivers, self.down.senders, items):
                if receiver.kind == 'audio':
                    receiver.step(t, item[-1], loss, self.down.net)
                else:
                    receiver.step(t, item[-1], loss, self.down.net, rtt, sender)
            dead = self.up.net.dead or self.down.net.dead
            self.dead = self.dead + STEP if dead else 0.0
            self.ice = 'disconnected' if self.dead > 6 else 'connected'
            if t >= self.next_check:
                self.next_check = t + r.uniform(2.2, 2.7)
                if not dead:
                    self.responses += 1
                    self.rtt = round(rtt + .001 * r.random(), 3)
                    self.total_rtt += self.rtt
            if self.playout:
                self.playout(self, t)
            t = round(t + STEP, 1)
            if t >= next_report:
                next_report += self.interval
                if not (self.skip and self.skip[0] <= t < self.skip[1]):
                    self.lines.append((t, Report(self, t).line))
        return self

    def arrive(self, stream, packets, size, loss):
        """What the far end loses of a stream, asks for again, and gets again."""
        r, up = self.draw, self.up
        if up.net.dead:
            stream.pending = getattr(stream, 'pending', 0) + packets
            return
        lost = share_of(r, packets, loss)
        stream.reports.lost += lost + (getattr(stream, 'pending', 0) if packets else 0)
        if packets:
            stream.pending = 0
        if stream.kind == 'audio' or not lost or self.down.net.dead:
            return
        stream.n['nack'] += lost
        again, allowed = 0, up.congestion.estimate * STEP
        if up.repairs < allowed:
            again = min(lost + share_of(r, lost, loss), max(1, int((allowed - up.repairs) / max(400, 8 * size / max(1, packets)))))
        bytes_again = int(size / max(1, packets) * again)
        for name, more in (('rtx', again), ('rtx_bytes', bytes_again), ('packets', again), ('bytes', bytes_again)):
            stream.n[name] += more
        up.repairs += bytes_again * 8
        if share_of(r, lost, loss ** 3 if loss < .35 else .02 if up.net.burst else .7) and r.random() < .5:
            stream.n['pli'] += 1
            for x in up.senders:
                if isinstance(x, SentVideo) and stream in x.layers:
                    x.key = True

    def new_streams(self):
        """The sender side or the router starts new streams: new SSRCs, counters from zero."""
        for x in self.up.senders:
            for stream in [x] if isinstance(x, SentAudio) else x.layers:
                stream.ssrc += 5003
                for k in stream.n:
                    stream.n[k] = type(stream.n[k])(0)
                stream.reports = ReceiverReports(self.draw, stream.reports.interval)
            if isinstance(x, SentVideo):
                x.key = True
        for x in self.down.receivers:
            x.ssrc += 7001
            for k in x.n:
                x.n[k] = type(x.n[k])(0)
            x.sender_report = None
            x.sender_packets = x.sender_bytes = 0
            if x.kind == 'video':
                x.gaps, x.last = [], None
            else:
                x.energy = x.duration = 0.0

    def new_path(self):
        """Another pair of candidates is selected: its counters begin at zero, and the transport's go on."""
        self.pair += 1
        self.pair_changes += 1
        self.responses, self.total_rtt = 1, self.rtt
        self.before = self.counts()

    def counts(self):
        """What the transport counts."""
        return dict(bytesSent=self.up.bytes_sent, bytesReceived=self.down.bytes_arrived, packetsSent=self.up.packets_sent,
                    packetsReceived=self.down.packets_arrived)


class Report:
    """One report of a call, as its engine writes it."""

    def __init__(self, call, t):
        self.call, self.t, self.stats = call, t, []
        self.time = round(T0 + (t + call.clock) * 1000 + call.draw.uniform(-6, 12), 3)
        self.firefox, self.safari, self.chrome = call.engine == 'Firefox', call.engine == 'Safari', call.engine == 'Chrome'
        self.native = call.engine == NATIVE
        self.sources = not self.firefox or call.is_new
        self.generation = f'E{call.generation}' if call.generation else ''
        self.transport = self.id('transport_0') if self.firefox else 'T01'
        self.connection()
        mid = 0
        for x in call.up.senders:
            (self.sent_audio if isinstance(x, SentAudio) else self.sent_video)(x, str(mid))
            mid += 1
        for k, x in enumerate(call.down.receivers):
            if k not in call.gone:
                self.received(x, str(mid), k // 2)
            mid += 1
        if self.chrome and call.down.receivers:
            self.played()
        self.line = dict(time=self.time, pc='pc-1', stats=self.stats)
        if call.intent:
            self.line['intent'] = call.intent

    def id(self, name):
        """An id as the engine makes them: Firefox hides what they are made of."""
        call = self.call
        if not self.firefox:
            return name
        if name not in call.hash:
            call.hash[name] = '%08x' % random.Random(f'{call.name}{name}{call.generation}').randrange(2 ** 32)
        return call.hash[name]

    def of(self, name):
        """The id of an entry of the current generation of ids."""
        return self.id(name + self.generation)

    def codec_name(self, kind, way):
        return f'C{way}T01_111_minptime=10;useinbandfec=1' if kind == 'audio' else f'C{way}T01_{PAYLOADS[self.call.codec]}'

    def codec(self, kind, way):
        return self.of(self.codec_name(kind, way))

    def clock(self, t):
        """A time of the call in Unix ms, by the clock of the machine."""
        return round(T0 + (t + self.call.clock) * 1000, 1)

    def but_firefox(self, value):
        return None if self.firefox else value

    def add(self, type, name, at_time=None, **members):
        self.stats.append({'id': self.of(name), 'timestamp': self.time if at_time is None else at_time, 'type': type,
                           **{k: v for k, v in members.items() if v is not None}})

    def kinds(self, kind):
        return dict(kind=kind, mediaType=None if self.native else kind)

    # The connection

    def connection(self):
        call, sfu, other = self.call, self.call.topology == 'sfu', self.but_firefox
        for kind, payload, mime, rate in (('audio', 111, 'audio/opus', 48000), ('video', PAYLOADS[call.codec], 'video/' + call.codec, 90000)):
            for way, has in (('O', call.up.senders), ('I', call.down.receivers)):
                if has:
                    self.add('codec', self.codec_name(kind, way), payloadType=payload, mimeType=mime, clockRate=rate, transportId=self.transport,
                             channels=2 if kind == 'audio' else None, sdpFmtpLine='minptime=10;useinbandfec=1' if kind == 'audio' else None,
                             codecType=('encode' if way == 'O' else 'decode') if self.firefox else None)
        pair, local, remote = f'CP{call.pair}x{call.base % 9973}', f'IL{call.pair}x{call.base % 97}', f'IR0x{call.base % 89}'
        counts = call.counts()
        of_pair = {k: v - call.before.get(k, 0) for k, v in counts.items() if not self.firefox or k.startswith('bytes')}
        silence = call.dead * 1000 if call.down.net.dead else None
        more = dict(localCandidateId=self.of(local), remoteCandidateId=self.of(remote), state='succeeded', nominated=True, priority=7205771498370236000,
                    **of_pair, transportId=self.transport)
        if self.firefox:
            more.update(readable=True, writable=True, selected=True, lastPacketSentTimestamp=int(self.time - 3),
                        lastPacketReceivedTimestamp=int(self.time - (2 if silence is None else silence)), componentId=1)
            if call.is_new:
                more.update(currentRoundTripTime=call.rtt, totalRoundTripTime=round(call.total_rtt, 3), responsesReceived=call.responses)
        else:
            sends_video = any(not isinstance(x, SentAudio) for x in call.up.senders)
            more.update(writable=True, totalRoundTripTime=round(call.total_rtt, 3), currentRoundTripTime=call.rtt,
                        requestsReceived=call.responses + 3, requestsSent=1, responsesReceived=call.responses, responsesSent=call.responses + 3,
                        consentRequestsSent=call.responses, packetsDiscardedOnSend=0, bytesDiscardedOnSend=0,
                        availableOutgoingBitrate=int(call.up.congestion.estimate) if sends_video else 300000)
            if self.chrome:
                more.update(lastPacketSentTimestamp=self.time - 4, lastPacketReceivedTimestamp=round(self.time - (4 if silence is None else silence), 1))
        self.add('candidate-pair', pair, **more)
        candidate = dict(transportId=other(self.transport), candidateType='host' if sfu else 'srflx', protocol='udp')
        hides = self.safari or self.native
        self.add('local-candidate', local, **candidate, port=50000 + call.pair, address=None if hides else f'203.0.113.{10 + call.pair}', priority=2122262783,
                 networkType=None if self.firefox or self.safari else ('wifi', 'cellular')[call.pair % 2], isRemote=other(False))
        self.add('remote-candidate', remote, **candidate, port=10000 if sfu else 61234, address=None if hides else '198.51.100.7', priority=2130706431,
                 isRemote=other(True))
        if self.firefox:
            return
        self.add('transport', 'T01', **counts, dtlsState='connected', iceState=call.ice, iceRole='controlling' if sfu else 'controlled',
                 iceLocalUsernameFragment=f'u{call.base % 9999}', selectedCandidatePairId=pair + self.generation,
                 selectedCandidatePairChanges=call.pair_changes, tlsVersion='FEFD', dtlsCipher='TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
                 srtpCipher='AEAD_AES_128_GCM', dtlsRole='client')
        self.add('peer-connection', 'P', dataChannelsOpened=1, dataChannelsClosed=0)

    def played(self):
        played, t = self.call.played, self.t
        samples = int(48000 * (t - self.call.played_until))
        self.call.played_until = t
        played['count'] += samples
        played['delay'] += samples * .021
        self.add('media-playout', 'AP', kind='audio', synthesizedSamplesDuration=round(played['made_up'], 3), synthesizedSamplesEvents=played['events'],
                 totalSamplesDuration=round(played['count'] / 48000, 3), totalPlayoutDelay=round(played['delay'], 2), totalSamplesCount=played['count'])

    # What is sent

    def sent_audio(self, x, mid):
        if x.state == 'off' and not x.n['packets']:
            return
        source, other = f'SA{x.ssrc % 97}', self.but_firefox
        self.add('outbound-rtp', f'OT01A{x.ssrc}', **self.kinds('audio'), ssrc=x.ssrc, mid=mid, codecId=self.codec('audio', 'O'),
                 mediaSourceId=self.of(source) if self.sources else None, remoteId=self.of(f'RIA{x.ssrc}') if x.reports.n else None,
                 packetsSent=x.n['packets'], bytesSent=x.n['bytes'], headerBytesSent=x.n['packets'] * 28 if self.sources else None,
                 retransmittedPacketsSent=0, retransmittedBytesSent=0, nackCount=0, targetBitrate=other(32000), active=other(True),
                 totalPacketSendDelay=other(round(x.pacing, 4)), transportId=self.transport)
        if self.sources:
            level = {} if self.firefox else dict(audioLevel=round(x.loudness, 6), totalAudioEnergy=x.energy, totalSamplesDuration=round(x.duration, 2))
            self.add('media-source', source, kind='audio', trackIdentifier=f'mic-{self.call.base}', **level)
        self.receiver_report(x, 'audio', f'OT01A{x.ssrc}', f'RIA{x.ssrc}')

    def sent_video(self, x, mid):
        call, source = self.call, f'SV{x.layers[0].ssrc % 97}'
        for layer in x.layers:
            n = layer.n
            more = dict(**self.kinds('video'), ssrc=layer.ssrc, mid=mid, codecId=self.codec('video', 'O'),
                        mediaSourceId=self.of(source) if x.is_there and self.sources else None,
                        remoteId=self.of(f'RIV{layer.ssrc}') if layer.reports.n else None,
                        packetsSent=n['packets'], bytesSent=n['bytes'], headerBytesSent=n['packets'] * 24, framesEncoded=n['frames'], framesSent=n['frames'],
                        nackCount=n['nack'], pliCount=n['pli'], firCount=n['fir'], qpSum=n['qp'] if call.codec != 'H264' else None,
                        retransmittedPacketsSent=n['rtx'], retransmittedBytesSent=n['rtx_bytes'], totalEncodeTime=round(n['encode'], 4),
                        keyFramesEncoded=n['key'], hugeFramesSent=0, transportId=self.transport)
            if layer.on and n['frames']:
                more.update(frameWidth=layer.width, frameHeight=layer.height)
            if layer.on and layer.fps >= .5:
                more.update(framesPerSecond=round(layer.fps))
            if layer.rid:
                more['rid'] = layer.rid
            if not self.firefox:
                more.update(self.limits(x, layer))
            self.add('outbound-rtp', f'OT01V{layer.ssrc}', **more)
            self.receiver_report(layer, 'video', f'OT01V{layer.ssrc}', f'RIV{layer.ssrc}')
        if not x.is_there or not self.sources:
            return
        camera = f'cam-{call.base}-{source}'
        if self.firefox:
            self.add('media-source', source, kind='video', trackIdentifier=camera)
        else:
            self.add('media-source', source, kind='video', trackIdentifier=camera, width=x.size[0], height=x.size[1],
                     frames=None if self.safari else x.frames, framesPerSecond=round(x.source_fps) if x.source_fps >= .5 else 0)

    def limits(self, x, layer):
        """What libwebrtc says of an encoder beyond Firefox."""
        n, codec = layer.n, self.call.codec
        more = dict(targetBitrate=int(x.target if x.mode != 'sim' else layer.target), totalEncodedBytesTarget=int(n['bytes'] * 1.02),
                    totalPacketSendDelay=round(n['pacing'], 3), active=bool(at(x.active, self.t)), qualityLimitationReason=x.reason,
                    qualityLimitationDurations={k: round(v, 3) for k, v in x.limited.items()}, qualityLimitationResolutionChanges=x.changes)
        if not self.safari:
            encoder = {'VP8': 'libvpx', 'VP9': 'libvpx', 'AV1': 'libaom', 'H264': 'VideoToolbox' if self.native else 'OpenH264'}[codec]
            more.update(encoderImplementation=encoder if x.mode != 'sim' else 'SimulcastEncoderAdapter (libvpx, libvpx, libvpx)',
                        powerEfficientEncoder=bool(x.hardware), rtxSsrc=layer.ssrc + 1)
        if x.mode == 'svc':
            more['scalabilityMode'] = 'L3T3_KEY'
        elif self.chrome:
            more['scalabilityMode'] = 'L1T3' if x.mode == 'sim' else 'L1T1'
        return more

    def receiver_report(self, stream, kind, local, name):
        rr = stream.reports
        if not rr.n:
            return
        self.add('remote-inbound-rtp', name, self.clock(rr.when), kind=kind, mediaType=kind if self.firefox else None, ssrc=stream.ssrc, localId=self.of(local),
                 packetsLost=rr.reported, jitter=round(rr.jitter_seen, 5), roundTripTime=round(rr.rtt, 4), totalRoundTripTime=round(rr.total, 4),
                 roundTripTimeMeasurements=rr.n, fractionLost=round(int(rr.fraction * 256) / 256, 4), packetsReceived=rr.received if self.firefox else None,
                 codecId=self.but_firefox(self.codec(kind, 'O')), transportId=self.transport)

    # What is received

    def received(self, x, mid, publisher):
        n, kind = x.n, x.kind
        name, has_sent = f'IT01{kind[0].upper()}{x.ssrc}', x.sender_packets > 0
        more = dict(**self.kinds(kind), ssrc=x.ssrc, mid=mid, trackIdentifier=f'r{kind[0]}-{publisher}-{self.call.base}', packetsReceived=n['packets'],
                    packetsLost=n['lost'], bytesReceived=n['bytes'], jitter=round(x.jitter_seen, 5), headerBytesReceived=n['header'],
                    transportId=self.transport, codecId=self.codec(kind, 'I') if n['packets'] else None)
        more.update(self.heard(x) if kind == 'audio' else self.seen(x))
        if has_sent:
            more['remoteId'] = self.of(f'ROA{x.ssrc}')
        self.add('inbound-rtp', name, **more)
        if has_sent:
            self.sender_report(x, name)

    def heard(self, x):
        n = x.n
        more = dict(packetsDiscarded=n['discarded'], totalSamplesReceived=n['samples'], concealedSamples=n['concealed'], silentConcealedSamples=n['silent'],
                    concealmentEvents=n['events'], insertedSamplesForDeceleration=n['inserted'], removedSamplesForAcceleration=n['removed'],
                    jitterBufferDelay=round(n['held'], 2), jitterBufferEmittedCount=n['emitted'], audioLevel=round(x.loudness, 5), totalAudioEnergy=x.energy,
                    totalSamplesDuration=round(x.duration, 2), fecPacketsReceived=n['fec'], fecPacketsDiscarded=0)
        if x.last is not None:
            more.update(lastPacketReceivedTimestamp=int(T0 + (x.last + self.call.clock) * 1000) if self.firefox else self.clock(x.last))
        if not self.firefox:
            more.update(jitterBufferTargetDelay=round(n['target'], 2), jitterBufferMinimumDelay=round(n['least'], 2),
                        totalProcessingDelay=round(x.processed, 2), playoutId='AP' + self.generation if self.chrome else None)
        return more

    def seen(self, x):
        n, codec = x.n, self.call.codec
        more = dict(nackCount=n['nack'], pliCount=n['pli'], firCount=0, framesReceived=n['frames'], framesDecoded=n['decoded'], framesDropped=n['dropped'],
                    totalDecodeTime=round(n['decode'], 4), totalInterFrameDelay=round(n['between'], 3), totalSquaredInterFrameDelay=round(n['squared'], 4),
                    jitterBufferDelay=round(n['held'], 3), jitterBufferEmittedCount=n['emitted'], totalProcessingDelay=round(n['processing'], 3))
        if codec != 'H264':
            more['qpSum'] = n['qp']
        if n['decoded']:
            more.update(frameWidth=x.width, frameHeight=x.height)
        if x.fps >= .5:
            more['framesPerSecond'] = round(x.fps)
        if self.firefox:
            return more
        more.update(keyFramesDecoded=n['key'], freezeCount=n['freezes'], totalFreezesDuration=round(n['frozen'], 3), pauseCount=n['pauses'],
                    totalPausesDuration=round(n['paused'], 3), jitterBufferTargetDelay=round(n['target'], 3), jitterBufferMinimumDelay=round(n['least'], 3),
                    lastPacketReceivedTimestamp=self.clock(x.last_packet) if x.last_packet is not None else None)
        if self.chrome:
            more.update(retransmittedPacketsReceived=n['rtx'], retransmittedBytesReceived=n['rtx_bytes'], rtxSsrc=x.ssrc + 1,
                        decoderImplementation={'VP8': 'libvpx', 'VP9': 'libvpx', 'AV1': 'dav1d'}.get(codec, 'FFmpeg'), powerEfficientDecoder=bool(x.hardware),
                        totalAssemblyTime=round(n['assembly'], 3), framesAssembledFromMultiplePackets=int(n['frames'] * .9))
            if x.fec:
                more.update(fecPacketsReceived=n['fec'] * 4, fecBytesReceived=n['fec'] * 4000)
        if self.native:
            more['decoderImplementation'] = 'VideoToolbox'
        return more

    def sender_report(self, x, local):
        call, t, before = self.call, self.t, getattr(x, 'sender_report', None)
        due = before is None or t - before[0] > (4.6 if x.kind == 'audio' else 1.0)
        if due and not call.down.net.dead and not at(call.no_sender_reports, t):
            before = t, x.sender_packets, x.sender_bytes, before[3] + 1 if before else 1
        x.sender_report = before
        if not before:
            return
        when, packets, size, count = before
        self.add('remote-outbound-rtp', f'ROA{x.ssrc}', round(T0 + (when + call.clock) * 1000 - 180, 1), kind=x.kind,
                 mediaType=x.kind if self.firefox else None, ssrc=x.ssrc, localId=self.of(local), packetsSent=packets, bytesSent=size,
                 reportsSent=self.but_firefox(count), remoteTimestamp=round(T0 + when * 1000 - 200, 1), codecId=self.but_firefox(self.codec(x.kind, 'I')),
                 roundTripTimeMeasurements=self.but_firefox(0), totalRoundTripTime=self.but_firefox(0), transportId=self.transport)
