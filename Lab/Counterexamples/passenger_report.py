# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The reports of the set passenger: what the model counts, as the members that each engine and version has, and the checks of the path."""
import zlib

# The Chrome that first had a member; native libwebrtc goes with it.
SINCE = {'mid': 104, 'trackIdentifier': 104, 'totalProcessingDelay': 99, 'totalAssemblyTime': 106, 'framesAssembledFromMultiplePackets': 106, 'jitterBufferTargetDelay': 111,
         'jitterBufferMinimumDelay': 111, 'freezeCount': 103, 'totalFreezesDuration': 103, 'pauseCount': 103, 'totalPausesDuration': 103, 'active': 117, 'scalabilityMode': 111,
         'powerEfficientEncoder': 114, 'powerEfficientDecoder': 114, 'retransmittedPacketsReceived': 117, 'retransmittedBytesReceived': 117, 'rtxSsrc': 122, 'encodingIndex': 125, 'playoutId': 111,
         'qualityLimitationDurations': 98, 'packetsSent.pair': 100, 'packetsReceived.pair': 100, 'iceState': 100, 'iceRole': 100, 'targetBitrate.video': 107, 'consentRequestsSent': 90}
FOX = ['mid', 'active', 'rid', 'mediaSourceId', 'targetBitrate', 'totalPacketSendDelay', 'encoderImplementation', 'decoderImplementation', 'retransmittedBytesSent', 'keyFramesEncoded', 'keyFramesDecoded',
       'codecId.not', 'audioLevel.source', 'totalAudioEnergy.source', 'totalSamplesDuration.source', 'availableOutgoingBitrate', 'currentRoundTripTime', 'totalRoundTripTime.pair', 'requestsSent',
       'responsesReceived', 'consentRequestsSent', 'requestsReceived', 'responsesSent', 'packetsSent.pair', 'packetsReceived.pair', 'qualityLimitationReason', 'qualityLimitationDurations',
       'qualityLimitationResolutionChanges', 'jitterBufferTargetDelay', 'jitterBufferMinimumDelay', 'totalAssemblyTime', 'framesAssembledFromMultiplePackets', 'scalabilityMode', 'encodingIndex', 'rtxSsrc',
       'powerEfficientEncoder', 'powerEfficientDecoder', 'retransmittedPacketsReceived', 'retransmittedBytesReceived', 'playoutId']
FREEZES = ['freezeCount', 'totalFreezesDuration', 'pauseCount', 'totalPausesDuration']
LIKE = {'safari17': 116, 'safari16': 103}


