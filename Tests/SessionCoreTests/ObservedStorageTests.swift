// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import RouterWire
import SessionWire
import TestSupport
import Testing
import WebRTCStats

@testable import SessionCore

/// When participants of observed calls hear that what they say is stored.
@Suite("What is stored of observed calls, and said to be")
struct ObservedStorageTests {
    private static func scenario(run: UInt64 = 1, seed: UInt64 = 1) -> CoreScenario {
        CoreScenario(
            seed: seed, storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: run))
    }

    private static let alice = ObservedCallTests.grant("alice")
    private static let bob = ObservedCallTests.grant("bob")

    private static func samples(_ scenario: CoreScenario) -> [SampleRecord] {
        scenario.stored.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }

    @Test("a message is answered when all that it says is stored, and not before")
    func stored() throws {
        var scenario = Self.scenario()
        let ticket = try #require(try scenario.say(Self.alice, [ObservedCallTests.report(1)]).ticket)
        scenario.pass(.seconds(1))
        #expect(scenario.outcomes.isEmpty && scenario.receipts.count == 1)
        scenario.put(.stored(scenario.receipts))
        #expect(scenario.outcomes == [ticket: [.stored]])
        scenario.put(.stored(scenario.receipts))
        #expect(scenario.outcomes == [ticket: [.stored]])
    }

    @Test("all that a message says at once is in one submission: it is stored together, or not at all")
    func atOnce() throws {
        var scenario = Self.scenario()
        let event = ObservedEvent(.track, time: 1000, id: "a-1")
        _ = scenario.takeSubmissions()
        try scenario.say(
            Self.alice,
            [ObservedCallTests.report(1, ssrc: 1, "a"), ObservedCallTests.report(1, ssrc: 2, "b")],
            events: [event])
        // That the call has begun comes before.
        let submissions = scenario.takeSubmissions()
        #expect(submissions.map { $0.receipt != nil } == [false, true])
        let kinds = submissions[1].records.compactMap { record in
            switch record {
            case .sample: "sample"
            case .event(let event) where event.type == "track": "track"
            default: nil
            }
        }
        #expect(kinds == ["sample", "sample", "track"])
    }

    @Test("without a store, and where there is nothing to store, there is nothing to wait for")
    func nothing() throws {
        var forgetful = CoreScenario()
        #expect(try forgetful.say(Self.alice, [ObservedCallTests.report(1)]).ticket == nil)
        var scenario = Self.scenario()
        #expect(try scenario.say(Self.alice, [ObservedReport(.closed)]).ticket == nil)
        try scenario.say(Self.alice, [ObservedCallTests.report(1)])
        scenario.put(.stored(scenario.receipts))
        #expect(try scenario.say(Self.alice, [ObservedReport(peerConnection: "none", .closed)]).ticket == nil)
    }

    @Test(
        "what waits for its sender is waited for: until that has come, or for three seconds",
        arguments: [true, false])
    func held(comes: Bool) throws {
        var scenario = Self.scenario()
        var received = LegScript(.publisher, "", "")
        let ticket = try #require(
            try scenario.say(Self.bob, [ObservedReport(.report(received.next().stats))]).ticket)
        scenario.put(.stored(scenario.receipts))
        scenario.pass(.seconds(1))
        #expect(scenario.outcomes.isEmpty && Self.samples(scenario).isEmpty)
        if comes {
            try scenario.say(Self.alice, [ObservedCallTests.report(1)])
        } else {
            scenario.pass(.milliseconds(1900))
            #expect(Self.samples(scenario).isEmpty)
        }
        // No other report of the receiver's has to come for that.
        scenario.pass(.milliseconds(200))
        #expect(Self.samples(scenario).count == (comes ? 2 : 1) && scenario.outcomes.isEmpty)
        scenario.put(.stored(scenario.receipts))
        #expect(scenario.outcomes[ticket] == [.stored])
        let owners = scenario.stored.compactMap { record -> String?? in
            if case .stream(let stream) = record { .some(stream.connection) } else { nil }
        }
        #expect(owners.contains { $0 == nil } == !comes)
    }

    @Test("what was dropped is refused, also when it comes again, and what follows is taken")
    func dropped() throws {
        var scenario = Self.scenario()
        let report = ObservedCallTests.report(1)
        let ticket = try #require(try scenario.say(Self.alice, [report]).ticket)
        for receipt in scenario.receipts { scenario.put(.notStored(receipt)) }
        #expect(scenario.outcomes == [ticket: [.dropped]])
        let refusal = #expect(throws: ServerError.self) { try scenario.say(Self.alice, [report]) }
        #expect(refusal?.code == .tooMany)
        scenario.pass(.seconds(1))
        let next = try #require(try scenario.say(Self.alice, [ObservedCallTests.report(2)]).ticket)
        scenario.put(.stored(scenario.receipts))
        #expect(scenario.outcomes[next] == [.stored])
    }

    @Test(
        "what another server is to store is neither stored nor dropped: the call is gone, who waits says it again"
    )
    func moved() throws {
        var scenario = Self.scenario()
        let report = ObservedCallTests.report(1)
        var tickets: [ReportTicket] = []
        for _ in 0..<2 { tickets.append(try #require(try scenario.say(Self.alice, [report]).ticket)) }
        let calls = scenario.core.observedCalls
        #expect(calls.count == 1)
        scenario.put(.moved(sessions: calls, scenario.receipts))
        #expect(tickets.allSatisfy { scenario.outcomes[$0] == [.late] })
        #expect(scenario.core.observedCalls.isEmpty)
        // Nothing is known of it, or it would count as stored.
        let next = try #require(try scenario.say(Self.alice, [report]).ticket)
        #expect(scenario.outcomes[next] == nil && Self.samples(scenario).count == 2)
        scenario.put(.stored(scenario.receipts))
        #expect(scenario.outcomes[next] == [.stored])
    }

    @Test("who waits for long is answered, and sends it again: it is judged once, and waits for the same")
    func late() throws {
        var scenario = Self.scenario()
        let report = ObservedCallTests.report(1)
        var tickets: [ReportTicket] = []
        for round in 0..<10 {
            let reports = round < 9 ? [report] : [report, ObservedCallTests.report(2)]
            tickets.append(try #require(try scenario.say(Self.alice, reports).ticket))
            scenario.pass(round < 9 ? ReportTickets.longestWait : .seconds(1))
        }
        #expect(tickets.prefix(9).allSatisfy { scenario.outcomes[$0] == [.late] })
        #expect(Self.samples(scenario).count == 2)
        scenario.put(.stored(Array(scenario.receipts.prefix(1))))
        #expect(scenario.outcomes[tickets[9]] == nil, "the second report is not stored yet")
        scenario.put(.stored(scenario.receipts))
        #expect(scenario.outcomes[tickets[9]] == [.stored] && scenario.outcomes.count == 10)
    }

    @Test("a peer connection that is closed is not there again because its last reports come again")
    func closed() throws {
        var scenario = Self.scenario()
        let last = [ObservedCallTests.report(1), ObservedReport(.closed)]
        for _ in 0..<3 {
            #expect(try scenario.say(Self.alice, last).receipt.accepted == 2)
            scenario.pass(.seconds(1))
        }
        #expect(scenario.core.census.observedPeers == 0)
        #expect(scenario.stored.count { if case .flow = $0 { true } else { false } } == 1)
    }

    @Test("changes that come again do not take away what the next ones build on")
    func changes() throws {
        var scenario = Self.scenario()
        func changes(_ number: Int64, _ second: Int64) -> ObservedReport {
            let time = 1_700_000_000_000 + 1000 * second
            let step: StatsValue = .int(number < 0 ? time : 1000)
            let object: [StatsValue] =
                number < 0
                ? [
                    .string("outbound-rtp"), .string("O"), .string("ssrc"), .int(7), .string("kind"),
                    .string("audio"), .string("packetsSent"), .int(50 * second),
                ] : [.int(0), .int(2), .int(50)]
            return ObservedReport(
                time: Double(time), .changes([.int(number), step, .array(object)]))
        }
        func accepted(_ reports: ObservedReport...) throws -> (Int, [String]) {
            scenario.pass(.seconds(1))
            let receipt = try scenario.say(Self.alice, reports).receipt
            return (receipt.accepted, receipt.restart)
        }
        #expect(try accepted(changes(-1, 1), changes(2, 2)) == (2, []))
        // No one knows that the server has taken them.
        #expect(try accepted(changes(-1, 1), changes(2, 2), changes(3, 3)) == (3, []))
        #expect(try accepted(changes(4, 4)) == (1, []))
        // In other words: the server was asked for a whole one, or its sender could not know that it has the last ones.
        #expect(try accepted(changes(-5, 3), changes(6, 4), changes(7, 5)) == (3, []))
        #expect(try accepted(changes(8, 6)) == (1, []))
        #expect(Self.samples(scenario).count == 6)
        // One whose base is not there is asked for again.
        #expect(try accepted(changes(10, 6)) == (0, ["main"]))
    }

    @Test("the same report has the same mark in another run of the server, whatever came before it there")
    func marks() throws {
        var first = Self.scenario()
        var script = LegScript(.subscriber, "", "")
        var last: ObservedReport?
        for second in 0..<5 {
            let report = ObservedReport(.report(script.next().stats))
            if second > 1 { try first.say(Self.bob, [ObservedCallTests.report(second, ssrc: 9, "other")]) }
            try first.say(Self.alice, [report])
            first.pass(.seconds(1))
            last = report
        }
        var next = Self.scenario(run: 2, seed: 2)
        try next.say(Self.alice, [try #require(last)])
        let (before, after) = (Self.samples(first).last?.mark, try #require(Self.samples(next).last?.mark))
        #expect(before?.event == after.event && before?.capturedAt == after.capturedAt)
        #expect(Set(Self.samples(first).map { "\($0.mark.capturedAt) \($0.mark.event)" }).count == 8)
    }

    @Test("what the server has when it ends is stored and answered; what cannot be is answered soon")
    func shutdown() throws {
        for isStored in [true, false] {
            var scenario = Self.scenario()
            var received = LegScript(.publisher, "", "")
            let ticket = try #require(
                try scenario.say(Self.bob, [ObservedReport(.report(received.next().stats))]).ticket)
            scenario.put(.shutdown)
            #expect(Self.samples(scenario).count == 1)
            if isStored { scenario.put(.stored(scenario.receipts)) }
            scenario.pass(ReportTickets.longestWaitAtEnd)
            #expect(scenario.outcomes == [ticket: [isStored ? .stored : .late]])
        }
    }

    @Test("what is kept of reports that were taken is bounded in time and number")
    func taken() {
        var reports = TakenReports()
        for number in 0..<10_000 { reports.insert("a", time: Double(number), nil, at: .milliseconds(number)) }
        #expect(reports.count == TakenReports.limit)
        let now = Duration.seconds(10)
        #expect(
            reports.again("a", time: 9999, at: now) != nil && reports.again("b", time: 9999, at: now) == nil)
        #expect(reports.again("a", time: 9999 - Double(TakenReports.limit), at: now) == nil)
        reports.insert("a", time: -1, nil, at: now + TakenReports.memory)
        #expect(reports.count == 1)
    }
}

// MARK: - Crashes

extension ObservedStorageTests {
    /// A page that reports each second: one message under way, and what is not acknowledged again with the next one.
    private struct Page {
        let grant: ObserverGrant
        var script: LegScript
        /// Of what it sends or receives.
        let ssrc: UInt64
        /// What the server has not said to be stored.
        var kept: [ObservedReport] = []
        /// How many of them the message that is under way has, and by what it is waited for.
        var sent = (count: 0, ticket: ReportTicket?.none)
        /// Times of reports that are said to be stored, and of those that are said not to be.
        var acknowledged: [Double] = []
        var dropped: Set<Double> = []

        mutating func measure() {
            var stats = script.next().stats
            for index in stats.inboundRTP.indices { stats.inboundRTP[index].ssrc = ssrc }
            kept.append(ObservedReport(time: stats.timestamp, .report(stats)))
        }

        mutating func settle(_ outcome: ReportOutcome) {
            let times = kept.prefix(sent.count).compactMap(\.time)
            if outcome == .stored { acknowledged += times }
            if outcome == .dropped { dropped.formUnion(times) }
            if outcome != .late { kept.removeFirst(sent.count) }
            sent = (0, nil)
        }
    }

    /// A server with a store, either of which may fail.
    private struct World {
        var scenario = ObservedStorageTests.scenario()
        var pages: [Page]
        var random: SeededRandom
        private var run: UInt64 = 1
        private var queue: [(records: [StoreRecord], receipt: StoreReceipt?)] = []
        /// What is stored: by the marks of which no two are stored, whose connection it is of.
        private(set) var stored: [String: (connection: String, capturedAt: Double)] = [:]
        private(set) var names: [String: String] = [:]

        init(_ pages: [Page], seed: UInt64) {
            self.pages = pages
            random = SeededRandom(seed: seed)
        }

        /// A second passes.
        mutating func run(isStoring: Bool, isFull: Bool = false) throws {
            for index in pages.indices {
                pages[index].measure()
                try send(index)
            }
            for _ in 0..<5 {
                scenario.pass(.milliseconds(200))
                take(isFull: isFull)
                if isStoring { commit(random.next(queue.count + 1)) }
            }
        }

        mutating func finish() throws {
            for _ in 0..<60 {
                for index in pages.indices { try send(index) }
                scenario.pass(.milliseconds(200))
                take(isFull: false)
                commit(queue.count)
            }
        }

        private mutating func send(_ index: Int) throws {
            let page = pages[index]
            guard page.sent.count == 0, !page.kept.isEmpty else { return }
            let reports = Array(page.kept.prefix(20))
            do throws(ServerError) {
                let taking = try say(page.grant, reports)
                guard taking.receipt.accepted == reports.count else { return }
                pages[index].sent = (reports.count, taking.ticket)
                if taking.ticket == nil { pages[index].settle(.stored) }
            } catch {
                #expect(error.code == .tooMany)
                pages[index].sent = (reports.count, nil)
                pages[index].settle(.dropped)
            }
            hear()
        }

        private mutating func say(
            _ grant: ObserverGrant, _ reports: [ObservedReport]
        ) throws(ServerError) -> ObservedTaking {
            do { return try scenario.say(grant, reports) } catch {
                throw error as? ServerError ?? ServerError(.internal, "\(error)")
            }
        }

        /// Pages hear what is known by now.
        private mutating func hear() {
            for index in pages.indices {
                guard let ticket = pages[index].sent.ticket, let outcome = scenario.outcomes[ticket]?.first
                else { continue }
                pages[index].settle(outcome)
            }
        }

        /// The queue of the store takes what there is, but for what it has no room for.
        private mutating func take(isFull: Bool) {
            for submission in scenario.takeSubmissions() {
                if isFull, submission.records.allSatisfy(\.isDroppable) {
                    if let receipt = submission.receipt { scenario.put(.notStored(receipt)) }
                } else {
                    queue.append(submission)
                }
            }
            hear()
        }

        private mutating func commit(_ count: Int, isSaid: Bool = true) {
            let batch = queue.prefix(count)
            queue.removeFirst(count)
            for record in batch.flatMap(\.records) {
                if case .connection(let one) = record { names[one.name] = one.displayName }
                guard case .sample(let sample) = record else { continue }
                let mark = "\(sample.mark.capturedAt) \(sample.mark.event)"
                if stored[mark] == nil {
                    stored[mark] = (sample.flow.connection, sample.mark.capturedAt)
                }
            }
            guard isSaid else { return }
            scenario.put(.stored(batch.compactMap(\.receipt)))
            hear()
        }

        /// The server is killed in the middle of something, and started again.
        mutating func crash() {
            take(isFull: false)
            // Of the last commit no one hears.
            commit(random.next(queue.count + 1), isSaid: false)
            queue = []
            run += 1
            let now = scenario.now.unix
            scenario = ObservedStorageTests.scenario(run: run, seed: run)
            scenario.setClock(by: .milliseconds(now - scenario.now.unix))
            _ = scenario.takeSubmissions()
            for index in pages.indices { pages[index].sent = (0, nil) }
        }
    }

    @Test(
        "whatever is killed, late or full: what is said to be stored is, nothing is stored twice, and nothing lost without a word",
        arguments: Seed.draw(20))
    func crashes(seed: UInt64) throws {
        let pages = [
            Page(grant: Self.alice, script: LegScript(.subscriber, "", ""), ssrc: 1),
            // Alice's stream, and someone's who does not report.
            Page(grant: Self.bob, script: LegScript(.publisher, "", "", skew: 7), ssrc: 1),
            Page(
                grant: ObservedCallTests.grant("carol"), script: LegScript(.publisher, "", "", skew: -3),
                ssrc: 5),
        ]
        var world = World(pages, seed: seed)
        /// Seconds for which nothing can be stored.
        var outage = 0
        for _ in 0..<120 {
            outage = outage > 0 ? outage - 1 : world.random.chance(25) ? world.random.next(20) : 0
            try world.run(isStoring: outage == 0, isFull: world.random.chance(15))
            if world.random.chance(15) { world.crash() }
        }
        try world.finish()
        for page in world.pages {
            #expect(page.kept.isEmpty, "seed \(seed)")
            let own = world.stored.values.filter { world.names[$0.connection] == page.grant.participant }
            let times = own.map(\.capturedAt)
            #expect(Set(times).count == times.count, "stored twice, seed \(seed)")
            #expect(Set(page.acknowledged).isSubset(of: times), "lost, seed \(seed)")
            #expect(page.acknowledged.count + page.dropped.count == 120, "seed \(seed)")
            #expect(page.acknowledged.count > 20, "seed \(seed)")
        }
    }
}
