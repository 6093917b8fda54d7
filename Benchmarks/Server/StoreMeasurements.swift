// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallQuality
import CallStore
import Foundation
import HistoryWriter
import SessionWire
import WebRTCStats

/// What a second of telemetry costs a server, from its samples and from raw reports.
func storeRows(_ samples: Samples) async throws -> [Row] {
    try await StoredCalls.inFolder { folder in
        let bench = try await StoreBench(folder)
        return try await [
            bench.samples(), bench.rollup(), bench.sampleMessages(), bench.reports(samples),
        ]
    }
}

/// A store in a file with a hundred calls of two that are live.
private final class StoreBench {
    private static let calls = 100
    /// Records in one transaction, as a server's writer puts them together.
    private static let batch = 5000
    private static let rounds = 5

    private let store: SQLiteCallStore
    private let flows: [FlowKey]
    private var second = 0

    init(_ folder: URL) async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        store = try SQLiteCallStore(
            path: folder.appending(path: "calls.sqlite").path, configuration: configuration)
        let names = (0..<Self.calls).map { "call\($0)" }
        flows = names.flatMap { StoredCalls.flows($0) }
        _ = try await store.write(names.flatMap { StoredCalls.beginning($0, at: StoredCalls.start) })
    }

    /// Samples as they come out of messages, into the database.
    func samples() async throws -> Row {
        var least = Double.infinity
        for _ in 0..<Self.rounds {
            let batches = (0..<10).map { _ in nextBatch() }
            let start = Stopwatch.processSeconds
            for batch in batches { try check(await store.write(batch), batch.count) }
            least = min(least, Stopwatch.processSeconds - start)
        }
        return Row(
            name: "compact samples stored, per CPU second", Double(10 * Self.batch) / least, .perSecond,
            goal: 60_000)
    }

    /// The sums by minute of what was stored since the last time.
    func rollup() async throws -> Row {
        try await store.maintenance(now: 0)
        var least = Double.infinity
        for _ in 0..<Self.rounds {
            for _ in 0..<5 { _ = try await store.write(nextBatch()) }
            least = try await min(
                least, Stopwatch.processSeconds(rounds: 1) { try await store.maintenance(now: 0) })
        }
        return Row(
            name: "  the same summed up by minute, per CPU second", Double(5 * Self.batch) / least, .perSecond
        )
    }

    /// Messages of one sample each, read and stored.
    func sampleMessages() async throws -> Row {
        let least = try await overMessages { flow, second in
            let event = TelemetryEvent(
                eventId: "m\(flow)-\(second)", capturedAt: StoredCalls.start + Double(second) * 1000,
                leg: "cam",
                sample: StoredCalls.sample(second))
            return try ClientMessage(id: 7, .telemetry(.init(events: [event]))).json()
        } sample: { event, _ in
            event.wholeSample ?? StreamSample()
        }
        return Row(name: "messages with a compact sample read and stored", 1 / least, .perSecond)
    }

    /// Messages of one raw report each, read, judged and stored.
    func reports(_ samples: Samples) async throws -> Row {
        var observers = flows.map { _ in SubscriberObserver() }
        let texts = samples.texts
        let least = try await overMessages { flow, second in
            let head =
                #"{"id":7,"type":"telemetry","events":[{"eventId":"r\#(flow)-\#(second)","capturedAt":"#
            let time = StoredCalls.start + Double(second) * 1000
            let tail = #"\#(time),"leg":"cam","report":"#
            return Array((head + tail).utf8) + texts[second % texts.count] + Array("}]}".utf8)
        } sample: { event, flow in
            guard case .report(let report) = event.content else { return StreamSample() }
            return StreamSample(observers[flow].handle(report))
        }
        return Row(
            name: "messages with a report of 26 KB read, judged and stored", 1 / least, .perSecond,
            goal: 15_000)
    }

    /// CPU seconds per message.
    private func overMessages(
        _ make: (_ flow: Int, _ second: Int) throws -> [UInt8],
        sample: (TelemetryEvent, _ flow: Int) -> StreamSample
    ) async throws -> Double {
        var least = Double.infinity
        for _ in 0..<Self.rounds {
            second += 1
            let messages = try flows.indices.flatMap { flow in
                try (0..<10).map { (flow, try make(flow, second * 10 + $0)) }
            }
            let start = Stopwatch.processSeconds
            var records: [StoreRecord] = []
            for (flow, json) in messages {
                guard case .telemetry(let telemetry) = try ClientMessage(json: json).body else { continue }
                for event in telemetry.events {
                    let mark = EventMark(
                        time: event.capturedAt, capturedAt: event.capturedAt, eventId: event.eventId)
                    records.append(
                        .sample(
                            .init(
                                flow: flows[flow], observer: .client, mark: mark, sample: sample(event, flow))
                        ))
                }
            }
            try check(await store.write(records), messages.count)
            least = min(least, (Stopwatch.processSeconds - start) / Double(messages.count))
        }
        return least
    }

    private func nextBatch() -> [StoreRecord] {
        var records: [StoreRecord] = []
        while records.count < Self.batch {
            second += 1
            let time = StoredCalls.start + Double(second) * 1000
            records += flows.map { StoredCalls.record($0, time, StoredCalls.sample(second)) }
        }
        return records
    }

    private func check(_ outcome: WriteOutcome, _ count: Int) throws {
        guard outcome.samples == count else { throw NotStored(outcome: outcome) }
    }

    struct NotStored: Error { var outcome: WriteOutcome }
}
