// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire
import WebRTCStats

/// The network test of a page, which reads, and does what the server says; here it is decided and judged.
///
/// It is the SDK's: the same plan and the same judge, in the page's time. What the media router counts is dated by
/// that, too: by how late the page's messages come, of which the fastest counts.
///
/// Pure, and of bounded size.
struct HostedNetworkTest: Sendable {
    /// A reading, and what its leg is to the test's stream.
    struct Reading: Sendable {
        let content: ClientMessage.NetworkTest.Reading
        let role: StreamRole

        init(_ content: ClientMessage.NetworkTest.Reading, of role: StreamRole) {
            self.content = content
            self.role = role
        }

        var time: Duration { .milliseconds(content.time) }
    }

    /// One of its connections.
    private struct Leg: Sendable {
        var rebuilder = ReportRebuilder()
        /// What the media router counted and the plan has not seen yet, and when it came.
        var counters: [(counters: LegCounters, at: Duration)] = []
        /// What it counted last.
        var latest: LegCounters?
    }

    /// Longest test.
    private static let longest: Duration = .seconds(120)
    /// Most readings of a test.
    private static let readingLimit = 4096
    /// Most counters of a leg that wait for the page's next message: of half a minute.
    private static let counterLimit = 128
    /// Most legs: a test makes its connections again a few times.
    private static let legLimit = 64

    private let rules: PreCallRules
    private let began: Duration
    private var findings = PreCallFindings()
    /// `nil` before media flow.
    private var plan: QualityPlan?
    /// Whether the page knows how long it may take.
    private var hasLimit = false
    private var legs: [LegName: Leg] = [:]
    private var readings = 0
    /// From the page's clock to the server's, by the message that came fastest.
    private var offset: Duration?

    init(rules: PreCallRules, at now: Duration) {
        self.rules = rules
        began = now
    }

    /// Notes what the media router's end of a leg has counted.
    ///
    /// - Returns: Whether the page has to hear of it: whether the router has keys is all that it goes by itself.
    @discardableResult
    mutating func note(_ counters: LegCounters, of leg: LegName, at now: Duration) -> Bool {
        let isNew = counters.isConnected != (legs[leg]?.latest?.isConnected ?? false)
        guard legs[leg] != nil || legs.count < Self.legLimit else { return isNew }
        legs[leg, default: Leg()].latest = counters
        if let waiting = legs[leg]?.counters.count, waiting < Self.counterLimit {
            legs[leg]?.counters.append((counters, now))
        }
        return isNew
    }

    /// Takes what the page says, and tells it what to do.
    ///
    /// - Throws: ``ServerError`` if the test takes more than one may, or its readings are not in order.
    mutating func take(
        _ request: ClientMessage.NetworkTest, _ readings: [Reading], at now: Duration
    ) throws(ServerError) -> ServerMessage.NetworkTest {
        self.readings += readings.count
        guard now - began <= Self.longest, self.readings <= Self.readingLimit else {
            throw ServerError(.tooMany, "a network test takes \(Self.longest.seconds) seconds at most")
        }
        let time = Duration.milliseconds(request.time)
        offset = min(offset ?? now - time, now - time)
        if case .measuring(let fillsUplink, let isUnanswered) = request.course {
            startPlan(fillsUplink: fillsUplink, at: time)
            if isUnanswered == true { plan?.noteNoAnswer() }
        }
        for reading in readings { try take(reading) }
        if case .ended(let outcome) = request.course {
            if outcome.failure == nil { endPlan(at: time) }
            return .init(result: end(outcome, at: time))
        }
        guard case .measuring = request.course, let actions = plan?.tick(at: time) else {
            return .init(limit: takeLimit())
        }
        if let plan { findings.note(plan) }
        return .init(actions: actions, limit: takeLimit())
    }

    /// How long the test may take, ms; once, since it does not change.
    private mutating func takeLimit() -> Double? {
        guard !hasLimit else { return nil }
        hasLimit = true
        return PreCallDeadlines(rules, begin: .zero).test.milliseconds
    }

    /// A page whose time is up asks for the verdict, whatever it was doing.
    private mutating func endPlan(at now: Duration) {
        _ = plan?.end(at: now)
        if let plan { findings.note(plan) }
    }

    private mutating func startPlan(fillsUplink: Bool, at now: Duration) {
        if plan == nil {
            plan = QualityPlan(
                rules: rules, testBegan: .zero, at: now, measurements: findings.firstMeasurements,
                isAsked: true)
        }
        if !fillsUplink { plan?.leaveUplinkUnfilled() }
    }
}

// MARK: - What is read

extension HostedNetworkTest {
    private mutating func take(_ reading: Reading) throws(ServerError) {
        let name = reading.content.leg
        guard legs[name] != nil || legs.count < Self.legLimit else {
            throw ServerError(.tooMany, "too many legs")
        }
        guard let report = legs[name, default: Leg()].rebuilder.add(reading.content.changes) else {
            throw .lostBase
        }
        guard plan != nil else { return noteConnectivity(report, reading) }
        switch reading.role {
        case .publisher: plan?.measurements.addPublisher(report, at: reading.time)
        case .subscriber: plan?.measurements.addSubscriber(report, at: reading.time)
        }
        takeCounters(of: name, reading.role)
    }

    /// Before media flow: how the media router was reached, and what of each end's packets arrived.
    private mutating func noteConnectivity(_ report: StatsReport, _ reading: Reading) {
        // The publisher's connection is looked at first, and knows as much as the other.
        if findings.connectivity.selectedCandidatePair == nil {
            findings.connectivity = PreCallReport.Connectivity(report)
        }
        findings.firstMeasurements.note(roundTripTime: report.selectedCandidatePair?.currentRoundTripTime)
        let name = reading.content.leg
        findings.connectivityCounters.add(
            leg: name, own: LegCounters(report), far: legs[name]?.latest, at: reading.time)
    }

    /// Hands over what the media router has counted of a leg, in the page's time.
    private mutating func takeCounters(of name: LegName, _ role: StreamRole) {
        let waiting = legs[name]?.counters ?? []
        legs[name]?.counters = []
        for (counters, arrival) in waiting {
            let knownAt = arrival - (offset ?? .zero)
            switch role {
            case .publisher: plan?.measurements.addUplink(counters, at: knownAt)
            case .subscriber: plan?.measurements.addUplinkFeedback(counters, at: knownAt)
            }
        }
    }
}

// MARK: - The end

extension HostedNetworkTest {
    private func end(
        _ outcome: ClientMessage.NetworkTest.Outcome, at time: Duration
    ) -> ServerMessage.NetworkTest.Result {
        let duration = time.milliseconds
        let report = PreCallReportBuilder(
            // A page publishes one layer.
            rules: rules, assumesSimulcast: false, findings: findings, steps: outcome.steps
        ).report(
            timing: .init(start: outcome.start, end: outcome.start + duration, duration: duration),
            failure: failure(outcome))
        return .init(report)
    }

    private func failure(_ outcome: ClientMessage.NetworkTest.Outcome) -> PreCallFailure? {
        if let failure = outcome.failure {
            return PreCallFailure(step: failure.step, code: failure.code, found: failure.message)
        }
        if plan?.knowsVerdict == true { return nil }
        return PreCallFailure(
            step: outcome.steps.last?.step ?? .mediaReceived, code: "timeout",
            found: "the test was over before anything was known")
    }
}
