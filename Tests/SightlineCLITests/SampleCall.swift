// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import Sightline

@testable import SightlineCLI

/// A synthetic second of a call, with every figure there is.
enum SampleCall {
    static let time = 1_790_000_000_000.0

    static var events: [CallEvent] {
        [
            event(nil, "alice", .life(type: "sessionDidConnect", message: nil)),
            event(nil, "bob", .life(type: "streamCreated", message: "alice")),
            event(.publisher, "alice", .judgement(Diagnosis(cause: .none), .five)),
            event(.subscriber, "bob", .judgement(problem, .three)),
            event(.publisher, "alice", .publisherVideo([publisherVideo])),
            event(.publisher, "alice", .publisherAudio([publisherAudio])),
            event(.publisher, "alice", .publisherMediaLink([PublisherMediaLinkStats(transport: transport)])),
            event(.subscriber, "bob", .subscriberVideo(subscriberVideo)),
            event(.subscriber, "bob", .subscriberAudio(subscriberAudio)),
            event(.subscriber, "bob", .subscriberMediaLink(subscriberLink)),
            event(
                .publisher, "alice",
                .publisherQuality(publisherVideo, VideoQualityChange(.qualityDegradationBandwidth))),
            event(
                .publisher, "alice",
                .publisherCondition(
                    PublisherMediaLinkStats(transport: transport),
                    NetworkConditionChange(
                        from: .excellent, to: transport.networkCondition,
                        reason: transport.networkConditionReason,
                        localCondition: transport.networkCondition))),
            event(
                .subscriber, "bob",
                .subscriberQuality(subscriberVideo, VideoQualityChange(.videoInterruption, .recover))),
            event(
                .subscriber, "bob",
                .subscriberCondition(
                    subscriberLink,
                    NetworkConditionChange(
                        side: .remote, from: .good, to: .warning, reason: .packetLoss,
                        localCondition: .excellent,
                        remoteCondition: .warning))),
            event(.subscriber, "bob", .warning(warning)),
            CallEvent(time: time, participant: "bob", kind: .warning(device)),
            CallEvent(time: time, participant: "bob", kind: .level(quality, connection: "bob")),
            CallEvent(
                time: time, participant: "bob",
                kind: .level(NetworkQualityStats(level: .five, isIdle: true), connection: "alice")),
            CallEvent(time: time + 1000, kind: .summary(summary)),
        ]
    }

    private static func event(_ role: StreamRole?, _ participant: String, _ kind: CallEvent.Kind) -> CallEvent
    {
        CallEvent(time: time, role: role, participant: participant, stream: "stream-1", kind: kind)
    }

    private static var problem: Diagnosis {
        Diagnosis(cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing)
    }

    private static var warning: CallQualityEvent {
        CallQualityEvent(
            warning: CallQualityWarning(
                kind: .highInboundPacketLoss, phase: .trigger, media: .video, direction: .inbound),
            role: .subscriber, streamId: "stream-1")
    }

    private static var device: CallQualityEvent {
        CallQualityEvent(warning: CallQualityWarning(kind: .lowOSOutputVolumeLevel, phase: .recover))
    }

    private static var quality: NetworkQualityStats {
        let receive = NetworkQualityDirectionStats(
            bandwidth: .init(level: .five, actual: 490_000, available: 2_500_000),
            latency: .init(level: .five, jitter: 0.004, rtt: 0.042),
            fractionLost: .init(level: .three, fractionLost: 0.02))
        return NetworkQualityStats(level: .three, video: NetworkQualityMediaStats(receive: receive))
    }

    private static var transport: TransportStats {
        TransportStats(
            connectionEstimatedBandwidth: 2_500_000, networkCondition: .good,
            networkConditionReason: .packetLoss,
            roundTripTime: 0.042, fractionLost: 0.01, bandwidthDemand: 690_000)
    }

    private static var publisherVideo: PublisherVideoNetworkStats {
        var stats = PublisherVideoNetworkStats(timestamp: time)
        stats.videoPacketsLost = 12
        stats.videoPacketsSent = 1200
        stats.videoBytesSent = 900_000
        stats.startTime = time - 12_000
        stats.transport = transport
        stats.fractionLost = 0.01
        stats.videoLayers = [
            PublisherVideoLayerStats(
                rid: "h", enabled: true, sending: true, width: 320, height: 180, encodedFrameRate: 30,
                bitrate: 150_000, totalBitrate: 158_000,
                qualityLimitationReason: QualityLimitationReason.none,
                codec: "VP8"),
            PublisherVideoLayerStats(
                rid: "f", enabled: true, sending: false, width: 640, height: 360,
                qualityLimitationReason: .bandwidth, codec: "VP8"),
        ]
        return stats
    }

    private static var publisherAudio: PublisherAudioNetworkStats {
        var stats = PublisherAudioNetworkStats(timestamp: time)
        stats.audioPacketsLost = 3
        stats.audioPacketsSent = 600
        stats.audioBytesSent = 48_000
        stats.startTime = time - 12_000
        stats.transport = transport
        stats.bitrate = 32_000
        stats.audioLevel = 0.25
        stats.codec = "opus"
        return stats
    }

    private static var subscriberVideo: SubscriberVideoNetworkStats {
        var stats = SubscriberVideoNetworkStats(timestamp: time)
        stats.videoPacketsLost = 4
        stats.videoPacketsReceived = 800
        stats.videoBytesReceived = 600_000
        stats.startTime = time - 11_000
        stats.senderStats = SenderStats(connectionMaxAllocatedBitrate: 6e6, connectionEstimatedBandwidth: 4e6)
        stats.width = 640
        stats.height = 360
        stats.decodedFrameRate = 29.7
        stats.bitrate = 490_000
        stats.pauseCount = 0
        stats.freezeCount = 1
        stats.totalFreezesDuration = 340
        stats.codec = "VP8"
        stats.fractionLost = 0.005
        return stats
    }

    private static var subscriberAudio: SubscriberAudioNetworkStats {
        var stats = SubscriberAudioNetworkStats(timestamp: time)
        stats.audioPacketsLost = 0
        stats.audioPacketsReceived = 550
        stats.audioBytesReceived = 44_000
        stats.startTime = time - 11_000
        stats.audioLevel = 0.24
        stats.bitrate = 32_000
        stats.concealment = 0.012
        return stats
    }

    private static var subscriberLink: SubscriberMediaLinkStats {
        SubscriberMediaLinkStats(
            transport: transport, remotePublisherTransport: transport, networkDegradationSource: .local)
    }

    private static var summary: CallSummary {
        var counters = NetworkCounters()
        counters.packetsOffered = 1000
        counters.droppedByLoss = 10
        return CallSummary(
            duration: 12,
            participants: [
                .init(
                    participant: "alice", role: .publisher, stream: "stream-1",
                    video: .init(packets: 1200, packetsLost: 12, bytes: 900_000, fractionLost: 0.01)),
                .init(
                    participant: "bob", role: .subscriber, stream: "stream-1",
                    video: .init(
                        packets: 796, packetsLost: 4, bytes: 600_000, fractionLost: 0.005, freezeCount: 1,
                        pauseCount: 0),
                    timeToFirstFrame: 0.25, timeToPublishedSize: 0.25,
                    network: .init(up: .init(NetworkCounters()), down: .init(counters))),
            ])
    }
}
