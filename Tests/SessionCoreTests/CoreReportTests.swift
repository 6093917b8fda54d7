// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import RouterWire
import SessionWire
import Testing
import WebRTCStats

@testable import SessionCore

/// Clients that work nothing out themselves, as browsers do.
@Suite("Judging raw reports")
struct CoreReportTests {
    /// Alice publishes audio and bob receives it; both send raw reports.
    private struct Call {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: false), run: 1))
        private var uplink: LegScript
        private var downlink: LegScript
        /// What alice's end sends and bob's receives; a browser's report has the form of the router's.
        private var sent: LegScript
        private var received: LegScript
        private var number = 0
        private let skew: Double
        let stream: String
        /// What packets show the router of both paths.
        var timing: PathTiming?

        /// - Parameter skew: How far the clients' clocks are ahead, ms.
        init(skew: Double = 0) {
            self.skew = skew
            scenario.join("alice")
            let stream = scenario.publish("alice", "cam")
            self.stream = stream
            scenario.join("bob")
            scenario.subscribe("bob", "s", stream)
            uplink = LegScript(.publisher, scenario.routerName("alice", "cam"), stream)
            downlink = LegScript(.subscriber, scenario.routerName("bob", "s"), stream)
            sent = LegScript(.subscriber, "cam", stream, skew: skew)
            received = LegScript(.publisher, "s", stream, skew: skew)
        }

        /// Lets seconds pass with losses on both paths.
        mutating func run(
            _ seconds: Int, up: Double = 0, down: Double = 0, _ also: (inout Self) -> Void = { _ in }
        ) {
            for _ in 0..<seconds {
                scenario.pass(.seconds(1))
                for var report in [uplink.next(loss: up), downlink.next(loss: down)] {
                    report.pathTiming = timing
                    scenario.put(.router(.report(report), from: .first))
                }
                report("alice", "cam", sent.next(loss: up).stats)
                report("bob", "s", received.next(loss: down).stats)
                also(&self)
            }
        }

        /// Of what alice sends, in seconds.
        var roundTripTime: Double {
            get { sent.roundTripTime }
            set { sent.roundTripTime = newValue }
        }

        mutating func report(_ client: String, _ leg: LegName, _ report: StatsReport) {
            number += 1
            let event = TelemetryEvent(
                eventId: "e\(number)", capturedAt: scenario.now.unix + skew, leg: leg, report: report)
            scenario.send(client, .telemetry(.init(events: [event])))
        }

        /// The last samples that the clients' own reports were made.
        func samples(_ role: StreamRole) -> [StreamSample] {
            let flows = scenario.stored.compactMap { record -> FlowKey? in
                if case .flow(let flow) = record, flow.role == role { flow.key } else { nil }
            }
            return scenario.stored.compactMap { record in
                guard case .sample(let sample) = record, sample.observer == .client,
                    flows.contains(sample.flow)
                else { return nil }
                return sample.sample
            }
        }
    }

    @Test("loss on a browser's downlink is its own network's, as the router's facts about the uplink tell")
    func downlink() throws {
        var call = Call()
        // No one says what layer is wanted, so bandwidth is given up on before the loss alone counts.
        call.run(15)
        let clean = try #require(call.samples(.subscriber).last)
        #expect(clean.networkCondition == .excellent, "\(clean)")
        #expect(clean.diagnosis?.cause == Diagnosis.Cause.none)
        // No one at the receiving end of a peer connection can measure what the path would carry.
        #expect(clean.connectionEstimatedBandwidth == 1_000_000)
        call.run(10, down: 0.1)
        let bad = try #require(call.samples(.subscriber).last)
        #expect(bad.diagnosis?.cause == .packetLoss && bad.diagnosis?.side == .local)
        #expect([.warning, .critical].contains(bad.networkCondition))
    }

    @Test("loss on the publisher's uplink is blamed on the other side")
    func uplink() throws {
        var call = Call()
        call.run(10)
        call.run(10, up: 0.2)
        let bad = try #require(call.samples(.publisher).last)
        #expect(bad.diagnosis?.cause == .packetLoss)
        let other = try #require(call.samples(.subscriber).last)
        #expect(other.networkDegradationSource == .remote)
    }

    @Test("losses beyond what a Double holds exactly, of one stream of three, are judged without a trap")
    func enormousLosses() {
        var call = Call()
        for second in 1...6 {
            call.scenario.pass(.seconds(1))
            var report = StatsReport(timestamp: 1_000_000 + 1000 * Double(second))
            report.inboundRTP = (1...UInt64(3)).map { ssrc in
                var stream = InboundRTPStats(id: "I\(ssrc)", timestamp: report.timestamp)
                (stream.kind, stream.ssrc) = (.audio, ssrc)
                stream.packetsReceived = UInt64(ssrc == 1 ? second : 50 * second)
                stream.packetsLost = ssrc == 1 ? Int64(second - 1) * 9_007_199_254_740_995 : 0
                return stream
            }
            call.report("bob", "s", report)
        }
        #expect(call.samples(.subscriber).count == 6)
    }

    @Test(
        "a client's reports of hundreds of streams are judged a few times, those as engines make them always")
    func wideReports() {
        var call = Call()
        func judged(_ streams: UInt64, _ seconds: Int) -> Int {
            let before = call.samples(.subscriber).count
            for second in 1...seconds {
                call.scenario.pass(.seconds(1))
                var report = StatsReport(timestamp: call.scenario.now.unix)
                report.inboundRTP = (1...streams).map { ssrc in
                    var stream = InboundRTPStats(id: "I\(ssrc)", timestamp: report.timestamp)
                    (stream.kind, stream.ssrc, stream.packetsReceived) = (.audio, ssrc, UInt64(50 * second))
                    return stream
                }
                for _ in 0..<3 { call.report("bob", "s", report) }
            }
            return call.samples(.subscriber).count - before
        }
        let (few, many) = (judged(16, 40), judged(512, 40))
        #expect(few == 120)
        #expect(many < 110, "\(many)")
    }

    @Test("a client is sent what its raw reports are judged to say, whenever that changes, without figures")
    func told() throws {
        var call = Call()
        func told(_ client: String) -> [LegJudgement] {
            call.scenario.bodies(client).compactMap {
                if case .judged(let news) = $0 { news } else { nil }
            }
        }
        call.run(15)
        let clean = told("bob")
        #expect(clean.allSatisfy { $0.leg == "s" } && clean.count < 8, "\(clean)")
        #expect(clean.last?.sample.networkCondition == .excellent && clean.last?.sentence == nil)
        #expect(clean.last?.sample.levels?.audio?.level == .five)
        call.run(10, down: 0.1)
        let bad = told("bob")
        let last = try #require(bad.last)
        #expect(last.sample.diagnosis?.cause == .packetLoss && last.sample.diagnosis?.side == .local)
        #expect(last.sentence?.contains("what you receive") == true, "\(last)")
        #expect(bad.flatMap { $0.sample.events ?? [] }.contains { $0.isAlarm })
        for one in clean + bad {
            #expect(one.sample.diagnosis?.evidence == nil && one.sample.audio == nil)
            #expect(one.sample.levels?.audio?.fractionLost == nil && one.sample.roundTripTime == nil)
        }
        // Nothing is said twice but what happens.
        for (one, next) in zip(bad, bad.dropFirst()) where next.sample.events == nil {
            var before = one
            before.sample.events = nil
            #expect(before != next)
        }
        #expect(told("alice").allSatisfy { $0.leg == "cam" && $0.sentence == nil })
    }

    @Test(
        "the start of an issue is stored by the server's clock, and sent by the client's own",
        arguments: [0, -3_600_000, 3_600_000])
    func since(skew: Double) throws {
        var call = Call(skew: skew)
        call.run(15)
        let begin = call.scenario.now.unix
        call.run(10, down: 0.1)
        let stored = try #require(call.samples(.subscriber).last?.diagnosis)
        #expect(stored.cause == .packetLoss)
        let since = try #require(stored.since)
        #expect(since > begin && since < begin + 10_000)
        let sent = call.scenario.bodies("bob").compactMap { body in
            if case .judged(let news) = body { news.sample.diagnosis } else { nil }
        }
        #expect(sent.last?.cause == .packetLoss && sent.last?.since == since + skew)
    }

    @Test("a client that judges itself is sent nothing of it")
    func ownJudgement() {
        var call = Call()
        let event = TelemetryEvent(eventId: "x", capturedAt: 1, leg: "s", sample: StreamSample())
        call.scenario.send("bob", .telemetry(.init(events: [event])))
        #expect(!call.scenario.bodies("bob").contains { if case .judged = $0 { true } else { false } })
    }

    @Test("the router's facts go to who judges itself; for who sends raw reports they are used here")
    func facts() {
        var call = Call()
        call.scenario.join("carol")
        call.scenario.subscribe("carol", "hers", call.stream)
        var hers = LegScript(.subscriber, call.scenario.routerName("carol", "hers"), call.stream)
        call.run(1)
        for client in ["alice", "bob", "carol"] { _ = call.scenario.inbox(client) }
        for _ in 0..<5 {
            call.run(1)
            call.scenario.put(.router(.report(hers.next(loss: 0)), from: .first))
        }
        let counts = ["alice", "bob", "carol"].map { client in
            call.scenario.bodies(client).count { if case .facts = $0 { true } else { false } }
        }
        #expect(counts == [0, 0, 5])
    }

    @Test("what packets show the router of a browser's path is known of either end")
    func pathTimings() {
        var call = Call()
        let isKept = call.scenario.keepReports(until: .infinity)
        #expect(isKept)
        call.timing = PathTiming(capacityBound: 2_000_000, sustainedDelay: 0.01)
        call.run(5)
        let known = call.scenario.stored.compactMap { record -> [PathTiming]? in
            guard case .report(let report) = record else { return nil }
            return report.context?.remote?.pathTimings?.map(\.value)
        }
        #expect(known.count >= 8 && known.allSatisfy { $0 == [call.timing] }, "\(known)")
    }

    @Test(
        "a download that fills a browser's downlink is no lack of uplink, though round trips are longer",
        arguments: [true, false])
    func queueBeside(isReceiving: Bool) throws {
        var call = Call()
        let other = call.scenario.publish("bob", "his")
        call.scenario.subscribe("alice", "from bob", other)
        var received = LegScript(.publisher, "from bob", other)
        for second in 0..<60 {
            if second >= 20 {
                call.roundTripTime = 0.17 + 0.02 * Double(second - 20)
                (received.roundTripTime, received.jitter) = (call.roundTripTime, 0.03)
            }
            call.run(1) { if isReceiving { $0.report("alice", "from bob", received.next().stats) } }
        }
        let flow = try #require(
            call.scenario.stored.lazy.compactMap { record -> FlowKey? in
                if case .flow(let flow) = record, flow.role == .publisher { flow.key } else { nil }
            }.first)
        let causes = call.scenario.stored.compactMap { record -> Diagnosis.Cause? in
            guard case .sample(let sample) = record, sample.observer == .client, sample.flow == flow else {
                return nil
            }
            return sample.sample.diagnosis?.cause
        }
        // It is taken for that where nothing else is known.
        #expect(causes.contains(.bandwidth) == !isReceiving, "\(causes)")
    }

    @Test("what raw reports say counts among the network quality levels")
    func levels() throws {
        var call = Call()
        call.scenario.join("carol")
        call.scenario.send("carol", .networkQuality(.init(remote: .detailed)))
        call.run(10)
        let notified = call.scenario.bodies("carol").compactMap { body -> NetworkQualityUpdate? in
            if case .networkQuality(let update) = body { update } else { nil }
        }
        #expect(notified.flatMap(\.participants).contains { $0.quality.level == .five })
        #expect(call.samples(.subscriber).last?.levels?.audio?.level == .five)
    }

    @Test("each way of a relayed publication is judged by itself, and its subscriber is notified")
    func relayed() throws {
        var call = RelayedCall(senderStatsTrack: true)
        _ = try call.connect("d1")
        call.scenario.join("carol")
        call.subscribe("carol", "hers")
        let carol = call.scenario.bodies("carol").compactMap { body -> String? in
            if case .subscribed(let subscribed) = body { subscribed.subscriberId } else { nil }
        }
        call.relay("d2", try #require(carol.first))
        let offered = try #require(call.offers("carol").last)
        call.scenario.send("carol", .answer(.init(leg: offered.leg, answer: "a")))
        var scripts = ["d1", "d2"].map { LegScript(.subscriber, $0, "") }
        for second in 0..<15 {
            call.scenario.pass(.seconds(1))
            for index in scripts.indices {
                let stats = scripts[index].next(loss: index == 1 ? 0.2 : 0).stats
                let event = TelemetryEvent(
                    eventId: "\(index)-\(second)", capturedAt: call.scenario.now.unix,
                    leg: scripts[index].leg, report: stats)
                call.scenario.send("alice", .telemetry(.init(events: [event])))
            }
        }
        let notified = ["bob", "carol"].map { client in
            call.scenario.bodies(client).compactMap { body -> StreamSample? in
                if case .facts(let facts) = body { facts.publisher?.sample } else { nil }
            }
        }
        #expect(notified[0].last?.networkCondition == .excellent && notified[0].last?.audio?.packetsLost == 0)
        #expect([.warning, .critical].contains(notified[1].last?.networkCondition))
        for client in ["carol", "bob", "alice"] { call.scenario.disconnect(client) }
        #expect(call.scenario.isClean)
    }

    @Test("one report for each second, however often it arrives")
    func duplicates() {
        var call = Call()
        call.run(3)
        #expect(call.samples(.subscriber).count == 3)
    }
}
