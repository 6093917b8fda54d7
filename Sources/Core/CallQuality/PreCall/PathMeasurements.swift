// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// Everything that is read in the course of the quality stage.
///
/// Pure: reports and facts in, figures out.
package struct PathMeasurements: Sendable {
    /// What the media router received of the stream.
    package private(set) var uplink = PathHistory()
    /// What it received beside it: feedback of the subscription.
    package private(set) var uplinkFeedback = PathHistory()
    /// What this client received of the stream.
    package private(set) var downlink = PathHistory()
    /// What it received beside it: feedback of the publication.
    package private(set) var downlinkFeedback = PathHistory()
    private var receptions: [Reception] = []
    /// To the media router and back, by the publisher's connection; seconds.
    package private(set) var uplinkRoundTripTimes: [(at: Duration, value: Double)] = []
    /// To the media router and back before media flowed, seconds.
    private var firstRoundTripTime: Double?
    /// To the server and back, seconds.
    private var serverRoundTripTime: Double?
    /// When media were first sent; `nil` if that is not known.
    package private(set) var mediaBegan: Duration?
    private var limitations: [(at: Duration, reason: PreCallLimitation?)] = []

    /// Nothing measured yet.
    package init() {}

    /// Before media flowed something took so long to the media router and back, seconds; `nil` if it has not come back.
    package mutating func note(roundTripTime time: Double?) {
        guard let time, time > 0 else { return }
        firstRoundTripTime = min(firstRoundTripTime ?? time, time)
    }

    /// The same of the server, which may be elsewhere, or behind a proxy that is nearer: it tells whether there is a queue, and
    /// not how long the router takes.
    package mutating func note(serverRoundTripTime time: Double?) {
        guard let time, time > 0 else { return }
        serverRoundTripTime = min(serverRoundTripTime ?? time, time)
    }

    /// Media are sent for the first time.
    package mutating func noteMedia(at now: Duration) { mediaBegan = mediaBegan ?? now }

    /// Takes what the subscriber's connection reports.
    package mutating func addSubscriber(_ report: StatsReport, at now: Duration) {
        downlink.add(.init(counters: LegCounters(report), knownAt: now))
        receptions.append(Reception(report, knownAt: now))
    }

    /// The next reports of a subscriber are those of another one.
    package mutating func renewSubscriber() {
        downlink = PathHistory()
        uplinkFeedback = PathHistory()
        receptions = []
    }

    /// The next reports are those of another stream and another subscriber.
    package mutating func renew() {
        renewSubscriber()
        uplink = PathHistory()
        downlinkFeedback = PathHistory()
    }

    /// Takes what the publisher's connection reports.
    package mutating func addPublisher(_ report: StatsReport, at now: Duration) {
        downlinkFeedback.add(.init(counters: LegCounters(report), knownAt: now))
        // The far end reports every second; the pair is only tried every few.
        let heard = report.remoteInboundRTP.filter { $0.kind == .video }.compactMap(\.roundTripTime).min()
        if let time = heard ?? report.selectedCandidatePair?.currentRoundTripTime {
            uplinkRoundTripTimes.append((now, time))
        }
        limitations.append((now, PreCallLimitation(report)))
    }

    /// Takes what the media router counted on the publisher's leg.
    package mutating func addUplink(_ counters: LegCounters, at now: Duration) {
        uplink.add(.init(counters: counters, knownAt: now))
    }
    /// Takes what it counted on the subscriber's leg.
    package mutating func addUplinkFeedback(_ counters: LegCounters, at now: Duration) {
        uplinkFeedback.add(.init(counters: counters, knownAt: now))
    }

    /// The latest round trip time, seconds; `nil` before the first.
    ///
    /// Waits are made of it, so what an engine invents does not count beyond ``longestRoundTripTime``.
    package var roundTripTime: Double? {
        let heard = [uplinkRoundTripTimes.last?.value, receptions.last?.roundTripTime].compactMap(\.self)
        return heard.filter { $0 >= 0 }.map { min($0, Self.longestRoundTripTime) }.max()
    }

    /// The shortest of all to the media router, seconds; `nil` before the first.
    package var leastRoundTripTime: Double? {
        let heard = uplinkRoundTripTimes.map(\.value) + receptions.compactMap(\.roundTripTime)
        let all = heard + [firstRoundTripTime].compactMap(\.self)
        return all.filter { $0 >= 0 }.min().map { min($0, Self.longestRoundTripTime) }
    }

    /// Whether what is sent waits in a queue, by the round trips.
    package var isQueued: Bool {
        guard let now = roundTripTime, let least = leastRoundTripTime else { return false }
        return now - min(least, serverRoundTripTime ?? least) >= Self.queueingTime
    }

    /// Seconds; more than a Wi-Fi that is not loaded adds most of the time.
    private static let queueingTime = 0.04

    /// Seconds.
    private static let longestRoundTripTime = 60.0

    /// What arrived per second on everything, bps.
    package func uplinkRate(from start: Duration, to end: Duration) -> Double? {
        uplink.wireRate(from: start, to: end).map {
            $0 + (uplinkFeedback.wireRate(from: start, to: end) ?? 0)
        }
    }

    /// What arrived per second on everything, bps.
    package func downlinkRate(from start: Duration, to end: Duration) -> Double? {
        downlink.wireRate(from: start, to: end).map {
            $0 + (downlinkFeedback.wireRate(from: start, to: end) ?? 0)
        }
    }

    /// Whether nothing of what was last sent arrives, or so little that it must be in its own way.
    package func isCongested(at now: Duration) -> Bool {
        [uplink, downlink].contains { history in
            let loss = history.evidence(from: now - Self.moment, to: now).loss
            // What is lost is only known of once something arrives after it.
            return loss.fraction.map { $0 > Self.congestedLoss } ?? true
        }
    }

    /// Long enough for two readings of the media router's end.
    private static let moment: Duration = .milliseconds(600)
    private static let congestedLoss = 0.3

    /// The figures of a stretch of time.
    package func pass(from start: Duration, to end: Duration, isAudioOnly: Bool) -> PreCallMeasurement.Pass {
        var pass = PreCallMeasurement.Pass()
        pass.evidence.isAudioOnly = isAudioOnly
        pass.evidence.uplink = uplink.evidence(from: start, to: end)
        pass.evidence.downlink = downlink.evidence(from: start, to: end)
        pass.limitation = limitation(from: start, to: end)
        pass.evidence.isCPULimited = pass.limitation == .cpu
        for medium in [MediaKind.audio, .video] {
            pass.uplinkJitter[medium] = uplink.jitter(medium, from: start, to: end)
            pass.downlinkJitter[medium] = downlink.jitter(medium, from: start, to: end)
        }
        pass.uplinkRoundTripTime =
            uplinkRoundTripTimes.filter { $0.at >= start && $0.at <= end }.map(\.value).mean
        let heard = receptions.filter { $0.knownAt >= start && $0.knownAt <= end }
        pass.downlinkRoundTripTime = heard.compactMap(\.roundTripTime).mean
        if let first = heard.first, let last = heard.last {
            score(ReceptionScore(first: first, last: last), &pass)
        }
        return pass
    }

    private func score(_ reception: ReceptionScore, _ pass: inout PreCallMeasurement.Pass) {
        pass.audioMOS = reception.audio
        guard !pass.evidence.isAudioOnly else { return }
        pass.frameRate = reception.frameRate
        pass.videoMOS = reception.video(
            bitrate: pass.evidence.downlink.video.bitrate, isLimited: pass.limitation != nil)
    }

    /// What limited the encoder for more than half of the time.
    private func limitation(from start: Duration, to end: Duration) -> PreCallLimitation? {
        let within = limitations.filter { $0.at >= start && $0.at <= end }
        return [PreCallLimitation.cpu, .bandwidth].first { wanted in
            within.count { $0.reason == wanted } * 2 > within.count
        }
    }
}

extension PreCallLimitation {
    /// What limits the sent video now; `nil` if nothing does.
    fileprivate init?(_ report: StatsReport) {
        let reasons = report.outboundRTP.compactMap { $0.qualityLimitationReason }
        if reasons.contains(.cpu) {
            self = .cpu
        } else if reasons.contains(.bandwidth) {
            self = .bandwidth
        } else {
            return nil
        }
    }
}
