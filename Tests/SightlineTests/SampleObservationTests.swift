// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import SessionWire
import Testing

@Suite("A telemetry sample")
struct SampleObservationTests {
    private static var transport: TransportStats {
        TransportStats(
            connectionEstimatedBandwidth: 2e6, networkCondition: .fair, networkConditionReason: .packetLoss,
            roundTripTime: 0.04, fractionLost: 0.02, bandwidthDemand: 1e6)
    }
    private static let diagnosis = Diagnosis(
        cause: .packetLoss, direction: .downlink, side: .local, severity: .bad)
    private static let warning = CallQualityWarning(
        kind: .frozenVideo, phase: .recover, media: .video, direction: .inbound)
    private static let change = NetworkConditionChange(side: .remote, from: .excellent, to: .fair)

    private static var subscriber: SubscriberObservation {
        var audio = MediaFigures()
        audio.packets = 50
        audio.packetsLost = 1
        audio.bytes = 6000
        audio.bitrate = 48_000
        audio.jitter = 0.003
        audio.audioLevel = 0
        audio.mos = 4.2
        var video = MediaFigures()
        video.packets = 100
        video.packetsLost = 3
        video.bytes = 60_000
        video.bitrate = 900_000
        video.jitter = 0.01
        video.width = 640
        video.height = 360
        video.frameRate = 29.5
        video.freezeCount = 2
        video.totalFreezesDuration = 700
        video.pauseCount = 0
        video.totalPausesDuration = 0
        video.mos = 3.9
        let remote = TransportStats(networkCondition: .good, networkConditionReason: .bandwidth)
        return SubscriberObservation(
            timestamp: 5, video: video, audio: audio,
            videoDetails: MediaDetails(startTime: 1, totalBitrate: 950_000, roundTripTime: 0.05),
            audioDetails: MediaDetails(startTime: 2, totalBitrate: 60_000, roundTripTime: 0.05),
            senderStats: SenderStats(connectionEstimatedBandwidth: 3e6),
            transport: transport, remotePublisherTransport: remote, networkDegradationSource: .local,
            diagnosis: diagnosis,
            events: [
                .networkConditionChanged(change),
                .videoQualityChanged(VideoQualityChange(.videoInterruption)),
                .callQuality(warning),
            ])
    }

    private static func publisher(layers: Int) -> PublisherObservation {
        var audio = MediaFigures()
        audio.packets = 50
        audio.bytes = 6000
        audio.bitrate = 48_000
        audio.audioLevel = 0.25
        var video = MediaFigures()
        video.packets = 100
        video.packetsLost = 3
        video.bytes = 60_000
        video.bitrate = 900_000
        video.framesSent = 30
        var leg = PublishedLeg(timestamp: 5, transport: transport)
        leg.degradationVerdict = .remote
        leg.layers = (1...layers).map { layer in
            LayerObservation(
                figures: LayerFigures(
                    rid: layers > 1 ? "r\(layer)" : nil, enabled: layers > 1 ? true : nil, sending: true,
                    width: 320 * layer, height: 180 * layer, frameRate: 30,
                    bitrate: layers > 1 ? 300_000 : 900_000),
                qualityLimitationReason: .bandwidth, codec: "VP8")
        }
        video.take(leg.layers)
        leg.audio = audio
        leg.video = video
        leg.videoDetails = MediaDetails(startTime: 1, totalBitrate: 950_000, roundTripTime: 0.05)
        return PublisherObservation(
            timestamp: 5, legs: [leg], diagnosis: diagnosis,
            events: [
                .videoQualityChanged(VideoQualityChange(.qualityDegradationCPU, .recover)),
                .callQuality(warning),
            ])
    }

