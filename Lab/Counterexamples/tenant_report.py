# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Reports of the set `tenant` as Chrome, Firefox, Safari and native libwebrtc (M109) give them, from the state of a call."""
import math

# members that engines do not give (or did not at the versions that are meant)
LACKS = {
    'chrome': {},
    'native': {'media-playout': None, 'inbound-rtp': {'playoutId', 'rtxSsrc', 'powerEfficientDecoder'}, 'outbound-rtp': {'encodingIndex', 'rtxSsrc', 'scalabilityMode', 'powerEfficientEncoder'},
               'candidate-pair': {'lastPacketReceivedTimestamp', 'lastPacketSentTimestamp'}},
    'safari': {'media-playout': None, 'inbound-rtp': {'decoderImplementation', 'playoutId', 'jitterBufferTargetDelay', 'jitterBufferMinimumDelay', 'powerEfficientDecoder', 'rtxSsrc',
                                                      'retransmittedPacketsReceived', 'retransmittedBytesReceived', 'totalProcessingDelay'},
               'outbound-rtp': {'encoderImplementation', 'powerEfficientEncoder', 'scalabilityMode', 'encodingIndex', 'rtxSsrc'}},
    'firefox': {'media-playout': None,
                'inbound-rtp': {'mid', 'qpSum', 'playoutId', 'decoderImplementation', 'powerEfficientDecoder', 'rtxSsrc', 'retransmittedPacketsReceived', 'retransmittedBytesReceived'},
                'outbound-rtp': {'mid', 'active', 'encoderImplementation', 'powerEfficientEncoder', 'scalabilityMode', 'encodingIndex', 'rtxSsrc', 'targetBitrate', 'mediaSourceId', 'totalPacketSendDelay',
                                 'qualityLimitationReason', 'qualityLimitationDurations', 'qualityLimitationResolutionChanges', 'keyFramesEncoded'},
                'candidate-pair': {'availableOutgoingBitrate', 'requestsSent', 'consentRequestsSent', 'packetsSent', 'packetsReceived'},
                'transport': {'bytesSent', 'bytesReceived', 'packetsSent', 'packetsReceived', 'selectedCandidatePairChanges'},
                'media-source': {'audioLevel', 'totalAudioEnergy', 'totalSamplesDuration'}, 'remote-outbound-rtp': {'reportsSent', 'roundTripTimeMeasurements', 'totalRoundTripTime'}},
}


