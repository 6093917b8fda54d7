// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import GRDB
import HistoryWriter
import SessionWire
import TestSupport
import Testing

@testable import CallStore

/// Whatever numbers are written, or stand in a file from elsewhere, everything can be read, and what is read
/// can be.
@Suite("Numbers without sense")
struct ExtremeNumbersTests {
    @Test(
        "in a file from before there were bounds can be read",
        arguments: Seed.draw(10))
    func inserted(seed: UInt64) async throws {
        var generator = ExtremeNumbers(seed: seed)
        let store = try SQLiteCallStore.inMemory()
        let scenario = StoreScenario(store: store)
        try await scenario.begin()
        let columns = ["time", "captured_at", "event"] + SampleColumns.all.map(\.name)
        for _ in 0..<5 {
            var rows: [[Int64?]] = []
            for _ in 0..<100 {
                rows.append(columns.map { _ in Bool.random(using: &generator) ? generator.integer() : 1 })
            }
            try await store.database.write { [rows] database in
                try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
                for (number, row) in rows.enumerated() {
                    let values = row.map { $0.map(String.init) ?? "NULL" }.joined(separator: ",")
                    try database.execute(
                        sql: """
                            INSERT OR IGNORE INTO samples (flow, observer, \(columns.joined(separator: ",")))
                            VALUES (\(1 + number % 2), \(number % 3 % 2), \(values))
                            """)
                }
                try database.execute(sql: "PRAGMA ignore_check_constraints = OFF")
            }
            try await ExtremeNumbers.readAll(scenario.store, &generator, seed)
        }
    }

    /// The very case that ended a server: two minutes whose sums of MOS are as large as a number can be.
    @Test("in minutes from before there were bounds do not add up to a trap")
    func oldMinutes() async throws {
        let store = try SQLiteCallStore.inMemory()
        let scenario = StoreScenario(store: store)
        try await scenario.begin()
        // Bad samples, opinions and gaps.
        let sums = 1 + 4 + 4
        try await store.database.write { database in
            try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
            for minute in [1, 2, Int64.max, .min] {
                let counts = Array(repeating: "\(Int64.max)", count: sums).joined(separator: ",")
                try database.execute(
                    sql: "INSERT INTO minutes VALUES (1, 0, \(minute), \(Int64.max), 1, \(counts))")
                for (kind, code) in [(0, 3), (0, Int64.max), (1, 2), (2, 1), (2, -1), (9, 0)] {
                    try database.execute(
                        sql:
                            "INSERT INTO minute_counts VALUES (1, \(minute), 0, \(kind), \(code), \(Int64.max))"
                    )
                }
            }
            try database.execute(
                sql: """
                    INSERT INTO alerts (flow, observer, side, first_at, last_at, samples, worst, reason, source,
                        is_over)
                    VALUES (1, 9, 9, \(Int64.min), \(Int64.max), \(Int64.max), 9, \(Int64.min), 99, 7)
                    """)
            try database.execute(sql: "UPDATE sessions SET created_at = \(Int64.min), last_at = \(Int64.max)")
            try database.execute(sql: "PRAGMA ignore_check_constraints = OFF")
        }
        var generator = ExtremeNumbers(seed: 1)
        try await ExtremeNumbers.readAll(scenario.store, &generator, 1)
    }

    @Test("a minute of each sample makes no summary larger")
    func minuteFlood() async throws {
        let store = try SQLiteCallStore.inMemory()
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        var records: [StoreRecord] = []
        for minute in 0..<20_000 {
            let time = Double(minute) * 60_000
            let mark = EventMark(time: time, capturedAt: time, event: Int64(minute))
            let sample = StoreScenario.sample("warning", cause: "packetLoss")
            records.append(.sample(.init(flow: scenario.bob, observer: .client, mark: mark, sample: sample)))
        }
        _ = try await scenario.store.write(records)
        while try await store.database.write(MinuteRollup.run) {}
        let summary = try #require(try await scenario.store.summary(session: "s", showsNames: false))
        #expect(summary.flows.last?.judgements.first?.samples == 20_000)
        #expect(summary.worstMinutes.count == SessionSummary.worstMinuteLimit)
        scenario.now += 1
    }
}