    @Test("holds what a subscriber's observation says")
    func ofSubscriber() throws {
        let sample = StreamSample(Self.subscriber)
        #expect(TransportStats(sample) == Self.transport)
        #expect(sample.remoteNetworkCondition == .good && sample.remoteNetworkConditionReason == .bandwidth)
        #expect(sample.networkDegradationSource == .local && sample.diagnosis == Self.diagnosis)
        #expect(sample.events == Self.subscriber.events)
        let audio = try #require(sample.audio)
        #expect(audio.packets == 50 && audio.packetsLost == 1 && audio.bytes == 6000)
        #expect(audio.bitrate == 48_000 && audio.jitter == 0.003 && audio.audioLevel == 0 && audio.mos == 4.2)
        let video = try #require(sample.video)
        #expect(video.packets == 100 && video.packetsLost == 3 && video.bytes == 60_000)
        #expect(video.bitrate == 900_000 && video.jitter == 0.01 && video.mos == 3.9)
        #expect(video.width == 640 && video.height == 360 && video.frameRate == 29.5 && video.layers == nil)
        #expect(video.freezeCount == 2 && video.totalFreezesDuration == 700)
        #expect(video.pauseCount == 0 && video.totalPausesDuration == 0)
    }

    @Test("has the figures that the callbacks of a subscriber carry")
    func statisticsOfSubscriber() throws {
        let observation = Self.subscriber
        let audio = try #require(SubscriberAudioNetworkStats(observation))
        #expect(audio.timestamp == 5 && audio.startTime == 2 && audio.senderStats == observation.senderStats)
        #expect(audio.audioPacketsReceived == 50 && audio.audioPacketsLost == 1)
        #expect(audio.audioBytesReceived == 6000 && audio.bitrate == 48_000 && audio.totalBitrate == 60_000)
        #expect(audio.jitter == 0.003 && audio.roundTripTime == 0.05 && audio.audioLevel == 0)
        #expect(audio.mos == 4.2 && audio.concealment == nil && audio.codec == nil)
        let video = try #require(SubscriberVideoNetworkStats(observation))
        #expect(video.timestamp == 5 && video.startTime == 1 && video.senderStats == observation.senderStats)
        #expect(video.videoPacketsReceived == 100 && video.videoPacketsLost == 3)
        #expect(video.videoBytesReceived == 60_000 && video.bitrate == 900_000)
        #expect(video.totalBitrate == 950_000 && video.jitter == 0.01 && video.roundTripTime == 0.05)
        #expect(video.width == 640 && video.height == 360 && video.decodedFrameRate == 29.5)
        #expect(video.freezeCount == 2 && video.totalFreezesDuration == 700 && video.mos == 3.9)
        #expect(video.pauseCount == 0 && video.totalPausesDuration == 0 && video.avSync == nil)
        let link = SubscriberMediaLinkStats(observation)
        #expect(link.transport == Self.transport && link.networkDegradationSource == .local)
        #expect(link.remotePublisherTransport == observation.remotePublisherTransport)
        let silent = SubscriberObservation(timestamp: 5)
        #expect(SubscriberAudioNetworkStats(silent) == nil && SubscriberVideoNetworkStats(silent) == nil)
    }

