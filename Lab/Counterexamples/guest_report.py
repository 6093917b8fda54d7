# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""A peer connection of `guest.py`, with its connectivity checks, and its reports as each engine writes them."""
import random
from guest_network import route

LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNP23456789'
TRANSPORT = 'T01'
AUDIO_SENT, VIDEO_SENT, AUDIO_RECEIVED, VIDEO_RECEIVED = 'COT01_111', 'COT01_96', 'CIT01_111', 'CIT01_96'

# What engines with libwebrtc do not report.
OMITTED = {
    'safari': set('encoderImplementation decoderImplementation powerEfficientEncoder powerEfficientDecoder playoutId estimatedPlayoutTimestamp rtxSsrc '
                  'retransmittedPacketsReceived retransmittedBytesReceived scalabilityMode encodingIndex packetsSentWithEct1 networkType ip '
                  'totalAssemblyTime framesAssembledFromMultiplePackets packetsReceivedWithCe packetsReceivedWithEct1 lastPacketSentTimestamp '
                  'lastPacketReceivedTimestamp'.split()),
    'native': set('powerEfficientEncoder powerEfficientDecoder playoutId rtxSsrc retransmittedPacketsReceived retransmittedBytesReceived scalabilityMode '
                  'encodingIndex packetsSentWithEct1 packetsReceivedWithCe packetsReceivedWithEct1 lastPacketSentTimestamp'.split()),
    'chrome': set(),
}
# All that Firefox reports, of each type.
FIREFOX = {
    'outbound-rtp': 'kind mediaType ssrc mid rid codecId bytesSent packetsSent remoteId headerBytesSent retransmittedPacketsSent retransmittedBytesSent '
                    'nackCount firCount pliCount framesEncoded framesSent frameWidth frameHeight framesPerSecond hugeFramesSent qpSum totalEncodeTime '
                    'totalEncodedBytesTarget',
    'inbound-rtp': 'kind mediaType ssrc mid trackIdentifier codecId remoteId jitter packetsLost packetsReceived packetsDiscarded bytesReceived '
                   'headerBytesReceived lastPacketReceivedTimestamp nackCount firCount pliCount framesDecoded framesDropped framesReceived frameWidth '
                   'frameHeight framesPerSecond qpSum totalDecodeTime totalProcessingDelay totalInterFrameDelay totalSquaredInterFrameDelay '
                   'jitterBufferDelay jitterBufferEmittedCount totalSamplesReceived concealedSamples silentConcealedSamples concealmentEvents '
                   'insertedSamplesForDeceleration removedSamplesForAcceleration audioLevel totalAudioEnergy totalSamplesDuration',
    'remote-inbound-rtp': 'kind mediaType ssrc localId codecId jitter packetsLost fractionLost roundTripTime totalRoundTripTime roundTripTimeMeasurements '
                          'packetsReceived',
    'remote-outbound-rtp': 'kind mediaType ssrc localId codecId packetsSent bytesSent remoteTimestamp',
    'candidate-pair': 'transportId localCandidateId remoteCandidateId priority nominated state bytesSent bytesReceived lastPacketSentTimestamp '
                      'lastPacketReceivedTimestamp selected readable writable',
    'local-candidate': 'transportId address port protocol candidateType priority foundation',
    'remote-candidate': 'transportId address port protocol candidateType priority foundation',
    'codec': 'transportId payloadType mimeType clockRate channels sdpFmtpLine',
    'peer-connection': 'dataChannelsOpened dataChannelsClosed',
}
FIREFOX = {kind: {'type', 'id', 'timestamp', *members.split()} for kind, members in FIREFOX.items()}
# What the entries `track` of M109 repeat.
TRACK_VIDEO = ('framesReceived', 'framesDecoded', 'framesDropped', 'freezeCount', 'totalFreezesDuration', 'pauseCount', 'totalPausesDuration',
               'jitterBufferDelay', 'jitterBufferEmittedCount')
