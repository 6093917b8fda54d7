# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Reports of the set lodger, in the shapes of Chrome, Firefox, Safari, and libwebrtc M109."""
from lodger_media import loudness

FIREFOX = {
    'inbound-rtp': '''kind mediaType ssrc trackIdentifier remoteId codecId packetsReceived packetsLost jitter bytesReceived headerBytesReceived packetsDiscarded nackCount pliCount firCount
        lastPacketReceivedTimestamp framesDecoded framesDropped framesReceived frameWidth frameHeight framesPerSecond qpSum totalDecodeTime totalInterFrameDelay totalSquaredInterFrameDelay
        totalProcessingDelay jitterBufferDelay jitterBufferEmittedCount totalSamplesReceived concealedSamples silentConcealedSamples concealmentEvents insertedSamplesForDeceleration
        removedSamplesForAcceleration audioLevel totalAudioEnergy totalSamplesDuration fecPacketsReceived fecPacketsDiscarded''',
    'outbound-rtp': '''kind mediaType ssrc rid remoteId codecId packetsSent bytesSent headerBytesSent retransmittedPacketsSent retransmittedBytesSent nackCount pliCount firCount framesEncoded
        framesSent hugeFramesSent frameWidth frameHeight framesPerSecond qpSum totalEncodeTime totalEncodedBytesTarget''',
    'remote-inbound-rtp': 'kind mediaType ssrc localId codecId packetsLost packetsReceived jitter fractionLost roundTripTime totalRoundTripTime roundTripTimeMeasurements',
    'remote-outbound-rtp': 'kind mediaType ssrc localId codecId packetsSent bytesSent remoteTimestamp',
    'media-source': 'kind trackIdentifier width height frames framesPerSecond',
    'candidate-pair': '''bytesReceived bytesSent lastPacketReceivedTimestamp lastPacketSentTimestamp localCandidateId remoteCandidateId nominated priority readable selected state transportId
        componentId writable''',
    'local-candidate': 'address candidateType port priority protocol relayProtocol transportId',
    'remote-candidate': 'address candidateType port priority protocol transportId',
    'codec': 'payloadType mimeType clockRate channels sdpFmtpLine transportId codecType',
    'peer-connection': 'dataChannelsOpened dataChannelsClosed',
}
FIREFOX = {kind: set(members.split()) for kind, members in FIREFOX.items()}
SAFARI_OMITS = set('''qualityLimitationReason qualityLimitationDurations qualityLimitationResolutionChanges encoderImplementation decoderImplementation powerEfficientEncoder powerEfficientDecoder
    mediaType totalPacketSendDelay playoutId networkType writable ip isRemote bytesDiscardedOnSend packetsDiscardedOnSend scalabilityMode'''.split())
OLD_OMITS = set('''retransmittedPacketsReceived retransmittedBytesReceived rtxSsrc framesRendered playoutId scalabilityMode powerEfficientEncoder powerEfficientDecoder encodingIndex
    lastPacketSentTimestamp fecBytesReceived packetsReceivedWithCe'''.split())


