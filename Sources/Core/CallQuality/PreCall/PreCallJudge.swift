// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Says what a client can publish, by the limits of the pre-call test, and how sure that is.
///
/// Pure: figures in, judgement out. Uplink and downlink are judged apart; what is missing in one is not held
/// against the other.
package struct PreCallJudge: Sendable {
    package let rules: PreCallRules

    /// The result of one threshold for one direction.
    package struct Finding: Sendable, Equatable {
        package var passes: Bool
        package var certainty: Double
        package var reason: PreCallReason
    }

    /// What is said of a medium: supported if all findings pass.
    package struct MediumJudgement: Sendable, Equatable {
        package var findings: [Finding]

        package var isSupported: Bool { findings.allSatisfy(\.passes) }

        /// How sure that is, 0 to 1: of a pass, that none of the findings is wrong; of a failure, that the
        /// surest of those that failed is right.
        package var certainty: Double {
            guard isSupported else { return findings.filter { !$0.passes }.map(\.certainty).max() ?? 0 }
            return max(0, 1 - findings.reduce(0) { $0 + 1 - $1.certainty })
        }

        /// Whether something was measured that settles it one way or the other.
        package var isKnown: Bool {
            isSupported || findings.contains { !$0.passes && $0.reason.cause != .notMeasured }
        }

        /// Whether a direction is good enough; `nil` if what was measured does not say.
        package func isSupported(in direction: NetworkDirection) -> Bool? {
            let causes = findings.filter { !$0.passes && $0.reason.direction == direction }.map(
                \.reason.cause)
            // A slow device is not the path's fault, and says nothing in its favour either.
            if causes.contains(where: { $0 != .notMeasured && $0 != .cpu }) { return false }
            return causes.isEmpty && !findings.isEmpty ? true : nil
        }

        /// The surest of the findings that failed; `nil` if it is supported.
        package var reason: PreCallReason? {
            findings.filter { !$0.passes }.max { $0.certainty < $1.certainty }?.reason
        }
    }

    /// What is said of a pass.
    package struct Judgement: Sendable, Equatable {
        package var audio: MediumJudgement
        package var video: MediumJudgement

        package var verdict: PreCallVerdict {
            guard audio.isSupported else { return .neither }
            return video.isSupported ? .audioAndVideo : .audioOnly
        }

        /// Whether the verdict rests on something that was measured.
        package var isKnown: Bool { audio.isKnown && (video.isKnown || !audio.isSupported) }

        /// How sure the verdict is, 0 to 1.
        package var certainty: Double {
            guard audio.isSupported else { return audio.certainty }
            return max(0, audio.certainty + video.certainty - 1)
        }
    }

    /// Judges a pass.
    package func judge(_ evidence: PassEvidence) -> Judgement {
        Judgement(
            audio: medium(.audio, evidence),
            video: evidence.isAudioOnly ? MediumJudgement(findings: []) : medium(.video, evidence))
    }

    private func medium(_ medium: MediaKind, _ evidence: PassEvidence) -> MediumJudgement {
        let directions: [NetworkDirection] = [.uplink, .downlink]
        return MediumJudgement(
            findings: directions.flatMap { direction in
                [rate(of: medium, direction, evidence), loss(of: medium, direction, evidence)]
            })
    }

    private func rate(
        of medium: MediaKind, _ direction: NetworkDirection, _ evidence: PassEvidence
    ) -> Finding {
        let path = evidence[direction]
        let limit = medium == .video ? rules.videoBitrate : rules.audioBitrate
        let measured = medium == .video ? path.video : path.audio
        let room = path.bandwidth.map { Self.room(for: medium, in: $0) }
        func finding(_ passes: Bool, _ certainty: Double, _ cause: PreCallReason.Cause, _ value: Double?)
            -> Finding
        {
            Finding(
                passes: passes, certainty: certainty,
                reason: PreCallReason(
                    medium: medium, direction: direction, cause: cause, measured: value, limit: limit))
        }
        if let bitrate = measured.bitrate, bitrate >= limit {
            let certainty = Certainty.ofRate(
                bitrate, limit: limit, deviation: measured.deviation, count: measured.readings)
            return finding(true, certainty, .bandwidth, bitrate)
        }
        if let room, room < limit {
            return finding(false, Certainty.ofRate(room, limit: limit), .bandwidth, room)
        }
        guard let bitrate = measured.bitrate else {
            let hasNoPass = evidence.restsOnBandwidth || evidence.isOutOfTime
            guard hasNoPass, let room else { return finding(false, 0, .notMeasured, nil) }
            return finding(true, Certainty.ofRate(room, limit: limit), .bandwidth, room)
        }
        // The path has room, so what is missing got lost before it, if the media router did not have it.
        let due = min(limit, (medium == .video ? evidence.uplink.video : evidence.uplink.audio).bitrate ?? 0)
        if let room, direction == .downlink, bitrate > 0, bitrate >= due * Self.passedOn {
            return finding(true, Certainty.ofRate(room, limit: limit), .bandwidth, room)
        }
        let cause: PreCallReason.Cause =
            bitrate == 0 ? .noMedia : evidence.isCPULimited ? .cpu : .bandwidth
        let certainty = Certainty.ofRate(
            bitrate, limit: limit, deviation: measured.deviation, count: measured.readings)
        return finding(false, certainty, cause, bitrate)
    }

    private func loss(
        of medium: MediaKind, _ direction: NetworkDirection, _ evidence: PassEvidence
    ) -> Finding {
        let path = evidence[direction]
        let limit = medium == .video ? rules.videoLoss : rules.audioLoss
        let fraction = path.loss.fraction
        // Of a direction that carries enough, no time to count losses is not held against it.
        let isLikely = evidence.isOutOfTime && path.bandwidth != nil
        return Finding(
            passes: fraction.map { $0 <= limit } ?? isLikely,
            certainty: fraction == nil
                ? (isLikely ? Self.uncounted : 0)
                : Certainty.ofLoss(path.loss, limit: limit, dispersion: path.dispersion),
            reason: PreCallReason(
                medium: medium, direction: direction, cause: fraction == nil ? .notMeasured : .packetLoss,
                measured: fraction, limit: limit))
    }

    /// What of a bandwidth a medium can have as payload.
    ///
    /// Of 20 ms Opus packets 58 bytes are headers (IP, UDP, RTP, SRTP); a frame's packets are large, about a
    /// tenth.
    package static func room(for medium: MediaKind, in bandwidth: Double) -> Double {
        switch medium {
        case .audio: max(0, bandwidth - audioHeaders)
        case .video: max(0, (bandwidth - audioRate - audioHeaders) * 0.9)
        }
    }

    /// How sure it is that a loss that there was no time to count is within its limit: of two media in both
    /// directions together, no surer than a coin toss.
    private static let uncounted = 0.875
    /// Of what reaches the media router, the share that comes back whatever two measurements differ by.
    private static let passedOn = 0.8
    /// The rate of the test's audio, bps.
    package static let audioRate = 40_000.0
    /// What its headers take: 50 packets a second, 58 bytes each.
    package static let audioHeaders = 23_200.0
}
