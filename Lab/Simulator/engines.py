# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What each engine makes of `getStats()`.

Which members of W3C "Identifiers for WebRTC's Statistics API" an engine has, how it names its entries and how
it rounds. Native is libwebrtc M109 with the statistics of that time (`track` entries, long identifiers).
"""
import hashlib

#: What native repeats in its `track` entries.
TRACK_MEMBERS = (
    'trackIdentifier', 'jitterBufferDelay', 'jitterBufferEmittedCount', 'concealedSamples',
    'silentConcealedSamples', 'totalSamplesReceived', 'audioLevel', 'framesReceived', 'framesDecoded',
    'framesDropped', 'freezeCount', 'totalFreezesDuration', 'pauseCount', 'frameWidth', 'frameHeight')


def digest(*parts):
    """The start of a hash, as Firefox and Chrome make identifiers."""
    return hashlib.md5('/'.join(map(str, parts)).encode()).hexdigest()[:8]


class Engine:
    """An engine of Chrome's descent, without what is Chrome's alone."""
    name = ''
    is_firefox = False
    video_codec, video_payload = 'video/VP8', 96
    audio_payload = 111
    transport = 'T01'
    peer_connection = 'P'
    #: The digits of a time in milliseconds; `None` for whole ones.
    timestamp_digits = 3
    #: `encoderImplementation`; `None` if it is not said.
    encoder = 'libvpx'
    has_media_sources = True
    has_inbound_mid = True
    has_frame_rate = True
    has_limitation = True
    has_freezes = True
    has_transport = True
    has_network_type = True
    has_video_sender_reports = True
    #: Whether `totalPacketSendDelay` of audio is more than 0.
    has_audio_send_delay = False
    #: Whether a frame rate of 0 is absent.
    hides_zero_frame_rate = True

    def timestamp(self, milliseconds):
        """A time as its entries give it."""
        return round(milliseconds, self.timestamp_digits)

    # Identifiers.

    def source_id(self, call, stream):
        return f"S{'A' if stream.kind == 'audio' else 'V'}{stream.source}"

    def stream_id(self, call, which, stream):
        """The identifier of an entry: `o` outbound, `i` inbound, `ri` and `ro` for the remote ones."""
        prefix = {'o': 'OT01', 'i': 'IT01', 'ri': 'RI', 'ro': 'RO'}[which]
        return f"{prefix}{'A' if stream.kind == 'audio' else 'V'}{stream.ssrc}"

    def codec_id(self, call, payload, direction, mid):
        return f"C{'O' if direction == 'Outbound' else 'I'}T01_{payload}"

    def path_ids(self, call):
        """The identifiers of local candidate, remote candidate and pair."""
        local, remote = digest(call.name, f'{call.pair.name}-l'), digest(call.name, f'{call.pair.name}-r')
        return f'I{local}', f'I{remote}', f'CP{local}_{remote}'

    # Members and entries beside those that all engines have.

    def packets_received(self, stream):
        return stream.packets_received

    def extend_audio_source(self, entry, stream):
        entry.update(
            audioLevel=round(stream.level, 6), totalAudioEnergy=round(stream.source_energy, 9),
            totalSamplesDuration=round(stream.source_duration, 2))

    def extend_sent_video(self, call, entry, stream):
        self.extend_encoded(entry, stream)
        if stream.frames_encoded and stream.target > 0:
            entry['targetBitrate'] = int(stream.target)
        if self.encoder:
            entry['encoderImplementation'] = self.encoder

    def extend_encoded(self, entry, stream):
        """What Firefox has as well."""
        entry.update(
            keyFramesEncoded=stream.key_frames_encoded, totalPacketSendDelay=round(stream.send_delay, 3))
        if self.has_limitation:
            durations = {reason: round(time, 3) for reason, time in stream.limitation_durations.items()}
            entry.update(
                qualityLimitationReason=stream.limitation, qualityLimitationDurations=durations,
                qualityLimitationResolutionChanges=stream.size_changes)

    def extend_received_audio(self, entry, stream):
        """Adds members of its own."""

    def extend_received_video(self, entry, stream):
        """Adds members of its own."""

    def extend_pair(self, entry):
        """Adds members of its own."""

    def add_track(self, report, inbound):
        """Adds the entry of a received track, where the engine still has such."""

    def add_others(self, report):
        """Adds entries of its own."""


class Chrome(Engine):
    """Chrome of today."""
    name = 'chrome'

    def packets_received(self, stream):
        """Counts retransmissions as well."""
        return stream.packets_received + stream.retransmitted_packets_received

    def extend_audio_source(self, entry, stream):
        super().extend_audio_source(entry, stream)
        if stream.is_capturing:
            entry.update(echoReturnLoss=-30, echoReturnLossEnhancement=.18)

    def extend_sent_video(self, call, entry, stream):
        super().extend_sent_video(call, entry, stream)
        entry['powerEfficientEncoder'] = False
        entry['scalabilityMode'] = 'L3T3_KEY' if call.svc else 'L1T2' if stream.rid else 'L1T1'
        entry['rtxSsrc'] = stream.ssrc + 1

    def extend_received_audio(self, entry, stream):
        entry.update(
            jitterBufferTargetDelay=round(stream.buffer_target, 1),
            jitterBufferMinimumDelay=round(stream.buffer_target * .9, 1), playoutId='AP',
            totalProcessingDelay=round(stream.buffer_delay * 1.01, 1))

    def extend_received_video(self, entry, stream):
        entry.update(
            jitterBufferTargetDelay=round(stream.buffer_target, 3),
            jitterBufferMinimumDelay=round(stream.buffer_target * .9, 3),
            framesAssembledFromMultiplePackets=stream.frames_of_many_packets,
            totalAssemblyTime=round(stream.assembly_time, 3),
            decoderImplementation=stream.hardware_decoder or 'libvpx',
            powerEfficientDecoder=bool(stream.hardware_decoder),
            retransmittedPacketsReceived=stream.retransmitted_packets_received,
            retransmittedBytesReceived=stream.retransmitted_bytes_received, rtxSsrc=stream.ssrc + 1)

    def extend_pair(self, entry):
        entry.update(packetsDiscardedOnSend=0, bytesDiscardedOnSend=0)

    def add_others(self, report):
        if any(stream.kind == 'audio' for stream in report.call.inbound):
            now = report.call.now
            report.add(
                'media-playout', 'AP', kind='audio', synthesizedSamplesDuration=0, synthesizedSamplesEvents=0,
                totalPlayoutDelay=round(now * 48000 * .03, 1), totalSamplesCount=int(now * 48000),
                totalSamplesDuration=round(now, 2))


class Safari(Engine):
    """Safari."""
    name = 'safari'
    video_codec, video_payload = 'video/H264', 98
    timestamp_digits = None
    encoder = None
    has_network_type = False


class Native(Engine):
    """An app with libwebrtc M109."""
    name = 'native'
    transport = 'RTCTransport_0_1'
    peer_connection = 'RTCPeerConnection'
    has_video_sender_reports = False
    has_audio_send_delay = True
    hides_zero_frame_rate = False

    def source_id(self, call, stream):
        return f'RTC{stream.kind.capitalize()}Source_{stream.source}'

    def stream_id(self, call, which, stream):
        names = {'o': 'OutboundRTP', 'i': 'InboundRTP', 'ri': 'RemoteInboundRtp', 'ro': 'RemoteOutboundRTP'}
        return f'RTC{names[which]}{stream.kind.capitalize()}Stream_{stream.ssrc}'

    def codec_id(self, call, payload, direction, mid):
        return f'RTCCodec_{mid}_{direction}_{payload}'

    def extend_received_video(self, entry, stream):
        entry['decoderImplementation'] = stream.hardware_decoder or 'libvpx'

    def add_track(self, report, inbound):
        identifier = f"RTCMediaStreamTrack_receiver_{inbound['ssrc']}"
        entry = report.add(
            'track', identifier, kind=inbound['kind'], remoteSource=True, ended=False, detached=False)
        for member in TRACK_MEMBERS:
            if member in inbound:
                entry[member] = inbound[member]
        inbound['trackId'] = identifier


class Firefox(Engine):
    """Firefox of today."""
    name = 'firefox'
    is_firefox = True
    video_payload = 120
    audio_payload = 109
    transport = 'transport_0'
    timestamp_digits = None
    has_network_type = False
    hides_zero_frame_rate = False

    def source_id(self, call, stream):
        return digest(call.name, 'src', stream.source)

    def stream_id(self, call, which, stream):
        return digest(call.name, which, stream.ssrc)

    def codec_id(self, call, payload, direction, mid):
        return digest(call.name, 'codec', payload, direction)

    def path_ids(self, call):
        name = call.pair.name
        return digest(call.name, f'{name}-l'), digest(call.name, f'{name}-r'), digest(call.name, name)

    def extend_audio_source(self, entry, stream):
        """Says no level."""

    def extend_sent_video(self, call, entry, stream):
        self.extend_encoded(entry, stream)


class OlderFirefox(Firefox):
    """A Firefox that says nothing of limitations, freezes and transports."""
    name = 'firefox-older'
    has_limitation = False
    has_freezes = False
    has_transport = False


class OldestFirefox(OlderFirefox):
    """A Firefox without media sources, media sections and frame rates."""
    name = 'firefox-oldest'
    has_media_sources = False
    has_inbound_mid = False
    has_frame_rate = False

    def extend_sent_video(self, call, entry, stream):
        """Says nothing of key frames."""

    def extend_received_audio(self, entry, stream):
        del entry['fecPacketsDiscarded'], entry['audioLevel']


ENGINES = {engine.name: engine for engine in (
    Chrome(), Safari(), Native(), Firefox(), OlderFirefox(), OldestFirefox())}
