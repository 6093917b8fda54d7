// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("What an observed peer connection sends and waits for")
struct SentPathTests {
    @Test("it counts as forwarded only when no one has received it by its own SSRCs lately")
    func arrival() {
        var path = SentPath()
        #expect(path.arrival(at: .zero) == .unknown)
        path.noteArrival(isForwarded: true, at: .zero)
        #expect(path.arrival(at: .seconds(1)) == .forwarded)
        path.noteArrival(isForwarded: false, at: .seconds(2))
        path.noteArrival(isForwarded: true, at: .seconds(8))
        #expect(path.arrival(at: .seconds(11)) == .direct)
        #expect(path.arrival(at: .seconds(12)) == .forwarded)
        #expect(path.arrival(at: .seconds(18)) == .unknown)
    }

    @Test("only its receiver says how it arrives, and a late word changes nothing")
    func reception() {
        var path = SentPath()
        path.note(.init(condition: .critical, time: 1000), by: "bob")
        #expect(path.receiver == nil)
        #expect(path.condition(.good, at: 1000, maxAge: 6) == .good)
        path.noteReceiver("bob")
        path.note(.init(condition: .warning, time: 1000), by: "carol")
        #expect(path.condition(.good, at: 1000, maxAge: 6) == .good)
        path.note(.init(condition: .warning, time: 1000), by: "bob")
        path.note(.init(condition: .excellent, time: 500), by: "bob")
        #expect(path.condition(.good, at: 2000, maxAge: 6) == .warning)
        #expect(path.condition(.good, at: 8000, maxAge: 6) == .good)
        path.noteReceiver("carol")
        #expect(path.receiver == "carol")
        #expect(path.condition(.good, at: 2000, maxAge: 6) == .good)
    }

    @Test("once as much waits for its sender as may, nothing waits any more")
    func waiting() {
        var waiting = WaitingSamples()
        let view = ObservedPeer.View(role: .subscriber, track: nil)
        for time in 0..<1024 {
            #expect(waiting.takesMore)
            waiting.hold(
                .init(view: view, sample: StreamSample(), time: Double(time), measured: 0, ticket: nil),
                of: StatsReport(timestamp: Double(time)))
        }
        #expect(!waiting.takesMore && waiting.beginning(of: view) == 0)
        #expect(waiting.views == [view] && waiting.report?.timestamp == 1023)
        let taken = waiting.take(view)
        #expect(taken.count == 1024)
        #expect(!waiting.contains(view) && !waiting.takesMore)
        #expect(waiting.isEmpty && waiting.report == nil)
        // What came while all of it was being taken changes nothing.
        waiting.hold(taken[0], of: StatsReport(timestamp: 1024))
        #expect(!waiting.takesMore)
    }
}