class Reporter:
    """Writes the lines of one call's recording."""

    def __init__(self, call):
        """Draws what stays the same: the clock's origin, and ids."""
        rng = call.rng
        self.call, self.begin, self.pc = call, 1.77e12 + rng.randrange(10 ** 9), 'pc-%04x' % rng.getrandbits(16)
        self.last, self.salt = 0.0, rng.getrandbits(20)
        self.decoder = 'ExternalDecoder (D3D11VideoDecoder)' if rng.random() < 0.3 else 'libvpx'

    def line(self, now, t, shift):
        """A report at a second of the call; the clock is `shift` seconds off."""
        call = self.call
        # What others said keeps its times, however late a report is made.
        self.offset = self.begin + (t + shift - now) * 1000
        t += call.rng.uniform(0.0, 0.012)
        self.time = round(self.begin + (t + shift) * 1000, 3)
        self.stats, self.now = [], now
        self._transport()
        self._sent()
        self._received()
        shape = getattr(self, '_' + call.engine)
        return {'time': self.time, 'pc': self.pc, 'stats': shape(self.stats), 'true': t}

    def _add(self, sort, ident, timestamp=None, **members):
        """Adds an object."""
        self.stats.append({'id': ident, 'timestamp': round(self.time if timestamp is None else timestamp, 3), 'type': sort, **{k: v for k, v in members.items() if v is not None}})

    def _stamp(self, when):
        """A moment of the model as a time of the report."""
        return None if when is None else round(min(self.time, self.offset + when * 1000), 3)

    def _transport(self):
        """The connection, its pair and candidates."""
        call, ice = self.call, self.call.ice
        sent, got, packets, arrived = (a - b for a, b in zip((call.sender.bytes, call.near.bytes, call.sender.packets, call.near.packets), ice.base))
        pair, local, remote = f'CP{ice.local}_{ice.remote}', 'I' + ice.local, 'I' + ice.remote
        self._add('peer-connection', 'P', dataChannelsOpened=1, dataChannelsClosed=0)
        self._add('transport', 'T01', bytesSent=call.sender.bytes, packetsSent=call.sender.packets, bytesReceived=call.near.bytes, packetsReceived=call.near.packets,
                  dtlsState='connected', dtlsRole='client',
                  iceRole='controlling', iceState=ice.state, iceLocalUsernameFragment=ice.local[:4], selectedCandidatePairId=pair,
                  selectedCandidatePairChanges=call.changes, srtpCipher='AES_CM_128_HMAC_SHA1_80', tlsVersion='FEFD')
        known = ice.trip is not None
        last = max((r.last for r in call.near.streams.values() if r.last), default=None)
        self._add('candidate-pair', pair, transportId='T01', localCandidateId=local, remoteCandidateId=remote, state='failed' if ice.state == 'failed' else 'succeeded',
                  nominated=True, writable=ice.state == 'connected',
                  priority=7277816997797000000, bytesSent=sent, bytesReceived=got, packetsSent=packets, packetsReceived=arrived, bytesDiscardedOnSend=0, packetsDiscardedOnSend=0,
                  requestsSent=ice.sent, responsesReceived=ice.answered, consentRequestsSent=max(0, ice.sent - 1), requestsReceived=ice.received if call.direct else 0,
                  responsesSent=ice.received if call.direct else 0,
                  totalRoundTripTime=round(ice.total, 4), currentRoundTripTime=round(ice.trip, 3) if known else None, availableOutgoingBitrate=round(call.sender.gcc.rate) if known else None,
                  lastPacketReceivedTimestamp=self._stamp(last), lastPacketSentTimestamp=self._stamp(self.now - 0.004), readable=True, selected=True)
        self._add('local-candidate', local, transportId='T01', address='192.0.2.17', ip='192.0.2.17', port=ice.port, protocol='udp',
                  candidateType='relay' if call.relay else 'host', priority=8331263 if call.relay else 2122260223,
                  networkType=call.network, isRemote=False, relayProtocol=call.relay,
                  url=f'turns:turn.example.net:443?transport={"tcp" if call.relay != "udp" else "udp"}' if call.relay else None)
        self._add('remote-candidate', remote, transportId='T01', address='203.0.113.9', ip='203.0.113.9', port=ice.remotePort, protocol='udp',
                  candidateType='srflx' if call.direct else 'host', priority=1694498815, isRemote=True)

    def _codec(self, way, kind, codec=None):
        """The codec object's id; adds it once."""
        if kind == 'video':
            payload, mime, rate = {'VP8': 96, 'VP9': 98, 'H264': 102, 'AV1': 45}[codec], 'video/' + codec, 90000
        else:
            payload, mime, rate = (63, 'audio/red', 48000) if self.call.red else (111, 'audio/opus', 48000)
        ident = f'C{way}T01_{payload}'
        if all(s['id'] != ident for s in self.stats):
            self._add('codec', ident, transportId='T01', payloadType=payload, mimeType=mime, clockRate=rate, channels=2 if kind == 'audio' else None,
                      sdpFmtpLine=('111/111' if payload == 63 else 'minptime=10;useinbandfec=1' + (';usedtx=1' if self.call.mic.dtx else '')) if kind == 'audio' else None)
        return ident

    def _sent(self):
        """Sources, outbound streams, and what the far end said of them."""
        for track in self.call.sender.tracks:
            audio = track.kind == 'audio'
            source = ('SA' if audio else 'SV') + '%d' % (track.streams[0].ssrc % 97)
            if track.attached and audio:
                self._add('media-source', source, kind='audio', trackIdentifier=track.identifier, audioLevel=loudness(track.level), totalAudioEnergy=track.energy,
                          totalSamplesDuration=round(track.duration, 2))
            elif track.attached:
                self._add('media-source', source, kind='video', trackIdentifier=track.identifier, width=track.width, height=track.height, frames=track.frames,
                          framesPerSecond=sum(s > self.now - 1 for s in track.stamps))
            for stream in track.streams:
                self._outbound(track, stream, source if track.attached else None, audio)

    def _outbound(self, track, stream, source, audio):
        """One SSRC that is sent."""
        letter = 'A' if audio else 'V'
        ident, remote = f'OT01{letter}{stream.ssrc}', stream.remote
        more = {}
        if not audio:
            fps = stream.fps(self.now)
            hardware = track.encoder not in ('libvpx', 'libaom', 'OpenH264')
            more = dict(rid=stream.rid, framesEncoded=stream.frames, framesSent=stream.frames, keyFramesEncoded=stream.keys, hugeFramesSent=stream.huge,
                        totalEncodeTime=round(stream.encodeTime, 4), qpSum=stream.qp,
                        totalPacketSendDelay=round(stream.sendDelay, 4), totalEncodedBytesTarget=int(stream.bytesTarget), frameWidth=stream.width or None,
                        frameHeight=stream.height or None, framesPerSecond=fps or None,
                        qualityLimitationReason=track.reason, qualityLimitationDurations={k: round(v, 3) for k, v in track.durations.items()},
                        qualityLimitationResolutionChanges=track.changes,
                        encoderImplementation=(track.encoder if len(track.streams) == 1 else f'SimulcastEncoderAdapter ({", ".join([track.encoder] * 3)})') if stream.frames else None,
                        powerEfficientEncoder=hardware, firCount=0, pliCount=stream.plis, rtxSsrc=stream.rtxSsrc, scalabilityMode=f'L{track.svc}T3_KEY' if track.svc else 'L1T1',
                        contentType='screenshare' if track.screen else None)
        self._add('outbound-rtp', ident, kind=track.kind, mediaType=track.kind, mid=track.mid, ssrc=stream.ssrc, transportId='T01',
                  codecId=self._codec('O', track.kind, getattr(track, 'codec', None)), mediaSourceId=source,
                  remoteId=f'RI{letter}{stream.ssrc}' if remote else None, active=stream.active, packetsSent=stream.packets, bytesSent=stream.bytes,
                  headerBytesSent=stream.headers, retransmittedPacketsSent=stream.rtxPackets,
                  retransmittedBytesSent=stream.rtxBytes, nackCount=stream.nacks, targetBitrate=round(track.bitrate if audio else stream.target), **more)
        if remote:
            self._add('remote-inbound-rtp', f'RI{letter}{stream.ssrc}', self._stamp(remote['time']), kind=track.kind, mediaType=track.kind, ssrc=stream.ssrc,
                      transportId='T01', codecId=self._codec('O', track.kind, getattr(track, 'codec', None)),
                      localId=ident, packetsLost=remote['lost'], packetsReceived=remote['packets'] if self.call.engine == 'firefox' else None,
                      fractionLost=round(remote['fraction'] * 256) / 256, jitter=round(remote['jitter'], 6),
                      roundTripTime=round(remote['trip'], 6), totalRoundTripTime=round(remote['total'], 6), roundTripTimeMeasurements=remote['number'])

    def _received(self):
        """Inbound streams and the playout device."""
        call, now = self.call, self.now
        tracks = {s: t for t in call.other.tracks for s in t.streams}
        self._add('media-playout', 'AP', kind='audio',
                  synthesizedSamplesDuration=0.0, synthesizedSamplesEvents=0,
                  totalSamplesDuration=round(now, 2), totalSamplesCount=int(now * 48000), totalPlayoutDelay=round(now * 48000 * 0.021, 1))
        for stream, r in call.near.streams.items():
            track = tracks.get(stream)
            if stream in call.gone or track is None:
                continue
            letter = 'A' if r.kind == 'audio' else 'V'
            common = dict(kind=r.kind, mediaType=r.kind, mid=track.mid, trackIdentifier=track.identifier, ssrc=stream.ssrc, transportId='T01',
                          codecId=self._codec('I', r.kind, getattr(track, 'codec', None)) if r.packets else None,
                          packetsReceived=r.packets, packetsLost=r.lost(), jitter=round(r.jitter, 3), bytesReceived=r.bytes, headerBytesReceived=r.headers,
                          packetsDiscarded=r.discarded, lastPacketReceivedTimestamp=self._stamp(r.last),
                          jitterBufferDelay=round(r.bufferDelay, 3), jitterBufferTargetDelay=round(r.targetDelay, 3), jitterBufferMinimumDelay=round(r.targetDelay, 3),
                          jitterBufferEmittedCount=r.emitted, fecPacketsDiscarded=0)
            ident = f'IT01{letter}{stream.ssrc}'
            if r.kind == 'audio':
                self._add('inbound-rtp', ident, **common, remoteId=f'ROA{stream.ssrc}' if r.packets > 40 else None, playoutId='AP', totalSamplesReceived=r.samples,
                          concealedSamples=r.concealed, silentConcealedSamples=r.silent, concealmentEvents=r.events,
                          insertedSamplesForDeceleration=r.inserted, removedSamplesForAcceleration=r.removed, audioLevel=loudness(r.level), totalAudioEnergy=r.energy,
                          totalSamplesDuration=round(r.duration, 2),
                          fecPacketsReceived=r.fecPackets)
                if r.packets > 40:
                    self._add('remote-outbound-rtp', f'ROA{stream.ssrc}', self._stamp(now - (now % 4.9)), kind='audio', mediaType='audio', ssrc=stream.ssrc,
                              transportId='T01', localId=ident, codecId=self._codec('I', 'audio'),
                              packetsSent=max(self._stepped(r, 'packets'), 0), bytesSent=self._stepped(r, 'bytes'), reportsSent=int(now // 4.9),
                              remoteTimestamp=self._stamp(now - (now % 4.9)))
                continue
            fps = r.fps(now)
            self._add('inbound-rtp', ident, **common, nackCount=r.nacks, pliCount=r.plis, firCount=0, framesReceived=r.received, framesDecoded=r.count,
                      keyFramesDecoded=r.keys, framesDropped=r.drops, framesRendered=max(0, r.count - 1) if r.count else 0,
                      frameWidth=r.width or None, frameHeight=r.height or None, framesPerSecond=fps if r.count else None, qpSum=r.qp if r.count else None,
                      totalDecodeTime=round(r.decodeTime, 4), totalProcessingDelay=round(r.processing, 4),
                      totalAssemblyTime=round(r.assembly, 4), framesAssembledFromMultiplePackets=r.multi, totalInterFrameDelay=round(r.between, 4),
                      totalSquaredInterFrameDelay=round(r.squares, 5), freezeCount=r.freezes, totalFreezesDuration=round(r.freezeTime, 3),
                      pauseCount=r.pauses, totalPausesDuration=round(r.pauseTime, 3), decoderImplementation=self.decoder if r.count else None,
                      powerEfficientDecoder=self.decoder != 'libvpx' if r.count else None, rtxSsrc=stream.rtxSsrc,
                      retransmittedPacketsReceived=r.rtxPackets, retransmittedBytesReceived=r.rtxBytes)

    def _stepped(self, r, member):
        """What a sender report has last said."""
        turn = int(self.now // 4.9)
        known = r.__dict__.setdefault('said', {})
        if known.get('turn') != turn:
            known.update(turn=turn, packets=r.stream.packets, bytes=r.stream.bytes)
        return known[member]

    def _chrome(self, stats):
        """As Chrome 130 and later."""
        return [{k: v for k, v in s.items() if k not in ('readable', 'selected', 'totalEncodedBytesTarget')} for s in stats]

    def _native(self, stats):
        """As libwebrtc M109 in an application."""
        return [{k: v for k, v in s.items() if k not in OLD_OMITS and k not in ('readable', 'selected')} for s in stats if s['type'] != 'media-playout']

    def _safari(self, stats):
        """As Safari 17 and later, which does not say what limits the quality."""
        return [{k: v for k, v in s.items() if k not in SAFARI_OMITS and k not in ('readable', 'selected')} for s in stats if s['type'] != 'media-playout']

    def _firefox(self, stats):
        """As Firefox 120 and later: no transport, no estimate, no round trip time of the pair."""
        out, names = [], {}
        for s in stats:
            names[s['id']] = self._short(s['id'])
        for s in stats:
            if s['type'] in FIREFOX:
                kept = {k: v for k, v in s.items() if k in FIREFOX[s['type']] and k != 'mid'}
                for k, v in kept.items():
                    if k.endswith('Id') and v in names:
                        kept[k] = names[v]
                out.append({'id': names[s['id']], 'timestamp': round(s['timestamp']), 'type': s['type'], **kept})
        return out

    def _short(self, ident):
        """An id in the manner of Firefox."""
        value = self.salt
        for letter in ident:
            value = (value * 31 + ord(letter)) % 4294967291
        return '%x' % value
