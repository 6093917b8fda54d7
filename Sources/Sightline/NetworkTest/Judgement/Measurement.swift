// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What the quality stage has measured, as far as it has come.
struct Measurement: Sendable, Equatable {
    /// What a direction carries.
    struct Bandwidth: Sendable, Equatable {
        /// bps, IP and UDP headers included.
        var rate: Double
        /// Whether all that was asked of it got through.
        var isAtLeast: Bool
    }

    /// A stretch of time in which media were measured.
    struct Pass: Sendable, Equatable {
        var evidence = PassEvidence()
        var uplinkRoundTripTime: Double?
        var downlinkRoundTripTime: Double?
        var uplinkJitter: [NetworkTestReason.Medium: Double] = [:]
        var downlinkJitter: [NetworkTestReason.Medium: Double] = [:]
        var audioMOS: Double?
        var videoMOS: Double?
        var frameRate: Double?
        var limitation: NetworkTestReport.Limitation?
    }

    var uplink: Bandwidth?
    var downlink: Bandwidth?
    /// With audio and video; `nil` if the bandwidth left no room for video.
    var audioVideo: Pass?
    /// With audio alone; `nil` if there was no need.
    var audioOnly: Pass?

    /// What counts for video: without a pass of its own, the bandwidth, and the loss of audio on the same path.
    var videoEvidence: PassEvidence { audioVideo?.evidence ?? bandwidthEvidence }
    /// What counts for audio: the pass with audio alone, together with what the pass before it lost in the same way.
    var audioEvidence: PassEvidence {
        guard var alone = audioOnly?.evidence else { return videoEvidence }
        guard let before = audioVideo?.evidence else { return alone }
        alone.uplink.addLoss(of: before.uplink)
        alone.downlink.addLoss(of: before.downlink)
        return alone
    }
    /// How audio fared last.
    var audioPass: Pass? { audioOnly ?? audioVideo }

    /// All that is known without a pass with the medium.
    private var bandwidthEvidence: PassEvidence {
        var evidence = PassEvidence()
        evidence.restsOnBandwidth = true
        evidence.uplink.bandwidth = uplink?.rate
        evidence.downlink.bandwidth = downlink?.rate
        guard let heard = audioOnly?.evidence else { return evidence }
        (evidence.uplink.loss, evidence.uplink.dispersion) = (heard.uplink.loss, heard.uplink.dispersion)
        (evidence.downlink.loss, evidence.downlink.dispersion) = (
            heard.downlink.loss, heard.downlink.dispersion
        )
        return evidence
    }

    /// The verdict of what is known, and what it rests on.
    func judgement(_ rules: PreCallRules) -> NetworkTestJudge.Judgement {
        let judge = NetworkTestJudge(rules: rules)
        return .init(
            audio: judge.judge(audioEvidence).audio,
            video: judge.judge(videoEvidence).video)
    }

    /// Whether the bandwidth alone rules a medium out.
    func leavesNoRoom(for medium: NetworkTestReason.Medium, _ rules: PreCallRules) -> Bool {
        let limit = medium == .video ? rules.videoBitrate : rules.audioBitrate
        return [uplink, downlink].compactMap(\.self).contains { bandwidth in
            let room = NetworkTestJudge.room(for: medium, in: bandwidth.rate)
            return room < limit && Certainty.ofRate(room, limit: limit) >= rules.confidence
        }
    }
}