class Reporter:
    """One end's view of the call; `mate` is the peer."""

    def __init__(self, call, mate=False):
        self.call, self.rng = call, call.rng
        engine = call.mate if mate else call.engine
        self.fox, self.safari = engine.startswith('firefox'), engine.startswith('safari')
        self.version = LIKE.get(engine) or int(''.join(x for x in engine if x.isdigit()))
        self.chrome, self.native = engine.startswith('chrome'), engine.startswith('libwebrtc')
        self.old = not self.fox and self.version < 107
        self.lacks = set(FOX + (FREEZES + ['framesPerSecond.source', 'width.source', 'height.source', 'retransmittedPacketsSent'] if self.version < 120 else [])) if self.fox else {m for m, v in SINCE.items() if v > self.version}
        self.lacks |= {'encoderImplementation', 'decoderImplementation'} if self.safari else set()
        self.lacks -= {'trackIdentifier'} if self.safari else set()
        far = call.far[0] if mate else None
        self.mate, self.out, self.into = mate, call.into if mate else call.out, call.out if mate else call.into
        self.ups = [*far.sender.mics, *far.sender.encodings()] if mate else call.ups
        self.downs = far.ins if mate else call.downs
        self.salt, self.pair, self.changes, self.port = call.rng.getrandbits(24), 0, 1, call.rng.randrange(20000, 60000)
        self.offset, self.pc = call.rng.uniform(-400, 400) if mate else 0.0, ('b' if mate else 'a') + '%05x' % call.rng.getrandbits(20)
        self.asked = self.heard = 1
        self.trip, self.total, self.silent = None, 0.0, None
        self.zero = None
        self.network = call.rng.choice(['wifi', 'ethernet']) if not call.topology == 'mobile' else 'cellular'
        call.later(call.rng.uniform(0, 1), self.ping)

    # The checks of the path.

    def ping(self, _):
        call = self.call
        links = [*self.out.links, *self.out.back]
        alive = not any(x.dead for x in links)
        self.asked += 1
        if alive and not any(x.loss and not x.tcp and call.rng.random() < x.loss for x in links):
            lag = self.out.lag() + self.out.lag_back()
            call.later(lag, self.pong, lag)
        if not alive and self.silent is None:
            self.silent = call.now
        call.later(2.5 if alive else 0.5, self.ping)

    def pong(self, lag):
        self.heard += 1
        self.trip, self.silent = lag, None
        self.total += lag

    def restart(self, network=None):
        """Another candidate pair; its counters begin at zero, the transport's go on."""
        self.pair, self.changes, self.port = self.pair + 1, self.changes + 1, self.rng.randrange(20000, 60000)
        self.zero, self.silent, self.network = None, None, network or self.network

    # Lines.

    def line(self):
        call = self.call
        clock = call.clock + (call.now - call.begin) * 1000 + call.step + self.offset
        if call.elapsed is not None and not self.mate:
            call.elapsed.append(round(call.now - call.begin, 3))
        late = self.rng.uniform(0.5, 6)
        return {'time': round(clock + late, 1), 'pc': self.pc, 'stats': self.stats(clock)}

    def name(self, short, long):
        return f'{zlib.crc32(f"{self.salt} {short}".encode()):08x}' if self.fox else long if self.old else short

    def put(self, sort, ident, at, out, **members):
        where = {'candidate-pair': 'pair', 'media-source': 'source'}.get(sort, members.get('kind', sort))
        kept = {m: v for m, v in members.items() if v is not None and m not in self.lacks and f'{m}.{where}' not in self.lacks}
        out.append({'id': ident, 'timestamp': round(at, 3), 'type': sort, **kept})

    def stats(self, clock):
        out, self.codecs, self.clock = [], {}, clock
        self.transport = self.name('T01', 'RTCTransport_0_1')
        for s in self.downs:
            if s.c['packets'] or not (self.old or self.fox):
                self.inbound(s, clock, out)
        for s in self.ups:
            if not s.away:
                self.outbound(s, clock, out)
        self.sources(clock, out)
        for codec, (mime, number) in self.codecs.items():
            self.put('codec', codec, clock, out, payloadType=number, mimeType=mime, clockRate=90000 if mime[0] == 'v' else 48000, channels=None if mime[0] == 'v' else 2, transportId=self.transport)
        self.wires(clock, out)
        if self.old and not self.safari:
            self.tracks(clock, out)
        return out

    def when(self, now):
        return self.clock - (self.call.now - now) * 1000

    def base(self, s, far):
        stream = s.out if far else s
        mime = f'video/{stream.codec}' if s.kind == 'video' else 'audio/red' if not far and s.red else 'audio/opus'
        number = {'video/VP8': 96, 'video/VP9': 98, 'video/H264': 102, 'video/AV1': 45, 'audio/red': 63}.get(mime, 111)
        codec = self.name(f'C{"I" if far else "O"}T01_{number}', f'RTCCodec_0_{"Inbound" if far else "Outbound"}_{number}')
        self.codecs[codec] = mime, number
        return dict(ssrc=s.ssrc, kind=s.kind, mediaType=s.kind, transportId=self.transport, codecId=codec)

    def idents(self, s, far):
        letter, word = s.kind[0].upper(), s.kind.capitalize()
        return (self.name(f'{"I" if far else "O"}T01{letter}{s.ssrc}', f'RTC{"In" if far else "Out"}boundRTP{word}Stream_{s.ssrc}'),
                self.name(f'R{"O" if far else "I"}{letter}{s.ssrc}', f'RTCRemote{"Outbound" if far else "Inbound"}RTP{word}Stream_{s.ssrc}'))

    def outbound(self, s, at, out):
        ident, other = self.idents(s, False)
        base, c, now = self.base(s, False), s.c, self.call.now
        members = dict(base, mid=s.mid, nackCount=int(c['nack']) if s.kind == 'video' or self.version > 105 else None, active=bool(s.active), packetsSent=int(c['packets']), bytesSent=int(c['bytes']), headerBytesSent=int(c['head']),
                       retransmittedPacketsSent=int(c['rtx']), retransmittedBytesSent=int(c['rtxbytes']), mediaSourceId=None if self.gone(s) else self.source_id(s), remoteId=other if s.rr else None,
                       trackId=f'RTCMediaStreamTrack_sender_{s.mid}' if self.old and not self.safari else None, totalPacketSendDelay=round(c['pace'], 6))
        if s.kind == 'audio':
            members.update(targetBitrate=int(s.bits), active=True)
        else:
            s.note(now)
            alive = bool(c['frames'])
            rate = s.rate_now(now)
            members.update(framesEncoded=int(c['frames']), framesSent=int(c['frames']), keyFramesEncoded=int(c['keys']), qpSum=int(c['qp']) if alive else None, totalEncodeTime=round(c['encode'], 3),
                           hugeFramesSent=int(c['huge']), totalEncodedBytesTarget=int(c['target']), firCount=0, pliCount=int(c['pli']), frameWidth=s.size[0] if alive else None,
                           frameHeight=s.size[1] if alive else None, framesPerSecond=rate if rate else None, rid=s.rid, encodingIndex=s.index, scalabilityMode=s.mode,
                           encoderImplementation={'V': 'libvpx', 'A': 'libaom', 'H': 'OpenH264'}[s.codec[0]] if s.single else 'SimulcastEncoderAdapter (libvpx, libvpx, libvpx)', powerEfficientEncoder=False,
                           rtxSsrc=s.ssrc ^ 4321, targetBitrate=int(s.target), qualityLimitationReason=s.reason, qualityLimitationDurations={k: round(v, 3) for k, v in s.limits.items()},
                           qualityLimitationResolutionChanges=s.changes, contentType='screenshare' if s.source.screen else None)
        self.put('outbound-rtp', ident, at, out, **members)
        if s.rr:
            when, lost, fraction, jitter, trip, total, count, got = s.rr
            self.put('remote-inbound-rtp', other, self.when(when), out, **base, packetsLost=int(lost), fractionLost=int(fraction * 256) / 256, jitter=round(jitter, 6), localId=ident,
                     roundTripTime=round(trip, 3 if self.old or self.fox else 6), totalRoundTripTime=round(total, 6), roundTripTimeMeasurements=count, packetsReceived=int(got) if self.fox else None)

    @staticmethod
    def gone(s):
        return s.gone if s.kind == 'audio' else s.source.gone

    def source_id(self, s):
        number = s.id if s.kind == 'audio' else s.source.id
        return self.name(f'S{s.kind[0].upper()}{number}', f'RTC{s.kind.capitalize()}Source_{number}')

    def inbound(self, s, at, out):
        ident, other = self.idents(s, True)
        base, c = self.base(s, True), s.c
        more = self.version >= 117 or self.fox
        packets, size, head = c['packets'] - (0 if more else c['again']), c['bytes'] - (0 if more else c['againbytes']), c['head'] - (0 if more else c['again'] * 24)
        old = self.old and not self.safari
        members = dict(base, mid=s.mid, trackIdentifier=s.track, trackId=f'RTCMediaStreamTrack_receiver_{s.ssrc % 997}' if old else None, jitter=round(s.jitter, 3), packetsLost=int(s.lost),
                       packetsReceived=int(packets), bytesReceived=int(size), headerBytesReceived=int(head), nackCount=int(c['nack']) if s.kind == 'video' or self.version > 105 else None,
                       lastPacketReceivedTimestamp=round(self.when(s.newest), 1) if s.newest else None, jitterBufferDelay=round(c['jbd'], 6), jitterBufferEmittedCount=int(c['jbe']), remoteId=other if s.sr else None,
                       jitterBufferTargetDelay=round(c['jbt'], 6), jitterBufferMinimumDelay=round(c['jbm'], 6), totalProcessingDelay=round(c['processing'], 6) if s.kind == 'video' or not self.fox else None)
        members.update(self.pictures(s) if s.kind == 'video' else self.sounds(s))
        if s.kind == 'audio':
            members.pop('totalProcessingDelay') if not (self.version > 105) else None
        self.put('inbound-rtp', ident, at, out, **members)
        if s.sr and (s.kind == 'audio' or self.version >= 108):
            got, sent, count, total, reports = s.sr
            self.put('remote-outbound-rtp', other, self.when(got), out, **base, packetsSent=int(count), bytesSent=int(total), localId=ident, remoteTimestamp=round(self.when(sent), 0), reportsSent=reports,
                     roundTripTimeMeasurements=0, totalRoundTripTime=0)

    def pictures(self, s):
        c, now, shown = s.c, self.call.now, s.picture
        rate = s.rate_now(now)
        return dict(framesReceived=int(c['frames']), framesDecoded=int(c['decoded']), keyFramesDecoded=int(c['keys']), framesDropped=int(c['dropped']), qpSum=int(c['qp']) if c['decoded'] else None,
                    framesPerSecond=rate if shown and (rate or not self.old) else None, frameWidth=shown[0] if shown else None, frameHeight=shown[1] if shown else None, totalDecodeTime=round(c['decode'], 6),
                    totalInterFrameDelay=round(c['ifd'], 3), totalSquaredInterFrameDelay=round(c['ifd2'], 6), firCount=0, pliCount=int(c['pli']), freezeCount=int(c['freezes']),
                    totalFreezesDuration=round(c['frozen'], 3), pauseCount=int(c['pauses']), totalPausesDuration=round(c['paused'], 3), totalAssemblyTime=round(c['assembly'], 6),
                    framesAssembledFromMultiplePackets=int(c['many']), retransmittedPacketsReceived=int(c['again']), retransmittedBytesReceived=int(c['againbytes']), rtxSsrc=s.ssrc ^ 4321,
                    decoderImplementation=('unknown' if not c['decoded'] else {'V': 'libvpx', 'A': 'dav1d', 'H': 'FFmpeg'}[s.out.codec[0]]), powerEfficientDecoder=False)

    def sounds(self, s):
        c = s.c
        return dict(audioLevel=round(s.level, 9), totalAudioEnergy=round(c['energy'], 9), totalSamplesDuration=round(c['samples'] / 48000, 3), totalSamplesReceived=int(c['samples']),
                    concealedSamples=int(c['concealed']), silentConcealedSamples=int(c['silent']), concealmentEvents=int(c['events']), insertedSamplesForDeceleration=int(c['inserted']),
                    removedSamplesForAcceleration=int(c['removed']), fecPacketsReceived=int(c['fec']), fecPacketsDiscarded=int(c['spare']), packetsDiscarded=int(c['discarded']), playoutId='AP')

    def sources(self, at, out):
        now, seen = self.call.now, set()
        for s in self.ups:
            if self.gone(s) or s.away:
                continue
            ident = self.source_id(s)
            if ident in seen:
                continue
            seen.add(ident)
            if s.kind == 'audio':
                self.put('media-source', ident, at, out, kind='audio', trackIdentifier=s.track, audioLevel=round(s.level, 9), totalAudioEnergy=round(s.c['energy'], 9), totalSamplesDuration=round(s.c['samples'], 3))
            else:
                source, rate = s.source, s.source.rate_now(now)
                self.put('media-source', ident, at, out, kind='video', trackIdentifier=source.track, width=source.wide, height=source.high, frames=source.frames, framesPerSecond=rate if rate or self.version > 110 else None)

    def tracks(self, at, out):
        """The obsolete entries of old engines: what tracks had before it moved to streams."""
        for s in self.downs:
            if not s.c['packets']:
                continue
            c, video = s.c, s.kind == 'video'
            more = dict(frameWidth=s.picture[0] if video and s.picture else None, frameHeight=s.picture[1] if video and s.picture else None, framesReceived=int(c['frames']), framesDecoded=int(c['decoded']),
                        framesDropped=int(c['dropped']), freezeCount=int(c['freezes']), totalFreezesDuration=round(c['frozen'], 3), pauseCount=int(c['pauses']), totalPausesDuration=round(c['paused'], 3),
                        totalFramesDuration=round(c['ifd'], 3)) if video else self.sounds(s)
            members = {m: v for m, v in more.items() if m != 'playoutId'}
            out.append({'id': f'RTCMediaStreamTrack_receiver_{s.ssrc % 997}', 'timestamp': round(at, 3), 'type': 'track', 'kind': s.kind, 'trackIdentifier': s.track, 'remoteSource': True, 'ended': False, 'detached': False,
                        'jitterBufferDelay': round(c['jbd'], 6), 'jitterBufferEmittedCount': int(c['jbe']), **{m: v for m, v in members.items() if v is not None}})
        for s in {x.mid: x for x in self.ups if not self.gone(x) and not x.away}.values():
            out.append({'id': f'RTCMediaStreamTrack_sender_{s.mid}', 'timestamp': round(at, 3), 'type': 'track', 'kind': s.kind, 'trackIdentifier': s.track_name, 'remoteSource': False, 'ended': False, 'detached': False,
                        'mediaSourceId': self.source_id(s)})

    def wires(self, at, out):
        call, f, g = self.call, self.out, self.into
        second = max(0.0, call.now)
        totals = [f.sent[1] + second * 190, g.got[1] + (self.heard * 100) + second * 90, f.sent[0] + second * 2.2, g.got[0] + second]
        if self.zero is None:
            self.zero = [0, 0, 0, 0, 0, 0, 0.0] if not self.pair else [*totals, self.asked, self.heard, self.total]
        z, gone = self.zero, 0 if self.silent is None else call.now - self.silent
        pair = f'{self.salt:06x}{self.pair}'
        here, there = self.name(f'I{pair}a', f'RTCIceCandidate_{pair}a'), self.name(f'I{pair}b', f'RTCIceCandidate_{pair}b')
        ident = self.name(f'CP{pair}a_{pair}b', f'RTCIceCandidatePair_{pair}a_{pair}b')
        more = dict(selected=True, readable=True, writable=True, priority=7205771497833366000) if self.fox else dict(writable=gone < 5, priority=9114756780671369000)
        self.put('candidate-pair', ident, at, out, transportId=self.transport, localCandidateId=here, remoteCandidateId=there, state='failed' if gone > 18 else 'in-progress' if gone > 5 else 'succeeded', nominated=True,
                 bytesSent=int(totals[0] - z[0]), bytesReceived=int(totals[1] - z[1]), packetsSent=int(totals[2] - z[2]), packetsReceived=int(totals[3] - z[3]), requestsSent=self.asked - z[4],
                 responsesReceived=max(0, self.heard - z[5]), consentRequestsSent=max(0, self.asked - z[4] - 1), requestsReceived=max(0, self.heard - z[5]), responsesSent=max(0, self.heard - z[5]),
                 currentRoundTripTime=None if self.trip is None else round(self.trip, 3), totalRoundTripTime=round(self.total - z[6], 3), availableOutgoingBitrate=int(f.rate), **more)
        relay = call.relay if not self.mate else None
        kind = 'relay' if relay else 'srflx' if self.port % 3 else 'host'
        self.put('local-candidate', here, at, out, transportId=self.transport, candidateType=kind, address='203.0.113.7', port=self.port, protocol='udp', priority=8331263 if relay else 1853817087,
                 relayProtocol=relay, networkType=None if self.fox or self.safari else self.network,
                 url=None if not relay or self.fox else f'turn{"s" if relay == "tls" else ""}:turn.example.net:{443 if relay == "tls" else 3478}?transport={"udp" if relay == "udp" else "tcp"}')
        self.put('remote-candidate', there, at, out, transportId=self.transport, candidateType='host' if call.topology == 'sfu' else 'srflx', address='198.51.100.9', port=10000, protocol='udp', priority=2130706431)
        if not self.fox:
            self.put('transport', self.transport, at, out, bytesSent=int(totals[0]), bytesReceived=int(totals[1]), packetsSent=int(totals[2]), packetsReceived=int(totals[3]), dtlsState='connected',
                     iceState='failed' if gone > 18 else 'disconnected' if gone > 5 else 'connected', iceRole='controlling', selectedCandidatePairId=ident, selectedCandidatePairChanges=self.changes,
                     tlsVersion='FEFD', srtpCipher='AES_CM_128_HMAC_SHA1_80')
        self.put('peer-connection', self.name('P', 'RTCPeerConnection'), at, out, dataChannelsOpened=0, dataChannelsClosed=0)
        if self.chrome and self.version >= 111 and any(s.kind == 'audio' for s in self.downs):
            self.put('media-playout', 'AP', at, out, kind='audio', synthesizedSamplesDuration=0, synthesizedSamplesEvents=0, totalPlayoutDelay=round(second * 48000 * 0.028, 3), totalSamplesCount=int(second * 48000), totalSamplesDuration=round(second, 3))