    @Test("holds what a publisher's observation says", arguments: [1, 2, 3])
    func ofPublisher(layers: Int) throws {
        let observation = Self.publisher(layers: layers)
        let sample = StreamSample(observation)
        #expect(TransportStats(sample) == Self.transport)
        #expect(sample.networkDegradationSource == .remote && sample.diagnosis == Self.diagnosis)
        #expect(sample.events == observation.events)
        #expect(
            sample.audio?.packets == 50 && sample.audio?.bytes == 6000 && sample.audio?.audioLevel == 0.25)
        let video = try #require(sample.video)
        #expect(video.packets == 100 && video.packetsLost == 3 && video.framesSent == 30)
        #expect(video.width == 320 * layers && video.height == 180 * layers && video.frameRate == 30)
        #expect(video.qualityLimitationReason == .bandwidth)
        #expect(video.layers?.count == (layers > 1 ? layers : nil))
    }

    @Test("has the figures that the callbacks of a publisher carry", arguments: [1, 3])
    func statisticsOfPublisher(layers: Int) throws {
        var leg = Self.publisher(layers: layers).legs[0]
        (leg.connectionId, leg.subscriberId) = ("c", "s")
        let audio = try #require(PublisherAudioNetworkStats(leg))
        #expect(audio.timestamp == 5 && audio.connectionId == "c" && audio.subscriberId == "s")
        #expect(audio.audioPacketsSent == 50 && audio.audioBytesSent == 6000 && audio.audioPacketsLost == nil)
        #expect(audio.bitrate == 48_000 && audio.audioLevel == 0.25 && audio.transport == Self.transport)
        let video = try #require(PublisherVideoNetworkStats(leg))
        #expect(video.timestamp == 5 && video.connectionId == "c" && video.subscriberId == "s")
        #expect(video.videoPacketsSent == 100 && video.videoPacketsLost == 3)
        #expect(video.videoBytesSent == 60_000)
        #expect(video.startTime == 1 && video.bitrate == 900_000 && video.totalBitrate == 950_000)
        #expect(video.roundTripTime == 0.05 && video.framesSent == 30 && video.transport == Self.transport)
        let largest = try #require(video.videoLayers.last)
        #expect(video.videoLayers.count == layers && largest.rid == (layers > 1 ? "r3" : nil))
        #expect(largest.width == 320 * layers && largest.encodedFrameRate == 30 && largest.codec == "VP8")
        #expect(largest.sending == true && largest.qualityLimitationReason == .bandwidth)
        let link = PublisherMediaLinkStats(leg)
        #expect(link.transport == Self.transport && link.degradationVerdict == .remote)
        #expect(link.connectionId == "c" && link.subscriberId == "s")
        let silent = PublishedLeg(timestamp: 5)
        #expect(PublisherAudioNetworkStats(silent) == nil && PublisherVideoNetworkStats(silent) == nil)
    }

    @Test("of all connections of a publisher has the sums of what is counted, and no sum that traps")
    func total() {
        var observation = Self.publisher(layers: 1)
        observation.legs += observation.legs
        observation.legs[1].video?.bitrate = 100_000
        observation.legs[1].video?.packetsLost = nil
        observation.legs[1].audio?.packets = .max
        let sample = StreamSample(total: observation)
        #expect(sample.video?.packets == 200 && sample.video?.packetsLost == 3)
        #expect(sample.video?.bitrate == 1_000_000 && sample.video?.height == 180)
        // More than a stream can send: absent, like every other impossible figure.
        #expect(sample.audio != nil && sample.audio?.packets == nil)
        #expect(StreamSample(observation).video?.packets == 100)
        #expect(StreamSample(total: PublisherObservation(timestamp: 5)).video == nil)
    }

    @Test("tells of every layer, also of one that sends nothing")
    func layers() {
        var observation = Self.publisher(layers: 3)
        var layers = observation.legs[0].layers
        layers[2].figures.sending = false
        layers[2].figures.height = nil
        observation.legs[0].video?.take(layers)
        let sample = StreamSample(observation)
        #expect(sample.video?.height == 360)
        #expect(sample.video?.layers?.map(\.height) == [180, 360, nil])
        #expect(sample.video?.layers?.map(\.sending) == [true, true, false])
        #expect(sample.video?.layers?.map(\.rid) == ["r1", "r2", "r3"])
    }

    @Test("in which names stand that no one knows, or nothing at all, is as good as not measured")
    func nonsense() throws {
        let json = """
            {"networkCondition": "splendid", "networkConditionReason": "magic", "networkDegradationSource": "you",
             "diagnosis": {"cause": "witchcraft", "direction": "sideways", "side": "you"},
             "events": [
                {"type": "callQuality", "reason": "no such warning", "phase": "trigger", "isAlarm": true},
                {"type": "callQuality", "reason": "frozenVideo", "isAlarm": true},
                {"type": "somethingElse", "reason": "none", "isAlarm": false},
                {"type": "networkConditionChanged", "reason": "none", "isAlarm": false, "from": "a", "to": "b"}]}
            """
        let sample = try JSONDecoder().decode(StreamSample.self, from: Data(json.utf8))
        #expect(
            TransportStats(sample) == TransportStats() && TransportStats(StreamSample()) == TransportStats())
        #expect(sample.networkDegradationSource == nil && (sample.events ?? []).isEmpty)
        #expect(sample.diagnosis?.cause ?? .unknown == .unknown && sample.diagnosis?.side == nil)
    }
}
