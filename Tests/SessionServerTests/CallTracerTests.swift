// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import Testing

@testable import SessionServer

@Suite("Traces of calls")
struct CallTracerTests {
    private static let flow = FlowKey(connection: "c", number: 1)

    /// A tracer of a call with one client and one subscription.
    private static func tracer() -> CallTracer {
        var tracer = CallTracer(run: "run")
        tracer.take(.session(name: "s", kind: .observed, createdAt: 1000))
        tracer.take(connection("c", at: 1000))
        tracer.take(
            .flow(.init(key: flow, session: "s", stream: "st", role: .subscriber, createdAt: 1500)))
        return tracer
    }

    private static func connection(_ name: String, at time: Double) -> StoreRecord {
        .connection(.init(name: name, session: "s", participant: nil, role: .publisher, joinedAt: time))
    }

    private static func sample(_ second: Int, _ diagnosis: Diagnosis?) -> StoreRecord {
        var sample = StreamSample()
        sample.diagnosis = diagnosis
        let time = Double(second) * 1000
        return .sample(
            .init(
                flow: flow, observer: .client, mark: .init(time: time, capturedAt: time, event: 0),
                sample: sample))
    }

    private static func alert(isOver: Bool) -> AlertChange {
        let place = FlowDescription(session: "s", connection: "c", stream: "st", role: .subscriber)
        let alert = Alert(
            flow: place, side: .remote, observer: .client, first: 3000, last: 7000, samples: 5,
            worst: .critical,
            reason: .packetLoss, source: nil, isOver: isOver)
        return .init(alert: alert, isNew: !isOver)
    }

    @Test("a call is a trace with a span of each client, without names of people")
    func wholeCall() throws {
        var tracer = CallTracer(run: "run")
        for record in StoredCall.records { tracer.take(record) }
        tracer.turn(isLast: true)
        let spans = tracer.takeSpans(10)
        #expect(spans.map(\.name) == [.call, .connection, .connection])
        #expect(Set(spans.map(\.trace)).count == 1 && Set(spans.map(\.id)).count == 3)
        #expect(spans.dropFirst().allSatisfy { $0.parent == spans[0].id })
        // Of whom the store keeps the names, too.
        let body = try OTLP.body(
            OTLPTraces(
                spans, from: .init(build: .init(version: "1.2.3", commit: "abc"), instance: "instance")))
        let text = String(decoding: body, as: UTF8.self)
        for name in ["alice\"", "bob\"", "my desk"] { #expect(!text.contains(name)) }
        try GeneratedFile("Tests/Fixtures/otlp/traces.json").hold(text.replacing("},{", with: "},\n{") + "\n")
        var check = OTLPCheck()
        try check.check(
            .init(path: "/v1/traces", headers: ["content-type": "application/json"], body: Array(body)))
        #expect(check.problems.isEmpty, "\(check.problems.prefix(5))")
    }

    @Test("a diagnosis is said when it is another one, and an unknown one not at all")
    func diagnoses() {
        var tracer = Self.tracer()
        let loss = Diagnosis(cause: .packetLoss, side: .local, severity: .bad)
        let causes: [Diagnosis?] = [
            .init(cause: .none), nil, loss, loss, .init(cause: .unknown), loss, .init(cause: .none),
            .init(cause: .none),
        ]
        for (second, diagnosis) in causes.enumerated() { tracer.take(Self.sample(second + 2, diagnosis)) }
        tracer.take(.connectionLeft(name: "c", at: 20_000, reason: .lost))
        tracer.turn(isLast: true)
        let span = tracer.takeSpans(10).first { $0.name == .connection }
        let events = span?.events.filter { $0.name == "sightline.diagnosis" } ?? []
        #expect(events.map(\.time) == [4000, 8000])
        #expect(events.first?.attributes.contains(.init("sightline.severity", .text("bad"))) == true)
        #expect(events.last?.attributes.last == .init("sightline.cause", .text("none")))
        #expect(span?.error == "lost")
    }

    @Test("an alert that ends after its client has left is in its span")
    func lateAlert() {
        var tracer = Self.tracer()
        tracer.take(Self.alert(isOver: false))
        tracer.take(.connectionLeft(name: "c", at: 8000, reason: .left))
        tracer.turn()
        #expect(tracer.takeSpans(10).map(\.name) == [.call])
        tracer.take(Self.alert(isOver: true))
        tracer.turn()
        let spans = tracer.takeSpans(10)
        #expect(
            spans.first?.events.map(\.name)
                == ["sightline.negotiated", "sightline.alert.began", "sightline.alert.ended"])
        #expect(spans.first?.events.map(\.time) == [1500, 3000, 7000])
        #expect(spans.first?.error == nil)
    }

