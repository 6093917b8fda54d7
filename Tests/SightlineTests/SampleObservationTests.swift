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
        var audio = SubscriberAudioNetworkStats(timestamp: 5)
        audio.audioPacketsReceived = 50
        audio.audioPacketsLost = 1
        audio.audioBytesReceived = 6000
        audio.bitrate = 48_000
        audio.jitter = 0.003
        audio.audioLevel = 0
        audio.mos = 4.2
        var video = SubscriberVideoNetworkStats(timestamp: 5)
        video.videoPacketsReceived = 100
        video.videoPacketsLost = 3
        video.videoBytesReceived = 60_000
        video.bitrate = 900_000
        video.jitter = 0.01
        video.width = 640
        video.height = 360
        video.decodedFrameRate = 29.5
        video.freezeCount = 2
        video.totalFreezesDuration = 700
        video.pauseCount = 0
        video.totalPausesDuration = 0
        video.mos = 3.9
        let remote = TransportStats(networkCondition: .good, networkConditionReason: .bandwidth)
        return SubscriberObservation(
            timestamp: 5, video: video, audio: audio,
            mediaLink: .init(
                transport: transport, remotePublisherTransport: remote, networkDegradationSource: .local),
            diagnosis: diagnosis,
            events: [
                .networkConditionChanged(change),
                .videoQualityChanged(VideoQualityChange(.videoInterruption)),
                .callQuality(warning),
            ])
    }

    private static func publisher(layers: Int) -> PublisherObservation {
        var audio = PublisherAudioNetworkStats(timestamp: 5)
        audio.audioPacketsSent = 50
        audio.audioBytesSent = 6000
        audio.bitrate = 48_000
        audio.audioLevel = 0.25
        var video = PublisherVideoNetworkStats(timestamp: 5)
        video.videoPacketsSent = 100
        video.videoPacketsLost = 3
        video.videoBytesSent = 60_000
        video.bitrate = 900_000
        video.framesSent = 30
        video.videoLayers = (1...layers).map { layer in
            PublisherVideoLayerStats(
                rid: layers > 1 ? "r\(layer)" : nil, enabled: layers > 1 ? true : nil, sending: true,
                width: 320 * layer, height: 180 * layer, encodedFrameRate: 30,
                bitrate: layers > 1 ? 300_000 : 900_000, qualityLimitationReason: .bandwidth)
        }
        var link = PublisherMediaLinkStats(transport: transport)
        link.degradationVerdict = .remote
        return PublisherObservation(
            timestamp: 5, video: [video], audio: [audio], mediaLink: [link], diagnosis: diagnosis,
            events: [
                .videoQualityChanged(VideoQualityChange(.qualityDegradationCPU, .recover)),
                .callQuality(warning),
            ])
    }

    @Test("is read back as the subscriber's observation of which it was made")
    func subscriberRoundTrip() {
        let observation = Self.subscriber
        #expect(SubscriberObservation(StreamSample(observation), at: 5) == observation)
    }

    @Test("is read back as the publisher's observation of which it was made", arguments: [1, 2, 3])
    func publisherRoundTrip(layers: Int) {
        let observation = Self.publisher(layers: layers)
        let sample = StreamSample(observation)
        #expect(sample.video?.layers?.count == (layers > 1 ? layers : nil))
        #expect(PublisherObservation(sample, at: 5) == observation)
    }

    @Test("tells of every layer, also of one that sends nothing")
    func layers() {
        var observation = Self.publisher(layers: 3)
        observation.video[0].videoLayers[2].sending = false
        observation.video[0].videoLayers[2].height = nil
        let sample = StreamSample(observation)
        #expect(sample.video?.height == 360)
        #expect(sample.video?.layers?.map(\.height) == [180, 360, nil])
        #expect(sample.video?.layers?.map(\.sending) == [true, true, false])
        #expect(sample.video?.layers?.map(\.rid) == ["r1", "r2", "r3"])
    }

    @Test("in which names stand that no one knows, or nothing at all, is as good as not measured")
    func nonsense() throws {
        var sample = StreamSample()
        #expect(SubscriberObservation(sample, at: 5) == SubscriberObservation(timestamp: 5))
        let json = """
            {"networkCondition": "splendid", "networkConditionReason": "magic", "networkDegradationSource": "you",
             "diagnosis": {"cause": "witchcraft", "direction": "sideways", "side": "you"},
             "events": [
                {"type": "callQuality", "reason": "no such warning", "phase": "trigger", "isAlarm": true},
                {"type": "callQuality", "reason": "frozenVideo", "isAlarm": true},
                {"type": "somethingElse", "reason": "none", "isAlarm": false},
                {"type": "networkConditionChanged", "reason": "none", "isAlarm": false, "from": "a", "to": "b"}]}
            """
        sample = try JSONDecoder().decode(StreamSample.self, from: Data(json.utf8))
        #expect(SubscriberObservation(sample, at: 5) == SubscriberObservation(timestamp: 5))
        #expect(
            PublisherObservation(sample, at: 5)
                == PublisherObservation(timestamp: 5, mediaLink: [PublisherMediaLinkStats()]))
    }
}
