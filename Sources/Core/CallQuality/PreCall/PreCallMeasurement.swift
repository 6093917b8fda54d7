// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Measurements of the quality stage so far.
package struct PreCallMeasurement: Sendable, Equatable {
    /// What a direction carries.
    package struct Bandwidth: Sendable, Equatable {
        /// bps, IP and UDP headers included.
        package var rate: Double
        /// Whether all that was asked of it got through.
        package var isAtLeast: Bool

        package init(rate: Double, isAtLeast: Bool) {
            self.rate = rate
            self.isAtLeast = isAtLeast
        }

        /// Whether it alone rules a medium out.
        package func leavesNoRoom(for medium: MediaKind, _ rules: PreCallRules) -> Bool {
            let limit = medium == .video ? rules.videoBitrate : rules.audioBitrate
            let room = PreCallJudge.room(for: medium, in: rate)
            return room < limit && Certainty.ofRate(room, limit: limit) >= rules.confidence
        }
    }

    /// A stretch of time in which media were measured.
    package struct Pass: Sendable, Equatable {
        package var evidence = PassEvidence()
        package var uplinkRoundTripTime: Double?
        package var downlinkRoundTripTime: Double?
        package var uplinkJitter: [MediaKind: Double] = [:]
        package var downlinkJitter: [MediaKind: Double] = [:]
        package var audioMOS: Double?
        package var videoMOS: Double?
        package var frameRate: Double?
        package var limitation: PreCallLimitation?

        package init() {}
    }

    package var uplink: Bandwidth?
    package var downlink: Bandwidth?
    /// With audio and video; `nil` if the bandwidth left no room for video.
    package var audioVideo: Pass?
    /// With audio alone; `nil` if there was no need.
    package var audioOnly: Pass?
    /// Whether time was up before all of it was measured: then what a direction carries has to do for what it
    /// loses.
    package var isOutOfTime = false

    package init() {}

    /// What counts for video: without a pass of its own, the bandwidth, and the loss of audio on the same
    /// path.
    package var videoEvidence: PassEvidence { timed(audioVideo?.evidence ?? bandwidthEvidence) }
    /// What counts for audio: the pass with audio alone, together with what the pass before it lost in the
    /// same way.
    package var audioEvidence: PassEvidence {
        guard var alone = audioOnly?.evidence else { return videoEvidence }
        guard let before = audioVideo?.evidence else { return timed(alone) }
        alone.uplink.addLoss(of: before.uplink)
        alone.downlink.addLoss(of: before.downlink)
        return timed(alone)
    }

    private func timed(_ evidence: PassEvidence) -> PassEvidence {
        var evidence = evidence
        evidence.isOutOfTime = isOutOfTime
        return evidence
    }
    /// How audio fared last.
    package var audioPass: Pass? { audioOnly ?? audioVideo }

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
    package func judgement(_ rules: PreCallRules) -> PreCallJudge.Judgement {
        let judge = PreCallJudge(rules: rules)
        return .init(
            audio: judge.judge(audioEvidence).audio,
            video: judge.judge(videoEvidence).video)
    }

    /// Whether the bandwidth alone rules a medium out.
    package func leavesNoRoom(for medium: MediaKind, _ rules: PreCallRules) -> Bool {
        [uplink, downlink].compactMap(\.self).contains { $0.leavesNoRoom(for: medium, rules) }
    }
}