    @Test(
        "who comes after everyone has left is in another trace of the same session; a session that ends ends all"
    )
    func severalCalls() {
        var tracer = Self.tracer()
        tracer.take(Self.connection("d", at: 2000))
        tracer.take(.connectionLeft(name: "c", at: 3000, reason: .left))
        tracer.take(.connectionLeft(name: "d", at: 4000, reason: .left))
        tracer.take(Self.connection("e", at: 5000))
        tracer.take(.sessionEnded(name: "s", at: 6000))
        tracer.turn(isLast: true)
        let spans = tracer.takeSpans(10)
        let calls = spans.filter { $0.name == .call }
        #expect(calls.map(\.start) == [1000, 5000] && calls.map(\.end) == [4000, 6000])
        #expect(Set(spans.map(\.trace)).count == 2 && spans.count == 5)
        // SHA-256 of "1:s4:1000".
        #expect(calls.first?.trace == "d4a4adbcf74f61c07693a769e00064aa")
        #expect(calls.first?.attributes.contains(.init("sightline.call.connections", .integer(2))) == true)
    }

    @Test("clients that come and go between two turns are bounded, too")
    func churn() {
        var tracer = CallTracer(run: "run")
        for number in 0..<5 * CallTracer.spanLimit {
            tracer.take(Self.connection("c\(number)", at: 1000))
            tracer.take(.connectionLeft(name: "c\(number)", at: 2000, reason: .left))
        }
        #expect(tracer.count <= 3 * CallTracer.spanLimit)
        // A span of each client, and one of each call.
        #expect(tracer.dropped == UInt64(10 * CallTracer.spanLimit - tracer.count))
        let (dropped, left) = (tracer.dropped, tracer.count)
        #expect(tracer.dropAll() > 0)
        #expect(tracer.count == 0 && tracer.dropped == dropped + UInt64(left))
    }

    @Test("a client that comes again before the last turn has a span for each time, with an id of its own")
    func again() {
        var tracer = Self.tracer()
        tracer.take(Self.connection("d", at: 2000))
        for time in [3000.0, 4000] {
            tracer.take(.connectionLeft(name: "c", at: time, reason: .lost))
            tracer.take(Self.connection("c", at: time + 500))
        }
        tracer.take(.sessionEnded(name: "s", at: 6000))
        tracer.turn(isLast: true)
        let spans = tracer.takeSpans(10)
        #expect(spans.map(\.start).sorted() == [1000, 1000, 2000, 3500, 4500])
        #expect(Set(spans.map(\.trace)).count == 1 && Set(spans.map(\.id)).count == 5)
        #expect(tracer.count == 0 && tracer.dropped == 0)
    }

    @Test("spans are taken until their events are enough, and one of them whatever it has")
    func batches() {
        var tracer = Self.tracer()
        for second in 0..<9 {
            tracer.take(Self.sample(second + 2, .init(cause: second.isMultiple(of: 2) ? .packetLoss : .none)))
        }
        tracer.take(.connectionLeft(name: "c", at: 20_000, reason: .left))
        for number in 0..<5 {
            tracer.take(Self.connection("c\(number)", at: 30_000))
            tracer.take(.connectionLeft(name: "c\(number)", at: 31_000, reason: .left))
        }
        tracer.turn(isLast: true)
        // The call of no events, the client's of ten, and those of the others.
        let first = tracer.takeSpans(100, events: 9)
        #expect(first.allSatisfy { $0.events.isEmpty } && first.count == 6)
        #expect(tracer.takeSpans(100, events: 9).map(\.events.count) == [10])
        #expect(tracer.takeSpans(0, events: 9).isEmpty)
        #expect(tracer.takeSpans(100, events: 9).count == 5)
    }

    @Test(
        "times are whole nanoseconds, whatever the clock says",
        arguments: [-1, .nan, 1e12, 1e13, 1e15, .infinity])
    func times(time: Double) {
        let text = OTLP.nanoseconds(time)
        #expect(Int64(text).map { $0 >= 0 && $0 % 1_000_000 == 0 } == true)
        if time == 1e12 { #expect(text == "1000000000000000000") }
    }

    @Test("what is kept is bounded: events of a span, and spans that wait")
    func bounds() {
        var tracer = Self.tracer()
        for second in 0..<200 {
            let cause: Diagnosis.Cause = second.isMultiple(of: 2) ? .packetLoss : .none
            tracer.take(Self.sample(second + 2, .init(cause: cause)))
        }
        tracer.take(.sessionEnded(name: "s", at: 500_000))
        tracer.turn(isLast: true)
        let span = tracer.takeSpans(10).last
        #expect(span?.events.count == CallSpan.eventLimit)
        #expect(span?.droppedEvents == 201 - CallSpan.eventLimit)
        for number in 0..<CallTracer.spanLimit {
            tracer.take(Self.connection("c\(number)", at: 1000))
            tracer.take(.connectionLeft(name: "c\(number)", at: 2000, reason: .left))
        }
        tracer.turn(isLast: true)
        #expect(tracer.dropped == UInt64(CallTracer.spanLimit))
        let batch = tracer.takeSpans(100)
        tracer.putBack(batch)
        #expect(tracer.takeSpans(100) == batch)
    }
}
