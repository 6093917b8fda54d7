# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The reports of the set neighbour: what the model counts as the members that each engine has."""
import zlib

NEW = ['scalabilityMode', 'encodingIndex', 'rtxSsrc', 'powerEfficientEncoder', 'packetsSentWithEct1', 'retransmittedPacketsReceived', 'retransmittedBytesReceived', 'playoutId']
QUALITY, FREEZES = ['qualityLimitationReason', 'qualityLimitationDurations', 'qualityLimitationResolutionChanges'], ['freezeCount', 'totalFreezesDuration', 'pauseCount', 'totalPausesDuration']
BUFFER = ['jitterBufferTargetDelay', 'jitterBufferMinimumDelay', 'totalAssemblyTime', 'framesAssembledFromMultiplePackets']
FOX = [*NEW, *QUALITY, *BUFFER, 'mid', 'active', 'rid', 'mediaSourceId', 'targetBitrate', 'totalPacketSendDelay', 'encoderImplementation', 'decoderImplementation', 'retransmittedBytesSent',
       'keyFramesEncoded', 'keyFramesDecoded', 'codecId', 'audioLevel.source', 'totalAudioEnergy.source', 'totalSamplesDuration.source', 'estimatedPlayoutTimestamp', 'availableOutgoingBitrate',
       'currentRoundTripTime', 'totalRoundTripTime.pair', 'requestsSent', 'responsesReceived', 'consentRequestsSent', 'requestsReceived', 'responsesSent', 'packetsSent.pair', 'packetsReceived.pair']
LACKS = {'chrome': ['jitterBufferFlushes'], 'chrome109': [*NEW, 'jitterBufferFlushes'], 'libwebrtc': NEW, 'firefox': [*FOX, 'jitterBufferFlushes'],
         'firefox115': [*FOX, *FREEZES, 'jitterBufferFlushes', 'framesPerSecond.source', 'width', 'height', 'frames.source', 'retransmittedPacketsSent'],
         'safari': [*NEW, 'jitterBufferFlushes', 'encoderImplementation', 'decoderImplementation', 'jitterBufferMinimumDelay'],
         'safari16': [*NEW, *FREEZES, *BUFFER, 'jitterBufferFlushes', 'mid', 'encoderImplementation', 'decoderImplementation', 'packetsSent.pair', 'packetsReceived.pair', 'active',
                      'totalProcessingDelay', 'qualityLimitationDurations']}


