// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What was sent and received.
extension FindingCatalog {
    typealias TrackRule = FindingRule<TrackFacts, FindingMatch?>

    static let networkRules: [TrackRule] = [
        .init(.packetLoss) { track, rules in
            share(track, "share", track.fractionLost, rules.fractionLost)
        },
        .init(.highJitter) { track, rules in time(track, track.jitter, rules.jitter) },
        .init(.highRoundTripTime) { track, rules in
            // The connection's own has it where its checks are counted.
            time(track, track.roundTripTime, rules.roundTripTime)
        },
        .init(.sendDelay) { track, rules in time(track, track.sent?.sendDelay, rules.sendDelay) },
        .init(.lateMedia) { track, rules in
            guard let delay = track.received?.firstFrameDelay, delay >= rules.firstFrameDelay else {
                return nil
            }
            return FindingMatch(
                from: track.from, .seconds("delay", delay, limit: rules.firstFrameDelay), track.medium)
        },
    ]

    static let processorRules: [TrackRule] = [
        .init(.limitedByCPU) { track, rules in
            share(track, "share", track.sent?.limitedByCPU, rules.limitedByCPU)
        },
        .init(.limitedByBandwidth) { track, rules in
            share(track, "share", track.sent?.limitedByBandwidth, rules.limitedByBandwidth)
        },
        .init(.limitedByOther) { track, rules in
            share(track, "share", track.sent?.limitedByOther, rules.limitedByOther)
        },
        .init(.slowEncoding) { track, rules in time(track, track.sent?.encodeTime, rules.encodeTime) },
        .init(.slowDecoding) { track, rules in time(track, track.received?.decodeTime, rules.decodeTime) },
    ]

    static let videoRules: [TrackRule] = [
        .init(.videoFreezes) { track, rules in
            gaps(track, track.received?.freezes, track.received?.freezeTime, rules.frozen)
        },
        .init(.videoPauses) { track, rules in
            gaps(track, track.received?.pauses, track.received?.pauseTime, rules.paused)
        },
        .init(.outOfSync) { track, rules in
            guard let offset = track.received?.avSync else { return nil }
            let isVideoLate = offset > 0
            let limit = isVideoLate ? rules.audioAhead : rules.audioBehind
            guard abs(offset) >= limit else { return nil }
            return FindingMatch(
                from: track.from, to: track.to, .seconds("time", abs(offset), limit: limit),
                .word("late", isVideoLate ? "video" : "audio"),
                .word("early", isVideoLate ? "audio" : "video"))
        },
    ]

    static let audioRules: [TrackRule] = [
        .init(.audioInterruptions) { track, rules in
            share(track, "share", track.received?.audiblyConcealed, rules.concealed)
        },
        .init(.periodicFlushes) { track, _ in
            track.received?.hasPeriodicFlushes == true ? FindingMatch(from: track.from, to: track.to) : nil
        },
        .init(.playoutDelay) { track, rules in
            guard track.kind == .audio else { return nil }
            let parts = [track.received?.bufferDelay, track.received?.playoutDelay].compactMap(\.self)
            return time(track, parts.isEmpty ? nil : parts.reduce(0, +), rules.playoutDelay)
        },
        .init(.playoutInterruptions) { track, rules in
            share(track, "share", track.received?.synthesized, rules.synthesized)
        },
        .init(.silentMicrophone) { track, _ in
            guard let sent = track.sent, let levels = sent.levels, levels >= fewestLevels,
                sent.highestLevel == 0,
                sent.capturedEnergy ?? 0 == 0
            else { return nil }
            return FindingMatch(from: track.from, to: track.to, .count("reports", levels))
        },
        .init(.constantMicrophoneLevel) { track, _ in
            guard let sent = track.sent, let levels = sent.levels, levels >= fewestLevels,
                let level = sent.highestLevel,
                level > 0,
                level == sent.lowestLevel
            else { return nil }
            return FindingMatch(from: track.from, to: track.to, .share("level", level))
        },
        .init(.missingMicrophoneLevel) { track, _ in
            guard track.kind == .audio, let captured = track.sent?.capturedDuration,
                captured < track.duration * leastCaptured
            else { return nil }
            return FindingMatch(
                from: track.from, to: track.to, .seconds("captured", captured),
                .seconds("time", track.duration))
        },
    ]

    /// Levels that have to be equal for a microphone to hang.
    private static let fewestLevels = 8
    /// Share of the time for which a microphone has to have given audio.
    private static let leastCaptured = 0.1

    private static func share(_ track: TrackFacts, _ name: String, _ value: Double?, _ limit: Double)
        -> FindingMatch?
    {
        guard let value, value.isFinite, value >= limit, limit > 0 || value > 0 else { return nil }
        return FindingMatch(
            from: track.from, to: track.to, .share(name, value, limit: limit), track.medium, track.direction)
    }

    private static func time(_ track: TrackFacts, _ value: Double?, _ limit: Double) -> FindingMatch? {
        guard let value, value.isFinite, value >= limit else { return nil }
        return FindingMatch(
            from: track.from, to: track.to, .seconds("time", value, limit: limit), track.medium,
            track.direction)
    }

    private static func gaps(
        _ track: TrackFacts, _ count: UInt64?, _ seconds: Double?, _ limit: Double
    ) -> FindingMatch? {
        guard let count, count > 0, count < 1_000_000, let seconds, seconds.isFinite, track.duration > 0,
            seconds / track.duration >= limit
        else { return nil }
        return FindingMatch(
            from: track.from, to: track.to, .times("count", Int(count)), .seconds("time", seconds),
            .share("share", min(seconds / track.duration, 1), limit: limit))
    }
}

extension ConnectionFacts {
    /// Whether audio that went the same way as a video came steadily: the video's jitter is that of its frames, whose packets
    /// come in bursts, and wait for each other in a queue.
    func hasSteadyAudio(beside track: TrackFacts, _ rules: FindingRules) -> Bool {
        guard track.kind == .video else { return false }
        return tracks.contains { audio in
            audio.kind == .audio && audio.role == track.role && audio.duration >= rules.trackTime
                && audio.jitter.map { $0 < rules.jitter } ?? false
        }
    }
}

extension TrackFacts {
    /// How long it was seen, in seconds.
    var duration: Double { max(0, to - from) / 1000 }

    fileprivate var medium: Finding.Evidence { .word("medium", kind.rawValue) }
    fileprivate var direction: Finding.Evidence {
        .word("direction", role == .publisher ? "sent" : "received")
    }
}
