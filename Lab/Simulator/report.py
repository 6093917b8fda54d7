# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""One report of `getStats()`: what all engines have of W3C "Identifiers for WebRTC's Statistics API".

Members that only some have are added by `engines.py`.
"""
from video import count_last_second

#: The types of which older Firefoxes say no transport.
RTP = ('inbound-rtp', 'outbound-rtp', 'remote-inbound-rtp', 'remote-outbound-rtp')


class Report:
    """The entries of one report of a call."""

    def __init__(self, call, timestamp):
        self.engine = engine = call.engine
        self.call, self.timestamp = call, timestamp
        self.entries = []
        self._add_sources()
        for stream in call.outbound:
            self._add_sent(stream)
        for stream in call.inbound:
            if stream.first_sequence is not None or engine.is_firefox or stream.is_announced:
                self._add_received(stream)
        self._add_path()
        engine.add_others(self)

    def add(self, type_, identifier, **members):
        """Adds an entry."""
        entry = dict(id=identifier, timestamp=self.timestamp, type=type_)
        entry.update(members)
        if type_ in RTP and not self.engine.has_transport:
            del entry['transportId']
        self.entries.append(entry)
        return entry

    def _has(self, identifier):
        return any(entry['id'] == identifier for entry in self.entries)

    def _codec(self, stream, direction):
        """The identifier of the stream's codec, whose entry is added if it is the first of it."""
        engine, call = self.engine, self.call
        if stream.kind == 'audio':
            name, payload, rate = 'audio/opus', engine.audio_payload, 48000
        elif call.svc:
            name, payload, rate = 'video/VP9', 98, 90000
        else:
            name, payload, rate = engine.video_codec, engine.video_payload, 90000
        identifier = engine.codec_id(call, payload, direction, stream.mid)
        if not self._has(identifier):
            entry = self.add('codec', identifier, mimeType=name, payloadType=payload, clockRate=rate,
                             transportId=engine.transport)
            if stream.kind == 'audio':
                entry['channels'] = 2
                entry['sdpFmtpLine'] = 'minptime=10;useinbandfec=1'
        return identifier

    def _add_sources(self):
        if not self.engine.has_media_sources:
            return
        for stream in self.call.outbound:
            identifier = self.engine.source_id(self.call, stream)
            device = 'mic' if stream.kind == 'audio' else 'cam'
            track = self.call.identifier(f'{device}{stream.mid}{stream.generation}')
            if stream.kind == 'audio':
                entry = self.add('media-source', identifier, kind='audio', trackIdentifier=track)
                self.engine.extend_audio_source(entry, stream)
            elif not self._has(identifier):
                self._add_video_source(identifier, track, stream.camera)

    def _add_video_source(self, identifier, track, camera):
        entry = self.add('media-source', identifier, kind='video', trackIdentifier=track, width=camera.width,
                         height=camera.height, frames=camera.frames)
        fps = count_last_second(camera.times, self.call.now)
        if fps or not self.engine.hides_zero_frame_rate:
            entry['framesPerSecond'] = fps

    # What is sent.

    def _add_sent(self, stream):
        engine, call = self.engine, self.call
        identifier = engine.stream_id(call, 'o', stream)
        entry = self.add('outbound-rtp', identifier, kind=stream.kind, ssrc=stream.ssrc,
                         transportId=engine.transport, codecId=self._codec(stream, 'Outbound'),
                         packetsSent=stream.packets_sent, bytesSent=stream.bytes_sent)
        if not engine.is_firefox:
            entry['mid'] = stream.mid
        entry['mediaType'] = stream.kind
        if engine.has_media_sources:
            entry['mediaSourceId'] = engine.source_id(call, stream)
        entry.update(headerBytesSent=stream.header_bytes_sent,
                     retransmittedPacketsSent=stream.retransmitted_packets_sent,
                     retransmittedBytesSent=stream.retransmitted_bytes_sent, nackCount=stream.nacks)
        remote = engine.stream_id(call, 'ri', stream)
        if stream.receiver_report:
            entry['remoteId'] = remote
        if not engine.is_firefox:
            entry['active'] = stream.kind == 'audio' or stream.is_active
        if stream.kind == 'video':
            self._extend_sent_video(entry, stream)
        elif not engine.is_firefox:
            delay = round(stream.packets_sent * .0001, 4) if engine.has_audio_send_delay else 0
            entry.update(targetBitrate=int(stream.bitrate), totalPacketSendDelay=delay)
        if stream.receiver_report:
            self._add_receiver_report(stream, remote, identifier)

    def _extend_sent_video(self, entry, stream):
        engine = self.engine
        fps = count_last_second(stream.encoded_times, self.call.now)
        entry.update(framesEncoded=stream.frames_encoded, framesSent=stream.frames_encoded,
                     hugeFramesSent=stream.huge_frames, firCount=0, pliCount=stream.plis_received,
                     qpSum=int(stream.qp_sent), totalEncodeTime=round(stream.encode_time, 3),
                     totalEncodedBytesTarget=0)
        if stream.sent_width and (fps or engine.is_firefox):
            entry.update(frameWidth=stream.sent_width, frameHeight=stream.sent_height)
        if engine.has_frame_rate and (fps or engine.is_firefox):
            entry['framesPerSecond'] = fps
        if stream.rid:
            entry['rid'] = stream.rid
        engine.extend_sent_video(self.call, entry, stream)

    def _add_receiver_report(self, stream, identifier, local):
        report, is_firefox = stream.receiver_report, self.engine.is_firefox
        entry = self.add('remote-inbound-rtp', identifier, kind=stream.kind, ssrc=stream.ssrc, localId=local,
                         transportId=self.engine.transport, packetsLost=report.lost,
                         fractionLost=round(report.fraction_lost, 4), jitter=round(report.jitter, 5),
                         roundTripTime=round(report.round_trip_time, 5),
                         totalRoundTripTime=round(stream.total_round_trip_time, 5),
                         roundTripTimeMeasurements=stream.receiver_reports)
        entry['timestamp'] = self._time(report.received)
        if is_firefox:
            entry['packetsReceived'] = stream.packets_received
        else:
            entry['codecId'] = self._codec(stream, 'Outbound')

    def _time(self, time):
        """When a report came, as an entry gives it."""
        return round(self.call.begin + time * 1000, 0 if self.engine.is_firefox else 3)

    # What is received.

    def _add_received(self, stream):
        engine, call = self.engine, self.call
        identifier = engine.stream_id(call, 'i', stream)
        entry = self.add(
            'inbound-rtp', identifier, kind=stream.kind, mediaType=stream.kind, ssrc=stream.ssrc,
            transportId=engine.transport, jitter=round(stream.jitter, 3 if engine.is_firefox else 6),
            packetsLost=stream.lost, packetsReceived=engine.packets_received(stream),
            bytesReceived=stream.bytes_received, headerBytesReceived=stream.header_bytes_received,
            trackIdentifier=call.identifier(f'rx{stream.ssrc}'))
        if stream.first_sequence is not None:
            entry['codecId'] = self._codec(stream, 'Inbound')
            entry['lastPacketReceivedTimestamp'] = round(call.begin + stream.last_arrival * 1000, 3)
        if engine.has_inbound_mid:
            entry['mid'] = stream.mid
        if stream.kind == 'audio':
            self._extend_received_audio(entry, stream)
        else:
            self._extend_received_video(entry, stream)
        if stream.sender_report and (stream.kind == 'audio' or engine.has_video_sender_reports):
            self._add_sender_report(entry, stream)
        engine.add_track(self, entry)

    def _extend_received_audio(self, entry, stream):
        entry.update(
            concealedSamples=stream.concealed, silentConcealedSamples=stream.silent_concealed,
            concealmentEvents=stream.concealment_events, insertedSamplesForDeceleration=stream.inserted,
            removedSamplesForAcceleration=stream.removed, totalSamplesReceived=stream.samples,
            totalSamplesDuration=round(stream.played_duration, 2),
            totalAudioEnergy=round(stream.played_energy, 9),
            audioLevel=round(stream.played_level, 5),
            jitterBufferDelay=round(stream.buffer_delay, 1),
            jitterBufferEmittedCount=stream.buffer_emitted, packetsDiscarded=stream.discarded_packets,
            fecPacketsReceived=stream.restored_packets, fecPacketsDiscarded=0)
        self.engine.extend_received_audio(entry, stream)

    def _extend_received_video(self, entry, stream):
        engine = self.engine
        fps = count_last_second(stream.rendered_times, self.call.now)
        entry.update(
            framesReceived=stream.frames_received, framesDecoded=stream.frames_decoded,
            framesDropped=stream.frames_dropped, totalDecodeTime=round(stream.decode_time, 3),
            totalInterFrameDelay=round(stream.frame_delay, 3),
            totalSquaredInterFrameDelay=round(stream.squared_frame_delay, 4),
            nackCount=stream.nacks, pliCount=stream.plis_sent, firCount=0,
            totalProcessingDelay=round(stream.processing_delay, 3),
            jitterBufferDelay=round(stream.buffer_delay, 3),
            jitterBufferEmittedCount=stream.buffer_emitted)
        if stream.frames_decoded:
            entry.update(frameWidth=stream.received_width, frameHeight=stream.received_height,
                         qpSum=int(stream.qp_received))
            if engine.has_frame_rate and (fps or not engine.hides_zero_frame_rate):
                entry['framesPerSecond'] = fps
        if engine.has_freezes:
            entry.update(freezeCount=stream.freezes, totalFreezesDuration=round(stream.freeze_time, 3),
                         pauseCount=stream.pauses, totalPausesDuration=round(stream.pause_time, 3))
        if not engine.is_firefox:
            entry['keyFramesDecoded'] = stream.key_frames_decoded
        engine.extend_received_video(entry, stream)

    def _add_sender_report(self, local, stream):
        call, report = self.call, stream.sender_report
        identifier = self.engine.stream_id(call, 'ro', stream)
        local['remoteId'] = identifier
        entry = self.add(
            'remote-outbound-rtp', identifier, kind=stream.kind, ssrc=stream.ssrc, localId=local['id'],
            packetsSent=report.packets, bytesSent=report.bytes,
            remoteTimestamp=self._time(report.sent + call.remote_clock),
            transportId=self.engine.transport)
        if not self.engine.is_firefox:
            entry.update(reportsSent=stream.sender_reports, roundTripTimeMeasurements=0, totalRoundTripTime=0)
        entry['timestamp'] = self._time(report.received)

    # The path.

    def _add_path(self):
        engine, call, pair = self.engine, self.call, self.call.pair
        local, remote, selected = engine.path_ids(call)
        sent, received = call.bytes
        entry = self.add(
            'candidate-pair', selected, transportId=engine.transport, localCandidateId=local,
            remoteCandidateId=remote, state='succeeded', nominated=True, priority=9114756780671369000,
            bytesSent=sent - pair.bytes_before[0], bytesReceived=received - pair.bytes_before[1])
        if engine.is_firefox:
            entry.update(
                selected=True, readable=True, writable=True,
                lastPacketSentTimestamp=round(call.begin + call.now * 1000),
                lastPacketReceivedTimestamp=round(call.begin + call.last_packet * 1000),
                componentId=1)
        else:
            self._extend_pair(entry, pair)
        self._add_candidates(local, remote)
        if engine.has_transport:
            self._add_transport(selected)
        if not engine.is_firefox:
            self.add('peer-connection', engine.peer_connection, dataChannelsOpened=0, dataChannelsClosed=0)

    def _extend_pair(self, entry, pair):
        call = self.call
        sent, received = call.packets
        entry.update(
            writable=call.is_connected, packetsSent=sent - pair.packets_before[0],
            packetsReceived=received - pair.packets_before[1],
            requestsSent=pair.requests, responsesReceived=pair.responses, requestsReceived=pair.requests,
            responsesSent=pair.requests, consentRequestsSent=pair.requests,
            totalRoundTripTime=round(pair.total_round_trip_time, 4))
        if pair.responses:
            entry['currentRoundTripTime'] = round(pair.round_trip_time, 3)
        entry['availableOutgoingBitrate'] = int(call.sent.congestion.estimate) if call.sent else 300000
        self.engine.extend_pair(entry)

    def _add_candidates(self, local, remote):
        engine, call = self.engine, self.call
        entry = self.add('local-candidate', local, candidateType=call.candidate_type, protocol='udp',
                         port=50123, priority=2122252543, transportId=engine.transport, address='192.0.2.10')
        if call.relay_protocol:
            entry.update(relayProtocol=call.relay_protocol, priority=8265471,
                         url=f'turn:turn.example.net:443?transport={call.relay_protocol}')
        if engine.has_network_type:
            entry['networkType'] = call.pair.network
        self.add('remote-candidate', remote, candidateType='host' if call.topology == 'sfu' else 'srflx',
                 protocol='udp', port=10000, priority=2130706431, address='203.0.113.9',
                 transportId=engine.transport)

    def _add_transport(self, selected):
        engine, call = self.engine, self.call
        entry = self.add('transport', engine.transport, bytesSent=call.bytes[0], bytesReceived=call.bytes[1],
                         packetsSent=call.packets[0], packetsReceived=call.packets[1], dtlsState='connected',
                         selectedCandidatePairId=selected)
        if not engine.is_firefox:
            entry.update(
                iceState='connected' if call.is_connected else 'disconnected', iceRole='controlling',
                iceLocalUsernameFragment=call.pair.ufrag, selectedCandidatePairChanges=call.pair_changes,
                tlsVersion='FEFD', srtpCipher='AES_CM_128_HMAC_SHA1_80', dtlsRole='client')