class Reporter:
    """Turns streams into the list of entries that this engine would give."""

    def __init__(self, engine, rng, relay=None):
        self.engine, self.rng, self.relay, self.fox = engine, rng, relay, engine.startswith('firefox')
        self.lacks, self.long = set(LACKS[engine]), engine == 'safari16'
        self.port, self.pair, self.changes, self.salt = rng.randrange(20000, 60000), 0, 1, rng.getrandbits(20)
        self.ping, self.asked, self.heard, self.rtt, self.total = None, 1, 1, None, 0.0
        self.away, self.network, self.began, self.known, self.first = None, rng.choice(['wifi', 'ethernet', 'cellular']), None, 0, (0,) * 7
        self.stepped, self.deaf = 0, 0          # seconds of outages since the first report
        self.seen, self.sums = {}, [0.0] * 4

    def name(self, short, long):
        return f'{zlib.crc32(f"{self.salt} {short}".encode()):08x}' if self.fox else long if self.long else short

    def put(self, sort, ident, time, out, **members):
        where = {'candidate-pair': 'pair', 'media-source': 'source'}.get(sort, sort)
        kept = {m: (int(v) if isinstance(v, float) and v.is_integer() and abs(v) > 1e9 else v) for m, v in members.items()
                if v is not None and m not in self.lacks and f'{m}.{where}' not in self.lacks}
        out.append({'id': ident, 'timestamp': round(time, 3), 'type': sort, **kept})

    def step(self, now, up, down, alive):
        """Checks of the path, each 2.5 s, or twice a second while no answer comes."""
        self.ping = now + self.rng.uniform(0, 2.5) if self.ping is None else self.ping
        if now >= self.ping:
            self.asked, self.heard, self.ping = self.asked + 1, self.heard + alive, now + (2.5 if alive else 0.5)
            self.rtt = (up.lag(now) + down.lag(now)) * self.rng.uniform(1, 1.04) + 0.001 if alive else self.rtt
            self.total += self.rtt if alive else 0
        self.away = None if alive else now if self.away is None else self.away
        self.deaf += 0 if alive or self.began is None else now - self.stepped
        self.stepped = now

    def restart(self):
        self.pair, self.changes, self.port = self.pair + 1, self.changes + 1, self.rng.randrange(20000, 60000)

    def stats(self, now, clock, ups, downs, estimate, playout):
        """The report of one peer connection at `now` of the model; `clock` is its Unix time in ms."""
        out, at, old, codecs, counts = [], clock, self.engine in ('chrome109', 'libwebrtc', 'safari16'), {}, self.sums
        when = lambda s: clock - (now - s) * 1000   # noqa: E731
        transport = self.name('T01', 'RTCTransport_0_1')
        for s in [*ups, *downs]:
            far, video = s in downs, s.kind == 'video'
            mime = f'video/{s.codec}' if video else 'audio/opus'
            number = {'video/VP8': 96, 'video/VP9': 98, 'video/H264': 102, 'video/AV1': 45}.get(mime, 111)
            codec = self.name(f'C{"I" if far else "O"}T01_{number}', f'RTCCodec_{s.mid}_{"Inbound" if far else "Outbound"}_{number}')
            codecs[codec] = mime, number
            letter, word, c = s.kind[0].upper(), s.kind.capitalize(), s.rx if far else s.tx
            local = self.name(f'{"I" if far else "O"}T01{letter}{s.ssrc}', f'RTC{"In" if far else "Out"}boundRTP{word}Stream_{s.ssrc}')
            other = self.name(f'R{"O" if far else "I"}{letter}{s.ssrc}', f'RTCRemote{"Outbound" if far else "Inbound"}RTP{word}Stream_{s.ssrc}')
            base = dict(ssrc=s.ssrc, kind=s.kind, mediaType=s.kind, transportId=transport, codecId=codec)
            n = lambda m: int(c[m])   # noqa: E731
            head = n('packets') * (24 if video else 20)
            last, new = self.seen.get((s.ssrc, s.mid), (0, 0)), (n('bytes') + head, n('packets'))
            self.seen[s.ssrc, s.mid] = new
            counts[2 * far:2 * far + 2] = [counts[k + 2 * far] + max(0, new[k] - last[k]) for k in (0, 1)]
            common = dict(base, mid=s.mid, nackCount=n('nack'))
            if not far:
                common.update(active=s.active if video else True, packetsSent=n('packets'), bytesSent=n('bytes'), headerBytesSent=head, retransmittedPacketsSent=n('rtx'),
                              retransmittedBytesSent=n('rtxbytes'), mediaSourceId=None if s.gone else f'S{letter}{s.source}', remoteId=other if s.rr else None, totalPacketSendDelay=round(c['pace'], 6))
                if video:
                    fps, size = s.rate('recent', now), s.size or (None, None)
                    common.update(framesEncoded=n('frames'), framesSent=n('frames'), keyFramesEncoded=n('keys'), qpSum=n('qp'), totalEncodeTime=round(c['encode'], 3), hugeFramesSent=n('huge'),
                                  totalEncodedBytesTarget=0, firCount=0, pliCount=n('pli'), frameWidth=size[0], frameHeight=size[1], framesPerSecond=fps or None, rid=s.rid,
                                  encoderImplementation='libvpx' if s.codec[0] == 'V' else 'OpenH264' if s.codec[0] == 'H' else 'libaom', powerEfficientEncoder=False,
                                  encodingIndex=s.index, scalabilityMode=s.mode, rtxSsrc=s.ssrc ^ 5555, targetBitrate=int(s.target),
                                  qualityLimitationReason=s.reason, qualityLimitationDurations={k: round(v, 3) for k, v in s.limits.items()}, qualityLimitationResolutionChanges=s.changes)
                self.put('outbound-rtp', local, at, out, **dict(dict(targetBitrate=s.bits if not video else 0), **common))
                if s.rr:
                    time, lost, fraction, jitter, rtt, total, times, got = s.rr
                    self.put('remote-inbound-rtp', other, when(time), out, **base, packetsLost=int(lost), fractionLost=round(fraction * 256) / 256, jitter=round(jitter, 6), localId=local,
                             roundTripTime=round(rtt, 6), totalRoundTripTime=round(total, 6), roundTripTimeMeasurements=times, **dict(packetsReceived=int(got)) if self.fox else {})
                continue
            if not c['packets'] and s.on and self.long:
                continue
            common.update(jitter=round(s.jitter, 3), packetsLost=n('lost'), packetsReceived=n('packets'), bytesReceived=n('bytes'), headerBytesReceived=head, trackIdentifier=s.track,
                          remoteId=other if s.sr else None, lastPacketReceivedTimestamp=round(when(c['newest']), 1) if c['newest'] else None, jitterBufferDelay=round(c['jbd'], 6),
                          jitterBufferEmittedCount=n('jbe'), jitterBufferTargetDelay=round(c['jbt'], 6), jitterBufferMinimumDelay=round(c['jbm'], 6), totalProcessingDelay=round(c['processing'], 6))
            if video:
                size = s.picture or (None, None)
                common.update(framesReceived=n('frames'), framesDecoded=n('decoded'), keyFramesDecoded=n('keys'), framesDropped=n('dropped'), qpSum=n('qp') if c['decoded'] else None,
                              framesPerSecond=s.rate('done_at', now) if s.picture and not (old and not s.rate('done_at', now)) else None, frameWidth=size[0], frameHeight=size[1],
                              totalDecodeTime=round(c['decode'], 6), totalInterFrameDelay=round(c['ifd'], 3), totalSquaredInterFrameDelay=round(c['ifd2'], 6), firCount=0, pliCount=n('pli'),
                              freezeCount=n('freezes'), totalFreezesDuration=round(c['frozen'], 3), pauseCount=n('pauses'), totalPausesDuration=round(c['paused'], 3), totalAssemblyTime=round(c['assembly'], 6),
                              framesAssembledFromMultiplePackets=n('many'), retransmittedPacketsReceived=n('again'), retransmittedBytesReceived=n('againbytes'), rtxSsrc=s.ssrc ^ 5555,
                              decoderImplementation='unknown' if not c['decoded'] else 'libvpx' if s.codec[0] == 'V' else 'FFmpeg' if s.codec[0] == 'H' else 'dav1d')
            else:
                common.update(audioLevel=round(c['level'], 9), totalAudioEnergy=round(c['energy'], 9), totalSamplesDuration=round(c['samples'] / 48000, 3), totalSamplesReceived=n('samples'),
                              concealedSamples=n('concealed'), silentConcealedSamples=n('silent'), concealmentEvents=n('events'), insertedSamplesForDeceleration=n('inserted'),
                              removedSamplesForAcceleration=n('removed'), fecPacketsReceived=n('fec'), fecPacketsDiscarded=0, packetsDiscarded=n('flushes') * 30, playoutId='AP', jitterBufferFlushes=n('flushes'))
            self.put('inbound-rtp', local, at, out, **common)
            if s.sr and not (video and old):
                time, packets, size, reports = s.sr
                self.put('remote-outbound-rtp', other, when(time), out, **base, packetsSent=int(packets), bytesSent=int(size), localId=local, remoteTimestamp=round(when(time), 0),
                         reportsSent=reports, roundTripTimeMeasurements=0, totalRoundTripTime=0)
        for s in {x.source: x for x in ups if not x.gone}.values():
            video, ident = s.kind == 'video', f'S{s.kind[0].upper()}{s.source}'
            rate = s.rate('given', now) if video else 0
            more = dict(width=s.wide, height=s.high, frames=int(s.tx['source']), framesPerSecond=rate if rate or self.engine == 'chrome' else None) if video else dict(
                audioLevel=s.level, totalAudioEnergy=round(s.tx['energy'], 9), totalSamplesDuration=round(s.tx['samples'], 3))
            self.put('media-source', self.name(ident, f'RTC{s.kind.capitalize()}Source_{s.source}'), at, out, trackIdentifier=s.track, kind=s.kind, **more)
        for codec, (mime, number) in codecs.items():
            self.put('codec', codec, at, out, payloadType=number, mimeType=mime, clockRate=90000 if mime[0] == 'v' else 48000, transportId=transport)
        self.wires(now, at, out, transport, counts, estimate, len(ups) + len(downs))
        if self.engine == 'chrome' and any(s.kind == 'audio' for s in downs):
            self.put('media-playout', 'AP', at, out, kind='audio', synthesizedSamplesDuration=round(playout[0], 3), synthesizedSamplesEvents=int(playout[1]),
                     totalPlayoutDelay=round(playout[2], 3), totalSamplesCount=int(playout[3] * 48000), totalSamplesDuration=round(playout[3], 3))
        return out

    def wires(self, now, at, out, transport, counts, estimate, streams):
        self.began, pair = now if self.began is None else self.began, f'{self.salt:05x}{self.pair}'
        control = (now - self.began) * 190      # RTCP and the checks
        heard = control - self.deaf * 190
        sent, received = counts[0] + control, counts[2] + heard * 0.7
        here, there = self.name(f'I{pair}a', f'RTCIceCandidate_{pair}a'), self.name(f'I{pair}b', f'RTCIceCandidate_{pair}b')
        ident = self.name(f'CP{pair}a_{pair}b', f'RTCIceCandidatePair_{pair}a_{pair}b')
        gone = 0 if self.away is None else now - self.away
        packets = [int(counts[1] + control / 90), int(counts[3] + heard / 110)]
        if self.known != self.pair:
            self.known, self.first = self.pair, (sent, received, *packets, self.asked - 1, self.heard - 1, self.total)
        first = self.first
        self.put('candidate-pair', ident, at, out, transportId=transport, localCandidateId=here, remoteCandidateId=there, state='in-progress' if gone > 9 else 'succeeded', nominated=True,
                 bytesSent=int(sent - first[0]), bytesReceived=int(received - first[1]), packetsSent=packets[0] - first[2], packetsReceived=packets[1] - first[3], requestsSent=self.asked - first[4],
                 responsesReceived=self.heard - first[5], consentRequestsSent=self.asked - first[4] - 1, requestsReceived=self.heard - first[5], responsesSent=self.heard - first[5],
                 currentRoundTripTime=None if self.rtt is None else round(self.rtt, 3), totalRoundTripTime=round(self.total - first[6], 3), availableOutgoingBitrate=int(estimate),
                 **dict(selected=True, readable=True, writable=True, priority=7205771497833366000) if self.fox else dict(writable=gone < 6, priority=9114756780671369000))
        kind = 'relay' if self.relay else 'srflx' if self.port % 3 else 'host'
        self.put('local-candidate', here, at, out, transportId=transport, candidateType=kind, address='203.0.113.7', port=self.port, protocol='udp', priority=8331263 if self.relay else 1853817087,
                 relayProtocol=self.relay, networkType=None if self.fox or self.engine.startswith('safari') else self.network,
                 url=None if not self.relay or self.fox else f'turn{"s" if self.relay == "tls" else ""}:turn.example.net:{443 if self.relay == "tls" else 3478}?transport={"udp" if self.relay == "udp" else "tcp"}')
        self.put('remote-candidate', there, at, out, transportId=transport, candidateType='host', address='198.51.100.9', port=10000, protocol='udp', priority=2130706431)
        if not self.fox:
            state = 'failed' if gone > 22 else 'disconnected' if gone > 6 else 'connected'
            self.put('transport', self.name('T01', 'RTCTransport_0_1'), at, out, bytesSent=int(sent), bytesReceived=int(received), packetsSent=packets[0], packetsReceived=packets[1], dtlsState='connected',
                     iceState=None if self.long else state, iceRole=None if self.long else 'controlling', selectedCandidatePairId=ident, selectedCandidatePairChanges=self.changes, tlsVersion='FEFD',
                     srtpCipher='AES_CM_128_HMAC_SHA1_80')
        self.put('peer-connection', self.name('P', 'RTCPeerConnection'), at, out, dataChannelsOpened=0, dataChannelsClosed=0)
