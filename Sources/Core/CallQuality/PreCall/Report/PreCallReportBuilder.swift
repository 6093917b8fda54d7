// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Puts what a run has found out into a report.
package struct PreCallReportBuilder: Sendable {
    private let rules: PreCallRules
    private let assumesSimulcast: Bool
    private let findings: PreCallFindings
    private let steps: [PreCallStepResult]

    /// - Parameter assumesSimulcast: Whether the recommended size is for simulcast.
    package init(
        rules: PreCallRules, assumesSimulcast: Bool, findings: PreCallFindings, steps: [PreCallStepResult]
    ) {
        self.rules = rules
        self.assumesSimulcast = assumesSimulcast
        self.findings = findings
        self.steps = steps
    }

    /// The report of a run that took that time.
    package func report(timing: PreCallReport.Timing, failure: PreCallFailure?) -> PreCallReport {
        var report = PreCallReport(verdict: .neither, timing: timing)
        report.failure = failure
        report.steps = steps
        report.connectivity = findings.connectivity
        report.samples = findings.samples
        report.endedEarly = findings.endedEarly && failure == nil
        if let measurement = findings.measurement {
            describe(measurement, in: &report)
        } else if failure == nil {
            report.verdict = .audioAndVideo
        }
        if failure != nil {
            report.verdict = .neither
            report.confidence = nil
            report.recommendation = nil
            blame(.uplink, findings.connectivityCounters.uplink, in: &report)
            blame(.downlink, findings.connectivityCounters.downlink, in: &report)
        }
        return report
    }

    /// Says of a test that failed on the network which direction loses too many packets, if that is sure.
    private func blame(
        _ direction: NetworkDirection, _ loss: LossTally, in report: inout PreCallReport
    ) {
        let present = direction == .uplink ? report.uplink : report.downlink
        guard report.failure?.isOfTheNetwork == true, present?.fractionLost == nil,
            let fraction = loss.fraction, fraction > rules.audioLoss,
            Certainty.ofLoss(loss, limit: rules.audioLoss) >= rules.confidence
        else { return }
        var path = present ?? PreCallReport.Path()
        (path.fractionLost, path.packets) = (Self.finite(fraction), Self.finite(loss.expected))
        (path.supportsAudio, path.supportsVideo) = (false, false)
        if direction == .uplink { report.uplink = path } else { report.downlink = path }
        let reason = PreCallReason(
            medium: .audio, direction: direction, cause: .packetLoss, measured: fraction,
            limit: rules.audioLoss)
        report.failure?.message += "; \(reason.text)"
    }

    private func describe(_ measurement: PreCallMeasurement, in report: inout PreCallReport) {
        let judgement = measurement.judgement(rules)
        report.verdict = judgement.verdict
        report.confidence = Self.finite(judgement.certainty)
        report.audio = audio(measurement, judgement.audio)
        report.video = video(measurement, judgement.video)
        report.uplink = path(.uplink, measurement, judgement)
        report.downlink = path(.downlink, measurement, judgement)
        report.limitation = measurement.audioVideo?.limitation
        guard let uplink = measurement.uplink?.rate else { return }
        let loss = lossOfBoth(measurement.videoEvidence)
        let room = PreCallJudge.room(for: .video, in: min(uplink, measurement.downlink?.rate ?? uplink))
        let uncounted: Double = measurement.isOutOfTime ? 0 : 1
        report.sizes = SizeRecommendation.grades(bitrate: room, loss: loss ?? uncounted, rules: rules)
        report.video?.grade = Self.best(report.sizes.map(\.grade))
        guard report.verdict == .audioAndVideo else { return }
        report.recommendation = SizeRecommendation.size(
            for: uplink, simulcast: assumesSimulcast, rules: rules
        ).map { .init(width: $0.width, height: $0.height, frameRate: $0.frameRate) }
    }

    // MARK: - Media

    private func audio(
        _ measurement: PreCallMeasurement, _ judgement: PreCallJudge.MediumJudgement
    ) -> PreCallReport.Media {
        var media = PreCallReport.Media(judgement)
        guard let pass = measurement.audioPass else { return media }
        media.mos = Self.finite(pass.audioMOS)
        fill(&media, .audio, pass)
        let rates = [media.uplink.bitrate, media.downlink.bitrate].compactMap(\.self)
        if let bitrate = rates.min(), let loss = lossOfBoth(measurement.audioEvidence) {
            media.grade = SizeRecommendation.audioGrade(bitrate: bitrate, loss: loss, rules: rules)
        }
        return media
    }

    private func video(
        _ measurement: PreCallMeasurement, _ judgement: PreCallJudge.MediumJudgement
    ) -> PreCallReport.Media {
        var media = PreCallReport.Media(judgement)
        guard let pass = measurement.audioVideo else { return media }
        media.mos = Self.finite(pass.videoMOS)
        media.frameRate = Self.finite(pass.frameRate)
        fill(&media, .video, pass)
        return media
    }

    private func fill(
        _ media: inout PreCallReport.Media, _ medium: MediaKind,
        _ pass: PreCallMeasurement.Pass
    ) {
        let (up, down) = (pass.evidence.uplink, pass.evidence.downlink)
        media.uplink.bitrate = Self.finite(medium == .audio ? up.audio.bitrate : up.video.bitrate)
        media.downlink.bitrate = Self.finite(medium == .audio ? down.audio.bitrate : down.video.bitrate)
        media.uplink.jitter = Self.finite(pass.uplinkJitter[medium])
        media.downlink.jitter = Self.finite(pass.downlinkJitter[medium])
    }

    // MARK: - Paths

    private func path(
        _ direction: NetworkDirection, _ measurement: PreCallMeasurement, _ judgement: PreCallJudge.Judgement
    ) -> PreCallReport.Path {
        let bandwidth = direction == .uplink ? measurement.uplink : measurement.downlink
        var path = PreCallReport.Path()
        path.bandwidth = Self.finite(bandwidth?.rate)
        path.bandwidthIsAtLeast = bandwidth?.isAtLeast ?? false
        if direction == .uplink, bandwidth == nil, findings.uplinkIsNotFilled {
            let sent = measurement.audioPass?.evidence.uplink
            let rates = [sent?.audio.bitrate, sent?.video.bitrate].compactMap(\.self)
            path.bandwidth = rates.isEmpty ? nil : Self.finite(rates.reduce(0, +))
            path.bandwidthIsAtLeast = path.bandwidth != nil
        }
        path.supportsAudio = judgement.audio.isSupported(in: direction)
        path.supportsVideo = judgement.video.isSupported(in: direction)
        // Those that the verdict's reason is taken from, or the two would not agree.
        let isNeither = judgement.verdict == .neither
        let loss = (isNeither ? measurement.audioEvidence : measurement.videoEvidence)[direction].loss
        path.fractionLost = Self.finite(loss.fraction)
        path.packets = loss.fraction == nil ? nil : Self.finite(loss.expected)
        guard let pass = measurement.audioPass else { return path }
        path.roundTripTime = Self.finite(
            direction == .uplink ? pass.uplinkRoundTripTime : pass.downlinkRoundTripTime)
        return path
    }

    /// The worse of both directions; `nil` if neither is known.
    private func lossOfBoth(_ evidence: PassEvidence) -> Double? {
        [evidence.uplink, evidence.downlink].compactMap(\.loss.fraction).max()
    }

    private static func best(_ grades: [PreCallReport.Grade]) -> PreCallReport.Grade? {
        [.excellent, .acceptable, .unsupported].first(where: grades.contains)
    }

    private static func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
}

extension PreCallReport.Media {
    fileprivate init(_ judgement: PreCallJudge.MediumJudgement) {
        self.init(isSupported: judgement.isSupported, reason: judgement.reason)
        confidence = judgement.certainty.isFinite ? judgement.certainty : nil
    }
}
