// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import SessionWire
import TestSupport
import Testing

@testable import Sightline

@Suite("The report of a network test")
struct NetworkTestReportTests {
    private static let file = Repository.fixture("networktest/report.json")

    /// Every member has a value.
    static let sample: NetworkTestReport = {
        var report = NetworkTestReport(
            verdict: .audioOnly,
            timing: .init(start: 1_700_000_000_000, end: 1_700_000_007_500, duration: 7500))
        report.confidence = 0.995
        report.failure = NetworkTestFailure(
            step: .udpPath, code: "timeout", message: "no path", advice: "allow UDP")
        report.endedEarly = true
        report.steps = [
            .init(step: .serverReachable, start: 0, duration: 12.5, outcome: .passed),
            .init(step: .tls, start: 12.5, duration: 0, outcome: .skipped),
        ]
        report.connectivity.candidates = [.init(type: "host", transport: "udp", count: 2)]
        report.connectivity.selectedCandidatePair = .init(
            localType: "host", remoteType: "srflx", transport: "udp")
        report.connectivity.turnNeeded = false
        report.audio = media(supported: true)
        report.video = media(supported: false)
        report.uplink = path
        report.downlink = path
        report.recommendation = .init(width: 640, height: 360, frameRate: 30)
        report.limitation = .bandwidth
        report.sizes = [.init(width: 1280, height: 720, grade: .unsupported)]
        var moment = NetworkTestSample(time: 3000, step: .quality)
        moment.uplinkBitrate = 500_000
        moment.downlinkBitrate = 510_000
        moment.uplinkLoss = 0.01
        moment.downlinkLoss = 0
        moment.roundTripTime = 0.05
        report.samples = [moment]
        return report
    }()

    private static func media(supported: Bool) -> NetworkTestReport.Media {
        var media = NetworkTestReport.Media(
            isSupported: supported,
            reason: supported
                ? nil
                : NetworkTestReason(
                    medium: .video, direction: .uplink, cause: .bandwidth, measured: 90_000, limit: 150_000))
        media.confidence = 0.99
        media.grade = .acceptable
        media.mos = 4.25
        media.frameRate = 30
        media.uplink.bitrate = 40_000
        media.uplink.jitter = 0.002
        media.downlink.bitrate = 39_500
        return media
    }

    private static var path: NetworkTestReport.Path {
        var path = NetworkTestReport.Path()
        path.bandwidth = 700_000
        path.bandwidthIsAtLeast = true
        path.fractionLost = 0.01
        path.packets = 900
        path.roundTripTime = 0.05
        path.supportsAudio = true
        path.supportsVideo = false
        return path
    }