class Writer:
    """One report of one peer connection."""

    def __init__(self, call, peer, at, t):
        self.call, self.peer, self.at, self.t = call, peer, at, t
        self.stamp, self.stats, self.lacks = round(at - call.rng.uniform(0.3, 3.0), 3), [], LACKS[call.engine]

    def moment(self, t):
        """A time of the simulation on the clock of the report."""
        return round(self.call.epoch + (t + self.call.clock(self.t)) * 1000, 3)

    def name(self, text):
        """Firefox's ids are hashes that mean nothing."""
        return text if self.call.engine != 'firefox' else f'{sum((k + 7) * ord(c) * 2654435761 for k, c in enumerate(text + self.peer.name)) % 2 ** 32:08x}'

    def add(self, entry, name, stamp=None, /, **members):
        lacks = self.lacks.get(entry, ())
        if lacks is not None:
            self.stats.append({'id': self.name(name), 'timestamp': stamp or self.stamp, 'type': entry, **{m: v for m, v in members.items() if v is not None and m not in lacks}})

    def codec(self, way, kind, video='VP8'):
        if kind == 'audio':
            self.add('codec', f'C{way}T01_111', channels=2, clockRate=48000, mimeType='audio/opus', payloadType=111, sdpFmtpLine='minptime=10;useinbandfec=1', transportId=self.name('T01'))
        else:
            self.add('codec', f'C{way}T01_96', clockRate=90000, mimeType='video/' + video, payloadType=96, transportId=self.name('T01'))

    def path(self):
        """Candidates, pair and transport."""
        p, t = self.peer, self.name('T01')
        begin, network = p.pairs[p.pair][:2]
        relay = network.split('/')[1] if network.startswith('relay/') else None
        local, remote, pair = f'Il{p.pair}{p.name[:3]}', f'Ir{p.name[:3]}', f'CPl{p.pair}{p.name[:3]}_r'
        self.add('local-candidate', local, candidateType='relay' if relay else 'host', protocol='udp', relayProtocol=relay, networkType='wifi' if relay else network, isRemote=False,
                 port=50000 + p.pair, priority=2122260223 - p.pair, transportId=t, address='192.0.2.10')
        self.add('remote-candidate', remote, candidateType='host' if self.call.topology == 'sfu' else 'srflx', protocol='udp', isRemote=True, port=10000, priority=2130706431, transportId=t, address='198.51.100.7')
        now, o, i = p.counts(), p.out, p.into
        less = [a - b for a, b in zip(now, p.zero)]
        heard = max([r.last for r in p.receivers if r.last] + [p.answered])
        out = dict(packetsSent=less[0] + p.sentChecks, bytesSent=less[1] + 90 * p.sentChecks, packetsReceived=less[2] + p.answers, bytesReceived=less[3] + 90 * p.answers)
        self.add('candidate-pair', pair, localCandidateId=self.name(local), remoteCandidateId=self.name(remote), nominated=True, selected=True if self.call.engine == 'firefox' else None, writable=p.state == 'connected',
                 state='succeeded' if p.state != 'failed' else 'failed', availableOutgoingBitrate=int(o.estimate.target) if o else 300000, currentRoundTripTime=p.rtt and round(p.rtt, 3),
                 totalRoundTripTime=round(p.total, 3), responsesReceived=p.answers, requestsSent=p.sentChecks, consentRequestsSent=max(0, p.sentChecks - 1), transportId=t, priority=9115060245863753000,
                 lastPacketSentTimestamp=self.moment(o.last if o else self.call.sim.now - 0.05), lastPacketReceivedTimestamp=self.moment(heard), **out)
        self.add('transport', 'T01', dtlsState='connected', iceState=p.state, iceRole='controlling', dtlsRole='client', selectedCandidatePairId=self.name(pair), selectedCandidatePairChanges=p.pair + 1,
                 packetsSent=now[0] + 20, bytesSent=now[1] + 2500, packetsReceived=now[2] + 20, bytesReceived=now[3] + 2500)

    def remoteIn(self, s, own):
        r = s.remote
        if r:
            self.add('remote-inbound-rtp', f'RI{own[2:]}', self.moment(r['at']), kind=s.kind, ssrc=s.ssrc, localId=self.name(own), packetsLost=r['lost'], fractionLost=round(r['fraction'], 6),
                     jitter=round(r['jitter'], 6), roundTripTime=round(r['rtt'], 6), roundTripTimeMeasurements=s.measured, totalRoundTripTime=round(s.total, 6), transportId=self.name('T01'),
                     packetsReceived=r['received'] if self.call.engine == 'firefox' else None)

    def outbound(self, s, source, **members):
        letter = 'A' if s.kind == 'audio' else 'V'
        own = f'OT01{letter}{s.ssrc}'
        self.add('outbound-rtp', own, kind=s.kind, mediaType=s.kind, ssrc=s.ssrc, mid=source.mid, active=s.active, packetsSent=s.packets, bytesSent=s.bytes, headerBytesSent=s.header, nackCount=s.nacks,
                 retransmittedPacketsSent=s.againPackets, retransmittedBytesSent=s.againBytes, targetBitrate=int(s.target) if s.target and s.active else None, totalPacketSendDelay=round(s.delay, 6),
                 remoteId=self.name(f'RIT01{letter}{s.ssrc}') if s.remote else None, mediaSourceId=f'S{letter}{source.mid}', transportId=self.name('T01'),
                 codecId=self.name('COT01_' + ('111' if letter == 'A' else '96')), **members)
        self.remoteIn(s, own)

    def microphone(self, a):
        self.codec('O', 'audio')
        self.outbound(a.stream, a)
        self.add('media-source', f'SA{a.mid}', kind='audio', trackIdentifier=f'mic-{a.mid}', audioLevel=round(a.level, 6), totalAudioEnergy=round(a.energy, 9), totalSamplesDuration=round(a.duration, 3))

    def camera(self, c):
        self.codec('O', 'video', c.codec)
        for s in c.streams:
            while s.times and s.times[0] < self.call.sim.now - 1:
                s.times.popleft()
            fps = len(s.times)
            self.outbound(s, c, rid=s.rid, encodingIndex=s.index, framesEncoded=s.frames, framesSent=s.frames, keyFramesEncoded=s.keys, hugeFramesSent=s.huge, qpSum=s.qp, totalEncodeTime=round(s.time, 3),
                          frameWidth=s.width or None, frameHeight=s.height or None, framesPerSecond=fps or (0 if self.call.engine == 'firefox' else None), firCount=0, pliCount=s.plis,
                          qualityLimitationReason=c.reason, qualityLimitationDurations={k: round(v, 3) for k, v in c.durations.items()}, qualityLimitationResolutionChanges=c.changes,
                          encoderImplementation=('MediaFoundationVideoEncodeAccelerator' if c.hardware else 'libvpx') if s.frames else None, powerEfficientEncoder=c.hardware,
                          contentType='screenshare' if c.content == 'screen' and self.call.engine != 'firefox' else None,
                          scalabilityMode=c.mode if s.frames else None, rtxSsrc=s.ssrc + 1)
        w, h = c.source()
        fps = len([x for x in c.times if x > self.call.sim.now - 1])
        self.add('media-source', f'SV{c.mid}', kind='video', trackIdentifier=f'cam-{c.mid}', frames=c.frames, framesPerSecond=fps, width=w if c.frames else None, height=h if c.frames else None)

    def inbound(self, r):
        s, letter = r.stream, 'A' if r.stream.kind == 'audio' else 'V'
        if r.first is None:
            return  # what never came is not reported
        own = f'IT01{letter}{s.ssrc}'
        self.codec('I', s.kind)
        base = dict(kind=s.kind, mediaType=s.kind, ssrc=s.ssrc, mid=r.mid, trackIdentifier=r.track, packetsReceived=r.packets, packetsLost=r.lost, bytesReceived=r.bytes, headerBytesReceived=r.header,
                    jitter=round(r.jitter, 3), lastPacketReceivedTimestamp=self.moment(r.last), transportId=self.name('T01'), codecId=self.name('CIT01_' + ('111' if letter == 'A' else '96')),
                    remoteId=self.name(f'ROT01{letter}{s.ssrc}') if r.remote else None)
        self.add('inbound-rtp', own, **base, **(self.heard(r) if letter == 'A' else self.seen(r)))
        if r.remote:
            self.add('remote-outbound-rtp', 'RO' + own[1:], self.moment(r.remote['at']), kind=s.kind, ssrc=s.ssrc, localId=self.name(own), packetsSent=r.remote['packets'], bytesSent=r.remote['bytes'],
                     remoteTimestamp=self.moment(r.remote['made']), reportsSent=r.remote['count'], roundTripTimeMeasurements=0, totalRoundTripTime=0, transportId=self.name('T01'))

    def heard(self, r):
        return dict(audioLevel=round(r.level, 6), totalAudioEnergy=round(r.energy, 9), totalSamplesReceived=r.samples, totalSamplesDuration=round(r.samples / 48000, 3), concealedSamples=r.concealed,
                    silentConcealedSamples=r.silent, concealmentEvents=r.events, insertedSamplesForDeceleration=r.inserted, removedSamplesForAcceleration=r.removed, jitterBufferDelay=round(r.waited, 1),
                    jitterBufferTargetDelay=round(r.targeted, 1), jitterBufferMinimumDelay=round(r.least, 1), jitterBufferEmittedCount=r.emitted, packetsDiscarded=r.discarded, fecPacketsReceived=r.fecs,
                    fecPacketsDiscarded=r.fecsDiscarded, totalProcessingDelay=round(r.processing, 3), playoutId='AP')

    def seen(self, r):
        while r.fps and r.fps[0] < self.call.sim.now - 1:
            r.fps.popleft()
        return dict(framesReceived=r.received, framesDecoded=r.decoded, keyFramesDecoded=r.keys, framesDropped=r.dropped, frameWidth=r.width or None, frameHeight=r.height or None,
                    framesPerSecond=len(r.fps) or (0 if self.call.engine == 'firefox' else None), freezeCount=r.freezes, totalFreezesDuration=round(r.frozen, 3), pauseCount=r.pauses,
                    totalPausesDuration=round(r.paused, 3), jitterBufferDelay=round(r.waited, 6), jitterBufferTargetDelay=round(r.targeted, 6), jitterBufferMinimumDelay=round(r.targeted, 6),
                    jitterBufferEmittedCount=r.emitted, totalInterFrameDelay=round(r.between, 3), totalSquaredInterFrameDelay=round(r.squares, 6), totalDecodeTime=round(r.decoding, 6),
                    totalProcessingDelay=round(r.processing, 6), totalAssemblyTime=round(r.assembly, 6), framesAssembledFromMultiplePackets=r.assembled, nackCount=r.nacks, pliCount=r.plis, firCount=0,
                    retransmittedPacketsReceived=r.againPackets, retransmittedBytesReceived=r.againBytes, qpSum=r.qp, decoderImplementation='libvpx' if r.decoded else None,
                    contentType='screenshare' if r.content == 'screen' and self.call.engine != 'firefox' else None,
                    powerEfficientDecoder=False if r.decoded else None, rtxSsrc=r.stream.ssrc + 1)

    def playout(self):
        r = next((r for r in self.peer.receivers if r.stream.kind == 'audio' and r.first is not None), None)
        if r:
            n = r.samples
            self.add('media-playout', 'AP', kind='audio', synthesizedSamplesDuration=0, synthesizedSamplesEvents=0, totalPlayoutDelay=round(n * 0.03, 3), totalSamplesCount=n, totalSamplesDuration=round(n / 48000, 3))


def write(call, peer, at, t):
    """The list of the objects of a report; codecs come once."""
    w = Writer(call, peer, at, t)
    w.path()
    for source in peer.sources:
        w.microphone(source) if hasattr(source, 'stream') else w.camera(source)
    for r in peer.receivers:
        w.inbound(r)
    w.playout()
    seen = {}
    for e in w.stats:
        seen.setdefault(e['id'], e)
    stats = list(seen.values())
    return [e for e in stats if not any(isinstance(v, float) and math.isnan(v) for v in e.values())]
