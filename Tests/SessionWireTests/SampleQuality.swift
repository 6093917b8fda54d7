// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire

/// Network quality for the messages that carry it.
enum SampleQuality {
    static let request = AskNetworkQuality(remote: .moderate)
    static let ownRequest = AskNetworkQuality(remote: .none, local: .minimal)
    static let judgement = LegJudgement(
        leg: "c2", sample: judged, sentence: "Your network is losing parts of what you receive.")
    static let levels = StreamLevels(audio: direction, video: NetworkQualityDirectionStats())
    static let video = StreamLevels(video: direction)
    static let all = StreamLevels(audio: direction, video: direction)

    static let update = NetworkQualityUpdate(participants: [
        .init(connection: "c1", quality: NetworkQualityStats(level: .five, isIdle: true)),
        .init(
            connection: "c2",
            quality: NetworkQualityStats(
                level: .three, audio: .init(send: direction),
                video: .init(receive: NetworkQualityDirectionStats()))),
    ])

    private static let judged = {
        var sample = StreamSample()
        sample.networkCondition = .warning
        sample.networkConditionReason = .packetLoss
        sample.networkDegradationSource = .local
        sample.diagnosis = Diagnosis(
            cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing,
            since: 1_700_000_002_000, confidence: .high)
        sample.events = [
            .callQuality(
                .init(kind: .highInboundPacketLoss, phase: .trigger, media: .audio, direction: .inbound))
        ]
        sample.levels = StreamLevels(audio: .init(latency: .init(level: .two)))
        return sample
    }()

    private static let direction = NetworkQualityDirectionStats(
        bandwidth: .init(level: .three, actual: 500_000, available: 600_000),
        latency: .init(level: .five, jitter: 0.004, rtt: 0.04),
        fractionLost: .init(level: .four, fractionLost: 0.01))
}
