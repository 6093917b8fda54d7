// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import CallStore
import HistoryWriter
import RouterWire
import SessionWire
import TestSupport
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("What the core has stored")
struct CoreStoringTests {
    private static let names = StoredNames.test(secret: "secret", keepsNames: false)

    private static func scenario(keepsNames: Bool = false) -> CoreScenario {
        CoreScenario(storing: CoreStoring(names: .test(secret: "secret", keepsNames: keepsNames), run: 1))
    }

    private static func telemetry(
        _ id: String, leg: LegName = "pub", at time: Double, _ condition: String = "good"
    ) -> ClientMessage.Body {
        var sample = StreamSample()
        sample.networkCondition = NetworkCondition(name: condition)
        return .telemetry(.init(events: [.init(eventId: id, capturedAt: time, leg: leg, sample: sample)]))
    }

    private static func samples(_ records: [StoreRecord]) -> [SampleRecord] {
        records.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }

    private static func events(_ records: [StoreRecord]) -> [String] {
        records.compactMap { if case .event(let event) = $0 { event.type } else { nil } }
    }

    @Test("what a client says of the call is stored, so often and no more; without a store it is refused")
    func rating() throws {
        var scenario = Self.scenario()
        scenario.join("alice")
        _ = scenario.inbox("alice")
        let rating = try CallRating(2, reason: "echo", comment: "I heard myself.")
        scenario.send("alice", .rate(rating))
        #expect(scenario.bodies("alice") == [.done])
        let stored = scenario.stored.compactMap { if case .rating(let record) = $0 { record } else { nil } }
        #expect(
            stored == [
                RatingRecord(
                    connection: scenario.connection("alice"), rating: rating, time: scenario.now.unix)
            ])
        for _ in 0..<20 { scenario.send("alice", .rate(rating)) }
        #expect(scenario.errors("alice").suffix(10).allSatisfy { $0 == .tooMany })
        #expect(scenario.stored.count { if case .rating = $0 { true } else { false } } == 10)
        scenario.join("bob")
        _ = scenario.inbox("bob")
        scenario.send("bob", .rate(rating))
        #expect(scenario.bodies("bob") == [.done])
        var forgetful = CoreScenario()
        forgetful.join("alice")
        _ = forgetful.inbox("alice")
        forgetful.send("alice", .rate(rating))
        #expect(forgetful.errors("alice").compactMap(\.self).count == 1)
    }

    @Test("telemetry is acknowledged when it is stored, and not before")
    func acknowledgement() throws {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        _ = scenario.inbox("alice")
        let id = scenario.send("alice", Self.telemetry("e1", at: scenario.now.unix))
        #expect(scenario.bodies("alice").isEmpty)
        scenario.put(.stored(scenario.receipts))
        let answer = try #require(scenario.inbox("alice").first)
        #expect(answer.re == id)
        #expect(answer.body == .acknowledged(.init(eventIds: ["e1"], receivedAt: scenario.now.unix)))
        scenario.put(.stored(scenario.receipts))
        #expect(scenario.bodies("alice").isEmpty)
    }

    @Test("telemetry that was dropped is refused, and stored when it is sent again")
    func dropped() {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        _ = scenario.inbox("alice")
        scenario.send("alice", Self.telemetry("e1", at: scenario.now.unix))
        for receipt in scenario.receipts { scenario.put(.notStored(receipt)) }
        #expect(scenario.errors("alice") == [.tooMany])
        scenario.send("alice", Self.telemetry("e1", at: scenario.now.unix))
        #expect(scenario.receipts.count == 2 && Self.samples(scenario.stored).count == 2)
    }

    @Test("without a store telemetry is acknowledged at once")
    func noStore() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        _ = scenario.inbox("alice")
        scenario.send("alice", Self.telemetry("e1", at: scenario.now.unix))
        #expect(scenario.bodies("alice").count == 1 && scenario.stored.isEmpty)
    }

    @Test("a client's clock is set right by the quickest of its messages")
    func clock() {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        // An hour slow; the first message takes a second longer than the others.
        let skew = 3_600_000.0
        let start = scenario.now.unix
        scenario.pass(.seconds(1))
        scenario.send("alice", Self.telemetry("e1", at: start - skew))
        scenario.send("alice", Self.telemetry("e2", at: start + 1000 - skew))
        scenario.pass(.seconds(5))
        scenario.send("alice", Self.telemetry("e3", at: start + 2000 - skew))
        let times = Self.samples(scenario.stored).map { $0.mark.time - start }
        #expect(times == [1000, 1000, 2000])
        #expect(Self.samples(scenario.stored).map(\.mark.capturedAt).first == start - skew)
    }

    @Test("a client's clock that runs slow or fast is followed", arguments: [0.999, 1.001])
    func drift(rate: Double) throws {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        let start = scenario.now.unix
        for second in 1...1800 {
            scenario.pass(.seconds(1))
            scenario.send("alice", Self.telemetry("e\(second)", at: start + Double(second) * 1000 * rate))
        }
        let last = try #require(Self.samples(scenario.stored).last?.mark.time)
        // By then it is off by 1.8 s.
        #expect(abs(last - scenario.now.unix) < 700)
    }

    @Test("a time from before the client came, or after now, is the time of arrival")
    func impossibleTimes() {
        var scenario = Self.scenario()
        scenario.pass(.seconds(60))
        scenario.join("alice")
        let joined = scenario.now.unix
        scenario.publish("alice", "pub")
        scenario.pass(.seconds(20))
        let start = scenario.now.unix
        // Right; then from before the join, which was not held up for long enough to mean another clock; then the future.
        for (number, time) in [start, start - 40_000, joined - 500, start + 3_600_000].enumerated() {
            scenario.send("alice", Self.telemetry("e\(number)", at: time))
        }
        let times = Self.samples(scenario.stored).map(\.mark.time)
        #expect(times == [start, start, joined, start])
    }

    @Test(
        "after nonsense times, and after its clock was set back, a client's times are right again",
        arguments: [0, 1, SessionProtocol.timeLimit, 1_700_086_400_000] as [Double])
    func clockRecovers(nonsense: Double) {
        var scenario = Self.scenario()
        scenario.join("alice")
        let joined = scenario.now.unix
        scenario.publish("alice", "pub", senderStatsTrack: true)
        scenario.pass(.seconds(30))
        scenario.send("alice", Self.telemetry("n", at: nonsense))
        scenario.pass(.seconds(1))
        let start = scenario.now.unix
        scenario.send("alice", Self.telemetry("e1", at: start))
        scenario.pass(.seconds(10))
        scenario.send("alice", Self.telemetry("e2", at: start + 5000, "fair"))
        let times = Self.samples(scenario.stored).map(\.mark.time)
        #expect(times.first == joined + 30_000)
        #expect(times.dropFirst() == [start, start + 5000])
        // It is not taken for older than the nonsense.
        let stream = scenario.live?.streams.values.first
        #expect(stream?.sample?.sample.networkCondition == .fair)
    }

    @Test(
        "the start of an issue is given by the server's clock, too",
        arguments: [0, -3_600_000, 3_600_000])
    func since(skew: Double) {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        scenario.pass(.seconds(60))
        let now = scenario.now.unix
        for (event, since) in [("e1", now - 20_000), ("e2", now + 5000)] {
            var sample = StreamSample()
            sample.diagnosis = Diagnosis(cause: .packetLoss, since: since + skew)
            let captured = TelemetryEvent(eventId: event, capturedAt: now + skew, leg: "pub", sample: sample)
            scenario.send("alice", .telemetry(.init(events: [captured])))
        }
        #expect(Self.samples(scenario.stored).map(\.sample.diagnosis?.since) == [now - 20_000, now])
    }

    @Test(
        "after a step of the server's clock, what clients say is new, and has the new times",
        arguments: [-3600, -100, 100, 3600])
    func serverClockSteps(seconds: Int) {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub", senderStatsTrack: true)
        scenario.pass(.seconds(10))
        let clientClock = scenario.now.unix
        scenario.send("alice", Self.telemetry("e1", at: clientClock))
        scenario.setClock(by: .seconds(seconds))
        scenario.pass(.seconds(1))
        scenario.send("alice", Self.telemetry("e2", at: clientClock + 1000, "fair"))
        #expect(Self.samples(scenario.stored).last?.mark.time == scenario.now.unix)
        let stream = scenario.live?.streams.values.first
        #expect(stream?.sample?.sample.networkCondition == .fair)
        // What was measured before and comes late is still older.
        scenario.send("alice", Self.telemetry("e3", at: clientClock + 500, "bad"))
        let later = scenario.live?.streams.values.first
        #expect(later?.sample?.sample.networkCondition == .fair)
    }

    @Test(
        "whatever times come, none is stored outside the client's stay, and each is acknowledged",
        arguments: Seed.draw(10))
    func anyTimes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var scenario = Self.scenario()
        scenario.join("alice")
        let joined = scenario.now.unix
        scenario.publish("alice", "pub")
        _ = scenario.inbox("alice")
        for number in 0..<100 {
            scenario.pass(.milliseconds(Int.random(in: 0...2000, using: &random)))
            let near = scenario.now.unix + Double.random(in: -1e6...1e6, using: &random)
            let times = [
                0, 1, near, scenario.now.unix, SessionProtocol.timeLimit, 1e300, -1, .nan, -.infinity,
            ]
            let time = times[Int.random(in: 0..<times.count, using: &random)]
            let before = scenario.stored.count
            scenario.send("alice", Self.telemetry("e\(number)", at: time))
            let isTaken = (0...SessionProtocol.timeLimit).contains(time)
            #expect(scenario.errors("alice") == (isTaken ? [] : [.malformed]))
            let new = Self.samples(Array(scenario.stored[before...]))
            #expect(new.count == (isTaken ? 1 : 0))
            #expect(new.allSatisfy { (joined...scenario.now.unix).contains($0.mark.time) })
        }
    }

    @Test(
        "a client cannot have stored what only the server sees",
        arguments: ["sessionDestroyed", "connectionDestroyed", "mediaLost", "audioFallback"])
    func serverEvents(type: String) throws {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        _ = scenario.inbox("alice")
        let before = scenario.stored.count
        let json = """
            {"id": 99, "type": "telemetry", "events": [{"eventId": "e", "capturedAt": \(scenario.now.unix), "leg": "pub",
                "sample": {"events": [{"type": "\(type)", "reason": "none", "isAlarm": true}]}}]}
            """
        scenario.put(.message(scenario.socket("alice"), try ClientMessage(json: Array(json.utf8))))
        #expect(scenario.errors("alice") == [])
        #expect(Self.events(Array(scenario.stored.dropFirst(before))) == [])
    }

    @Test("lives are stored in the order in which they refer to each other, and end")
    func lives() {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.join("bob", .subscriber)
        let stream = scenario.publish("alice", "pub")
        scenario.subscribe("bob", "sub", stream)
        scenario.disconnect("alice")
        scenario.disconnect("bob")
        let kinds = scenario.stored.compactMap { record -> String? in
            switch record {
            case .session: "session"
            case .sessionEnded: "sessionEnded"
            case .connection: "connection"
            case .connectionLeft: "connectionLeft"
            case .stream: "stream"
            case .streamEnded: "streamEnded"
            case .flow(let flow): flow.role == .publisher ? "publication" : "subscription"
            case .flowEnded: "flowEnded"
            case .sample, .event, .report, .rating, .restorationOver, .callEnded: nil
            }
        }
        #expect(
            kinds == [
                "session", "connection", "connection", "stream", "publication", "subscription", "flowEnded",
                "flowEnded", "streamEnded", "connectionLeft", "connectionLeft",
            ])
        #expect(
            Self.events(scenario.stored) == [
                "sessionCreated", "connectionCreated", "connectionCreated", "streamCreated",
                "streamDestroyed", "connectionDestroyed", "connectionDestroyed",
            ])
    }

    @Test("names are replaced unless they are to be kept")
    func names() throws {
        for keepsNames in [false, true] {
            var scenario = Self.scenario(keepsNames: keepsNames)
            scenario.join("alice")
            scenario.publish("alice", "pub")
            let stored = scenario.stored
            let connection = try #require(
                stored.compactMap { if case .connection(let record) = $0 { record } else { nil } }.first)
            let stream = try #require(
                stored.compactMap { if case .stream(let record) = $0 { record } else { nil } }.first)
            #expect(connection.participant == Self.names.participant("alice"))
            #expect(connection.displayName == (keepsNames ? "alice" : nil))
            #expect(stream.content.name == (keepsNames ? "cam" : nil))
        }
    }

    @Test("what a tick caused is stored beside the sample, once each")
    func occurrences() {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        var sample = StreamSample()
        sample.events = [
            .callQuality(CallQualityWarning(kind: .highInboundJitter, phase: .trigger)),
            .callQuality(CallQualityWarning(kind: .highInboundJitter, phase: .recover)),
        ]
        let event = TelemetryEvent(eventId: "e", capturedAt: scenario.now.unix, leg: "pub", sample: sample)
        scenario.send("alice", .telemetry(.init(events: [event])))
        let marks = scenario.stored.compactMap { record -> EventMark? in
            switch record {
            case .event(let event) where event.type == "callQuality": event.mark
            case .sample(let sample): sample.mark
            default: nil
            }
        }
        #expect(marks.count == 3 && Set(marks).count == 3)
        #expect(Self.samples(scenario.stored).first?.sample.events == nil)
    }

    @Test("a raw report is made a sample of; it is kept itself only on request, and redacted")
    func reports() throws {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        func report(_ number: Int) -> ClientMessage.Body {
            var stream = OutboundRTPStats(id: "OT1", timestamp: scenario.now.unix)
            stream.kind = .video
            stream.packetsSent = UInt64(100 * number)
            stream.bytesSent = UInt64(100_000 * number)
            var report = StatsReport(timestamp: scenario.now.unix)
            report.outboundRTP = [stream]
            var candidate = CandidateStats(id: "L1", timestamp: scenario.now.unix)
            candidate.address = "192.0.2.77"
            report.localCandidates = [candidate]
            let event = TelemetryEvent(
                eventId: "r\(number)", capturedAt: scenario.now.unix, leg: "pub", report: report)
            return .telemetry(.init(events: [event]))
        }
        for number in 1...2 {
            scenario.send("alice", report(number))
            scenario.pass(.seconds(1))
        }
        let samples = Self.samples(scenario.stored)
        #expect(samples.count == 2)
        #expect(samples.last?.sample.video?.packets == 200)
        #expect(!scenario.stored.contains { if case .report = $0 { true } else { false } })

        let isKept = scenario.keepReports(until: scenario.now.unix + 60_000)
        #expect(isKept)
        scenario.send("alice", report(3))
        let kept = scenario.stored.compactMap { if case .report(let report) = $0 { report } else { nil } }
        let json = String(decoding: try #require(kept.first).json, as: UTF8.self)
        #expect(kept.count == 1 && json.contains("OT1") && !json.contains("192.0.2.77"))
    }

    @Test("raw reports that were kept from the beginning say the same again, by what is kept beside them")
    func judgedAgain() throws {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        let isKept = scenario.keepReports(until: .infinity)
        #expect(isKept)
        // What the router sends to a subscriber is as good a report of someone who sends.
        var sent = LegScript(.subscriber, "", "")
        for number in 1...30 {
            let event = TelemetryEvent(
                eventId: "r\(number)", capturedAt: scenario.now.unix, leg: "pub",
                report: sent.next(loss: number > 10 ? 0.2 : 0).stats)
            scenario.send("alice", .telemetry(.init(events: [event])))
            scenario.pass(.seconds(1))
        }
        let said = Self.samples(scenario.stored).map(\.sample.diagnosis?.cause)
        var observer = PublisherObserver(configuration: .init())
        let kept = scenario.stored.compactMap { if case .report(let report) = $0 { report } else { nil } }
        let again: [Diagnosis.Cause?] = try kept.map { record in
            let context = try #require(record.context)
            let (intent, remote) = try (#require(context.intent), #require(context.remote))
            #expect(context.leg == "pub" && intent.role == .publisher)
            let report = try StatsReport.parse(record.json).report
            return observer.handle(report, intent: intent, remote: remote).diagnosis.cause
        }
        #expect(said.count == 30 && said == again)
        #expect(said.contains(.packetLoss))
    }

    @Test("telemetry about a leg that has ended is stored where it belongs")
    func lateTelemetry() {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.publish("alice", "pub")
        scenario.send("alice", .unpublish(.init(leg: "pub")))
        scenario.send("alice", Self.telemetry("e1", at: scenario.now.unix))
        #expect(Self.samples(scenario.stored).count == 1)
    }

    @Test("who comes back to a server that was killed has other publications under the old names")
    func numbersOfRuns() throws {
        var flows: [[FlowKey]] = []
        var restore: String?
        let seal = RestorationSeal.test(secret: "the application's")
        var session: String?
        for run in [1, 2] as [UInt64] {
            var scenario = CoreScenario(
                seal: seal, seed: run, storing: CoreStoring(names: Self.names, run: run))
            var alice = ResumableClient("alice")
            let joined = try #require(
                scenario.join(&alice, restore: restore, session: session ?? scenario.session))
            restore = joined.resumption?.token
            session = session ?? scenario.session
            scenario.send(&alice, .publish(CoreScenario.publish("cam")))
            flows.append(
                scenario.stored.compactMap { if case .flow(let flow) = $0 { flow.key } else { nil } })
        }
        let keys = flows.joined()
        #expect(Set(keys.map(\.connection)).count == 1)
        #expect(keys.count == 2 && Set(keys).count == 2)
    }

    @Test("when the server ends, everything has ended in the store")
    func shutdown() async throws {
        var scenario = Self.scenario()
        scenario.join("alice")
        scenario.join("bob", .subscriber)
        let stream = scenario.publish("alice", "pub")
        scenario.subscribe("bob", "sub", stream)
        scenario.put(.shutdown)
        let store = try SQLiteCallStore.inMemory()
        let outcome = try await store.write(scenario.stored)
        #expect(outcome.rejected == 0)
        let summary = try #require(try await store.summary(session: scenario.session, showsNames: false))
        #expect(summary.overview.endTime != nil)
        #expect(summary.connections.allSatisfy { $0.leaveTime != nil && $0.reason == .shutdown })
        #expect(summary.streams.allSatisfy { $0.endTime != nil })
        #expect(summary.flows.count == 2 && summary.flows.allSatisfy { $0.endTime != nil })
        // Its clients may come back to the next one.
        #expect(
            scenario.stored.contains {
                $0 == .sessionEnded(name: scenario.session, at: scenario.now.unix, mayReturn: true)
            })
    }

    @Test("once no one comes back any more, the store is notified, once")
    func restorationOver() {
        var scenario = Self.scenario()
        scenario.pass(SessionServerTimeouts().restoration + .seconds(60))
        #expect(scenario.stored.filter { $0 == .restorationOver }.count == 1)
    }
}
