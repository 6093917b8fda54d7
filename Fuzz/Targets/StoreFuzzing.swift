// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallReport
import Foundation
import HistoryWriter
import SessionWire

@testable import CallStore
@testable import SessionCore
@testable import SessionServer

enum StoreFuzzing {
    /// Any bytes are layers or none; those that are can be written and read again.
    static func layers(_ input: UnsafeRawBufferPointer) throws {
        guard let layers = LayerBlob.layers([UInt8](input)) else { return }
        let bytes = LayerBlob.bytes(layers)
        try require(LayerBlob.layers(bytes)?.count == layers.count, "layers got lost when they were written")
        let again = LayerBlob.layers(bytes).map(LayerBlob.bytes)
        try require(again == bytes, "layers change each time that they are written")
    }

    /// Any bytes are a flow's minute or none; one that is can be written and read again.
    static func chunk(_ input: UnsafeRawBufferPointer) throws {
        guard let samples = SampleChunk.samples([UInt8](input)) else { return }
        try require((1...SampleChunk.limit).contains(samples.count), "\(samples.count) samples in a minute")
        guard let bytes = SampleChunk.bytes(samples) else {
            throw Finding("\(samples.count) samples cannot be written")
        }
        try require(SampleChunk.samples(bytes) == samples, "samples change when they are written")
    }

    /// The core's records go into a store in memory, and everything is read that the HTTP interface tells.
    @Sendable static func run(_ input: [UInt8]) async throws {
        let text = String(decoding: input, as: UTF8.self)
        let lines = text.split(separator: "\n", maxSplits: 128, omittingEmptySubsequences: false)
        // The second choice is whether there is a store.
        var fuzzing = try CoreFuzzing("\(lines.first?.prefix(1) ?? "")1")
        for line in lines.dropFirst().prefix(128) { try fuzzing.step(line) }
        let records = fuzzing.records
        guard records.contains(where: \.isDroppable) else { return }
        let store = try SQLiteCallStore.inMemory()
        _ = try await store.write(records, reportsChanges: true)
        try await store.maintenance(now: 1_700_000_100_000)
        let query = SessionQuery()
        for session in try await store.sessions(query).items { try await readAll(of: session.session, store) }
        _ = try JSONEncoder().encode(try await store.alerts(AlertQuery()))
        try store.close()
    }

    private static func readAll(of session: String, _ store: SQLiteCallStore) async throws {
        let query = WindowQuery(session: session)
        let encoder = JSONEncoder()
        let summary = try await store.summary(session: session, showsNames: true)
        try require(summary != nil, "a session has no summary")
        _ = try encoder.encode(summary)
        _ = try encoder.encode(try await store.minutes(query))
        _ = try encoder.encode(try await store.timeline(query))
        let samples = try await store.samples(query)
        _ = try encoder.encode(samples)
        _ = SampleCSV.lines(samples?.items ?? [])
        _ = try encoder.encode(try await SupportCase.make(query, from: store, showsNames: true))
        let report = try await SessionReport.make(query, from: store, showsNames: true, showsReports: true)
        _ = report?.html
        let findings = report?.callFindings
        _ = try encoder.encode(findings)
        try require(
            findings?.score.map { (0...100).contains($0) } ?? true, "a score is \(findings?.score ?? -1)")
        let all = FleetQuery(from: 0, to: .greatestFiniteMagnitude)
        let fleet = try await store.fleet(all)
        try require(fleet.total.bad <= fleet.total.minutes, "more bad minutes than minutes: \(fleet.total)")
        let share = try await store.share(all)
        _ = FleetCSV.text(fleet)
        _ = try encoder.encode(FleetComparison(before: share, after: share))
    }
}