TRACK_AUDIO = ('totalSamplesReceived', 'concealedSamples', 'silentConcealedSamples', 'concealmentEvents', 'audioLevel', 'totalAudioEnergy',
               'totalSamplesDuration', 'jitterBufferDelay', 'jitterBufferEmittedCount')


def stream_id(prefix, stream):
    return prefix + ('V' if stream.kind == 'video' else 'A') + str(stream.ssrc)


class Connection:
    """A peer connection of which there are reports: its candidate pair, checks, and what it sends and receives."""

    def __init__(self, simulation, name, engine, transport, receiver, microphones, cameras, start, video_codec='video/VP8'):
        self.simulation, self.name, self.engine, self.transport, self.receiver = simulation, name, engine, transport, receiver
        self.microphones, self.cameras, self.start, self.video_codec = microphones, cameras, start, video_codec
        self.decode_factor = 1.0
        self.random = random.Random(simulation.random.random())
        self.fragment = self.letters(4)
        self.pair = 0
        self.pair_changes = 1
        self.before_sent = self.before_received = (0, 0)
        self.before_control = 0
        self.begin_pair()
        self.last_answer = 0.0
        self.ice = 'connected'
        self.all_responses = 0
        self.next_check = .3
        self.network = self.random.choice(['wifi', 'wifi', 'ethernet'])
        simulation.ticks.append(self.tick)

    def letters(self, count):
        return ''.join(self.random.choice(LETTERS) for _ in range(count))

    def begin_pair(self):
        self.local_candidate, self.remote_candidate = self.letters(8), self.letters(8)
        self.requests = self.responses = 0
        self.total_round_trip = 0.0
        self.round_trip = None
        self.port = self.random.randrange(30000, 64000)
        self.pair += 1

    def change_pair(self, network=None):
        """After an ICE restart: another pair, whose counters begin at zero."""
        self.before_sent = (self.transport.bytes, self.transport.packets)
        self.before_received = (self.bytes_received(), self.receiver.packets)
        self.before_control = self.receiver.bytes_sent
        self.begin_pair()
        self.fragment = self.letters(4)
        self.pair_changes += 1
        self.last_answer = self.simulation.now
        self.ice = 'connected'
        if network:
            self.network = network

    def bytes_received(self):
        return self.receiver.bytes + self.transport.feedback_bytes

    def tick(self, now, step):
        if step % 10 == 0 and self.transport.last_feedback > now - .15:
            self.transport.feedback_bytes += 62
        if now >= self.next_check:
            self.check(now)
        self.last_answer = max(self.last_answer, self.receiver.last_packet)
        silence = now - self.last_answer
        self.ice = 'connected' if silence < 5.8 else 'disconnected' if silence < 16 else 'failed'
        if (self.ice == 'connected') != self.transport.is_alive:
            self.transport.is_alive = self.ice == 'connected'
            if self.transport.is_alive:
                self.transport.resume()

    def check(self, now):
        """Sends a connectivity check."""
        self.requests += 1
        self.next_check = now + (2.5 if now - self.last_answer < 4 else .48)
        arrival = route(self.transport.path, now, 100)
        if arrival:
            self.simulation.at(arrival, self.answer_check, now, self.pair)

    def answer_check(self, sent, pair):
        arrival = route(self.transport.return_path, self.simulation.now, 90)
        if arrival:
            self.simulation.at(arrival, self.got_answer, sent, pair)

    def got_answer(self, sent, pair):
        if pair != self.pair:
            return
        self.all_responses += 1
        self.responses += 1
        self.round_trip = self.simulation.now - sent
        self.total_round_trip += self.round_trip
        self.last_answer = self.simulation.now

    def report(self, now):
        return Report(self, now).entries()


