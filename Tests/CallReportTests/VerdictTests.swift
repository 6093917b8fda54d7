// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing

@testable import CallRecording
@testable import CallReport

@Suite("The verdict of a report")
struct VerdictTests {
    private static func timeline(_ views: (StreamRole, [DiagnosisInterval])...) -> CallTimeline {
        CallTimeline(
            views: views.enumerated().map { index, view in
                CallView(
                    id: .init(recording: 0, peerConnection: "\(index)", role: view.0), reports: 60,
                    intervals: view.1)
            })
    }

    private static func interval(
        _ seconds: ClosedRange<Double>, _ cause: Diagnosis.Cause, _ direction: IntervalDirection? = nil,
        _ side: NetworkDegradationSource? = nil, _ severity: Diagnosis.Severity? = nil
    ) -> DiagnosisInterval {
        .init(
            from: seconds.lowerBound * 1000, to: seconds.upperBound * 1000, cause: cause,
            direction: direction,
            side: side, severity: severity)
    }

    @Test("says what was worst, for how long, when it began, on whose side, and what to do")
    func worst() {
        let verdict = ReportVerdict(
            Self.timeline(
                (
                    .subscriber,
                    [
                        Self.interval(0...20, .none),
                        Self.interval(20...50, .packetLoss, .downlink, .local, .bad),
                        Self.interval(50...90, .none),
                    ]
                ),
                (
                    .publisher,
                    [Self.interval(0...88, .none), Self.interval(88...90, .cpu, .local, nil, .noticeable)]
                )))
        #expect(
            verdict.finding
                == "The call was bad for 30 s of 1:30 minutes, first at 0:20: packet loss on the receiving side's network."
        )
        #expect(verdict.advice.hasPrefix("On the receiving side, use a cable"))
        #expect(verdict.severity == .bad)
    }

    @Test("counts once what both ends show, and names what else weighs much")
    func bothEnds() {
        let verdict = ReportVerdict(
            Self.timeline(
                (.publisher, [Self.interval(0...40, .packetLoss, .uplink, nil, .disturbing)]),
                (
                    .subscriber,
                    [
                        Self.interval(10...45, .packetLoss, .uplink, .remote, .disturbing),
                        Self.interval(45...70, .bandwidth, .downlink, .local, .disturbing),
                    ]
                )))
        #expect(
            verdict.finding
                == "The call was disturbed for 45 s of 1:10 minutes, first at 0:00: packet loss on the sending side's "
                + "network; there was also too little bandwidth on the receiving side's network.")
    }

    @Test("loss that the receiver cannot place is not the sender's because it is reported to it")
    func unclearLoss() {
        func finding(_ side: NetworkDegradationSource, receiver recording: Int = 1) -> String {
            let direction: IntervalDirection = side == .remote ? .uplink : .downlink
            return ReportVerdict(
                CallTimeline(views: [
                    CallView(
                        id: .init(recording: 0, peerConnection: "a", role: .publisher), reports: 60,
                        intervals: [
                            Self.interval(0...22, .none),
                            Self.interval(22...50, .packetLoss, .uplink, nil, .disturbing),
                            Self.interval(50...60, .none),
                        ]),
                    CallView(
                        id: .init(recording: recording, peerConnection: "b", role: .subscriber), reports: 60,
                        intervals: [
                            Self.interval(0...20, .none),
                            Self.interval(20...54, .packetLoss, direction, side, .disturbing),
                            Self.interval(54...60, .none),
                        ]),
                ])
            ).finding
        }
        let begin = "The call was disturbed for 34 s of 1:00 minutes, first at 0:20: packet loss on "
        #expect(finding(.bothOrUnclear) == begin + "both sides, or between them.")
        #expect(finding(.remote) == begin + "the sending side's network.")
        // What someone receives says nothing of what they send.
        let also = "; there was also packet loss on the sending side's network."
        #expect(finding(.bothOrUnclear, receiver: 0) == begin + "both sides, or between them" + also)
    }

    @Test("a call is as bad as it was for half of the time, and what was worse is said with its time")
    func peak() {
        var timeline = Self.timeline(
            (
                .subscriber,
                [
                    Self.interval(0...65, .none), Self.interval(65...100, .cpu, nil, .remote, .bad),
                    Self.interval(100...110, .none),
                ]
            ),
            (.publisher, [Self.interval(0...90, .none), Self.interval(90...98, .cpu, nil, nil, .disturbing)]))
        timeline.views[0].observations = (0..<110).map { second in
            let isSlow = (65..<100).contains(second)
            let severity: Diagnosis.Severity = second < 68 ? .bad : .disturbing
            let time = Double(second) * 1000
            let observation = SubscriberObservation(
                timestamp: time,
                diagnosis: isSlow ? Diagnosis(cause: .cpu, severity: severity) : Diagnosis(cause: .none))
            return CallObservation(time: time, content: .subscriber(observation))
        }
        let verdict = ReportVerdict(timeline)
        #expect(
            verdict.finding
                == "The call was disturbed for 35 s of 1:50 minutes, first at 1:05, and bad for 3 s of that: "
                + "overloaded processor on the sending side's device.")
        #expect(verdict.severity == .disturbing)
    }

    @Test("what several views show of a moment counts once, as bad as the worst of them")
    func severityTimes() {
        let times = SeverityTimes([
            .init(from: 0, to: 10, severity: .noticeable), .init(from: 4, to: 6, severity: .unusable),
            .init(from: 5, to: 14, severity: .bad), .init(from: 20, to: 24, severity: nil),
            .init(from: 30, to: 30, severity: .unusable),
        ])
        #expect(times.length == 18 && times.usual == .bad && times.weight == 4 * 2 + 3 * 8 + 8)
        #expect(times.peak?.severity == .unusable && times.peak?.length == 2)
        #expect(SeverityTimes().usual == nil && SeverityTimes().peak == nil)
    }

    @Test("a connection between two ends over which nothing came is on no side, also by the sender's view")
    func connection() {
        let verdict = ReportVerdict(
            Self.timeline(
                (.publisher, [Self.interval(20...28, .connection, .both, nil, .unusable)]),
                (.subscriber, [Self.interval(20...28, .connection, .both, .bothOrUnclear, .unusable)])))
        #expect(
            verdict.finding
                == "The call was unusable for 8 s of 8 s, first at 0:00: interrupted connection on both sides, or between "
                + "them.")
    }

    @Test("says what arrived in the bad time, for a bad network is not always heard and seen")
    func scores() {
        var timeline = Self.timeline(
            (
                .subscriber,
                [Self.interval(0...20, .none), Self.interval(20...30, .packetLoss, .downlink, .local)]
            ))
        timeline.views[0].observations = [(5.0, 4.4), (22, 3.0), (25, 3.5), (28, nil)].map { time, score in
            var observation = SubscriberObservation(timestamp: time * 1000)
            observation.audio = MediaFigures()
            observation.audio?.mos = score
            return CallObservation(time: time * 1000, content: .subscriber(observation))
        }
        let verdict = ReportVerdict(timeline)
        #expect(verdict.finding.hasSuffix("network. What arrived then scores 3.3 for audio, of 5."))
        timeline.views[0].observations = []
        #expect(ReportVerdict(timeline).finding.hasSuffix("network."))
    }

    @Test("scores are of the times in spans, which may overlap and stand in any order")
    func spans() {
        var timeline = Self.timeline((.subscriber, []))
        timeline.views[0].observations = [(1.0, 1.0), (2, 5), (7, 2), (9, 5), (12, 3), (20, 5)].map {
            var observation = SubscriberObservation(timestamp: $0 * 1000)
            observation.audio = MediaFigures()
            observation.audio?.mos = $1
            return CallObservation(time: $0 * 1000, content: .subscriber(observation))
        }
        func score(_ spans: [(from: Double, to: Double)]) -> Double? {
            MediaScores(timeline, in: spans.map { ($0.from * 1000, $0.to * 1000) }).audio
        }
        #expect(score([(10, 12), (5, 8), (6, 7), (0, 1)]) == 2)
        #expect(score([(0, 30), (3, 4)]) == 3.5)
        #expect(score([(3, 6), (13, 14), (21, 30)]) == nil && score([]) == nil)
    }

    @Test("says that a call was fine, and that it cannot tell")
    func nothing() {
        #expect(
            ReportVerdict(Self.timeline((.subscriber, [Self.interval(0...59, .none)]))).finding
                == "The call was fine: nothing was wrong in 59 s.")
        let unknown = ReportVerdict(Self.timeline((.subscriber, [Self.interval(0...59, .unknown)])))
        #expect(unknown.finding.contains("not enough data") && unknown.severity == nil)
    }

    @Test("a call of which no second was bad is not called fine if something kept someone from taking part")
    func problems() {
        var timeline = Self.timeline((.subscriber, [Self.interval(0...19, .none)]))
        let severities: [Finding.Severity] = [.information, .problem, .warning, .problem, .problem]
        timeline.findings = severities.enumerated().map { index, severity in
            Finding(
                kind: .connectionDropped, severity: severity, recording: 0, from: 0, to: 0, evidence: [],
                sentence: "Finding \(index).", advice: "Advice \(index).", tags: [])
        }
        let verdict = ReportVerdict(timeline)
        #expect(verdict.finding == "Finding 1. Finding 3." && verdict.advice == "Advice 1. Advice 3.")
        #expect(verdict.severity == .unusable)
        timeline.findings.removeAll { $0.severity == .problem }
        #expect(ReportVerdict(timeline).finding == "The call was fine: nothing was wrong in 19 s.")
        #expect(ReportVerdict(timeline).severity == nil)
    }

    @Test("has advice for every cause and side")
    func advice() {
        for cause in Diagnosis.Cause.allCases {
            for place in [IssueLocation.sender(nil), .receiver(nil), .receiver("bob"), .both, .unknown] {
                let advice = ReportVerdict.advice(cause, place)
                #expect(advice.hasSuffix("."))
                if place == .sender(nil) { #expect(!advice.contains("receiving side"), "\(cause)") }
                if place.name.contains("receiving") { #expect(!advice.contains("sending side"), "\(cause)") }
                #expect(!CallIssue(cause: cause, place: place, first: 0).words.isEmpty)
            }
        }
    }

    @Test("axes end at round numbers")
    func axes() {
        let ends = [0.3, 1, 7, 12, 99, 101, 2300, 0, .nan].map(Chart.round(up:))
        #expect(ends == [0.5, 1, 10, 20, 100, 200, 2500, 1, 1])
        #expect(TimeTicks.times(over: 95_000, count: 5) == [0, 30_000, 60_000, 90_000])
    }

    @Test("numbers are short, and a dash where there is none")
    func figures() {
        #expect(
            NumberFormat.plain(1.25, decimals: 1) == "1.3" && NumberFormat.plain(-0.04) == "0"
                && NumberFormat.plain(.nan) == "–")
        #expect(
            NumberFormat.bytes(5_000_000) == "5 MB" && NumberFormat.bytes(nil) == "–"
                && NumberFormat.rate(950_400) == "950 kbit/s")
        #expect(
            NumberFormat.clock(65_000) == "1:05" && NumberFormat.length(59_400) == "59 s"
                && NumberFormat.percent(0.061) == "6.1 %")
    }
}