    @Test("is written as the file has it, and read back the same")
    func golden() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let text = String(decoding: try encoder.encode(Self.sample), as: UTF8.self) + "\n"
        let golden = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(text == golden)
        #expect(try JSONDecoder().decode(NetworkTestReport.self, from: Data(golden.utf8)) == Self.sample)
    }

    @Test("says its verdict in a sentence")
    func sentences() {
        var report = Self.sample
        #expect(report.sentence == "Neither audio nor video is possible (step: UDP path): no path.")
        report.failure = NetworkTestFailure(.tokenAccepted, SightlineError(.invalidToken, "no token of ours"))
        #expect(report.sentence == "Could not test (step: token accepted): no token of ours.")
        report.failure = NetworkTestFailure(.quality, CancellationError())
        #expect(report.sentence == "Could not test (step: quality): the test was stopped.")
        report.failure = nil
        #expect(
            report.sentence
                == "Audio is possible, video is not: the uplink provides 90 kbit/s for it, but 150 kbit/s are needed."
        )
        report.verdict = .audioAndVideo
        #expect(report.sentence == "Audio and video are possible, up to 640x360 at 30 frames a second.")
        report.verdict = .neither
        #expect(report.sentence == "Neither audio nor video is possible: their limits are not met.")
    }

    @Test("gives the loss that its reason speaks of")
    func decisiveLoss() {
        func pass(lost: Double) -> PreCallMeasurement.Pass {
            var pass = PreCallMeasurement.Pass()
            for direction in [\PassEvidence.uplink, \.downlink] {
                pass.evidence[keyPath: direction].audio.bitrate = 40_000
                pass.evidence[keyPath: direction].video.bitrate = 400_000
            }
            pass.evidence.uplink.loss = LossTally(lost: 0, expected: 1000)
            pass.evidence.downlink.loss = LossTally(lost: lost, expected: 1000)
            return pass
        }
        func report(alone: Double) -> NetworkTestReport {
            var findings = PreCallFindings()
            var measurement = PreCallMeasurement()
            measurement.audioVideo = pass(lost: 80)
            measurement.audioOnly = pass(lost: alone)
            findings.measurement = measurement
            return PreCallReportBuilder(
                rules: PreCallRules(), assumesSimulcast: true, findings: findings, steps: []
            ).report(timing: .init(start: 0, end: 0, duration: 0), failure: nil)
        }
        #expect(report(alone: 100).verdict == .neither)
        #expect(report(alone: 100).downlink?.fractionLost == 0.09)
        #expect(report(alone: 100).audio?.reason?.measured == 0.09)
        #expect(report(alone: 20).verdict == .audioOnly)
        #expect(report(alone: 20).downlink?.fractionLost == 0.08)
        #expect(report(alone: 20).video?.reason?.measured == 0.08)
        #expect(report(alone: 20).uplink?.supportsVideo == true)
    }

    /// Of a test that failed before media could be measured.
    private func failed(_ step: NetworkTestStep, _ code: SightlineError.Code, received: UInt64)
        -> NetworkTestReport
    {
        func counters(_ time: Double, sent: UInt64, received: UInt64) -> LegCounters {
            LegCounters(
                timestamp: time, bytesReceived: nil, packetsReceived: nil, pathPacketsSent: sent,
                pathPacketsReceived: received)
        }
        var findings = PreCallFindings()
        for second in [1.0, 3] {
            findings.connectivityCounters.add(
                leg: "sub", own: counters(second, sent: 100, received: received),
                far: counters(second, sent: 100, received: 100), at: .seconds(second))
        }
        return PreCallReportBuilder(
            rules: PreCallRules(), assumesSimulcast: true, findings: findings, steps: []
        ).report(
            timing: .init(start: 0, end: 0, duration: 0),
            failure: NetworkTestFailure(step, SightlineError(code, "no keys")))
    }

    @Test("of a test that failed on the network blames the direction that loses packets, if that is sure")
    func blame() {
        let report = failed(.dtls, .timeout, received: 75)
        #expect(report.verdict == .neither)
        #expect(report.downlink?.supportsAudio == false && report.downlink?.supportsVideo == false)
        #expect(report.downlink?.packets == 100)
        #expect(
            report.failure?.message == "no keys; the downlink loses 20 % of the packets; the maximum is 5 %")
        #expect(report.uplink == nil)
        #expect(failed(.dtls, .timeout, received: 90).downlink == nil)
        #expect(failed(.dtls, .cancelled, received: 75).downlink == nil)
        #expect(failed(.subscribe, .timeout, received: 75).downlink == nil)
    }

    @Test("of a run without figures has none that is not a number")
    func empty() throws {
        var findings = PreCallFindings()
        findings.measurement = PreCallMeasurement()
        findings.measurement?.audioVideo = .init()
        findings.measurement?.uplink = .init(rate: .nan, isAtLeast: false)
        let report = PreCallReportBuilder(
            rules: PreCallRules(), assumesSimulcast: true, findings: findings, steps: []
        ).report(timing: .init(start: 0, end: 0, duration: 0), failure: nil)
        #expect(report.verdict == .neither)
        #expect(report.uplink?.bandwidth == nil)
        // Throws if there is a NaN.
        _ = try JSONEncoder().encode(report)
    }

    @Test("only failures on the way to the media router speak of the network")
    func ofTheNetwork() {
        func failure(_ step: NetworkTestStep, _ code: SightlineError.Code) -> Bool {
            NetworkTestFailure(step, SightlineError(code, "")).isOfTheNetwork
        }
        #expect(failure(.udpPath, .timeout))
        #expect(failure(.mediaReceived, .timeout))
        #expect(!failure(.udpPath, .cancelled))
        #expect(!failure(.quality, .connectionLost))
        #expect(!failure(.serverReachable, .connectionFailed))
        #expect(!failure(.tokenAccepted, .invalidToken))
    }

    @Test("a test that runs out of time does so for the network, once its token is accepted")
    func outOfTime() {
        for step in [NetworkTestStep.sessionFree, .publish, .subscribe, .udpPath, .quality] {
            let failure = NetworkTestFailure(outOfTimeIn: step)
            #expect(failure.isOfTheNetwork && failure.advice.contains("too slowly"))
        }
        for step in [NetworkTestStep.serverReachable, .webSocket, .tokenAccepted] {
            let failure = NetworkTestFailure(outOfTimeIn: step)
            #expect(!failure.isOfTheNetwork && failure.code == "timeout")
        }
    }
}