class Report:
    """The stats of a connection at one time."""

    def __init__(self, connection, now):
        self.connection, self.engine, self.now = connection, connection.engine, now
        self.transport, self.receiver = connection.transport, connection.receiver
        self.is_firefox = self.engine == 'firefox'
        milliseconds = connection.start + now * 1000
        if self.engine == 'safari':
            self.timestamp = float(int(milliseconds))
        else:
            self.timestamp = round(milliseconds + connection.simulation.random.uniform(-.4, .4), 3)
        self.transport_id = 'transport_0' if self.is_firefox else TRANSPORT
        self.codecs = set()
        self.stats = []

    def entries(self):
        """All entries, in the shape of the engine."""
        for microphone in self.connection.microphones:
            self.add_microphone(microphone)
        for camera in self.connection.cameras:
            self.add_camera(camera)
        received = [stream for stream in self.receiver.streams if stream.newest is not None or not self.is_firefox]
        for stream in received:
            self.add_received(stream)
        if not all(stream.is_video for stream in received):
            self.add_playout()
        for codec in sorted(self.codecs):
            self.add_codec(codec)
        self.add_pair()
        self.add_transport()
        self.add_candidates()
        self.add('peer-connection', 'peer_connection' if self.is_firefox else 'P', dataChannelsOpened=0, dataChannelsClosed=0)
        return [entry for entry in map(self.shaped, self.stats) if entry]

    def add(self, kind, identifier, timestamp=None, /, **members):
        self.stats.append(dict(type=kind, id=identifier, timestamp=self.timestamp if timestamp is None else timestamp, **members))

    def at(self, seconds):
        """A time of the simulation as a timestamp."""
        return round(self.connection.start + seconds * 1000, 3)

    def shaped(self, entry):
        """An entry with the members that the engine has, or none if it has no such entry."""
        kind = entry['type']
        if not self.is_firefox:
            if kind == 'media-playout' and self.engine != 'chrome':
                return None
            omitted = set(OMITTED[self.engine])
            if self.engine == 'native' and kind == 'candidate-pair':
                omitted.add('lastPacketReceivedTimestamp')
            return {name: value for name, value in entry.items() if name not in omitted}
        if kind == 'media-source':
            return entry if entry['kind'] == 'video' else None
        if kind not in FIREFOX:
            return None
        is_audio = kind in ('outbound-rtp', 'inbound-rtp') and entry['kind'] == 'audio'
        return {name: value for name, value in entry.items() if name in FIREFOX[kind] and not (is_audio and name in ('firCount', 'pliCount'))}

    # What is sent

    def sent(self, stream, source, codec):
        """The members that audio and video share."""
        self.codecs.add(codec)
        return dict(codecId=codec, kind=stream.kind, mediaType=stream.kind, ssrc=stream.ssrc, transportId=self.transport_id, mid=stream.mid,
                    mediaSourceId=source, remoteId=stream_id('RI', stream), active=stream.active, bytesSent=stream.bytes, packetsSent=stream.packets,
                    retransmittedBytesSent=stream.repaired_bytes, retransmittedPacketsSent=stream.repairs, nackCount=stream.nacks,
                    totalPacketSendDelay=round(stream.pacing, 4), packetsSentWithEct1=0)

    def add_microphone(self, microphone):
        stream, voice, source = microphone.stream, microphone.voice, 'SA' + microphone.source
        self.add('outbound-rtp', stream_id('OT01', stream), **self.sent(stream, source, AUDIO_SENT), headerBytesSent=stream.packets * 24,
                 targetBitrate=int(microphone.rate))
        self.add('media-source', source, kind='audio', trackIdentifier=microphone.track, audioLevel=round(voice.loudness, 6),
                 totalAudioEnergy=round(voice.energy, 9), totalSamplesDuration=round(voice.duration, 3))
        self.add_receiver_report(stream, AUDIO_SENT)

    def add_camera(self, camera):
        source = 'SV' + camera.source
        for index, layer in enumerate(camera.layers):
            self.add_layer(camera, index, layer.stream, source)
        self.add('media-source', source, kind='video', trackIdentifier=camera.track, width=camera.width, height=camera.height, frames=camera.frames,
                 framesPerSecond=camera.shown_rate(self.now))
        for layer in camera.layers:
            self.add_receiver_report(layer.stream, VIDEO_SENT)

    def add_layer(self, camera, index, stream, source):
        is_single = len(camera.layers) == 1
        more = {}
        if stream.rid:
            more['rid'] = stream.rid
        if stream.width:
            more.update(frameWidth=stream.width, frameHeight=stream.height)
        frame_rate = self.frame_rate(stream)
        if frame_rate:
            more['framesPerSecond'] = frame_rate
        if stream.target:
            more['targetBitrate'] = int(stream.target)
        if not is_single:
            more['encodingIndex'] = index
        if camera.is_screen:
            more['contentType'] = 'screenshare'
        self.add('outbound-rtp', stream_id('OT01', stream), **self.sent(stream, source, VIDEO_SENT), **more, headerBytesSent=stream.header_bytes,
                 encoderImplementation='libvpx', powerEfficientEncoder=False, scalabilityMode=camera.svc or ('L1T1' if is_single else 'L1T3'),
                 framesEncoded=stream.encoded, framesSent=stream.sent_frames, hugeFramesSent=stream.keys, keyFramesEncoded=stream.keys,
                 pliCount=stream.plis, firCount=0, rtxSsrc=stream.ssrc + 1, qpSum=int(stream.qp), totalEncodeTime=round(stream.encode_time, 4),
                 totalEncodedBytesTarget=0, qualityLimitationReason=camera.reason, qualityLimitationResolutionChanges=camera.size_changes,
                 qualityLimitationDurations={reason: round(seconds, 3) for reason, seconds in camera.durations.items()})

    def frame_rate(self, stream):
        """Frames of the last second."""
        while stream.recent_frames and stream.recent_frames[0] < self.now - 1:
            stream.recent_frames.popleft()
        return len(stream.recent_frames)

    def add_receiver_report(self, stream, codec):
        report = stream.report
        if not report:
            return
        more = dict(packetsReceived=report['received']) if self.is_firefox else {}
        self.add('remote-inbound-rtp', stream_id('RI', stream), self.at(report['time']), codecId=codec, kind=stream.kind, mediaType=stream.kind,
                 ssrc=stream.ssrc, transportId=self.transport_id, jitter=round(report['jitter'], 6), packetsLost=report['lost'],
                 fractionLost=round(int(report['share'] * 256) / 256, 8), localId=stream_id('OT01', stream), roundTripTime=round(report['round_trip'], 6),
                 roundTripTimeMeasurements=stream.reports, totalRoundTripTime=round(stream.total_round_trip, 6), **more)

    # What is received

    def add_received(self, stream):
        source = stream.source
        identifier = stream_id('IT01', source)
        members = self.received(stream)
        members.update(self.received_video(stream) if stream.is_video else self.received_audio(stream))
        self.add('inbound-rtp', identifier, **members)
        if self.engine == 'native':
            repeated = {name: members[name] for name in (TRACK_VIDEO if stream.is_video else TRACK_AUDIO)}
            self.add('track', f'DEPRECATED_TI{stream.track}', kind=source.kind, trackIdentifier=stream.track, remoteSource=True, ended=False, detached=False,
                     **repeated)
        if stream.sender_report:
            arrived, packets, size, sent = stream.sender_report
            self.add('remote-outbound-rtp', stream_id('RO', source), self.at(arrived), codecId=members.get('codecId', VIDEO_RECEIVED), kind=source.kind,
                     mediaType=source.kind, ssrc=source.ssrc, transportId=self.transport_id, packetsSent=packets, bytesSent=size, localId=identifier,
                     remoteTimestamp=round(self.connection.start + sent * 1000 + 37, 3), reportsSent=stream.sender_reports, roundTripTimeMeasurements=0,
                     totalRoundTripTime=0)

    def received(self, stream):
        """The members that audio and video share."""
        source = stream.source
        members = dict(kind=source.kind, mediaType=source.kind, ssrc=source.ssrc, transportId=self.transport_id, mid=source.mid,
                       trackIdentifier=stream.track, jitter=round(stream.jitter, 6 if self.engine == 'native' else 3), packetsLost=stream.lost(),
                       packetsReceived=stream.packets, bytesReceived=stream.bytes, headerBytesReceived=stream.header_bytes, packetsReceivedWithCe=0,
                       packetsReceivedWithEct1=0)
        if stream.newest is not None:
            members['codecId'] = VIDEO_RECEIVED if stream.is_video else AUDIO_RECEIVED
            self.codecs.add(members['codecId'])
        if stream.last_packet is not None:
            members['lastPacketReceivedTimestamp'] = self.at(stream.last_packet)
        if stream.sender_report:
            members['remoteId'] = stream_id('RO', source)
        return members

    def received_video(self, stream):
        members = dict(nackCount=stream.nacks, firCount=0, pliCount=stream.plis, framesReceived=stream.complete, framesDecoded=stream.decoded,
                       framesDropped=stream.dropped, keyFramesDecoded=stream.keys, totalDecodeTime=round(stream.decode_time, 4),
                       freezeCount=stream.freezes, totalFreezesDuration=round(stream.frozen, 3), pauseCount=stream.pauses,
                       totalPausesDuration=round(stream.paused, 3), jitterBufferDelay=round(stream.held, 4), jitterBufferEmittedCount=stream.emitted,
                       jitterBufferTargetDelay=round(stream.targets, 4), jitterBufferMinimumDelay=round(stream.targets, 4),
                       totalInterFrameDelay=round(stream.between, 3), totalSquaredInterFrameDelay=round(stream.between_squared, 5),
                       totalProcessingDelay=round(stream.processing, 4), totalAssemblyTime=round(stream.assembly, 4),
                       framesAssembledFromMultiplePackets=stream.multiple, rtxSsrc=stream.source.ssrc + 1, retransmittedPacketsReceived=stream.repairs,
                       retransmittedBytesReceived=stream.repaired_bytes)
        if stream.decoded:
            members.update(frameWidth=stream.width, frameHeight=stream.height, qpSum=int(stream.qp), decoderImplementation='libvpx',
                           powerEfficientDecoder=False)
        frame_rate = stream.shown_rate(self.now)
        if frame_rate or stream.decoded and self.engine in ('chrome', 'safari'):
            members['framesPerSecond'] = frame_rate
        if stream.source.is_screen and self.engine == 'chrome':
            members['contentType'] = 'screenshare'
        return members

    def received_audio(self, stream):
        members = dict(totalSamplesReceived=stream.samples, concealedSamples=stream.concealed, silentConcealedSamples=stream.silent,
                       concealmentEvents=stream.events, insertedSamplesForDeceleration=stream.inserted, removedSamplesForAcceleration=stream.removed,
                       jitterBufferDelay=round(stream.held, 1), jitterBufferTargetDelay=round(stream.targets, 1),
                       jitterBufferMinimumDelay=round(stream.targets, 1), jitterBufferEmittedCount=stream.emitted, audioLevel=round(stream.loudness, 5),
                       totalAudioEnergy=round(stream.energy, 7), totalSamplesDuration=round(stream.duration, 2), packetsDiscarded=stream.discarded,
                       fecPacketsReceived=0, fecPacketsDiscarded=0, playoutId='AP')
        if self.engine == 'native':
            members['jitterBufferFlushes'] = stream.flushes
        return members

    def add_playout(self):
        self.add('media-playout', 'AP', kind='audio', synthesizedSamplesDuration=0, synthesizedSamplesEvents=0,
                 totalPlayoutDelay=round(self.now * 48000 * .03, 3), totalSamplesCount=int(self.now * 48000), totalSamplesDuration=round(self.now, 2))

    # The transport

    def add_codec(self, codec):
        if codec in (AUDIO_SENT, AUDIO_RECEIVED):
            members = dict(mimeType='audio/opus', payloadType=111, clockRate=48000, channels=2, sdpFmtpLine='minptime=10;useinbandfec=1')
        else:
            members = dict(mimeType=self.connection.video_codec, payloadType=96, clockRate=90000)
        self.add('codec', codec, transportId=self.transport_id, **members)

    def pair_id(self):
        connection = self.connection
        return connection.local_candidate.lower() if self.is_firefox else f'CP{connection.local_candidate}_{connection.remote_candidate}'

    def add_pair(self):
        connection = self.connection
        more = {}
        if connection.round_trip is not None:
            more['currentRoundTripTime'] = round(connection.round_trip, 3)
        if self.is_firefox:
            more.update(selected=True, readable=True)
        self.add('candidate-pair', self.pair_id(), transportId=self.transport_id, localCandidateId=f'I{connection.local_candidate}',
                 remoteCandidateId=f'I{connection.remote_candidate}', priority=9114756780671345663, nominated=True,
                 state='failed' if connection.ice == 'failed' and not self.is_firefox else 'succeeded', writable=connection.ice == 'connected',
                 bytesSent=self.bytes_sent() - connection.before_sent[0] - connection.before_control,
                 bytesReceived=connection.bytes_received() - connection.before_received[0],
                 packetsSent=self.transport.packets - connection.before_sent[1],
                 packetsReceived=self.receiver.packets - connection.before_received[1] + connection.responses,
                 totalRoundTripTime=round(connection.total_round_trip, 4), requestsSent=connection.requests, responsesReceived=connection.responses,
                 requestsReceived=connection.responses, responsesSent=connection.responses, consentRequestsSent=max(0, connection.requests - 1),
                 packetsDiscardedOnSend=0, bytesDiscardedOnSend=0, availableOutgoingBitrate=self.estimate(),
                 lastPacketSentTimestamp=int(connection.start + self.now * 1000 - 8),
                 lastPacketReceivedTimestamp=int(connection.start + max(connection.last_answer, 0) * 1000), **more)

    def bytes_sent(self):
        return self.transport.bytes + self.receiver.bytes_sent

    def estimate(self):
        """Where nothing is sent it stays at the start."""
        return int(self.transport.congestion.estimate if self.connection.microphones or self.connection.cameras else 300000)

    def add_transport(self):
        connection = self.connection
        self.add('transport', self.transport_id, bytesSent=self.bytes_sent(), bytesReceived=connection.bytes_received(),
                 packetsSent=self.transport.packets, packetsReceived=self.receiver.packets + connection.all_responses, dtlsState='connected',
                 dtlsRole='client', iceState=connection.ice, iceRole='controlling', iceLocalUsernameFragment=connection.fragment,
                 selectedCandidatePairId=self.pair_id(), selectedCandidatePairChanges=connection.pair_changes, srtpCipher='AEAD_AES_128_GCM',
                 tlsVersion='FEFD')

    def add_candidates(self):
        connection = self.connection
        self.add('local-candidate', f'I{connection.local_candidate}', transportId=self.transport_id, candidateType='host', address='192.168.1.23',
                 ip='192.168.1.23', port=connection.port, protocol='udp', priority=2122260223, foundation='1821693052', isRemote=False,
                 networkType=connection.network, usernameFragment=connection.fragment)
        self.add('remote-candidate', f'I{connection.remote_candidate}', transportId=self.transport_id, candidateType='host', address='198.51.100.7',
                 ip='198.51.100.7', port=10000, protocol='udp', priority=2015363327, foundation='1', isRemote=True, usernameFragment='Wr3v')
