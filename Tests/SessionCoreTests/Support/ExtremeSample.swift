// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire
import TestSupport

/// Samples that are as large as they may be, or larger.
enum ExtremeSample {
    /// Everything that a sample may say, in the most digits and the longest words.
    static var largest: StreamSample {
        var media = MediaFigures()
        media.packets = UInt64(SessionProtocol.numberLimit)
        media.packetsLost = -Int64(SessionProtocol.numberLimit)
        media.bytes = media.packets
        media.bitrate = 123_456_789_012.345_67
        media.maximumBitrate = media.bitrate
        media.jitter = 1234.567_890_123_456_7
        media.width = SessionProtocol.dimensionLimit
        media.height = SessionProtocol.dimensionLimit
        media.frameRate = 123.456_789_012_345_67
        media.framesSent = media.packets
        media.freezeCount = SessionProtocol.numberLimit
        media.totalFreezesDuration = 12_345_678_901.234_567
        media.pauseCount = SessionProtocol.numberLimit
        media.totalPausesDuration = media.totalFreezesDuration
        media.qualityLimitationReason = .layerChange
        media.audioLevel = 0.123_456_789_012_345_67
        media.mos = 1.234_567_890_123_456_7
        let layer = LayerFigures(
            rid: String(repeating: "r", count: LayerFigures.ridLimit), enabled: false, sending: false,
            width: 16_384, height: 16_384, frameRate: media.frameRate, bitrate: media.bitrate)
        media.layers = Array(repeating: layer, count: MediaFigures.layerLimit)
        let direction = NetworkQualityDirectionStats(
            bandwidth: .init(level: .unknown, actual: media.bitrate, available: media.bitrate),
            latency: .init(level: .unknown, jitter: media.jitter, rtt: media.jitter),
            fractionLost: .init(level: .unknown, fractionLost: media.audioLevel))
        var sample = StreamSample()
        sample.networkCondition = .excellent
        sample.networkConditionReason = .networkConditionChange
        sample.connectionEstimatedBandwidth = media.bitrate
        sample.roundTripTime = media.jitter
        sample.fractionLost = media.audioLevel
        sample.bandwidthDemand = media.bitrate
        sample.remoteNetworkCondition = .excellent
        sample.remoteNetworkConditionReason = .networkConditionChange
        sample.networkDegradationSource = .bothOrUnclear
        sample.diagnosis = .init(
            cause: .recovering, direction: .downlink, side: .bothOrUnclear, severity: .unusable)
        sample.audio = media
        sample.video = media
        sample.levels = StreamLevels(audio: direction, video: direction)
        sample.events = Array(
            repeating: .networkConditionChanged(
                NetworkConditionChange(side: .bothOrUnclear, from: .excellent, to: .critical)),
            count: StreamEvent.limit)
        return sample
    }
}

// MARK: - At random

extension ExtremeSample {
    /// Figures and words within and far beyond what they may be.
    static func any(_ random: inout SeededRandom) -> StreamSample {
        func chance() -> Bool { Int.random(in: 0..<8, using: &random) == 0 }
        // Most of it in order, or nearly every sample would be refused.
        func number(_ usual: Double) -> Double? {
            let wild = [0, -1, 1e12, 1e300, -1e300, .nan, .infinity, .greatestFiniteMagnitude, 1e-300]
            return chance() ? wild.randomElement(using: &random) : usual
        }
        func whole(_ usual: Int) -> Int? {
            chance() ? [0, -1, .max, .min, SessionProtocol.numberLimit].randomElement(using: &random) : usual
        }
        func word(_ words: [String]) -> String? {
            let wild = [
                "", "newerWord", "sessionDestroyed", "two words", String(repeating: "x", count: 10_000),
            ]
            return chance() && chance()
                ? wild.randomElement(using: &random) : words.randomElement(using: &random)
        }
        func media() -> MediaFigures {
            var media = MediaFigures()
            guard !chance() else { return media }
            media.packets = whole(1000).map { UInt64(truncatingIfNeeded: $0) }
            media.packetsLost = whole(1).map(Int64.init)
            media.bitrate = number(1e6)
            media.jitter = number(0.01)
            media.width = whole(640)
            media.mos = number(4)
            media.qualityLimitationReason = word(["none", "cpu"]).flatMap(QualityLimitationReason.init(name:))
            media.layers =
                chance() ? [.init(rid: word(["q", "h"]), width: whole(320), bitrate: number(1e5))] : nil
            return media
        }
        var sample = StreamSample()
        let conditions = ["unknown", "critical", "warning", "good", "excellent"]
        sample.networkCondition = word(conditions).flatMap(NetworkCondition.init(name:))
        sample.networkConditionReason = word(["none", "packetLoss"]).flatMap(NetworkReason.init(name:))
        sample.remoteNetworkCondition = word(conditions).flatMap(NetworkCondition.init(name:))
        sample.networkDegradationSource = word(["local", "remote"]).flatMap(
            NetworkDegradationSource.init(name:))
        sample.roundTripTime = number(0.1)
        sample.diagnosis = word(["packetLoss", "none"]).flatMap(Diagnosis.Cause.init(name:)).map {
            .init(
                cause: $0, severity: chance() ? .disturbing : nil, since: number(1_700_000_000_000),
                evidence: .init(fractionLost: number(0.1), jitter: number(0.02)))
        }
        sample.audio = chance() ? media() : nil
        sample.video = chance() ? media() : nil
        if chance() {
            let type = word(["callQuality", "networkConditionChanged"]) ?? ""
            let detail = ["reason": word(["highInboundJitter", "none"]) ?? "", "phase": "trigger"]
            sample.events = [StreamEvent(type: type, detail: detail)].compactMap(\.self)
        }
        return sample
    }
}
